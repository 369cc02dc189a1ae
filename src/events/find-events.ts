import type { Context } from '../context/context.ts'
import type { Found } from '../declare/operations.ts'
import type { Parsed } from '../fields/field.ts'
import { geoFilter } from '../linked/geoloc.ts'
import type { IndexPage } from '../memory/event-index-list.ts'
import { type EventMemory, isBehind } from '../memory/event-memory.ts'
import { offsetOf, pageRequest } from '../records/record-store.ts'
import { statusLinks } from '../records/status.ts'
import type { EventRow } from '../storage/schema.ts'
import { parameter } from '../text/query-text.ts'
import type { event } from './event.ts'
import { listFromMemory } from './event-lists.ts'
import { listEvents } from './event-store.ts'
import { type EventWindow, eventWindow } from './event-window.ts'

export type EventsQuery = Parsed<typeof event.filters>

/**
 * One page of events: from the index in memory where the caller may see nothing else and the index can tell, from the database otherwise.
 * What the index knows at once is no promise.
 * @throws Problem, at once or later
 */
export function findEvents(context: Context, query: EventsQuery): Found<EventRow> | Promise<Found<EventRow>> {
  const found = findInMemory(context, query)
  if (found instanceof Promise) return found.then((page) => page ?? findInDatabase(context, query))
  return found ?? findInDatabase(context, query)
}

/** The same as far as the index can tell; undefined where the database has to be asked. */
export function findInMemory(
  context: Context,
  query: EventsQuery,
): Found<EventRow> | undefined | Promise<Found<EventRow> | undefined> {
  const memory = currentMemory(context)
  if (!memory) return undefined
  const window = eventWindow(query, context)
  const page = pageRequest(query, context)
  const list = () => listFromMemory(memory, query, window, offsetOf(page), page.perPage, context)
  const listed = list()
  if (listed === undefined) return undefined
  const place = { ...page, ...linksOf(context, query, window) }
  if (listed instanceof Promise) return listed.then((later) => later && inIndex(memory, later, place, undefined))
  // What a search finds depends on more than the index.
  return inIndex(memory, listed, place, query.search === undefined ? () => onlyAtOnce(list()) : undefined)
}

/** The memory, unless it may lack a change. Looking for changes may fail, and the database is asked then. */
function currentMemory({ memory, report }: Context): EventMemory | undefined {
  try {
    return memory && !isBehind(memory) ? memory : undefined
  } catch (error) {
    report(error)
    return undefined
  }
}

const onlyAtOnce = <Value>(value: Value | Promise<Value>) => (value instanceof Promise ? undefined : value)

type Place = Pick<Found, 'page' | 'perPage' | 'effective' | 'shownOnly' | 'pastEnd'>

function inIndex(
  { index }: EventMemory,
  { ids, total }: IndexPage,
  { page, perPage, effective, shownOnly, pastEnd }: Place,
  again: Found['again'],
): Found<EventRow> | undefined {
  return index && { ids, total, page, perPage, effective, shownOnly, pastEnd, revision: index.revision, again }
}

async function findInDatabase(context: Context, query: EventsQuery): Promise<Found<EventRow>> {
  const window = eventWindow(query, context)
  const page = pageRequest(query, context)
  const { rows, total } = await listEvents({ ...query, ...(await geoFilter(context, query)), window }, page, context)
  return { ids: rows.map(({ id }) => id), rows, total, ...page, ...linksOf(context, query, window) }
}

/** The parameters of links in their order (rule 11.4): the window as it was worked out, every filter as it was sent. */
function linksOf(
  context: Context,
  query: EventsQuery,
  window: EventWindow,
): Pick<Found, 'effective' | 'shownOnly' | 'pastEnd'> {
  const { status, shownOnly } = statusLinks(context.caller, query.status)
  const effective =
    parameter('start_date', window.from) +
    parameter('end_date', window.to) +
    parameter('search', query.search) +
    parameter('geoloc', asDigit(query.geoloc)) +
    parameter('geoloc_lat', query.geoloc_lat) +
    parameter('geoloc_lng', query.geoloc_lng) +
    parameter('geoloc_radius', query.geoloc_radius) +
    parameter('status', status) +
    parameter('post_parent', query.post_parent) +
    parameter('include', query.include) +
    parameter('starts_before', window.startsBefore) +
    parameter('starts_after', window.startsAfter) +
    parameter('ends_before', window.endsBefore) +
    parameter('ends_after', window.endsAfter) +
    parameter('strict_dates', query.strict_dates || undefined) +
    parameter('venue', query.venue) +
    parameter('organizer', query.organizer) +
    parameter('featured', asDigit(query.featured)) +
    parameter('categories', query.categories) +
    parameter('tags', query.tags)
  return { effective, shownOnly, pastEnd: 'event-archive-page-not-found' }
}

const asDigit = (flag: boolean | undefined) => (flag === undefined ? undefined : Number(flag))
