import type { FieldData, FieldsData } from '../../base/fields/field.ts'
import type { ParamFault } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'

/** Checks of a field, after those of its kind. */
export interface Checks {
  /** For an invalid value: false, or a fault that says more. */
  valid?: (value: unknown, context: ValueContext) => boolean | ParamFault
  /**
   * True if the records that the value refers to exist. Runs only for callers with the general right, unless
   * `looksUpForAll`.
   */
  lookUp?: (value: unknown, context: Context) => boolean | Promise<boolean>
  /**
   * Makes `lookUp`, which may then only read one row by id, run for callers without the right too: the
   * reference implementation reports its fault before the missing right.
   */
  looksUpForAll?: true
}

export interface Field extends FieldData, Checks {}

export type Fields = Readonly<Record<string, Field>>

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

/** Routes, the index of routes, validation and the OpenAPI document are derived from this. */
export interface Resource {
  /** Singular; codes of problems contain it. */
  name: string
  /** Also the key of its records in a list. */
  path: string
  /** Absent in the namespace of The Events Calendar. */
  namespace?: string
  /** The title in the OpenAPI document, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  /** Parameters of a DELETE request besides the address. */
  removal?: Fields
}

/** The namespace of routes that exist neither in The Events Calendar nor in WordPress. */
export const OWN_NAMESPACE = 'kalends/v1'

export function collectionUrl({ base, restUrl }: Context['site'], { namespace, path }: Resource): string {
  return `${namespace === undefined ? base : `${restUrl}/${namespace}`}/${path}`
}

/** Returns `resource`, with the exact types of its fields. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}
