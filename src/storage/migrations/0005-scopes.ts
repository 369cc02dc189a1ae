import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Scopes, expiry and time of last use of credentials. */
export const scopes: Migration = { name: '0005-scopes', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  for (const column of ['scope', 'expires_utc', 'used_utc'])
    await sql.raw(`alter table credentials add column ${column} ${text} not null default ''`).execute(db)
}
