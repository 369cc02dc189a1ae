import type { Context } from '../context/context.ts'
import { type Checks, defineFields } from '../declare/resource.ts'
import { looseFlag, looseWord, readInteger, recordId, text, words } from '../fields/kinds.ts'
import { limits, over } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { userExists } from '../people/users.ts'
import { parseWords } from '../text/search.ts'
import { findKind } from './record-store.ts'
import { isAllowedStatusList, isKnownStatus } from './status.ts'

const tooManyWords = over('words', limits.search.words)

async function isUser(value: unknown, context: Context): Promise<boolean> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return false
  return userExists(context.db, Math.trunc(Number(value)))
}

/** True for the id of an event, in any status. */
export async function isEvent(value: unknown, context: Context): Promise<boolean> {
  const id = readInteger(value)
  return id !== undefined && (await findKind(context.db, id)) === 'event'
}

/** The checks of the fields that all records share. */
export const recordChecks = {
  author: { lookUp: isUser, looksUpForAll: true },
  status: { valid: isKnownStatus },
} as const satisfies Readonly<Record<string, Checks>>

/** The filters that venues and organizers share (rule 13.8). */
export const linkedFilters = defineFields({
  ...pageFilters,
  search: {
    kind: text,
    about: 'Only records with this text in their name, description or details',
    within: limits.search,
    valid: (value) => typeof value !== 'string' || parseWords(value).length <= limits.search.words || tooManyWords,
  },
  event: { kind: recordId, about: 'Only records linked to the event with this id', lookUp: isEvent },
  has_events: { kind: looseWord, about: 'Only records that have events, or only those that have none' },
  only_with_upcoming: { kind: looseFlag, about: 'Only records that have upcoming events', default: false },
  status: { kind: words, about: 'Only records with one of these statuses', valid: isAllowedStatusList },
})
