import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Db, isPostgres } from './database.ts'
import { likePattern } from './search/substring-search.ts'

const MOST = 25
/** Sizes of batches below `MOST` rows; these are few, so that prepared statements are reused. */
const SIZES = [16, 8, 4, 2, 1] as const

export function* rowParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; ) {
    const size = sizeFor(rows.length - at)
    yield rows.slice(at, at + size)
    at += size
  }
}

function sizeFor(left: number): number {
  return left >= MOST ? MOST : (SIZES.find((size) => size <= left) ?? 1)
}

export function entriesOf(db: Db, listed: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`json_array_elements(${listed}::json)` : sql`json_each(${listed})`
}

/** The entries of a list as a subquery; `value` is an array on PostgreSQL, JSON on SQLite. */
export function listValue<Entry>(db: Db, isOfNumbers: boolean, value: unknown): RawBuilder<Entry> {
  if (!isPostgres(db)) return sql<Entry>`(select value from json_each(${value}))`
  const type = sql.raw(isOfNumbers ? 'bigint[]' : 'text[]')
  return sql<Entry>`(select unnest(${value}::${type}))`
}

/** SQL condition: the column contains `text`, in which `%` and `_` have no special meaning. */
export function contains(column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  const place = typeof column === 'string' ? sql.ref(column) : column
  return sql<SqlBool>`${place} like ${likePattern(text)} escape '\\'`
}

/** SQL condition: one line of the column, which is a field, contains all words (rule 14.3). */
export function oneLineContains(db: Db, column: string, words: readonly string[]): RawBuilder<SqlBool> {
  const whole = words.map((word) => contains(column, word))
  if (words.length === 1) return sql<SqlBool>`${sql.join(whole, sql` and `)}`
  const sameLine = isPostgres(db)
    ? sql`exists (select 1 from unnest(string_to_array(${sql.ref(column)}, chr(10))) as line where ${sql.join(
        words.map((word) => contains('line', word)),
        sql` and `,
      )})`
    : sql`line_contains_all(${sql.ref(column)}, ${JSON.stringify(words)})`
  return sql<SqlBool>`${sql.join([...whole, sameLine], sql` and `)}`
}

/**
 * Passes the list as one parameter, so that the SQL is the same for every length, and the list may exceed the
 * limit of parameters. An empty list matches nothing.
 */
export function wholeList<Entry extends string | number>(
  db: Db,
  entries: readonly Entry[],
): RawBuilder<Entry> {
  const isPlain = entries.every((entry) => typeof entry === 'number')
  return listValue(db, isPlain, isPostgres(db) ? entries : JSON.stringify(entries))
}
