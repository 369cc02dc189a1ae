import { foldedText } from '../../base/text/long-texts.ts'
import { dayOf, formatUtc, wallNow } from '../../base/text/moments.ts'
import { type WantedWord, wantedWords } from '../../base/text/stems.ts'
import { DAY_MS, utcToWall } from '../../base/text/zones.ts'
import {
  type IndexPage,
  type IndexQuery,
  listIndexed,
  type Ranking,
} from '../../store/memory/event-index-list.ts'
import { type EventMemory, soonFilled } from '../../store/memory/event-memory.ts'
import { TOMBSTONE_DAYS } from '../../store/storage/pruning.ts'
import type {
  EventRow,
  OrganizerRow,
  VenueRow,
  WithdrawnEvent,
  WithdrawnEventRow,
} from '../../store/storage/schema.ts'
import { findTermsNamed, type WordsFound } from '../../store/storage/search/find-words.ts'
import type { Context } from '../declare/context.ts'
import { conditionsOf } from '../declare/filter.ts'
import type { FoundRecords } from '../declare/operations.ts'
import { anyCoordinates } from '../linked/linked-filters.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import {
  MAX_ID,
  offsetOf,
  type PageRequest,
  pageRequest,
  statusFilter,
  statusLinks,
} from '../records/record-store.ts'
import { findIdsByEntries } from '../terms/term-store.ts'
import { amongEvents, type Condition, firstOfSeries } from './event-conditions.ts'
import {
  type AroundEvents,
  type EventFilter,
  type EventGround,
  type EventsQuery,
  eventFilterParts,
  eventFilters,
  eventSearch,
  eventWords,
  type FilteredEvent,
  type MeantWord,
  writeEventParameters,
} from './event-filters.ts'
import { UNSENT } from './event-rules.ts'
import { listEventIds, listEvents } from './event-store.ts'
import { eventWindow } from './event-when.ts'
import { currentMemory } from './known-records.ts'
import { type KeptColumns, readWithdrawn } from './withdrawn-store.ts'

/**
 * Finds one page of events: in the index, mostly without a promise, if it can answer; else in the database.
 * While a small calendar is being read into memory, waits for the index.
 * @throws Problem, at once or in the promise
 */
export function findEvents(
  context: Context,
  query: EventsQuery,
  order: ListOrder = 'best',
): FoundRecords<EventRow> | Promise<FoundRecords<EventRow>> {
  const filling = context.memory && soonFilled(context.memory)
  return filling ? filling.then(() => findAtOnce(context, query, order)) : findAtOnce(context, query, order)
}

/**
 * `best` puts the best matches of `words` first (rule 14.7); `start`, and every list without `words`, follows
 * rule 11.7.
 */
export type ListOrder = 'best' | 'start'

function findAtOnce(
  context: Context,
  query: EventsQuery,
  order: ListOrder,
): FoundRecords<EventRow> | Promise<FoundRecords<EventRow>> {
  const found = findInMemory(context, query, order)
  if (found instanceof Promise) return found.then((page) => page ?? findInDatabase(context, query, order))
  return found ?? findInDatabase(context, query, order)
}

/** Finds a page in the index; undefined if that cannot answer. @throws Problem, at once or in the promise */
export function findInMemory(
  context: Context,
  query: EventsQuery,
  order: ListOrder = 'best',
): FoundRecords<EventRow> | undefined | Promise<FoundRecords<EventRow> | undefined> {
  const memory = currentMemory(context)
  if (!memory) return undefined
  const ground = groundOf(context, query)
  const page = pageRequest(query, context)
  const listed = listFromMemory(memory, query, ground, page, order)
  if (listed === undefined) return undefined
  const found = (result: IndexPage | undefined) => result && inIndex(query, ground, result, page)
  return listed instanceof Promise ? listed.then(found) : found(listed)
}

function inIndex(
  query: EventsQuery,
  ground: EventGround,
  { ids, total }: IndexPage,
  { page, perPage }: PageRequest,
): FoundRecords<EventRow> {
  return {
    isCollapsed: isCollapsed(query),
    ids,
    total,
    page,
    perPage,
    effective: writeEventParameters(query, ground),
    shownOnly: statusLinks(ground.status).shownOnly,
    pastEnd: PAST_END,
    isIndexed: true,
  }
}

const PAST_END = 'event-archive-page-not-found'

async function findInDatabase(
  context: Context,
  query: EventsQuery,
  order: ListOrder,
): Promise<FoundRecords<EventRow>> {
  const ground = groundOf(context, query)
  const page = pageRequest(query, context)
  const words = await foundWords(query, context)
  const where = await conditionOf(query, ground, words)
  const plain = query.include ? 'publication' : 'start'
  const ranking = words && order === 'best' ? rankingOf(words, context) : undefined
  const { rows, total } = await listEvents(where, ranking ?? plain, page, context)
  return {
    isCollapsed: isCollapsed(query),
    ids: rows.map(({ id }) => id),
    rows,
    total,
    ...page,
    effective: writeEventParameters(query, ground),
    shownOnly: statusLinks(ground.status).shownOnly,
    pastEnd: PAST_END,
  }
}

/** Finds events without pages. Reads only ids; rows are read when shown. */
export async function findAllEvents(context: Context, query: EventsQuery): Promise<FoundRecords<EventRow>> {
  const ground = groundOf(context, query)
  const effective = writeEventParameters(query, ground)
  const { statuses } = ground.status
  const memory = currentMemory(context)
  const listed = memory && (await listFromMemory(memory, query, ground, EVERY_PAGE, 'start'))
  const ids = listed?.ids ?? (await listIdsInDatabase(query, ground))
  const withdrawn = () => findWithdrawn(query, ground)
  const found = {
    isCollapsed: isCollapsed(query),
    ids,
    total: ids.length,
    page: 1,
    perPage: Math.max(1, ids.length),
    effective,
    statuses,
    withdrawn,
  }
  return listed ? { ...found, isIndexed: true } : found
}

async function listIdsInDatabase(query: EventsQuery, ground: EventGround): Promise<number[]> {
  const where = await conditionOf(query, ground, await foundWords(query, ground.context))
  return listEventIds(where, query.include ? 'publication' : 'start', ground.context)
}

const EVERY_PAGE: PageRequest = { page: 1, perPage: MAX_ID }

export function groundOf(context: Context, query: EventsQuery): EventGround {
  return { context, window: eventWindow(query, context), status: statusFilter(context.caller, query.status) }
}

const filters: Readonly<Record<string, EventFilter<unknown>>> = eventFilters
const parts = Object.values(eventFilterParts)
const sqlOfParts = parts.map(({ sql }) => sql)

function foundWords(
  { words }: EventsQuery,
  context: Context,
): WordsFound | undefined | Promise<WordsFound | undefined> {
  return words === undefined ? undefined : eventWords.find(words, context)
}

/** The ranking of a list. An event counts as coming until the day on which it ends is over. */
function rankingOf({ titled, named }: WordsFound, { site, now }: Context): Ranking {
  return { titled, named, today: dayOf(wallNow(site.timezone, now)) }
}

async function conditionOf(
  query: EventsQuery,
  ground: EventGround,
  words: WordsFound | undefined,
): Promise<Condition> {
  const conditions = await conditionsOf(filters, sqlOfParts, query, ground)
  const all: Condition = (record) => record.and(conditions.map((condition) => condition(record)))
  const searched = query.search === undefined ? all : await eventSearch.sql(query.search, all, ground.context)
  const found = words ? amongEvents(words.all, searched, ground.context) : searched
  return isCollapsed(query) ? firstOfSeries(found) : found
}

/** True if the list shows only the first occurrence of each series. */
export function isCollapsed(query: EventsQuery): boolean {
  return query.collapse === 'series' || query.hide_subsequent_recurrences === true
}

const EVERYTHING: Omit<IndexQuery, 'window' | 'isCollapsed'> = {
  terms: [],
  venues: undefined,
  organizers: undefined,
  series: undefined,
  access: [],
  featured: undefined,
  geoloc: undefined,
  circle: undefined,
  among: undefined,
}

/** A page of the index: undefined if the index cannot answer, a promise for a search that memory lacks. */
function listFromMemory(
  memory: EventMemory,
  query: EventsQuery,
  ground: EventGround,
  page: PageRequest,
  order: ListOrder,
): IndexPage | undefined | Promise<IndexPage | undefined> {
  if (!memory.index) return undefined
  const asked = indexQuery(memory, query, ground)
  if (!asked) return undefined
  const list = (narrowed: IndexQuery) =>
    memory.index && listIndexed(memory.index, narrowed, offsetOf(page), page.perPage)
  const search = (narrowed: IndexQuery) => {
    if (query.search === undefined) return list(narrowed)
    const searched = eventSearch.index(query.search, narrowed, memory, ground.context)
    return searched instanceof Promise ? searched.then(list) : list(searched)
  }
  const words = foundWords(query, ground.context)
  const withWords = (found: WordsFound | undefined) =>
    search(found ? { ...asked, among: found.all, ...inOrder(found, order, ground.context) } : asked)
  return words instanceof Promise ? words.then(withWords) : withWords(words)
}

const inOrder = (found: WordsFound, order: ListOrder, context: Context) => ({
  ranking: order === 'best' ? rankingOf(found, context) : undefined,
})

/** The index query for all parameters but `search` and `words`; undefined if the index cannot answer. */
export function indexQuery(
  memory: EventMemory,
  query: EventsQuery,
  ground: EventGround,
): IndexQuery | undefined {
  let asked: IndexQuery | undefined = {
    ...EVERYTHING,
    window: ground.window,
    isCollapsed: isCollapsed(query),
  }
  for (const name in query) {
    const filter = filters[name]
    const value = query[name as keyof EventsQuery]
    if (value === undefined || filter === undefined || filter.part !== undefined) continue
    asked = filter.index?.(value, asked, memory, ground)
    if (!asked) return undefined
  }
  for (const part of parts) {
    asked = part.index(asked, query, ground, memory)
    if (!asked) return undefined
  }
  return asked
}

/**
 * Yields matching withdrawn events. They are in a table of their own, without most texts, so `accepts` of
 * each filter tests them one by one, and a search compares only titles.
 */
async function* findWithdrawn(query: EventsQuery, ground: EventGround): AsyncGenerator<WithdrawnEvent[]> {
  const { context } = ground
  let around: AroundEvents | undefined
  for await (const rows of readWithdrawn(context.db, formatUtc(context.now - TOMBSTONE_DAYS * DAY_MS))) {
    around ??= await readAround(query, ground)
    const loaded = await loadAsBefore(context, rows)
    yield rows.filter((_, at) => isFound(loaded[at], query, around))
  }
}

function isFound(
  event: FilteredEvent | undefined,
  query: EventsQuery,
  around: AroundEvents | undefined,
): boolean {
  if (!event || !around) return false
  return (
    Object.values(eventFilterParts).every((part) => part.accepts(event, query, around)) &&
    (query.search === undefined || eventSearch.accepts(query.search, event)) &&
    (query.words === undefined || query.words.trim() === '' || eventWords.accepts(event, around)) &&
    Object.entries(query).every(([name, value]) => {
      const filter = filters[name]
      return (
        value === undefined || !filter || filter.part !== undefined || filter.accepts(event, value, around)
      )
    })
  )
}

async function readAround(query: EventsQuery, ground: EventGround): Promise<AroundEvents> {
  const { db } = ground.context
  const [category, tag, isLocated] = await Promise.all([
    findIdsByEntries(db, 'category', query.categories ?? []),
    findIdsByEntries(db, 'tag', query.tags ?? []),
    anyCoordinates(ground.context),
  ])
  const terms = { category: new Set(category), tag: new Set(tag) }
  return { ...ground, terms, isLocated, words: await readWords(query, ground) }
}

/**
 * Each searched word as corrected and as written. The latter matters when the last event with a word is
 * withdrawn, since searches correct the word from then on.
 */
async function readWords({ words = '' }: EventsQuery, { context }: EventGround): Promise<MeantWord[][]> {
  const found = await eventWords.find(words, context)
  const read = async (word: WantedWord) => ({ ...word, terms: await findTermsNamed(context.db, word) })
  const written = wantedWords(words)
  return Promise.all(
    (found?.words ?? []).map((word, at) => Promise.all([word, written[at] ?? word].map(read))),
  )
}

/** Withdrawn events as the public saw them last, with linked records that still exist. */
async function loadAsBefore(context: Context, rows: readonly WithdrawnEventRow[]): Promise<FilteredEvent[]> {
  const { db } = context
  const venueIds = rows.map((row) => idsIn(row.venues))
  const organizerIds = rows.map((row) => idsIn(row.organizers))
  const [venues, organizers] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, [...new Set(venueIds.flat())]),
    findLinkedByIds<OrganizerRow>(db, organizerRules, [...new Set(organizerIds.flat())]),
  ])
  return rows.map((row, at) => ({
    row: rowAsBefore(context, row),
    links: {
      venues: (venueIds[at] ?? []).flatMap((id) => venues.get(id) ?? []),
      organizers: (organizerIds[at] ?? []).flatMap((id) => organizers.get(id) ?? []),
      terms: idsIn(row.terms),
    },
  }))
}

function idsIn(json: string): number[] {
  return JSON.parse(json)
}

/** Values of columns that are not stored with a withdrawn event, or were not by older versions. */
const UNKNOWN = {
  ...UNSENT,
  author: 0,
  slug: '',
  date: '',
  date_utc: '',
  dated: 0,
  status: 'publish',
  trusted: 0,
}

/** A withdrawn event's row: `search` is only the title, `modified_utc` the time of the withdrawal. */
function rowAsBefore({ site }: Context, withdrawn: WithdrawnEventRow): FilteredEvent['row'] {
  const { event: id, uid, title, start_date, end_date, utc_start_date, utc_end_date } = withdrawn
  const { timezone, all_day, featured, event_status, withdrawn_utc: modified_utc } = withdrawn
  const times = { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day }
  const kept: Partial<KeptColumns> = JSON.parse(withdrawn.kept)
  const modified = utcToWall(modified_utc, site.timezone)
  const search = foldedText(title)
  return { ...UNKNOWN, ...kept, ...times, featured, event_status, id, uid, search, modified, modified_utc }
}
