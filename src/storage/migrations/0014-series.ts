import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Series of events that repeat; their occurrences are events that name them. */
export const series: Migration = { name: '0014-series', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`create table series (id ${id} primary key references records (id), author ${id} not null,
    status ${text} not null, title ${text} not null, slug ${text} not null, uid ${text} not null,
    timezone ${text} not null, all_day integer not null, start_date ${text} not null, duration ${id} not null,
    rules ${text} not null, written_until ${text} not null, shared ${text} not null, version integer not null,
    created_utc ${text} not null, modified_utc ${text} not null)`)
  await run('create index series_author on series (author)')
  await run('create index series_written on series (written_until)')
  await run(`alter table events add column series ${id}`)
  await run(`alter table events add column recurrence_id ${text} not null default ''`)
  await run(`alter table events add column own ${text} not null default ''`)
  await run('create index events_series on events (series, recurrence_id) where series is not null')
}
