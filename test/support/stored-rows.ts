import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/store/storage/database.ts'

/** Tables that reads may change: times of last use, and kept answers. */
const NOTED = new Set(['sessions', 'credentials', 'kept_answers'])

/**
 * Tables of words are derived from the rows of events, some of them with a delay. SQLite keeps integers in
 * them that JavaScript cannot hold.
 */
const OF_WORDS = /^(?:words|event_words|stems|unstemmed|unindexed|named_stems|name_stems)(?:_|$)/

/** Returns a hash of the rows of each other table, by its name. */
export async function storedRows(db: Db): Promise<Map<string, string>> {
  const tables = await db.introspection.getTables()
  const hashes = new Map<string, string>()
  for (const { name } of tables) {
    if (NOTED.has(name) || OF_WORDS.test(name)) continue
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    const texts = rows.map((row) => JSON.stringify(row)).sort()
    hashes.set(name, hash('sha256', texts.join('\n')))
  }
  return hashes
}
