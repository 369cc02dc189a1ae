import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** The history of what people did. It is searched seldom and written with every change, so it has no index of its own. */
export const history: Migration = { name: '0010-history', up }

async function up(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  await sql
    .raw(
      `create table history (id ${sequence}, time_utc ${text} not null, "user" ${id} not null, login ${text} not null,
        action ${text} not null, kind ${text} not null, record ${id} not null, name ${text} not null,
        address ${text} not null, client ${text} not null, request ${text} not null)`,
    )
    .execute(db)
}
