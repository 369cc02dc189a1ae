import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { columnTypes, type Migration } from '../migration.ts'

/** A text on what an image shows at one event, and the program that an application password was made for. */
export const whatImagesShow: Migration = { name: '0044-what-images-show', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await sql.raw(`alter table events add column image_alt ${text} not null default ''`).execute(db)
  await sql.raw(`alter table credentials add column app_id ${text} not null default ''`).execute(db)
}
