import { type ParamFault, Problem } from '../problems.ts'
import type { Asking } from './asking.ts'
import type { Field, Fields, Parsed } from './resource.ts'

/** Raw parameters as they came, by name. */
export type RawValues = Readonly<Record<string, unknown>>

/**
 * The typed values of the declared fields among `raw`. Null counts as absent (contract 0.3.2). `partial` is an update: nothing is required,
 * and no default takes the place of what was not sent.
 * @throws Problem rest_missing_callback_param naming every missing field, else rest_invalid_param naming every invalid one,
 * else rest_invalid_param naming every field of the wrong type: the order of contract 1.2.
 */
export async function parseFields<F extends Fields>(
  fields: F,
  raw: RawValues,
  asking: Asking,
  extent: 'whole' | 'partial' = 'whole',
): Promise<Parsed<F>> {
  const isSupplied = (name: string) => raw[name] !== undefined && raw[name] !== null
  const supplied = Object.entries(fields).filter(([name]) => isSupplied(name))
  const missing =
    extent === 'partial' ? [] : Object.keys(fields).filter((name) => fields[name]?.required && !isSupplied(name))
  if (missing.length > 0) throw new Problem('rest_missing_callback_param', { missing })

  await refuse(supplied, (name, field) => invalidity(field, raw[name], asking))
  const values: Record<string, unknown> = {}
  await refuse(supplied, (name, field) => {
    values[name] = field.kind.read(raw[name])
    return values[name] === undefined ? { why: 'type', type: field.kind.wire.type ?? 'string' } : undefined
  })
  return { ...(extent === 'partial' ? {} : fixedDefaults(fields)), ...values } as Parsed<F>
}

/** Defaults that take the place of what was not sent; `null` and computed ones are only published. */
function fixedDefaults(fields: Fields): Record<string, unknown> {
  const fixed = Object.entries(fields).filter(
    ([, { default: value }]) => value !== undefined && value !== null && typeof value !== 'function',
  )
  return Object.fromEntries(fixed.map(([name, field]) => [name, field.kind.read(field.default)]))
}

/** What is wrong with a value. Most is known at once; only what has to be looked up is waited for. */
function invalidity(
  field: Field,
  value: unknown,
  asking: Asking,
): ParamFault | undefined | Promise<ParamFault | undefined> {
  const isKind = field.kind.valid === undefined || field.kind.valid(value, asking)
  if (isKind instanceof Promise) return isKind.then((is) => (is ? ownInvalidity(field, value, asking) : INVALID))
  return isKind ? ownInvalidity(field, value, asking) : INVALID
}

const INVALID: ParamFault = { why: 'invalid' }

function ownInvalidity(
  field: Field,
  value: unknown,
  asking: Asking,
): ParamFault | undefined | Promise<ParamFault | undefined> {
  const verdict = field.valid === undefined || field.valid(value, asking)
  return verdict instanceof Promise ? verdict.then(asFault) : asFault(verdict)
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
