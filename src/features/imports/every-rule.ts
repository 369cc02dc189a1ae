import {
  type Conditions,
  completed,
  type DayRule,
  dayConditions,
  dayOfNumber,
  daysOf,
  FREQUENCIES,
  isPlainScale,
  numberOf,
  type Period,
  periodOf,
  type Rule,
  WEEKDAYS,
  wallOfDay,
} from '../../base/recurrence/recurrence.ts'
import { dayNumber } from '../../base/text/zones.ts'

// Reads recurrence rules with all of RFC 5545, more than events here can have.

/** Lists of numbers are sorted; a list not given is empty. */
export interface EveryRule {
  /** A rule that repeats within a day is daily here. */
  readonly days: DayRule
  /** Seconds of FREQ (1, 60 or 3600) of a rule that repeats within a day. */
  readonly unit: number | undefined
  readonly interval: number
  readonly count: number | undefined
  /** UNTIL as written, such as `20270630T170000Z`. */
  readonly until: string | undefined
  readonly hours: readonly number[]
  readonly minutes: readonly number[]
  readonly seconds: readonly number[]
  readonly positions: readonly number[]
  /** Where a missing day of a month goes (RFC 7529, 4.1); if undefined, the day is left out. */
  readonly skip: Skip | undefined
}

const SKIPS = ['FORWARD', 'BACKWARD'] as const
type Skip = (typeof SKIPS)[number]

/** Computing steps that several rules share. A number below 0 means that a rule was cut off. */
export interface Steps {
  left: number
}

const UNITS: Readonly<Record<string, number>> = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 }
const LONGEST = 10_000

/** @returns undefined for an unknown or invalid part */
export function readEveryRule(value: string): EveryRule | undefined {
  if (value.length > LONGEST) return undefined
  const parts = new Map<string, string>()
  for (const pair of value.toUpperCase().split(';')) {
    const [name = '', text] = pair.split('=', 2)
    const isIgnored =
      name.trim() === '' || /^\s*X-/.test(name) || isPlainScale(name.trim(), (text ?? '').trim())
    if (!isIgnored) parts.set(name.trim(), (text ?? '').trim())
  }
  if ([...parts.keys()].some((name) => !PARTS.has(name))) return undefined
  try {
    return ruleIn(parts)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const LISTS = {
  BYMONTH: [1, 12],
  BYWEEKNO: [-53, 53],
  BYYEARDAY: [-366, 366],
  BYMONTHDAY: [-31, 31],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSECOND: [0, 60],
  BYSETPOS: [-366, 366],
} as const
const PARTS = new Set([...Object.keys(LISTS), 'FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST', 'SKIP'])

function ruleIn(parts: ReadonlyMap<string, string>): EveryRule {
  const list = (name: keyof typeof LISTS) => numbersOf(parts.get(name), LISTS[name][0], LISTS[name][1])
  const number = (name: string) =>
    parts.has(name) ? numbersOf(parts.get(name), 1, 999_999_999)[0] : undefined
  const unit = UNITS[parts.get('FREQ') ?? '']
  const frequency = unit === undefined ? oneOf(FREQUENCIES, parts.get('FREQ')?.toLowerCase()) : 'daily'
  const interval = number('INTERVAL') ?? 1
  const weekdays = parts.get('BYDAY')?.split(',') ?? []
  if (weekdays.some((day) => !/^[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)$/.test(day.trim())))
    throw new RangeError()
  const rule: Rule = {
    frequency,
    interval: unit === undefined ? interval : 1,
    weekdays: weekdays.map((day) => day.trim()),
    monthdays: list('BYMONTHDAY'),
    months: list('BYMONTH'),
    positions: [],
    weekStart: oneOf(WEEKDAYS, parts.get('WKST') ?? 'MO'),
  }
  return {
    days: { ...rule, weeks: list('BYWEEKNO'), yeardays: list('BYYEARDAY') },
    unit,
    interval,
    count: number('COUNT'),
    until: parts.get('UNTIL'),
    hours: list('BYHOUR'),
    minutes: list('BYMINUTE'),
    seconds: list('BYSECOND').filter((second) => second < 60),
    positions: list('BYSETPOS'),
    skip: parts.has('SKIP') ? oneOf(SKIPS, parts.get('SKIP')) : undefined,
  }
}

function oneOf<Name extends string>(names: readonly Name[], text: string | undefined): Name {
  const found = names.find((name) => name === text)
  if (found === undefined) throw new RangeError()
  return found
}

function numbersOf(text: string | undefined, from: number, to: number): number[] {
  if (text === undefined) return []
  const numbers = text
    .split(',')
    .map((entry) => (/^\s*[+-]?\d{1,9}\s*$/.test(entry) ? Number(entry) : Number.NaN))
  if (numbers.some((number) => !(number >= from && number <= to))) throw new RangeError()
  return [...new Set(numbers)].sort((one, other) => one - other)
}

/**
 * Yields local times from `start` to `end`, in order. COUNT includes a start that the rule does not match.
 * Times skipped by a clock change stay.
 */
export function* everyDate(
  rule: EveryRule,
  start: string,
  end: string,
  steps: Steps,
): Generator<string, void> {
  let left = rule.count ?? Number.POSITIVE_INFINITY
  let isFirst = true
  let latest = ''
  for (const set of setsOf(rule, start, end, steps)) {
    // Each of hundreds of BYSETPOS positions is looked up in every set.
    steps.left -= rule.positions.length
    if (steps.left < 0) return
    for (const wall of timesOfSet(set, rule.positions)) {
      steps.left -= 1
      if (wall > end || steps.left < 0) return
      // SKIP may have moved a day to the first of the next month, which yields it too.
      if (wall < start || wall === latest) continue
      latest = wall
      if (isFirst && wall > start) left -= 1
      isFirst = false
      if (left <= 0) return
      left -= 1
      yield wall
    }
  }
}

interface DateSet {
  days: readonly number[]
  hours: readonly number[]
  minutes: readonly number[]
  seconds: readonly number[]
}

function* setsOf(rule: EveryRule, start: string, end: string, steps: Steps): Generator<DateSet, void> {
  const days = completed(rule.days, { local: start })
  const conditions = dayConditions(days)
  const [first, last] = [dayNumber(start), dayNumber(end)]
  const [hour = 0, minute = 0, second = 0] = timeOf(start)
  const times = {
    hours: own(rule.hours, hour),
    minutes: own(rule.minutes, minute),
    seconds: own(rule.seconds, second),
  }
  for (let step = 0; ; step += days.interval) {
    const period = periodOf(days, first, step)
    // Beyond the range of dates, days are NaN: the comparison ends the loop.
    if (!(period.first <= last)) return
    steps.left -= 1 + (period.last - period.first) / DAYS_A_STEP
    if (steps.left < 0) return
    const found = rule.skip
      ? withMoved(daysOf(period, conditions), rule.skip, period, conditions)
      : daysOf(period, conditions)
    if (found.length === 0) continue
    if (rule.unit === undefined) yield { days: found, ...times }
    else yield* setsWithin(rule, rule.unit, period.first, start, steps)
  }
}

/** Adds the days to which SKIP moves days that a month lacks (RFC 7529). */
function withMoved(days: readonly number[], skip: Skip, period: Period, conditions: Conditions): number[] {
  const { months, monthdays } = conditions
  const moved: number[] = []
  for (let first = period.first; first <= period.last; ) {
    const { year, month, monthday } = dayOfNumber(first)
    const next = numberOf(year, month + 1, 1)
    const isLacking = monthday === 1 && monthdays.some((asked) => asked > next - first)
    if (isLacking && (months.length === 0 || months.includes(month)))
      moved.push(skip === 'FORWARD' ? next : next - 1)
    first = next
  }
  const others = { ...conditions, months: [], monthdays: [] }
  const meeting = moved.filter((day) => daysOf({ first: day, last: day }, others).length > 0)
  return [...new Set([...days, ...meeting])].sort((one, other) => one - other)
}

const timeOf = (wall: string) => wall.slice(11).split(':').map(Number)
const own = (list: readonly number[], at: number) => (list.length > 0 ? list : [at])
const all = (list: readonly number[], length: number) => (list.length > 0 ? list : [...Array(length).keys()])
const DAY = 86_400
/** Looking at this many days counts as one step, like yielding one date. */
const DAYS_A_STEP = 16

function* setsWithin(
  rule: EveryRule,
  unit: number,
  day: number,
  start: string,
  steps: Steps,
): Generator<DateSet, void> {
  const [hour = 0, minute = 0, second = 0] = timeOf(start)
  const minutes = unit < 3600 ? all(rule.minutes, 60) : own(rule.minutes, minute)
  const seconds = unit < 60 ? all(rule.seconds, 60) : own(rule.seconds, second)
  const unitOf = (number: number, h: number, m: number, s: number) =>
    Math.floor((number * DAY + h * 3600 + m * 60 + s) / unit)
  const begun = unitOf(dayNumber(start), hour, minute, second)
  for (const h of all(rule.hours, 24))
    for (const m of unit < 3600 ? minutes : [0])
      for (const s of unit < 60 ? seconds : [0]) {
        const past = unitOf(day, h, m, s) - begun
        if (past < 0) continue
        steps.left -= 1
        if (steps.left < 0) return
        if (past % rule.interval !== 0) continue
        yield {
          days: [day],
          hours: [h],
          minutes: unit < 3600 ? [m] : minutes,
          seconds: unit < 60 ? [s] : seconds,
        }
      }
}

function* timesOfSet(
  { days, hours, minutes, seconds }: DateSet,
  positions: readonly number[],
): Generator<string, void> {
  const inMinute = seconds.length
  const inHour = minutes.length * inMinute
  const inDay = hours.length * inHour
  const length = days.length * inDay
  const two = (number = 0) => String(number).padStart(2, '0')
  const timeAt = (at: number) => {
    const hour = two(hours[Math.floor((at % inDay) / inHour)])
    const minute = two(minutes[Math.floor((at % inHour) / inMinute)])
    return wallOfDay(
      days[Math.floor(at / inDay)] ?? 0,
      `YYYY-MM-DD ${hour}:${minute}:${two(seconds[at % inMinute])}`,
    )
  }
  if (positions.length === 0) for (let at = 0; at < length; at += 1) yield timeAt(at)
  const places = positions.map((place) => (place > 0 ? place - 1 : length + place))
  for (const at of [...new Set(places)].sort((one, other) => one - other))
    if (at >= 0 && at < length) yield timeAt(at)
}
