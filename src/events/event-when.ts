import { addDays, addMonths, dayOf, endOfDay, formatUtc, parseMoment, startOfDay, wallNow } from '../text/moments.ts'
import { settledWall, wallToUtc } from '../text/zones.ts'

const MONTHS_AHEAD = 24

/** The window computed last. Every request for a list asks for it several times, and many ask within a second. */
let latest = { zone: '', second: Number.NaN, window: { start: '', end: '' } }

/**
 * The four times an event keeps, from the wall times asked for and its zone (contract 5.3, 0.3.15, defect 18). A wall
 * time that a clock change skips moves forward; an all-day event runs from 00:00:00 of its first day to 23:59:59 of its
 * last, whatever the clocks do at midnight; an end before the start becomes the start (all day: the end of that day).
 * UTC is always that of the wall time kept. Throws a RangeError on an unknown zone.
 */
export function settleWhen(input: { start: string; end: string; timezone: string; allDay: boolean }) {
  const { start, end } = input.allDay ? wholeDays(input.start, input.end) : settledSpan(input)
  return {
    start_date: start,
    end_date: end,
    utc_start_date: wallToUtc(start, input.timezone),
    utc_end_date: wallToUtc(end, input.timezone),
  }
}

/**
 * The window of a list without dates (contract 4.3, defect 42): from the start of yesterday in the zone of the site to
 * the end of the day 24 months after today, reckoned in UTC. `now` is in ms since the epoch; the window is the same for
 * as long as neither calendar turns a page.
 */
export function defaultWindow(zone: string, now: number): Readonly<{ start: string; end: string }> {
  const second = Math.floor(now / 1000)
  if (latest.zone !== zone || latest.second !== second) latest = { zone, second, window: windowAt(zone, now) }
  return latest.window
}

/**
 * A date parameter of the list as the wall time it is compared with; undefined when it is no moment (contract 4.3,
 * 0.3.1). It is read in `zone`, that of the site, and an offset is converted to it. Unless `strict`, the time of day is
 * dropped: `start` is 00:00:00 of the day, `end` and the four bounds `starts_*` and `ends_*` ('before-after') are its
 * 23:59:59. So `start_date=now` is the start of today, `ends_after=now` waits for tomorrow unless strict.
 */
export function parseWindowEdge(
  value: string | number,
  edge: 'start' | 'end' | 'before-after',
  strict: boolean,
  zone: string,
  now: number,
): string | undefined {
  const wall = parseMoment(value, zone, now)
  if (wall === undefined || strict) return wall
  return edge === 'start' ? startOfDay(wall) : endOfDay(wall)
}

function windowAt(zone: string, now: number): { start: string; end: string } {
  return {
    start: startOfDay(addDays(dayOf(wallNow(zone, now)), -1)),
    end: endOfDay(addMonths(dayOf(formatUtc(now)), MONTHS_AHEAD)),
  }
}

function settledSpan(input: { start: string; end: string; timezone: string }): { start: string; end: string } {
  const start = settledWall(input.start, input.timezone)
  const end = settledWall(input.end, input.timezone)
  return end < start ? { start, end: start } : { start, end }
}

function wholeDays(first: string, last: string): { start: string; end: string } {
  return { start: startOfDay(first), end: last < first ? endOfDay(first) : endOfDay(last) }
}
