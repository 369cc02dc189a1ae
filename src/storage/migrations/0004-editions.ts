import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Which history of the calendar the places in the log of changes belong to. */
export const editions: Migration = { name: '0004-editions', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  await sql.raw(`create table editions (edition ${text} primary key)`).execute(db)
  await sql`insert into editions (edition) values (${randomBytes(6).toString('base64url')})`.execute(db)
}
