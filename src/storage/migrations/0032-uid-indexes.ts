import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Events and series are found by their UIDs, which an import looks for. */
export const uidIndexes: Migration = { name: '0032-uid-indexes', up }

async function up(db: Db): Promise<void> {
  for (const table of ['events', 'series']) await sql.raw(`create index ${table}_uid on ${table} (uid)`).execute(db)
}
