import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** SQLite keeps old slugs in the order of their keys, and no longer once more beside an index of them: a page less for each deletion. */
export const oldSlugsInOrder: Migration = { name: '0025-old-slugs-in-order', up }

async function up(db: Db): Promise<void> {
  if (isPostgres(db)) return
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`create table ordered_slugs (kind text not null, slug text not null, record integer not null, left_utc text not null,
    primary key (kind, slug)) without rowid`)
  await run('insert into ordered_slugs select kind, slug, record, left_utc from old_slugs order by kind, slug')
  await run('drop table old_slugs')
  await run('alter table ordered_slugs rename to old_slugs')
  await run('create index old_slugs_record on old_slugs (kind, record)')
}
