import { type Cache, cachedText, emptyCache, madeOnce, processBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { addDays, dayOf, formatUtc } from '../../base/text/moments.ts'
import { DAY_MS, dayNumber, HOUR_MS, timezoneAbbreviation, utcToMs } from '../../base/text/zones.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { type DateForm, writingOf, written } from '../feeds/date-forms.ts'
import { isOfWholeDays, isWholeDay, midnightAtEnd } from '../feeds/midnight.ts'

const names: Cache<string, string> = emptyCache(processBudget)

/** Matches a UTC offset, which `Intl` gives if the language has no name for the zone. */
const OFFSET = /^(?:GMT|UTC)[+\-−]/

/** French puts a word before the name: `heure : Irlande`. */
const KIND = /^\p{L}+\s*:\s*/u

/** Returns a zone's abbreviation in the site's language, such as `MEZ`, or else that of the tz database. */
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

export const edgeLetters = (
  site: Site,
  row: Pick<EventRow, 'timezone' | 'utc_start_date' | 'utc_end_date'>,
) =>
  [
    zoneLetters(site, row.timezone, row.utc_start_date),
    zoneLetters(site, row.timezone, row.utc_end_date),
  ] as const

/** A zone's name at `utc`, such as `Mitteleuropäische Sommerzeit`; without `utc`, for the whole year. */
export function zoneName(site: Site, zone: string, utc?: string): string {
  const locale = localeOf(site)
  const season = utc === undefined ? '' : timezoneAbbreviation(zone, utc)
  return cachedText(names, `long ${locale} ${zone} ${season}`, () => {
    const generic = utc === undefined ? named(locale, zone, 'longGeneric', utc) : undefined
    return generic?.replace(KIND, '') ?? named(locale, zone, 'long', utc) ?? zone.replaceAll('_', ' ')
  })
}

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

/** The time, such as `9am`, for narrow columns. */
export function writtenShortTime(site: Site, wall: string): string {
  const time = written(site, 'time', wall)
  const [, clock = '', half = ''] = /^([\d:]+)\s([AP]M)$/i.exec(time) ?? []
  return half === '' ? time : clock.replace(/:00$/, '') + half.toLowerCase()
}

/** Returns when an event ends; for whole days, midnight at the end of the last day. */
export function writtenEnd(site: Site, start: string, end: string): string {
  const time = written(site, 'time', end)
  return isOfWholeDays(start, end) ? midnightAtEnd(site.language, time) : time
}

/** Returns when an event starts and, if it lasts from midnight to midnight, also when it ends. */
export function writtenStart(site: Site, start: string, end: string, write = writtenShortTime): string {
  return isWholeDay(start, end)
    ? `${write(site, start)} – ${writtenEnd(site, start, end)}`
    : write(site, start)
}

export const writtenTime = (site: Site, wall: string): string => written(site, 'time', wall)

/** Weekday and date, without the year if it is that of `today`. */
export function writtenDay(site: Site, day: string, today: string): string {
  return written(site, day.slice(0, 4) === today.slice(0, 4) ? 'full' : 'fullYear', day)
}

/** The date without weekday, nor year if it is that of `today`. */
export function writtenDate(site: Site, day: string, today: string): string {
  return written(site, day.slice(0, 4) === today.slice(0, 4) ? 'dayMonth' : 'dayMonthYear', day)
}

/** Such as `12–18 November`, with the year unless both days are in that of `today`. */
export function writtenRange(site: Site, first: string, last: string, today: string): string {
  const isThisYear = [first, last].every((day) => day.slice(0, 4) === today.slice(0, 4))
  return writtenSpan(site, isThisYear ? 'dayMonth' : 'dayMonthYear', first, last)
}

/** Writes what both days have in common, such as the month, only once. */
export function writtenSpan(site: Site, form: DateForm, first: string, last: string): string {
  const { format, texts } = writingOf(form)(localeOf(site))
  const [from, to] = [utcToMs(`${first} 00:00:00`), utcToMs(`${laterOf(first, last)} 00:00:00`)]
  return cachedText(texts, `${first} ${last}`, () => format.formatRange(from, to))
}

export function unitName(site: Site, unit: 'day' | 'weekOfYear' | 'month'): string {
  return capitalized(site, unitNames(localeOf(site)).of(unit) ?? '')
}

const unitNames = madeOnce((locale: string) => new Intl.DisplayNames(locale, { type: 'dateTimeField' }))

/** Capitalizes the first letter: French and Spanish write months and days in lower case. */
export function capitalized({ language }: Pick<Site, 'language'>, text: string): string {
  return text.slice(0, 1).toLocaleUpperCase(language) + text.slice(1)
}

/** A distance, with at most one decimal below ten kilometres. */
export function writtenDistance(site: Site, km: number): string {
  return distances(localeOf(site)).format(km < 10 ? km : Math.round(km))
}

const distances = madeOnce(
  (locale: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilometer', maximumFractionDigits: 1 }),
)

/** A number in the language's format. Whole ones below 1000 are the same in all languages and skip `Intl`. */
export function writtenNumber(site: Site, number: number): string {
  return Number.isInteger(number) && number < 1000 ? String(number) : numbers(localeOf(site)).format(number)
}

const numbers = madeOnce((locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }))

/** This many hours after midnight belong to the evening before. */
export const NIGHT_HOURS = 5
export const NIGHT_MS = NIGHT_HOURS * HOUR_MS

/** An event that ends before five in the morning ends on the day before, but not before it begins. */
export function lastDayOf(start: string, end: string): string {
  const first = dayOf(start)
  const last = isNight(end) ? addDays(dayOf(end), -1) : dayOf(end)
  return laterOf(first, last)
}

/** Events that end after this are not over: at night, the present minute; by day, the end of last night. */
export function endOfOver(wall: string): string {
  return isNight(wall) ? `${wall.slice(0, 16)}:00` : `${dayOf(wall)} 0${NIGHT_HOURS - 1}:59:59`
}

/** True before five in the morning, when pages change from minute to minute as events end. */
export const isNight = (wall: string) => Number(wall.slice(11, 13)) < NIGHT_HOURS

/** True if an event is over at local time `wall`. An event that ends at night is not over before its end. */
export const isOverAt = (wall: string, start: string, end: string) =>
  lastDayOf(start, end) < dayOf(wall) && end <= endOfOver(wall)

export const laterOf = (a: string, b: string) => (a < b ? b : a)
export const earlierOf = (a: string, b: string) => (b < a ? b : a)

export const monthOf = (day: string) => day.slice(0, 7)
export const firstOf = (month: string) => `${month}-01`

/** Returns `YYYY-MM`; undefined outside the years 1 to 9999. */
export function monthsLater(month: string, months: number): string | undefined {
  const count = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + months
  const year = Math.floor(count / 12)
  if (year < 1 || year > 9999) return undefined
  return `${String(year).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** 0 is Sunday. */
function weekdayOf(day: string): number {
  return new Date(utcToMs(`${day} 00:00:00`)).getUTCDay()
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** A week's first weekday, 0 for Sunday. Without a setting, it is the language's. */
export function weekStartOf(site: Site, setting: string): number {
  const set = WEEKDAYS.indexOf(setting)
  return set === -1 ? firstWeekdayOf(localeOf(site)) : set
}

const firstWeekdayOf = madeOnce((name: string): number => {
  // TypeScript does not declare `getWeekInfo` yet.
  const locale: Intl.Locale & { getWeekInfo?: () => { firstDay: number } } = new Intl.Locale(name)
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7
})

const days = emptyCache<number, string>(processBudget)

/** Returns the day with this number, counted from 1970-01-01 and clamped to possible years. */
export function dayAt(number: number): string {
  return cachedText(days, number, () => dayOf(formatUtc(number * DAY_MS)))
}

export function weekOf(day: string, weekStart: number): string[] {
  const first = dayNumber(day) - ((weekdayOf(day) - weekStart + 7) % 7)
  return [...new Set(Array.from({ length: 7 }, (_, i) => dayAt(first + i)))]
}

const WEEK = /^(\d{4})-W(\d\d)$/

/** Monday of an ISO 8601 week such as `2026-W48`; undefined if there is no such week. */
export function mondayOf(week: string): string | undefined {
  const [, year = '', number = ''] = WEEK.exec(week) ?? []
  if (year === '' || year === '0000' || number < '01') return undefined
  // By definition, week 1 contains the fourth of January.
  const fourth = `${year}-01-04`
  const monday = dayAt(dayNumber(fourth) - ((weekdayOf(fourth) + 6) % 7) + (Number(number) - 1) * 7)
  return weekNumberOf(monday) === Number(number) ? monday : undefined
}

/** ISO 8601 number of the week that begins on `monday`. */
export function weekNumberOf(monday: string): number {
  const thursday = addDays(monday, 3)
  const dayOfYear = dayNumber(thursday) - dayNumber(`${thursday.slice(0, 4)}-01-01`)
  return Math.floor(dayOfYear / 7) + 1
}

export function weeksOf(month: string, weekStart: number): string[][] {
  const first = firstOf(month)
  const next = monthsLater(month, 1)
  const last = next === undefined ? `${month}-31` : addDays(firstOf(next), -1)
  const weeks: string[][] = []
  let number = dayNumber(first) - ((weekdayOf(first) - weekStart + 7) % 7)
  while (dayAt(number) <= last) {
    weeks.push(Array.from({ length: 7 }, (_, i) => dayAt(number + i)))
    // On the last possible day, `dayAt` returns that day again.
    if (dayAt(number + 7) <= dayAt(number)) break
    number += 7
  }
  return weeks
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/

export function isDay(text: string): boolean {
  const [, year = '', month = ''] = DAY.exec(text) ?? []
  if (year === '' || year === '0000') return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).getUTCMonth() + 1 === Number(month)
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && !text.startsWith('0000')
}
