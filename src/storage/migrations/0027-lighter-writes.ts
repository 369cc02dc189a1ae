import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * Fewer pages for a commit to write. Withdrawn events, which are read as a whole, have no index; an event in the trash stays presented, since nobody
 * is shown it until its next change. SQLite numbers the acts of the history itself, and finds the old slugs of a record without reading all of them.
 */
export const lighterWrites: Migration = { name: '0027-lighter-writes', up }

async function up(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run('drop index withdrawn_events_order')
  await run('drop index withdrawn_events_time')
  const trigger = 'trigger events_update_unpresents'
  await run(isPostgres(db) ? `drop ${trigger} on events` : `drop ${trigger}`)
  const isShownAgain = `new.status <> 'trash'`
  await run(
    isPostgres(db)
      ? `create ${trigger} after update on events for each row when (${isShownAgain}) execute function forget_presented_record()`
      : `create ${trigger} after update on events when ${isShownAgain} begin delete from presented_records where record = old.id; end`,
  )
  if (!isPostgres(db)) await rebuild(run)
}

async function rebuild(run: (statement: string) => Promise<unknown>): Promise<void> {
  await run(`create table plain_history (id integer primary key, time_utc text not null, "user" integer not null, login text not null,
    action text not null, kind text not null, record integer not null, name text not null,
    address text not null, client text not null, request text not null)`)
  await run('insert into plain_history select * from history order by id')
  await run('drop table history')
  await run('alter table plain_history rename to history')

  // With the kind first, SQLite would look for a record through all slugs of its kind.
  await run(`create table ordered_slugs (kind text not null, slug text not null, record integer not null, left_utc text not null,
    primary key (slug, kind)) without rowid`)
  await run('insert into ordered_slugs select kind, slug, record, left_utc from old_slugs order by slug, kind')
  await run('drop table old_slugs')
  await run('alter table ordered_slugs rename to old_slugs')
  await run('create index old_slugs_record on old_slugs (record, kind)')
}
