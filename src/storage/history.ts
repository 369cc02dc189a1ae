import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Act, Writer } from './recording.ts'
import type { ChangeColumns, HistoryColumns } from './schema.ts'
import { statement } from './statement.ts'

/** An act on a record, as the history tells it. */
export interface HistoryAct extends Act {
  kind: ChangeColumns['kind']
  record: number
}

type HistoryRow = Omit<HistoryColumns, 'id'>

const insertRows = statement<{ rows: HistoryRow[] }>()((db, value) => db.insertInto('history').values(value('rows')))

/** Rows written with one statement. */
const ROWS_AT_ONCE = 500

/** Characters of a name, an address or a client that the history keeps. */
const LONGEST_TEXT = 200

/** Adds acts to the history. All statements have begun when the function returns. */
export async function saveHistory(
  tx: Db,
  acts: readonly HistoryAct[],
  time_utc: string,
  writer: Writer,
): Promise<void> {
  if (acts.length === 0) return
  const [login, address, client, request] = [writer.login, writer.address, writer.client, writer.request].map(bounded)
  const by = { user: writer.user, login, address, client, request } as Omit<HistoryRow, keyof HistoryAct | 'time_utc'>
  const rows = acts.map(({ action, kind, record, name }) => ({
    time_utc,
    action,
    kind,
    record,
    name: bounded(name),
    ...by,
  }))
  const writing: Promise<unknown>[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    writing.push(insertRows(tx, { rows: rows.slice(at, at + ROWS_AT_ONCE) }))
  await Promise.all(writing)
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
