import { isEmpty, type Kind } from './kinds.ts'
import { limits } from './limits.ts'

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
export const SCOPES = ['this', 'following', 'all'] as const
export type RecurrenceScope = (typeof SCOPES)[number]

const isScope = (value: unknown): value is RecurrenceScope => SCOPES.some((scope) => scope === value)

/** A scope; an empty value means the one occurrence that is addressed. */
export const recurrenceScope: Kind<RecurrenceScope> = {
  wire: { type: 'string', enum: SCOPES },
  valid: (value) => isScope(value) || isEmpty(value),
  read: (value) => (isScope(value) ? value : 'this'),
}
