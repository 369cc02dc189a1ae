import { sql } from 'kysely'
import { MOST_CHANGES } from '../changes.ts'
import type { Change, Cursor, Database, Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import { statement } from '../statement.ts'

// Sequences count in the order of asking, not of committing, so a version does not tell which commits a reader has seen. Each change carries
// the id of its transaction instead, and a cursor is a snapshot: what it sees is known, and what the present one sees beyond it is what
// was committed in between.
//
// A cursor is written as the end of the transactions it sees, and those before it that were still running, as in `14-11-12`. The end is
// that of the last change rather than of the present, so that the cursor stays the same, on every node, for as long as nothing changes.

/** Adds the columns of a change that PostgreSQL needs and SQLite does not; part of the first migration. */
export async function stampChanges(db: Db): Promise<void> {
  if (!isPostgres(db)) return
  await sql`alter table changes add column xact xid8 not null default pg_current_xact_id()`.execute(db)
  await sql`create index changes_xact on changes (xact)`.execute(db)
  // One row: changes of transactions before this one may be gone.
  await sql`create table changes_dropped (before xid8 not null)`.execute(db)
  await sql`insert into changes_dropped values ('0')`.execute(db)
}

/**
 * Forgets changes that a transaction of this server cannot have made, since the database was brought here from another one: their ids
 * would look new for a long time.
 */
export async function forgetForeignChanges(tx: Db): Promise<void> {
  if (!isPostgres(tx)) return
  await sql`delete from changes where xact > pg_current_xact_id()`.execute(tx)
  await sql`update changes_dropped set before = '0' where before > pg_current_xact_id()`.execute(tx)
}

// `changes.xact` orders by number; `xact` alone would be the text beside it.
/** The parts of a cursor: the present snapshot and the last change it sees. */
export const CURSOR_COLUMNS =
  'pg_current_snapshot()::text as present, (select xact::text from changes order by changes.xact desc limit 1) as last'

export interface CursorColumns {
  present: string
  last: string | null
}

export function cursorOf({ present, last }: CursorColumns): Cursor {
  const [, , running = ''] = present.split(':')
  const end = BigInt(last ?? 0) + 1n
  return [end, ...running.split(',').filter((id) => id !== '' && BigInt(id) < end)].join('-')
}

/** A cursor as PostgreSQL writes snapshots: the first that may be running, the end, and those running in between. */
function asSnapshot(cursor: Cursor): string {
  const [end = '', ...running] = cursor.split('-')
  return `${running[0] ?? end}:${end}:${running}`
}

const selectCursor = statement<Record<never, never>>()(() => sql<CursorColumns>`select ${sql.raw(CURSOR_COLUMNS)}`)

export async function presentCursor(db: Db): Promise<Cursor> {
  const [row] = await selectCursor(db, {})
  if (!row) throw new Error('no snapshot')
  return cursorOf(row)
}

type Unseen = CursorColumns & { lost: boolean } & { [Name in keyof Change]: Change[Name] | null }

const selectUnseen = statement<{ snapshot: string }>()((_db, value) => {
  const seen = sql`${value('snapshot')}::pg_snapshot`
  return sql<Unseen>`
    select present.*, kind, record, pg_snapshot_xmin(${seen}) < (select before from changes_dropped)
      or pg_snapshot_xmax(${seen}) > pg_snapshot_xmax(present.present::pg_snapshot) as lost
    from (select ${sql.raw(CURSOR_COLUMNS)}) as present
    left join (
      select distinct kind, record from changes
      where xact >= pg_snapshot_xmin(${seen}) and not pg_visible_in_snapshot(xact, ${seen}) limit ${MOST_CHANGES + 1}
    ) as unseen on true
  `
})

/** The changes committed after a cursor, each record once; 'too old' when they are no longer known or too many. */
export async function findChanges(db: Db, since: Cursor): ReturnType<Database['readChanges']> {
  const rows = await selectUnseen(db, { snapshot: asSnapshot(since) })
  const [row] = rows
  if (!row || row.lost || rows.length > MOST_CHANGES) return 'too old'
  const changes = rows.flatMap(({ kind, record }) => (kind === null || record === null ? [] : [{ kind, record }]))
  return { changes, cursor: cursorOf(row) }
}

/** Drops changes that every transaction running at the cursor's time came after, but for the newest `rows`. */
export async function dropChanges(tx: Db, before: Cursor, rows: number): Promise<void> {
  const { rows: found } = await sql<{ edge: string }>`
    select least(xact, pg_snapshot_xmin(${asSnapshot(before)}::pg_snapshot))::text as edge
    from changes order by xact desc offset ${rows} limit 1
  `.execute(tx)
  const [last] = found
  if (!last) return
  await sql`delete from changes where xact < ${last.edge}::xid8`.execute(tx)
  await sql`update changes_dropped set before = ${last.edge}::xid8 where before < ${last.edge}::xid8`.execute(tx)
}
