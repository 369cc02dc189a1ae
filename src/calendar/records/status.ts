import { STATUSES } from '../../base/fields/field.ts'
import { listEntries } from '../../base/fields/kinds.ts'
import { parameter } from '../../base/text/urls.ts'
import type { ValueContext } from '../declare/context.ts'
import { type Caller, can, seesUnpublished } from '../people/caller.ts'

// Statuses of records, and the filter by them.

export type Status = (typeof STATUSES)[number]

export const isStatus = (value: unknown): value is Status => STATUSES.some((status) => status === value)

/** Draft and pending records get no slug by themselves and no publication date. */
export function isUnpublished(status: string): boolean {
  return status === 'draft' || status === 'pending'
}

/**
 * Returns true for a status in which others may take the slug of a record (rule 17.3): refusing the slug would tell them of a record that is still to
 * be announced.
 */
export function givesUpSlug(status: string): boolean {
  return isUnpublished(status) || status === 'future'
}

/** Validates the status of a record: exactly one known word. */
export function isKnownStatus(value: unknown): boolean {
  return isStatus(value)
}

/** Validates the status filter of a list: only `publish` for callers who may not edit, known words for the others (rule 13.5). */
export function isAllowedStatusList(value: unknown, { caller }: ValueContext): boolean {
  const entries =
    value === '' ? [] : (listEntries(value) ?? ['?']).map((entry) => (typeof entry === 'string' ? entry.trim() : entry))
  if (!seesUnpublished(caller)) return entries.length === 1 && entries[0] === 'publish'
  return entries.every(isStatus)
}

/** The meaning of a status filter: the word or words for links, and the listed statuses. */
export interface StatusFilter {
  /** `publish`, `any` or the words asked for, joined by commas. */
  shown: string
  statuses: readonly Status[]
}

/** The statuses of a list for this caller; `visibleTo` decides which records they may see (rule 13.5). */
export function statusFilter(caller: Caller, asked: readonly string[] | undefined): StatusFilter {
  if (asked && asked.length > 0) return { shown: asked.join(','), statuses: asked.filter(isStatus) }
  if (asked) return { shown: 'publish', statuses: can(caller, 'read_private') ? ['publish', 'private'] : ['publish'] }
  if (!seesUnpublished(caller)) return { shown: 'publish', statuses: ['publish'] }
  return { shown: 'any', statuses: STATUSES.filter((status) => status !== 'trash') }
}

/**
 * The status in the links of a list: as a parameter, or shown only. `any` means a list without the parameter, and cannot be requested (rule 11.5).
 */
export function statusLinks({ shown }: StatusFilter): { status: string | undefined; shownOnly: string } {
  return shown === 'any'
    ? { status: undefined, shownOnly: parameter('status', shown) }
    : { status: shown, shownOnly: '' }
}

/** The status of a record: the requested one, limited by the rights of the caller. */
export function effectiveStatus(caller: Caller, asked: string | undefined, before: string | undefined): Status {
  const mayPublish = can(caller, 'publish')
  const wanted = isStatus(asked) ? asked : undefined
  if (wanted === undefined) return isStatus(before) ? before : mayPublish ? 'publish' : 'draft'
  if (mayPublish || isUnpublished(wanted) || wanted === before) return wanted
  return 'pending'
}

/** `publish` with a future date becomes `future`; `future` with a past date becomes `publish`. */
export function settledByDate(status: Status, dateUtc: string, nowUtc: string): Status {
  if (status === 'publish' && dateUtc > nowUtc) return 'future'
  if (status === 'future' && dateUtc <= nowUtc) return 'publish'
  return status
}
