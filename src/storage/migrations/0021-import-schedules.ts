import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Imports that are done again and again. */
export const importSchedules: Migration = { name: '0021-import-schedules', up }

async function up(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  const create = `create table import_schedules (id ${sequence}, name ${text} not null unique, words ${text} not null,
    every_seconds ${id} not null, next_utc ${text} not null, leased_utc ${text} not null, paused ${id} not null,
    failures ${id} not null, outcome ${text} not null)`
  await sql.raw(create).execute(db)
}
