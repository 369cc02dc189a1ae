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
  const supplied = Object.entries(fields).filter(([name]) => raw[name] !== undefined && raw[name] !== null)
  const missing =
    extent === 'partial'
      ? []
      : Object.keys(fields).filter((name) => fields[name]?.required && !supplied.some(([given]) => given === name))
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

async function invalidity(field: Field, value: unknown, asking: Asking): Promise<ParamFault | undefined> {
  if (field.kind.valid && !(await field.kind.valid(value, asking))) return { why: 'invalid' }
  const verdict = field.valid === undefined || (await field.valid(value, asking))
  if (typeof verdict === 'object') return verdict
  return verdict ? undefined : { why: 'invalid' }
}

async function refuse(
  fields: [string, Field][],
  look: (name: string, field: Field) => ParamFault | undefined | Promise<ParamFault | undefined>,
): Promise<void> {
  const params: Record<string, ParamFault> = {}
  for (const [name, field] of fields) {
    const fault = await look(name, field)
    if (fault) params[name] = fault
  }
  if (Object.keys(params).length > 0) throw new Problem('rest_invalid_param', { params })
}
