import {
  type Fault,
  isFault,
  occurrenceStarts,
  type Recurrence,
  ruleDates,
  type Start,
  searchedUntil,
  settled,
} from './recurrence.ts'
import { withPlace } from './recurrence-in-words.ts'
import {
  type RecurrenceObject,
  readRecurrence,
  recurrenceLines,
  recurrenceObject,
} from './recurrence-text.ts'

// Turns a recurrence into the values of the controls of a form, and back, and lists its next dates.

/**
 * A recurrence in the fields of a form. `repeats` is `dates` for dates without a rule, and `text` for a
 * recurrence that the form has no controls for: the form shows its text and sends it back unchanged. Members
 * that do not belong to the chosen `repeats` are ignored.
 */
export interface RuleFields {
  repeats: 'never' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'dates' | 'text'
  /** The number of days, weeks, months or years from one date to the next. */
  interval: number
  /** The weekdays of a weekly rule, `mo` to `su`; empty for the weekday of the start. */
  weekdays: string[]
  /**
   * The day of a monthly rule, 1 to 31, or -1 for the last; undefined for the day of the start, and for a
   * rule with `weekday`.
   */
  month_day?: number
  /** The weekday of a monthly rule with its place, such as `2tu` or `-1fr`. */
  weekday?: string
  ends: 'never' | 'until' | 'count'
  /** The last day, 'YYYY-MM-DD'. */
  until?: string
  count?: number
  /** Dates beside the rule: wall times, or days for events that last all day. */
  added: string[]
  /** Dates that do not take place, in the same form. */
  left: string[]
  /** The lines of the recurrence if `repeats` is `text`. */
  text?: string
}

const NEVER: RuleFields = { repeats: 'never', interval: 1, weekdays: [], ends: 'never', added: [], left: [] }

/** A weekday with its place in the month, such as `2tu` or `-1fr`. */
const PLACED = /^(?:[1-5]|-1)[a-z]{2}$/

/**
 * Returns the fields of a form for the lines of a recurrence. If the fields would give back another
 * recurrence, the lines stay a text.
 */
export function fieldsOfRule(text: string, start: Start): RuleFields {
  if (text.trim() === '') return NEVER
  const read = readRecurrence(text, start)
  if (!read || isFault(read)) return { ...NEVER, repeats: 'text', text }
  const placed = read.rule ? { ...read, rule: withPlace(read.rule) } : read
  const fields = simpleFields(recurrenceObject(placed, start))
  const again = fields && readRecurrence(valueOfRule(fields), start)
  const isSame = again && !isFault(again) && sameLines(again, placed, start)
  return isSame ? fields : { ...NEVER, repeats: 'text', text }
}

function sameLines(one: Recurrence, other: Recurrence, start: Start): boolean {
  return recurrenceLines(one, start).join('\n') === recurrenceLines(other, start).join('\n')
}

/**
 * Returns the fields of a recurrence, without the parts that the form does not ask for; undefined for a
 * weekday that it cannot show.
 */
function simpleFields(object: RecurrenceObject): RuleFields | undefined {
  const {
    frequency,
    interval = 1,
    count,
    until,
    weekdays = [],
    month_days = [],
    added = [],
    left = [],
  } = object
  const lists = { ...NEVER, added, left }
  if (frequency === undefined) return { ...lists, repeats: 'dates' }
  const ends = count === undefined ? (until === undefined ? 'never' : 'until') : 'count'
  const ruled = {
    ...lists,
    interval,
    ends,
    ...(count === undefined ? {} : { count }),
    ...(until === undefined ? {} : { until }),
  } as const
  if (frequency === 'daily' || frequency === 'yearly') return { ...ruled, repeats: frequency }
  if (frequency === 'weekly') return { ...ruled, repeats: 'weekly', weekdays }
  const [day] = month_days
  const [weekday] = weekdays
  if (weekday !== undefined)
    return PLACED.test(weekday) ? { ...ruled, repeats: 'monthly', weekday } : undefined
  return { ...ruled, repeats: 'monthly', ...(day === undefined ? {} : { month_day: day }) }
}

/**
 * Returns the value of `recurrence` to send for the fields of a form: an object, the unchanged text, or `""`
 * for no recurrence.
 */
export function valueOfRule(fields: RuleFields): RecurrenceObject | string {
  const {
    repeats,
    interval,
    weekdays,
    month_day: monthDay,
    weekday,
    ends,
    until,
    count,
    added,
    left,
    text,
  } = fields
  if (repeats === 'never') return ''
  if (repeats === 'text') return text ?? ''
  const lists = { ...(added.length === 0 ? {} : { added }), ...(left.length === 0 ? {} : { left }) }
  if (repeats === 'dates') return added.length === 0 ? '' : lists
  return {
    frequency: repeats,
    interval,
    ...(repeats === 'weekly' && weekdays.length > 0 ? { weekdays } : {}),
    ...(repeats === 'monthly' && weekday !== undefined ? { weekdays: [weekday] } : {}),
    ...(repeats === 'monthly' && weekday === undefined && monthDay !== undefined
      ? { month_days: [monthDay] }
      : {}),
    ...(ends === 'until' && until !== undefined ? { until } : {}),
    ...(ends === 'count' && count !== undefined ? { count } : {}),
    ...lists,
  }
}

/** The most dates that are returned at once. */
const MOST_SHOWN = 100
/** The most dates of a rule that are looked at: those of more than fifty years for a daily rule. */
const MOST_PASSED = 20_000

/**
 * Returns the next dates of a recurrence, which may be in any form that the interface takes: wall times in
 * order, from `from` on, `most` at the most. Empty for a value that means no recurrence; a Fault for one that
 * cannot be read.
 */
export function nextDates(value: unknown, start: Start, from: string, most: number): string[] | Fault {
  const read = readRecurrence(value, start)
  if (!read) return []
  if (isFault(read)) return read
  const limit = Math.min(most, MOST_SHOWN)
  if (from <= start.local) return occurrenceStarts(read, start, searchedUntil(start), limit)
  const gone = new Set(read.left)
  const isNext = (wall: string) => wall >= from && !gone.has(wall)
  const dates = new Set(read.added.filter(isNext))
  let passed = 0
  let found = 0
  for (const wall of read.rule ? ruleDates(read.rule, start, searchedUntil({ ...start, local: from })) : []) {
    const date = settled(wall, start)
    passed += 1
    if (passed > MOST_PASSED || found >= limit) break
    if (!isNext(date)) continue
    dates.add(date)
    found += 1
  }
  return [...dates].sort().slice(0, limit)
}
