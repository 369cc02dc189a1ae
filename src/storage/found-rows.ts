import { type Expression, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ReadQuery } from './aside.ts'
import type { Db } from './database.ts'
import type { RecordTable, Tables } from './schema.ts'

/** A row without its search text, and what was found beside its id. */
type FoundRow<Table extends RecordTable, Found> = Found & Omit<Selectable<Tables[Table]>, 'search'> & { search: '' }

/**
 * The rows of a table with the ids that a query in brackets finds, in this order. Finding, narrowing and ordering read indexes only, and rows are
 * read for the page alone. They come without the search text, which no answer shows and which is as long as all other texts together.
 */
export function foundRows<Table extends RecordTable, Found extends { id: number }>(
  db: Db,
  table: Table,
  found: Expression<Found>,
  order: RawBuilder<unknown>,
): ReadQuery<FoundRow<Table, Found>> {
  const rows = sql.table(table)
  const query = sql<FoundRow<Table, Found>>`
    with found as materialized ${found}
    select found.*, ${rows}.*, '' as search from found join ${rows} on ${rows}.id = found.id order by ${order}`
  return { compile: () => query.compile(db) }
}
