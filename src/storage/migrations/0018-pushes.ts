import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Services that the calendar was pushed to, and what they have of each record. */
export const pushes: Migration = { name: '0018-pushes', up }

async function up(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  const tables = [
    `create table push_targets (id ${sequence}, address ${text} not null unique)`,
    `create table push_items (target ${id} not null, kind ${text} not null, record ${id} not null, remote ${id} not null,
      sent ${text} not null, seen ${text} not null, primary key (target, kind, record))`,
  ]
  for (const statement of tables) await sql.raw(statement).execute(db)
}
