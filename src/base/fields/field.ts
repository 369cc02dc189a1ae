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

// Says what a field or filter is, declares the fields that all records have, and makes columns of sent
// values.

/**
 * A field or filter. `about` is its meaning in English, by which other languages translate it; empty for one
 * that is not published.
 */
export interface FieldData {
  // biome-ignore lint/suspicious/noExplicitAny: a field holds any kind; `ValueOf` recovers the exact type.
  kind: Kind<any, any>
  about: string
  required?: true
  /**
   * The published default; a function is called for each request. `null` is published but counts as no
   * default (rule 3.3).
   */
  default?: unknown
  /** The limits of its values, in place of the limits of its kind. */
  within?: Bounds
  /** The fields of records within a list of links, for their limits. */
  nested?: FieldsData
  /** True for a field that is accepted, but not published in the index. */
  unlisted?: true
  /** The English name above its control in a form, where `about` is too long. */
  label?: string
  /** The English text below its control in a form, where the label does not say enough. */
  hint?: string
  /** The English names of the values that a form offers, by value. */
  words?: Readonly<Record<string, string>>
  /**
   * The control that forms show for the field, if it is another than that of the kind. Where it is false,
   * forms do not ask for the field.
   */
  input?: Input | false
  /** Whether lists of the desk have a column for the field. */
  inLists?: true
}

export type FieldsData = Readonly<Record<string, FieldData>>

/** The parsed values of a set of fields. Fields that were not sent, or sent as null, are left out. */
export type Parsed<F extends FieldsData> = { -readonly [Name in keyof F]?: ValueOf<F[Name]['kind']> }

/** The columns of those fields of a set whose kind says how a column keeps the value (`keep`). */
export type Columns<F extends FieldsData> = {
  -readonly [Name in keyof F as F[Name]['kind'] extends { keep: unknown } ? Name : never]: KeptOf<
    F[Name]['kind']
  >
}

type Kept = [name: string, keep: (value: unknown) => unknown]

/** For each set, its fields whose kind has `keep`. They are cached, since every write asks for them. */
const keptFields = new WeakMap<FieldsData, Kept[]>()

function keptFieldsOf(fields: FieldsData): Kept[] {
  const found = keptFields.get(fields)
  if (found) return found
  const made = Object.entries(fields).flatMap(([name, { kind }]): Kept[] =>
    kind.keep ? [[name, kind.keep]] : [],
  )
  keptFields.set(fields, made)
  return made
}

/** Returns the column values of the fields that were sent and whose kind has `keep`. */
export function keptColumns(fields: FieldsData, values: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [name, keep] of keptFieldsOf(fields)) {
    const value = values[name]
    if (value !== undefined) columns[name] = keep(value)
  }
  return columns
}

/**
 * Returns the columns of a record for which no values were sent, for the fields whose kind has `keep`.
 * Columns of text hold `text`.
 */
export function blankColumns<F extends FieldsData>(fields: F, text = ''): Columns<F> {
  const columns: Record<string, unknown> = {}
  for (const [name, { kind }] of Object.entries(fields)) {
    if (kind.keep) columns[name] = kind.blank === '' ? text : kind.blank
  }
  return columns as Columns<F>
}

/** The statuses that a record can have (rule 2.11). */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

/** The words of statuses for people. */
export const STATUS_WORDS = {
  publish: 'Published',
  future: 'Scheduled',
  draft: 'Draft',
  pending: 'Pending review',
  private: 'Private',
  trash: 'Trash',
} as const satisfies Record<(typeof STATUSES)[number], string>

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
  status: {
    kind: settledText,
    about: 'The publication status',
    within: limits.word,
    label: 'Status',
    input: 'choice',
  },
} as const satisfies FieldsData

/** The featured image of a record. */
export const imageField = {
  image: {
    kind: image,
    about: 'The featured image: the id of an image, or an address to fetch one from',
    label: 'Picture',
  },
} as const satisfies FieldsData

/** The parameters for the page of a list and its size. */
export const pageFilters = {
  page: { kind: count, about: 'The page of the list to return', default: 1 },
  per_page: { kind: count, about: 'How many records a page holds', default: '10' },
} as const satisfies FieldsData
