import {
  FREQUENCIES,
  type Frequency,
  LISTS,
  type Rule,
  type Start,
  Unreadable,
  WEEKDAYS,
  type Weekday,
} from './recurrence.ts'
import { hasMatch } from './rule-dates.ts'

/** The parts of a rule as a client gave them, in words; lists are taken apart. A part that was not given is undefined. */
export interface RuleParts {
  frequency?: string
  interval?: string
  count?: string
  /** A wall time already. */
  until?: string
  weekStart?: string
  weekdays: readonly string[]
  monthdays: readonly string[]
  months: readonly string[]
  positions: readonly string[]
}

/** A part of a rule by the name its client knows it by: `RRULE:BYDAY` or `weekdays`. */
export type NameOf = (part: keyof RuleParts) => string

/** As many dates as a series may have. */
export const MOST_DATES = 750
const LARGEST_INTERVAL = 1000
/** Entries of one list: every weekday of a year by its place would be 371. */
const LONGEST_LIST = 62
/** Days that one rule may name in a year by months, days and weekdays; more than the days there are mean nothing. */
const MOST_COMBINED = 400

/** Reads a rule from its parts, with all that lines and objects have in common. Throws `Unreadable`. */
export function ruleOf(parts: RuleParts, start: Start, nameOf: NameOf): Rule {
  for (const list of LISTS)
    if (parts[list].length > LONGEST_LIST)
      throw new Unreadable(nameOf(list), 'The value of {part} has more than {limit} entries.', {
        part: nameOf(list),
        limit: String(LONGEST_LIST),
      })
  const rule: Rule = {
    frequency: frequencyOf(parts, nameOf),
    interval: parts.interval === undefined ? 1 : numberIn(parts.interval, nameOf('interval'), 1, LARGEST_INTERVAL),
    ...(parts.count === undefined ? {} : { count: numberIn(parts.count, nameOf('count'), 1, MOST_DATES) }),
    ...(parts.until === undefined ? {} : { until: parts.until }),
    weekdays: weekdaysOf(parts.weekdays, nameOf('weekdays')),
    monthdays: placesOf(parts.monthdays, nameOf('monthdays'), 31),
    months: numbersOf(parts.months, nameOf('months'), 1, 12),
    positions: placesOf(parts.positions, nameOf('positions'), 366),
    weekStart: weekStartOf(parts.weekStart, nameOf('weekStart')),
  }
  refuseContradictions(rule, start, nameOf)
  return rule
}

function frequencyOf({ frequency }: RuleParts, nameOf: NameOf): Frequency {
  const known = FREQUENCIES.find((name) => name === frequency?.toLowerCase())
  if (known === undefined) throw new Unreadable(nameOf('frequency'), 'A rule repeats daily, weekly, monthly or yearly.')
  return known
}

function weekStartOf(text: string | undefined, part: string): Weekday {
  if (text === undefined) return 'MO'
  const day = WEEKDAYS.find((name) => name === text.toUpperCase())
  if (day === undefined) throw invalid(part)
  return day
}

const WEEK: readonly string[] = WEEKDAYS

/** In the order of the week, without duplicates. */
function weekdaysOf(texts: readonly string[], part: string): string[] {
  const days = texts.map((text) => {
    const [, nth = '', day = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text.toUpperCase()) ?? []
    if (day === '' || Number(nth || 1) === 0) throw invalid(part)
    return { nth: Number(nth), day, at: WEEK.indexOf(day) }
  })
  days.sort((one, other) => one.at - other.at || one.nth - other.nth)
  return [...new Set(days.map(({ nth, day }) => (nth === 0 ? day : `${nth}${day}`)))]
}

function numbersOf(texts: readonly string[], part: string, from: number, to: number): number[] {
  const numbers = texts.map((text) => numberIn(text, part, from, to))
  return [...new Set(numbers)].sort((one, other) => one - other)
}

/** Numbers counted from either end; none is 0. */
function placesOf(texts: readonly string[], part: string, most: number): number[] {
  const places = numbersOf(texts, part, -most, most)
  if (places.includes(0)) throw invalid(part)
  return places
}

function numberIn(text: string, part: string, from: number, to: number): number {
  if (!/^[+-]?\d{1,9}$/.test(text)) throw invalid(part)
  const number = Number(text)
  if (number >= from && number <= to) return number
  throw new Unreadable(part, 'The value of {part} has to lie between {from} and {to}.', {
    part,
    from: String(from),
    to: String(to),
  })
}

export function invalid(part: string): Unreadable {
  return new Unreadable(part, 'The value of {part} is invalid.', { part })
}

/** Faults of parts that are right by themselves but not together. */
function refuseContradictions(rule: Rule, start: Start, nameOf: NameOf): void {
  const { frequency, weekdays, monthdays, months, positions, until } = rule
  const refuse = (part: keyof RuleParts): never => {
    const name = nameOf(part)
    throw new Unreadable(name, 'The part {part} does not go with a rule that repeats like this.', { part: name })
  }
  if (rule.count !== undefined && until !== undefined)
    throw new Unreadable(nameOf('count'), 'A rule has either a count or an end.')
  if (until !== undefined && until < start.local)
    throw new Unreadable(nameOf('until'), 'The date of {part} lies before the start of the event.', {
      part: nameOf('until'),
    })
  if (frequency === 'weekly' && monthdays.length > 0) refuse('monthdays')
  if (!weekdays.every((day) => Math.abs(Number(day.slice(0, -2))) <= largestPlace(rule))) refuse('weekdays')
  if (positions.length > 0 && weekdays.length + monthdays.length + months.length === 0)
    throw new Unreadable(nameOf('positions'), 'Positions need weekdays, days or months to choose from.')
  const combined = [months, monthdays, weekdays].reduce((product, { length }) => product * Math.max(length, 1), 1)
  if (combined > MOST_COMBINED)
    throw new Unreadable(nameOf('frequency'), 'The rule combines more than {limit} days.', {
      limit: String(MOST_COMBINED),
    })
  if (!hasMatch(rule, start)) throw new Unreadable(nameOf('frequency'), 'The rule has no date at all.')
}

/** The largest place a weekday may be named by: in a month, in a year, or none at all. */
function largestPlace({ frequency, months }: Rule): number {
  if (frequency === 'yearly') return months.length === 0 ? 53 : 5
  return frequency === 'monthly' ? 5 : 0
}
