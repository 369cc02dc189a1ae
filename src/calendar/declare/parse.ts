import type { Parsed } from '../../base/fields/field.ts'
import { limits, overLimit } from '../../base/fields/limits.ts'
import { type ParamFault, Problem } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'
import type { Field, Fields } from './resource.ts'

// Checks and reads the parameters of a request by their declarations.

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
  const sent = sentOf(fields, raw, context, extent)
  const reading = readSent(sent, raw, startingValues(fields, extent), (field, value) =>
    invalidity(field, value, context, mayAsk),
  )
  const conclude = (faults?: Faults): Parsed<F> => {
    const values = soundValues<F>(sent, reading, faults)
    if (!mayAsk) throw new Problem('rest_forbidden')
    return values
  }
  const { faults } = reading
  if (!faults) return conclude()
  return areKnown(faults) ? conclude(faults) : Promise.all(faults).then(conclude)
}

/**
 * Parses all fields of a new record, like `parseFields`, for callers with the general right. It does not look up the records that values refer to;
 * the write does.
 * @throws Problem as `parseFields` does
 */
export function parseNew<F extends Fields>(fields: F, raw: RawValues, context: ValueContext): Parsed<F> {
  const sent = sentOf(fields, raw, context, 'whole')
  const reading = readSent(sent, raw, startingValues(fields, 'whole'), (field, value) => faultOf(field, value, context))
  return soundValues(sent, reading, reading.faults)
}

/**
 * Refuses values that are over a limit, before anything looks into them.
 * @throws Problem rest_invalid_param naming every field that is over a limit
 */
export function refuseOversized(fields: Fields, raw: RawValues, context: ValueContext): void {
  sentOf(fields, raw, context, 'partial')
}

/**
 * The fields that were sent, in the order in which they are declared.
 * @throws Problem naming those that are missing, else those that are over a limit
 */
function sentOf(fields: Fields, raw: RawValues, { site }: ValueContext, extent: Parsing['extent']): Entry[] {
  const { entries, required } = knownOf(fields)
  if (extent === 'whole' && required.length > 0) refuseMissing(required, raw)
  const sent: Entry[] = []
  let last = -1
  let isInOrder = true
  // Most requests send a few of many.
  for (const name in raw) {
    const entry = isSupplied(raw[name]) ? entries.get(name) : undefined
    if (!entry) continue
    isInOrder &&= entry.place > last
    last = entry.place
    sent.push(entry)
  }
  if (!isInOrder) sent.sort((a, b) => a.place - b.place)
  refuseTooLarge(sent, raw, site)
  return sent
}

/** @throws Problem rest_invalid_param naming every field that is over a limit */
function refuseTooLarge(sent: readonly Entry[], raw: RawValues, site: Context['site']): void {
  let faults: (ParamFault | undefined)[] | undefined
  for (let i = 0; i < sent.length; i++) {
    const { name, field } = sent[i] as Entry
    const fault = faultOfSize(field, raw[name], site)
    if (!fault) continue
    faults ??= []
    faults[i] = fault
  }
  if (faults) refuseFaults(sent, faults)
}

/** The faults of the sent fields, in the order of the fields. */
type Faults<Fault = ParamFault> = readonly (Fault | undefined)[]

/** The values of fields as they were read, and their faults: undefined for fields without one. */
interface ValuesRead<Fault> {
  values: Record<string, unknown>
  faults: Faults<Fault> | undefined
  /** Faults of type, which are reported only when nothing else is wrong. */
  mistyped: Faults | undefined
}

/** Reads the values in place of those of `values`. */
function readSent<Fault>(
  sent: readonly Entry[],
  raw: RawValues,
  values: Record<string, unknown>,
  faultIn: (field: Field, value: unknown) => Fault | undefined,
): ValuesRead<Fault> {
  let faults: (Fault | undefined)[] | undefined
  let mistyped: (ParamFault | undefined)[] | undefined
  for (let i = 0; i < sent.length; i++) {
    const { name, field } = sent[i] as Entry
    const fault = faultIn(field, raw[name])
    if (fault !== undefined) {
      faults ??= []
      faults[i] = fault
      if (!(fault instanceof Promise)) continue
    }
    const value = field.kind.read(raw[name])
    values[name] = value
    if (value !== undefined) continue
    mistyped ??= []
    mistyped[i] = { why: 'type', type: field.kind.wire.type ?? 'string' }
  }
  return { values, faults, mistyped }
}

/** @throws Problem rest_invalid_param naming every field with a fault, else every one of the wrong type */
function soundValues<F extends Fields>(
  sent: readonly Entry[],
  { values, mistyped }: ValuesRead<unknown>,
  faults: Faults | undefined,
): Parsed<F> {
  if (faults) refuseFaults(sent, faults)
  if (mistyped) refuseFaults(sent, mistyped)
  return values as Parsed<F>
}

function areKnown<Fault>(faults: readonly (Fault | Promise<Fault>)[]): faults is readonly Fault[] {
  return !faults.some((fault) => fault instanceof Promise)
}

/** A declared field with its name, and its place among the others. */
interface Entry {
  name: string
  field: Field
  place: number
}

const isSupplied = (value: unknown) => value !== undefined && value !== null

/** The facts about declared fields that do not depend on a request. `null` and computed defaults are only published. */
interface Known {
  entries: ReadonlyMap<string, Entry>
  required: readonly string[]
  defaults: Readonly<Record<string, unknown>>
}

const known = new WeakMap<Fields, Known>()

function knownOf(fields: Fields): Known {
  const found = known.get(fields)
  if (found) return found
  const declared = Object.entries(fields)
  const fixed = declared.filter(
    ([, { default: value }]) => value !== undefined && value !== null && typeof value !== 'function',
  )
  const made: Known = {
    entries: new Map(declared.map(([name, field], place) => [name, { name, field, place }])),
    required: declared.flatMap(([name, field]) => (field.required ? [name] : [])),
    defaults: Object.fromEntries(fixed.map(([name, field]) => [name, field.kind.read(field.default)])),
  }
  known.set(fields, made)
  return made
}

/** The values that stand where nothing was sent. */
function startingValues(fields: Fields, extent: Parsing['extent']): Record<string, unknown> {
  return extent === 'whole' ? { ...knownOf(fields).defaults } : {}
}

function refuseMissing(required: readonly string[], raw: RawValues): void {
  const missing = required.filter((name) => !isSupplied(raw[name]))
  if (missing.length > 0) throw new Problem('rest_missing_callback_param', { missing })
}

/** Which limit a value of a field is over, if any; of a list of links, also those of the records in it. */
function faultOfSize(field: Field, value: unknown, site: Context['site']): ParamFault | undefined {
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

/** Finds the fault of a value without looking anything up. */
function faultOf(field: Field, value: unknown, context: ValueContext): ParamFault | undefined {
  if (field.kind.valid?.(value, context) === false) return refusalOf(field.kind)
  return asFault(field.valid?.(value, context) ?? true)
}

/** Names the words that a kind takes, where they are few, or a value of its form. */
function refusalOf({ choices, wire, example }: Field['kind']): ParamFault {
  const known = choices ?? wire.enum
  if (known)
    return {
      why: 'told',
      message: 'The value of {name} is not one of {choices}.',
      values: { choices: known.join(', ') },
    }
  if (example === undefined) return INVALID
  return { why: 'told', message: 'The value of {name} is invalid; {example} would be valid.', values: { example } }
}

function asFault(verdict: boolean | ParamFault): ParamFault | undefined {
  if (typeof verdict === 'object') return verdict
  return verdict ? undefined : INVALID
}

/** @throws Problem rest_invalid_param naming every field with a fault */
function refuseFaults(fields: readonly Entry[], faults: Faults): void {
  if (faults.every((fault) => fault === undefined)) return
  const params: Record<string, ParamFault> = {}
  for (const [i, { name }] of fields.entries()) {
    const fault = faults[i]
    if (fault) params[name] = fault
  }
  throw new Problem('rest_invalid_param', { params })
}
