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
import { type RecurrenceObject, readRecurrence, recurrenceLines, recurrenceObject } from './recurrence-text.ts'

// Turns a recurrence into the values of the controls of a form, and back.

/**
 * A recurrence in the fields of a form. `dates` are dates without a rule; `text` is a recurrence that the form has no controls for: it shows the text and
 * sends it back unchanged. Members that do not belong to the chosen `repeats` are ignored.
 */
export interface RuleFields {
  repeats: 'never' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'dates' | 'text'
  /** Every so many days, weeks, months or years. */
  interval: number
  /** Of weeks: `mo` to `su`; none for the weekday of the start. */
  weekdays: string[]
  /** Of months: 1 to 31, or -1 for the last day; undefined for the day of the start, or where `weekday` says which. */
  month_day?: number
  /** Of months: a weekday by its place, such as `2tu` or `-1fr`. */
  weekday?: string
  ends: 'never' | 'until' | 'count'
  /** The last day, 'YYYY-MM-DD'. */
  until?: string
  count?: number
  /** Dates beside the rule, and those that are left out: wall times, or days for events that last all day. */
  added: string[]
  left: string[]
  /** The recurrence as it was sent, for `text`. */
  text?: string
}

const NEVER: RuleFields = { repeats: 'never', interval: 1, weekdays: [], ends: 'never', added: [], left: [] }

/** A weekday by one place in its month. */
const PLACED = /^(?:[1-5]|-1)[a-z]{2}$/

/** Returns the fields of a form for the lines of a recurrence. Lines that the form cannot ask for, or cannot give back as they are, stay a text. */
export function fieldsOfRule(text: string, start: Start): RuleFields {
  if (text.trim() === '') return NEVER
  const read = readRecurrence(text, start)
  if (!read || isFault(read)) return { ...NEVER, repeats: 'text', text }
  const fields = simpleFields(recurrenceObject(read, start))
  const again = fields && readRecurrence(valueOfRule(fields), start)
  const isSame = again && !isFault(again) && sameLines(again, read, start)
  return isSame ? fields : { ...NEVER, repeats: 'text', text }
}

function sameLines(one: Recurrence, other: Recurrence, start: Start): boolean {
  return recurrenceLines(one, start).join('\n') === recurrenceLines(other, start).join('\n')
}

/** The fields of a recurrence, which say less than it where the form asks for less. */
function simpleFields(object: RecurrenceObject): RuleFields | undefined {
  const { frequency, interval = 1, count, until, weekdays = [], month_days = [], added = [], left = [] } = object
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
  if (weekday !== undefined) return PLACED.test(weekday) ? { ...ruled, repeats: 'monthly', weekday } : undefined
  return { ...ruled, repeats: 'monthly', ...(day === undefined ? {} : { month_day: day }) }
}

/** Returns what the interface takes as `recurrence` for the fields of a form: an object, a text as it was, or `""` for none. */
export function valueOfRule(fields: RuleFields): RecurrenceObject | string {
  const { repeats, interval, weekdays, month_day: monthDay, weekday, ends, until, count, added, left, text } = fields
  if (repeats === 'never') return ''
  if (repeats === 'text') return text ?? ''
  const lists = { ...(added.length === 0 ? {} : { added }), ...(left.length === 0 ? {} : { left }) }
  if (repeats === 'dates') return added.length === 0 ? '' : lists
  return {
    frequency: repeats,
    interval,
    ...(repeats === 'weekly' && weekdays.length > 0 ? { weekdays } : {}),
    ...(repeats === 'monthly' && weekday !== undefined ? { weekdays: [weekday] } : {}),
    ...(repeats === 'monthly' && weekday === undefined && monthDay !== undefined ? { month_days: [monthDay] } : {}),
    ...(ends === 'until' && until !== undefined ? { until } : {}),
    ...(ends === 'count' && count !== undefined ? { count } : {}),
    ...lists,
  }
}

/** The most dates that are asked for at once, and those of a rule that are passed over before them: daily for more than fifty years. */
const MOST_SHOWN = 100
const MOST_PASSED = 20_000

/**
 * The next dates of a recurrence in any form that the interface takes, as wall times in order: those that do not lie before `from`, the start among them.
 * None for a recurrence that means none; what cannot be read is a Fault.
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
