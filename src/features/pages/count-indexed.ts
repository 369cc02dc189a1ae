import { utcToMs } from '../../base/text/moments.ts'
import { DAY_MS } from '../../base/text/zones.ts'
import {
  type EventIndex,
  type PostingKind,
  postingsFor,
  slotsOfPosting,
} from '../../store/memory/event-index.ts'
import {
  type AskedTimes,
  acceptanceOf,
  boundsOf,
  type EventWindow,
  gatherSlots,
  hourSet,
  type IndexQuery,
  indexChoices,
  leastSource,
  rangeWithin,
  type SlotBounds,
} from '../../store/memory/event-index-list.ts'
import { boundAt, eachRun } from '../../store/memory/sorted-slots.ts'

/** At most this many index slots are counted, which takes a millisecond or two. */
const MOST_COUNTED = 10_000

/**
 * Returns a function that counts matching events of each term or fact; undefined if too many would be
 * counted. A long list narrowed only by its window counts events that begin within it.
 */
export function countEach(
  index: EventIndex,
  query: IndexQuery,
): ((kind: PostingKind, ids: readonly number[]) => ReadonlyMap<number, number>) | undefined {
  const count = postingCounter(index, query)
  if (!count) return undefined
  return (kind, ids) =>
    new Map(
      ids.flatMap((id) => postingsFor(index, kind, [id]).map((posting) => [id, count(posting)] as const)),
    )
}

function postingCounter(index: EventIndex, query: IndexQuery): ((posting: number) => number) | undefined {
  const choices = indexChoices(index, query)
  const bounds = boundsOf(index, query)
  const least = leastSource(index, choices, bounds)
  if (least.weight <= MOST_COUNTED) {
    const others = choices.filter((choice) => choice !== least.choice)
    const slots = gatherSlots(index, least.ranges(), acceptanceOf(index, others, bounds, query.among))
    const counts = tally(index, slots)
    return (posting) => counts[posting] ?? 0
  }
  if (choices.length > 0 || bounds.hours || query.among) return undefined
  const begun = boundsOfStarts(index, query.window)
  return (posting) => {
    const { from, to } = rangeWithin(slotsOfPosting(index, posting), begun)
    return to - from
  }
}

/** Counts events by first day. `days`: first moments, in ms, of consecutive days. Undefined if too slow. */
export function countBegins(
  index: EventIndex,
  query: IndexQuery,
  days: readonly number[],
): number[] | undefined {
  const [first = 0] = days
  const choices = indexChoices(index, query)
  const at = (moment: number) => boundAt(index.starts, index.ordered, moment, false)
  const span = { from: at(first), to: at(first + days.length * DAY_MS) }
  const bounds: SlotBounds = { ...span, ends: undefined, hours: query.hours && hourSet(query.hours) }
  if (choices.length === 0 && !bounds.hours && !query.among)
    return days.map((day) => {
      const { from, to } = rangeWithin(index.all, { ...bounds, from: at(day), to: at(day + DAY_MS) })
      return to - from
    })
  const least = leastSource(index, choices, bounds)
  if (least.weight > MOST_COUNTED) return undefined
  const others = choices.filter((choice) => choice !== least.choice)
  const counts = days.map(() => 0)
  for (const slot of gatherSlots(index, least.ranges(), acceptanceOf(index, others, bounds, query.among))) {
    const day = Math.floor(((index.starts[slot] as number) - first) / DAY_MS)
    counts[day] = (counts[day] ?? 0) + 1
  }
  return counts
}

/** At most this many slots are visited; comparing their ends takes about a millisecond. */
const MOST_WALKED = 200_000

/** Visits matching slots in any order; false without a visit if more than `most` would have to be checked. */
function visitSlots(
  index: EventIndex,
  query: IndexQuery,
  most: number,
  visit: (slot: number) => void,
): boolean {
  const choices = indexChoices(index, query)
  const bounds = boundsOf(index, query)
  const least = leastSource(index, choices, bounds)
  if (least.weight > most) return false
  const others = choices.filter((choice) => choice !== least.choice)
  const accepts = acceptanceOf(index, others, bounds, query.among)
  const ranges = least.ranges()
  const [only] = ranges
  if (!only || ranges.length > 1) for (const slot of gatherSlots(index, ranges, accepts)) visit(slot)
  else
    eachRun(only.list, only.from, only.to, (slots, from, to) => {
      for (let i = from; i < to; i++) if (accepts(slots[i] as number)) visit(slots[i] as number)
    })
  return true
}

/** Counts events in each of `times`, within the query's window; undefined if it would take too long. */
export function countTimes(
  index: EventIndex,
  query: IndexQuery,
  times: readonly AskedTimes[],
): number[] | undefined {
  const edge = (wall: string | undefined, open: number) => (wall === undefined ? open : utcToMs(wall))
  const bounds = times.map(({ startsAfter, startsBefore, endsAfter }) => ({
    after: edge(startsAfter, Number.NEGATIVE_INFINITY),
    before: edge(startsBefore, Number.POSITIVE_INFINITY),
    end: edge(endsAfter, Number.NEGATIVE_INFINITY),
    count: 0,
  }))
  const { starts, ends } = index
  const isKnown = visitSlots(index, query, MOST_WALKED, (slot) => {
    const [start, end] = [starts[slot] as number, ends[slot] as number]
    for (const own of bounds) if (start > own.after && start < own.before && end > own.end) own.count++
  })
  return isKnown ? bounds.map(({ count }) => count) : undefined
}

const MOST_CONDITIONS = 31

/**
 * Counts the events that meet each of at most 31 conditions; in a collapsed list, a series counts once.
 * Undefined if too many would have to be visited.
 */
export function countNarrowed(
  index: EventIndex,
  query: IndexQuery,
  conditions: readonly IndexQuery[],
): number[] | undefined {
  const { series: seriesOf, linkStarts, linkCounts, links, postings } = index
  const bits = new Uint32Array(postings.length)
  conditions.slice(0, MOST_CONDITIONS).forEach((condition, at) => {
    for (const choice of indexChoices(index, condition))
      for (const posting of choice.postings) bits[posting] = (bits[posting] as number) | (1 << at)
  })
  const counts = conditions.map(() => 0)
  const met = new Map<number, number>()
  const most = query.window.endsAfter === undefined ? MOST_COUNTED : MOST_WALKED
  const isKnown = visitSlots(index, query, most, (slot) => {
    const start = linkStarts[slot] as number
    const end = start + (linkCounts[slot] as number)
    let found = 0
    for (let i = start; i < end; i++) found |= bits[links[i] as number] as number
    const series = query.isCollapsed ? (seriesOf[slot] as number) : 0
    if (series !== 0) {
      const before = met.get(series) ?? 0
      met.set(series, before | found)
      found &= ~before
    }
    for (let at = 0; found !== 0; at++, found >>>= 1) if (found & 1) counts[at] = (counts[at] ?? 0) + 1
  })
  return isKnown ? counts : undefined
}

function boundsOfStarts(index: EventIndex, window: EventWindow): SlotBounds {
  const from = window.startsAfter ?? window.from ?? window.endsAfter
  const plain = { ...window, from, startsAfter: undefined, endsAfter: undefined, endsBefore: undefined }
  return boundsOf(index, { window: plain })
}

function tally(
  { linkStarts, linkCounts, links, postings }: EventIndex,
  slots: readonly number[],
): Uint32Array {
  const counts = new Uint32Array(postings.length)
  for (const slot of slots) {
    const start = linkStarts[slot] as number
    const end = start + (linkCounts[slot] as number)
    for (let i = start; i < end; i++) {
      const posting = links[i] as number
      counts[posting] = (counts[posting] as number) + 1
    }
  }
  return counts
}
