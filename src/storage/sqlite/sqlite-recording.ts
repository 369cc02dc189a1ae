import { formatUtc } from '../../text/zones.ts'
import { latestChanges, ON_CHANGED } from '../changes.ts'
import { historyRows } from '../history.ts'
import type { Recording } from '../recording.ts'
import { presentCursor } from './sqlite-changes.ts'
import type { Prepare } from './sqlite-connection.ts'

const UPSERT = `insert into changes (kind, record, position, revision, was_public, is_public, deleted, changed_utc, "user")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?) ${ON_CHANGED}`

const INSERT_HISTORY = `insert into history (time_utc, "user", login, action, kind, record, name, address, client, request)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Writes what the transactions of a commit have recorded, as the last of it: a record that several have changed is written once. */
export function saveRecordings(prepare: Prepare, recordings: readonly Recording[]): void {
  if (recordings.every(({ changes }) => changes.size === 0)) return
  const time = formatUtc(Date.now())
  const position = Number(presentCursor(prepare)) + 1
  const upsert = prepare(UPSERT)
  for (const row of latestChanges(recordings, time)) {
    const { kind, record, revision, was_public, is_public, deleted, changed_utc, user } = row
    upsert.run([kind, record, position, revision, was_public, is_public, deleted, changed_utc, user])
  }
  const insert = prepare(INSERT_HISTORY)
  for (const row of historyRows(recordings, time)) {
    const { time_utc, user, login, action, kind, record, name, address, client, request } = row
    insert.run([time_utc, user, login, action, kind, record, name, address, client, request])
  }
}
