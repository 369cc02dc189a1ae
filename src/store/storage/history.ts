import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { formatUtc } from '../../base/text/zones.ts'
import { countLater } from './changes.ts'
import type { Db } from './database.ts'
import {
  type Act,
  byRecord,
  type FormerValues,
  type Recorded,
  type Recording,
  type Tx,
  type Writer,
} from './recording.ts'
import type { FormerTextColumns, HistoryColumns } from './schema.ts'

// The history of acts: written, listed and dropped, with the values that the acts replaced.

/** A row to be added to the history, and how many transactions of the same commit have changed the record since. */
export type HistoryRow = Omit<HistoryColumns, 'id' | 'sequence'> & { later: number } & KeptFormer

/** Characters of a name, an address or a client that the history keeps. */
const LONGEST_TEXT = 200

/** The acts of transactions that are committed together, in their order. */
export function historyRows(recordings: readonly Recording[], time_utc: string): HistoryRow[] {
  const rows: HistoryRow[] = []
  const later = recordings.length > 1 ? countLater(recordings) : undefined
  for (const { changes, writer, keepsFormer } of recordings) {
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (act)
        rows.push({
          ...rowOf({ kind, record, act }, originOf(change.by ?? writer), time_utc),
          ...(keepsFormer ? keptFormer(change) : NO_FORMER),
          later: later?.get(change) ?? 0,
        })
    }
  }
  return rows
}

/** Writes acts on what has no row, so that no change goes with them. `now` in milliseconds since the epoch. */
export async function insertActs(tx: Tx, acts: readonly DoneAct[], now: number): Promise<void> {
  const origin = originOf(tx.recording.writer)
  const rows = acts.map((done) => ({
    ...rowOf(done, origin, formatUtc(now)),
    sequence: 0,
    former: '',
    former_bytes: 0,
  }))
  if (rows.length > 0) await tx.insertInto('history').values(rows).execute()
}

/** An act, and the record or user that it changed. */
type DoneAct = Pick<HistoryRow, 'kind' | 'record'> & { act: Act }

type Origin = Pick<HistoryRow, 'user' | 'login' | 'address' | 'client' | 'request'>

function originOf({ user, login, address, client, request }: Writer): Origin {
  return {
    user,
    login: bounded(login),
    address: bounded(address),
    client: bounded(client),
    request: bounded(request),
  }
}

function rowOf({ kind, record, act }: DoneAct, origin: Origin, time_utc: string) {
  const { user, login, address, client, request } = origin
  return { time_utc, user, login, action: act.action, kind, record, name: bounded(act.name), address, client, request }
}

/**
 * The beginning of a text; no half of a character beyond the basic plane is left at its end. Empty for the value of a damaged row, which
 * may be no text.
 */
function bounded(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** Narrows the history; undefined where anything will do. */
export interface HistoryFilter {
  user?: { id: number } | { login: string } | undefined
  kind?: HistoryColumns['kind'] | undefined
  record?: number | undefined
  /** From this time on, and before this time, as `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined
  until?: string | undefined
}

/** The newest acts of the history, the newest first, `most` at the most. */
export async function listHistory(db: Db, filter: HistoryFilter, most: number): Promise<HistoryColumns[]> {
  const { user, kind, record, since, until } = filter
  let rows = db.selectFrom('history').selectAll()
  if (user) rows = 'id' in user ? rows.where('user', '=', user.id) : rows.where('login', '=', user.login)
  if (kind !== undefined) rows = rows.where('kind', '=', kind)
  if (record !== undefined) rows = rows.where('record', '=', record)
  if (since !== undefined) rows = rows.where('time_utc', '>=', since)
  if (until !== undefined) rows = rows.where('time_utc', '<', until)
  return rows.orderBy('id', 'desc').limit(most).execute()
}

/** Drops the oldest rows, `most` at the most, up to the first that is not from before a time. Returns how many were dropped. */
export async function dropHistory(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const oldest = await tx
    .selectFrom('history')
    .select(['id', 'time_utc', 'kind', 'record', 'sequence', 'former_bytes'])
    .orderBy('id')
    .limit(most)
    .execute()
  const stays = oldest.findIndex(({ time_utc }) => time_utc >= beforeUtc)
  const dropped = stays === -1 ? oldest : oldest.slice(0, stays)
  const last = dropped.at(-1)
  if (!last) return 0
  const withValues = dropped.filter(({ former_bytes }) => former_bytes > 0)
  await forgetFormer(tx, withValues, last.id)
  await tx.deleteFrom('history').where('id', '<=', last.id).execute()
  return dropped.length
}

// Former values: the history's row of a write keeps the values that the write replaced. A version of a record is made by going back from its present row
// through these rows. Long texts have a table of their own, so that a text that goes back and forth, or that all dates of a series have,
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
interface KeptFormer {
  former: string
  former_bytes: number
  texts: readonly Named[]
}

const NO_FORMER: KeptFormer = { former: '', former_bytes: 0, texts: [] }

/**
 * Returns the former values of a change as the history keeps them. A record that is made has none, and one that is removed has no versions any more.
 */
function keptFormer({ former = {}, act }: Recorded): KeptFormer {
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
interface NamedText {
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
async function forgetFormer(tx: Db, oldest: readonly DroppedAct[], last: number): Promise<void> {
  const known = new Map<string, DroppedAct>()
  for (const act of oldest) known.set(`${act.kind} ${act.record}`, act)
  // In the order in which writers hold these rows.
  for (const { kind, record, sequence } of [...known.values()].sort(byRecord))
    await sql`update changes set known_from = ${sequence} where kind = ${kind} and record = ${record}`.execute(tx)
  await tx.deleteFrom('former_texts').where('last', '<=', last).execute()
}
