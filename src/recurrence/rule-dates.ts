import { type Day, dayNumber, dayOfNumber, isLeapYear, lengthOfMonth, numberOf, wallOf, weekdayOf } from './days.ts'
import { type Rule, type Start, WEEKDAYS, type Weekday } from './recurrence.ts'

/** A rule with two parts that rules of events here do not have: numbers of weeks (BYWEEKNO) and of days of the year (BYYEARDAY). */
export interface DayRule extends Rule {
  readonly weeks?: readonly number[]
  readonly yeardays?: readonly number[]
}

/** A stretch of days by their numbers, both ends among them. */
interface Period {
  first: number
  last: number
}

/** A weekday with its place in its month or year; 0 for every one. */
interface NamedWeekday {
  weekday: number
  nth: number
}

/** The conditions a day has to meet, including those that the start implies. */
interface Conditions {
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
 * The dates of a rule as wall times in order, from the start to the horizon and before the end of the rule: those that
 * match it, and the start as the first one even where it does not (docs/series.md). Clock changes are not looked at.
 * Each day up to the horizon is looked at once, so the work is bounded whatever the rule.
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

/** No date lies after the last wall time there is. */
export const LAST_WALL = '9999-12-31 23:59:59'

/** How far a rule is searched for a date that matches it: 29 February is the same weekday again after 28 or 40 years. */
const SEARCHED_YEARS = 40

/** The wall time up to which it is looked for whether a recurrence has a date at all. */
export function searchedUntil({ local }: Start): string {
  return wallOf(dayNumber(local) + SEARCHED_YEARS * 366, local)
}

/** Whether a rule has any date that it makes itself, from the start on. */
export function hasMatch(rule: Rule, start: Start): boolean {
  const horizon = searchedUntil(start)
  const end = rule.until !== undefined && rule.until < horizon ? rule.until : horizon
  return !matchingDates(rule, start, end).next().done
}

/** A series is over 400 years after its start, so that one that begins with the calendar costs no more than others. */
const LONGEST_DAYS = 146_097

/** The dates that match a rule, the start only if it does. */
export function* matchingDates(rule: Rule, start: Start, end: string): Generator<string, void> {
  const first = dayNumber(start.local)
  const last = Math.min(dayNumber(end), first + LONGEST_DAYS)
  const conditions = conditionsOf(completed(rule, start))
  for (let step = 0; ; step += rule.interval) {
    const period = periodOf(rule, first, step)
    if (period.first > last) return
    for (const day of atPositions(daysOf(period, conditions), rule.positions)) {
      if (day < first) continue
      const wall = wallOf(day, start.local)
      if (wall > end) return
      yield wall
    }
  }
}

/** A rule with what it leaves open and its start decides: the weekday, the day of the month, the month. */
export function completed(rule: DayRule, start: Pick<Start, 'local'>): DayRule {
  const { frequency, weekdays, monthdays, months, weeks = [], yeardays = [] } = rule
  if (frequency === 'daily' || weekdays.length + monthdays.length + yeardays.length > 0) return rule
  const number = dayNumber(start.local)
  if (frequency === 'weekly' || weeks.length > 0) return { ...rule, weekdays: [WEEKDAYS[weekdayOf(number)] ?? 'MO'] }
  const { month, monthday } = dayOfNumber(number)
  const isYearday = frequency === 'yearly' && months.length === 0
  return { ...rule, monthdays: [monthday], months: isYearday ? [month] : months }
}

/** What a completed rule asks of each day. */
export function conditionsOf(rule: DayRule): Conditions {
  const { months, monthdays, weekdays, weeks = [], yeardays = [], weekStart } = rule
  const isCountedInYear = rule.frequency === 'yearly' && months.length === 0
  return { months, monthdays, weekdays: weekdays.map(namedWeekday), isCountedInYear, weeks, yeardays, weekStart }
}

/** `-1FR` as Friday and -1. */
function namedWeekday(text: string): NamedWeekday {
  return { weekday: WEEKDAYS.findIndex((name) => text.endsWith(name)), nth: Number(text.slice(0, -2)) }
}

/** The day, week, month or year `step` periods after that of the start. */
export function periodOf({ frequency, weekStart }: Rule, start: number, step: number): Period {
  if (frequency === 'daily') return { first: start + step, last: start + step }
  if (frequency === 'weekly') {
    const first = start - ((weekdayOf(start) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + step * 7
    return { first, last: first + 6 }
  }
  const { year, month } = dayOfNumber(start)
  if (frequency === 'yearly') return { first: numberOf(year + step, 1, 1), last: numberOf(year + step + 1, 1, 0) }
  return { first: numberOf(year, month + step, 1), last: numberOf(year, month + step + 1, 0) }
}

/** The days of a period that meet the conditions, in order. */
export function daysOf({ first, last }: Period, conditions: Conditions): number[] {
  const days: number[] = []
  for (let day = first; day <= last; day += 1) if (meets(day, conditions)) days.push(day)
  return days
}

function atPositions(days: readonly number[], positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return days
  return days.filter((_day, at) => positions.includes(at + 1) || positions.includes(at - days.length))
}

function meets(number: number, conditions: Conditions): boolean {
  const { months, monthdays, weekdays, isCountedInYear, weeks, yeardays, weekStart } = conditions
  const day = dayOfNumber(number)
  if (months.length > 0 && !months.includes(day.month)) return false
  if (monthdays.length > 0 && !isAtPlace(day.monthday, lengthOfMonth(day), monthdays)) return false
  if (yeardays.length > 0 && !isAtPlace(number - numberOf(day.year, 1, 0), lengthOfYear(day), yeardays)) return false
  if (weeks.length > 0 && !isInWeek(number, weeks, weekStart)) return false
  return weekdays.length === 0 || weekdays.some((named) => isWeekday(number, day, named, isCountedInYear))
}

/** Whether a day is in one of these weeks of its year, the first of which has at least four days in it. */
function isInWeek(number: number, weeks: readonly number[], weekStart: Weekday): boolean {
  const middle = number - ((weekdayOf(number) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + 3
  const { year } = dayOfNumber(middle)
  const place = Math.floor((middle - numberOf(year, 1, 1)) / 7) + 1
  return isAtPlace(place, place + Math.floor((numberOf(year, 12, 31) - middle) / 7), weeks)
}

/** Whether a place counted from 1 is one of those asked for, of which negative ones count from the end. */
function isAtPlace(place: number, length: number, asked: readonly number[]): boolean {
  return asked.includes(place) || asked.includes(place - length - 1)
}

function isWeekday(number: number, day: Day, { weekday, nth }: NamedWeekday, isCountedInYear: boolean): boolean {
  if (weekdayOf(number) !== weekday) return false
  if (nth === 0) return true
  const place = isCountedInYear ? number - numberOf(day.year, 1, 1) + 1 : day.monthday
  const length = isCountedInYear ? lengthOfYear(day) : lengthOfMonth(day)
  return nth > 0 ? Math.ceil(place / 7) === nth : Math.ceil((length - place + 1) / 7) === -nth
}

function lengthOfYear({ year }: Day): number {
  return isLeapYear(year) ? 366 : 365
}
