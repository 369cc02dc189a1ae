import { sql } from 'kysely'
import { prepareTexts, textKey } from '../../text/long-texts.ts'
import { termsOf } from '../../text/search.ts'
import { workText } from '../../text/text-work.ts'
import type { Db } from '../database.ts'

/**
 * Pages of the index merged for each event: enough to keep up with additions, and few enough to take a millisecond or two. SQLite's own merge takes
 * a tenth of a second at once; it is turned off.
 */
const MERGED_PAGES = 1 / 4

/** Indexes the words of some waiting events (SQLite, migrations/0034-tables.ts); returns their number. */
export async function indexEvents(tx: Db, most: number): Promise<number> {
  const { rows } = await sql<Unindexed>`
    select id, search from unindexed_events join events using (id) order by id limit ${most}
  `.execute(tx)
  const indexed = rows.map(({ id, search }): Indexed => ({ id, terms: [...termsOf(search)] }))
  await insertWords(tx, [...new Set(indexed.flatMap(({ terms }) => terms))])
  await insertIndexed(tx, indexed)
  return rows.length
}

interface Unindexed {
  id: number
  search: string
}

interface Indexed {
  id: number
  terms: readonly string[]
}

type Write = <T>(work: (tx: Db) => Promise<T>) => Promise<T>

/** Bytes of texts indexed with one write, and new words of one write: a few milliseconds each. */
const BYTES_AT_ONCE = 20_000
const WORDS_AT_ONCE = 1000

/** The same while requests are answered: in small writes with turns for others in between; long texts are cut into words in a thread. */
export async function indexWaiting(write: Write, most: number): Promise<void> {
  for (let left = most; left > 0; ) {
    const rows = await write((tx) => findUnindexed(tx, left))
    if (rows.length === 0) return
    left -= rows.length
    const [first] = rows
    if (first && rows.length === 1 && first.search.length > BYTES_AT_ONCE) await indexLong(write, first)
    else await write((tx) => indexEvents(tx, rows.length))
  }
}

/** The next events to index: as many as fit the bytes, but at least one. */
async function findUnindexed(tx: Db, most: number): Promise<Unindexed[]> {
  const { rows } = await sql<Unindexed>`
    select id, case when total > ${BYTES_AT_ONCE} then search else '' end as search
    from (select id, sum(octet_length(search)) over (order by id) as total
      from (select id from unindexed_events order by id limit ${most}) join events using (id))
    join events using (id)
    where total - octet_length(search) = 0 or total <= ${BYTES_AT_ONCE} order by id
  `.execute(tx)
  return rows
}

async function indexLong(write: Write, { id, search }: Unindexed): Promise<void> {
  const wanted = { work: 'terms', raw: search } as const
  const text = (await prepareTexts([wanted])).get(textKey(wanted)) ?? workText(wanted)
  const terms = text.split(' ')
  for (let at = 0; at < terms.length; at += WORDS_AT_ONCE)
    await write((tx) => insertWords(tx, terms.slice(at, at + WORDS_AT_ONCE)))
  await write(async (tx) => {
    // If it was written again meanwhile, it is still waiting and gets another turn.
    const { rows } = await sql`select id from events where id = ${id} and search = ${search}`.execute(tx)
    if (rows.length > 0) await insertIndexed(tx, [{ id, terms }])
  })
}

async function insertWords(tx: Db, words: readonly string[]): Promise<void> {
  if (words.length === 0) return
  await sql`insert or ignore into words (word) select value from json_each(${JSON.stringify(words)})`.execute(tx)
}

async function insertIndexed(tx: Db, events: readonly Indexed[]): Promise<void> {
  if (events.length === 0) return
  const indexed = events.map(({ id, terms }) => [id, terms.join(' ')])
  await sql`
    insert or replace into event_words (rowid, terms)
    select value ->> 0, value ->> 1 from json_each(${JSON.stringify(indexed)})
  `.execute(tx)
  const pages = Math.ceil(events.length * MERGED_PAGES)
  await sql`insert into event_words (event_words, rank) values ('merge', ${pages})`.execute(tx)
  await sql`
    delete from unindexed_events where id in (select value from json_each(${JSON.stringify(events.map(({ id }) => id))}))
  `.execute(tx)
}
