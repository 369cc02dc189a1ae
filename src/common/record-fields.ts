import type { Asking } from '../declare/asking.ts'
import {
  count,
  image,
  integer,
  looseFlag,
  looseWord,
  publicationMoment,
  readInteger,
  recordId,
  settledText,
  text,
  words,
} from '../declare/kinds.ts'
import { defineFields } from '../declare/resource.ts'
import { userExists } from '../people/users.ts'
import { isImageReference } from './images.ts'
import { findKind } from './record-store.ts'
import { isAllowedStatusList, isKnownStatus } from './status.ts'

async function isUser(value: unknown, asking: Asking): Promise<boolean> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return false
  return userExists(asking.db, Math.trunc(Number(value)))
}

/** True for the id of an event, in any status. */
export async function isEvent(value: unknown, asking: Asking): Promise<boolean> {
  const id = readInteger(value)
  return id !== undefined && (await findKind(asking.db, id)) === 'event'
}

/** Who wrote a record and when it was published. */
export const authorFields = defineFields({
  author: { kind: integer, about: 'The id of the author', valid: isUser },
  date: { kind: publicationMoment, about: 'The publication date, in the time zone of the site' },
  date_utc: { kind: publicationMoment, about: 'The publication date in UTC' },
})

export const statusField = defineFields({
  status: { kind: settledText, about: 'The publication status', valid: isKnownStatus },
})

export const imageField = defineFields({
  image: {
    kind: image,
    about: 'The featured image: the id of an image, or an address to fetch one from',
    valid: isImageReference,
  },
})

/** Which page of a list, and how much on it. */
export const pageFilters = defineFields({
  page: { kind: count, about: 'The page of the list to return', default: 1 },
  per_page: { kind: count, about: 'How many records a page holds', default: '10' },
})

/** The filters that venues and organizers share (specification 4.7). */
export const linkedFilters = defineFields({
  ...pageFilters,
  search: { kind: text, about: 'Only records with this text in their name, description or details' },
  event: { kind: recordId, about: 'Only records linked to the event with this id', valid: isEvent },
  has_events: { kind: looseWord, about: 'Only records that have events, or only those that have none' },
  only_with_upcoming: { kind: looseFlag, about: 'Only records that have upcoming events', default: false },
  status: { kind: words, about: 'Only records with one of these statuses', valid: isAllowedStatusList },
})
