import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { columnTypes, type Migration } from '../migration.ts'

/** Whether an image only decorates an event. */
export const decorativeImages: Migration = { name: '0047-decorative-images', up }

async function up(db: Db): Promise<void> {
  await sql.raw(`alter table events add column image_decorative ${columnTypes(db).id} not null default 0`).execute(db)
}
