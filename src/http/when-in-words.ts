import type { Site } from '../base/config.ts'
import { addDays, dayOf } from '../base/text/moments.ts'
import { dayNumber } from '../base/text/zones.ts'
import { isOfWholeDays } from '../calendar/locales/midnight.ts'
import { translate } from '../calendar/locales/translate.ts'
import type { When } from '../calendar/series/series-schedule.ts'
import { edgeLetters, lastDayOf, written, writtenDay, writtenEnd } from './page-dates.ts'

// Writes when an event takes place, in words.

/** Returns `Today` or `Tomorrow` in the language of the site; empty for other days. */
export function nearName(site: Site, day: string, today: string): string {
  if (day === today) return translate(site.language, 'Today')
  return dayNumber(day) - dayNumber(today) === 1 ? translate(site.language, 'Tomorrow') : ''
}

/**
 * Decides whether an event ends on the next day, after the small hours and earlier in the day than it began,
 * such as from 20:00 until 9:00.
 */
export const isOvernight = (start: string, end: string) =>
  dayOf(end) === addDays(dayOf(start), 1) &&
  end.slice(11) < start.slice(11) &&
  lastDayOf(start, end) > dayOf(start)

/** When an event takes place, in words. */
export interface WhenWords {
  /** The day of the event, or its first and its last day, which then have the hours in them. */
  days: string[]
  /**
   * The hours beside the day: the start, and the end with a dash or a word before it. Undefined for all day,
   * or where the days have the hours in them.
   */
  hours: { start: string; end: string } | undefined
  /**
   * The letters of its zone at its end; empty for an event that lasts all day. Those of its start stand
   * behind it where they differ.
   */
  zone: string
}

export function inWords(site: Site, times: When, today: string): WhenWords {
  const { start_date: start, end_date: end } = times
  const [first, last] = [dayOf(start), lastDayOf(start, end)]
  const isAllDay = times.all_day === 1
  const [before, zone] = isAllDay ? ['', ''] : edgeLetters(site, times)
  const time = (wall: string) => written(site, 'time', wall)
  const startTime = before === zone ? time(start) : `${time(start)} ${before}`
  const near = nearName(site, first, today)
  const day = near === '' ? writtenDay(site, first, '') : `${near}, ${writtenDay(site, first, today)}`
  if (!isAllDay && isOvernight(start, end)) {
    const until = translate(site.language, 'until {time} the next day', { time: time(end) })
    return { days: [day], hours: { start: startTime, end: ` ${until}` }, zone }
  }
  if (first === last) {
    const hours = { start: startTime, end: end === start ? '' : ` – ${writtenEnd(site, start, end)}` }
    return { days: [day], hours: isAllDay ? undefined : hours, zone }
  }
  const at = (one: string, when: string) => writtenDay(site, one, today) + (isAllDay ? '' : `, ${when}`)
  // An event that ends in the small hours is named with the day on which it ends.
  const ending = isAllDay || isOfWholeDays(start, end) ? last : dayOf(end)
  return {
    days: [
      at(first, startTime),
      translate(site.language, 'until {date}', { date: at(ending, writtenEnd(site, start, end)) }),
    ],
    hours: undefined,
    zone,
  }
}

/** Writes when an event takes place, on one line. */
export function whenInWords(site: Site, times: When, today: string): string {
  const { days, hours, zone } = inWords(site, times, today)
  if (times.all_day === 1) return [...days, translate(site.language, 'All day')].join(', ')
  return `${days.join(' ')}${hours ? `, ${hours.start}${hours.end}` : ''} ${zone}`
}
