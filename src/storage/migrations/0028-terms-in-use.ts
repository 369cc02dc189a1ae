import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Pages find the terms with the most published events without reading those that have none. */
export const termsInUse: Migration = { name: '0028-terms-in-use', up }

async function up(db: Db): Promise<void> {
  await sql`create index terms_in_use on terms (taxonomy, count desc, id) where count > 0`.execute(db)
}
