import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Which revision of an event a calendar file has told last. */
export const itemSequences: Migration = { name: '0024-item-sequences', up }

async function up(db: Db): Promise<void> {
  const { id } = columnTypes(db)
  await sql.raw(`alter table import_items add column sequence ${id} not null default 0`).execute(db)
}
