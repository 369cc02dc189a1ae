import { type RawBuilder, type ReferenceExpression, sql } from 'kysely'
import { type Db, isPostgres } from './database.ts'
import type { Tables } from './schema.ts'

type Column = ReferenceExpression<Tables, keyof Tables> & string

/**
 * Aggregates pairs of ids into one text, such as `12,7 12,9 13,7`; null without rows. Returning millions of
 * rows would take longer than finding them, and cause much garbage collection.
 */
export function packPairs(
  db: Db,
  first: Column,
  second: Column,
  order: readonly Column[],
): RawBuilder<string | null> {
  const aggregate = sql.raw(isPostgres(db) ? 'string_agg' : 'group_concat')
  const pair = sql`${sql.ref(first)} || ',' || ${sql.ref(second)}`
  return sql`${aggregate}(${pair}, ' ' order by ${sql.join(order.map((column) => sql.ref(column)))})`
}

const COMMA = ','.charCodeAt(0)
const BLANK = ' '.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

export function eachPair(packed: string, visit: (first: number, second: number) => void): void {
  let first = 0
  let number = 0
  for (let i = 0; i < packed.length; i++) {
    const code = packed.charCodeAt(i)
    if (code === COMMA) {
      first = number
      number = 0
    } else if (code === BLANK) {
      visit(first, number)
      number = 0
    } else number = number * 10 + code - ZERO
  }
  if (packed !== '') visit(first, number)
}
