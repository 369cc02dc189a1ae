import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { formatUtc } from '../../../base/text/zones.ts'
import type { Change, Cursor, Database, Db } from '../database.ts'
import {
  forgetVersions,
  HAS_WEBHOOKS,
  type HistoryRow,
  historyRows,
  KEEP_TEXTS,
  keysToForget,
  keysToLevel,
  type LatestChange,
  latestChanges,
  levelSequences,
  MOST_CHANGES,
  onChanged,
  textsOf,
  WEBHOOK_INSERT,
  webhookChanges,
} from '../history.ts'
import type { Recording } from '../recording.ts'
import type { Prepare } from './sqlite-connection.ts'

// Cursors and the table `changes` on SQLite. Only one transaction writes at a time, so positions follow the
// order of commits, and a cursor is the position of the last commit.

function select<Row>(prepare: Prepare, text: string, ...values: number[]): Row[] {
  return prepare(text).all(values) as Row[]
}

const LAST = 'select position from changes order by position desc limit 1'

export function presentCursor(prepare: Prepare): Cursor {
  const [last] = select<{ position: number }>(prepare, LAST)
  return String(last?.position ?? 0)
}

const DROPPED = 'select before from changes_dropped'

/**
 * The end of `changes` and the unseen rows, in one statement, since another process may write between two.
 * The limit is a literal: with a parameter, SQLite prepares the statement anew for each value, which takes
 * far longer than running it.
 */
const UNSEEN = `select last, before, kind, record from (select (${LAST}) as last, (${DROPPED}) as before)
  left join (select kind, record from changes where position > ? limit ${MOST_CHANGES + 1}) on true`

/** Returns each changed record once; `'too old'` is as in `Database.readChanges`. */
export function findChanges(prepare: Prepare, since: Cursor): Awaited<ReturnType<Database['readChanges']>> {
  const rows = select<Nullable<Change & { last: number; before: number }>>(prepare, UNSEEN, Number(since))
  const [last, before] = [rows[0]?.last ?? 0, rows[0]?.before ?? 0]
  if (Number(since) > last || Number(since) < before || rows.length > MOST_CHANGES) return 'too old'
  const changes = rows.flatMap(({ kind, record }) =>
    kind === null || record === null ? [] : [{ kind, record }],
  )
  return { changes, cursor: String(last) }
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null }

/** SQL condition: a row of `changes` was committed after the cursor `from`, and not after the cursor `to`. */
export function committedBetween(from: Cursor, to: Cursor): RawBuilder<SqlBool> {
  return sql<SqlBool>`(changes.position > ${Number(from)} and changes.position <= ${Number(to)})`
}

/** True if rows of `changes` since the cursor were deleted, or the cursor is newer than the database. */
export async function isForgotten(db: Db, cursor: Cursor): Promise<boolean> {
  const { rows } = await sql<{ last: number; before: number }>`
    select coalesce((${sql.raw(LAST)}), 0) as last, (${sql.raw(DROPPED)}) as before`.execute(db)
  const [row] = rows
  // A cursor of SQLite is a number; any other text comes from another database.
  return !row || !(Number(cursor) <= row.last && Number(cursor) >= row.before)
}

export function positionValue(position: string): RawBuilder<number | string> {
  return sql`${Number(position)}`
}

/** Deletes at most `most` rows of records deleted before `beforeUtc`, but not that of the last commit. */
export async function dropTombstones(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    delete from changes where (kind, record) in (
      select kind, record from changes
      where deleted = 1 and changed_utc < ${beforeUtc} and position < (select max(position) from changes)
      limit ${most})
    returning position
  `.execute(tx)
  const last = rows.reduce((latest, { position }) => Math.max(latest, position), 0)
  if (rows.length > 0)
    await sql`update changes_dropped set before = ${last} where before < ${last}`.execute(tx)
  return rows.length
}

const UPSERT = `insert into changes (kind, record, position, sequence, was_public, is_public, deleted,
  changed_utc, "user", known_from)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${onChanged('max(changes.sequence + ?, excluded.sequence)')}`

const CHANGED = `select value ->> 'kind', value ->> 'record' from json_each(?)`

const LEVEL = levelSequences(CHANGED)

const FORGET = forgetVersions(CHANGED)

const HISTORY_VALUES = [
  'time_utc',
  'user',
  'login',
  'action',
  'kind',
  'record',
  'name',
  'address',
  'client',
  'request',
  'former',
  'former_bytes',
] as const

const INSERT_HISTORY = `insert into history (${HISTORY_VALUES.map((name) => `"${name}"`).join(', ')},
  sequence)
  values (${HISTORY_VALUES.map(() => '?').join(', ')}, (select sequence from changes where kind = ?
  and record = ?) - ?)`

const KEEP_TEXT = `${KEEP_TEXTS.before} values (?, ?, ?, ${KEEP_TEXTS.last}) ${KEEP_TEXTS.after}`

const END = `update history set former = '', former_bytes = 0 where kind = ? and record = ?
  and former_bytes > 0`

const INSERT_DELIVERIES = `${WEBHOOK_INSERT.before} (select value ->> 'kind' as kind,
    value ->> 'record' as record, value ->> 'verb' as verb,
    value ->> 'public_verb' as public_verb, value ->> 'with_series' as with_series,
    value ->> 'later' as later, value ->> 'message' as message, value ->> 'time' as time
    from json_each(?)) c
  ${WEBHOOK_INSERT.after}`

const PRESENT = `select coalesce((${LAST}), 0) as last, ${HAS_WEBHOOKS} as has_webhooks`

/** Rows written in one turn of the event loop, in some ms. */
const ROWS_A_TURN = 500

/**
 * Writes the recordings of a commit, as its last step; a record that several transactions changed is written
 * once. Returns a promise if the rows take several turns of the event loop.
 */
export function saveRecordings(
  prepare: Prepare,
  recordings: readonly Recording[],
): Promise<void> | undefined {
  if (recordings.every(({ changes }) => changes.size === 0)) return undefined
  const time = formatUtc(Date.now())
  const [present] = prepare(PRESENT).all([]) as { last: number; has_webhooks: number }[]
  const position = (present?.last ?? 0) + 1
  const changes = latestChanges(recordings, time)
  const acts = historyRows(recordings, time)
  const messages = present?.has_webhooks === 1 ? webhookChanges(recordings, time) : undefined
  const settled = { changes, messages, forgotten: keysToForget(recordings) }
  if (changes.length > ROWS_A_TURN) return saveInTurns(prepare, settled, acts, position)
  saveChanges(prepare, changes, position)
  saveWithSequences(prepare, settled)
  saveActs(prepare, acts)
  return undefined
}

async function saveInTurns(
  prepare: Prepare,
  settled: Settled,
  acts: readonly HistoryRow[],
  position: number,
): Promise<void> {
  const { changes } = settled
  for (let at = 0; at < changes.length; at += ROWS_A_TURN) {
    saveChanges(prepare, changes.slice(at, at + ROWS_A_TURN), position)
    await nextTurn()
  }
  saveWithSequences(prepare, settled)
  for (let at = 0; at < acts.length; at += ROWS_A_TURN) {
    saveActs(prepare, acts.slice(at, at + ROWS_A_TURN))
    await nextTurn()
  }
}

function saveChanges(prepare: Prepare, rows: readonly LatestChange[], position: number): void {
  const upsert = prepare(UPSERT)
  for (const {
    kind,
    record,
    sequence,
    was_public,
    is_public,
    deleted,
    changed_utc,
    user,
    known_from,
    times,
  } of rows)
    upsert.run([
      kind,
      record,
      position,
      sequence,
      was_public,
      is_public,
      deleted,
      changed_utc,
      user,
      known_from,
      times,
    ])
}

/**
 * What is saved besides the history: `messages` is JSON of changes for webhooks, `forgotten` JSON of the keys
 * of records whose earlier versions cannot be shown any more.
 */
interface Settled {
  changes: readonly LatestChange[]
  messages: string | undefined
  forgotten: string | undefined
}

/** Webhook messages come last, since they contain the final sequences. */
function saveWithSequences(prepare: Prepare, { changes, messages, forgotten }: Settled): void {
  const keys = keysToLevel(changes)
  if (keys !== undefined) prepare(LEVEL).run([keys, keys])
  if (forgotten !== undefined) prepare(FORGET).run([forgotten])
  if (messages !== undefined) prepare(INSERT_DELIVERIES).run([messages])
}

function saveActs(prepare: Prepare, rows: readonly HistoryRow[]): void {
  if (rows.length === 0) return
  const insert = prepare(INSERT_HISTORY)
  for (const row of rows) {
    const { action, kind, record, later } = row
    insert.run([...HISTORY_VALUES.map((name) => row[name]), kind, record, later])
    if (action === 'delete') prepare(END).run([kind, record])
  }
  for (const { hash, bytes, text } of textsOf(rows)) prepare(KEEP_TEXT).run([hash, bytes, text])
}
