import type { FieldData, FieldsData } from '../../base/fields/field.ts'
import type { ParamFault } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'

// The declaration of a resource.

/** Checks of the values of one field, after those of its kind. */
export interface Checks {
  /** A check that waits for nothing; it may name the fault itself. */
  valid?: (value: unknown, context: ValueContext) => boolean | ParamFault
  /** A check that may have to look something up or fetch it; runs only for callers with the general right. */
  lookUp?: (value: unknown, context: Context) => boolean | Promise<boolean>
  /** True where `lookUp` runs for every caller: it reads one row by its id, and clients of the reference learn of it before their rights. */
  looksUpForAll?: true
}

/** A field or filter with its checks. */
export interface Field extends FieldData, Checks {}

export type Fields = Readonly<Record<string, Field>>

/** Adds checks to declared fields, whose order and exact types stay. */
export function withChecks<const F extends FieldsData>(
  fields: F,
  checks: { readonly [Name in keyof F]?: Checks },
): { readonly [Name in keyof F]: F[Name] & Checks } {
  const checked = Object.entries(fields).map(([name, field]) => [name, { ...field, ...checks[name] }])
  return Object.fromEntries(checked)
}

/** How records of a resource are addressed on item routes. */
interface Addresses {
  id: Fields
  slug?: Fields
}

/** A resource as declared: everything about it that the index, the validation, the documents and the tables are derived from. */
export interface Resource {
  /** The word for one record in error codes. */
  name: string
  /** The path segment and the key of the list. */
  path: string
  /** The namespace below the REST root of one beside the interface. */
  namespace?: string
  /** The name of one in the interface description, in English. */
  title: string
  addresses: Addresses
  fields: Fields
  /** Parameters of a removal beside the address. */
  removal?: Fields
}

/** The namespace of what this service offers beside the interface and the platform. */
export const OWN_NAMESPACE = 'kalends/v1'

/** The address of the list of a resource. */
export function collectionUrl({ base, restUrl }: Context['site'], { namespace, path }: Resource): string {
  return `${namespace === undefined ? base : `${restUrl}/${namespace}`}/${path}`
}

/** Declares a resource; the exact types of its fields are kept for inference. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource
}

/** Declares fields outside a resource, such as those several resources share. */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields
}
