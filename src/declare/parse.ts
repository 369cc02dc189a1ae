import type { Context } from '../context/context.ts'
import type { Parsed } from '../fields/field.ts'
import { limits, overLimit } from '../fields/limits.ts'
import { type ParamFault, Problem } from '../problems.ts'
import type { Field, Fields } from './resource.ts'

/** Raw parameters as they came, by name. */
export type RawValues = Readonly<Record<string, unknown>>

/** How the fields of a request are parsed. */
export interface Parsing {
  /** `partial` is an update: nothing is required, and absent fields get no default. */
  extent: 'whole' | 'partial'
  /** Whether the caller has the general right. Without it nothing is looked up. */
  mayAsk: boolean
}

const ORDINARY: Parsing = { extent: 'whole', mayAsk: true }

/**
 * The typed values of the declared fields among `raw`. Null counts as absent (rule 1.5).
 * @throws Problem rest_missing_callback_param naming every missing field, else rest_invalid_param naming every field that is over a limit,
 * else every invalid one, else every field of the wrong type: as in rule 1.2. Last, rest_forbidden for a caller without the right.
 */
export async function parseFields<F extends Fields>(
  fields: F,
  raw: RawValues,
  context: Context,
  { extent, mayAsk }: Parsing = ORDINARY,
): Promise<Parsed<F>> {
  const isSupplied = (name: string) => raw[name] !== undefined && raw[name] !== null
  const supplied = Object.entries(fields).filter(([name]) => isSupplied(name))
  const missing =
    extent === 'partial' ? [] : Object.keys(fields).filter((name) => fields[name]?.required && !isSupplied(name))
  if (missing.length > 0) throw new Problem('rest_missing_callback_param', { missing })

  await refuse(supplied, (name, field) => faultOfSize(field, raw[name], context.site))
  await refuse(supplied, (name, field) => invalidity(field, raw[name], context, mayAsk))
  const values: Record<string, unknown> = {}
  await refuse(supplied, (name, field) => {
    values[name] = field.kind.read(raw[name])
    return values[name] === undefined ? { why: 'type', type: field.kind.wire.type ?? 'string' } : undefined
  })
  if (!mayAsk) throw new Problem('rest_forbidden')
  return { ...(extent === 'partial' ? {} : fixedDefaults(fields)), ...values } as Parsed<F>
}

/** The defaults of absent fields; `null` and computed ones are only published. */
function fixedDefaults(fields: Fields): Record<string, unknown> {
  const fixed = Object.entries(fields).filter(
    ([, { default: value }]) => value !== undefined && value !== null && typeof value !== 'function',
  )
  return Object.fromEntries(fixed.map(([name, field]) => [name, field.kind.read(field.default)]))
}

/** Which limit a value of a field is over, if any; of a list of links, also those of the records in it. */
export function faultOfSize(field: Field, value: unknown, site: Context['site']): ParamFault | undefined {
  const bounds = field.within ?? field.kind.within ?? limits.line
  const fault = overLimit(value, bounds, field.kind.list === true, site)
  if (fault || !field.nested || value === null || typeof value !== 'object') return fault
  for (const record of Array.isArray(value) ? value : [value, ...Object.values(value)]) {
    const nested = faultOfRecord(field.nested, record, site)
    if (nested) return nested
  }
  return undefined
}

/** Which limit a record within a value is over. It links to no further records. */
function faultOfRecord(fields: Fields, record: unknown, site: Context['site']): ParamFault | undefined {
  if (record === null || typeof record !== 'object') return undefined
  for (const [name, member] of Object.entries(record)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const fault = field && member !== null ? faultOfSize(field, member, site) : undefined
    if (fault?.why === 'limit') return { ...fault, at: name }
  }
  return undefined
}

/** The fault of a value. Most faults are known at once; only lookups are waited for. */
function invalidity(
  field: Field,
  value: unknown,
  context: Context,
  mayAsk: boolean,
): ParamFault | undefined | Promise<ParamFault | undefined> {
  const fault = faultAtOnce(field, value, context)
  if (fault || !field.lookUp || !(mayAsk || field.looksUpForAll)) return fault
  return field.lookUp(value, context).then(asFault)
}

const INVALID: ParamFault = { why: 'invalid' }

/** The fault of a value as far as no lookup is needed. */
function faultAtOnce(field: Field, value: unknown, context: Context): ParamFault | undefined {
  if (field.kind.valid?.(value, context) === false) return INVALID
  return asFault(field.valid?.(value, context) ?? true)
}

/**
 * The typed value of one parameter in which nothing is wrong, as far as that is known without looking anything up: all that `parseFields` asks
 * of it but `lookUp`. Undefined for any other.
 */
export function readAtOnce(field: Field, value: unknown, context: Context): unknown {
  if (faultOfSize(field, value, context.site) || faultAtOnce(field, value, context)) return undefined
  return field.kind.read(value)
}

function asFault(verdict: boolean | ParamFault): ParamFault | undefined {
  if (typeof verdict === 'object') return verdict
  return verdict ? undefined : INVALID
}

async function refuse(
  fields: [string, Field][],
  look: (name: string, field: Field) => ParamFault | undefined | Promise<ParamFault | undefined>,
): Promise<void> {
  const looked = fields.map(([name, field]) => look(name, field))
  const faults = looked.some((fault) => fault instanceof Promise) ? await Promise.all(looked) : looked
  const params: Record<string, ParamFault> = {}
  for (const [i, [name]] of fields.entries()) {
    const fault = faults[i] as ParamFault | undefined
    if (fault) params[name] = fault
  }
  if (Object.keys(params).length > 0) throw new Problem('rest_invalid_param', { params })
}
