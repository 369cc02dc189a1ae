import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Runs of imports, what they made of each item of a source, and what undoes them. */
export const imports: Migration = { name: '0016-imports', up }

async function up(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  const tables = [
    `create table import_sources (id ${sequence}, address ${text} not null unique)`,
    `create table imports (id ${sequence}, source ${id} not null, started_utc ${text} not null, ended_utc ${text} not null,
      state ${text} not null, "user" ${id} not null, options ${text} not null, counts ${text} not null, position ${text} not null)`,
    `create table import_items (source ${id} not null, kind ${text} not null, identity ${text} not null,
      occurrence ${text} not null, record ${id} not null, digest ${text} not null, written ${text} not null,
      kept ${text} not null, primary key (source, kind, identity, occurrence))`,
    `create table import_acts (run ${id} not null, kind ${text} not null, record ${id} not null, action ${text} not null,
      identity ${text} not null, occurrence ${text} not null, before ${text} not null, primary key (run, kind, record))`,
  ]
  for (const statement of tables) await sql.raw(statement).execute(db)
}
