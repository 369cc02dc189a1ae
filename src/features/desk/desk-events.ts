import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import { visibleTo } from '../../calendar/records/record-store.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { countByIndex, MOST_COUNTED, noPartCounts } from './desk-list-counts.ts'
import {
  asValue,
  both,
  type DeskFilters,
  filterBounds,
  type ListNarrowing,
  MOST_CANDIDATES,
  narrowingsOf,
} from './desk-list-filters.ts'
import {
  DESK_TABS,
  type DeskTab,
  type IndexRun,
  inRun,
  type Now,
  nowOf,
  only,
  runStarts,
  runsOf,
} from './desk-list-runs.ts'

// Lists of events for the desk. Later pages take no longer than the first: a query follows an index from the
// start of the page, or begins with the few events that a filter leaves.

export const DESK_SORTS = ['start', 'title', 'changed'] as const
export type DeskSort = (typeof DESK_SORTS)[number]

export interface DeskPlace {
  start: string
  id: number
}

export interface DeskList extends DeskFilters {
  tab: DeskTab
  sort: DeskSort
  /** The page begins after the position `after`, or ends before the position `before`. */
  after?: DeskPlace
  before?: DeskPlace
}

export interface DeskPageFound {
  ids: number[]
  /** For an event that stands for its series: the number of matching dates, including itself. */
  dates: ReadonlyMap<number, number>
  /** Events in each tab, `MOST_COUNTED + 1` if there are more; undefined if counting would take long. */
  counts: Record<DeskTab, number> | undefined
  /** `before` for the previous page; `later`: `after` for the next page. Undefined without such a page. */
  earlier: DeskPlace | undefined
  later: DeskPlace | undefined
  /** False if more than `MOST_COUNTED` events match: then they are listed by start instead. */
  isSorted: boolean
}

function tabOf({ status, start_date, end_date }: Candidate, { today, now }: Now): DeskTab {
  if (status !== 'publish' && status !== 'private') return DESK_TABS.find((tab) => tab === status) ?? 'draft'
  return start_date < today && end_date < now ? 'past' : 'coming'
}

const COLUMNS = ['id', 'status', 'start_date', 'end_date', 'series', 'modified_utc'] as const
type Candidate = Pick<EventRow, (typeof COLUMNS)[number]>

/** Returns the matching events if a filter leaves at most `MOST_CANDIDATES`, else undefined. */
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
  const { from, to } = filterBounds(list)
  const query = sql<Candidate>`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from events
    where id in ${wholeList(db, few)} and ${visibleTo(caller, 'events')} and start_date >= ${from}
      and start_date <= ${to}
      and ${both(filters)}`
  const [rows] = await readInLane(db, 'list', [{ compile: () => query.compile(db) }])
  return rows
}

const isBackwards = (tab: DeskTab) => tab === 'past'

function inRunFor(
  context: Context,
  run: IndexRun,
  bounds: { from: string; to: string },
): RawBuilder<SqlBool> {
  const now = nowOf(context)
  const isSeen = run.status === 'publish' ? sql`1 = 1` : asValue(sql`${visibleTo(context.caller, 'events')}`)
  return sql`${inRun(only(run), { ...runStarts(run, bounds, now), now: now.now })} and ${isSeen}`
}

async function walk(
  context: Context,
  list: DeskList,
  filters: readonly ListNarrowing[],
  { isDescending, from, most }: { isDescending: boolean; from: DeskPlace | undefined; most: number },
): Promise<(DeskPlace & Pick<Candidate, 'id'>)[]> {
  const { db, readInLane } = context
  const bounds = filterBounds(list)
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
    // Sorted by start, other dates may stand for their series, so the page is searched anew.
    return { ...(await findDeskPage(context, { ...list, sort: 'start' }, perPage)), isSorted: false }
  }
  const page = rows
    ? sliced(rows, list, perPage)
    : await walked(context, list, { filters: others, once }, perPage)
  return { ...page, counts, dates, isSorted: true }
}

/** The date that stands for its series: the first in the tab; sorted by `changed`, the one changed last. */
interface SeriesRow extends DeskPlace {
  dates: number
}

const isSingle = ({ series }: Pick<Candidate, 'series'>) => series === null

const ofNoSeries: ListNarrowing = { isMet: sql`events.series is null` }

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

/** Added to ids in a sort key, so that they sort as numbers within text. */
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
  const bounds = filterBounds(list)
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
  const counts = noPartCounts()
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

/** Reads a page and one event more, which tells whether another page follows. */
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

/** Sorts up to `MOST_COUNTED` events by title or last change; the positions have ids, but empty starts. */
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
