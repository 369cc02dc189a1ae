import {
  type ColumnOf,
  count,
  type Input,
  image,
  integer,
  type Kind,
  publicationMoment,
  settledText,
  type ValueOf,
} from './kinds.ts'
import { type Bounds, limits } from './limits.ts'

/**
 * A field of a request. `about` is its description in English, which is translated; empty if the index shows
 * none.
 */
export interface FieldData {
  // biome-ignore lint/suspicious/noExplicitAny: a field holds any kind; `ValueOf` recovers the exact type.
  kind: Kind<any, any>
  about: string
  required?: true
  /**
   * A default that is a function is called at each request. A default of `null` is in the index, but sets
   * nothing (rule 3.3).
   */
  default?: unknown
  within?: Bounds
  nested?: FieldsData
  /** Set for a field that is accepted, but not in the namespace index. */
  unlisted?: true
  /** A shorter text, which forms show instead of `about`. */
  label?: string
  hint?: string
  words?: Readonly<Record<string, string>>
  /** The form control, if it differs from the one of the kind. `false`: forms leave the field out. */
  input?: Input | false
  inLists?: true
}

export type FieldsData = Readonly<Record<string, FieldData>>

export type Parsed<F extends FieldsData> = { -readonly [Name in keyof F]?: ValueOf<F[Name]['kind']> }

export type Columns<F extends FieldsData> = {
  -readonly [Name in keyof F as F[Name]['kind'] extends { toColumn: unknown } ? Name : never]: ColumnOf<
    F[Name]['kind']
  >
}

type FieldColumn = [name: string, toColumn: (value: unknown) => unknown]

const columnFields = new WeakMap<FieldsData, FieldColumn[]>()

function columnFieldsOf(fields: FieldsData): FieldColumn[] {
  const found = columnFields.get(fields)
  if (found) return found
  const made = Object.entries(fields).flatMap(([name, { kind }]): FieldColumn[] =>
    kind.toColumn ? [[name, kind.toColumn]] : [],
  )
  columnFields.set(fields, made)
  return made
}

export function keptColumns(fields: FieldsData, values: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [name, toColumn] of columnFieldsOf(fields)) {
    const value = values[name]
    if (value !== undefined) columns[name] = toColumn(value)
  }
  return columns
}

/** The columns of an empty record; `text` takes the place of each blank value that is an empty text. */
export function blankColumns<F extends FieldsData>(fields: F, text = ''): Columns<F> {
  const columns: Record<string, unknown> = {}
  for (const [name, { kind }] of Object.entries(fields)) {
    if (kind.toColumn) columns[name] = kind.blank === '' ? text : kind.blank
  }
  return columns as Columns<F>
}

/** `future` is scheduled, `pending` awaits review (rule 2.11). */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

export const STATUS_WORDS = {
  publish: 'Published',
  future: 'Scheduled',
  draft: 'Draft',
  pending: 'Pending review',
  private: 'Private',
  trash: 'Trash',
} as const satisfies Record<(typeof STATUSES)[number], string>

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

export const imageField = {
  image: {
    kind: image,
    about: 'The featured image: the id of an image, or an address to fetch one from',
    label: 'Picture',
  },
} as const satisfies FieldsData

export const pageFilters = {
  page: { kind: count, about: 'The page of the list to return', default: 1 },
  per_page: { kind: count, about: 'How many records a page holds', default: '10' },
} as const satisfies FieldsData
