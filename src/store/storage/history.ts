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

// Prepares what a transaction writes beside its rows: sequences, ids, the record of changes, messages to
// webhooks, the history, and former values.

// Each record has a sequence. Every transaction that changes the record raises it by one, or to the seconds
// since 2020 where those are more. So the sequence goes on rising when an older state of the record comes
// back, and when the number was forgotten. It is SEQUENCE in calendars, and it orders the messages to
// webhooks, the feed of changes and the history.

const COUNTED_FROM = Date.UTC(2020, 0, 1)

/**
 * Returns the least sequence of a record that changes at this time: the seconds since 2020. `utc` is
 * `YYYY-MM-DD HH:MM:SS`.
 */
export function sequenceAt(utc: string): number {
  return Math.max(0, Math.floor((utcToMs(utc) - COUNTED_FROM) / 1000))
}

/** Returns the sequences of these records of a kind, by id; records that never changed are missing. */
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

/**
 * Returns the ids of these events with their sequences. An occurrence of a series has the higher one of its
 * own sequence and that of the series.
 */
export async function findEventSequences(
  db: Db,
  ids: readonly number[],
): Promise<[id: number, sequence: number][]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; own: number | null; shared: number | null }>`
    select e.id, c.sequence as own, s.sequence as shared from events e
    left join changes c on c.kind = 'event' and c.record = e.id
    left join changes s on s.kind = 'series' and s.record = e.series where e.id in ${wholeList(db, ids)}`.execute(
    db,
  )
  return rows.map(({ id, own, shared }) => [id, Math.max(own ?? 0, shared ?? 0)])
}

/**
 * Seconds by which a sequence may be ahead of the clock, after many changes of one record in a short time.
 */
const AHEAD = 3600

/** Raises all sequences above those that readers got before the calendar went back to an earlier state. */
export async function raiseSequences(tx: Db, nowUtc: string): Promise<void> {
  const now = sequenceAt(nowUtc) + AHEAD
  await sql`update changes set sequence = (select case when max(sequence) > ${sql.lit(now)} then max(sequence) else ${sql.lit(now)} end
    from changes) + 1`.execute(tx)
}

// Ids: events, venues, organizers, series and images share one sequence of ids. Each id is a row of
// `records`, which the record refers to.

const insertRecords = statement<{ rows: { kind: RecordKind }[] }>()((db, value) =>
  db.insertInto('records').values(value('rows')).returning('id'),
)

/** The most ids that one statement makes. */
const IDS_AT_ONCE = 30

/** Makes the next `count` ids and returns them in order. */
export async function nextRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const rows = Array.from({ length: Math.min(IDS_AT_ONCE, count - ids.length) }, () => ({ kind }))
    for (const { id } of await insertRecords(tx, { rows })) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** Makes the next id and returns it. */
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
 * Takes the next `count` ids and returns them in order; `insertTakenIds` writes their rows. On PostgreSQL
 * this only reads, so that it reaches the server with the beginning of the transaction.
 */
export async function takeRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  if (!isPostgres(tx)) return nextRecordIds(tx, kind, count)
  return (await selectNext(tx, { count })).map(({ id }) => id)
}

/**
 * Writes the rows of ids that `takeRecordIds` gave. It must be called before the records with these ids are
 * written.
 */
export async function insertTakenIds(tx: Tx, kind: RecordKind, ids: readonly number[]): Promise<void> {
  if (isPostgres(tx) && ids.length > 0) await insertTaken(tx, { kind, ids: JSON.stringify(ids) })
}

// The record of changes: `changes` has one row for each record that has changed since the table was made,
// with its latest change. `position` follows the order of commits. On SQLite it is a number that every commit
// takes one of (`sqlite-changes.ts`). On PostgreSQL it is the id of the transaction, and a snapshot tells
// which transactions a reader has seen (`postgres-changes.ts`).

/**
 * The most changed records that `readChanges` gives; who missed more starts afresh. It is high since removing
 * a term changes all its events.
 */
export const MOST_CHANGES = 20_000

/**
 * A change to be written. `sequence` and `known_from` are of a new record; `times` counts the transactions of
 * the commit that changed the record.
 */
export type LatestChange = Omit<ChangeColumns, 'position'> & { times: number }

/**
 * Returns the clause by which an insert into `changes` updates the row of a record that has one. `next` is
 * the SQL of the new sequence.
 */
export const onChanged = (
  next: string,
) => `on conflict (kind, record) do update set position = excluded.position, sequence = ${next},
  was_public = case when changes.was_public + changes.is_public + excluded.was_public > 0 then 1 else 0 end,
  is_public = excluded.is_public, deleted = excluded.deleted, changed_utc = excluded.changed_utc, "user" = excluded."user"`

/**
 * Returns the statement that gives written records the highest sequence among them. `keys` is SQL that
 * selects their kinds and ids. A changed series takes its dates along, since calendars know both by one UID.
 */
export const levelSequences = (keys: string) => `update changes set sequence =
  (select max(sequence) from changes where (kind, record) in (${keys})) where (kind, record) in (${keys})`

/**
 * Returns the keys of changed series and events, as JSON for `levelSequences`; undefined where no series
 * changed.
 */
export function keysToLevel(changes: readonly LatestChange[]): string | undefined {
  if (!changes.some(({ kind }) => kind === 'series')) return undefined
  const dated = changes.filter(({ kind }) => kind === 'series' || kind === 'event')
  return JSON.stringify(dated.map(({ kind, record }) => ({ kind, record })))
}

/**
 * Returns the statement that makes the present version of records the first known one. `keys` is SQL that
 * selects their kinds and ids.
 */
export const forgetVersions = (keys: string) =>
  `update changes set known_from = sequence where (kind, record) in (${keys})`

/**
 * Returns the keys of changed records whose former values are not kept, as JSON for `forgetVersions`;
 * undefined for none.
 */
export function keysToForget(recordings: readonly Recording[]): string | undefined {
  const forgotten = recordings.flatMap(({ changes, keepsFormer }) =>
    keepsFormer ? [] : [...changes.values()],
  )
  const changed = forgotten.filter(({ former = {} }) => Object.keys(former).length > 0)
  return changed.length === 0
    ? undefined
    : JSON.stringify(changed.map(({ kind, record }) => ({ kind, record })))
}

/**
 * Returns the changes of transactions that are committed together: each record once, with its latest change.
 */
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

/** Returns true when the public could see a record at some time before its latest change. */
export async function wasPublic(db: Db, kind: ChangeColumns['kind'], record: number): Promise<boolean> {
  const [row] = await selectWasPublic(db, { kind, record })
  return row?.was_public === 1
}

// The outbox of webhooks: messages about a change are written in the transaction of the change, one for every
// webhook that asks for it, so that there are both or neither. A change that follows from another one has no
// act and gets no message, such as the dates of a series when the series changes.

/** The kinds of records that webhooks get messages about; categories and tags are terms. */
export const TOLD_KINDS = ['event', 'venue', 'organizer', 'series', 'term'] as const

/** The verbs of changes, which end the types of messages. */
export const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

interface ToldChange {
  kind: string
  record: number
  /** The verb for private webhooks, and the one for all other webhooks: empty where these get no message. */
  verb: Verb
  public_verb: Verb | ''
  /** 1 for an event that changes together with a series: as an occurrence it gets no message of its own. */
  with_series: number
  /** The number of later transactions of the same commit that changed the record. */
  later: number
  message: string
  time: string
}

/**
 * Returns the changes of a commit that webhooks may get messages about, as JSON; undefined when there are
 * none.
 */
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

/**
 * Returns the verb of a change as the public sees it in lists: a record that enters them is created, one that
 * leaves them is deleted. Empty for a record that is in none before and after.
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

/** The condition that at least one webhook is enabled. */
export const IS_TOLD = `exists (select 1 from webhooks where disabled_utc = '')`

const VERB = 'case w.is_private when 1 then c.verb else c.public_verb end'
const EVENTS = `',' || w.events || ','`

/**
 * The statement that writes messages to the outbox: its text before and after the source `c` of the changes.
 * Without webhooks it reads no change.
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

/** Drops at most `most` messages to webhooks that were written before a time. Returns how many. */
export async function dropDeliveries(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_utc < ${beforeUtc} limit ${most}) returning id
  `.execute(tx)
  return rows.length
}

// The history: acts are written, listed and dropped, with the values that they replaced.

/**
 * A row to be added to the history. `later` is the number of later transactions of the same commit that
 * changed the record.
 */
export type HistoryRow = Omit<HistoryColumns, 'id' | 'sequence'> & { later: number } & KeptFormer

/** The most characters of a name, an address or a client that the history keeps. */
const LONGEST_TEXT = 200

/**
 * Returns the rows of the history for transactions that are committed together, in the order of their acts.
 */
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

/**
 * Writes acts that change no record, such as a backup or a new webhook. `now` in milliseconds since the
 * epoch.
 */
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
 * Returns the first 200 characters of a text, never ending in half of a surrogate pair. Empty where the value
 * of a damaged row is no text.
 */
function bounded(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** The conditions that narrow a list of the history; undefined ones are left out. */
export interface HistoryFilter {
  user?: { id: number } | { login: string } | undefined
  kind?: HistoryColumns['kind'] | undefined
  record?: number | undefined
  /** The first time, and the time before which the acts lie: `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined
  until?: string | undefined
}

/** Returns the newest acts that pass the filter, the newest first, at most `most`. */
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

/**
 * Drops the oldest acts, at most `most`, and stops at the first act that is not from before the time. Returns
 * how many were dropped.
 */
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

// Former values: the row of the history for a write keeps the values that the write replaced. A version of a
// record is rebuilt from its present row by going back through these rows. Long texts have a table of their
// own, so that a text which goes back and forth, or which all dates of a series have, is kept once (decision
// 27).

/** Columns whose former values are not kept, since they follow from others or every write sets them. */
const DERIVED = new Set([
  'search',
  'folded',
  'modified',
  'modified_utc',
  'shared',
  'version',
  'written_until',
])

/** Returns the former values of those columns that differ, without the ones that follow from others. */
export function formerOf(before: object, columns: object): FormerValues {
  const had: Record<string, unknown> = { ...before }
  const former: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(columns))
    if (!DERIVED.has(name) && !isEqual(value, had[name])) former[name] = had[name]
  return former
}

const isEqual = (a: unknown, b: unknown) =>
  a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b))

/** Characters above which a text is kept once, in `former_texts`. */
const LONG_TEXT = 256

/** Columns of JSON that readers of versions parse, so their texts are never replaced by a hash. */
const PARSED = new Set(['cost', 'rules'])

/** A long text, with its hash and its length in bytes. */
type Named = Omit<FormerTextColumns, 'last'>

/**
 * The former values of a change, as JSON with hashes in place of long texts, the bytes of this JSON, and the
 * long texts.
 */
interface KeptFormer {
  former: string
  former_bytes: number
  texts: readonly Named[]
}

const NO_FORMER: KeptFormer = { former: '', former_bytes: 0, texts: [] }

/**
 * Returns the former values of a change as the history keeps them: none for a new record or a deleted one,
 * which has no versions any more. `named` has the long texts of other changes, since all dates of a series
 * may have had one text.
 */
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

/**
 * The statement that stores long texts; the values stand between `before` and `after`. `last` is the id of
 * the newest row of the history.
 */
export const KEEP_TEXTS = {
  before: 'insert into former_texts (hash, bytes, text, last)',
  last: '(select max(id) from history)',
  after: 'on conflict (hash) do update set last = excluded.last',
}

/** Returns the long texts of these rows, each once, in the order in which every writer stores them. */
export function textsOf(rows: readonly KeptFormer[]): Named[] {
  const texts = new Map(rows.flatMap((row) => row.texts.map((text) => [text.hash, text])))
  return [...texts.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
}

/**
 * Returns the texts that are still kept under these hashes, by hash, each cut to its first `most` characters.
 */
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

/** Returns the bytes that all former values take up, with the long texts. */
export async function formerBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select (select coalesce(sum(former_bytes), 0) from history where former_bytes > 0)
      + (select coalesce(sum(bytes), 0) from former_texts) as bytes`.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

type DroppedAct = Pick<HistoryColumns, 'id' | 'kind' | 'record' | 'sequence'>

/**
 * Drops the former values of the oldest acts that have any, at most `most`; the acts themselves stay. Returns
 * how many lost them.
 */
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
  await sql`update history set former = '', former_bytes = 0 where id <= ${last} and former_bytes > 0`.execute(
    tx,
  )
  return acts.length
}

/**
 * Prepares to drop the former values of the oldest acts, up to the act `last`: marks the earlier versions of
 * their records as unknown, and drops the long texts that no later act names.
 */
async function forgetFormer(tx: Db, oldest: readonly DroppedAct[], last: number): Promise<void> {
  const known = new Map<string, DroppedAct>()
  for (const act of oldest) known.set(`${act.kind} ${act.record}`, act)
  // In the order in which every writer locks these rows.
  for (const { kind, record, sequence } of [...known.values()].sort(byRecord))
    await sql`update changes set known_from = ${sequence} where kind = ${kind} and record = ${record}`.execute(
      tx,
    )
  await tx.deleteFrom('former_texts').where('last', '<=', last).execute()
}
