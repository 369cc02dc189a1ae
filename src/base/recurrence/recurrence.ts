// The data of an event that repeats: its rule, added dates and exceptions.

/** The days of the week in the order of ISO 8601, as rules write them. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** How often a rule may repeat: daily at the most, since events do not repeat within a day. */
export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** The parts of a rule that hold lists, which read the same way. */
export const LIST_PARTS = ['weekdays', 'monthdays', 'months', 'positions'] as const

/**
 * A recurrence as it is kept. All times are wall times 'YYYY-MM-DD HH:MM:SS' in the zone of the series, at midnight for
 * events that last all day; both lists are in order and hold nothing twice.
 */
export interface Recurrence {
  readonly rule?: Rule
  /** Dates beside the rule (RDATE). */
  readonly added: readonly string[]
  /** Original starts that do not take place (EXDATE). */
  readonly left: readonly string[]
}

/** A rule of RFC 5545, 3.3.10, within the bounds that `readRecurrence` keeps. Empty lists are parts that were not given. */
export interface Rule {
  readonly frequency: Frequency
  readonly interval: number
  /** How many dates there are, the start among them; never together with `until`. */
  readonly count?: number
  /** The end of the last day that may have a date: 23:59:59, or 00:00:00 for events that last all day. */
  readonly until?: string
  /** `TU`, or with the place in its month or year `2TU`, `-1FR`. */
  readonly weekdays: readonly string[]
  /** 1 to 31, or -1 for the last day to -31. */
  readonly monthdays: readonly number[]
  readonly months: readonly number[]
  /** Which of the dates of a day, week, month or year count: 1 is the first, -1 the last. */
  readonly positions: readonly number[]
  readonly weekStart: Weekday
}

/** When the first occurrence of a series starts: a wall time, its zone, and whether only days count. */
export interface Start {
  readonly local: string
  readonly zone: string
  readonly allDay: boolean
}

/** Why a recurrence is refused: the part as the client wrote it (`RRULE:BYHOUR`, `until`), and a text for every language. */
export interface Fault {
  readonly part: string
  readonly message: RecurrenceMessage
  readonly values?: Readonly<Record<string, string>>
}

/** Thrown within this folder for recurrences that cannot be read; callers outside get a `Fault`. */
export class Unreadable extends Error {
  readonly fault: Fault

  constructor(part: string, message: RecurrenceMessage, values: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'Unreadable'
    this.fault = { part, message, values }
  }
}

/** Whether a recurrence was refused. */
export function isFault(read: object | undefined): read is Fault {
  return read !== undefined && 'part' in read
}

/** English texts about recurrences that are refused, with `{name}` where a value goes: the key other languages translate. */
export const recurrenceMessages = [
  'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.',
  'The part {part} of a recurrence is not supported.',
  'The part {part} of a recurrence is given more than once.',
  'The value of {part} is invalid.',
  'The value of {part} has to lie between {from} and {to}.',
  'The value of {part} has more than {limit} entries.',
  'A rule repeats daily, weekly, monthly or yearly.',
  'A rule has either a count or an end.',
  'The part {part} does not go with a rule that repeats like this.',
  'Positions need weekdays, days or months to choose from.',
  'The rule combines more than {limit} days.',
  'The time zone of {part} does not exist.',
  'The date of {part} lies before the start of the event.',
  'The date of {part} is not the start of the event.',
  'The rule has no date at all.',
  'The exceptions leave no date.',
  'No rule without an end has the dates of the series there. Send a recurrence as well.',
] as const

/** A text that says why a recurrence is refused. */
type RecurrenceMessage = (typeof recurrenceMessages)[number]
