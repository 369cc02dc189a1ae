import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * One row for each changed record in place of the log of changes. Records that are in the log get a row; of the others nobody has to hear
 * anything, so they get theirs with their next change.
 */
export const recordOfChanges: Migration = { name: '0009-record-of-changes', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  const run = (statement: string) => sql.raw(statement).execute(db)
  const [position, type, end] = isPostgres(db)
    ? ['xact', 'xid8 not null default pg_current_xact_id()', '']
    : ['version', 'integer not null default 1', 'without rowid']

  await run(`create table changes_now (kind ${text} not null, record ${id} not null, position ${type}, revision integer not null,
    was_public smallint not null, is_public smallint not null, deleted smallint not null, changed_utc ${text} not null,
    "user" ${id} not null, primary key (kind, record)) ${end}`)
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  // Of several changes of a record the last one, by its version. A record that was once shown to the public counts as such.
  await run(`insert into changes_now (kind, record, position, revision, was_public, is_public, deleted, changed_utc, "user")
    select kind, record, position, revision,
      case when status is null then case when kind = 'user' then 0 else 1 end
        when status in ('publish', 'private', 'trash') then 1 else 0 end,
      case when status = 'publish' then 1 else 0 end,
      case when status is null then 1 else 0 end, '${now}', 0
    from (select changes.kind, changes.record, changes.${position} as position, revision, case changes.kind
        when 'event' then (select status from events where events.id = changes.record)
        when 'venue' then (select status from venues where venues.id = changes.record)
        when 'organizer' then (select status from organizers where organizers.id = changes.record)
        when 'image' then (select 'publish' from images where images.id = changes.record)
        when 'term' then (select 'publish' from terms where terms.id = changes.record)
        when 'user' then (select 'hidden' from users where users.id = changes.record) end as status
      from changes join (select max(version) as version, count(*) as revision from changes group by kind, record) as latest
        on latest.version = changes.version) as found`)
  if (!isPostgres(db)) {
    // Readers that have not come so far start afresh.
    await run('create table changes_dropped (before integer not null)')
    await run('insert into changes_dropped select coalesce(min(version) - 1, 0) from changes')
  }
  await run('drop table changes')
  await run('alter table changes_now rename to changes')
  await run('create index changes_position on changes (position)')
  await run('create index changes_deleted on changes (changed_utc) where deleted = 1')
}
