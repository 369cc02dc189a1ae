import { addDays, hasWallForm } from '../../base/text/moments.ts'
import {
  DAY_MS,
  dayNumber,
  FIRST_MS,
  formatUtc,
  HOUR_MS,
  LAST_MS,
  MINUTE_MS,
  utcToMs,
} from '../../base/text/zones.ts'

export const USUAL_MINUTES = 120

const DAYS_A_WEEK = 7

/**
 * Returns the end for the start `moved`, keeping the length in local time. Undefined if a text is no local
 * time, the end lies before the start, or the result is after the year 9999.
 */
export function movedEnd(start: string, end: string, moved: string): string | undefined {
  if (![start, end, moved].every(hasWallForm) || end < start) return undefined
  return wallOf(utcToMs(moved) + utcToMs(end) - utcToMs(start))
}

/** Local time `minutes` after `start`; undefined if `start` is no local time, or for years after 9999. */
export function endAfter(start: string, minutes = USUAL_MINUTES): string | undefined {
  return hasWallForm(start) ? wallOf(utcToMs(start) + minutes * MINUTE_MS) : undefined
}

function wallOf(ms: number): string | undefined {
  return ms >= FIRST_MS && ms <= LAST_MS ? formatUtc(ms) : undefined
}

/** Returns the first day after both `day` and `today` that has the weekday of `day`, as `YYYY-MM-DD`. */
export function dayOfCopy(day: string, today: string): string {
  const ms = (date: string) => utcToMs(`${date} 00:00:00`)
  const weeks = Math.floor((ms(today) - ms(day)) / DAY_MS / DAYS_A_WEEK) + 1
  return addDays(day, Math.max(weeks, 1) * DAYS_A_WEEK)
}

export function timesOfCopy(start: string, end: string, today: string): { start: string; end: string } {
  const moved = `${dayOfCopy(start.slice(0, 10), today)}${start.slice(10)}`
  return { start: moved, end: movedEnd(start, end, moved) ?? moved }
}

/** Returns a length in words, such as `1 hour, 30 minutes` or `2 days, 1 hour`; empty below a minute. */
export function lengthInWords(start: string, end: string, language: string): string {
  const ms = utcToMs(end) - utcToMs(start)
  if (!(ms >= MINUTE_MS)) return ''
  const days = Math.floor(ms / DAY_MS)
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return new Intl.DurationFormat(language, { style: 'long' }).format({ days, hours, minutes })
}

const MOST_DAYS = 60
const DAYS_A_MONTH = 30.44
const MONTHS_A_YEAR = 12

/** Distance of `day` from `today` in words, such as `tomorrow`, `in 11 days` or `3 months ago`. */
export function distanceInWords(day: string, today: string, language: string): string {
  const days = dayNumber(day) - dayNumber(today)
  const write = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  if (Math.abs(days) <= MOST_DAYS) return write.format(days, 'day')
  const months = Math.round(days / DAYS_A_MONTH)
  if (Math.abs(months) < 2 * MONTHS_A_YEAR) return write.format(months, 'month')
  return write.format(Math.round(months / MONTHS_A_YEAR), 'year')
}
