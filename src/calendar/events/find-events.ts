import { type IndexPage, type IndexQuery, listIndexed } from '../../store/memory/event-index-list.ts'
import { type EventMemory, soonFilled } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { conditionsOf } from '../declare/filter.ts'
import type { Found } from '../declare/operations.ts'
import { MAX_ID, offsetOf, type PageRequest, pageRequest } from '../records/record-store.ts'
import { statusFilter, statusLinks } from '../records/status.ts'
import { type Condition, firstOfSeries } from './event-conditions.ts'
import {
  currentMemory,
  type EventFilter,
  type EventGround,
  type EventsQuery,
  eventFilters,
  eventLinks,
  eventParts,
  eventSearch,
} from './event-filters.ts'
import { listEventIds, listEvents } from './event-store.ts'
import { eventWindow } from './event-when.ts'
import { findWithdrawn } from './find-withdrawn.ts'

/**
 * One page of events: from the index in memory where the caller sees public events only and the index can answer, else from the database. While a
 * small calendar is being read into memory it waits for that. A result of the index is no promise.
 * @throws Problem, at once or later
 */
export function findEvents(context: Context, query: EventsQuery): Found<EventRow> | Promise<Found<EventRow>> {
  const filling = context.memory && soonFilled(context.memory)
  return filling ? filling.then(() => findNow(context, query)) : findNow(context, query)
}

function findNow(context: Context, query: EventsQuery): Found<EventRow> | Promise<Found<EventRow>> {
  const found = findInMemory(context, query)
  if (found instanceof Promise) return found.then((page) => page ?? findInDatabase(context, query))
  return found ?? findInDatabase(context, query)
}

/** Finds a page in the index. Returns undefined if the database has to be asked. */
export function findInMemory(
  context: Context,
  query: EventsQuery,
): Found<EventRow> | undefined | Promise<Found<EventRow> | undefined> {
  const memory = currentMemory(context)
  if (!memory) return undefined
  const ground = groundOf(context, query)
  const page = pageRequest(query, context)
  const list = () => listFromMemory(memory, query, ground, page)
  const listed = list()
  if (listed === undefined) return undefined
  const effective = eventLinks(query, ground)
  if (listed instanceof Promise)
    return listed.then((later) => later && inIndex(memory, query, ground, later, page, effective, undefined))
  // The result of a search depends on more than the index.
  const again = query.search === undefined ? () => onlyAtOnce(list()) : undefined
  return inIndex(memory, query, ground, listed, page, effective, again)
}

const onlyAtOnce = <Value>(value: Value | Promise<Value>) => (value instanceof Promise ? undefined : value)

function inIndex(
  { index }: EventMemory,
  query: EventsQuery,
  { status }: EventGround,
  { ids, total }: IndexPage,
  { page, perPage }: PageRequest,
  effective: string,
  again: Found['again'],
): Found<EventRow> | undefined {
  return (
    index && {
      isCollapsed: isCollapsed(query),
      ids,
      total,
      page,
      perPage,
      effective,
      shownOnly: statusLinks(status).shownOnly,
      pastEnd: PAST_END,
      revision: index.revision,
      again,
    }
  )
}

const PAST_END = 'event-archive-page-not-found'

async function findInDatabase(context: Context, query: EventsQuery): Promise<Found<EventRow>> {
  const ground = groundOf(context, query)
  const page = pageRequest(query, context)
  const where = await conditionOf(query, ground)
  const { rows, total } = await listEvents(where, query.include ? 'publication' : 'start', page, context)
  return {
    isCollapsed: isCollapsed(query),
    ids: rows.map(({ id }) => id),
    rows,
    total,
    ...page,
    effective: eventLinks(query, ground),
    shownOnly: statusLinks(ground.status).shownOnly,
    pastEnd: PAST_END,
  }
}

/** All events that a query finds, without pages: their ids alone, whose rows are read as they are shown. @throws Problem */
export async function findAllEvents(context: Context, query: EventsQuery): Promise<Found<EventRow>> {
  const ground = groundOf(context, query)
  const effective = eventLinks(query, ground)
  const { statuses } = ground.status
  const memory = currentMemory(context)
  const listed = memory && (await listFromMemory(memory, query, ground, EVERY_PAGE))
  const revision = memory?.index?.revision
  const order = query.include ? 'publication' : 'start'
  const ids = listed?.ids ?? (await listEventIds(await conditionOf(query, ground), order, context))
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
  return listed && revision !== undefined ? { ...found, revision } : found
}

const EVERY_PAGE: PageRequest = { page: 1, perPage: MAX_ID }

function groundOf(context: Context, query: EventsQuery): EventGround {
  return { context, window: eventWindow(query, context), status: statusFilter(context.caller, query.status) }
}

const filters: Readonly<Record<string, EventFilter<unknown>>> = eventFilters
const parts = Object.values(eventParts)
const sqlOfParts = parts.map(({ sql }) => sql)

async function conditionOf(query: EventsQuery, ground: EventGround): Promise<Condition> {
  const conditions = await conditionsOf(filters, sqlOfParts, query, ground)
  const all: Condition = (record) => record.and(conditions.map((condition) => condition(record)))
  const found = query.search === undefined ? all : await eventSearch.sql(query.search, all, ground.context)
  return isCollapsed(query) ? firstOfSeries(found) : found
}

/** Returns true for a list that shows the next occurrence of each series alone. */
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

/**
 * The page of a public list from the index; undefined when it has to come from the database: a filter or value that the index does not know,
 * or an index that is not read yet. A search that is not remembered takes a while.
 */
function listFromMemory(
  memory: EventMemory,
  query: EventsQuery,
  ground: EventGround,
  page: PageRequest,
): IndexPage | undefined | Promise<IndexPage | undefined> {
  if (!memory.index) return undefined
  const asked = indexQuery(memory, query, ground)
  if (!asked) return undefined
  const list = (narrowed: IndexQuery) =>
    memory.index && listIndexed(memory.index, narrowed, offsetOf(page), page.perPage)
  if (query.search === undefined) return list(asked)
  const searched = eventSearch.index(query.search, asked, memory, ground.context)
  return searched instanceof Promise ? searched.then(list) : list(searched)
}

/** The question to the index, without the search; undefined where the index cannot answer. */
function indexQuery(memory: EventMemory, query: EventsQuery, ground: EventGround): IndexQuery | undefined {
  let asked: IndexQuery | undefined = { ...EVERYTHING, window: ground.window, isCollapsed: isCollapsed(query) }
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
