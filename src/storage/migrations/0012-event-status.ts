import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Whether events take place, and why they do not. */
export const eventStatuses: Migration = { name: '0012-event-status', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await sql.raw(`alter table events add column event_status ${text} not null default 'scheduled'`).execute(db)
  await sql.raw(`alter table events add column event_status_reason ${text} not null default ''`).execute(db)
}
