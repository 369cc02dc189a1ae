import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'
import { likePattern } from './like-pattern.ts'

/** The condition that a folded column contains this folded text, its `%` and `_` meaning themselves. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${likePattern(text)} escape '\\'`
}

/** The condition that one line of a folded column contains all the words (rule 14.3: within one and the same field). */
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
