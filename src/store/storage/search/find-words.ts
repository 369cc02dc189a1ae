import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { LAST_CHARACTER } from '../../../base/text/characters.ts'
import { beginningsOf, nearWords, stemsIn, type WantedWord } from '../../../base/text/stems.ts'
import { type Db, isPostgres, type ReadInLane, type ReadQuery } from '../database.ts'
import {
  addId,
  countIds,
  dropId,
  type IdSet,
  inBoth,
  inEither,
  listIds,
  makeIdSet,
  roomier,
  withId,
} from '../id-set.ts'
import { wholeList } from '../sql-parts.ts'
import { statement, type ValuePlaces } from '../statement.ts'
import { IN_NAME, IN_TITLE, type NamedKind, stemsOfEvent, TERM_DOCS } from './search-index.ts'

// Finds events, terms and names by stems: for suggestions, and for the parameter `words`, for which a typing
// error of one letter is corrected.

export interface WordsFound {
  words: readonly FoundWord[]
  /** Events that have all words; some ids may be of deleted events. */
  all: IdSet
  /** `titled` have all words in the title; `named` have each word there or in a linked record's name. */
  titled: IdSet
  named: IdSet
  /** False if some events are missing, since too many were just written. */
  isWhole: boolean
}

export interface FoundWord extends WantedWord {
  /** The word as typed, if it was corrected because no public event has it. */
  instead?: string
  /** True if a public event has the word. */
  isThere: boolean
}

export interface Searcher {
  db: Db
  readInLane: ReadInLane
}

/** Events that have a word in any text, in the title, or in the name of a linked record. */
interface Places {
  texts: IdSet
  titled: IdSet
  named: IdSet
}

/** Maximum words that are corrected, since each may have hundreds of candidates. */
const MOST_CORRECTED = 2
/** Of the similar words, this many with the most events are checked for public events. */
const MOST_NEAR = 6
const MOST_KNOWN = 40

/**
 * Finds events with the words in their texts or in names of public linked records; the name of a term also
 * finds the events of all terms below it. A word that no public event has is replaced by one that differs in
 * one letter. Without words, finds nothing.
 */
export async function findWords(searcher: Searcher, wanted: readonly WantedWord[]): Promise<WordsFound> {
  if (wanted.length === 0) return { words: [], ...joined([]), isWhole: true }
  const [waiting, rows] = await readWaitingAndStored(searcher, wanted)
  const fresh = freshOf(waiting)
  const places = rows.map((row, at) => withFresh(row, wanted[at], fresh))
  const words: FoundWord[] = wanted.map((word) => ({ ...word, isThere: true }))
  let corrections = 0
  for (const [at, word] of wanted.entries()) {
    if (await isAnyPublic(searcher, places[at])) continue
    const better = ++corrections > MOST_CORRECTED ? undefined : await correct(searcher, word, fresh)
    words[at] = better ? { ...better.word, instead: word.text, isThere: true } : { ...word, isThere: false }
    if (better) places[at] = better.places
  }
  return { words, ...joined(places), isWhole: fresh.isWhole }
}

function joined(all: readonly Places[]): Pick<WordsFound, 'all' | 'titled' | 'named'> {
  const sets = all.flatMap(({ texts, titled, named }) => [texts, titled, named])
  const length = sets.reduce((longest, ids) => Math.max(longest, ids.length), 1)
  const wide = all.map(({ texts, titled, named }) => {
    const [inTexts, inTitle, inNames] = [
      roomier(texts, length),
      roomier(titled, length),
      roomier(named, length),
    ]
    return { all: inEither(inTexts, inNames), titled: inTitle, named: inEither(inTitle, inNames) }
  })
  const [first, ...others] = wide
  if (!first) return { all: makeIdSet(0), titled: makeIdSet(0), named: makeIdSet(0) }
  return others.reduce(
    (found, one) => ({
      all: inBoth(found.all, one.all),
      titled: inBoth(found.titled, one.titled),
      named: inBoth(found.named, one.named),
    }),
    first,
  )
}

/**
 * Stems, by id, of events just written, whose stems are not stored yet. `isWhole` is false if these are too
 * many.
 */
interface Fresh {
  stems: ReadonlyMap<number, ReadonlySet<string>>
  isWhole: boolean
}

const MOST_FRESH = 256
const MOST_FRESH_CHARACTERS = 200_000

interface FreshRow {
  id: number
  text: string
}

function freshEvents(db: Db): ReadQuery<FreshRow> {
  const query = sql<FreshRow>`
    select events.id, substr(search, 1, ${sql.lit(MOST_FRESH_CHARACTERS)}) as text
    from (select doc from unstemmed where doc < ${sql.lit(TERM_DOCS)} order by doc
    limit ${sql.lit(MOST_FRESH)}) as waiting
    join events on events.id = waiting.doc`
  return { compile: () => query.compile(db) }
}

function freshOf(rows: readonly FreshRow[]): Fresh {
  const stems = new Map<number, ReadonlySet<string>>()
  let characters = 0
  for (const { id, text } of rows) {
    characters += text.length
    if (characters <= MOST_FRESH_CHARACTERS) stems.set(Number(id), stemsOfEvent(text))
  }
  return { stems, isWhole: stems.size === rows.length && rows.length < MOST_FRESH }
}

interface PlacesRow {
  word: number
  texts: PackedPlaces
  titled: PackedPlaces
  named: PackedPlaces
}

/** Ids: a list from PostgreSQL, from SQLite a text such as `9,2,9` that begins with the largest id. */
type PackedPlaces = string | readonly number[] | null

function placesQuery(db: Db, wanted: readonly WantedWord[]): ReadQuery<PlacesRow> {
  const selects = wanted.map(
    (word, at) => sql`select ${sql.lit(at)} as word, (${eventsWith(db, word, '')}) as texts,
      (${eventsWith(db, word, IN_TITLE)}) as titled, (${eventsNamed(db, word)}) as named`,
  )
  const query = sql<PlacesRow>`${sql.join(selects, sql` union all `)} order by word`
  return { compile: () => query.compile(db) }
}

function withFresh({ texts, titled, named }: PlacesRow, word: WantedWord | undefined, fresh: Fresh): Places {
  const { stems = [] } = word ?? {}
  let [inTexts, inTitle] = [idSetOf(texts), idSetOf(titled)]
  for (const [id, own] of fresh.stems) {
    inTexts = settled(
      inTexts,
      id,
      stems.every((stem) => own.has(stem)),
    )
    inTitle = settled(
      inTitle,
      id,
      stems.every((stem) => own.has(IN_TITLE + stem)),
    )
  }
  return { texts: inTexts, titled: inTitle, named: idSetOf(named) }
}

function settled(ids: IdSet, id: number, isIn: boolean): IdSet {
  if (isIn) return withId(ids, id)
  if (id >>> 5 < ids.length) dropId(ids, id)
  return ids
}

function idSetOf(found: PackedPlaces): IdSet {
  if (found === null) return makeIdSet(0)
  if (typeof found === 'string') return writtenIds(found)
  const ids = makeIdSet(found.reduce((largest, id) => Math.max(largest, id), 0))
  for (const id of found) addId(ids, id)
  return ids
}

const [COMMA, ZERO] = [44, 48]

/** Reads ids from a text such as `9,2,9`, faster than `split` does. */
function writtenIds(text: string): IdSet {
  const ids = makeIdSet(Number.parseInt(text, 10))
  let id = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== COMMA) id = id * 10 + code - ZERO
    else {
      addId(ids, id)
      id = 0
    }
  }
  addId(ids, id)
  return ids
}

const docOf = (db: Db) => sql.ref<number>(isPostgres(db) ? 'stems.doc' : 'stems.rowid')

const gathered = (db: Db, id: RawBuilder<number>) =>
  isPostgres(db) ? sql`json_agg(${id})` : sql`max(${id}) || ',' || group_concat(${id})`

function having(db: Db, stems: readonly string[], mark: string): RawBuilder<boolean> {
  const quote = isPostgres(db) ? "'" : '"'
  const all = stems.map((stem) => quote + mark + stem + quote)
  return isPostgres(db) ? sql`words @@ ${all.join(' & ')}::tsquery` : sql`stems match ${all.join(' AND ')}`
}

const eventsWith = (db: Db, { stems }: WantedWord, mark: string) =>
  sql`select ${gathered(db, docOf(db))} from stems where ${having(db, stems, mark)}
    and ${docOf(db)} < ${sql.lit(TERM_DOCS)}`

/** WITH clause: `meant_docs` have the word in the name, `meant_terms` are terms among these and all below. */
function namesWith(db: Db, { stems }: WantedWord): RawBuilder<unknown> {
  return sql`with recursive meant_docs (doc) as (select ${docOf(db)} from stems
    where ${having(db, stems, IN_NAME)}),
    meant_terms (id) as (select doc - ${sql.lit(TERM_DOCS)} from meant_docs where doc >= ${sql.lit(TERM_DOCS)}
      union select terms.id from terms join meant_terms on terms.parent = meant_terms.id)`
}

function eventsNamed(db: Db, word: WantedWord): RawBuilder<unknown> {
  const linked = (table: string, kind: string) => {
    const link = sql.ref(`event_${table}.${kind}`)
    // `is true` keeps SQLite from starting with all public rows.
    return sql`select event from ${sql.table(`event_${table}`)} where ${link} in
      (select id from ${sql.table(table)} where id in (select doc from meant_docs)
      and (status = 'publish') is true)`
  }
  return sql`${namesWith(db, word)} select ${gathered(db, sql<number>`event`)} from (
    select event from event_terms where term in (select id from meant_terms)
    union all ${linked('venues', 'venue')} union all ${linked('organizers', 'organizer')}) as linked`
}

/**
 * Reads events that wait to be stemmed, then events by stored stems. An event stemmed meanwhile is in at
 * least one of the two: SQLite reads both from one snapshot, PostgreSQL in this order.
 */
async function readWaitingAndStored(
  { db, readInLane }: Searcher,
  wanted: readonly WantedWord[],
): Promise<[FreshRow[], PlacesRow[]]> {
  if (!isPostgres(db)) return readInLane(db, 'search', [freshEvents(db), placesQuery(db, wanted)])
  const [waiting] = await readInLane(db, 'search', [freshEvents(db)])
  const [rows] = await readInLane(db, 'search', [placesQuery(db, wanted)])
  return [waiting, rows]
}

export async function findTermsNamed(db: Db, word: WantedWord): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`${namesWith(db, word)} select id from meant_terms`.execute(db)
  return new Set(rows.map(({ id }) => Number(id)))
}

const selectWith = statement<{ words: string }>()((db, value) => {
  const isWith = isPostgres(db)
    ? sql`words @@ ${value('words')}::tsquery`
    : sql`stems match ${value('words')}`
  return sql<{ found: number }>`select 1 as found from stems cross join events
    where events.id = ${docOf(db)} and ${isWith} and ${IS_LISTED} limit 1`
})

/** True if a public event has all the words, in any text. */
export async function isAnyWith(db: Db, typed: TypedWords): Promise<boolean> {
  const words = isPostgres(db)
    ? typedOnPostgres(typed, '')
    : `${typedOnSqlite(typed, '')} OR "${typed.begun}"*)`
  return (await selectWith(db, { words })).length > 0
}

/** `is true` keeps SQLite from starting with all public rows. */
const IS_LISTED = sql<SqlBool>`(status = 'publish' and hide_from_listings = 0) is true`

/** Among more events than this, at least one is assumed to be public. */
const CERTAINLY_PUBLIC = 1000

/** True if one of the events is public, since searches must not reveal words that only other events have. */
async function isAnyPublic({ db, readInLane }: Searcher, places: Places | undefined): Promise<boolean> {
  if (!places) return false
  const { all } = joined([places])
  if (countIds(all) > CERTAINLY_PUBLIC) return true
  const query = sql<{ found: number }>`select 1 as found from events
    where id in ${wholeList(db, listIds(all))} and ${IS_LISTED} limit 1`
  const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  return rows.length > 0
}

/**
 * Returns, of similar words that a public event has, the one with the most events, or of equals the
 * alphabetically first, with its events.
 */
async function correct(
  searcher: Searcher,
  word: WantedWord,
  fresh: Fresh,
): Promise<{ word: WantedWord; places: Places } | undefined> {
  const near = nearWords(word)
  const known = await findKnown(searcher, near, fresh)
  const candidates = known.map((stem) => ({ text: near.get(stem) ?? stem, stems: [stem] }))
  if (candidates.length === 0) return undefined
  const { db, readInLane } = searcher
  const [rows] = await readInLane(db, 'search', [placesQuery(db, candidates)])
  const places = rows.map((row, at) => withFresh(row, candidates[at], fresh))
  const weighed = candidates.map((candidate, at) => ({
    word: candidate,
    places: places[at],
    events: places[at] ? countIds(joined([places[at]]).all) : 0,
  }))
  weighed.sort((a, b) => b.events - a.events || (a.word.text < b.word.text ? -1 : 1))
  for (const { word: better, places: found } of weighed.slice(0, MOST_NEAR))
    if (found && (await isAnyPublic(searcher, found))) return { word: better, places: found }
  return undefined
}

async function findKnown(
  { db, readInLane }: Searcher,
  near: ReadonlyMap<string, string>,
  fresh: Fresh,
): Promise<string[]> {
  if (near.size === 0) return []
  const stems = [...near.keys()]
  const query = isPostgres(db) ? knownOnPostgres(stems) : knownOnSqlite(stems)
  const asked = { compile: () => query.compile(db) }
  // SQLite indexes events some time after their write; until then their texts are searched here.
  const [rows, unindexed] = isPostgres(db)
    ? [(await readInLane(db, 'search', [asked]))[0], []]
    : await readInLane(db, 'search', [asked, unindexedEvents(db)])
  const known = new Set(rows.map(({ stem }) => stem))
  const texts = unindexed.map(({ text }) => stemsIn(text))
  for (const own of [...fresh.stems.values(), ...texts])
    for (const stem of stems) if (own.has(stem)) known.add(stem)
  return [...known].sort().slice(0, MOST_KNOWN)
}

const knownOnPostgres = (stems: readonly string[]) => sql<{ stem: string }>`
  select value as stem from json_array_elements_text(${JSON.stringify(stems)}::json) as value
  where exists (select from stems where words @@ (value::tsquery || (${IN_NAME} || value)::tsquery))`

/** Maximum events read that wait to be indexed (usually fewer wait), and characters of each. */
const MOST_UNINDEXED = 64
const MOST_UNINDEXED_CHARACTERS = 3000

function unindexedEvents(db: Db): ReadQuery<{ text: string }> {
  const query = sql<{ text: string }>`select substr(search, 1, ${sql.lit(MOST_UNINDEXED_CHARACTERS)}) as text
    from (select id from unindexed_events limit ${sql.lit(MOST_UNINDEXED)}) join events using (id)`
  return { compile: () => query.compile(db) }
}

/**
 * Selects those of `stems` that a document has. Only stems with which an indexed word begins, or that a name
 * has, are looked up in the full-text table; to look up all, some five hundred, would take far longer.
 */
function knownOnSqlite(stems: readonly string[]): RawBuilder<{ stem: string }> {
  const listed = JSON.stringify(stems.flatMap((stem) => beginningsOf(stem).map((begin) => [stem, begin])))
  const stem = sql`(value ->> 0)`
  const begin = sql`(value ->> 1)`
  return sql<{ stem: string }>`select distinct ${stem} as stem from json_each(${listed})
    where (exists (select 1 from words where word >= ${begin} and word < ${begin} || ${LAST_CHARACTER})
        or exists (select 1 from name_stems where kind in ('venue', 'organizer', 'term') and stem = ${stem}))
      and exists (select 1 from stems where stems match '"' || ${stem} || '" OR "' || ${IN_NAME} || ${stem} ||
      '"')`
}

/**
 * `stems` are those of all words but the last, which may be incomplete: `begun` is its text, `whole` its
 * stem.
 */
export interface TypedWords {
  stems: readonly string[]
  begun: string
  whole: string
}

/** PostgreSQL would have to find all events to tell the newest, so it returns any, up to a higher limit. */
const MOST_TITLED = { sqlite: 60, postgres: 500 }
const MOST_STEMS = 8

/** Returns ids of events whose title has the typed words; on SQLite the newest, newest first. */
export async function findTitled({ db, readInLane }: Searcher, typed: TypedWords): Promise<number[]> {
  const words = (isPostgres(db) ? typedOnPostgres : typedOnSqlite)(typed, IN_TITLE)
  const values = { words, begun: IN_TITLE + typed.begun, behind: IN_TITLE + typed.begun + LAST_CHARACTER }
  // With several words the query may scan many events, so it counts as a long read.
  const slow = () => titled(db, (name) => sql.val(values[name])).compile(db)
  const rows =
    typed.stems.length > 0
      ? (await readInLane(db, 'list', [{ compile: slow }]))[0]
      : await selectTitled(db, values)
  return rows.map(({ id }) => Number(id))
}

function typedOnPostgres({ stems, begun, whole }: TypedWords, mark: string): string {
  const all = stems.map((stem) => `'${mark}${stem}'`)
  return [...all, `('${mark}${begun}':* | '${mark}${whole}')`].join(' & ')
}

/** Without the last parenthesis, before which words may be added that begin as the last one. */
const typedOnSqlite = ({ stems, whole }: TypedWords, mark: string): string =>
  `${stems.map((stem) => `"${mark}${stem}" AND `).join('')}("${mark}${whole}"`

type Titled = Record<'words' | 'begun' | 'behind', string>

/**
 * Selects events whose title has the words. SQLite uses at most `MOST_STEMS` stems with the typed prefix,
 * since FTS5 would join the events of all, whatever the limit.
 */
const titled = (db: Db, value: (name: keyof Titled) => RawBuilder<string>): RawBuilder<{ id: number }> =>
  isPostgres(db)
    ? sql`select doc as id from stems where words @@ ${value('words')}::tsquery
      and doc < ${sql.lit(TERM_DOCS)} limit ${sql.lit(MOST_TITLED.postgres)}`
    : sql`select rowid as id from stems where stems match ${value('words')} || coalesce((select ' OR ' ||
      group_concat('"' || stem || '"', ' OR ')
        from (select stem from named_stems where stem >= ${value('begun')} and stem < ${value('behind')}
          order by id limit ${sql.lit(MOST_STEMS)})), '') || ')' and rowid < ${sql.lit(TERM_DOCS)}
      order by rowid desc limit ${sql.lit(MOST_TITLED.sqlite)}`

const selectTitled = statement<Titled>()(titled)

/** For each kind, at most `MOST_WALKED` stems are read and `MOST_NAMED` names found. */
const MOST_WALKED = 500
const MOST_NAMED = 24

/** Parameters of the query for names. With a single word `others` is `['']`, since SQL has no empty lists. */
export interface TypedName {
  begun: string
  behind: string
  whole: string
  /** `others` are the stems of the words before the last, each once; `count` is their number. */
  others: readonly string[]
  count: number
}

export function typedName({ stems, begun, whole }: TypedWords): TypedName {
  const others = [...new Set(stems)]
  const count = others.length
  return { begun, behind: begun + LAST_CHARACTER, whole, others: count > 0 ? others : [''], count }
}

export function named(kind: NamedKind, value: ValuePlaces<TypedName>): RawBuilder<unknown> {
  const own = sql`kind = ${sql.lit(kind)}`
  const some = sql`order by stem, doc limit ${sql.lit(MOST_WALKED)}`
  const others = sql`select count(*) from name_stems as other where other.kind = ${sql.lit(kind)}
    and other.doc = found.doc
    and other.stem in (${sql.join(value('others'))})`
  return sql`select doc from (
      select doc from (select doc from name_stems where ${own} and stem = ${value('whole')} ${some}) as whole
      union all select doc from (select doc from name_stems
        where ${own} and stem >= ${value('begun')} and stem < ${value('behind')} ${some}) as begun) as found
    where ${value('count')} = 0 or (${others}) = ${value('count')} limit ${sql.lit(MOST_NAMED)}`
}
