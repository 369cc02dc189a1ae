import { isEmpty, type Kind, type PlainKind, readWords, words } from './kinds.ts'
import { limits } from './limits.ts'

/** Whether an event takes place: as planned, not at all, or at a time that is not known yet. */
export const EVENT_STATUSES = ['scheduled', 'canceled', 'postponed'] as const
export type EventStatus = (typeof EVENT_STATUSES)[number]

const isEventStatus = (value: unknown): value is EventStatus => EVENT_STATUSES.some((status) => status === value)

/** Whether an event takes place; an empty or missing value means that it is scheduled. */
export const eventStatus: PlainKind<EventStatus> = {
  wire: { type: 'string', enum: EVENT_STATUSES },
  valid: (value) => isEventStatus(value) || isEmpty(value),
  read: (value) => (isEventStatus(value) ? value : isEmpty(value) ? 'scheduled' : undefined),
  keep: (status) => status,
  blank: 'scheduled',
}

/** A list of event statuses, of which a filter takes any. */
export const eventStatuses: Kind<string[]> = {
  ...words,
  valid: (value) => readWords(value)?.every(isEventStatus) ?? false,
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
  valid: (value) => isScope(value) || isEmpty(value),
  read: (value) => (isScope(value) ? value : 'this'),
}
