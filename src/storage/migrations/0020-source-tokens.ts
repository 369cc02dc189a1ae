import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Where sources of imports that tell what has changed are asked to go on. */
export const sourceTokens: Migration = { name: '0020-source-tokens', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  for (const column of ['token', 'options'])
    await sql.raw(`alter table import_sources add column ${column} ${text} not null default ''`).execute(db)
}
