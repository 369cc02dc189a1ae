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
export type RecurrenceMessage = (typeof recurrenceMessages)[number]
