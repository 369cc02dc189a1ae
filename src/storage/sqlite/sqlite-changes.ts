import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { MOST_CHANGES } from '../changes.ts'
import type { Change, Cursor, Database, Db } from '../database.ts'
import type { Prepare } from './sqlite-connection.ts'

// One transaction writes at a time, so positions are in the order of commits, and a cursor is the last position.

function select<Row>(prepare: Prepare, text: string, ...values: number[]): Row[] {
  return prepare(text).all(values) as Row[]
}

/** The position of the last commit; null or nothing before the first. */
export const LAST = 'select position from changes order by position desc limit 1'

/** The end of the record of changes. */
export function presentCursor(prepare: Prepare): Cursor {
  const [last] = select<{ position: number }>(prepare, LAST)
  return String(last?.position ?? 0)
}

const DROPPED = 'select before from changes_dropped'

/**
 * One statement, since another process may write between two. The limit is a literal: SQLite prepares a statement anew for each value of a parameter
 * there, which takes ten times as long as running it.
 */
const UNSEEN = `select last, before, kind, record from (select (${LAST}) as last, (${DROPPED}) as before)
  left join (select kind, record from changes where position > ? limit ${MOST_CHANGES + 1}) on true`

/** The changes committed after a cursor, each record once; 'too old' when they are no longer known or too many. */
export function findChanges(prepare: Prepare, since: Cursor): Awaited<ReturnType<Database['readChanges']>> {
  const rows = select<Nullable<Change & { last: number; before: number }>>(prepare, UNSEEN, Number(since))
  const [last, before] = [rows[0]?.last ?? 0, rows[0]?.before ?? 0]
  if (Number(since) > last || Number(since) < before || rows.length > MOST_CHANGES) return 'too old'
  const changes = rows.flatMap(({ kind, record }) => (kind === null || record === null ? [] : [{ kind, record }]))
  return { changes, cursor: String(last) }
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null }

/** The condition that a row of `changes` was committed after one cursor and not after another. */
export function committedBetween(from: Cursor, to: Cursor): RawBuilder<SqlBool> {
  return sql<SqlBool>`(changes.position > ${Number(from)} and changes.position <= ${Number(to)})`
}

/** Whether the changes since a cursor have been dropped, or the cursor lies in the future. */
export async function isForgotten(db: Db, cursor: Cursor): Promise<boolean> {
  const { rows } = await sql<{ last: number; before: number }>`
    select coalesce((${sql.raw(LAST)}), 0) as last, (${sql.raw(DROPPED)}) as before`.execute(db)
  const [row] = rows
  // Cursors of SQLite are numbers; any other text comes from another database.
  return !row || !(Number(cursor) <= row.last && Number(cursor) >= row.before)
}

/** A position as a value that rows of `changes` are compared with. */
export function positionValue(position: string): RawBuilder<number | string> {
  return sql`${Number(position)}`
}

/** Drops at most `most` tombstones from before a time, but never the latest change. Returns how many. */
export async function dropTombstones(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    delete from changes where (kind, record) in (
      select kind, record from changes
      where deleted = 1 and changed_utc < ${beforeUtc} and position < (select max(position) from changes) limit ${most})
    returning position
  `.execute(tx)
  const last = rows.reduce((latest, { position }) => Math.max(latest, position), 0)
  if (rows.length > 0) await sql`update changes_dropped set before = ${last} where before < ${last}`.execute(tx)
  return rows.length
}
