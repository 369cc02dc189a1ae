import { formatUtc, utcToMs } from '../text/zones.ts'
import { type Day, dayNumber, dayOfNumber, lengthOfMonth, weekdayOf } from './days.ts'
import { settled } from './occurrences.ts'
import { type Recurrence, type Rule, type Start, WEEKDAYS } from './recurrence.ts'
import { completed, LAST_WALL, matchingDates, ruleDates } from './rule-dates.ts'
import { endWith } from './rule-times.ts'

const DAY_MS = 86_400_000

/** A series in two: the dates before a date, and that date with those after it as a series of its own. */
export interface Split {
  readonly before: Recurrence
  /** Begins at the date that was split at. */
  readonly after: Recurrence
}

/**
 * Splits a recurrence at the original start of one of its occurrences but the first. Both halves together have the same dates: a
 * count is divided, an endless rule gets an end before the date. Undefined for an added date from which on no rule has the dates of one
 * without an end.
 */
export function splitRecurrence(recurrence: Recurrence, start: Start, at: string): Split | undefined {
  const { rule, added, left } = recurrence
  const before = { added: added.filter((wall) => wall < at), left: left.filter((wall) => wall < at) }
  const after = { added: added.filter((wall) => wall > at), left: left.filter((wall) => wall >= at) }
  if (!rule) return { before, after }
  const earlier = datesBefore(rule, start, at)
  const isOver = !hasDateFrom(rule, start, at)
  const later = isOver
    ? undefined
    : (ruleFrom(rule, start, at, earlier.length) ?? ruleAround(rule, start, at, earlier.length))
  const isListed = !isOver && !later
  if (isListed && isEndless(rule)) return undefined
  const listed = isListed ? datesAfter(rule, start, at, MOST_LISTED + 1) : []
  if (listed.length > MOST_LISTED) return undefined
  const last = earlier.at(-1) ?? start.local
  return {
    before: {
      ...before,
      rule: rule.count === undefined ? { ...rule, until: endWith(last, start) } : { ...rule, count: earlier.length },
    },
    after: {
      ...after,
      added: [...new Set([...after.added, ...listed])].sort(),
      ...(later ? { rule: later } : {}),
    },
  }
}

/** The dates of a rule before another one, the start among them. Exceptions count as well, as they do for COUNT. */
function datesBefore(rule: Rule, start: Start, at: string): string[] {
  const dates: string[] = []
  for (const wall of ruleDates(rule, start, at)) if (settled(wall, start) < at) dates.push(wall)
  return dates
}

function hasDateFrom(rule: Rule, start: Start, at: string): boolean {
  if (isEndless(rule)) return true
  for (const wall of ruleDates(rule, start, LAST_WALL)) if (settled(wall, start) >= at) return true
  return false
}

/** The rule from one of its own dates on, with the count that is left; undefined for a date it would not make. */
function ruleFrom(rule: Rule, start: Start, at: string, passed: number): Rule | undefined {
  for (const wall of matchingDates(rule, start, at))
    if (settled(wall, start) === at) return rule.count === undefined ? rule : { ...rule, count: rule.count - passed }
  return undefined
}

const isEndless = ({ count, until }: Rule) => count === undefined && until === undefined

/** The rule of a series that begins at a date it does not make, which counts; undefined where that would give it other dates. */
function ruleAround(rule: Rule, start: Start, at: string, passed: number): Rule | undefined {
  const whole = completed(rule, start)
  const from = { ...start, local: at }
  const around = rule.count === undefined ? whole : { ...whole, count: rule.count - passed + 1 }
  const wanted = datesAfter(rule, start, at, COMPARED)
  const found = datesAfter(around, from, at, COMPARED)
  return found.length === wanted.length && found.every((wall, i) => wall === wanted[i]) ? around : undefined
}

/** Rules that agree on this many dates are taken to agree on all. */
const COMPARED = 100

/** As many dates may be added to a rule one by one. */
const MOST_LISTED = 750

/** The first dates of a rule after another one. */
function datesAfter(rule: Rule, start: Start, at: string, most: number): string[] {
  const dates: string[] = []
  for (const wall of ruleDates(rule, start, LAST_WALL)) {
    if (dates.length >= most) break
    const date = settled(wall, start)
    if (date > at && date !== dates.at(-1)) dates.push(date)
  }
  return dates
}

/**
 * The recurrence of a series whose start has moved: its dates, exceptions and end move by as much. A single weekday, day or month
 * that the start had goes along; of several that cannot, the rule stays, and the start is a date beside it.
 */
export function shiftRecurrence(recurrence: Recurrence, from: Start, to: Start): Recurrence {
  const moved = utcToMs(to.local) - utcToMs(from.local)
  const shift = (wall: string) => settled(to.allDay ? startOf(wall, moved) : formatUtc(utcToMs(wall) + moved), to)
  const added = recurrence.added.map(shift)
  const left = recurrence.left.map(shift)
  return recurrence.rule ? { rule: shiftRule(recurrence.rule, from, to), added, left } : { added, left }
}

function startOf(wall: string, moved: number): string {
  return `${formatUtc(utcToMs(wall) + moved).slice(0, 10)} 00:00:00`
}

function shiftRule(rule: Rule, from: Start, to: Start): Rule {
  const [fromDay, toDay] = [dayNumber(from.local), dayNumber(to.local)]
  const [old, next] = [dayOfNumber(fromDay), dayOfNumber(toDay)]
  const months = rule.months.length === 1 && rule.months[0] === old.month ? [next.month] : rule.months
  const shifted = { ...rule, months, weekdays: shiftWeekdays(rule, fromDay, toDay) }
  const monthdays = shiftMonthdays(rule.monthdays, old, next)
  return {
    ...shifted,
    monthdays,
    ...(rule.until === undefined
      ? {}
      : { until: endWith(formatUtc(utcToMs(rule.until) + (toDay - fromDay) * DAY_MS), to) }),
  }
}

/** All weekdays of a weekly rule move; one with a place in its month gets the place that the new start has. */
function shiftWeekdays({ frequency, weekdays }: Rule, from: number, to: number): readonly string[] {
  const days = to - from
  if (frequency === 'weekly') {
    const isAsked = (place: number) => weekdays.includes(WEEKDAYS[(((place - days) % 7) + 7) % 7] ?? '')
    return WEEKDAYS.filter((_name, place) => isAsked(place))
  }
  const [only, ...others] = weekdays
  if (days === 0 || only === undefined || others.length > 0 || !only.endsWith(nameOf(from))) return weekdays
  const nth = Number(only.slice(0, -2))
  if (Math.abs(nth) > 5) return weekdays
  return [`${nth === 0 ? '' : placeOf(dayOfNumber(to), nth < 0)}${nameOf(to)}`]
}

function nameOf(day: number): string {
  return WEEKDAYS[weekdayOf(day)] ?? 'MO'
}

/** Which of its weekday a day is in its month, from the end if that is how it was counted and it still can be. */
function placeOf(day: Day, isFromEnd: boolean): number {
  const place = Math.ceil(day.monthday / 7)
  return isFromEnd ? -Math.ceil((lengthOfMonth(day) - day.monthday + 1) / 7) : place
}

function shiftMonthdays(monthdays: readonly number[], from: Day, to: Day): readonly number[] {
  const [only, ...others] = monthdays
  if (only === undefined || others.length > 0 || from.monthday === to.monthday) return monthdays
  if (only === from.monthday) return [to.monthday]
  return only === from.monthday - lengthOfMonth(from) - 1 ? [to.monthday - lengthOfMonth(to) - 1] : monthdays
}
