import { type CacheBudget, emptyGenerations, findKept, type Generations, keep } from '../common/generations.ts'
import type { Database } from '../storage/database.ts'
import type { IdSet } from '../storage/id-set.ts'
import { parseSearch } from '../text/search.ts'

/** What searches have found, so that the next page of one costs nothing. */
export interface EventSearches {
  found: Generations<string, IdSet>
  /** Searches under way. */
  asked: Map<string, Promise<IdSet>>
}

export function emptySearches(budget: CacheBudget): EventSearches {
  return { found: emptyGenerations(budget), asked: new Map() }
}

/**
 * The events that a search finds in data of at least this version: remembered, or looked for. Whatever is remembered was looked for at
 * that very version or while it was being left.
 */
export function findSearched(
  searches: EventSearches,
  version: string,
  text: string,
  findMatching: Database['findMatching'],
): IdSet | Promise<IdSet> {
  const search = parseSearch(text)
  const key = JSON.stringify([version, search])
  const known = findKept(searches.found, key) ?? searches.asked.get(key)
  if (known) return known
  const looking = findMatching(search)
    .then((ids) => {
      keep(searches.found, key, ids, ids.byteLength + key.length * 2)
      return ids
    })
    .finally(() => searches.asked.delete(key))
  searches.asked.set(key, looking)
  return looking
}
