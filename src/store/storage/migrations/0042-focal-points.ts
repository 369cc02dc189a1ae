import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** The point of an image that must stay in view where it is cropped. */
export const focalPoints: Migration = { name: '0042-focal-points', up }

async function up(db: Db): Promise<void> {
  for (const column of ['focal_x', 'focal_y'])
    await sql`alter table images add column ${sql.ref(column)} double precision`.execute(db)
}
