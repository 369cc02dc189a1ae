import { DAY_MS, dayNumber, formatUtc, utcToMs } from '../text/zones.ts'
import {
  completed,
  type Day,
  dayOfNumber,
  endWith,
  LAST_WALL,
  lengthOfMonth,
  matchingDates,
  numberOf,
  type Recurrence,
  type Rule,
  ruleDates,
  type Start,
  settled,
  WEEKDAYS,
  wallOfDay,
  weekdayOfDay,
} from './recurrence.ts'

export interface Split {
  readonly before: Recurrence
  readonly after: Recurrence
}

/**
 * Splits a recurrence before `at`, an original start other than the first. Together both parts have the same
 * dates as before: a COUNT is divided between them, and a rule without COUNT gets an end in `before`. If `at`
 * is an added date, `after` gets a rule that begins with `at` and has the same later dates; if there is no
 * such rule, `added` lists them. Undefined if they never end or are more than `MOST_LISTED`.
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
      rule:
        rule.count === undefined
          ? { ...rule, until: endWith(last, start) }
          : { ...rule, count: earlier.length },
    },
    after: {
      ...after,
      added: [...new Set([...after.added, ...listed])].sort(),
      ...(later ? { rule: later } : {}),
    },
  }
}

/** The dates of the rule before `at`, including exceptions, since COUNT counts them. */
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

function ruleFrom(rule: Rule, start: Start, at: string, passed: number): Rule | undefined {
  for (const wall of matchingDates(rule, start, at))
    if (settled(wall, start) === at)
      return rule.count === undefined ? rule : { ...rule, count: rule.count - passed }
  return undefined
}

const isEndless = ({ count, until }: Rule) => count === undefined && until === undefined

/**
 * Returns `rule` with `at` as its start, a date that `rule` does not give; undefined if its later dates would
 * change.
 */
function ruleAround(rule: Rule, start: Start, at: string, passed: number): Rule | undefined {
  const whole = completed(rule, start)
  const from = { ...start, local: at }
  const around = rule.count === undefined ? whole : { ...whole, count: rule.count - passed + 1 }
  const wanted = datesAfter(rule, start, at, COMPARED)
  const found = datesAfter(around, from, at, COMPARED)
  return found.length === wanted.length && found.every((wall, i) => wall === wanted[i]) ? around : undefined
}

/** Rules that agree on this many dates are taken to have the same dates. */
const COMPARED = 100

const MOST_LISTED = 750

function datesAfter(rule: Rule, start: Start, at: string, most: number): string[] {
  const dates: string[] = []
  for (const wall of ruleDates(rule, start, LAST_WALL)) {
    if (dates.length >= most) break
    const date = settled(wall, start)
    if (date > at && date !== dates.at(-1)) dates.push(date)
  }
  return dates
}

export interface Moved {
  start: Start
  recurrence: Recurrence
  place: (wall: string) => string
}

/**
 * Moves the date `at` to `to`, and every other date by the same time span. Tries in turn:
 * 1. a changed rule with exactly the moved dates;
 * 2. for a monthly or yearly rule without an end or without places of weekdays, such as `2TU`: a rule by
 * which each date has the place of `to` in its month or year (`moveAlong`);
 * 3. a list of all dates. Undefined if the dates never end or are more than `MOST_LISTED`.
 */
export function moveRecurrence(
  recurrence: Recurrence,
  start: Start,
  at: string,
  to: Start,
): Moved | undefined {
  const shift = (wall: string) => shifted(wall, at, to)
  const begin = { ...to, local: shift(start.local) }
  const { rule } = recurrence
  const place = (wall: string) => settled(shift(wall), to)
  const lists = { added: recurrence.added.map(place), left: recurrence.left.map(place) }
  if (!rule) return { start: begin, recurrence: lists, place }
  const dates = firstDates(rule, start, isEndless(rule) ? COMPARED : MOST_LISTED + 1)
  const wanted = dates.map(shift)
  const isExact = (other: Rule) =>
    isSame(firstDates(other, begin, wanted.length + 1).slice(0, wanted.length), wanted)
  const exact = shiftedRules(rule, start, begin).find(isExact)
  if (exact) return { start: begin, recurrence: { rule: exact, ...lists }, place }
  const along = isEndless(rule) || !isByPlace(rule) ? moveAlong(rule, start, at, to) : undefined
  if (along) {
    const added = recurrence.added.map(along.place)
    const left = recurrence.left.map(along.place)
    return { start: along.start, recurrence: { rule: along.rule, added, left }, place: along.place }
  }
  if (isEndless(rule) || dates.length > MOST_LISTED) return undefined
  const added = [...new Set([...dates.slice(1).map(place), ...lists.added])].sort()
  return { start: begin, recurrence: { ...lists, added }, place }
}

const isByPlace = ({ weekdays }: Rule) => weekdays.some((name) => name.length > 2)

function shifted(wall: string, at: string, to: Start): string {
  const moved = utcToMs(to.local) - utcToMs(at)
  return to.allDay ? startOfMovedDay(wall, moved) : formatUtc(utcToMs(wall) + moved)
}

function isSame(found: readonly string[], wanted: readonly string[]): boolean {
  return found.length === wanted.length && found.every((wall, i) => wall === wanted[i])
}

function firstDates(rule: Rule, start: Start, most: number): string[] {
  const dates: string[] = []
  for (const wall of ruleDates(rule, start, LAST_WALL)) if (dates.push(wall) >= most) break
  return dates
}

/** Maximum dates, from the first on, that `moveAlong` compares with those of the new rule. */
const MOST_WRITTEN = 1600

const FARTHEST_DAYS = 7

/**
 * For a monthly or yearly rule, returns a rule by which each date has the place of `to` in its month or year.
 * Undefined for other rules, and if a date would be over `FARTHEST_DAYS` days from where the move's time span
 * puts it.
 */
function moveAlong(
  rule: Rule,
  start: Start,
  at: string,
  to: Start,
): { start: Start; rule: Rule; place: Moved['place'] } | undefined {
  if (rule.frequency !== 'monthly' && rule.frequency !== 'yearly') return undefined
  const dates = firstDates(rule, start, MOST_WRITTEN)
  const one = dates.findIndex((wall) => settled(wall, start) === at)
  if (one === -1) return undefined
  const wanted = dates.map((wall) => shifted(wall, at, to))
  for (const along of shiftedRules(rule, { ...start, local: at }, to)) {
    for (const local of [shifted(start.local, at, to), firstAlong(along, start, at, to)]) {
      const found = local === undefined ? [] : firstDates(along, { ...to, local }, dates.length)
      const isNear =
        found.length === dates.length &&
        found.every((wall, i) => Math.abs(dayNumber(wall) - dayNumber(wanted[i] ?? '')) <= FARTHEST_DAYS)
      if (local === undefined || !isNear || found[one] !== to.local) continue
      const places = new Map(dates.map((wall, i) => [settled(wall, start), settled(found[i] ?? wall, to)]))
      const place = (wall: string) => places.get(wall) ?? settled(shifted(wall, at, to), to)
      return { start: { ...to, local }, rule: along, place }
    }
  }
  return undefined
}

function firstAlong(rule: Rule, start: Start, at: string, to: Start): string | undefined {
  const [first, old, next] = [start.local, at, to.local].map((wall) => dayOfNumber(dayNumber(wall)))
  if (!first || !old || !next) return undefined
  const year = next.year + first.year - old.year
  const day =
    rule.frequency === 'yearly'
      ? numberOf(year, 1, 1)
      : numberOf(year, next.month + first.month - old.month, 1)
  const from = { ...to, local: wallOfDay(day, to.local) }
  return matchingDates(completed(rule, to), from, LAST_WALL).next().value ?? undefined
}

/**
 * Candidates for the moved rule. If its only weekday is new and has a place in the month, there are two: with
 * the place counted from the beginning and from the end of the month.
 */
function shiftedRules(rule: Rule, from: Start, to: Start): Rule[] {
  const one = shiftRule(rule, from, to)
  const [only] = one.weekdays
  if (one.weekdays.length !== 1 || only === undefined || !isByPlace(one) || only === rule.weekdays[0])
    return [one]
  const place = placeInMonth(dayOfNumber(dayNumber(to.local)), !only.startsWith('-'))
  return [one, { ...one, weekdays: [`${place}${only.slice(-2)}`] }]
}

function startOfMovedDay(wall: string, moved: number): string {
  return `${formatUtc(utcToMs(wall) + moved).slice(0, 10)} 00:00:00`
}

function shiftRule(rule: Rule, from: Start, to: Start): Rule {
  const [fromDay, toDay] = [dayNumber(from.local), dayNumber(to.local)]
  const [old, next] = [dayOfNumber(fromDay), dayOfNumber(toDay)]
  const months = rule.months.length === 1 && rule.months[0] === old.month ? [next.month] : rule.months
  const moved = {
    ...rule,
    months,
    weekdays: shiftWeekdays(rule, fromDay, toDay),
    weekStart: shiftWeekStart(rule, toDay - fromDay),
  }
  const monthdays = shiftMonthdays(rule.monthdays, old, next)
  return {
    ...moved,
    monthdays,
    ...(rule.until === undefined
      ? {}
      : { until: endWith(formatUtc(utcToMs(rule.until) + (toDay - fromDay) * DAY_MS), to) }),
  }
}

/**
 * Moves the weekdays of a weekly rule. In any other rule, moves only a single weekday, and only if the moved
 * date falls on it; a place up to 5, such as the 2 of `2TU`, becomes that of the new date.
 */
function shiftWeekdays({ frequency, weekdays }: Rule, from: number, to: number): readonly string[] {
  const days = to - from
  if (frequency === 'weekly') {
    const isAsked = (place: number) => weekdays.includes(WEEKDAYS[(((place - days) % 7) + 7) % 7] ?? '')
    return WEEKDAYS.filter((_name, place) => isAsked(place))
  }
  const [only, ...others] = weekdays
  if (days === 0 || only === undefined || others.length > 0 || !only.endsWith(weekdayName(from)))
    return weekdays
  const nth = Number(only.slice(0, -2))
  if (Math.abs(nth) > 5) return weekdays
  return [`${nth === 0 ? '' : placeInMonth(dayOfNumber(to), nth < 0)}${weekdayName(to)}`]
}

function shiftWeekStart({ frequency, interval, weekdays, weekStart }: Rule, days: number): Rule['weekStart'] {
  if (frequency !== 'weekly' || interval === 1 || weekdays.length < 2) return weekStart
  return WEEKDAYS[(((WEEKDAYS.indexOf(weekStart) + days) % 7) + 7) % 7] ?? weekStart
}

function weekdayName(day: number): string {
  return WEEKDAYS[weekdayOfDay(day)] ?? 'MO'
}

function placeInMonth(day: Day, isFromEnd: boolean): number {
  const place = Math.ceil(day.monthday / 7)
  return isFromEnd ? -Math.ceil((lengthOfMonth(day) - day.monthday + 1) / 7) : place
}

function shiftMonthdays(monthdays: readonly number[], from: Day, to: Day): readonly number[] {
  const [only, ...others] = monthdays
  if (only === undefined || others.length > 0 || from.monthday === to.monthday) return monthdays
  if (only === from.monthday) return [to.monthday]
  return only === from.monthday - lengthOfMonth(from) - 1 ? [to.monthday - lengthOfMonth(to) - 1] : monthdays
}
