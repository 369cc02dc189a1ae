import type { FieldsData } from './field.ts'
import { count, image, integer, publicationMoment, settledText } from './kinds.ts'

/** The statuses a record can have (rule 2.11). */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

/** The author and the publication date of a record. */
export const authorFields = {
  author: { kind: integer, about: 'The id of the author' },
  date: { kind: publicationMoment, about: 'The publication date, in the time zone of the site' },
  date_utc: { kind: publicationMoment, about: 'The publication date in UTC' },
} as const satisfies FieldsData

export const statusField = {
  status: { kind: settledText, about: 'The publication status' },
} as const satisfies FieldsData

/** The featured image of a record. */
export const imageField = {
  image: { kind: image, about: 'The featured image: the id of an image, or an address to fetch one from' },
} as const satisfies FieldsData

/** The page of a list and its size. */
export const pageFilters = {
  page: { kind: count, about: 'The page of the list to return', default: 1 },
  per_page: { kind: count, about: 'How many records a page holds', default: '10' },
} as const satisfies FieldsData
