import type { Context } from '../context/context.ts'
import type { Parsed } from '../fields/field.ts'
import { hasEventsOf } from '../memory/event-index.ts'
import { type IndexPage, type IndexQuery, listIndexed } from '../memory/event-index-list.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import { findSearched } from '../memory/search-cache.ts'
import type { IdSet } from '../storage/id-set.ts'
import type { Taxonomy } from '../storage/schema.ts'
import { canonicalSlug } from '../text/slug.ts'
import type { event } from './event.ts'
import type { EventWindow } from './event-window.ts'

type Query = Parsed<typeof event.filters>

/**
 * Whether the index answers a list with such a value of each filter, or the database does. A filter that is declared and missing here does not
 * compile: lists would pass over it without a word.
 */
const ANSWERED: { [Name in keyof Query]-?: 'index' | 'database' | ((value: NonNullable<Query[Name]>) => boolean) } = {
  page: 'index',
  per_page: 'index',
  start_date: 'index',
  end_date: 'index',
  starts_before: 'index',
  starts_after: 'index',
  ends_before: 'index',
  ends_after: 'index',
  strict_dates: 'index',
  search: 'index',
  categories: 'index',
  tags: 'index',
  venue: 'index',
  organizer: 'index',
  featured: 'index',
  geoloc: 'index',
  geoloc_lat: 'index',
  geoloc_lng: 'index',
  geoloc_radius: 'index',
  // The index holds published events, and the links of every list name that status.
  status: (statuses) => statuses.length > 0 && statuses.every((status) => status === 'publish'),
  include: 'database',
  post_parent: 'database',
  ticketed: 'database',
}

function isAnswered(query: Query): boolean {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    const answered = ANSWERED[name as keyof Query] as (typeof ANSWERED)['status'] | undefined
    if (typeof answered === 'function' ? !answered(value as string[]) : answered !== 'index') return false
  }
  return true
}

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
  context: Context,
): IndexPage | undefined | Promise<IndexPage | undefined> {
  const asked = indexQuery(memory, query, window, context)
  if (!asked) return undefined
  const list = (among?: IdSet) => memory.index && listIndexed(memory.index, { ...asked, among }, offset, limit)
  if (query.search === undefined) return list()
  const found = findSearched(memory.searches, memory.version, query.search, context.findMatching)
  return found instanceof Promise ? found.then(list) : list(found)
}

/** What to ask the index for, but for the search; undefined when it cannot answer. */
function indexQuery(
  memory: EventMemory,
  query: Query,
  window: EventWindow,
  context: Context,
): Omit<IndexQuery, 'among'> | undefined {
  const { index } = memory
  if (!index || !isAnswered(query)) return undefined
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
      ? { lat, lng, radius: radius ?? context.site.geolocRadius }
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

/** The term an entry of a filter means: its slug, else its id (rule 13.2); names are left to the database. */
function findTermId(memory: EventMemory, taxonomy: Taxonomy, entry: string): number | undefined {
  const bySlug = memory.termIds.get(`${taxonomy} ${canonicalSlug(entry)}`)
  if (bySlug !== undefined) return bySlug
  const id = /^\d+$/.test(entry) ? Number(entry) : 0
  return memory.terms.get(id)?.taxonomy === taxonomy ? id : undefined
}

function isMet(memory: EventMemory, kind: 'venue' | 'organizer', ids: readonly number[] | undefined): boolean {
  return ids === undefined || ids.every((id) => memory.index && hasEventsOf(memory.index, kind, id))
}
