import type { Context } from '../context/context.ts'
import type { ParamFault } from '../problems.ts'
import type { KeptOf, Kind, ValueOf } from './kinds.ts'
import type { Bounds } from './limits.ts'

/** One parameter or field: its kind, what it means in English (the key other languages translate; empty when nothing is published), and its own rules. */
export interface Field {
  // biome-ignore lint/suspicious/noExplicitAny: a field holds any kind; `ValueOf` recovers the exact type.
  kind: Kind<any, any>
  about: string
  required?: true
  /** Published default; a function is computed for each request. `null` is published but counts as none (rule 3.3). */
  default?: unknown
  /** The limits of its values, in place of those of the kind. */
  within?: Bounds
  /** The fields of records within a list of links, for their limits. */
  nested?: Fields
  /** A look of the resource's own, after the kind's; it may name the fault itself. */
  valid?: (value: unknown, context: Context) => boolean | ParamFault
  /** The same where something has to be looked up or fetched; runs only for callers with the general right. */
  lookUp?: (value: unknown, context: Context) => Promise<boolean>
  /** True where it is done for everybody: it takes one row by its id, and clients of the reference are told of it before their rights. */
  looksUpForAll?: true
  /** Not published in the index although accepted. */
  unlisted?: true
}

export type Fields = Readonly<Record<string, Field>>

/** The parsed values of a set of fields; absent and null fields are left out. */
export type Parsed<F extends Fields> = { -readonly [Name in keyof F]?: ValueOf<F[Name]['kind']> }

/** The columns of those fields whose kind keeps its own. */
export type Columns<F extends Fields> = {
  -readonly [Name in keyof F as F[Name]['kind'] extends { keep: unknown } ? Name : never]: KeptOf<F[Name]['kind']>
}

/** How records of a resource are addressed on item routes. */
export interface Addresses {
  id: Fields
  slug?: Fields
}

/** A resource as declared: everything about it that the index, the validation, the documents and the tables are derived from. */
export interface Resource {
  /** The word for one record in error codes. */
  name: string
  /** The path segment and the key of the list. */
  path: string
  /** The name of one in the interface description, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  filters: Fields
}

/** Declares a resource; the exact types of fields and filters are kept for inference. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

/** Declares fields outside a resource, such as those several resources share. */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}

/** The column values of the plain fields that were sent. */
export function keptColumns(fields: Fields, values: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name]
    if (value !== undefined && field.kind.keep) columns[name] = field.kind.keep(value)
  }
  return columns
}

/** The columns of the plain fields of a record of which nothing was sent; those of text hold `text`. */
export function blankColumns<F extends Fields>(fields: F, text = ''): Columns<F> {
  const columns: Record<string, unknown> = {}
  for (const [name, { kind }] of Object.entries(fields)) {
    if (kind.keep) columns[name] = kind.blank === '' ? text : kind.blank
  }
  return columns as Columns<F>
}
