import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Events that were public and are not any more, as they were seen last. Of those withdrawn before, it is not known how they looked. */
export const withdrawnEvents: Migration = { name: '0013-withdrawn-events', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  await sql
    .raw(`create table withdrawn_events (event ${id} primary key, uid ${text} not null, title ${text} not null,
      start_date ${text} not null, end_date ${text} not null, utc_start_date ${text} not null, utc_end_date ${text} not null,
      timezone ${text} not null, all_day smallint not null, featured smallint not null, event_status ${text} not null,
      venues ${text} not null, organizers ${text} not null, terms ${text} not null, withdrawn_utc ${text} not null)`)
    .execute(db)
  await sql.raw('create index withdrawn_events_order on withdrawn_events (start_date, event)').execute(db)
  await sql.raw('create index withdrawn_events_time on withdrawn_events (withdrawn_utc)').execute(db)
}
