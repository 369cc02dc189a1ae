import { addDays, isWallTime } from './moments.ts'
import { DAY_MS, dayNumber, FIRST_MS, formatUtc, LAST_MS, utcToMs } from './zones.ts'

// How long events last, and how far days lie apart: counted, and in words.

/** How long an event lasts that nobody has given an end. */
export const USUAL_MINUTES = 120

const MINUTE_MS = 60_000
const DAYS_A_WEEK = 7

/**
 * The end of an event whose start moves: as long after the new start, on the clock, as it was after the old one. All are wall times 'YYYY-MM-DD HH:MM:SS'.
 * Undefined where one is none, the end lies before the start, or the new end lies beyond the year 9999.
 */
export function movedEnd(start: string, end: string, moved: string): string | undefined {
  if (![start, end, moved].every(isWallTime) || end < start) return undefined
  return wallOf(utcToMs(moved) + utcToMs(end) - utcToMs(start))
}

/** The end of an event that starts at a wall time and lasts so long; undefined beyond the year 9999. */
export function endAfter(start: string, minutes = USUAL_MINUTES): string | undefined {
  return isWallTime(start) ? wallOf(utcToMs(start) + minutes * MINUTE_MS) : undefined
}

function wallOf(ms: number): string | undefined {
  return ms >= FIRST_MS && ms <= LAST_MS ? formatUtc(ms) : undefined
}

/** The day of a copy of an event: the same weekday, a week after the event or more, and behind today. Days are 'YYYY-MM-DD'. */
export function dayOfCopy(day: string, today: string): string {
  const ms = (date: string) => utcToMs(`${date} 00:00:00`)
  const weeks = Math.floor((ms(today) - ms(day)) / DAY_MS / DAYS_A_WEEK) + 1
  return addDays(day, Math.max(weeks, 1) * DAYS_A_WEEK)
}

/** Start and end of a copy of an event, whose length on the clock stays. */
export function timesOfCopy(start: string, end: string, today: string): { start: string; end: string } {
  const moved = `${dayOfCopy(start.slice(0, 10), today)}${start.slice(10)}`
  return { start: moved, end: movedEnd(start, end, moved) ?? moved }
}

const HOUR_MS = 60 * MINUTE_MS

/** How long it is from one time to another, both in UTC, in a language: `1 hour, 30 minutes`, `2 days, 1 hour`; empty for no time and for less. */
export function lengthInWords(start: string, end: string, language: string): string {
  const ms = utcToMs(end) - utcToMs(start)
  if (!(ms >= MINUTE_MS)) return ''
  const days = Math.floor(ms / DAY_MS)
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return new Intl.DurationFormat(language, { style: 'long' }).format({ days, hours, minutes })
}

/** Distances in days are counted in days up to here, in months up to two years, then in years. */
const MOST_DAYS = 60
const DAYS_A_MONTH = 30.44
const MONTHS_A_YEAR = 12

/** How far a day lies from today in a language: `tomorrow`, `in 11 days`, `3 months ago`. Days are 'YYYY-MM-DD'. */
export function distanceInWords(day: string, today: string, language: string): string {
  const days = dayNumber(day) - dayNumber(today)
  const write = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  if (Math.abs(days) <= MOST_DAYS) return write.format(days, 'day')
  const months = Math.round(days / DAYS_A_MONTH)
  if (Math.abs(months) < 2 * MONTHS_A_YEAR) return write.format(months, 'month')
  return write.format(Math.round(months / MONTHS_A_YEAR), 'year')
}
