import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/store/storage/database.ts'

/** When a session or a password was last used is noted, and what was presented or done is kept: none of that is anybody's record. */
const NOTED = new Set(['sessions', 'credentials', 'presented_records', 'kept_answers'])

/** Indexes of words follow from the rows of events, some of them soon after; SQLite keeps numbers in them that JavaScript has none for. */
const OF_WORDS = /^(?:words_trigrams|event_words|stems|unstemmed|named_stems|name_stems)(?:_|$)/

/** What stands in each table that somebody writes, as a hash by its name. */
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
