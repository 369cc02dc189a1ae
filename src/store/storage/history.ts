import { hash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { utcToMs } from '../../base/text/moments.ts'
import { formatUtc } from '../../base/text/zones.ts'
import { type Db, isPostgres } from './database.ts'
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
import { entriesOf, statement, wholeList } from './statement.ts'

// What a transaction leaves beside its rows: numbers of records, changes, messages to webhooks, and former values.

// Each record has a sequence, which rises with every transaction that changes it: by one, or up to the seconds since 2020 where those are more.
// So it goes on rising where an older state of the record comes back, and where a number has been forgotten. It is SEQUENCE in calendars, and
// orders the messages to webhooks, the feed of changes and the history.

const COUNTED_FROM = Date.UTC(2020, 0, 1)

/** The least sequence of a record that changes at a time: UTC, `YYYY-MM-DD HH:MM:SS`. */
export function sequenceAt(utc: string): number {
  return Math.max(0, Math.floor((utcToMs(utc) - COUNTED_FROM) / 1000))
}

/** The sequences of some records of a kind, by id. */
export async function findSequences(
  db: Db,
  kind: ChangeColumns['kind'],
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('changes')
    .select(['record', 'sequence'])
    .where('kind', '=', kind)
    .where('record', 'in', wholeList(db, ids))
    .execute()
  return new Map(rows.map(({ record, sequence }) => [record, sequence]))
}

/** The sequences of these events, by id: of one that belongs to a series, that of the series where it is higher. */
export async function findEventSequences(db: Db, ids: readonly number[]): Promise<[id: number, sequence: number][]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; own: number | null; shared: number | null }>`
    select e.id, c.sequence as own, s.sequence as shared from events e
    left join changes c on c.kind = 'event' and c.record = e.id
    left join changes s on s.kind = 'series' and s.record = e.series where e.id in ${wholeList(db, ids)}`.execute(db)
  return rows.map(({ id, own, shared }) => [id, Math.max(own ?? 0, shared ?? 0)])
}

/** Seconds by which sequences may be ahead of the clock, after many changes of a record in a short time. */
const AHEAD = 3600

/** Raises all sequences above those that were told before the calendar went back to an earlier state. */
export async function raiseSequences(tx: Db, nowUtc: string): Promise<void> {
  const now = sequenceAt(nowUtc) + AHEAD
  await sql`update changes set sequence = (select case when max(sequence) > ${sql.lit(now)} then max(sequence) else ${sql.lit(now)} end
    from changes) + 1`.execute(tx)
}

// The ids of the sequence that events, venues, organizers, series and images share. Each is a row of `records`, which the record refers to.

const insertRecords = statement<{ rows: { kind: RecordKind }[] }>()((db, value) =>
  db.insertInto('records').values(value('rows')).returning('id'),
)

/** Ids given with one statement. */
const IDS_AT_ONCE = 30

/** The next `count` ids, in order. */
export async function nextRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const rows = Array.from({ length: Math.min(IDS_AT_ONCE, count - ids.length) }, () => ({ kind }))
    for (const { id } of await insertRecords(tx, { rows })) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** The next id. */
export async function nextRecordId(tx: Tx, kind: RecordKind): Promise<number> {
  const [id] = await nextRecordIds(tx, kind, 1)
  if (id === undefined) throw new Error('no row')
  return id
}

const selectNext = statement<{ count: number }>()(
  (_db, value) => sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('records', 'id')) as id from generate_series(1, ${value('count')})`,
)

const insertTaken = statement<{ kind: RecordKind; ids: string }>()(
  (db, value) => sql`insert into records (id, kind)
    select cast(cast(value as text) as bigint), ${value('kind')} from ${entriesOf(db, value('ids'))}`,
)

/**
 * The next ids, in order, whose rows `insertTakenIds` writes. On PostgreSQL this only reads, so that it reaches the
 * server with the beginning of the transaction.
 */
export async function takeRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  if (!isPostgres(tx)) return nextRecordIds(tx, kind, count)
  return (await selectNext(tx, { count })).map(({ id }) => id)
}

/** Writes the rows of ids that were taken: before the records that they are the ids of. */
export async function insertTakenIds(tx: Tx, kind: RecordKind, ids: readonly number[]): Promise<void> {
  if (isPostgres(tx) && ids.length > 0) await insertTaken(tx, { kind, ids: JSON.stringify(ids) })
}

// `changes` has one row for each record that has changed since the table was made, with its latest change: `position` follows the order
// of commits. On SQLite it is a number that every commit takes one of (`sqlite-changes.ts`); on PostgreSQL it is the id of the transaction,
// and a snapshot tells which of them a reader has seen (`postgres-changes.ts`).

/** The most changed records that `readChanges` gives; a reader that missed more starts afresh. A term that is removed changes all of its events. */
export const MOST_CHANGES = 20_000

/** A change to be written, with the sequence of a new record, and its first version; `times` is how many transactions made it. */
export type LatestChange = Omit<ChangeColumns, 'position'> & { times: number }

/** The clause by which an insert into `changes` updates a record's row. `next` is the SQL of its new sequence. */
export const onChanged = (
  next: string,
) => `on conflict (kind, record) do update set position = excluded.position, sequence = ${next},
  was_public = case when changes.was_public + changes.is_public + excluded.was_public > 0 then 1 else 0 end,
  is_public = excluded.is_public, deleted = excluded.deleted, changed_utc = excluded.changed_utc, "user" = excluded."user"`

/**
 * Gives records that have been written the highest sequence among them. `keys` selects their kinds and ids. A series that changes takes its dates
 * along, since calendars know both by one UID.
 */
export const levelSequences = (keys: string) => `update changes set sequence =
  (select max(sequence) from changes where (kind, record) in (${keys})) where (kind, record) in (${keys})`

/** Returns the keys of changed series and events, as JSON for `levelSequences`; undefined where no series changed. */
export function keysToLevel(changes: readonly LatestChange[]): string | undefined {
  if (!changes.some(({ kind }) => kind === 'series')) return undefined
  const dated = changes.filter(({ kind }) => kind === 'series' || kind === 'event')
  return JSON.stringify(dated.map(({ kind, record }) => ({ kind, record })))
}

/** Makes the present version of records the first that is known. `keys` selects their kinds and ids. */
export const forgetVersions = (keys: string) =>
  `update changes set known_from = sequence where (kind, record) in (${keys})`

/** Returns the keys of records whose former values are not kept, as JSON for `forgetVersions`; undefined for none. */
export function keysToForget(recordings: readonly Recording[]): string | undefined {
  const forgotten = recordings.flatMap(({ changes, keepsFormer }) => (keepsFormer ? [] : [...changes.values()]))
  const changed = forgotten.filter(({ former = {} }) => Object.keys(former).length > 0)
  return changed.length === 0 ? undefined : JSON.stringify(changed.map(({ kind, record }) => ({ kind, record })))
}

/** The changes of transactions that are committed together: each record once, with its latest change. */
export function latestChanges(recordings: readonly Recording[], changed_utc: string): LatestChange[] {
  const latest = new Map<string, LatestChange>()
  for (const { changes, writer } of recordings) {
    for (const [key, change] of changes)
      latest.set(key, after(latest.get(key), change, changed_utc, (change.by ?? writer).user))
  }
  return [...latest.values()]
}

function after(before: LatestChange | undefined, change: Recorded, changed_utc: string, user: number): LatestChange {
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

/** How often each change of these transactions is followed by others of the same record: by change. */
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
  db.selectFrom('changes').select('was_public').where('kind', '=', value('kind')).where('record', '=', value('record')),
)

/** Whether the public could see a record at some time before its latest change. */
export async function wasPublic(db: Db, kind: ChangeColumns['kind'], record: number): Promise<boolean> {
  const [row] = await selectWasPublic(db, { kind, record })
  return row?.was_public === 1
}

// A change is written to the outbox in its own transaction, for every webhook that asks for it: there are both or neither. What follows from
// another change, such as the dates of a series from the series, has no act and is not told.

/** The kinds of records that webhooks tell of; categories and tags are terms. */
export const TOLD_KINDS = ['event', 'venue', 'organizer', 'series', 'term'] as const

/** How a record has changed. */
export const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

/** A change that webhooks may be told of. */
interface ToldChange {
  kind: string
  record: number
  /** The change for private webhooks, and for all others; empty where they get no message. */
  verb: Verb
  public_verb: Verb | ''
  /** 1 for an event that changes together with a series: as one of its dates it is not told by itself. */
  with_series: number
  /** How many transactions of the same commit have changed the record since. */
  later: number
  message: string
  time: string
}

/** The changes of a commit that webhooks may be told of, as JSON; undefined when there are none. */
export function toldChanges(recordings: readonly Recording[], nowUtc: string): string | undefined {
  const told: ToldChange[] = []
  const later = countLater(recordings)
  for (const { changes } of recordings) {
    const hasSeries = [...changes.values()].some(({ kind }) => kind === 'series')
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (!act || !TOLD_KINDS.some((known) => known === kind)) continue
      const verbs = { verb: verbOf(change), public_verb: publicVerb(change) }
      const with_series = Number(hasSeries && kind === 'event')
      const counted = { with_series, later: later.get(change) ?? 0 }
      told.push({ kind, record, ...verbs, ...counted, message: randomUUID(), time: nowUtc })
    }
  }
  return told.length === 0 ? undefined : JSON.stringify(told)
}

/** As lists show it to the public: coming into them is being made, and not to be in them any more is being deleted. */
function publicVerb({ wasPublic, isPublic, wasHidden, isHidden, isDeleted }: Recorded): Verb | '' {
  const isSeen = isPublic && !isHidden && !isDeleted
  if (wasPublic && !wasHidden) return isSeen ? 'updated' : 'deleted'
  return isSeen ? 'created' : ''
}

function verbOf({ act, isDeleted }: Recorded): Verb {
  if (isDeleted || act?.action === 'trash') return 'deleted'
  return act?.action === 'create' ? 'created' : 'updated'
}

/** The condition that at least one webhook is enabled. */
export const IS_TOLD = `exists (select 1 from webhooks where disabled_utc = '')`

const VERB = 'case w.is_private when 1 then c.verb else c.public_verb end'
const EVENTS = `',' || w.events || ','`

/**
 * The statement that writes changes to the outbox: its text before and after the source of the changes `c`. Without webhooks it looks at no change.
 */
export const TELL = {
  before: `insert into webhook_deliveries
    (webhook, message, type, kind, record, sequence, state, created_utc, next_utc, attempts, status, error)
    select w.id, 'msg_' || c.message || '_' || w.id, c.kind || '.' || ${VERB}, c.kind, c.record, n.sequence - c.later, 'waiting', c.time, c.time, 0, 0, ''
    from webhooks w cross join`,
  after: `join changes n on n.kind = c.kind and n.record = c.record where w.disabled_utc = '' and ${VERB} <> '' and (${EVENTS} like '%,*,%' or ${EVENTS} like '%,' || c.kind || '.*,%'
    or ${EVENTS} like '%,' || c.kind || '.' || ${VERB} || ',%')
    and (c.with_series = 0 or not exists (select 1 from events e where e.id = c.record and e.series is not null))`,
} as const

/** Drops at most `most` messages that were written before a time. Returns how many. */
export async function dropDeliveries(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_utc < ${beforeUtc} limit ${most}) returning id
  `.execute(tx)
  return rows.length
}

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

/** The statement that keeps long texts: hash, bytes, text and `last` stand between `before` and `after`. `last` is the newest row of the history. */
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
