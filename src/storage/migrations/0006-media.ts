import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** The texts of images, and what finds the records that show one. */
export const media: Migration = { name: '0006-media', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  const run = (statement: string) => sql.raw(statement).execute(db)
  for (const column of ['slug', 'alt_text', 'caption', 'description', 'modified_utc', 'search'])
    await run(`alter table images add column ${column} ${text} not null default ''`)
  // Titles are file names so far: ASCII letters, digits, dashes and low lines.
  await run(`update images set modified_utc = date_utc, search = lower(title), slug = lower(title)`)
  await run('create index images_slug on images (slug)')
  await run(`update images set slug = slug || '-' || id
    where exists (select 1 from images as older where older.slug = images.slug and older.id < images.id)`)
  for (const table of ['events', 'venues', 'organizers'])
    await run(`create index ${table}_image on ${table} (image) where image is not null`)
}
