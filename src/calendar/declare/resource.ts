import type { FieldData, FieldsData } from '../../base/fields/field.ts'
import type { ParamFault } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'

// What a resource is: fields with checks, addresses, names.

/** After those of the kind. */
export interface Checks {
  /** May return the fault instead of false. */
  valid?: (value: unknown, context: ValueContext) => boolean | ParamFault
  /** Only for callers with the general right, unless `looksUpForAll`. */
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

/** Index, validation, documents and tables are derived from it. */
export interface Resource {
  /** In error codes. */
  name: string
  /** Of its routes, and key of its records in a list. */
  path: string
  /** Outside the interface. */
  namespace?: string
  /** In the interface description, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  /** Besides the address. */
  removal?: Fields
}

/** Routes beside the interface and the platform. */
export const OWN_NAMESPACE = 'kalends/v1'

export function collectionUrl({ base, restUrl }: Context['site'], { namespace, path }: Resource): string {
  return `${namespace === undefined ? base : `${restUrl}/${namespace}`}/${path}`
}

/** Keeps the exact types of fields. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

/** Shared by resources; keeps exact types. */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}
