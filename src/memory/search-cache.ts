import { type Cache, type CacheBudget, emptyCache, findCached, keepCached } from '../cache.ts'
import type { Database } from '../storage/database.ts'
import type { IdSet } from '../storage/id-set.ts'
import { parseSearch } from '../text/search.ts'

/** Bytes that a cached result costs beside its ids and its key. */
const OVERHEAD = 300

/** The results of searches: the next page of one costs nothing. */
export interface EventSearches {
  found: Cache<string, IdSet>
  /** Searches under way. */
  asked: Map<string, Promise<IdSet>>
}

export function emptySearches(budget: CacheBudget): EventSearches {
  return { found: emptyCache(budget), asked: new Map() }
}

/**
 * The events that a search finds in data of at least this version, from the cache or the database. A cached result was found at that version or
 * during the change to the next.
 */
export function findSearched(
  searches: EventSearches,
  version: string,
  text: string,
  findMatching: Database['findMatching'],
): IdSet | Promise<IdSet> {
  const search = parseSearch(text)
  const key = JSON.stringify([version, search])
  const known = findCached(searches.found, key) ?? searches.asked.get(key)
  if (known) return known
  const looking = findMatching(search)
    .then((ids) => {
      keepCached(searches.found, key, ids, ids.byteLength + key.length * 2 + OVERHEAD)
      return ids
    })
    .finally(() => searches.asked.delete(key))
  searches.asked.set(key, looking)
  return looking
}
