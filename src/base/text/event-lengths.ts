import { addDays, hasWallForm } from './moments.ts'
import { DAY_MS, dayNumber, FIRST_MS, formatUtc, HOUR_MS, LAST_MS, MINUTE_MS, utcToMs } from './zones.ts'

// Counts how long events last, moves and copies their times, and says lengths and distances of days in words.

/** Minutes that an event lasts for which nobody has given an end. */
export const USUAL_MINUTES = 120

const DAYS_A_WEEK = 7

/**
 * Returns the end of an event whose start moves to `moved`, so that its length on the clock stays. All are
 * wall times 'YYYY-MM-DD HH:MM:SS'. Undefined if one of them is not, if the end lies before the start, or if
 * the new end lies beyond the year 9999.
 */
export function movedEnd(start: string, end: string, moved: string): string | undefined {
  if (![start, end, moved].every(hasWallForm) || end < start) return undefined
  return wallOf(utcToMs(moved) + utcToMs(end) - utcToMs(start))
}

/**
 * Returns the end of an event that starts at a wall time and lasts so many minutes; undefined for a text that
 * is no wall time and beyond the year 9999.
 */
export function endAfter(start: string, minutes = USUAL_MINUTES): string | undefined {
  return hasWallForm(start) ? wallOf(utcToMs(start) + minutes * MINUTE_MS) : undefined
}

function wallOf(ms: number): string | undefined {
  return ms >= FIRST_MS && ms <= LAST_MS ? formatUtc(ms) : undefined
}

/**
 * Returns the day of a copy of an event: the first with the same weekday that lies after the event and after
 * today. Days are 'YYYY-MM-DD'.
 */
export function dayOfCopy(day: string, today: string): string {
  const ms = (date: string) => utcToMs(`${date} 00:00:00`)
  const weeks = Math.floor((ms(today) - ms(day)) / DAY_MS / DAYS_A_WEEK) + 1
  return addDays(day, Math.max(weeks, 1) * DAYS_A_WEEK)
}

/** Returns the start and the end of a copy of an event. The length on the clock stays. */
export function timesOfCopy(start: string, end: string, today: string): { start: string; end: string } {
  const moved = `${dayOfCopy(start.slice(0, 10), today)}${start.slice(10)}`
  return { start: moved, end: movedEnd(start, end, moved) ?? moved }
}

/**
 * Says in a language how long it is between two times in UTC: `1 hour, 30 minutes`, `2 days, 1 hour`; empty
 * for less than a minute.
 */
export function lengthInWords(start: string, end: string, language: string): string {
  const ms = utcToMs(end) - utcToMs(start)
  if (!(ms >= MINUTE_MS)) return ''
  const days = Math.floor(ms / DAY_MS)
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return new Intl.DurationFormat(language, { style: 'long' }).format({ days, hours, minutes })
}

/**
 * The longest distance that is said in days. Longer ones are said in months up to two years, then in years.
 */
const MOST_DAYS = 60
const DAYS_A_MONTH = 30.44
const MONTHS_A_YEAR = 12

/**
 * Says in a language how far a day lies from today: `tomorrow`, `in 11 days`, `3 months ago`. Days are
 * 'YYYY-MM-DD'.
 */
export function distanceInWords(day: string, today: string, language: string): string {
  const days = dayNumber(day) - dayNumber(today)
  const write = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  if (Math.abs(days) <= MOST_DAYS) return write.format(days, 'day')
  const months = Math.round(days / DAYS_A_MONTH)
  if (Math.abs(months) < 2 * MONTHS_A_YEAR) return write.format(months, 'month')
  return write.format(Math.round(months / MONTHS_A_YEAR), 'year')
}
