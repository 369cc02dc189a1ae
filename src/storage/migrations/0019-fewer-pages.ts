import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * Fewer pages for a commit to write. SQLite keeps links in the order of their keys, and no longer once beside an index of them; drafts, which may
 * share a slug, have an index of their own in place of one that every record stands in a second time.
 */
export const fewerPages: Migration = { name: '0019-fewer-pages', up }

async function up(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  for (const table of ['events', 'venues', 'organizers']) {
    await run(`create index ${table}_draft_slug on ${table} (slug) where status in ('draft', 'pending')`)
    await run(`drop index ${table}_any_slug`)
  }
  if (isPostgres(db)) return
  for (const [kind, more] of [
    ['venue', ', position integer not null'],
    ['organizer', ', position integer not null'],
    ['term', ''],
  ]) {
    const links = `event_${kind}s`
    await run(`create table ordered_links (event integer not null references events (id) on delete cascade,
      ${kind} integer not null references ${kind}s (id) on delete cascade${more}, primary key (event, ${kind})) without rowid`)
    await run(`insert into ordered_links select * from ${links} order by event, ${kind}`)
    await run(`drop table ${links}`)
    await run(`alter table ordered_links rename to ${links}`)
    await run(`create index ${links}_${kind} on ${links} (${kind}, event)`)
  }
}
