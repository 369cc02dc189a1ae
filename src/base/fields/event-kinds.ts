import { isEmpty, type Kind, oneOf, type PlainKind, someOf } from './kinds.ts'
import { limits } from './limits.ts'

// The kinds of values that only fields and filters of events have.

/** Whether an event takes place: as planned, not at all, or at a time that is not known yet. */
export const EVENT_STATUSES = ['scheduled', 'canceled', 'postponed'] as const
export type EventStatus = (typeof EVENT_STATUSES)[number]

/** Whether an event takes place; an empty or missing value means that it is scheduled. */
export const eventStatus = oneOf(EVENT_STATUSES, 'scheduled')

/** A list of event statuses; a filter takes events with any of them. */
export const eventStatuses = someOf(EVENT_STATUSES)

/** How people take part in an event; empty where nothing says. */
export const ATTENDANCES = ['', 'in_person', 'online', 'mixed'] as const
export type Attendance = (typeof ATTENDANCES)[number]

export const attendance = oneOf<Attendance>(ATTENDANCES, '')

/** A list of ways to take part; a filter takes events with any of them. */
export const attendances = someOf(ATTENDANCES.filter((known) => known !== ''))

/** Times that a list is narrowed to, in words that the clock gives their dates. */
export const WHEN_WORDS = ['now', 'today', 'tonight', 'tomorrow', 'weekend', 'week', 'month'] as const
export type WhenWord = (typeof WHEN_WORDS)[number]

export const whenWord: Kind<WhenWord> = {
  wire: { type: 'string', enum: WHEN_WORDS },
  within: limits.word,
  valid: (value) => WHEN_WORDS.some((word) => word === value),
  read: (value) => WHEN_WORDS.find((word) => word === value),
}

/** The times of day in which events begin. */
export const TIMES_OF_DAY = ['morning', 'afternoon', 'evening'] as const
export type TimeOfDay = (typeof TIMES_OF_DAY)[number]

/** A list of times of day; a filter takes events in any of them. */
export const timesOfDay = someOf(TIMES_OF_DAY)

/** The longest time before an event from which on its link is shown: a year. */
const MOST_MINUTES = 525_600

/** From how many minutes before the start on a link is shown: always (infinity), never (NaN), or so many; undefined for another text. */
export function minutesBefore(shown: string): number | undefined {
  if (shown === 'always') return Number.POSITIVE_INFINITY
  if (shown === 'never') return Number.NaN
  const [, minutes] = /^before:(\d{1,6})$/.exec(shown) ?? []
  return minutes === undefined || Number(minutes) > MOST_MINUTES ? undefined : Number(minutes)
}

/**
 * When everybody sees the link of a meeting: `always`; `before:15`, from 15 minutes before the start on; or `never`. Those who may edit the event
 * always see it. Only an empty text means `always`: `false` does not.
 */
export const onlineShown: PlainKind<string> = {
  input: 'line',
  wire: { type: 'string' },
  within: limits.word,
  valid: (value) => value === '' || (typeof value === 'string' && minutesBefore(value) !== undefined),
  read: (value) => (typeof value === 'string' && value !== '' ? value : 'always'),
  keep: (value) => value,
  blank: 'always',
}

/** How an event repeats: lines, a text of lines, or an object with the parts of a rule. Rules of series read it. */
export const recurrence: Kind<string | readonly unknown[] | object> = {
  wire: {},
  within: limits.recurrence,
  valid: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  read: (value) => (typeof value === 'string' || (typeof value === 'object' && value !== null) ? value : undefined),
}

/** The one way in which lists are collapsed: to the next occurrence of each series. */
export const collapse: Kind<'series'> = {
  wire: { type: 'string', enum: ['series'] },
  within: limits.word,
  valid: (value) => value === 'series',
  read: (value) => (value === 'series' ? value : undefined),
}

/** Which occurrences of a series a change is about. */
const SCOPES = ['this', 'following', 'all'] as const
export type RecurrenceScope = (typeof SCOPES)[number]

const isScope = (value: unknown): value is RecurrenceScope => SCOPES.some((scope) => scope === value)

/** A scope; an empty value means the one occurrence that is addressed. */
export const recurrenceScope: Kind<RecurrenceScope> = {
  wire: { type: 'string', enum: SCOPES },
  within: limits.word,
  valid: (value) => isScope(value) || isEmpty(value),
  read: (value) => (isScope(value) ? value : 'this'),
}
