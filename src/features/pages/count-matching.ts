import type { WhenWord } from '../../base/fields/event-fields.ts'
import { accessFacts } from '../../base/fields/event-members.ts'
import { utcToMs } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { EventsQuery } from '../../calendar/events/event-filters.ts'
import { timesOf, WITHOUT_BOUNDS } from '../../calendar/events/event-when.ts'
import { groundOf, indexQuery } from '../../calendar/events/find-events.ts'
import { currentMemory } from '../../calendar/events/known-records.ts'
import { countBegins, countEach, countNarrowed, countTimes } from './count-indexed.ts'

/**
 * Returns functions that count a query's public events: `terms` by term id, whatever categories the query
 * has, `access` by access fact; each may return undefined. Undefined for a search, or without the index.
 */
export function countMatching(
  context: Context,
  query: EventsQuery,
): { terms: (ids: readonly number[]) => CountsBy<number>; access: () => CountsBy<string> } | undefined {
  const memory = currentMemory(context)
  const index = memory?.index
  if (!index || isSearch(query)) return undefined
  const ground = groundOf(context, query)
  const asked = indexQuery(memory, query, ground)
  const { categories, ...others } = query
  const ofAny = asked && indexQuery(memory, others, ground)
  if (!ofAny) return undefined
  const facts = accessFacts.map((_, number) => number)
  const count = countEach(index, asked)
  const countAny = categories === undefined ? count : countEach(index, ofAny)
  return {
    terms: (ids) => countAny?.('term', ids),
    access: () => {
      const counts = count?.('access', facts)
      return counts && new Map([...counts].map(([number, count]) => [accessFacts[number] ?? '', count]))
    },
  }
}

/** Counts events that start on each of the consecutive `days`; undefined if the index cannot. */
export function countStarts(
  context: Context,
  query: EventsQuery,
  days: readonly string[],
): number[] | undefined {
  const memory = currentMemory(context)
  const asked = memory && !isSearch(query) ? indexQuery(memory, query, groundOf(context, query)) : undefined
  const moments = days.map((day) => utcToMs(`${day} 00:00:00`))
  return memory?.index && asked && countBegins(memory.index, asked, moments)
}

/**
 * Counts events for each of these values of `when`, whatever the query's dates; undefined if the index
 * cannot.
 */
export function countWhen(
  context: Context,
  query: EventsQuery,
  words: readonly WhenWord[],
): number[] | undefined {
  const memory = currentMemory(context)
  const times = words.map((word) => timesOf(word, context.site, context.now))
  const within = {
    startsBefore: latestOf(times.map(({ startsBefore }) => startsBefore)),
    endsAfter: earliestOf(times.map(({ startsAfter, endsAfter }) => endsAfter ?? startsAfter)),
  }
  const asked =
    memory && !isSearch(query)
      ? indexQuery(memory, query, { ...groundOf(context, query), window: { ...WITHOUT_BOUNDS, ...within } })
      : undefined
  return memory?.index && asked && countTimes(memory.index, asked, times)
}

const earliestOf = (walls: readonly (string | undefined)[]) => walls.toSorted()[0]

const latestOf = (walls: readonly (string | undefined)[]) => walls.toSorted().at(-1)

/**
 * How many events of `queries` each of at most 31 filters would leave; undefined if the index cannot count.
 */
export function countLeft(
  context: Context,
  queries: readonly EventsQuery[],
  filters: readonly Partial<EventsQuery>[],
): number[] | undefined {
  const memory = currentMemory(context)
  if (!memory?.index) return undefined
  const ground = groundOf(context, NO_FILTERS)
  const conditions = filters.flatMap((own) => indexQuery(memory, { ...NO_FILTERS, ...own }, ground) ?? [])
  if (conditions.length < filters.length) return undefined
  const sums = filters.map(() => 0)
  for (const query of queries) {
    const asked = indexQuery(memory, query, groundOf(context, query))
    const counts = asked && countNarrowed(memory.index, asked, conditions)
    if (!counts) return undefined
    for (const [at, count] of counts.entries()) sums[at] = (sums[at] ?? 0) + count
  }
  return sums
}

const NO_FILTERS: EventsQuery = { page: 1, per_page: 1, strict_dates: true }

const isSearch = ({ search, words }: EventsQuery) => search !== undefined || words !== undefined

type CountsBy<Key> = ReadonlyMap<Key, number> | undefined
