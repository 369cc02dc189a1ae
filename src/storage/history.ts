import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Recording } from './recording.ts'
import type { ChangeColumns, HistoryColumns } from './schema.ts'

/** A row to be added to the history. */
export type HistoryRow = Omit<HistoryColumns, 'id'>

/** Characters of a name, an address or a client that the history keeps. */
const LONGEST_TEXT = 200

/** The acts of transactions that are committed together, in their order. */
export function historyRows(recordings: readonly Recording[], time_utc: string): HistoryRow[] {
  const rows: HistoryRow[] = []
  for (const { changes, writer } of recordings) {
    const login = bounded(writer.login)
    const address = bounded(writer.address)
    const client = bounded(writer.client)
    const request = bounded(writer.request)
    for (const { kind, record, act } of changes.values()) {
      if (!act) continue
      const { action, name } = act
      rows.push({
        time_utc,
        user: writer.user,
        login,
        action,
        kind,
        record,
        name: bounded(name),
        address,
        client,
        request,
      })
    }
  }
  return rows
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
  kind?: ChangeColumns['kind'] | undefined
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

/** Drops so many of the oldest rows at the most, those from before a time. Returns how many. */
export async function dropHistory(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from history where id in (select id from history order by id limit ${most}) and time_utc < ${beforeUtc} returning id
  `.execute(tx)
  return rows.length
}
