import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** A name for the calendar, by which a backup finds it again, and whether it is held because it was restored elsewhere. */
export const calendars: Migration = { name: '0031-calendars', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await sql.raw(`alter table editions add column calendar ${text} not null default ''`).execute(db)
  await sql.raw(`alter table editions add column held integer not null default 0`).execute(db)
  await sql`update editions set calendar = edition`.execute(db)
}
