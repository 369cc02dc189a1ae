import type { Asking, Context } from '../context/context.ts'
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
 * The typed values of the declared fields among `raw`, a promise only where something has to be waited for. Null counts as absent (rule 1.5).
 * @throws Problem, at once or later: rest_missing_callback_param naming every missing field, else rest_invalid_param naming every field that is
 * over a limit, else every invalid one, else every field of the wrong type: as in rule 1.2. Last, rest_forbidden for a caller without the right.
 */
export function parseFields<F extends Fields>(
  fields: F,
  raw: RawValues,
  context: Context,
  { extent, mayAsk }: Parsing = ORDINARY,
): Parsed<F> | Promise<Parsed<F>> {
  const supplied = suppliedOf(fields, raw, context, extent)
  const read = (faults?: Faults): Parsed<F> => {
    const values = readJudged(fields, raw, supplied, faults, extent)
    if (!mayAsk) throw new Problem('rest_forbidden')
    return values
  }
  const faults = faultsOf(supplied, (name, field) => invalidity(field, raw[name], context, mayAsk))
  if (!faults) return read()
  return areKnown(faults) ? read(faults) : Promise.all(faults).then(read)
}

/**
 * The same of all fields of a new record, for callers with the general right. What the values refer to is not looked up: that is left to the write.
 * @throws Problem as `parseFields`
 */
export function parseNew<F extends Fields>(fields: F, raw: RawValues, asking: Asking): Parsed<F> {
  const supplied = suppliedOf(fields, raw, asking, 'whole')
  const faults = faultsOf(supplied, (name, field) => faultOf(field, raw[name], asking))
  return readJudged(fields, raw, supplied, faults, 'whole')
}

/** The fields that were sent, in the order in which they are declared. @throws Problem naming those that are missing, else those that are over a limit */
function suppliedOf(fields: Fields, raw: RawValues, { site }: Asking, extent: Parsing['extent']): Entry[] {
  const { entries, places, required } = knownOf(fields)
  if (extent === 'whole' && required.length > 0) refuseMissing(required, raw)
  // Most requests send a few of many.
  const sent: number[] = []
  for (const name in raw) {
    const place = isSupplied(raw[name]) ? places.get(name) : undefined
    if (place !== undefined) sent.push(place)
  }
  const supplied = sent.sort((a, b) => a - b).map((place) => entries[place] as Entry)
  const faults = faultsOf(supplied, (name, field) => faultOfSize(field, raw[name], site))
  if (faults) refuse(supplied, faults)
  return supplied
}

/** @throws Problem rest_invalid_param naming every field with a fault, else every one of the wrong type */
function readJudged<F extends Fields>(
  fields: F,
  raw: RawValues,
  supplied: readonly Entry[],
  faults: Faults | undefined,
  extent: Parsing['extent'],
): Parsed<F> {
  if (faults) refuse(supplied, faults)
  return readAll(supplied, raw, extent === 'whole' ? knownOf(fields).defaults : {}) as Parsed<F>
}

/** The faults of fields, each at the place of its field. */
type Faults = readonly (ParamFault | undefined)[]

/** What is found of each field, at its place; undefined where nothing is found of any. */
function faultsOf<Fault>(
  supplied: readonly Entry[],
  find: (name: string, field: Field) => Fault | undefined,
): (Fault | undefined)[] | undefined {
  let faults: (Fault | undefined)[] | undefined
  for (let i = 0; i < supplied.length; i++) {
    const [name, field] = supplied[i] as Entry
    const fault = find(name, field)
    if (fault === undefined) continue
    faults ??= []
    faults[i] = fault
  }
  return faults
}

function areKnown<Fault>(faults: readonly (Fault | Promise<Fault>)[]): faults is readonly Fault[] {
  return !faults.some((fault) => fault instanceof Promise)
}

type Entry = readonly [name: string, field: Field]

const isSupplied = (value: unknown) => value !== undefined && value !== null

/** What does not depend on a request. `null` and computed defaults are only published. */
interface Known {
  entries: readonly Entry[]
  /** Where each of them stands, by name. */
  places: ReadonlyMap<string, number>
  required: readonly string[]
  defaults: Readonly<Record<string, unknown>>
}

const known = new WeakMap<Fields, Known>()

function knownOf(fields: Fields): Known {
  const found = known.get(fields)
  if (found) return found
  const entries = Object.entries(fields)
  const fixed = entries.filter(
    ([, { default: value }]) => value !== undefined && value !== null && typeof value !== 'function',
  )
  const made: Known = {
    entries,
    places: new Map(entries.map(([name], place) => [name, place])),
    required: entries.flatMap(([name, field]) => (field.required ? [name] : [])),
    defaults: Object.fromEntries(fixed.map(([name, field]) => [name, field.kind.read(field.default)])),
  }
  known.set(fields, made)
  return made
}

function refuseMissing(required: readonly string[], raw: RawValues): void {
  const missing = required.filter((name) => !isSupplied(raw[name]))
  if (missing.length > 0) throw new Problem('rest_missing_callback_param', { missing })
}

/** The values in place of the defaults. @throws Problem rest_invalid_param naming every field of the wrong type */
function readAll(supplied: readonly Entry[], raw: RawValues, defaults: object): Record<string, unknown> {
  const values: Record<string, unknown> = { ...defaults }
  const faults = faultsOf(supplied, (name, { kind }): ParamFault | undefined => {
    const value = kind.read(raw[name])
    values[name] = value
    return value === undefined ? { why: 'type', type: kind.wire.type ?? 'string' } : undefined
  })
  if (faults) refuse(supplied, faults)
  return values
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

const INVALID: ParamFault = { why: 'invalid' }

/** The fault of a value. Most faults are known at once; only lookups may be waited for. */
function invalidity(
  field: Field,
  value: unknown,
  context: Context,
  mayAsk: boolean,
): ParamFault | undefined | Promise<ParamFault | undefined> {
  const fault = faultOf(field, value, context)
  if (fault || !field.lookUp || !(mayAsk || field.looksUpForAll)) return fault
  const isThere = field.lookUp(value, context)
  return isThere instanceof Promise ? isThere.then(asFault) : asFault(isThere)
}

/** The fault of a value by itself. */
function faultOf(field: Field, value: unknown, asking: Asking): ParamFault | undefined {
  if (field.kind.valid?.(value, asking) === false) return INVALID
  return asFault(field.valid?.(value, asking) ?? true)
}

function asFault(verdict: boolean | ParamFault): ParamFault | undefined {
  if (typeof verdict === 'object') return verdict
  return verdict ? undefined : INVALID
}

/** @throws Problem rest_invalid_param naming every field with a fault */
function refuse(fields: readonly Entry[], faults: Faults): void {
  if (faults.every((fault) => fault === undefined)) return
  const params: Record<string, ParamFault> = {}
  for (const [i, [name]] of fields.entries()) {
    const fault = faults[i]
    if (fault) params[name] = fault
  }
  throw new Problem('rest_invalid_param', { params })
}
