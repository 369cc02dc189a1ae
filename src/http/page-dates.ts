import { type Cache, cachedText, emptyCache, madeOnce, processBudget } from '../base/cache.ts'
import type { Site } from '../base/config.ts'
import { addDays, dayOf, formatUtc } from '../base/text/moments.ts'
import { DAY_MS, dayNumber, HOUR_MS, timezoneAbbreviation, utcToMs } from '../base/text/zones.ts'
import { clockLocaleOf, localeOf } from '../calendar/locales/date-locales.ts'
import { isOfWholeDays, isWholeDay, midnightAtEnd } from '../calendar/locales/midnight.ts'
import type { EventRow } from '../store/storage/schema.ts'

// Writes dates, times, time zones and numbers in the words of a page, and calculates with days, weeks and
// months.

// The names of time zones in a language.

/** The names of zones by language, zone and season: pages repeat the same ones. */
const names: Cache<string, string> = emptyCache(processBudget)

/** Matches an offset, which `Intl` gives where a language has no name for a zone. */
const OFFSET = /^(?:GMT|UTC)[+\-−]/

/** Matches the word and the colon that French puts before the name of a region: `heure : Irlande`. */
const KIND = /^\p{L}+\s*:\s*/u

/**
 * Returns the letters of a zone at a time, as the language of the site has them, such as `MEZ`; else those of
 * the tz database.
 */
export function zoneLetters(site: Site, zone: string, utc: string): string {
  const letters = timezoneAbbreviation(zone, utc)
  const locale = localeOf(site)
  if (site.language === 'en') return letters
  return cachedText(
    names,
    `short ${locale} ${zone} ${letters}`,
    () => named(locale, zone, 'short', utc) ?? letters,
  )
}

/** Returns the letters of the zone of an event at its start and at its end. */
export const edgeLetters = (
  site: Site,
  row: Pick<EventRow, 'timezone' | 'utc_start_date' | 'utc_end_date'>,
) =>
  [
    zoneLetters(site, row.timezone, row.utc_start_date),
    zoneLetters(site, row.timezone, row.utc_end_date),
  ] as const

/**
 * Returns the name of a zone at a time, such as `Mitteleuropäische Sommerzeit`; without a time, the name for
 * both seasons.
 */
export function zoneName(site: Site, zone: string, utc?: string): string {
  const locale = localeOf(site)
  const season = utc === undefined ? '' : timezoneAbbreviation(zone, utc)
  return cachedText(names, `long ${locale} ${zone} ${season}`, () => {
    const generic = utc === undefined ? named(locale, zone, 'longGeneric', utc) : undefined
    return generic?.replace(KIND, '') ?? named(locale, zone, 'long', utc) ?? zone.replaceAll('_', ' ')
  })
}

/**
 * Returns the name of a zone in a language; undefined where the language has none, or `zone` is not the name
 * of a zone.
 */
function named(
  locale: string,
  zone: string,
  form: 'short' | 'long' | 'longGeneric',
  utc: string | undefined,
): string | undefined {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: form })
    const parts = format.formatToParts(utc === undefined ? Date.now() : utcToMs(utc))
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value
    return name === undefined || OFFSET.test(name) ? undefined : name
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

// Dates and times on pages, in the language and the forms of the site.

/** The forms of dates and times. All are formatted as wall times, so no zone is consulted. */
const FORMS = {
  time: { hour: 'numeric', minute: '2-digit' },
  weekday: { weekday: 'long' },
  weekdayShort: { weekday: 'short' },
  monthShort: { month: 'short' },
  month: { month: 'long' },
  monthYear: { month: 'long', year: 'numeric' },
  dayMonth: { day: 'numeric', month: 'long' },
  dayMonthShort: { day: 'numeric', month: 'short' },
  dayMonthYear: { day: 'numeric', month: 'long', year: 'numeric' },
  weekdayDate: { weekday: 'short', day: 'numeric', month: 'short' },
  full: { weekday: 'long', day: 'numeric', month: 'long' },
  fullYear: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type DateForm = keyof typeof FORMS

/**
 * A form in one language, and the texts of the days or times that were formatted lately: pages repeat the
 * same ones.
 */
interface Writing {
  format: Intl.DateTimeFormat
  texts: Cache<string, string>
}

/** Writes a wall time or a day in a form, in the language of the site. */
export function written(site: Site, form: DateForm, wall: string): string {
  const { format, texts } = writingOf(form)(form === 'time' ? clockLocaleOf(site) : localeOf(site))
  const part = form === 'time' ? wall.slice(11, 16) : wall.slice(0, 10)
  return cachedText(texts, part, () =>
    format.format(utcToMs(form === 'time' ? `2000-01-01 ${part}:00` : `${part} 00:00:00`)),
  )
}

const writingOf = madeOnce((form: DateForm) =>
  madeOnce((locale: string): Writing => {
    const format = new Intl.DateTimeFormat(locale, {
      ...FORMS[form],
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
    })
    return { format, texts: emptyCache(processBudget) }
  }),
)

/**
 * Writes a time in the fewest characters that the language allows, for narrow columns: `9am` for `9:00 AM`.
 */
export function writtenShortTime(site: Site, wall: string): string {
  const time = written(site, 'time', wall)
  const [, clock = '', half = ''] = /^([\d:]+)\s([AP]M)$/i.exec(time) ?? []
  return half === '' ? time : clock.replace(/:00$/, '') + half.toLowerCase()
}

/** Writes when an event ends on its last day. */
export function writtenEnd(site: Site, start: string, end: string): string {
  const time = written(site, 'time', end)
  return isOfWholeDays(start, end) ? midnightAtEnd(site.language, time) : time
}

/**
 * Writes when an event starts, in the given form; of one that lasts a day from midnight to midnight also when
 * it ends.
 */
export function writtenStart(site: Site, start: string, end: string, write = writtenShortTime): string {
  return isWholeDay(start, end)
    ? `${write(site, start)} – ${writtenEnd(site, start, end)}`
    : write(site, start)
}

/** Writes a time. */
export const writtenTime = (site: Site, wall: string): string => written(site, 'time', wall)

/** Writes a day with its weekday, and with its year unless that is the year of `today`. */
export function writtenDay(site: Site, day: string, today: string): string {
  return written(site, day.slice(0, 4) === today.slice(0, 4) ? 'full' : 'fullYear', day)
}

/** Writes a day without its weekday, and with its year unless that is the year of `today`. */
export function writtenDate(site: Site, day: string, today: string): string {
  return written(site, day.slice(0, 4) === today.slice(0, 4) ? 'dayMonth' : 'dayMonthYear', day)
}

/**
 * Writes the days from a first to a last one, such as `12–18 November`, with the year unless both are in the
 * year of `today`.
 */
export function writtenRange(site: Site, first: string, last: string, today: string): string {
  const isThisYear = [first, last].every((day) => day.slice(0, 4) === today.slice(0, 4))
  return writtenSpan(site, isThisYear ? 'dayMonth' : 'dayMonthYear', first, last)
}

/** Writes two days in a form as a range; the parts that both share are written once. */
export function writtenSpan(site: Site, form: DateForm, first: string, last: string): string {
  const { format, texts } = writingOf(form)(localeOf(site))
  const [from, to] = [utcToMs(`${first} 00:00:00`), utcToMs(`${laterOf(first, last)} 00:00:00`)]
  return cachedText(texts, `${first} ${last}`, () => format.formatRange(from, to))
}

/** Returns the name of a unit of the calendar as a heading, such as `Month`. */
export function unitName(site: Site, unit: 'day' | 'weekOfYear' | 'month'): string {
  return capitalized(site, unitNames(localeOf(site)).of(unit) ?? '')
}

const unitNames = madeOnce((locale: string) => new Intl.DisplayNames(locale, { type: 'dateTimeField' }))

/**
 * Returns a text with a capital first letter, to begin a line: French and Spanish write months and days in
 * lower case.
 */
export function capitalized({ language }: Pick<Site, 'language'>, text: string): string {
  return text.slice(0, 1).toLocaleUpperCase(language) + text.slice(1)
}

/**
 * Writes a distance in kilometres in the language of the site, with at most one decimal below ten kilometres
 * and none from there on.
 */
export function writtenDistance(site: Site, km: number): string {
  return distances(localeOf(site)).format(km < 10 ? km : Math.round(km))
}

const distances = madeOnce(
  (locale: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilometer', maximumFractionDigits: 1 }),
)

/**
 * Writes a number in the language of the site. Small counts are the same in all of them: a form has hundreds,
 * and formatting takes some microseconds.
 */
export function writtenNumber(site: Site, number: number): string {
  return Number.isInteger(number) && number < 1000 ? String(number) : numbers(localeOf(site)).format(number)
}

const numbers = madeOnce((locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }))

/** The hours after midnight that belong to the evening before, and the same span in milliseconds. */
export const NIGHT_HOURS = 5
export const NIGHT_MS = NIGHT_HOURS * HOUR_MS

/**
 * Returns the last day that an event is on. An event that ends in the small hours ends on the evening before.
 */
export function lastDayOf(start: string, end: string): string {
  const first = dayOf(start)
  const last = isNight(end) ? addDays(dayOf(end), -1) : dayOf(end)
  return laterOf(first, last)
}

/**
 * Returns the wall time after which events end that are still on, at this wall time: until five in the
 * morning the present minute, then the end of the night.
 */
export function endOfOver(wall: string): string {
  return isNight(wall) ? `${wall.slice(0, 16)}:00` : `${dayOf(wall)} 0${NIGHT_HOURS - 1}:59:59`
}

/** Decides whether a wall time is between midnight and five, when pages change as events end. */
export const isNight = (wall: string) => Number(wall.slice(11, 13)) < NIGHT_HOURS

/** Decides whether an event is over at this wall time. One that ends in the small hours is on until then. */
export const isOverAt = (wall: string, start: string, end: string) =>
  lastDayOf(start, end) < dayOf(wall) && end <= endOfOver(wall)

/** Return the later and the earlier of two days, or of two months. */
export const laterOf = (a: string, b: string) => (a < b ? b : a)
export const earlierOf = (a: string, b: string) => (b < a ? b : a)

export const monthOf = (day: string) => day.slice(0, 7)
export const firstOf = (month: string) => `${month}-01`

/** Returns the month that is so many months later, as `YYYY-MM`; undefined outside the years 1 to 9999. */
export function monthsLater(month: string, months: number): string | undefined {
  const count = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + months
  const year = Math.floor(count / 12)
  if (year < 1 || year > 9999) return undefined
  return `${String(year).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** Returns the weekday of a day, 0 for Sunday to 6 for Saturday. */
function weekdayOf(day: string): number {
  return new Date(utcToMs(`${day} 00:00:00`)).getUTCDay()
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Returns the first day of the week, 0 for Sunday: the one of the setting, else the one of the language. */
export function weekStartOf(site: Site, setting: string): number {
  const set = WEEKDAYS.indexOf(setting)
  if (set !== -1) return set
  // TypeScript's declarations still lack `getWeekInfo`.
  const locale: Intl.Locale & { getWeekInfo?: () => { firstDay: number } } = new Intl.Locale(localeOf(site))
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7
}

/** The texts of days by their number: months ask for the same ones again and again. */
const days = emptyCache<number, string>(processBudget)

/**
 * Returns the day with this number, counted from 1 January 1970 and clamped to the years that dates can have.
 */
export function dayAt(number: number): string {
  return cachedText(days, number, () => dayOf(formatUtc(number * DAY_MS)))
}

/**
 * Returns the days of the week that a day is in; fewer than seven at the ends of the years that dates can
 * have.
 */
export function weekOf(day: string, weekStart: number): string[] {
  const first = dayNumber(day) - ((weekdayOf(day) - weekStart + 7) % 7)
  return [...new Set(Array.from({ length: 7 }, (_, i) => dayAt(first + i)))]
}

const WEEK = /^(\d{4})-W(\d\d)$/

/**
 * Returns the Monday of a week as ISO 8601 numbers weeks, such as `2026-W48`; undefined for any other text.
 */
export function mondayOf(week: string): string | undefined {
  const [, year = '', number = ''] = WEEK.exec(week) ?? []
  if (year === '' || year === '0000' || number < '01') return undefined
  // The fourth of January is in the first week of every year.
  const fourth = `${year}-01-04`
  const monday = dayAt(dayNumber(fourth) - ((weekdayOf(fourth) + 6) % 7) + (Number(number) - 1) * 7)
  return weekNumberOf(monday) === Number(number) ? monday : undefined
}

/** Returns the number of the week that begins on this Monday, as ISO 8601 counts weeks. */
export function weekNumberOf(monday: string): number {
  const thursday = addDays(monday, 3)
  const dayOfYear = dayNumber(thursday) - dayNumber(`${thursday.slice(0, 4)}-01-01`)
  return Math.floor(dayOfYear / 7) + 1
}

/** Returns the weeks that show a month, each as seven days from the weekday `weekStart` on. */
export function weeksOf(month: string, weekStart: number): string[][] {
  const first = firstOf(month)
  const next = monthsLater(month, 1)
  const last = next === undefined ? `${month}-31` : addDays(firstOf(next), -1)
  const weeks: string[][] = []
  let number = dayNumber(first) - ((weekdayOf(first) - weekStart + 7) % 7)
  while (dayAt(number) <= last) {
    weeks.push(Array.from({ length: 7 }, (_, i) => dayAt(number + i)))
    // No day follows the last one that there is.
    if (dayAt(number + 7) <= dayAt(number)) break
    number += 7
  }
  return weeks
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/

/** Decides whether a text is an existing day, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const [, year = '', month = ''] = DAY.exec(text) ?? []
  if (year === '' || year === '0000') return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).getUTCMonth() + 1 === Number(month)
}

/** Decides whether a text is an existing month, `YYYY-MM`. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && !text.startsWith('0000')
}
