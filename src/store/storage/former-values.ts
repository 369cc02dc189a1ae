import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { byRecord, type FormerValues, type Recorded } from './recording.ts'
import type { FormerTextColumns, HistoryColumns } from './schema.ts'

// The former values of a change are kept in the row of the history that tells of the write. A version of a record is made by going back from its
// present row through these rows. Long texts have a table of their own, so that a text that goes back and forth, or that all dates of a series have,
// is kept once (decision 27).

/** Columns that follow from others, or that every write sets anew. */
const DERIVED = new Set(['search', 'folded', 'modified', 'modified_utc', 'shared', 'version', 'written_until'])

/** The former values of the columns that change. */
export function formerOf(before: object, columns: object): FormerValues {
  const had: Record<string, unknown> = { ...before }
  const former: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(columns))
    if (!DERIVED.has(name) && !isEqual(value, had[name])) former[name] = had[name]
  return former
}

const isEqual = (a: unknown, b: unknown) => a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b))

/** Texts with more characters are kept once. */
const LONG_TEXT = 256

/** Columns of JSON. Readers of versions need their values, so these texts are never named by their hash. */
const PARSED = new Set(['cost', 'rules'])

/** A text that is named by its hash. */
type Named = Omit<FormerTextColumns, 'last'>

/** The former values of a change as the history keeps them, with the long texts among them. */
export interface KeptFormer {
  former: string
  former_bytes: number
  texts: readonly Named[]
}

export const NO_FORMER: KeptFormer = { former: '', former_bytes: 0, texts: [] }

/**
 * Returns the former values of a change as the history keeps them. A record that is made has none, and one that is removed has no versions any more.
 */
export function keptFormer({ former = {}, act }: Recorded): KeptFormer {
  if (act?.action === 'create' || act?.action === 'delete' || Object.keys(former).length === 0) return NO_FORMER
  const texts: Named[] = []
  const json = JSON.stringify(former, (name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= LONG_TEXT || PARSED.has(name)) return value
    const text = { hash: hash('sha256', value, 'base64'), bytes: Buffer.byteLength(value), text: value }
    texts.push(text)
    return { hash: text.hash, characters: value.length }
  })
  return { former: json, former_bytes: Buffer.byteLength(json), texts }
}

/** The name of a long text, in its place among former values. */
export interface NamedText {
  hash: string
  characters: number
}

export function isNamedText(value: unknown): value is NamedText {
  return typeof value === 'object' && value !== null && 'hash' in value
}

/** Keeps texts that rows of the history name: hash, bytes and text stand between. `last` is not before the rows that this transaction has written. */
export const KEEP_TEXTS = {
  before: 'insert into former_texts (hash, bytes, text, last)',
  last: '(select max(id) from history)',
  after: 'on conflict (hash) do update set last = excluded.last',
}

/** The texts of these rows, each once, in the order in which every writer keeps them. */
export function textsOf(rows: readonly KeptFormer[]): Named[] {
  const texts = new Map(rows.flatMap((row) => row.texts.map((text) => [text.hash, text])))
  return [...texts.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
}

/** The texts with these hashes, by hash, those that are still kept; of each at most so many characters. */
export async function findTexts(db: Db, hashes: readonly string[], most?: number): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (let at = 0; at < hashes.length; at += TEXTS_AT_ONCE) {
    const some = hashes.slice(at, at + TEXTS_AT_ONCE)
    const text = most === undefined ? sql<string>`text` : sql<string>`substr(text, 1, ${sql.lit(most)})`
    const found = db
      .selectFrom('former_texts')
      .select(['hash', text.as('text')])
      .where('hash', 'in', some)
    for (const row of await found.execute()) texts.set(row.hash, row.text)
  }
  return texts
}

const TEXTS_AT_ONCE = 100

/** The bytes that former values take up, long texts among them. */
export async function formerBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select (select coalesce(sum(former_bytes), 0) from history where former_bytes > 0)
      + (select coalesce(sum(bytes), 0) from former_texts) as bytes`.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

/** A row of the history that is dropped, or its former values. */
type DroppedAct = Pick<HistoryColumns, 'id' | 'kind' | 'record' | 'sequence'>

/** Drops the former values of some of the oldest acts that have any; the acts stay. Returns how many there were. */
export async function dropOldestFormer(tx: Db, most: number): Promise<number> {
  const acts = await tx
    .selectFrom('history')
    .select(['id', 'kind', 'record', 'sequence'])
    .where('former_bytes', '>', sql.lit(0))
    .orderBy('id')
    .limit(sql.lit(most))
    .execute()
  const last = acts.at(-1)?.id
  if (last === undefined) return 0
  await forgetFormer(tx, acts, last)
  await sql`update history set former = '', former_bytes = 0 where id <= ${last} and former_bytes > 0`.execute(tx)
  return acts.length
}

/**
 * Prepares to drop the former values of the oldest acts: notes that earlier versions of their records are not known any more, and drops texts that no
 * later act names.
 */
export async function forgetFormer(tx: Db, oldest: readonly DroppedAct[], last: number): Promise<void> {
  const known = new Map<string, DroppedAct>()
  for (const act of oldest) known.set(`${act.kind} ${act.record}`, act)
  // In the order in which writers hold these rows.
  for (const { kind, record, sequence } of [...known.values()].sort(byRecord))
    await sql`update changes set known_from = ${sequence} where kind = ${kind} and record = ${record}`.execute(tx)
  await tx.deleteFrom('former_texts').where('last', '<=', last).execute()
}
