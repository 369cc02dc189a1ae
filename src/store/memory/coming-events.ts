import { formatUtc, utcToMs } from '../../base/text/moments.ts'
import { compareSlots, type EventIndex, type PostingKind, postingsFor, slotsOfPosting } from './event-index.ts'
import { boundAt, lowerBound, type SortedSlots, sliceSlots } from './sorted-slots.ts'

// The coming events of a venue, an organizer or a term, read from its posting list. The work is bounded, however long the list is.

/** How many events that have begun are looked at for those that still last, and how many of the next ones for those to be shown. */
const LOOK_BACK = 200
const LOOK_AHEAD = 64

/** A posting list, and where in it the events of a day and of the days after it begin. */
interface Coming {
  list: SortedSlots
  from: number
  /** The slots of events that began earlier and last until that day or longer. */
  lasting: number[]
}

function comingOf(index: EventIndex, kind: PostingKind, id: number, day: string): Coming {
  const list = slotsOfPosting(index, postingsFor(index, kind, [id])[0])
  const key = utcToMs(`${day} 00:00:00`)
  const from = lowerBound(list, boundAt(index.starts, index.ordered, key, false))
  const begun = sliceSlots(list, Math.max(0, from - LOOK_BACK), from)
  return { list, from, lasting: begun.filter((slot) => (index.ends[slot] as number) >= key) }
}

/** How many listed events of a venue or organizer end on a day or later; of those that have begun, the latest 200 are looked at. */
export function countComing(index: EventIndex, kind: 'venue' | 'organizer', id: number, day: string): number {
  const { list, from, lasting } = comingOf(index, kind, id, day)
  return list.size - from + lasting.length
}

/** An event that others are found for, with its own terms; its series is 0 for none. */
export interface Subject {
  id: number
  series: number
  terms: readonly number[]
  organizers: readonly number[]
}

/** Finds the ids of the next listed events at a venue from `day` on, in order: one of each series, without the subject and its series. */
export function nextAtVenue(
  index: EventIndex,
  venue: number,
  { id, series }: Subject,
  day: string,
  most: number,
): number[] {
  const { list, from, lasting } = comingOf(index, 'venue', venue, day)
  const slots = [...sliceSlots(list, from, from + LOOK_AHEAD), ...lasting]
  return oneOfEachSeries(index, slots, { id, series }, new Set(), most)
}

/** How much a shared record of a kind says, before how rare it is. */
const WEIGHTS = { term: 1, organizer: 0.75 } as const
/** The most terms and organizers of an event that are asked for others. */
const MOST_SHARED = 25

/**
 * The listed events from a day on that share the most with one, as `nextAtVenue` leaves out others, and without those in `shown`: their ids, the
 * closest first. What few events have in common counts for more; of the events of each term and organizer the next 64 are looked at.
 */
export function relatedEvents(
  index: EventIndex,
  subject: Subject,
  day: string,
  shown: ReadonlySet<number>,
  most: number,
): number[] {
  const shared = [
    ...subject.organizers.map((id) => ({ kind: 'organizer', id }) as const),
    ...subject.terms.map((id) => ({ kind: 'term', id }) as const),
  ]
  const scores = new Map<number, number>()
  for (const { kind, id } of shared.slice(0, MOST_SHARED)) {
    const { list, from, lasting } = comingOf(index, kind, id, day)
    const score = WEIGHTS[kind] * Math.log2(1 + index.slotCount / Math.max(1, list.size))
    for (const slot of [...sliceSlots(list, from, from + LOOK_AHEAD), ...lasting])
      scores.set(slot, (scores.get(slot) ?? 0) + score)
  }
  const order = compareSlots(index)
  const closest = [...scores].sort(([a, one], [b, other]) => other - one || order(a, b)).map(([slot]) => slot)
  return oneOfEachSeries(index, closest, subject, shown, most)
}

/** Finds which of these events are listed and end on `day` or later, the first of each series: their starts in wall time by id, in list order. */
export function comingAmong(index: EventIndex, ids: readonly number[], day: string, most: number): Map<number, string> {
  const key = utcToMs(`${day} 00:00:00`)
  const slots = ids.flatMap((id) => {
    const slot = (index.slotOf[id] ?? 0) - 1
    return slot >= 0 && (index.ends[slot] as number) >= key ? [slot] : []
  })
  const first = oneOfEachSeries(index, slots.sort(compareSlots(index)), { id: 0, series: 0 }, new Set(), most)
  return new Map(first.map((id) => [id, formatUtc(index.starts[(index.slotOf[id] as number) - 1] as number)]))
}

/** The ids of these slots in their order, of each series the first one. */
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
