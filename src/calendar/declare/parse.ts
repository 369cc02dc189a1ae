import type { Parsed } from '../../base/fields/field.ts'
import type { ClockPart } from '../../base/fields/kinds.ts'
import { limits, overLimit } from '../../base/fields/limits.ts'
import { type ParamFault, Problem } from '../../base/problems.ts'
import type { Context, ValueContext } from './context.ts'
import type { Field, Fields } from './resource.ts'

export type RawValues = Readonly<Record<string, unknown>>

export interface Parsing {
  /**
   * `whole` is for creates and lists; with `partial`, for updates, no field is required and absent ones get
   * no default.
   */
  extent: 'whole' | 'partial'
  /**
   * False for a caller without the general right. Then only fields with `looksUpForAll` are looked up, and
   * valid values are refused with rest_forbidden.
   */
  mayAsk: boolean
}

const ORDINARY: Parsing = { extent: 'whole', mayAsk: true }

/**
 * Reads and checks the sent values; a promise only if the database has to be asked. Null counts as absent
 * (rule 1.5).
 * @throws Problem, at once or in the promise, naming all missing fields; else all over a limit; else all
 * invalid ones; else all of the wrong type (rule 1.2); else rest_forbidden if `mayAsk` is false
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

/** Like `parseFields`, but looks up no records, since the write does. @throws Problem as `parseFields` */
export function parseNew<F extends Fields>(fields: F, raw: RawValues, context: ValueContext): Parsed<F> {
  const sent = sentOf(fields, raw, context, 'whole')
  const reading = readSent(sent, raw, startingValues(fields, 'whole'), (field, value) =>
    faultOf(field, value, context),
  )
  return soundValues(sent, reading, reading.faults)
}

/**
 * Checks only sizes. Runs before all else, so that no other code gets too large values.
 * @throws Problem rest_invalid_param naming every field over a limit
 */
export function refuseOversized(fields: Fields, raw: RawValues, context: ValueContext): void {
  sentOf(fields, raw, context, 'partial')
}

function sentOf(fields: Fields, raw: RawValues, { site }: ValueContext, extent: Parsing['extent']): Entry[] {
  const { entries, required } = knownOf(fields)
  if (extent === 'whole' && required.length > 0) refuseMissing(required, raw)
  const sent: Entry[] = []
  let last = -1
  let isInOrder = true
  // Over the sent names, since most requests send few of many fields.
  for (const name in raw) {
    const entry = isSupplied(raw[name]) ? entries.get(name) : undefined
    if (!entry || entry.field.kind.ignores?.(raw[name])) continue
    isInOrder &&= entry.place > last
    last = entry.place
    sent.push(entry)
  }
  if (!isInOrder) sent.sort((a, b) => a.place - b.place)
  refuseTooLarge(sent, raw, site)
  return sent
}

export function ignoredIn(fields: Fields, raw: RawValues): string[] {
  const { entries } = knownOf(fields)
  return Object.keys(raw).filter(
    (name) => isSupplied(raw[name]) && entries.get(name)?.field.kind.ignores?.(raw[name]),
  )
}

/**
 * The part of the clock that the meaning of the sent values depends on: `now` if one depends on the current
 * second, else `minute`, else `day`.
 */
export function clockOf(fields: Fields, raw: RawValues): ClockPart {
  let clock: ClockPart = 'day'
  for (const name in raw) {
    if (!isSupplied(raw[name]) || !Object.hasOwn(fields, name)) continue
    const own = fields[name]?.kind.clock?.(raw[name])
    if (own === 'now') return 'now'
    if (own === 'minute') clock = 'minute'
  }
  return clock
}

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

type Faults<Fault = ParamFault> = readonly (Fault | undefined)[]

interface ValuesRead<Fault> {
  values: Record<string, unknown>
  faults: Faults<Fault> | undefined
  /** Values of the wrong type, reported only if there are no other faults. */
  mistyped: Faults | undefined
}

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

interface Entry {
  name: string
  field: Field
  place: number
}

/** Null counts as absent (rule 1.5). */
export const isSupplied = (value: unknown) => value !== undefined && value !== null

/** Computed once from a declaration. `defaults` leaves out null and computed defaults. */
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

function startingValues(fields: Fields, extent: Parsing['extent']): Record<string, unknown> {
  return extent === 'whole' ? { ...knownOf(fields).defaults } : {}
}

function refuseMissing(required: readonly string[], raw: RawValues): void {
  const missing = required.filter((name) => !isSupplied(raw[name]))
  if (missing.length > 0) throw new Problem('rest_missing_callback_param', { missing })
}

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

function faultOf(field: Field, value: unknown, context: ValueContext): ParamFault | undefined {
  if (field.kind.valid?.(value, context) === false) return refusalOf(field.kind)
  return asFault(field.valid?.(value, context) ?? true)
}

function refusalOf({ choices, wire, example }: Field['kind']): ParamFault {
  const known = choices ?? wire.enum
  if (known)
    return {
      why: 'told',
      message: 'The value of {name} is not one of {choices}.',
      values: { choices: known.join(', ') },
    }
  if (example === undefined) return INVALID
  return {
    why: 'told',
    message: 'The value of {name} is invalid; {example} would be valid.',
    values: { example },
  }
}

function asFault(verdict: boolean | ParamFault): ParamFault | undefined {
  if (typeof verdict === 'object') return verdict
  return verdict ? undefined : INVALID
}

function refuseFaults(fields: readonly Entry[], faults: Faults): void {
  if (faults.every((fault) => fault === undefined)) return
  const params: Record<string, ParamFault> = {}
  for (const [i, { name }] of fields.entries()) {
    const fault = faults[i]
    if (fault) params[name] = fault
  }
  throw new Problem('rest_invalid_param', { params })
}
