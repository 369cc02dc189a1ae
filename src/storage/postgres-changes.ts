import { sql } from 'kysely'
import { MOST_CHANGES } from './changes.ts'
import type { Change, Cursor, Database, Db } from './database.ts'
import { isPostgres } from './dialect.ts'

// Sequences count in the order of asking, not of committing, so a version says nothing about what a reader has seen. Each change carries
// the id of its transaction instead, and a cursor is a snapshot, as in `10:14:11,12`: what it sees is known, and what the present one
// sees beyond it is what was committed in between.

/** Makes room for what PostgreSQL needs to know of a change, and SQLite does not; part of the first migration. */
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

export async function presentCursor(db: Db): Promise<Cursor> {
  const { rows } = await sql<{ cursor: Cursor }>`select pg_current_snapshot()::text as cursor`.execute(db)
  const [row] = rows
  if (!row) throw new Error('no snapshot')
  return row.cursor
}

const unseen = (since: Cursor) =>
  sql`xact >= pg_snapshot_xmin(${since}::pg_snapshot) and not pg_visible_in_snapshot(xact, ${since}::pg_snapshot)`

/** What was committed after a cursor; each record once; 'too old' when that is no longer known or too much. */
export async function findChanges(db: Db, since: Cursor): ReturnType<Database['readChanges']> {
  const { rows } = await sql<{ cursor: Cursor; lost: boolean } & { [Name in keyof Change]: Change[Name] | null }>`
    select present::text as cursor, kind, record,
      pg_snapshot_xmin(${since}::pg_snapshot) < (select before from changes_dropped)
        or pg_snapshot_xmax(${since}::pg_snapshot) > pg_snapshot_xmax(present) as lost
    from pg_current_snapshot() as present
    left join (select distinct kind, record from changes where ${unseen(since)} limit ${MOST_CHANGES + 1}) as unseen on true
  `.execute(db)
  const [row] = rows
  if (!row || row.lost || rows.length > MOST_CHANGES) return 'too old'
  const changes = rows.flatMap(({ kind, record }) => (kind === null || record === null ? [] : [{ kind, record }]))
  return { changes, cursor: row.cursor }
}

/** Drops changes that every transaction running at the cursor's time came after, but for the newest `rows`. */
export async function dropChanges(tx: Db, before: Cursor, rows: number): Promise<void> {
  const { rows: found } = await sql<{ edge: string }>`
    select least(xact, pg_snapshot_xmin(${before}::pg_snapshot))::text as edge
    from changes order by xact desc offset ${rows} limit 1
  `.execute(tx)
  const [last] = found
  if (!last) return
  await sql`delete from changes where xact < ${last.edge}::xid8`.execute(tx)
  await sql`update changes_dropped set before = ${last.edge}::xid8 where before < ${last.edge}::xid8`.execute(tx)
}
