import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'

/**
 * A list for `in` and `not in` that is one value of a query: the query has the same text for every length, and a list may have more entries than a
 * statement may have values. An empty list matches nothing.
 */
export function wholeList<Entry extends string | number>(db: Db, entries: readonly Entry[]): RawBuilder<Entry> {
  const isPlain = entries.every((entry) => typeof entry === 'number')
  return listOf(db, isPlain, isPostgres(db) ? entries : JSON.stringify(entries))
}

/** The same for a value of `statement`: a list on PostgreSQL, its JSON on SQLite. */
export function listOf<Entry>(db: Db, isOfNumbers: boolean, value: unknown): RawBuilder<Entry> {
  if (!isPostgres(db)) return sql<Entry>`(select value from json_each(${value}))`
  const type = sql.raw(isOfNumbers ? 'bigint[]' : 'text[]')
  return sql<Entry>`(select unnest(${value}::${type}))`
}
