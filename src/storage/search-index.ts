import { sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'

const SEARCHED = ['events', 'venues', 'organizers'] as const

/**
 * Sees to the trigram indexes that make "contains" fast on PostgreSQL; at every start, since the extension they need may have come.
 * Returns a sentence for whoever runs the database when they cannot be had.
 */
export async function prepareSearch(tx: Db): Promise<string | undefined> {
  if (!isPostgres(tx)) return undefined
  if (!(await hasTrigrams(tx)))
    return 'Searches read whole tables, since the extension pg_trgm is missing; CREATE EXTENSION pg_trgm by an administrator of the database and a restart make them fast.'
  for (const table of SEARCHED) {
    const index = sql.id(`${table}_search`)
    await sql`create index if not exists ${index} on ${sql.table(table)} using gin (search gin_trgm_ops)`.execute(tx)
  }
  return undefined
}

/** True when the extension is there, or could be added by this user. */
async function hasTrigrams(tx: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'pg_trgm'`.execute(tx)
  if (rows.length > 0) return true
  await sql`savepoint extension`.execute(tx)
  try {
    await sql`create extension pg_trgm`.execute(tx)
    return true
  } catch {
    await sql`rollback to savepoint extension`.execute(tx)
    return false
  }
}
