import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Where records had, or still have, their pages in the source of an import. The indexes have no rows for sources that nothing was said of. */
export const itemPages: Migration = { name: '0026-item-pages', up }

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`alter table import_sources add column origin ${text} not null default ''`)
  await run(`alter table import_items add column page ${text} not null default ''`)
  await run(`create index import_items_page on import_items (page) where page <> ''`)
  await run(`create index import_items_record on import_items (kind, record) where page <> ''`)
}
