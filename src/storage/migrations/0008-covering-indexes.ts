import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * Indexes of SQLite that lists can be counted, narrowed and put in order by alone. Rows have their long texts in chains of pages, and to reach a
 * column behind them it reads every one. PostgreSQL keeps long texts apart from rows.
 */
export const coveringIndexes: Migration = { name: '0008-covering-indexes', up }

async function up(db: Db): Promise<void> {
  if (isPostgres(db)) return
  const run = (statement: string) => sql.raw(statement).execute(db)
  for (const table of ['events', 'venues', 'organizers']) await run(`drop index ${table}_listed`)
  await run(`create index events_listed on events
    (status, hide_from_listings, start_date, date, id, author, end_date, utc_start_date, featured)`)
  await run('create index venues_listed on venues (status, date desc, id desc, author, geo_lat, geo_lng)')
  await run('create index organizers_listed on organizers (status, date desc, id desc, author)')
  await run(`create index venues_located on venues (status, id, geo_lat, geo_lng) where geo_lat is not null`)
}
