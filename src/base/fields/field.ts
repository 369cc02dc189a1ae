import {
  count,
  type Input,
  image,
  integer,
  type KeptOf,
  type Kind,
  publicationMoment,
  settledText,
  type ValueOf,
} from './kinds.ts'
import { type Bounds, limits } from './limits.ts'

// Fields as data, with those that all records have.

/** One field or filter as data: its kind, and its meaning in English (the key of translations; empty when nothing is published). */
export interface FieldData {
  // biome-ignore lint/suspicious/noExplicitAny: a field holds any kind; `ValueOf` recovers the exact type.
  kind: Kind<any, any>
  about: string
  required?: true
  /** Published default; a function is computed for each request. `null` is published but counts as none (rule 3.3). */
  default?: unknown
  /** The limits of its values, instead of the limits of the kind. */
  within?: Bounds
  /** The fields of records within a list of links, for their limits. */
  nested?: FieldsData
  /** Accepted, but not published in the index. */
  unlisted?: true
  /** Its name above the control of a form, in English, where `about` is too long for one. */
  label?: string
  /** What stands below the control, in English, where a label does not say enough. */
  hint?: string
  /** What a form calls the values that it offers, in English, by value. */
  words?: Readonly<Record<string, string>>
  /** How a form asks for it, in place of the way of its kind; false where a form does not. */
  input?: Input | false
  /** Whether lists of the desk have a column of it. */
  inLists?: true
}

export type FieldsData = Readonly<Record<string, FieldData>>

/** The parsed values of a set of fields; absent and null fields are left out. */
export type Parsed<F extends FieldsData> = { -readonly [Name in keyof F]?: ValueOf<F[Name]['kind']> }

/** The columns of those fields whose kind keeps its own. */
export type Columns<F extends FieldsData> = {
  -readonly [Name in keyof F as F[Name]['kind'] extends { keep: unknown } ? Name : never]: KeptOf<F[Name]['kind']>
}

type Kept = [name: string, keep: (value: unknown) => unknown]

/** The fields of a set that have a column, which every write asks for. */
const keptFields = new WeakMap<FieldsData, Kept[]>()

function keptFieldsOf(fields: FieldsData): Kept[] {
  const found = keptFields.get(fields)
  if (found) return found
  const made = Object.entries(fields).flatMap(([name, { kind }]): Kept[] => (kind.keep ? [[name, kind.keep]] : []))
  keptFields.set(fields, made)
  return made
}

/** The column values of the plain fields that were sent. */
export function keptColumns(fields: FieldsData, values: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [name, keep] of keptFieldsOf(fields)) {
    const value = values[name]
    if (value !== undefined) columns[name] = keep(value)
  }
  return columns
}

/** The columns of the plain fields of a record without sent values; columns of text hold `text`. */
export function blankColumns<F extends FieldsData>(fields: F, text = ''): Columns<F> {
  const columns: Record<string, unknown> = {}
  for (const [name, { kind }] of Object.entries(fields)) {
    if (kind.keep) columns[name] = kind.blank === '' ? text : kind.blank
  }
  return columns as Columns<F>
}

/** The statuses a record can have (rule 2.11). */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

/** The author and the publication date of a record. */
export const authorFields = {
  author: { kind: integer, about: 'The id of the author', label: 'Author', input: false },
  date: {
    kind: publicationMoment,
    about: 'The publication date, in the time zone of the site',
    label: 'Publication date',
    input: false,
  },
  date_utc: { kind: publicationMoment, about: 'The publication date in UTC', input: false },
} as const satisfies FieldsData

export const statusField = {
  status: { kind: settledText, about: 'The publication status', within: limits.word, label: 'Status', input: 'choice' },
} as const satisfies FieldsData

/** The featured image of a record. */
export const imageField = {
  image: {
    kind: image,
    about: 'The featured image: the id of an image, or an address to fetch one from',
    label: 'Picture',
  },
} as const satisfies FieldsData

/** The page of a list and its size. */
export const pageFilters = {
  page: { kind: count, about: 'The page of the list to return', default: 1 },
  per_page: { kind: count, about: 'How many records a page holds', default: '10' },
} as const satisfies FieldsData
