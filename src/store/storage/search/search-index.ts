import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { prepareTexts, textKey } from '../../../base/text/long-texts.ts'
import { type Search, termsOf } from '../../../base/text/search.ts'
import { workText } from '../../../base/text/text-work.ts'
import { type Database, type Db, isPostgres } from '../database.ts'
import { addId, countIds, type IdSet, listIds, makeIdSet } from '../id-set.ts'
import { contains, wholeList } from '../queries.ts'
import { giveWay } from '../statement.ts'
import { stemAll, stemSome } from './stem-index.ts'

// Indexes the words of events, and narrows queries to what a search finds.

const SEARCHED = ['events', 'venues', 'organizers'] as const
/** Events that are indexed at once when many are left, as after the migration that made the index. */
const EVENTS_AT_ONCE = 5000

/**
 * Prepares fast searches at every start: on SQLite it indexes the waiting events; on PostgreSQL it makes trigram indexes, since their extension may
 * have been added. Returns a sentence for the operator when searches stay slow.
 */
export async function prepareSearch(tx: Db): Promise<string | undefined> {
  await stemAll(tx)
  if (!isPostgres(tx)) {
    while ((await indexEvents(tx, EVENTS_AT_ONCE)) > 0);
    return undefined
  }
  if (!(await hasTrigrams(tx)))
    return 'Searches read whole tables, since the extension pg_trgm is missing; CREATE EXTENSION pg_trgm by an administrator of the database and a restart make them fast.'
  for (const table of SEARCHED) {
    const index = sql.id(`${table}_search`)
    await sql`create index if not exists ${index} on ${sql.table(table)} using gin (search gin_trgm_ops)`.execute(tx)
  }
  return undefined
}

/**
 * Indexes the words of so many events that the transaction has written, so that searches need not read them one by one. On PostgreSQL the index
 * follows by itself.
 */
export async function indexWritten(tx: Db, events: number): Promise<void> {
  if (isPostgres(tx)) return
  await indexEvents(tx, events)
  await stemSome(tx, events)
}

/** True when the extension is there, or could be added by this user. */
async function hasTrigrams(tx: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'pg_trgm'`.execute(tx)
  if (rows.length > 0) return true
  await sql`savepoint extension`.execute(tx)
  try {
    await sql`create extension pg_trgm`.execute(tx)
    return true
  } catch {
    await sql`rollback to savepoint extension`.execute(tx)
    return false
  }
}

/** Above this many ids a condition looks each row up among them; below, it starts from the ids. */
const MANY = 5000

/** Adds to a condition on events that a search finds them. */
export async function alsoMatching(
  db: Db,
  search: Search,
  findMatching: Database['findMatching'],
): Promise<(condition: Expression<SqlBool>) => Expression<SqlBool>> {
  if (isPostgres(db)) return (condition) => sql<SqlBool>`${containsAll(search)} and ${condition}`
  return alsoAmong(db, await findMatching(search))
}

/** Adds to a condition on events that they are among these. */
export function alsoAmong(db: Db, ids: IdSet): (condition: Expression<SqlBool>) => Expression<SqlBool> {
  if (isPostgres(db)) {
    const list = wholeList(db, listIds(ids))
    return (condition) => sql<SqlBool>`events.id in ${list} and ${condition}`
  }
  if (countIds(ids) > MANY) {
    const marks = Buffer.alloc(ids.length * 32)
    for (const id of listIds(ids)) marks[id] = 1
    return (condition) => sql<SqlBool>`substr(${marks}, events.id + 1, 1) = x'01' and ${condition}`
  }
  const few = JSON.stringify(listIds(ids))
  // As a value, the condition keeps SQLite from choosing an index over the ids.
  return (condition) => sql<SqlBool>`events.id in (select value from json_each(${few})) and (${condition}) is true`
}

/** Where events stand by the place in which a search has found them: 0 for those in the first set, 1 for those in the second, else 2. */
export function rankAmong(db: Db, first: IdSet, second: IdSet): RawBuilder<unknown> {
  const ranks = Buffer.alloc(Math.max(first.length, second.length) * 32, 2)
  for (const id of listIds(second)) ranks[id] = 1
  for (const id of listIds(first)) ranks[id] = 0
  if (!isPostgres(db))
    return sql`case when events.id < ${ranks.length} then substr(${ranks}, events.id + 1, 1) else x'02' end`
  return sql`case when events.id < ${ranks.length}::bigint then get_byte(${ranks}::bytea, events.id::integer) else 2 end`
}

function containsAll({ include, exclude }: Search): RawBuilder<SqlBool> {
  const conditions = [
    ...include.map((word) => contains('events.search', word)),
    ...exclude.map((word) => sql<SqlBool>`not ${contains('events.search', word)}`),
  ]
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** The events that a search finds, where the database looks for texts itself. */
export async function findContaining(db: Db, search: Search): Promise<IdSet> {
  // As one value: making a row for each id would take longer than finding it.
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(json_agg(id), '[]') as ids from events where ${containsAll(search)}
  `.execute(db)
  const ids = rows[0]?.ids ?? []
  const found = makeIdSet(ids.reduce((largest, id) => Math.max(largest, id), 0))
  for (const id of ids) addId(found, id)
  return found
}

/**
 * Pages of the index merged for each event: enough to keep up with additions, and few enough to take a millisecond or two. SQLite's own merge takes
 * a tenth of a second at once; it is turned off.
 */
const MERGED_PAGES = 1 / 4

/** Indexes the words of some waiting events (SQLite, migrations/0034-one-schema.ts); returns their number. */
async function indexEvents(tx: Db, most: number): Promise<number> {
  const { rows } = await sql<Unindexed>`
    select id, search from unindexed_events join events using (id) order by id limit ${most}
  `.execute(tx)
  const indexed = rows.map(({ id, search }): Indexed => ({ id, terms: [...termsOf(search)] }))
  await giveWay(tx)
  await insertWords(tx, [...new Set(indexed.flatMap(({ terms }) => terms))])
  await giveWay(tx)
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

/** Indexes at most `most` waiting events while requests are answered: in small writes with turns for others in between. Long texts are cut into words in a thread. */
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
  await giveWay(tx)
  const pages = Math.ceil(events.length * MERGED_PAGES)
  await sql`insert into event_words (event_words, rank) values ('merge', ${pages})`.execute(tx)
  await sql`
    delete from unindexed_events where id in (select value from json_each(${JSON.stringify(events.map(({ id }) => id))}))
  `.execute(tx)
}
