import { sql } from 'kysely'
import { type Db, isPostgres } from '../database.ts'
import type { Migration } from '../migration.ts'

/** The events that are still on though they began before today, and where records were imported from, found without reading all others. */
export const eventsAtTheDesk: Migration = { name: '0041-events-at-the-desk', up }

async function up(db: Db): Promise<void> {
  // Lists of SQLite are narrowed by indexes alone (0034-one-schema).
  const more = isPostgres(db) ? sql`` : sql`, start_date, author, id`
  await sql`create index events_lasting on events (status, hide_from_listings, end_date${more})
    where substr(end_date, 1, 10) > substr(start_date, 1, 10)`.execute(db)
  await sql`create index import_items_of on import_items (kind, record, source)`.execute(db)
}
