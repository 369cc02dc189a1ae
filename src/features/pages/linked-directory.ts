import { type Expression, type SqlBool, sql } from 'kysely'
import { fold, LAST_CHARACTER } from '../../base/text/characters.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { contains } from '../../store/storage/sql-parts.ts'

export interface DirectoryEntry {
  id: number
  slug: string
  status: 'publish'
  name: string
  city: string
  /** First letter of the folded name, by which the entry is sorted. */
  letter: string
}

/** Names that begin with `letter` and contain all `words`; empty texts do not narrow. */
export interface DirectoryQuery {
  letter: string
  words: string
}

const NAMES = {
  venue: { table: sql.table('venues'), name: sql.ref('named.venue'), city: sql.ref('named.city') },
  organizer: { table: sql.table('organizers'), name: sql.ref('named.organizer'), city: sql`''` },
} as const

const MOST_WORDS = 8
/** `is true` keeps SQLite from using the index on status instead of the one on names. */
const isPublic = sql<SqlBool>`(listed.status = 'publish') is true`

/** Lists entries by name; conditions are tested within the index, before rows are read. */
export async function listDirectory(
  db: Db,
  kind: LinkedKind,
  { letter, words }: DirectoryQuery,
  { offset, most }: { offset: number; most: number },
): Promise<DirectoryEntry[]> {
  const { table, name, city } = NAMES[kind]
  const conditions: Expression<SqlBool>[] = [isPublic]
  const begins = fold(letter)
  if (begins !== '')
    conditions.push(sql<SqlBool>`listed.folded >= ${begins} and listed.folded < ${begins + LAST_CHARACTER}`)
  for (const word of fold(words).split(/\s+/, MOST_WORDS))
    if (word !== '') conditions.push(contains('listed.folded', word))
  const { rows } = await sql<DirectoryEntry>`
    select named.id, named.slug, named.status, ${name} as name, ${city} as city, substr(named.folded, 1,
      1) as letter
    from (select listed.id, listed.folded from ${table} as listed where ${sql.join(conditions, sql` and `)}
      order by listed.folded, listed.id limit ${sql.lit(most)} offset ${sql.lit(offset)}) as chosen
    join ${table} as named on named.id = chosen.id
    order by chosen.folded, chosen.id
  `.execute(db)
  return rows
}

const MOST_LETTERS = 60

/** First letters of names, found by one index lookup per letter. */
export async function listLetters(db: Db, kind: LinkedKind): Promise<string[]> {
  const { table } = NAMES[kind]
  const { rows } = await sql<{ letter: string }>`
    with recursive letters (letter) as (
      select (select substr(listed.folded, 1, 1) from ${table} as listed
        where ${isPublic} and listed.folded >= ' ' order by listed.folded limit 1)
      union all
      select (select substr(listed.folded, 1, 1) from ${table} as listed
        where ${isPublic} and listed.folded >= letters.letter || ${LAST_CHARACTER} order by listed.folded
          limit 1)
      from letters where letters.letter is not null
    )
    select letter from letters where letter is not null limit ${sql.lit(MOST_LETTERS)}
  `.execute(db)
  return rows.map(({ letter }) => letter)
}
