import { sql } from 'kysely'
import { termsOf } from '../text/search-terms.ts'
import type { Db } from './database.ts'

/**
 * Pages of the index that are put in order for each event: enough to keep up with what is added, and so few that it takes a millisecond or
 * two. SQLite's own way of doing so now and then takes a tenth of a second at once, and is turned off.
 */
const MERGED_PAGES = 1 / 4

/** Brings the index of words (SQLite, migration 0002) up to date with some events; returns how many they were. */
export async function indexEvents(tx: Db, most: number): Promise<number> {
  const { rows } = await sql<{ id: number; search: string }>`
    select id, search from unindexed_events join events using (id) order by id limit ${most}
  `.execute(tx)
  if (rows.length === 0) return 0
  const words = new Set<string>()
  const indexed = rows.map(({ id, search }) => {
    const terms = termsOf(search)
    for (const term of terms) words.add(term)
    return [id, [...terms].join(' ')]
  })
  await sql`insert or ignore into words (word) select value from json_each(${JSON.stringify([...words])})`.execute(tx)
  await sql`
    insert or replace into event_words (rowid, terms)
    select value ->> 0, value ->> 1 from json_each(${JSON.stringify(indexed)})
  `.execute(tx)
  const pages = Math.ceil(rows.length * MERGED_PAGES)
  await sql`insert into event_words (event_words, rank) values ('merge', ${pages})`.execute(tx)
  await sql`
    delete from unindexed_events where id in (select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))
  `.execute(tx)
  return rows.length
}
