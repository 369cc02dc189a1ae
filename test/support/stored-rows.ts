import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/store/storage/database.ts'

const NOTED = new Set(['sessions', 'credentials', 'kept_answers'])

const OF_WORDS = /^(?:words|event_words|stems|unstemmed|unindexed|named_stems|name_stems)(?:_|$)/

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
