import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Who imports a source at the moment. */
export const heldSources: Migration = { name: '0023-held-sources', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  for (const column of ['holder', 'held_until_utc'])
    await sql.raw(`alter table import_sources add column ${column} ${text} not null default ''`).execute(db)
}
