import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Whether the publication date of a record was sent: a draft keeps such a date when it is published. */
export const sentDates: Migration = { name: '0007-sent-dates', up }

async function up(db: Db): Promise<void> {
  for (const table of ['events', 'venues', 'organizers'])
    await sql.raw(`alter table ${table} add column dated integer not null default 0`).execute(db)
}
