import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatUtc } from '../../text/zones.ts'
import { keysToLevel, type LatestChange, latestChanges, levelSequences, onChanged } from '../changes.ts'
import { type HistoryRow, historyRows } from '../history.ts'
import { IS_TOLD, TELL, toldChanges } from '../outbox.ts'
import type { Recording } from '../recording.ts'
import { LAST } from './sqlite-changes.ts'
import type { Prepare } from './sqlite-connection.ts'

const UPSERT = `insert into changes (kind, record, position, sequence, was_public, is_public, deleted, changed_utc, "user")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?) ${onChanged('max(changes.sequence + ?, excluded.sequence)')}`

const LEVEL = levelSequences(`select value ->> 'kind', value ->> 'record' from json_each(?)`)

const INSERT_HISTORY = `insert into history (time_utc, "user", login, action, kind, record, name, address, client, request, sequence)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (select sequence from changes where kind = ? and record = ?) - ?)`

const INSERT_DELIVERIES = `${TELL.before} (select value ->> 'kind' as kind, value ->> 'record' as record, value ->> 'verb' as verb,
    value ->> 'public_verb' as public_verb, value ->> 'with_series' as with_series, value ->> 'later' as later, value ->> 'message' as message, value ->> 'time' as time
    from json_each(?)) c
  ${TELL.after}`

/** Read before anything is written: the position of the previous commit, and whether any webhook wants changes. */
const PRESENT = `select coalesce((${LAST}), 0) as last, ${IS_TOLD} as is_told`

/** Rows written in one turn of the event loop; they take some milliseconds. */
const ROWS_A_TURN = 500

/**
 * Writes what the transactions of a commit have recorded, as its last step: a record changed by several of them is written once. Returns a promise if
 * the rows take several turns of the event loop.
 */
export function saveRecordings(prepare: Prepare, recordings: readonly Recording[]): Promise<void> | undefined {
  if (recordings.every(({ changes }) => changes.size === 0)) return undefined
  const time = formatUtc(Date.now())
  const [present] = prepare(PRESENT).all([]) as { last: number; is_told: number }[]
  const position = (present?.last ?? 0) + 1
  const changes = latestChanges(recordings, time)
  const acts = historyRows(recordings, time)
  const told = present?.is_told === 1 ? toldChanges(recordings, time) : undefined
  if (changes.length > ROWS_A_TURN) return saveInTurns(prepare, changes, acts, told, position)
  saveChanges(prepare, changes, position)
  saveWithSequences(prepare, changes, told)
  saveActs(prepare, acts)
  return undefined
}

async function saveInTurns(
  prepare: Prepare,
  changes: readonly LatestChange[],
  acts: readonly HistoryRow[],
  told: string | undefined,
  position: number,
): Promise<void> {
  for (let at = 0; at < changes.length; at += ROWS_A_TURN) {
    saveChanges(prepare, changes.slice(at, at + ROWS_A_TURN), position)
    await nextTurn()
  }
  saveWithSequences(prepare, changes, told)
  for (let at = 0; at < acts.length; at += ROWS_A_TURN) {
    saveActs(prepare, acts.slice(at, at + ROWS_A_TURN))
    await nextTurn()
  }
}

function saveChanges(prepare: Prepare, rows: readonly LatestChange[], position: number): void {
  const upsert = prepare(UPSERT)
  for (const { kind, record, sequence, was_public, is_public, deleted, changed_utc, user, times } of rows)
    upsert.run([kind, record, position, sequence, was_public, is_public, deleted, changed_utc, user, times])
}

/** Settles the sequences of what has been written, which messages carry. */
function saveWithSequences(prepare: Prepare, changes: readonly LatestChange[], told: string | undefined): void {
  const keys = keysToLevel(changes)
  if (keys !== undefined) prepare(LEVEL).run([keys, keys])
  if (told !== undefined) prepare(INSERT_DELIVERIES).run([told])
}

function saveActs(prepare: Prepare, rows: readonly HistoryRow[]): void {
  if (rows.length === 0) return
  const insert = prepare(INSERT_HISTORY)
  for (const { time_utc, user, login, action, kind, record, name, address, client, request, later } of rows)
    insert.run([time_utc, user, login, action, kind, record, name, address, client, request, kind, record, later])
}
