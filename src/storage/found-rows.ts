import { type Expression, type RawBuilder, sql } from 'kysely'
import type { ReadQuery } from './aside.ts'
import type { Db } from './database.ts'
import type { RecordTable } from './schema.ts'

/**
 * The rows of a table that were found by their ids, in this order; what finds them stands in brackets, as a query of the query builder does. Finding, narrowing and putting in order is done with what indexes hold, and only
 * the rows of the page are read. They come without the text that searches look in, which nobody shows and which is as long as all others together.
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
