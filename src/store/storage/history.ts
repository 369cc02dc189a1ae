import { hash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { utcToMs } from '../../base/text/moments.ts'
import { formatUtc } from '../../base/text/zones.ts'
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
import type { ChangeColumns, FormerTextColumns, HistoryColumns, RecordKind } from './schema.ts'
import { statement } from './statement.ts'

// Every transaction that changes a record raises the record's sequence by one, or to the seconds since 2020
// if these are more, so that it rises even after a restore or the deletion of the last number. The sequence
// is SEQUENCE in calendar files, and orders webhook messages, the feed of changes and the history.

const COUNTED_FROM = Date.UTC(2020, 0, 1)

/** The seconds since 2020 at `utc`, which is `YYYY-MM-DD HH:MM:SS`. */
export function sequenceAt(utc: string): number {
  return Math.max(0, Math.floor((utcToMs(utc) - COUNTED_FROM) / 1000))
}

const AHEAD = 3600

/** Raises all sequences above those that clients may know, after a return to an earlier state. */
export async function raiseSequences(tx: Db, nowUtc: string): Promise<void> {
  const now = sequenceAt(nowUtc) + AHEAD
  await sql`update changes set sequence = (select case when max(sequence) > ${sql.lit(now)}
    then max(sequence) else ${sql.lit(now)} end
    from changes) + 1`.execute(tx)
}

// The kinds of `RecordKind` share one sequence of ids; each id is a row of `records`.

const insertRecords = statement<{ rows: { kind: RecordKind }[] }>()((db, value) =>
  db.insertInto('records').values(value('rows')).returning('id'),
)

const IDS_AT_ONCE = 30

export async function nextRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const rows = Array.from({ length: Math.min(IDS_AT_ONCE, count - ids.length) }, () => ({ kind }))
    for (const { id } of await insertRecords(tx, { rows })) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

export async function nextRecordId(tx: Tx, kind: RecordKind): Promise<number> {
  const [id] = await nextRecordIds(tx, kind, 1)
  if (id === undefined) throw new Error('no row')
  return id
}

// `changes` has a row for each record, with its latest change. `position` follows the order of commits: it is
// the number of the commit on SQLite (`sqlite-changes.ts`), the id of the transaction on PostgreSQL
// (`postgres-changes.ts`).

/**
 * A client that missed more changes than this must read everything again. The limit is high, since deleting a
 * term changes all its events.
 */
export const MOST_CHANGES = 20_000

/**
 * A row to upsert. The record gets at least `sequence`; `known_from` applies only to a record without a row.
 * `times` is the number of transactions in this commit that changed the record.
 */
export type LatestChange = Omit<ChangeColumns, 'position'> & { times: number }

export const onChanged = (
  next: string,
) => `on conflict (kind, record) do update set position = excluded.position, sequence = ${next},
  was_public = case when changes.was_public + changes.is_public + excluded.was_public > 0 then 1 else 0 end,
  is_public = excluded.is_public, deleted = excluded.deleted, changed_utc = excluded.changed_utc,
  "user" = excluded."user"`

/**
 * SQL that gives the records of `keys`, a subquery of kinds and ids, the highest sequence among them, since
 * in calendar files a series and its occurrences share a UID.
 */
export const levelSequences = (keys: string) => `update changes set sequence =
  (select max(sequence) from changes where (kind, record) in (${keys})) where (kind, record) in (${keys})`

export function keysToLevel(changes: readonly LatestChange[]): string | undefined {
  if (!changes.some(({ kind }) => kind === 'series')) return undefined
  const dated = changes.filter(({ kind }) => kind === 'series' || kind === 'event')
  return JSON.stringify(dated.map(({ kind, record }) => ({ kind, record })))
}

/** SQL that makes the current version of the records of `keys` the oldest that can be shown. */
export const forgetVersions = (keys: string) =>
  `update changes set known_from = sequence where (kind, record) in (${keys})`

export function keysToForget(recordings: readonly Recording[]): string | undefined {
  const forgotten = recordings.flatMap(({ changes, keepsFormer }) =>
    keepsFormer ? [] : [...changes.values()],
  )
  const changed = forgotten.filter(({ former = {} }) => Object.keys(former).length > 0)
  return changed.length === 0
    ? undefined
    : JSON.stringify(changed.map(({ kind, record }) => ({ kind, record })))
}

export function latestChanges(recordings: readonly Recording[], changed_utc: string): LatestChange[] {
  const latest = new Map<string, LatestChange>()
  for (const { changes, writer } of recordings) {
    for (const [key, change] of changes)
      latest.set(key, after(latest.get(key), change, changed_utc, (change.by ?? writer).user))
  }
  return [...latest.values()]
}

function after(
  before: LatestChange | undefined,
  change: Recorded,
  changed_utc: string,
  user: number,
): LatestChange {
  const { kind, record, wasPublic, isPublic, isDeleted } = change
  const times = (before?.times ?? 0) + 1
  const first = sequenceAt(changed_utc)
  return {
    kind,
    record,
    times,
    sequence: first + times - 1,
    known_from: first,
    was_public: before && before.was_public + before.is_public > 0 ? 1 : Number(wasPublic),
    is_public: Number(isPublic),
    deleted: Number(isDeleted === true),
    changed_utc,
    user,
  }
}

function countLater(recordings: readonly Recording[]): Map<Recorded, number> {
  const seen = new Map<string, number>()
  const later = new Map<Recorded, number>()
  for (const { changes } of recordings.toReversed())
    for (const [key, change] of changes) {
      const times = seen.get(key) ?? 0
      later.set(change, times)
      seen.set(key, times + 1)
    }
  return later
}

const selectWasPublic = statement<Pick<ChangeColumns, 'kind' | 'record'>>()((db, value) =>
  db
    .selectFrom('changes')
    .select('was_public')
    .where('kind', '=', value('kind'))
    .where('record', '=', value('record')),
)

export async function wasPublic(db: Db, kind: ChangeColumns['kind'], record: number): Promise<boolean> {
  const [row] = await selectWasPublic(db, { kind, record })
  return row?.was_public === 1
}

// Webhook messages are written in the transaction of the change, one for each webhook that asks for it. A
// change that only follows from another, such as of an occurrence from its series, has no act and so no
// message.

export const WEBHOOK_KINDS = ['event', 'venue', 'organizer', 'series', 'term'] as const

/** The second word of message types such as `event.created`. */
export const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

interface WebhookChange {
  kind: string
  record: number
  /** `verb` is for private webhooks, `public_verb` for all others; empty if these get no message. */
  verb: Verb
  public_verb: Verb | ''
  /** 1 if changed together with a series: an occurrence then gets no message of its own. */
  with_series: number
  /** How many transactions after this one, in the same commit, changed the record again. */
  later: number
  message: string
  time: string
}

export function webhookChanges(recordings: readonly Recording[], nowUtc: string): string | undefined {
  const messages: WebhookChange[] = []
  const later = countLater(recordings)
  for (const { changes } of recordings) {
    const hasSeries = [...changes.values()].some(({ kind }) => kind === 'series')
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (!act || !WEBHOOK_KINDS.some((known) => known === kind)) continue
      const verbs = { verb: verbOf(change), public_verb: publicVerb(change) }
      const with_series = Number(hasSeries && kind === 'event')
      const counted = { with_series, later: later.get(change) ?? 0 }
      messages.push({ kind, record, ...verbs, ...counted, message: randomUUID(), time: nowUtc })
    }
  }
  return messages.length === 0 ? undefined : JSON.stringify(messages)
}

/**
 * What happened for the public: `created` if the record enters public lists, `deleted` if it leaves them,
 * empty if it is there neither before nor after.
 */
function publicVerb({ wasPublic, isPublic, wasHidden, isHidden, isDeleted }: Recorded): Verb | '' {
  const isSeen = isPublic && !isHidden && !isDeleted
  if (wasPublic && !wasHidden) return isSeen ? 'updated' : 'deleted'
  return isSeen ? 'created' : ''
}

function verbOf({ act, isDeleted }: Recorded): Verb {
  if (isDeleted || act?.action === 'trash') return 'deleted'
  return act?.action === 'create' ? 'created' : 'updated'
}

export const HAS_WEBHOOKS = `exists (select 1 from webhooks where disabled_utc = '')`

const VERB = 'case w.is_private when 1 then c.verb else c.public_verb end'
export const WEBHOOK_EVENTS = `',' || w.events || ','`
export const WEBHOOK_DELIVERY =
  'webhook, message, type, kind, record, sequence, state, created_utc, next_utc, attempts, status, error'

/**
 * SQL that inserts messages. The source of changes, with the alias `c`, goes between `before` and `after`;
 * without webhooks, it is not read.
 */
export const WEBHOOK_INSERT = {
  before: `insert into webhook_deliveries (${WEBHOOK_DELIVERY})
    select w.id, 'msg_' || c.message || '_' || w.id, c.kind || '.' || ${VERB}, c.kind, c.record,
    n.sequence - c.later, 'waiting', c.time, c.time, 0, 0, ''
    from webhooks w cross join`,
  after: `join changes n on n.kind = c.kind and n.record = c.record where w.disabled_utc = ''
    and ${VERB} <> '' and (${WEBHOOK_EVENTS} like '%,*,%' or ${WEBHOOK_EVENTS} like '%,' || c.kind || '.*,%'
    or ${WEBHOOK_EVENTS} like '%,' || c.kind || '.' || ${VERB} || ',%')
    and (c.with_series = 0 or not exists (select 1 from events e where e.id = c.record
    and e.series is not null))`,
} as const

/** `later`: how many transactions after this one, in the same commit, changed the record again. */
export type HistoryRow = Omit<HistoryColumns, 'id' | 'sequence'> & { later: number } & KeptFormer

/** Maximum characters of a name, address, client and so on. */
const LONGEST_TEXT = 200

export function historyRows(recordings: readonly Recording[], time_utc: string): HistoryRow[] {
  const rows: HistoryRow[] = []
  const later = recordings.length > 1 ? countLater(recordings) : undefined
  const named = new Map<string, Named>()
  for (const { changes, writer, keepsFormer } of recordings) {
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (act)
        rows.push({
          ...rowOf({ kind, record, act }, originOf(change.by ?? writer), time_utc),
          ...(keepsFormer ? keptFormer(change, named) : NO_FORMER),
          later: later?.get(change) ?? 0,
        })
    }
  }
  return rows
}

/** Records acts that change no record, such as a backup. `now` is in ms since the epoch. */
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
  return {
    time_utc,
    user,
    login,
    action: act.action,
    kind,
    record,
    name: bounded(act.name),
    address,
    client,
    request,
  }
}

/**
 * Cuts a text; a surrogate pair that is cut becomes U+FFFD. A value of a damaged row that is no text becomes
 * empty.
 */
function bounded(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** Deletes the oldest acts before `beforeUtc`, at most `most`; returns how many. */
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

// An earlier version of a record is rebuilt by going back from the current row through former values. Long
// texts have their own table, so that a text that is changed back and forth, or shared by all occurrences of
// a series, is stored once (decision 27).

/** Columns without former values, since they are computed from other columns or set by every write. */
const DERIVED = new Set([
  'search',
  'folded',
  'modified',
  'modified_utc',
  'shared',
  'version',
  'written_until',
])

export function formerOf(before: object, columns: object): FormerValues {
  const had: Record<string, unknown> = { ...before }
  const former: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(columns))
    if (!DERIVED.has(name) && !isEqual(value, had[name])) former[name] = had[name]
  return former
}

const isEqual = (a: unknown, b: unknown) =>
  a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b))

/** Texts of more characters are stored in `former_texts`. */
const LONG_TEXT = 256

const PARSED = new Set(['cost', 'rules'])

type Named = Omit<FormerTextColumns, 'last'>

interface KeptFormer {
  former: string
  former_bytes: number
  texts: readonly Named[]
}

const NO_FORMER: KeptFormer = { former: '', former_bytes: 0, texts: [] }

/** The former values to store; none for a created or deleted record. `named` caches the hashed texts. */
function keptFormer({ former = {}, act }: Recorded, named: Map<string, Named>): KeptFormer {
  if (act?.action === 'create' || act?.action === 'delete' || Object.keys(former).length === 0)
    return NO_FORMER
  const texts: Named[] = []
  const json = JSON.stringify(former, (name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= LONG_TEXT || PARSED.has(name)) return value
    const known = named.get(value)
    const text = known ?? {
      hash: hash('sha256', value, 'base64'),
      bytes: Buffer.byteLength(value),
      text: value,
    }
    if (!known) named.set(value, text)
    texts.push(text)
    return { hash: text.hash, characters: value.length }
  })
  return { former: json, former_bytes: Buffer.byteLength(json), texts }
}

interface NamedText {
  hash: string
  characters: number
}

export function isNamedText(value: unknown): value is NamedText {
  return typeof value === 'object' && value !== null && 'hash' in value
}

/** Parts of the SQL to upsert long texts; `last` is the id of the newest history row. */
export const KEEP_TEXTS = {
  before: 'insert into former_texts (hash, bytes, text, last)',
  last: '(select max(id) from history)',
  after: 'on conflict (hash) do update set last = excluded.last',
}

/**
 * Returns each long text of the rows once, by hash: writers that store texts in the same order cannot
 * deadlock.
 */
export function textsOf(rows: readonly KeptFormer[]): Named[] {
  const texts = new Map(rows.flatMap((row) => row.texts.map((text) => [text.hash, text])))
  return [...texts.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
}

/** Returns the long texts by hash, cut to `most` characters. */
export async function findTexts(
  db: Db,
  hashes: readonly string[],
  most?: number,
): Promise<Map<string, string>> {
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

export async function formerBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select (select coalesce(sum(former_bytes), 0) from history where former_bytes > 0)
      + (select coalesce(sum(bytes), 0) from former_texts) as bytes`.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

type DroppedAct = Pick<HistoryColumns, 'id' | 'kind' | 'record' | 'sequence'>

/** Deletes the former values of the oldest acts that have any, at most `most` acts; returns how many. */
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
  await sql`update history set former = '', former_bytes = 0 where id <= ${last}
    and former_bytes > 0`.execute(tx)
  return acts.length
}

/** Marks versions from before these acts as unknown; deletes long texts that no act after `last` uses. */
async function forgetFormer(tx: Db, oldest: readonly DroppedAct[], last: number): Promise<void> {
  const known = new Map<string, DroppedAct>()
  for (const act of oldest) known.set(`${act.kind} ${act.record}`, act)
  // All writers lock rows of `changes` in this order, so that they cannot deadlock.
  for (const { kind, record, sequence } of [...known.values()].sort(byRecord))
    await sql`update changes set known_from = ${sequence} where kind = ${kind}
      and record = ${record}`.execute(tx)
  await tx.deleteFrom('former_texts').where('last', '<=', last).execute()
}
