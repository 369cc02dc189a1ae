import { type Day, dayNumber, dayOfNumber, isLeapYear, lengthOfMonth, numberOf, wallOf, weekdayOf } from './days.ts'
import { type Rule, type Start, WEEKDAYS } from './recurrence.ts'

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

/** The conditions a day has to meet, those that the start implies among them. */
interface Conditions {
  months: readonly number[]
  monthdays: readonly number[]
  weekdays: readonly NamedWeekday[]
  /** Whether places of weekdays are counted in the year rather than in the month. */
  isCountedInYear: boolean
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

/** The dates that match a rule, the start only if it does. */
export function* matchingDates(rule: Rule, start: Start, end: string): Generator<string, void> {
  const first = dayNumber(start.local)
  const last = dayNumber(end)
  const conditions = conditionsOf(rule, dayOfNumber(first), weekdayOf(first))
  for (let step = 0; ; step += rule.interval) {
    const period = periodOf(rule, first, step)
    if (period.first > last) return
    for (const day of daysOf(period, rule.positions, conditions)) {
      if (day < first) continue
      const wall = wallOf(day, start.local)
      if (wall > end) return
      yield wall
    }
  }
}

/** What a rule leaves open is that of its start: the weekday, the day of the month, the month. */
function conditionsOf(rule: Rule, start: Day, startWeekday: number): Conditions {
  const { frequency, weekdays, monthdays, months } = rule
  const isOpen = weekdays.length === 0 && monthdays.length === 0
  const impliesMonthday = isOpen && (frequency === 'monthly' || frequency === 'yearly')
  return {
    months: frequency === 'yearly' && isOpen && months.length === 0 ? [start.month] : months,
    monthdays: impliesMonthday ? [start.monthday] : monthdays,
    weekdays: isOpen && frequency === 'weekly' ? [{ weekday: startWeekday, nth: 0 }] : weekdays.map(namedWeekday),
    isCountedInYear: frequency === 'yearly' && months.length === 0,
  }
}

/** `-1FR` as Friday and -1. */
function namedWeekday(text: string): NamedWeekday {
  return { weekday: WEEKDAYS.findIndex((name) => text.endsWith(name)), nth: Number(text.slice(0, -2)) }
}

/** The day, week, month or year that lies `step` of them after that of the start. */
function periodOf({ frequency, weekStart }: Rule, start: number, step: number): Period {
  if (frequency === 'daily') return { first: start + step, last: start + step }
  if (frequency === 'weekly') {
    const first = start - ((weekdayOf(start) - WEEKDAYS.indexOf(weekStart) + 7) % 7) + step * 7
    return { first, last: first + 6 }
  }
  const { year, month } = dayOfNumber(start)
  if (frequency === 'yearly') return { first: numberOf(year + step, 1, 1), last: numberOf(year + step + 1, 1, 0) }
  return { first: numberOf(year, month + step, 1), last: numberOf(year, month + step + 1, 0) }
}

/** The days of a period that meet the conditions, in order; of these the ones at the positions, if there are any. */
function daysOf({ first, last }: Period, positions: readonly number[], conditions: Conditions): number[] {
  const days: number[] = []
  for (let day = first; day <= last; day += 1) if (meets(day, conditions)) days.push(day)
  if (positions.length === 0) return days
  return days.filter((_day, at) => positions.includes(at + 1) || positions.includes(at - days.length))
}

function meets(number: number, { months, monthdays, weekdays, isCountedInYear }: Conditions): boolean {
  const day = dayOfNumber(number)
  if (months.length > 0 && !months.includes(day.month)) return false
  if (monthdays.length > 0 && !isAtPlace(day.monthday, lengthOfMonth(day), monthdays)) return false
  return weekdays.length === 0 || weekdays.some((named) => isWeekday(number, day, named, isCountedInYear))
}

/** Whether a place counted from 1 is one of those asked for, of which negative ones count from the end. */
function isAtPlace(place: number, length: number, asked: readonly number[]): boolean {
  return asked.includes(place) || asked.includes(place - length - 1)
}

function isWeekday(number: number, day: Day, { weekday, nth }: NamedWeekday, isCountedInYear: boolean): boolean {
  if (weekdayOf(number) !== weekday) return false
  if (nth === 0) return true
  const place = isCountedInYear ? number - numberOf(day.year, 1, 1) + 1 : day.monthday
  const length = isCountedInYear ? (isLeapYear(day.year) ? 366 : 365) : lengthOfMonth(day)
  return nth > 0 ? Math.ceil(place / 7) === nth : Math.ceil((length - place + 1) / 7) === -nth
}
