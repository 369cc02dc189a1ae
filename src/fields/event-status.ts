import { isEmpty, type Kind, type PlainKind, readWords, words } from './kinds.ts'

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

/** A list of such words, of which a filter takes any. */
export const eventStatuses: Kind<string[]> = {
  ...words,
  valid: (value) => readWords(value)?.every(isEventStatus) ?? false,
}
