import { DAY_MS, dayNumber, formatUtc, settledWall } from '../text/zones.ts'

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Frequencies of rules; events do not repeat within a day. */
export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export const LIST_PARTS = ['weekdays', 'monthdays', 'months', 'positions'] as const

/**
 * How a series repeats. Times are local times in the zone of the series, 'YYYY-MM-DD HH:MM:SS', at 00:00:00
 * for all-day events. Lists are sorted without duplicates.
 */
export interface Recurrence {
  readonly rule?: Rule
  /** Additional dates (RDATE). */
  readonly added: readonly string[]
  /** Exceptions (EXDATE): original starts of occurrences that do not take place. */
  readonly left: readonly string[]
}

/** A rule of RFC 5545 (3.3.10), as far as `readRecurrence` accepts it. Lists are empty if not given. */
export interface Rule {
  readonly frequency: Frequency
  readonly interval: number
  /** The number of dates, including the start; never together with `until`. */
  readonly count?: number
  /** The end of the last day that may have a date: 23:59:59, or 00:00:00 for all-day events. */
  readonly until?: string
  /**
   * Such as `TU`, perhaps with a place in the month or year: `2TU` is the second Tuesday, `-1FR` the last
   * Friday.
   */
  readonly weekdays: readonly string[]
  /** 1 to 31, or -1 to -31 counted from the end of the month. */
  readonly monthdays: readonly number[]
  readonly months: readonly number[]
  /** BYSETPOS: which dates in each day, week, month or year count; 1 is the first, -1 the last. */
  readonly positions: readonly number[]
  readonly weekStart: Weekday
}

/** True for parts of RRULE that change nothing: `RSCALE=GREGORIAN` and `SKIP=OMIT` (RFC 7529). */
export function isPlainScale(name: string, value: string): boolean {
  return /^(?:RSCALE=GREGORIAN|SKIP=OMIT)$/i.test(`${name}=${value}`)
}

/** The start of a series: `local` is a local time in `zone`, as 'YYYY-MM-DD HH:MM:SS'. */
export interface Start {
  readonly local: string
  readonly zone: string
  readonly allDay: boolean
}

/**
 * Why a recurrence was refused. `part` is as the client wrote it, such as `RRULE:BYHOUR` or `until`. Locales
 * translate `message`.
 */
export interface Fault {
  readonly part: string
  readonly message: RecurrenceMessage
  readonly values?: Readonly<Record<string, string>>
}

/** A `Fault` as an error, which this folder catches; callers outside receive the `fault`. */
export class Unreadable extends Error {
  readonly fault: Fault

  constructor(part: string, message: RecurrenceMessage, values: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'Unreadable'
    this.fault = { part, message, values }
  }
}

export function isFault(read: object | undefined): read is Fault {
  return read !== undefined && 'part' in read
}

/** Texts that locales translate; `{name}` is a placeholder. */
export const recurrenceMessages = [
  'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.',
  'The part {part} of a recurrence is not supported.',
  'The part {part} of a recurrence is given more than once.',
  'The value of {part} is invalid.',
  'The value of {part} has to lie between {from} and {to}.',
  'The value of {part} has more than {limit} entries.',
  'A rule repeats daily, weekly, monthly or yearly.',
  'A rule has either a count or an end.',
  'The part {part} does not go with a rule that repeats like this.',
  'Positions need weekdays, days or months to choose from.',
  'The rule combines more than {limit} days.',
  'The time zone of {part} does not exist.',
  'The date of {part} lies before the start of the event.',
  'The date of {part} is not the start of the event.',
  'The rule has no date at all.',
  'The exceptions leave no date.',
  'No rule without an end has the dates of the series there. Send a recurrence as well.',
] as const

type RecurrenceMessage = (typeof recurrenceMessages)[number]

/** A rule that may also have BYWEEKNO and BYYEARDAY, which only imports read. */
export interface DayRule extends Rule {
  readonly weeks?: readonly number[]
  readonly yeardays?: readonly number[]
}

/** A range of day numbers (see `numberOf`); both ends are included. */
export interface Period {
  first: number
  last: number
}

interface NamedWeekday {
  weekday: number
  nth: number
}

export interface Conditions {
  months: readonly number[]
  monthdays: readonly number[]
  weekdays: readonly NamedWeekday[]
  isCountedInYear: boolean
  weeks: readonly number[]
  yeardays: readonly number[]
  weekStart: Weekday
}

/**
 * Yields the dates of a rule as local times, up to `horizon` or the end of the rule. The first is the start,
 * even if it does not match the rule (docs/series.md). A time that a clock change skips is yielded as it is.
 * No day is examined twice.
 */
export function* ruleDates(rule: Rule, start: Start, horizon: string): Generator<string, void> {
  const end = rule.until !== undefined && rule.until < horizon ? rule.until : horizon
  if (start.local > end) return
  yield start.local
  let left = (rule.count ?? Number.POSITIVE_INFINITY) - 1
  for (const wall of matchingDates(rule, start, end)) {
    if (wall <= start.local) continue
    if (left <= 0) return
    left -= 1
    yield wall
  }
}

export const LAST_WALL = '9999-12-31 23:59:59'

/** Years to search before a rule counts as having no date: in 40 years, 29 February meets every weekday. */
const SEARCHED_YEARS = 40

export function searchedUntil({ local }: Start): string {
  return wallOfDay(dayNumber(local) + SEARCHED_YEARS * 366, local)
}

export function hasMatch(rule: Rule, start: Start): boolean {
  const horizon = searchedUntil(start)
  const end = rule.until !== undefined && rule.until < horizon ? rule.until : horizon
  return !matchingDates(rule, start, end).next().done
}

/** Limit of the search, in days: 400 years from the start, or from the year 2000 if that is later. */
const LONGEST_DAYS = 146_097
const YEAR_2000 = 10_957

export function* matchingDates(rule: Rule, start: Start, end: string): Generator<string, void> {
  const first = dayNumber(start.local)
  const last = Math.min(dayNumber(end), Math.max(first, YEAR_2000) + LONGEST_DAYS)
  const conditions = dayConditions(completed(rule, start))
  for (let step = 0; ; step += rule.interval) {
    const period = periodOf(rule, first, step)
    if (period.first > last) return
    for (const day of atPositions(daysOf(period, conditions), rule.positions)) {
      if (day < first) continue
      const wall = wallOfDay(day, start.local)
      if (wall > end) return
      yield wall
    }
  }
}

export function completed(rule: DayRule, start: Pick<Start, 'local'>): DayRule {
  const { frequency, weekdays, monthdays, months, weeks = [], yeardays = [] } = rule
  if (frequency === 'daily' || weekdays.length + monthdays.length + yeardays.length > 0) return rule
  const number = dayNumber(start.local)
  if (frequency === 'weekly' || weeks.length > 0)
    return { ...rule, weekdays: [WEEKDAYS[weekdayOfDay(number)] ?? 'MO'] }
  const { month, monthday } = dayOfNumber(number)
  const isYearday = frequency === 'yearly' && months.length === 0
  return { ...rule, monthdays: [monthday], months: isYearday ? [month] : months }
}

export function dayConditions(rule: DayRule): Conditions {
  const { months, monthdays, weekdays, weeks = [], yeardays = [], weekStart } = rule
  const isCountedInYear = rule.frequency === 'yearly' && months.length === 0
  return {
    months,
    monthdays,
    weekdays: weekdays.map(namedWeekday),
    isCountedInYear,
    weeks,
    yeardays,
    weekStart,
  }
}

function namedWeekday(text: string): NamedWeekday {
  return { weekday: WEEKDAYS.findIndex((name) => text.endsWith(name)), nth: Number(text.slice(0, -2)) }
}

/** The day, week, month or year `step` periods after the one with the day `start`. */
export function periodOf({ frequency, weekStart }: Rule, start: number, step: number): Period {
  if (frequency === 'daily') return { first: start + step, last: start + step }
  if (frequency === 'weekly') {
    const first = start - ((weekdayOfDay(start) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + step * 7
    return { first, last: first + 6 }
  }
  const { year, month } = dayOfNumber(start)
  if (frequency === 'yearly')
    return { first: numberOf(year + step, 1, 1), last: numberOf(year + step + 1, 1, 0) }
  return { first: numberOf(year, month + step, 1), last: numberOf(year, month + step + 1, 0) }
}

export function daysOf({ first, last }: Period, conditions: Conditions): number[] {
  const days: number[] = []
  const { months } = conditions
  const weekdays = conditions.weekdays.map(({ weekday }) => weekday)
  for (let day = first; day <= last; day += 1) {
    if (weekdays.length > 0 && !weekdays.includes(weekdayOfDay(day))) continue
    const at = dayOfNumber(day)
    if (months.length > 0 && !months.includes(at.month)) day += lengthOfMonth(at) - at.monthday
    else if (meets(day, at, conditions)) days.push(day)
  }
  return days
}

function atPositions(days: readonly number[], positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return days
  return days.filter((_day, at) => positions.includes(at + 1) || positions.includes(at - days.length))
}

function meets(number: number, day: Day, conditions: Conditions): boolean {
  const { monthdays, weekdays, isCountedInYear, weeks, yeardays, weekStart } = conditions
  if (monthdays.length > 0 && !isAtPlace(day.monthday, lengthOfMonth(day), monthdays)) return false
  if (yeardays.length > 0 && !isAtPlace(number - numberOf(day.year, 1, 0), lengthOfYear(day), yeardays))
    return false
  if (weeks.length > 0 && !isInWeek(number, weeks, weekStart)) return false
  return weekdays.length === 0 || weekdays.some((named) => isWeekday(number, day, named, isCountedInYear))
}

/**
 * True if the day is in one of `weeks` of its year. Week 1 is the first with at least four days in the year.
 */
function isInWeek(number: number, weeks: readonly number[], weekStart: Weekday): boolean {
  const middle = number - ((weekdayOfDay(number) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + 3
  const { year } = dayOfNumber(middle)
  const place = Math.floor((middle - numberOf(year, 1, 1)) / 7) + 1
  return isAtPlace(place, place + Math.floor((numberOf(year, 12, 31) - middle) / 7), weeks)
}

function isAtPlace(place: number, length: number, asked: readonly number[]): boolean {
  return asked.includes(place) || asked.includes(place - length - 1)
}

function isWeekday(
  number: number,
  day: Day,
  { weekday, nth }: NamedWeekday,
  isCountedInYear: boolean,
): boolean {
  if (weekdayOfDay(number) !== weekday) return false
  if (nth === 0) return true
  const place = isCountedInYear ? number - numberOf(day.year, 1, 1) + 1 : day.monthday
  const length = isCountedInYear ? lengthOfYear(day) : lengthOfMonth(day)
  return nth > 0 ? Math.ceil(place / 7) === nth : Math.ceil((length - place + 1) / 7) === -nth
}

function lengthOfYear({ year }: Day): number {
  return isLeapYear(year) ? 366 : 365
}

/**
 * Returns the original starts of at most `limit` occurrences up to `until`, sorted and each once. The start
 * of the series comes first, even after `until`, unless it is an exception. A time that a clock change skips
 * is moved forward, so two dates may become one.
 */
export function occurrenceStarts(
  recurrence: Recurrence,
  start: Start,
  until: string,
  limit: number,
): string[] {
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

export function settled(wall: string, { zone, allDay }: Start): string {
  return allDay ? wall : settledWall(wall, zone)
}

export interface Day {
  readonly year: number
  readonly month: number
  readonly monthday: number
}

export function wallOfDay(day: number, time: string): string {
  return formatUtc(day * DAY_MS).slice(0, 11) + time.slice(11)
}

/** Returns the days from 1970-01-01 to a date; months and days outside their range roll over. */
export function numberOf(year: number, month: number, monthday: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, monthday) / DAY_MS
}

/** The date of a day number. Rules need it for every day they examine, so it avoids the slow `Date`. */
export function dayOfNumber(day: number): Day {
  // Here years begin on 1 March, so a leap day is the last of its year. 146,097 days are 400 years.
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * ofYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, monthday: ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1 }
}

/** The index of the weekday of a day number; 0 is Monday. */
export function weekdayOfDay(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export function lengthOfMonth({ year, month }: Pick<Day, 'year' | 'month'>): number {
  return month === 2 && isLeapYear(year) ? 29 : (LENGTHS[month - 1] ?? 31)
}

/** The last time on a day at which an occurrence may begin: 23:59:59, or 00:00:00 for all-day events. */
export function endOfLastDay(day: number, { allDay }: Start): string {
  return wallOfDay(day, `YYYY-MM-DD ${allDay ? '00:00:00' : '23:59:59'}`)
}

export function endWith(wall: string, start: Start): string {
  return endOfLastDay(dayNumber(wall), start)
}
