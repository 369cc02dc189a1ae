import type { Site } from '../../base/config.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import { dayNumber } from '../../base/text/zones.ts'
import { translate } from '../../calendar/locales/translate.ts'
import type { When } from '../../calendar/series/series-schedule.ts'
import { written } from '../feeds/date-forms.ts'
import { isOfWholeDays } from '../feeds/midnight.ts'
import { edgeLetters, lastDayOf, writtenDay, writtenEnd } from './page-dates.ts'

export function nearName(site: Site, day: string, today: string): string {
  if (day === today) return translate(site.language, 'Today')
  return dayNumber(day) - dayNumber(today) === 1 ? translate(site.language, 'Tomorrow') : ''
}

/** True if an event ends on the next day, after the small hours but at an earlier time than its start. */
export const isOvernight = (start: string, end: string) =>
  dayOf(end) === addDays(dayOf(start), 1) &&
  end.slice(11) < start.slice(11) &&
  lastDayOf(start, end) > dayOf(start)

export interface WhenWords {
  /** One day, or the first and last with their times. */
  days: string[]
  /** Undefined for all-day events, and if `days` has the times. */
  hours: { start: string; end: string } | undefined
  /** Abbreviation of the zone at the end; if that at the start differs, the start time includes its own. */
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
  // An end time is written with its own day, even in the small hours.
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

export function whenInWords(site: Site, times: When, today: string): string {
  const { days, hours, zone } = inWords(site, times, today)
  if (times.all_day === 1) return [...days, translate(site.language, 'All day')].join(', ')
  return `${days.join(' ')}${hours ? `, ${hours.start}${hours.end}` : ''} ${zone}`
}
