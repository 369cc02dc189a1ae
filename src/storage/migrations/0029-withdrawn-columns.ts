import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Withdrawn events keep every column that a filter may ask for. */
export const withdrawnColumns: Migration = { name: '0029-withdrawn-columns', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await sql.raw(`alter table withdrawn_events add column kept ${text} not null default '{}'`).execute(db)
}
