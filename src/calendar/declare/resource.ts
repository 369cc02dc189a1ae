import type { FieldData, FieldsData } from '../../base/fields/field.ts'
import type { ParamFault } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'

// Declares what a resource consists of: its fields with their checks, its addresses and its names.

/** The checks of the values of one field, which run after the checks of its kind. */
export interface Checks {
  /** Checks a value without waiting. It may return the fault itself instead of false. */
  valid?: (value: unknown, context: ValueContext) => boolean | ParamFault
  /**
   * Checks a value by looking it up or fetching it. Runs only for callers with the general right, unless
   * `looksUpForAll`.
   */
  lookUp?: (value: unknown, context: Context) => boolean | Promise<boolean>
  /**
   * True where `lookUp` runs for every caller: it reads one row by its id, and the reference reports its
   * fault before a missing right.
   */
  looksUpForAll?: true
}

/** A field or filter with its checks. */
export interface Field extends FieldData, Checks {}

export type Fields = Readonly<Record<string, Field>>

/** Adds checks to declared fields. The order and the exact types of the fields stay. */
export function withChecks<const F extends FieldsData>(
  fields: F,
  checks: { readonly [Name in keyof F]?: Checks },
): { readonly [Name in keyof F]: F[Name] & Checks } {
  const checked = Object.entries(fields).map(([name, field]) => [name, { ...field, ...checks[name] }])
  return Object.fromEntries(checked)
}

interface Addresses {
  id: Fields
  slug?: Fields
}

/**
 * The declaration of a resource, from which the namespace index, the validation, the documents and the tables
 * are derived.
 */
export interface Resource {
  /** The word for one record in error codes. */
  name: string
  /** The path segment of its routes, which is also the key of its records in the answer to a list. */
  path: string
  /** The namespace below the REST root of a resource outside the interface. */
  namespace?: string
  /** The name of one record in the interface description, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  /** The parameters of a removal besides the address. */
  removal?: Fields
}

/** The namespace of the routes that this service offers beside the interface and the platform. */
export const OWN_NAMESPACE = 'kalends/v1'

/** Returns the address of the list of a resource. */
export function collectionUrl({ base, restUrl }: Context['site'], { namespace, path }: Resource): string {
  return `${namespace === undefined ? base : `${restUrl}/${namespace}`}/${path}`
}

/** Declares a resource. Its type keeps the exact types of its fields. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

/**
 * Declares fields outside a resource, such as fields that several resources share. Their exact types are
 * kept.
 */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}
