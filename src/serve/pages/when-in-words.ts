import type { Site } from '../../base/config.ts'
import { dayOf } from '../../base/text/moments.ts'
import { timezoneAbbreviation } from '../../base/text/zones.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { lastDayOf, written, writtenDay } from './page-dates.ts'
import { say } from './viewing.ts'

/** The times of an event, all stored. */
export type Times = Pick<
  EventRow,
  'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
>

/** `Today` or `Tomorrow` in the language of the site; empty for other days. */
export function nearName(site: Site, day: string, today: string): string {
  if (day === today) return say(site, 'Today')
  const distance = (Date.parse(`${day}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / 86_400_000
  return distance === 1 ? say(site, 'Tomorrow') : ''
}

/** The day of an event, or its first and its last one, as its page writes them. */
export function daysInWords(site: Site, { start_date, end_date }: Times, today: string): string[] {
  const [first, last] = [dayOf(start_date), lastDayOf(start_date, end_date)]
  if (first !== last)
    return [writtenDay(site, first, today), say(site, 'until {date}', { date: writtenDay(site, last, today) })]
  const near = nearName(site, first, today)
  return [near === '' ? writtenDay(site, first, '') : `${near}, ${writtenDay(site, first, today)}`]
}

/** The hours of an event as its page writes them: the start, the end behind a dash or nothing, and the letters of its zone. */
export function hoursInWords(site: Site, { start_date, end_date, timezone, utc_start_date }: Times) {
  return {
    start: written(site, 'time', start_date),
    end: end_date === start_date ? '' : ` – ${written(site, 'time', end_date)}`,
    zone: timezoneAbbreviation(timezone, utc_start_date),
  }
}

/** When an event takes place, on one line. */
export function whenInWords(site: Site, times: Times, today: string): string {
  const { start, end, zone } = hoursInWords(site, times)
  const hours = times.all_day === 1 ? say(site, 'All day') : `${start}${end} ${zone}`
  return [...daysInWords(site, times, today), hours].join(', ')
}
