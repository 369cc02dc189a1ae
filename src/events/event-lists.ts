import type { Asking } from '../declare/asking.ts'
import type { Parsed } from '../declare/resource.ts'
import type { IdSet } from '../storage/id-set.ts'
import type { Taxonomy } from '../storage/schema.ts'
import { canonicalSlug } from '../text/slug.ts'
import type { event } from './event.ts'
import { hasEventsOf } from './event-index.ts'
import { type IndexPage, type IndexQuery, listIndexed } from './event-index-list.ts'
import type { EventMemory } from './event-memory.ts'
import { findSearched } from './event-search.ts'
import type { EventWindow } from './event-window.ts'

type Query = Parsed<typeof event.filters>

/** Filters that the index cannot answer; lists that use them are answered from the database. */
const BEYOND = ['status', 'include', 'post_parent', 'ticketed'] as const

/**
 * The page of a public list from memory; undefined when it has to come from the database: a filter that the index does not know,
 * a term, venue or organizer it has not met, or an index that is not read yet. A search that is not remembered takes a while.
 */
export function listFromMemory(
  memory: EventMemory,
  query: Query,
  window: EventWindow,
  offset: number,
  limit: number,
  asking: Asking,
): IndexPage | undefined | Promise<IndexPage | undefined> {
  const asked = indexQuery(memory, query, window, asking)
  if (!asked) return undefined
  const list = (among?: IdSet) => memory.index && listIndexed(memory.index, { ...asked, among }, offset, limit)
  if (query.search === undefined) return list()
  const found = findSearched(memory.searches, memory.version, query.search, asking.findMatching)
  return found instanceof Promise ? found.then(list) : list(found)
}

/** What to ask the index for, but for the search; undefined when it cannot answer. */
function indexQuery(
  memory: EventMemory,
  query: Query,
  window: EventWindow,
  asking: Asking,
): Omit<IndexQuery, 'among'> | undefined {
  const { index } = memory
  if (!index || BEYOND.some((name) => query[name] !== undefined)) return undefined
  const terms: number[][] = []
  for (const [taxonomy, entries] of [['category', query.categories] as const, ['tag', query.tags] as const]) {
    const ids = entries?.map((entry) => findTermId(memory, taxonomy, entry))
    if (ids?.includes(undefined)) return undefined
    if (ids) terms.push(ids as number[])
  }
  const { venue, organizer, featured, geoloc, geoloc_lat: lat, geoloc_lng: lng, geoloc_radius: radius } = query
  if (!isMet(memory, 'venue', venue) || !isMet(memory, 'organizer', organizer)) return undefined
  if ((lat ?? null) === null ? (lng ?? null) !== null : (lng ?? null) === null) return undefined
  const isLocated = index.places.all.size > 0
  const circle =
    isLocated && typeof lat === 'number' && typeof lng === 'number'
      ? { lat, lng, radius: radius ?? asking.site.geolocRadius }
      : undefined
  return {
    window,
    terms,
    venues: venue,
    organizers: organizer,
    featured,
    geoloc: isLocated ? geoloc : undefined,
    circle,
  }
}

/** The term an entry of a filter means: its slug, else its id (contract 4.6); names are left to the database. */
function findTermId(memory: EventMemory, taxonomy: Taxonomy, entry: string): number | undefined {
  const bySlug = memory.termIds.get(`${taxonomy} ${canonicalSlug(entry)}`)
  if (bySlug !== undefined) return bySlug
  const id = /^\d+$/.test(entry) ? Number(entry) : 0
  return memory.terms.get(id)?.taxonomy === taxonomy ? id : undefined
}

function isMet(memory: EventMemory, kind: 'venue' | 'organizer', ids: readonly number[] | undefined): boolean {
  return ids === undefined || ids.every((id) => memory.index && hasEventsOf(memory.index, kind, id))
}
