import type { FieldData, FieldsData } from '../../base/fields/field.ts'
import type { ParamFault } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'

/** Checks that run after those of the kind. */
export interface Checks {
  /** May return the fault instead of false. */
  valid?: (value: unknown, context: ValueContext) => boolean | ParamFault
  /** Runs only for callers with the general right, unless `looksUpForAll`. */
  lookUp?: (value: unknown, context: Context) => boolean | Promise<boolean>
  /**
   * `lookUp` runs for callers without the right, too, since the reference reports its fault first: it may
   * only read one row by id.
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

/** Index, validation, documents and tables are derived from it. */
export interface Resource {
  /** Error codes have this name. */
  name: string
  /** The path of its routes, and the key of its records in a list. */
  path: string
  /** The namespace of routes outside the interface. */
  namespace?: string
  /** The title in the OpenAPI document, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  /** Parameters of a removal besides the address. */
  removal?: Fields
}

/** The namespace of routes that neither the interface nor the platform has. */
export const OWN_NAMESPACE = 'kalends/v1'

export function collectionUrl({ base, restUrl }: Context['site'], { namespace, path }: Resource): string {
  return `${namespace === undefined ? base : `${restUrl}/${namespace}`}/${path}`
}

/** Keeps the exact types of fields. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}
