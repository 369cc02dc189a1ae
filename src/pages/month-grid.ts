import type { EventIndex } from '../memory/event-index.ts'
import { dayOf } from '../text/moments.ts'
import { DAY_MS, dayAt, lastDayOf, laterOf, NIGHT_MS } from './page-dates.ts'
import type { FoundEvents } from './page-finding.ts'

/** An event in the weeks of a month: its first and last day. */
export interface Stretch {
  id: number
  first: string
  last: string
}

/** The events of one day: those that begin and end on it, and the number that are not shown. */
export interface GridDay {
  day: string
  /** Ids of bars by their lane; undefined for a lane that is free on this day. */
  lanes: (Stretch | undefined)[]
  single: Stretch[]
  total: number
}

/** The most events that a day shows, and the most bars above one another. */
export const MOST_OF_A_DAY = 5
const MOST_LANES = 3

/** The first and last day of each event; an event deleted meanwhile is left out. */
export function stretchesOf(found: FoundEvents, index: EventIndex | undefined): Stretch[] {
  const stretches: Stretch[] = []
  for (const id of found.ids) {
    const times = found.times?.get(id)
    const slot = (index?.slotOf[id] ?? 0) - 1
    if (times) stretches.push({ id, first: dayOf(times.start), last: lastDayOf(times.start, times.end) })
    else if (index && slot >= 0) stretches.push(stretchAt(index, slot, id))
  }
  return stretches
}

/** The same from the columns of the index. */
function stretchAt({ starts, ends }: EventIndex, slot: number, id: number): Stretch {
  const first = Math.floor((starts[slot] as number) / DAY_MS)
  const last = Math.max(first, Math.floor(((ends[slot] as number) - NIGHT_MS) / DAY_MS))
  return { id, first: dayAt(first), last: dayAt(last) }
}

/** Distributes events over weeks: those of several days as bars that keep their lane through a week, the others into their day. */
export function fillWeeks(weeks: readonly (readonly string[])[], stretches: readonly Stretch[]): GridDay[][] {
  const byDay = Map.groupBy(
    stretches.filter(({ first, last }) => first === last),
    ({ first }) => first,
  )
  const long = stretches.filter(({ first, last }) => first < last)
  return weeks.map((week) => fillWeek(week, long, byDay))
}

function fillWeek(week: readonly string[], long: readonly Stretch[], byDay: ReadonlyMap<string, Stretch[]>): GridDay[] {
  const [monday = '', sunday = ''] = [week[0], week.at(-1)]
  const ends: string[] = []
  const days = week.map((day): GridDay => ({ day, lanes: [], single: [], total: 0 }))
  for (const bar of long) {
    if (bar.first > sunday || bar.last < monday) continue
    const free = ends.findIndex((end) => end < laterOf(bar.first, monday))
    const lane = free === -1 ? ends.length : free
    ends[lane] = bar.last
    for (const day of days) {
      if (day.day < bar.first || day.day > bar.last) continue
      day.total += 1
      if (lane < MOST_LANES) day.lanes[lane] = bar
    }
  }
  for (const day of days) {
    const single = byDay.get(day.day) ?? []
    day.total += single.length
    day.single = single.slice(0, Math.max(0, MOST_OF_A_DAY - day.lanes.filter(Boolean).length))
  }
  return days
}

/** The number of events of a day that are not shown. */
export const hiddenOf = ({ total, lanes, single }: GridDay) => total - lanes.filter(Boolean).length - single.length
