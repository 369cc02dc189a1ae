import {
  type Fault,
  isFault,
  occurrenceStarts,
  type Recurrence,
  ruleDates,
  type Start,
  searchedUntil,
  settled,
} from '../../../base/recurrence/recurrence.ts'
import { withPlace } from '../../../base/recurrence/recurrence-in-words.ts'
import {
  type RecurrenceObject,
  readRecurrence,
  recurrenceLines,
  recurrenceObject,
} from '../../../base/recurrence/recurrence-text.ts'

/**
 * A recurrence as values of form controls. `repeats: 'dates'` means listed dates without a rule. `'text'`
 * means that the controls cannot express the recurrence: the form shows `text` and sends it back. Fields that
 * do not belong to the value of `repeats` are ignored.
 */
export interface RuleFields {
  repeats: 'never' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'dates' | 'text'
  interval: number
  /** Empty means the weekday of the start. */
  weekdays: string[]
  /** Monthly: 1 to 31, -1 for the last day. Undefined if `weekday` or the day of the start applies. */
  month_day?: number
  /** Monthly: the weekday, such as `2tu` or `-1fr`. */
  weekday?: string
  ends: 'never' | 'until' | 'count'
  until?: string
  count?: number
  added: string[]
  left: string[]
  text?: string
}

const NEVER: RuleFields = { repeats: 'never', interval: 1, weekdays: [], ends: 'never', added: [], left: [] }

const PLACED = /^(?:[1-5]|-1)[a-z]{2}$/

/** Reads recurrence lines; `repeats` is `'text'` if the fields would not give the same recurrence back. */
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

/** Returns the recurrence of the fields: an object, the unchanged `text`, or `""` for none. */
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

const MOST_SHOWN = 100
const MOST_PASSED = 20_000

/** At most `most` dates from `from` on: none without a recurrence, a Fault if it cannot be read. */
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
