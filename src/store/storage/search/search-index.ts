import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold } from '../../../base/text/characters.ts'
import { plainText } from '../../../base/text/html.ts'
import { prepareTexts, textKey, workText } from '../../../base/text/long-texts.ts'
import { type Search, termsOf } from '../../../base/text/search.ts'
import { LONGEST_TEXT, stemsIn } from '../../../base/text/stems.ts'
import { type Database, type Db, isPostgres } from '../database.ts'
import { addId, countIds, type IdSet, listIds, makeIdSet } from '../id-set.ts'
import type { Recording } from '../recording.ts'
import { contains, wholeList } from '../sql-parts.ts'
import { passTurn, statement } from '../statement.ts'

const SEARCHED = ['events', 'venues', 'organizers'] as const
const EVENTS_AT_ONCE = 5000

/**
 * Whenever a calendar is opened, writes missing stems, indexes waiting events on SQLite, and creates trigram
 * indexes on PostgreSQL, whose extension may be new. Returns a sentence for the operator if searches stay
 * slow.
 */
export async function prepareSearch(tx: Db): Promise<string | undefined> {
  await stemMissing(tx)
  if (!isPostgres(tx)) {
    while ((await indexEvents(tx, EVENTS_AT_ONCE)) > 0);
    return undefined
  }
  if (!(await hasTrigrams(tx)))
    return (
      'Searches read whole tables, since the extension pg_trgm is missing; ' +
      'CREATE EXTENSION pg_trgm by an administrator of the database and a restart make them fast.'
    )
  for (const table of SEARCHED) {
    const index = sql.id(`${table}_search`)
    await sql`create index if not exists ${index} on ${sql.table(table)}
      using gin (search gin_trgm_ops)`.execute(tx)
  }
  return undefined
}

/** On SQLite, indexes up to `events` waiting events in the transaction, so that searches read fewer texts. */
export async function indexWritten(tx: Db, events: number): Promise<void> {
  if (isPostgres(tx)) return
  await indexEvents(tx, events)
  await stemSome(tx, events)
}

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

/** With more ids, each row is checked against flags by id; with fewer, the query starts from the ids. */
const MANY = 5000

export async function alsoMatching(
  db: Db,
  search: Search,
  findMatching: Database['findMatching'],
): Promise<(condition: Expression<SqlBool>) => Expression<SqlBool>> {
  if (isPostgres(db)) return (condition) => sql<SqlBool>`${containsAll(search)} and ${condition}`
  return alsoAmong(db, await findMatching(search))
}

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
  // `is true` keeps SQLite from using an index for the condition instead of starting from the ids.
  return (condition) =>
    sql<SqlBool>`events.id in (select value from json_each(${few})) and (${condition}) is true`
}

/** SQL of a rank to sort events by: 0 for ids in `first`, 1 for others in `second`, 2 for the rest. */
export function rankAmong(db: Db, first: IdSet, second: IdSet): RawBuilder<unknown> {
  const ranks = Buffer.alloc(Math.max(first.length, second.length) * 32, 2)
  for (const id of listIds(second)) ranks[id] = 1
  for (const id of listIds(first)) ranks[id] = 0
  if (!isPostgres(db))
    return sql`case when events.id < ${ranks.length} then substr(${ranks}, events.id + 1, 1) else x'02' end`
  return sql`case when events.id < ${ranks.length}::bigint
    then get_byte(${ranks}::bytea, events.id::integer) else 2 end`
}

function containsAll({ include, exclude }: Search): RawBuilder<SqlBool> {
  const conditions = [
    ...include.map((word) => contains('events.search', word)),
    ...exclude.map((word) => sql<SqlBool>`not ${contains('events.search', word)}`),
  ]
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

export async function findContaining(db: Db, search: Search): Promise<IdSet> {
  // One value, since to return a row for each id would take longer than to find it.
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(json_agg(id), '[]') as ids from events where ${containsAll(search)}
  `.execute(db)
  const ids = rows[0]?.ids ?? []
  const found = makeIdSet(ids.reduce((largest, id) => Math.max(largest, id), 0))
  for (const id of ids) addId(found, id)
  return found
}

/**
 * Pages of the full-text index merged for each indexed event: enough to keep up, within a ms or two. SQLite's
 * automatic merge, which takes a tenth of a second at once, is off.
 */
const MERGED_PAGES = 1 / 4

async function indexEvents(tx: Db, most: number): Promise<number> {
  const { rows } = await sql<Unindexed>`
    select id, search from unindexed_events join events using (id) order by id limit ${most}
  `.execute(tx)
  const indexed = rows.map(({ id, search }): Indexed => ({ id, terms: [...termsOf(search)] }))
  await passTurn(tx)
  await insertWords(tx, [...new Set(indexed.flatMap(({ terms }) => terms))])
  await passTurn(tx)
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

/** Bytes of text indexed in one turn of the event loop, and words inserted by one write: a few ms each. */
const BYTES_AT_ONCE = 20_000
const WORDS_AT_ONCE = 1000

/** Indexes up to `most` waiting events, serving requests in between; a thread splits long texts. */
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
    // If the event has been changed meanwhile, it stays in `unindexed_events`.
    const { rows } = await sql`select id from events where id = ${id} and search = ${search}`.execute(tx)
    if (rows.length > 0) await insertIndexed(tx, [{ id, terms }])
  })
}

async function insertWords(tx: Db, words: readonly string[]): Promise<void> {
  if (words.length === 0) return
  await sql`insert or ignore into words (word) select value from json_each(${JSON.stringify(words)})`.execute(
    tx,
  )
}

async function insertIndexed(tx: Db, events: readonly Indexed[]): Promise<void> {
  if (events.length === 0) return
  const indexed = events.map(({ id, terms }) => [id, terms.join(' ')])
  await sql`
    insert or replace into event_words (rowid, terms)
    select value ->> 0, value ->> 1 from json_each(${JSON.stringify(indexed)})
  `.execute(tx)
  await passTurn(tx)
  const pages = Math.ceil(events.length * MERGED_PAGES)
  await sql`insert into event_words (event_words, rank) values ('merge', ${pages})`.execute(tx)
  await sql`
    delete from unindexed_events where id in (select value
    from json_each(${JSON.stringify(events.map(({ id }) => id))}))
  `.execute(tx)
}

// Stems of events and names (migrations/0052-tables.ts) are in a full-text table on SQLite, in an indexed
// column on PostgreSQL. Documents are events, venues and organizers, by id, and terms, by id plus
// `TERM_DOCS`.

/** Prefixes of stems: of a title, which are also stored without a prefix, and of a name. */
export const IN_TITLE = '='
export const IN_NAME = '@'
export const TERM_DOCS = 2 ** 40

/** The first line of `search` is the title, whose stems are also returned with the prefix `IN_TITLE`. */
export function stemsOfEvent(search: string): Set<string> {
  const end = search.indexOf('\n')
  const stems = stemsIn(search)
  for (const stem of stemsIn(end < 0 ? search : search.slice(0, end))) stems.add(IN_TITLE + stem)
  return stems
}

/** `name` may be HTML. */
export function stemsOfName(name: string): Set<string> {
  return stemsIn(fold(plainText(name)))
}

interface Unstemmed {
  doc: number
  text: string
}

export type NamedKind = 'venue' | 'organizer' | 'term'

interface UnstemmedName extends Unstemmed {
  kind: NamedKind
}

const DOCS_AT_ONCE = 500

/**
 * Stems documents without any stems, as after a restore. Changed documents, which still have their old stems,
 * are left to the stemmer.
 */
async function stemMissing(tx: Db): Promise<void> {
  const stemmed = isPostgres(tx) ? sql`stems where stems.doc` : sql`stems_docsize where id`
  let all = 0
  for (let some = 1; some > 0; all += some) {
    const { rows } = await sql<{ doc: number }>`select doc from unstemmed
      where not exists (select 1 from ${stemmed} = unstemmed.doc) order by doc
      limit ${sql.lit(DOCS_AT_ONCE)}`.execute(tx)
    const docs = rows.map(({ doc }) => Number(doc))
    some = docs.length === 0 ? 0 : await stemSome(tx, docs.length, docs)
  }
  if (all === 0) return
  await sortIn(tx)
  if (isPostgres(tx)) await sql`analyze stems`.execute(tx)
}

/** Merges the pending list of PostgreSQL's index, which every search would otherwise scan. */
async function sortIn(tx: Db): Promise<void> {
  if (isPostgres(tx)) await sql`select gin_clean_pending_list('stems_words'::regclass)`.execute(tx)
}

/** Documents stemmed in one transaction; if they were fewer, SQLite would have more to merge later. */
const DOCS_IN_TURN = 64
/** Documents stemmed between two merges of PostgreSQL's pending list; merging more often would be slower. */
const SORTED_AT_ONCE = 256

/** Ms after a commit until its documents are stemmed; until then searches read their texts. */
const STEM_AFTER = 500

/** Stems documents in the background; `wake`, called after each commit, also retries those that failed. */
export function makeStemmer(write: Write, isAny = () => true): { wake: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  const cut = () => {
    timer = undefined
    if (isAny()) stemWaiting(write).catch(() => undefined)
  }
  return {
    wake: () => {
      timer ??= setTimeout(cut, STEM_AFTER).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

async function stemWaiting(write: Write): Promise<void> {
  let unsorted = 0
  for (let some = DOCS_IN_TURN; some === DOCS_IN_TURN; ) {
    some = await write(async (tx) => {
      const cut = await stemSome(tx, DOCS_IN_TURN)
      if (unsorted + cut >= SORTED_AT_ONCE || (cut < DOCS_IN_TURN && unsorted + cut > 0)) await sortIn(tx)
      return cut
    })
    unsorted = unsorted + some >= SORTED_AT_ONCE ? 0 : unsorted + some
  }
}

/** Stems changed names within their transaction, since they are few; events wait for the stemmer. */
export async function stemNames(tx: Db, { changes }: Recording): Promise<void> {
  const docs: number[] = []
  for (const { kind, record } of changes.values()) {
    if (kind === 'venue' || kind === 'organizer') docs.push(record)
    if (kind === 'term') docs.push(record + TERM_DOCS)
  }
  if (docs.length > 0) await stemSome(tx, docs.length, docs)
}

export async function stemSome(tx: Db, most: number, among?: readonly number[]): Promise<number> {
  const narrowed = among ? sql`where doc in ${wholeList(tx, among)}` : sql``
  const { rows } = isPostgres(tx)
    ? // Documents that other transactions are writing are left for the next time.
      await sql<{ doc: number }>`
        delete from unstemmed where doc in (select doc from unstemmed
          ${narrowed}
          order by doc limit ${sql.lit(most)} for update skip locked) returning doc`.execute(tx)
    : await sql<{ doc: number }>`
        select doc from unstemmed ${narrowed}
        order by doc limit ${sql.lit(most)}`.execute(tx)
  const docs = rows.map(({ doc }) => Number(doc))
  if (docs.length === 0) return 0
  const [events, names] = await readTexts(tx, docs)
  const named = names.map(({ kind, doc, text }) => ({ kind, doc, stems: [...stemsOfName(text)] }))
  for (const some of inPortions(events)) {
    await passTurn(tx)
    await writeStems(
      tx,
      some.map(({ doc, text }) => [doc, [...stemsOfEvent(text)]]),
    )
  }
  if (named.length > 0) {
    await passTurn(tx)
    await writeStems(
      tx,
      named.map(({ doc, stems }) => [doc, stems.map((stem) => IN_NAME + stem)]),
    )
    await writeNames(tx, named)
  }
  if (isPostgres(tx)) return docs.length
  await passTurn(tx)
  await sql`insert into stems (stems, rank) values ('merge',
    ${Math.ceil(docs.length * MERGED_PAGES)})`.execute(tx)
  await sql`delete from unstemmed where doc in (select value
    from json_each(${JSON.stringify(docs)}))`.execute(tx)
  return docs.length
}

function* inPortions(texts: readonly Unstemmed[]): Generator<Unstemmed[]> {
  let portion: Unstemmed[] = []
  let length = 0
  for (const one of texts) {
    if (portion.length > 0 && length + one.text.length > BYTES_AT_ONCE) {
      yield portion
      portion = []
      length = 0
    }
    portion.push(one)
    length += one.text.length
  }
  if (portion.length > 0) yield portion
}

interface Named {
  kind: NamedKind
  doc: number
  stems: readonly string[]
}

const deleteName = statement<{ kind: NamedKind; doc: number }>()(
  (_db, value) => sql<never>`delete from name_stems where kind = ${value('kind')} and doc = ${value('doc')}`,
)

const insertNames = statement<{ rows: string }>()(
  (db, value) =>
    sql<never>`insert into name_stems (kind, doc, stem) ${
      isPostgres(db)
        ? sql`select value ->> 0, (value ->> 1)::bigint, value ->> 2
          from json_array_elements(${value('rows')}::json) as value`
        : sql`select value ->> 0, value ->> 1, value ->> 2 from json_each(${value('rows')})`
    }`,
)

async function writeNames(tx: Db, named: readonly Named[]): Promise<void> {
  const own = named.map((one) => ({ ...one, doc: one.doc >= TERM_DOCS ? one.doc - TERM_DOCS : one.doc }))
  for (const { kind, doc } of own) await deleteName(tx, { kind, doc })
  const rows = own.flatMap(({ kind, doc, stems }) => stems.map((stem) => [kind, doc, stem]))
  if (rows.length > 0) await insertNames(tx, { rows: JSON.stringify(rows) })
}

async function readTexts(tx: Db, docs: readonly number[]): Promise<[Unstemmed[], UnstemmedName[]]> {
  const wanted = wholeList(tx, docs)
  const terms = wholeList(
    tx,
    docs.filter((doc) => doc >= TERM_DOCS).map((doc) => doc - TERM_DOCS),
  )
  const events = await sql<Unstemmed>`
    select id as doc, substr(search, 1, ${sql.lit(LONGEST_TEXT)}) as text from events
    where id in ${wanted}`.execute(tx)
  const names = await sql<UnstemmedName>`
    select 'venue' as kind, id as doc, coalesce(venue || ' ' || city, '') as text from venues
    where id in ${wanted}
    union all select 'organizer', id, coalesce('' || organizer, '') from organizers where id in ${wanted}
    union all select 'term', id + ${sql.lit(TERM_DOCS)}, coalesce('' || name, '') from terms
      where id in ${terms}`.execute(tx)
  const numbered = <Row extends Unstemmed>(row: Row) => ({ ...row, doc: Number(row.doc) })
  return [events.rows.map(numbered), names.rows.map(numbered)]
}

type Stemmed = readonly [doc: number, stems: readonly string[]]

async function writeStems(tx: Db, stemmed: readonly Stemmed[]): Promise<void> {
  if (isPostgres(tx)) {
    await sql`insert into stems (doc, words)
      select (value ->> 0)::bigint, array_to_tsvector(array(select json_array_elements_text(value -> 1)))
      from json_array_elements(${JSON.stringify(stemmed)}::json) as written (value)
      on conflict (doc) do update set words = excluded.words`.execute(tx)
    return
  }
  const [before] = await countReplaced(tx, { docs: JSON.stringify(stemmed.map(([doc]) => doc)) })
  const joined = JSON.stringify(stemmed.map(([doc, stems]) => [doc, stems.join(' ')]))
  await sql`insert or replace into stems (rowid, words) select value ->> 0, value ->> 1
    from json_each(${joined})`.execute(tx)
  const named = stemmed.flatMap(([, stems]) => stems.filter((stem) => stem.startsWith(IN_TITLE)))
  await sql`insert or ignore into named_stems (stem) select value
    from json_each(${JSON.stringify([...new Set(named)])})`.execute(tx)
  if (before && before.docs > 0) await forgetSome(tx, before.docs)
}

const countReplaced = statement<{ docs: string }>()<{ docs: number }>(
  (_db, value) =>
    sql`select count(*) as docs from stems_docsize where id in (select value
      from json_each(${value('docs')}))`,
)

const STEMS_LOOKED_AT = 1 / 4

/** Deletes stems that no document has any more; checks only some stems, from a random one on. */
async function forgetSome(tx: Db, replaced: number): Promise<void> {
  await sql`delete from named_stems where id in (
      select id from named_stems where id >= cast(${Math.random()} * (select max(id)
      from named_stems) as integer)
      order by id limit ${Math.ceil(replaced * STEMS_LOOKED_AT)})
    and not exists (select 1 from stems where stems match '"' || stem || '"')`.execute(tx)
}
