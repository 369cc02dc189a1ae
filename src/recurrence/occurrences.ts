import { settledWall } from '../text/zones.ts'
import type { Recurrence, Start } from './recurrence.ts'
import { ruleDates } from './rule-dates.ts'

/**
 * The original starts of a series up to the horizon, a wall time: in order, none twice, at most `limit`. The first is the
 * start unless an exception takes it away, even where the horizon lies before it. Times that a clock change skips are
 * moved forward, so that two dates may become one.
 */
export function occurrenceStarts(recurrence: Recurrence, start: Start, until: string, limit: number): string[] {
  const { rule, added, left } = recurrence
  const horizon = until < start.local ? start.local : until
  const gone = new Set(left)
  const starts = new Set<string>()
  const wanted = limit + left.length
  for (const wall of rule ? ruleDates(rule, start, horizon) : [start.local]) {
    if (wall > horizon || starts.size >= wanted) break
    starts.add(settled(wall, start))
  }
  for (const wall of added) if (wall <= horizon) starts.add(wall)
  return [...starts]
    .filter((wall) => !gone.has(wall))
    .sort()
    .slice(0, limit)
}

/** A wall time of a series as it takes place: days are the same everywhere, times may be skipped by a clock change. */
export function settled(wall: string, { zone, allDay }: Start): string {
  return allDay ? wall : settledWall(wall, zone)
}
