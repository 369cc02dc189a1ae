import type { Context } from '../declare/context.ts'
import type { PartNarrowing } from '../declare/filter.ts'
import { geoCircle, geoFilter } from '../linked/linked-conditions.ts'
import type { IndexQuery } from '../memory/event-index-list.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import { findSearched } from '../memory/search-cache.ts'
import { mayRead } from '../people/caller.ts'
import { distanceKm } from '../storage/distance.ts'
import { alsoMatching } from '../storage/search/search-index.ts'
import { hasSearchedWords, parseSearch } from '../text/search.ts'
import { atVenueWithin, type Condition, listedTo, located, withinWindow } from './event-conditions.ts'
import type { AroundEvents, EventGround, EventPart, FilteredEvent } from './event-filter.ts'
import type { EventsQuery } from './event-filters.ts'
import { isShown } from './event-present.ts'

/** How a part narrows lists; `index` gives undefined where the database has to be asked. */
interface EventPartRules {
  sql: PartNarrowing<EventsQuery, EventGround, Condition>
  index: (asked: IndexQuery, query: EventsQuery, ground: EventGround, memory: EventMemory) => IndexQuery | undefined
  accepts: (event: FilteredEvent, query: EventsQuery, around: AroundEvents) => boolean
}

/** The search is put around all other conditions. */
export const eventParts: Record<Exclude<EventPart, 'search'>, EventPartRules> = {
  status: {
    sql: (_query, { status, context }) => listedTo(context, status.statuses),
    // The index holds published events, and the links of every list name that status.
    index: (asked, { status }) => (!status || areAllPublished(status) ? asked : undefined),
    accepts: ({ row }, _query, { status, context }) =>
      row.hide_from_listings === 0 &&
      status.statuses.some((listed) => listed === row.status) &&
      mayRead(context.caller, row),
  },
  window: {
    sql: (_query, { window }) => withinWindow(window),
    // Every query of the index begins with the window.
    index: (asked) => asked,
    accepts: ({ row: { start_date: start, end_date: end } }, _query, { window }) =>
      (window.startsAfter === undefined
        ? window.from === undefined || start >= window.from
        : start > window.startsAfter) &&
      (window.endsBefore === undefined ? window.to === undefined || start <= window.to : end < window.endsBefore) &&
      (window.startsBefore === undefined || start < window.startsBefore) &&
      (window.endsAfter === undefined || end > window.endsAfter),
  },
  place: {
    sql: async (query, { context }) => {
      const { geoloc, circle } = await geoFilter(context, query)
      const conditions = [
        ...(geoloc === undefined ? [] : [located(geoloc, context)]),
        ...(circle ? [atVenueWithin(circle, context)] : []),
      ]
      return (record) => record.and(conditions.map((one) => one(record)))
    },
    index: (asked, query, { context }, { index }) => {
      const circle = geoCircle(context, query)
      const { geoloc } = query
      if (!circle && geoloc === undefined) return asked
      const isLocated = index !== undefined && index.places.all.size > 0
      return isLocated ? { ...asked, circle, geoloc } : asked
    },
    accepts: ({ links }, query, { context, isLocated }) => {
      const circle = geoCircle(context, query)
      if (!isLocated) return true
      const venues = links.venues.filter((venue) => isShown(context, venue))
      const isInCircle = venues.some(
        ({ geo_lat: lat, geo_lng: lng }) =>
          circle && lat !== null && lng !== null && distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius,
      )
      const { geoloc } = query
      return (
        (geoloc === undefined || venues.some((venue) => venue.geo_lat !== null) === geoloc) && (!circle || isInCircle)
      )
    },
  },
}

function areAllPublished(statuses: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => status === 'publish')
}

/** The search of events (rule 14.2). */
export const eventSearch = {
  sql: async (text: string, all: Condition, { db, findMatching }: Context): Promise<Condition> => {
    const searched = await alsoMatching(db, parseSearch(text), findMatching)
    return (record) => record.and([searched(all(record))])
  },
  /** A known result is no promise. */
  index: (text: string, asked: IndexQuery, memory: EventMemory, { findMatching }: Context) => {
    const among = findSearched(memory.searches, memory.version, text, findMatching)
    return among instanceof Promise ? among.then((later) => ({ ...asked, among: later })) : { ...asked, among }
  },
  accepts: (text: string, { row }: FilteredEvent) => hasSearchedWords(parseSearch(text), row.search),
}
