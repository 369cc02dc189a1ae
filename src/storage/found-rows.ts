import { type Expression, type RawBuilder, sql } from 'kysely'
import type { ReadQuery } from './aside.ts'
import type { Db } from './database.ts'
import type { RecordTable } from './schema.ts'

/**
 * The rows of a table with the ids that a query in brackets finds, in this order. Finding, narrowing and ordering read indexes only, and rows are
 * read for the page alone. They come without the search text, which no answer shows and which is as long as all other texts together.
 */
export function foundRows<Row>(
  db: Db,
  table: RecordTable,
  found: Expression<unknown>,
  order: RawBuilder<unknown>,
): ReadQuery<Row> {
  const rows = sql.table(table)
  const query = sql<Row>`
    with found as materialized ${found}
    select found.*, ${rows}.*, '' as search from found join ${rows} on ${rows}.id = found.id order by ${order}`
  return { compile: () => query.compile(db) }
}
