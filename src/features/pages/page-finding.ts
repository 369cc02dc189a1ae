import { Problem } from '../../base/problems.ts'
import { addDays, dayOf, formatUtc, utcToMs } from '../../base/text/moments.ts'
import type { EventsQuery } from '../../calendar/events/event-filters.ts'
import { findEvents, type ListOrder } from '../../calendar/events/find-events.ts'
import { windowFilters } from '../feeds/feed.ts'
import { type Card, loadCards } from './cards.ts'
import { endOfOver } from './page-dates.ts'
import { learnTerms } from './page-terms.ts'
import type { Viewing } from './viewing.ts'

export type EventFilters = Omit<Partial<EventsQuery>, 'page' | 'per_page'>

export interface FoundEvents {
  ids: readonly number[]
  total: number
  /** Local start and end by id; undefined if the index answered. */
  times: ReadonlyMap<number, { start: string; end: string }> | undefined
}

/** At most this many are read from the database; the index has no limit. */
const MOST_OF_DATABASE = 500

/** Finds a page of events; `perPage` may exceed the limits of the REST API. */
export async function findPageEvents(
  { context, memory }: Viewing,
  filters: EventFilters,
  page: number,
  perPage: number,
  order: ListOrder = 'start',
): Promise<FoundEvents> {
  const most = memory.index ? perPage : Math.min(perPage, MOST_OF_DATABASE)
  const uncapped = { ...context, site: { ...context.site, pageSizeCap: most } }
  const query: EventsQuery = { ...filters, strict_dates: filters.strict_dates ?? false, page, per_page: most }
  const { ids, total, rows } = await findEvents(uncapped, query, order)
  const times = rows && new Map(rows.map((row) => [row.id, { start: row.start_date, end: row.end_date }]))
  return { ids, total, times }
}

/** @throws Problem event-archive-page-not-found for a page after the last */
export async function findCards(
  viewing: Viewing,
  filters: EventFilters,
  page: number,
  perPage: number,
  order: ListOrder = 'start',
): Promise<{ cards: Card[]; total: number }> {
  const { ids, total } = await findPageEvents(viewing, filters, page, perPage, order)
  if (page > 1 && ids.length === 0) throw new Problem('event-archive-page-not-found')
  return { cards: await cardsOf(viewing, ids), total }
}

/** Loads the cards that can be shown, and the terms of their events. */
export async function cardsOf(
  { context, memory, cards, terms }: Viewing,
  ids: readonly number[],
): Promise<Card[]> {
  const loaded = await loadCards(context, memory, cards, ids)
  await learnTerms(
    context,
    terms,
    loaded.flatMap((card) => card.terms),
  )
  return loaded
}

function withoutDates(filters: EventFilters): EventFilters {
  const others = { ...filters }
  for (const name of windowFilters) delete others[name]
  return others
}

export function withoutDatesAndWhen(filters: EventFilters): EventFilters {
  const { when: _when, ...others } = withoutDates(filters)
  return others
}

const FIRST_DAY = '0001-01-01'
const LAST_DAY = '9999-12-31'

/**
 * Filters for events from `day` on, including those still on. An event that ends in the small hours counts as
 * ended the evening before, unless it is still on or `when` asks for it (rule 13.10).
 */
export const from = ({ today, wall }: Clock, filters: EventFilters, day: string): EventFilters => ({
  ...withoutDates(filters),
  ends_after:
    filters.when === undefined
      ? endOfOver(day === today ? wall : `${day} 23:59:59`)
      : `${addDays(day, -1)} 23:59:59`,
  strict_dates: true,
})

type Clock = Pick<Viewing, 'today' | 'wall'>

export const starting = (filters: EventFilters, first: string, last: string | undefined): EventFilters => ({
  ...withoutDates(filters),
  starts_after: `${addDays(first, -1)} 23:59:59`,
  ...(last === undefined || last === LAST_DAY ? {} : { starts_before: `${addDays(last, 1)} 00:00:00` }),
  strict_dates: true,
})

export function everyDateOf({ collapse: _collapse, ...filters }: EventFilters): EventFilters {
  return filters
}

export const between = (clock: Clock, filters: EventFilters, first: string, last: string): EventFilters => ({
  ...from(clock, filters, first),
  ...(last === LAST_DAY ? {} : { starts_before: `${addDays(last, 1)} 00:00:00` }),
})

export const before = (filters: EventFilters, wall: string): EventFilters => ({
  ...withoutDatesAndWhen(filters),
  ends_before: formatUtc(utcToMs(endOfOver(wall)) + 1000),
  starts_after: `${FIRST_DAY} 00:00:00`,
  starts_before: `${dayOf(wall)} 00:00:00`,
  strict_dates: true,
})

export async function datesOfPage(
  viewing: Viewing,
  filters: EventFilters,
  page: number,
  perPage: number,
): Promise<{ first: string; last: string } | undefined> {
  const { ids } = await findPageEvents(viewing, filters, page, perPage)
  const cards = await cardsOf(viewing, ids.length > 1 ? [...ids.slice(0, 1), ...ids.slice(-1)] : ids)
  const [first, last] = [cards[0], cards.at(-1)]
  return first && last && { first: first.start.slice(0, 10), last: last.start.slice(0, 10) }
}

const always = (filters: EventFilters): EventFilters => ({
  ...withoutDates(filters),
  start_date: FIRST_DAY,
  end_date: LAST_DAY,
})

/** Finds the nearest events before and after the local time `start`, ignoring dates in the filters. */
export async function findNeighbours(
  viewing: Viewing,
  filters: EventFilters,
  start: string,
): Promise<(Card | undefined)[]> {
  const ids = await findNeighbourIds(viewing, filters, start)
  const cards = await cardsOf(
    viewing,
    ids.filter((id) => id !== undefined),
  )
  return ids.map((id) => cards.find((card) => card.id === id))
}

export async function findNeighbourIds(
  viewing: Viewing,
  filters: EventFilters,
  start: string,
): Promise<(number | undefined)[]> {
  const others = withoutDatesAndWhen(filters)
  const earlier = { ...others, start_date: `${FIRST_DAY} 00:00:00`, starts_before: start, strict_dates: true }
  const later = { ...others, starts_after: start, strict_dates: true }
  const [{ total }, next] = await Promise.all([
    findPageEvents(viewing, earlier, 1, 1),
    findPageEvents(viewing, later, 1, 1),
  ])
  const previous = total === 0 ? { ids: [] } : await findPageEvents(viewing, earlier, total, 1)
  return [previous.ids[0], next.ids[0]]
}

/** Finds the days of the first and last event, ignoring dates in the filters; undefined without events. */
export async function findBounds(
  viewing: Viewing,
  filters: EventFilters,
): Promise<{ first: string; last: string } | undefined> {
  const all = always(filters)
  const first = await findPageEvents(viewing, all, 1, 1)
  if (first.total === 0) return undefined
  const last = await findPageEvents(viewing, all, first.total, 1)
  const cards = await cardsOf(viewing, [...first.ids, ...last.ids])
  const days = cards.map(({ start }) => start.slice(0, 10))
  const [earliest, latest] = [days[0], days.at(-1)]
  return earliest === undefined || latest === undefined ? undefined : { first: earliest, last: latest }
}
