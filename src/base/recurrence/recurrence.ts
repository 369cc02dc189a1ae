import { DAY_MS, dayNumber, formatUtc, settledWall } from '../text/zones.ts'

// Declares a recurrence (its rule, added dates and exceptions), makes its dates, and counts with days of the
// calendar.

/** The weekdays from Monday on, as rules write them. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** The frequencies of a rule. Daily is the most frequent, since events do not repeat within a day. */
export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** The parts of a rule that hold lists. All are read in the same way. */
export const LIST_PARTS = ['weekdays', 'monthdays', 'months', 'positions'] as const

/**
 * A recurrence as it is stored. All times are wall times 'YYYY-MM-DD HH:MM:SS' in the zone of the series, and
 * 00:00:00 for events that last all day. Both lists are in order, without duplicates.
 */
export interface Recurrence {
  readonly rule?: Rule
  /** Dates beside the rule (RDATE). */
  readonly added: readonly string[]
  /** Original starts that do not take place (EXDATE). */
  readonly left: readonly string[]
}

/**
 * A rule of RFC 5545, 3.3.10, within the bounds of `readRecurrence`. An empty list is a part that was not
 * given.
 */
export interface Rule {
  readonly frequency: Frequency
  readonly interval: number
  /** How many dates there are, the start among them; never together with `until`. */
  readonly count?: number
  /** The end of the last day that may have a date: 23:59:59, or 00:00:00 for events that last all day. */
  readonly until?: string
  /** Weekdays such as `TU`, or with their place in the month or year, such as `2TU` or `-1FR`. */
  readonly weekdays: readonly string[]
  /** Days of the month: 1 to 31, or counted from the end -1 to -31. */
  readonly monthdays: readonly number[]
  readonly months: readonly number[]
  /**
   * The places of the dates that count, among all dates of one day, week, month or year: 1 is the first, -1
   * the last.
   */
  readonly positions: readonly number[]
  readonly weekStart: Weekday
}

/**
 * Tells whether a part of RFC 7529 says what holds without it: days of the Gregorian calendar, of which those
 * that do not exist are left out.
 */
export function isPlainScale(name: string, value: string): boolean {
  return /^(?:RSCALE=GREGORIAN|SKIP=OMIT)$/i.test(`${name}=${value}`)
}

/**
 * The start of the first occurrence of a series: a wall time, its zone, and whether the events last all day.
 */
export interface Start {
  readonly local: string
  readonly zone: string
  readonly allDay: boolean
}

/**
 * Why a recurrence is refused: the name of the part as the client wrote it (`RRULE:BYHOUR`, `until`), and the
 * English text, which locales translate.
 */
export interface Fault {
  readonly part: string
  readonly message: RecurrenceMessage
  readonly values?: Readonly<Record<string, string>>
}

/**
 * The error for a recurrence that cannot be read. It is thrown within this folder alone; callers outside get
 * its `Fault`.
 */
export class Unreadable extends Error {
  readonly fault: Fault

  constructor(part: string, message: RecurrenceMessage, values: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'Unreadable'
    this.fault = { part, message, values }
  }
}

/** Decides whether the result of reading a recurrence is a fault. */
export function isFault(read: object | undefined): read is Fault {
  return read !== undefined && 'part' in read
}

/**
 * English texts about recurrences that are refused, with `{name}` where a value goes; other languages
 * translate them by these texts.
 */
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

// The dates of a recurrence.

/**
 * A rule with two parts that rules of events here do not have: numbers of weeks (BYWEEKNO) and of days of the
 * year (BYYEARDAY).
 */
export interface DayRule extends Rule {
  readonly weeks?: readonly number[]
  readonly yeardays?: readonly number[]
}

/** A stretch of days by their numbers, both ends among them. */
export interface Period {
  first: number
  last: number
}

/** A weekday with its place in the month or year; `nth` is 0 for a weekday at any place. */
interface NamedWeekday {
  weekday: number
  nth: number
}

/** The conditions that a day has to meet, including those that follow from the start. */
export interface Conditions {
  months: readonly number[]
  monthdays: readonly number[]
  weekdays: readonly NamedWeekday[]
  /** Whether places of weekdays are counted in the year rather than in the month. */
  isCountedInYear: boolean
  weeks: readonly number[]
  yeardays: readonly number[]
  weekStart: Weekday
}

/**
 * Yields the dates of a rule as wall times in order, from the start to the horizon or the end of the rule:
 * first the start, whether it matches the rule or not (docs/series.md), then the days that match. Times that
 * a clock change skips are not moved. Each day up to the horizon is looked at once, so the work is bounded
 * whatever the rule.
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

/** The last wall time of the calendar, after which no date lies. */
export const LAST_WALL = '9999-12-31 23:59:59'

/**
 * The years in which a rule is searched for a date that matches it: 29 February is the same weekday again
 * after 28 or 40 years.
 */
const SEARCHED_YEARS = 40

/** Returns the wall time up to which a recurrence is searched for a date. */
export function searchedUntil({ local }: Start): string {
  return wallOfDay(dayNumber(local) + SEARCHED_YEARS * 366, local)
}

/**
 * Decides whether any date from the start on matches a rule. A start that does not match it does not count.
 */
export function hasMatch(rule: Rule, start: Start): boolean {
  const horizon = searchedUntil(start)
  const end = rule.until !== undefined && rule.until < horizon ? rule.until : horizon
  return !matchingDates(rule, start, end).next().done
}

/**
 * The most days from the start of a series, or from the year 2000 if it began before, to its last date: 400
 * years.
 */
const LONGEST_DAYS = 146_097
const YEAR_2000 = 10_957

/**
 * Yields the dates from the start to `end` that match a rule, as wall times in order. The start is among them
 * only if it matches.
 */
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

/** Adds the weekday, the day of the month or the month of the start to a rule that does not name them. */
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

/** Returns the conditions that a completed rule sets each day. */
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

/** Reads a weekday with its place: `-1FR` is Friday and -1. */
function namedWeekday(text: string): NamedWeekday {
  return { weekday: WEEKDAYS.findIndex((name) => text.endsWith(name)), nth: Number(text.slice(0, -2)) }
}

/**
 * Returns the first and last day of the period (day, week, month or year) that comes `step` periods after the
 * one of the start.
 */
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

/** Returns the days of a period that meet the conditions, in order. */
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
 * Decides whether a day is in one of these weeks of its year. The first week of a year is the first with at
 * least four days in that year.
 */
function isInWeek(number: number, weeks: readonly number[], weekStart: Weekday): boolean {
  const middle = number - ((weekdayOfDay(number) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + 3
  const { year } = dayOfNumber(middle)
  const place = Math.floor((middle - numberOf(year, 1, 1)) / 7) + 1
  return isAtPlace(place, place + Math.floor((numberOf(year, 12, 31) - middle) / 7), weeks)
}

/**
 * Decides whether a place, counted from 1, is among those asked for. Negative ones are counted from the end:
 * -1 is the last.
 */
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
 * Returns the original starts of a series up to the wall time `until`: in order, without duplicates, at most
 * `limit`. The first is the start of the series, even if `until` lies before it, unless an exception removes
 * it. Times that a clock change skips move forward, so that two dates may become one.
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

/**
 * Moves a wall time that a clock change skips forward. Returns any other, and those of events that last all
 * day, unchanged.
 */
export function settled(wall: string, { zone, allDay }: Start): string {
  return allDay ? wall : settledWall(wall, zone)
}

/** A day of the Gregorian calendar. */
export interface Day {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly monthday: number
}

/** Returns the wall time on a day, given by its number, at the time of day of another wall time. */
export function wallOfDay(day: number, time: string): string {
  return formatUtc(day * DAY_MS).slice(0, 11) + time.slice(11)
}

/**
 * Returns the number of a day, counted from 1970-01-01. Months beyond the year and days beyond the month roll
 * over.
 */
export function numberOf(year: number, month: number, monthday: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, monthday) / DAY_MS
}

/**
 * Returns the day with a number. Computes with integers instead of a Date, since rules ask this for every day
 * that they pass.
 */
export function dayOfNumber(day: number): Day {
  // Years begin on 1 March here, so that the day that leap years add is their last one. 146,097 days are 400
  // years.
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

/** Returns the weekday of a day by its number: 0 for Monday to 6 for Sunday. */
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

/** Returns the latest wall time on a day, given by its number, at which a date of the series may begin. */
export function endOfLastDay(day: number, { allDay }: Start): string {
  return wallOfDay(day, `YYYY-MM-DD ${allDay ? '00:00:00' : '23:59:59'}`)
}

/** Returns the `until` of a rule whose last date is on the day of this wall time. */
export function endWith(wall: string, start: Start): string {
  return endOfLastDay(dayNumber(wall), start)
}
