import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Addresses that the public knew and that nobody has now. Of records in the trash that were public it is known which they were. */
export const oldSlugs: Migration = { name: '0015-old-slugs', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  await sql
    .raw(`create table old_slugs (kind ${text} not null, slug ${text} not null, record ${id} not null, left_utc ${text} not null,
      primary key (kind, slug))`)
    .execute(db)
  await sql.raw('create index old_slugs_record on old_slugs (kind, record)').execute(db)
  for (const [kind, table] of [
    ['event', 'events'],
    ['venue', 'venues'],
    ['organizer', 'organizers'],
  ])
    await sql
      .raw(`insert into old_slugs (kind, slug, record, left_utc)
        select changes.kind, replace(slug, '__trashed', ''), id, changed_utc from ${table}
        join changes on changes.kind = '${kind}' and changes.record = ${table}.id
        where status = 'trash' and was_public = 1 and slug like '%\\_\\_trashed' escape '\\'`)
      .execute(db)
}
