import { dayOf, formatUtc, utcToMs } from '../../base/text/moments.ts'
import {
  compareSlots,
  type EventIndex,
  type PostingKind,
  postingsFor,
  slotsOfPosting,
} from '../../store/memory/event-index.ts'
import { boundAt, lowerBound, type SortedSlots, sliceSlots } from '../../store/memory/sorted-slots.ts'

// Finds coming events of a venue, organizer or term in the index, with bounded work.

/** `LOOK_BACK`: begun events checked for still lasting, at most. `LOOK_AHEAD`: coming ones looked at. */
const LOOK_BACK = 200
const LOOK_AHEAD = 64

interface Coming {
  list: SortedSlots
  from: number
  lasting: number[]
}

function comingOf(index: EventIndex, kind: PostingKind, id: number, over: string): Coming {
  const list = slotsOfPosting(index, postingsFor(index, kind, [id])[0])
  const key = utcToMs(`${dayOf(over)} 00:00:00`)
  const from = lowerBound(list, boundAt(index.starts, index.ordered, key, false))
  const begun = sliceSlots(list, Math.max(0, from - LOOK_BACK), from)
  return { list, from, lasting: begun.filter((slot) => (index.ends[slot] as number) > utcToMs(over)) }
}

/**
 * Counts listed events that start on the day of `over` or later, or end after the local time `over`. Of begun
 * events, only the latest 200 are checked.
 */
export function countComing(
  index: EventIndex,
  kind: 'venue' | 'organizer',
  id: number,
  over: string,
): number {
  const { list, from, lasting } = comingOf(index, kind, id, over)
  return list.size - from + lasting.length
}

/** The event whose page shows further events; `series` is 0 if it has none. */
export interface Subject {
  id: number
  series: number
  terms: readonly number[]
  organizers: readonly number[]
}

/**
 * Ids of a venue's events from the day of `over` on, then of those still on: one per series, none of the
 * subject's.
 */
export function nextAtVenue(
  index: EventIndex,
  venue: number,
  { id, series }: Subject,
  over: string,
  most: number,
): number[] {
  const { list, from, lasting } = comingOf(index, 'venue', venue, over)
  const slots = [...sliceSlots(list, from, from + LOOK_AHEAD), ...lasting]
  return oneOfEachSeries(index, slots, { id, series }, new Set(), most)
}

const WEIGHTS = { term: 1, organizer: 0.75 } as const
const MOST_SHARED = 25

/**
 * Ids of coming and lasting events that share terms or organizers with the subject, most similar first. A
 * rarer term or organizer counts more. Each series has one event; none is from the subject's series or in
 * `shown`.
 */
export function relatedEvents(
  index: EventIndex,
  subject: Subject,
  over: string,
  shown: ReadonlySet<number>,
  most: number,
): number[] {
  const shared = [
    ...subject.organizers.map((id) => ({ kind: 'organizer', id }) as const),
    ...subject.terms.map((id) => ({ kind: 'term', id }) as const),
  ]
  const scores = new Map<number, number>()
  for (const { kind, id } of shared.slice(0, MOST_SHARED)) {
    const { list, from, lasting } = comingOf(index, kind, id, over)
    const score = WEIGHTS[kind] * Math.log2(1 + index.slotCount / Math.max(1, list.size))
    for (const slot of [...sliceSlots(list, from, from + LOOK_AHEAD), ...lasting])
      scores.set(slot, (scores.get(slot) ?? 0) + score)
  }
  const order = compareSlots(index)
  const closest = [...scores].sort(([a, one], [b, other]) => other - one || order(a, b)).map(([slot]) => slot)
  return oneOfEachSeries(index, closest, subject, shown, most)
}

/**
 * Of `ids`, finds listed events that end on `day` or later, the first of each series, with their local start.
 */
export function comingAmong(
  index: EventIndex,
  ids: readonly number[],
  day: string,
  most: number,
): Map<number, string> {
  const key = utcToMs(`${day} 00:00:00`)
  const slots = ids.flatMap((id) => {
    const slot = (index.slotOf[id] ?? 0) - 1
    return slot >= 0 && (index.ends[slot] as number) >= key ? [slot] : []
  })
  const first = oneOfEachSeries(index, slots.sort(compareSlots(index)), { id: 0, series: 0 }, new Set(), most)
  return new Map(first.map((id) => [id, formatUtc(index.starts[(index.slotOf[id] as number) - 1] as number)]))
}

function oneOfEachSeries(
  index: EventIndex,
  slots: readonly number[],
  { id: own, series: ownSeries }: Pick<Subject, 'id' | 'series'>,
  shown: ReadonlySet<number>,
  most: number,
): number[] {
  const met = new Set([ownSeries])
  const ids: number[] = []
  for (const slot of slots) {
    const id = index.ids[slot] as number
    const series = index.series[slot] as number
    if (ids.length === most || id === own || shown.has(id) || (series !== 0 && met.has(series))) continue
    met.add(series)
    ids.push(id)
  }
  return ids
}
