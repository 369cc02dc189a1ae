import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import { parseSearch } from '../../base/text/search.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { seesAll } from '../../calendar/people/caller.ts'
import { shownTo, visibleTo } from '../../calendar/records/record-store.ts'
import { findIdsByEntries } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { countIds, listIds } from '../../store/storage/id-set.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { alsoMatching } from '../../store/storage/search/search-index.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { statement } from '../../store/storage/statement.ts'

// The list of events at the desk. A deep page takes no longer than the first: a query follows an index from
// where the page begins, or starts from the few events that a filter leaves.

export const DESK_TABS = ['coming', 'pending', 'draft', 'future', 'past', 'trash'] as const
export type DeskTab = (typeof DESK_TABS)[number]

export const DESK_SORTS = ['start', 'title', 'changed'] as const
export type DeskSort = (typeof DESK_SORTS)[number]

/** Maximum of events that are counted, or sorted other than by start. */
export const MOST_COUNTED = 1000

export interface DeskPlace {
  start: string
  id: number
}

export interface DeskFilters {
  search?: string
  /** A category includes those below. */
  categories?: readonly string[]
  tags?: readonly string[]
  venue?: readonly number[]
  organizer?: readonly number[]
  author?: number
  /** The id of an import source. */
  source?: number
  /** Series whose dates have a row each; any other series is one row. */
  series?: readonly number[]
  /** Events start between these days. */
  from?: string
  to?: string
}

export interface DeskList extends DeskFilters {
  tab: DeskTab
  sort: DeskSort
  /** The page begins after `after`, or ends before `before`. */
  after?: DeskPlace
  before?: DeskPlace
}

export interface DeskPageFound {
  ids: number[]
  /** How many dates of its series an event stands for, itself included. */
  dates: ReadonlyMap<number, number>
  /** `MOST_COUNTED + 1` for more; undefined if counting takes long. */
  counts: Record<DeskTab, number> | undefined
  /** Undefined if there is no such page. */
  earlier: DeskPlace | undefined
  later: DeskPlace | undefined
  /** False if more than `MOST_COUNTED` are listed by start instead. */
  isSorted: boolean
}

/** A filter that leaves more is tested on one event after the other. */
const MOST_CANDIDATES = 2000
/** Written as in the index, so that SQLite uses it. */
const isLasting = sql<SqlBool>`substr(end_date, 1, 10) > substr(start_date, 1, 10)`
const FIRST = '0000-00-00 00:00:00'
const LAST = '9999-12-31 23:59:59'

interface Now {
  today: string
  yesterday: string
  now: string
}

function nowOf({ site, now }: Pick<Context, 'site' | 'now'>): Now {
  const wall = wallNow(site.timezone, now)
  const day = dayOf(wall)
  return { today: `${day} 00:00:00`, yesterday: `${addDays(day, -1)} 23:59:59`, now: wall }
}

/** Tabs are made of runs in an index. */
interface IndexRun {
  status: string
  isHidden: 0 | 1
  part: 'coming' | 'still on' | 'past' | 'all'
}

const STATUSES_OF: Readonly<Record<DeskTab, readonly string[]>> = {
  coming: ['publish', 'private'],
  past: ['publish', 'private'],
  pending: ['pending'],
  draft: ['draft'],
  future: ['future'],
  trash: ['trash'],
}

const PARTS_OF: Readonly<Record<DeskTab, readonly IndexRun['part'][]>> = {
  coming: ['coming', 'still on'],
  past: ['past'],
  pending: ['all'],
  draft: ['all'],
  future: ['all'],
  trash: ['all'],
}

const runsOf = (tab: DeskTab): IndexRun[] =>
  STATUSES_OF[tab].flatMap((status) =>
    ([0, 1] as const).flatMap((isHidden) => PARTS_OF[tab].map((part) => ({ status, isHidden, part }))),
  )

/** One bound at each end: of two, SQLite might follow the looser one. */
function startsOf(
  { part }: Pick<IndexRun, 'part'>,
  { from, to }: { from: string; to: string },
  { today, yesterday }: Now,
) {
  return {
    from: part === 'coming' && today > from ? today : from,
    to: (part === 'past' || part === 'still on') && yesterday < to ? yesterday : to,
  }
}

/** Events that are on may have begun at any time, so SQLite finds them by their end. */
function inRun(
  {
    status,
    isHidden,
    part,
  }: { status: RawBuilder<unknown>; isHidden: RawBuilder<unknown>; part: IndexRun['part'] },
  bounds: { from: unknown; to: unknown; now: unknown },
): RawBuilder<SqlBool> {
  const starts = sql<SqlBool>`start_date >= ${bounds.from} and start_date <= ${bounds.to}`
  const when =
    part === 'still on'
      ? sql`${asValue(starts)} and end_date >= ${bounds.now} and ${isLasting}`
      : part === 'past'
        ? sql`${starts} and end_date < ${bounds.now}`
        : starts
  return sql`status ${status} and hide_from_listings ${isHidden} and ${when}`
}

const only = ({ status, isHidden, part }: IndexRun) => ({
  status: sql`= ${status}`,
  isHidden: sql`= ${sql.lit(isHidden)}`,
  part,
})

const asValue = (condition: RawBuilder<unknown>) => sql<SqlBool>`(${condition}) is true`

function tabOf({ status, start_date, end_date }: Candidate, { today, now }: Now): DeskTab {
  if (status !== 'publish' && status !== 'private') return DESK_TABS.find((tab) => tab === status) ?? 'draft'
  return start_date < today && end_date < now ? 'past' : 'coming'
}

interface CountBounds {
  now: string
  from: string
  to: string
  /**
   * Where runs are cut: coming events start today or later, those that have begun started yesterday or
   * earlier.
   */
  later: string
  earlier: string
}

/** 0 counts all authors. */
interface CountAuthors extends CountBounds {
  author: number
  mine: number
}

type CountRow = { tab: DeskTab; count: number | string }

/**
 * Events that are on come last, since they take longest. The statement is short: SQLite keeps no long ones,
 * and preparing takes longer than counting.
 */
function countRuns(
  value: (name: keyof CountBounds) => unknown,
  isWanted: RawBuilder<SqlBool>,
): RawBuilder<CountRow> {
  const isHidden = sql`in (0, 1)`
  const eventsOf = (tab: DeskTab) => (part: IndexRun['part']) => {
    const from = value(part === 'coming' ? 'later' : 'from')
    const to = value(part === 'past' || part === 'still on' ? 'earlier' : 'to')
    const status = sql`in (${sql.join(STATUSES_OF[tab].map((status) => sql.lit(status)))})`
    return sql`select 1 from events where ${inRun(
      { status, isHidden, part },
      { from, to, now: value('now') },
    )} and ${isWanted}`
  }
  const counts = DESK_TABS.map((tab) => {
    const events = sql.join(PARTS_OF[tab].map(eventsOf(tab)), sql` union all `)
    return sql`select ${sql.lit(tab)} as tab, count(*) as count from (${events}
      limit ${sql.lit(MOST_COUNTED + 1)}) as matching`
  })
  return sql<CountRow>`${sql.join(counts, sql` union all `)}`
}

const countTabs = statement<{ [Name in keyof CountBounds]: CountBounds[Name] }>()<CountRow>((_db, value) =>
  countRuns(value, sql`1 = 1`),
)

const countTabsOf = statement<{ [Name in keyof CountAuthors]: CountAuthors[Name] }>()<CountRow>(
  (_db, value) =>
    countRuns(
      value,
      sql`(author = ${value('author')} or ${value('author')} = 0)
      and (author = ${value('mine')} or ${value('mine')} = 0 or status = 'publish')`,
    ),
)

async function countByIndex(
  { db, caller }: Context,
  filters: DeskFilters,
  now: Now,
): Promise<Record<DeskTab, number>> {
  const { from, to } = boundsOf(filters)
  const later = startsOf({ part: 'coming' }, { from, to }, now).from
  const earlier = startsOf({ part: 'past' }, { from, to }, now).to
  const bounds = { now: now.now, from, to, later, earlier }
  const mine = seesAll(caller) ? 0 : caller.id
  const rows = await (filters.author === undefined && mine === 0
    ? countTabs(db, bounds)
    : countTabsOf(db, { ...bounds, author: filters.author ?? 0, mine }))
  const counts = noCounts()
  for (const { tab, count } of rows) counts[tab] = Number(count)
  return counts
}

const noCounts = () => ({ coming: 0, pending: 0, draft: 0, future: 0, past: 0, trash: 0 })

const boundsOf = ({ from, to }: DeskFilters) => ({
  from: from === undefined ? FIRST : `${from} 00:00:00`,
  to: to === undefined ? LAST : `${to} 23:59:59`,
})

/** `ids` finds the first events that it leaves. */
interface ListNarrowing {
  isMet: RawBuilder<SqlBool>
  ids?: (most: number) => Promise<readonly number[]>
}

async function narrowingsOf(context: Context, filters: DeskFilters): Promise<ListNarrowing[]> {
  const { db } = context
  const { search, categories, tags, venue, organizer, author, source, series } = filters
  const made = await Promise.all([
    search === undefined ? undefined : bySearch(context, search),
    categories === undefined ? undefined : byTerms(db, await findIdsByEntries(db, 'category', categories)),
    tags === undefined ? undefined : byTerms(db, await findIdsByEntries(db, 'tag', tags)),
    venue === undefined ? undefined : byLinked(context, 'venue', venue),
    organizer === undefined ? undefined : byLinked(context, 'organizer', organizer),
    author === undefined ? undefined : byAuthor(db, author),
    source === undefined ? undefined : bySource(db, source),
    series === undefined ? undefined : bySeries(db, series),
  ])
  return made.filter((one) => one !== undefined)
}

const idsBy = (db: Db, query: RawBuilder<{ id: number }>) => async (most: number) =>
  (await sql<{ id: number }>`${query} limit ${sql.lit(most)}`.execute(db)).rows.map(({ id }) => id)

function byTerms(db: Db, terms: readonly number[]): ListNarrowing {
  const list = wholeList(db, terms)
  return {
    isMet: sql`exists (select 1 from event_terms where event = events.id and term in ${list})`,
    ids: idsBy(db, sql`select event as id from event_terms where term in ${list}`),
  }
}

function byLinked(
  { db, caller }: Context,
  kind: 'venue' | 'organizer',
  ids: readonly number[],
): ListNarrowing {
  const [links, records] = [sql.table(`event_${kind}s`), sql.table(`${kind}s`)]
  const seen = sql`select ${records}.id from ${records} where ${records}.id in ${wholeList(db, ids)}
    and ${shownTo(caller, `${kind}s`)}`
  return {
    isMet: sql`exists (select 1 from ${links} where event = events.id and ${sql.ref(kind)} in (${seen}))`,
    ids: idsBy(db, sql`select event as id from ${links} where ${sql.ref(kind)} in (${seen})`),
  }
}

function byAuthor(db: Db, author: number): ListNarrowing {
  return {
    isMet: asValue(sql`events.author = ${author}`),
    ids: idsBy(db, sql`select id from events where author = ${author}`),
  }
}

function bySource(db: Db, source: number): ListNarrowing {
  const items = sql`select 1 from import_items where source = ${source}`
  const found = sql`select record from import_items where source = ${source}`
  return {
    isMet: sql`(exists (${items} and kind = 'event' and record = events.id) or exists (${items}
      and kind = 'series' and record = events.series))`,
    ids: idsBy(
      db,
      sql`select record as id from import_items where source = ${source} and kind = 'event'
        union all select id from events where series in (${found} and kind = 'series')`,
    ),
  }
}

function bySeries(db: Db, series: readonly number[]): ListNarrowing {
  const list = wholeList(db, series)
  return {
    isMet: asValue(sql`events.series in ${list}`),
    ids: idsBy(db, sql`select id from events where series is not null and series in ${list}`),
  }
}

async function bySearch({ db, findMatching }: Context, text: string): Promise<ListNarrowing> {
  const search = parseSearch(text)
  const found = await findMatching(search)
  if (countIds(found) <= MOST_CANDIDATES) {
    const ids = listIds(found)
    return { isMet: sql`events.id in ${wholeList(db, ids)}`, ids: async () => ids }
  }
  const searched = await alsoMatching(db, search, async () => found)
  return { isMet: sql`(${searched(sql<SqlBool>`1 = 1`)})` }
}

const COLUMNS = ['id', 'status', 'start_date', 'end_date', 'series', 'modified_utc'] as const
type Candidate = Pick<EventRow, (typeof COLUMNS)[number]>

/** Undefined if each filter leaves more than `MOST_CANDIDATES`. */
async function findCandidates(
  context: Context,
  list: DeskList,
  filters: ListNarrowing[],
): Promise<Candidate[] | undefined> {
  const { db, caller, readInLane } = context
  let few: readonly number[] | undefined
  for (const { ids } of filters) {
    const found = await ids?.(MOST_CANDIDATES + 1)
    if (found && found.length <= MOST_CANDIDATES && (few === undefined || found.length < few.length))
      few = found
  }
  if (few === undefined) return undefined
  if (few.length === 0) return []
  const { from, to } = boundsOf(list)
  const query = sql<Candidate>`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from events
    where id in ${wholeList(db, few)} and ${visibleTo(caller, 'events')} and start_date >= ${from}
      and start_date <= ${to}
      and ${both(filters)}`
  const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  return rows
}

const both = (filters: readonly ListNarrowing[]) =>
  filters.length === 0
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`${sql.join(
        filters.map(({ isMet }) => isMet),
        sql` and `,
      )}`

const isBackwards = (tab: DeskTab) => tab === 'past'

function inRunFor(
  context: Context,
  run: IndexRun,
  bounds: { from: string; to: string },
): RawBuilder<SqlBool> {
  const now = nowOf(context)
  const isSeen = run.status === 'publish' ? sql`1 = 1` : asValue(sql`${visibleTo(context.caller, 'events')}`)
  return sql`${inRun(only(run), { ...startsOf(run, bounds, now), now: now.now })} and ${isSeen}`
}

async function walk(
  context: Context,
  list: DeskList,
  filters: readonly ListNarrowing[],
  { isDescending, from, most }: { isDescending: boolean; from: DeskPlace | undefined; most: number },
): Promise<(DeskPlace & Pick<Candidate, 'id'>)[]> {
  const { db, readInLane } = context
  const bounds = boundsOf(list)
  const order = isDescending ? sql`start_date desc, id desc` : sql`start_date, id`
  if (from && isDescending && from.start < bounds.to) bounds.to = from.start
  if (from && !isDescending && from.start > bounds.from) bounds.from = from.start
  const beyond = from
    ? sql`(start_date <> ${from.start} or ${isDescending ? sql`id < ${from.id}` : sql`id > ${from.id}`})`
    : sql`1 = 1`
  const runs = runsOf(list.tab).map(
    (run) => sql`select * from (
      select start_date, id from events where ${inRunFor(context, run, bounds)} and ${beyond}
        and ${both(filters)}
      order by ${order} limit ${sql.lit(most)}) as run`,
  )
  const query = sql<{ start_date: string; id: number }>`
    ${sql.join(runs, sql` union all `)} order by ${order} limit ${sql.lit(most)}`
  const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  return rows.map(({ start_date, id }) => ({ start: start_date, id }))
}

export async function findDeskPage(
  context: Context,
  list: DeskList,
  perPage: number,
): Promise<DeskPageFound> {
  const now = nowOf(context)
  const filters = await narrowingsOf(context, list)
  const candidates = await findCandidates(context, list, filters)
  const isPlain = filters.length === 0 || (filters.length === 1 && list.author !== undefined)
  const counts = candidates
    ? countByTab(candidates, now)
    : isPlain
      ? await countByIndex(context, list, now)
      : undefined
  const inTab = candidates && inTheTab(candidates, list.tab, now)
  const once =
    list.series !== undefined
      ? []
      : inTab
        ? seriesAmong(inTab, list)
        : await findSeriesRows(context, list, filters)
  const others = once.length > 0 ? [...filters, ofNoSeries] : filters
  const dates = new Map(once.map(({ id, dates }) => [id, dates]))
  const rows = inTab && tabOrder([...once, ...(once.length > 0 ? inTab.filter(isSingle) : inTab)], list.tab)
  if (list.sort !== 'start') {
    const most = MOST_COUNTED + 1
    const all = rows ?? [...once, ...(await walk(context, list, others, { ...start(list), most }))]
    if (all.length <= MOST_COUNTED) return sortedPage(context, list, { all, counts, dates, perPage })
    // Other dates may stand for their series in order of start.
    return { ...(await findDeskPage(context, { ...list, sort: 'start' }, perPage)), isSorted: false }
  }
  const page = rows
    ? sliced(rows, list, perPage)
    : await walked(context, list, { filters: others, once }, perPage)
  return { ...page, counts, dates, isSorted: true }
}

/** Its first date in the order of the tab, or the one changed last, stands for a series. */
interface SeriesRow extends DeskPlace {
  dates: number
}

const isSingle = ({ series }: Pick<Candidate, 'series'>) => series === null

const ofNoSeries: ListNarrowing = { isMet: sql`events.series is null` }

/** @param inTab in the order of the tab */
function seriesAmong(inTab: readonly CandidatePlace[], { sort }: DeskList): SeriesRow[] {
  const rows = new Map<number, CandidatePlace & SeriesRow>()
  for (const place of inTab) {
    if (place.series === null) continue
    const known = rows.get(place.series)
    const isLater = known === undefined || (sort === 'changed' && place.modified_utc > known.modified_utc)
    rows.set(place.series, { ...(isLater ? place : known), dates: (known?.dates ?? 0) + 1 })
  }
  return [...rows.values()]
}

/** Added to ids, so that they have one length and sort as numbers behind a text. */
const ID_BASE = 1_000_000_000_000

async function findSeriesRows(
  context: Context,
  list: DeskList,
  filters: readonly ListNarrowing[],
): Promise<SeriesRow[]> {
  const { db, readInLane } = context
  const isChanged = list.sort === 'changed'
  const key = sql`${sql.ref(isChanged ? 'modified_utc' : 'start_date')} || '_' || (id + ${sql.lit(ID_BASE)})`
  const first = isChanged || isBackwards(list.tab) ? sql`max(place)` : sql`min(place)`
  const bounds = boundsOf(list)
  const runs = runsOf(list.tab).map(
    (run) => sql`select series, ${key} as place from events
      where ${inRunFor(context, run, bounds)} and series is not null and ${both(filters)}`,
  )
  const query = sql<{ first: string; dates: number | string }>`
    select ${first} as first, count(*) as dates from (${sql.join(
      runs,
      sql`
      union all `,
    )}) as run group by series`
  const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  return rows.map((row) => {
    const [start = '', id] = row.first.split('_')
    return { start, id: Number(id) - ID_BASE, dates: Number(row.dates) }
  })
}

const start = ({ tab }: DeskList) => ({ isDescending: isBackwards(tab), from: undefined })

export async function findDeskIds(context: Context, list: DeskList, most: number): Promise<number[]> {
  const filters = await narrowingsOf(context, list)
  const candidates = await findCandidates(context, list, filters)
  const places = candidates
    ? inTheTab(candidates, list.tab, nowOf(context))
    : await walk(context, list, filters, { ...start(list), most })
  return places.slice(0, most).map(({ id }) => id)
}

function countByTab(candidates: readonly Candidate[], now: Now): Record<DeskTab, number> {
  const counts = noCounts()
  for (const candidate of candidates) {
    const tab = tabOf(candidate, now)
    counts[tab] = Math.min(counts[tab] + 1, MOST_COUNTED + 1)
  }
  return counts
}

type CandidatePlace = DeskPlace & Pick<Candidate, 'series' | 'modified_utc'>

function inTheTab(candidates: readonly Candidate[], tab: DeskTab, now: Now): CandidatePlace[] {
  const places = candidates
    .filter((candidate) => tabOf(candidate, now) === tab)
    .map(({ start_date, id, series, modified_utc }) => ({ start: start_date, id, series, modified_utc }))
  return tabOrder(places, tab)
}

function tabOrder<Place extends DeskPlace>(places: Place[], tab: DeskTab): Place[] {
  const sorted = places.sort(byPlace)
  return isBackwards(tab) ? sorted.reverse() : sorted
}

const byPlace = (a: DeskPlace, b: DeskPlace) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.id - b.id)

type Sliced = Pick<DeskPageFound, 'ids' | 'earlier' | 'later'>

function sliced(places: readonly DeskPlace[], { tab, after, before }: DeskList, perPage: number): Sliced {
  const compare = (a: DeskPlace, b: DeskPlace) => (isBackwards(tab) ? byPlace(b, a) : byPlace(a, b))
  const end = before ? places.findIndex((place) => compare(place, before) >= 0) : -1
  const first = after ? places.findIndex((place) => compare(place, after) > 0) : 0
  const from = before
    ? Math.max(0, (end < 0 ? places.length : end) - perPage)
    : first < 0
      ? places.length
      : first
  return pageOf(places, from, before && end >= 0 ? Math.min(end, from + perPage) : from + perPage)
}

function pageOf(places: readonly DeskPlace[], from: number, to: number): Sliced {
  const page = places.slice(from, to)
  return {
    ids: page.map(({ id }) => id),
    earlier: from > 0 ? page[0] : undefined,
    later: to < places.length ? page.at(-1) : undefined,
  }
}

/** One event more than the page shows whether there is another page. */
async function walked(
  context: Context,
  list: DeskList,
  { filters, once }: { filters: readonly ListNarrowing[]; once: readonly DeskPlace[] },
  perPage: number,
): Promise<Sliced> {
  const { after, before } = list
  const isDescending = isBackwards(list.tab) !== (before !== undefined)
  const from = before ?? after
  const compare = (a: DeskPlace, b: DeskPlace) => (isDescending ? byPlace(b, a) : byPlace(a, b))
  const walkedTo = await walk(context, list, filters, { isDescending, from, most: perPage + 1 })
  const found = [...walkedTo, ...once.filter((place) => !from || compare(place, from) > 0)].sort(compare)
  const hasMore = found.length > perPage
  const page = found.slice(0, perPage)
  if (before) page.reverse()
  return {
    ids: page.map(({ id }) => id),
    earlier: before ? (hasMore ? page[0] : undefined) : after && page[0],
    later: before || hasMore ? page.at(-1) : undefined,
  }
}

const SORTED_BY = { title: 'title', changed: 'modified_utc' } as const

/** At most `MOST_COUNTED` are sorted. Places have ids but no starts. */
async function sortedPage(
  { db, readInLane, site }: Context,
  { sort, after, before }: DeskList,
  {
    all,
    perPage,
    ...known
  }: Pick<DeskPageFound, 'counts' | 'dates'> & { all: readonly DeskPlace[]; perPage: number },
): Promise<DeskPageFound> {
  const column = sort === 'start' ? 'start_date' : SORTED_BY[sort]
  const ids = all.map(({ id }) => id)
  const query = sql<{ id: number; by: string }>`
    select id, ${sql.ref(column)} as by from events where id in ${wholeList(db, ids)}`
  const [rows] =
    ids.length === 0 ? [[]] : await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  const collator = new Intl.Collator(site.language, { numeric: true })
  const compare = sort === 'title' ? collator.compare : (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0)
  const places = rows.sort((a, b) => compare(a.by, b.by) || a.id - b.id).map(({ id }) => ({ start: '', id }))
  const at = places.findIndex(({ id }) => id === (after ?? before)?.id)
  const from = at < 0 ? 0 : after ? at + 1 : Math.max(0, at - perPage)
  return { ...pageOf(places, from, before && at >= 0 ? at : from + perPage), ...known, isSorted: true }
}
