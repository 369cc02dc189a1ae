import { asSentBack } from '../../../base/fields/kinds.ts'
import { Problem } from '../../../base/problems.ts'
import { readMoment } from '../../../base/text/moments.ts'
import { lastWallToUtc, wallToUtc } from '../../../base/text/zones.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { isSupplied, type RawValues, refuseOversized } from '../../../calendar/declare/parse.ts'
import type { Fields } from '../../../calendar/declare/resource.ts'
import { parseCost } from '../../../calendar/events/event-cost.ts'
import { type RecordHistory, readHistory, valuesAt } from '../../../calendar/history/record-history.ts'
import { linkEntries } from '../../../calendar/linked/linked-store.ts'
import type { ServedResource } from '../../../calendar/resources.ts'
import { termEntries } from '../../../calendar/terms/term-rules.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import { permittedRecord } from '../permitted-record.ts'
import { type Saved, updateRecord } from '../save-form.ts'
import { preparePublication, publishesOthers } from './linked-drafts.ts'
import { findUnmadeTerms, keepBeside, withoutUnmade } from './proposal-store.ts'

// Merges changes of two people to one record. A field that they set differently is a conflict; neither is
// lost.

/** A field in conflict, with values as in a request. */
export interface Conflict {
  member: string
  /** Value that the form first showed; undefined if the history no longer has that version. */
  base: unknown
  sent: unknown
  now: unknown
}

/** The saved record, or conflicts if nothing was saved. `taken`: fields where others' changes were kept. */
export type Edited =
  | { saved: Saved; changed: string[]; taken: string[] }
  | { conflicts: Conflict[]; taken: string[]; version: number }

/** A sent form: `version` is the record's version that it showed, `base` the values, if sent. */
export interface SentForm {
  values: RawValues
  version: number
  base?: RawValues
  form?: string
  /** Called in the transaction of the save, even if no field changes, with the version before the save. */
  beside?: ((tx: Tx, version: number) => Promise<void>) | undefined
}

const MOST_TRIES = 5

/**
 * Saves the fields that the form has changed; other fields keep others' changes. If the form and others have
 * set the same field differently, nothing is saved and the conflicts are returned.
 * @throws Problem as `updateRecord`
 */
export async function saveForm(
  context: Context,
  served: ServedResource,
  id: number,
  asked: SentForm,
): Promise<Edited> {
  const { operations } = served
  const { form: name = '' } = asked
  await permittedRecord(context, operations, id, 'update')
  const unmade = await findUnmadeTerms(context, served, asked.values)
  const form = { ...asked, values: withoutUnmade(asked.values, unmade) }
  for (let tries = 1; ; tries += 1) {
    const row = await permittedRecord(context, operations, id, 'update')
    const history =
      operations.versioned && (await readRecordHistory(context, served, operations.versioned.idOf(row)))
    if (!history) throw await operations.missing(context, { id })
    const { values, taken, conflicts } = await mergeForm(context, served.resource.fields, history, form)
    const { version } = history
    if (conflicts.length > 0) return { conflicts, taken, version }
    // `recurrence_scope` alone changes nothing: it says to which dates of a series a change applies.
    const changed = Object.keys(values).filter((name) => name !== 'recurrence_scope')
    if (changed.length === 0) {
      await context.write(async (tx) => {
        await keepBeside(tx, context, served, { formOf: { record: id, form: name }, record: id }, unmade)
        await asked.beside?.(tx, version)
      })
      return { saved: { id, version }, changed, taken }
    }
    const publication = publishesOthers(context, served, row, values)
      ? await preparePublication(context, row, history.present, form.values)
      : undefined
    const sent = { ...values, ...publication?.values }
    try {
      const saved = await updateRecord(context, served, id, sent, version, {
        unmade,
        beside: async (tx) => {
          await publication?.publish(tx)
          await asked.beside?.(tx, version)
        },
        form: name,
      })
      return { saved, changed, taken }
    } catch (error) {
      const isOvertaken = error instanceof Problem && error.code === 'rest_precondition_failed'
      if (!isOvertaken || tries === MOST_TRIES) throw error
    }
  }
}

function readRecordHistory(context: Context, { resource, operations }: ServedResource, id: number) {
  const { versioned } = operations
  const kind = resource.name as RecordHistory['kind']
  return versioned && readHistory(context.db, kind, versioned.kind, id)
}

export interface MergedForm {
  values: Record<string, unknown>
  taken: string[]
  conflicts: Conflict[]
}

/** Fields merged as a unit: nobody has chosen one person's start with another's end, for example. */
export const UNITS: readonly (readonly string[])[] = [
  ['start_date', 'end_date', 'timezone', 'all_day'],
  ['geo_lat', 'geo_lng'],
]

/**
 * Merges sent values with present ones, based on the version that the form showed.
 * @throws Problem rest_invalid_param for values over a limit
 */
export async function mergeForm(
  context: Context,
  fields: Fields,
  history: RecordHistory,
  { values: sent, version, base: shown }: SentForm,
): Promise<MergedForm> {
  refuseOversized(fields, sent, context)
  if (shown) refuseOversized(fields, shown, context)
  const now = await valuesAt(context.db, history, history.version)
  const base = await baseOf(context, history, version, shown)
  const names = Object.keys(sent).filter((name) => Object.hasOwn(fields, name) && isSupplied(sent[name]))
  const merged: MergedForm = { values: {}, taken: [], conflicts: [] }
  const zone = String(sent.timezone || now.timezone || context.site.timezone)
  const isSame = (name: string, one: unknown, other: unknown) =>
    comparable(fields, name, one, zone, context.now) === comparable(fields, name, other, zone, context.now)
  for (const unit of unitsOf(names)) mergeUnit(merged, unit, { sent, base, now }, isSame)
  return merged
}

interface Sides {
  sent: RawValues
  base: RawValues | undefined
  now: RawValues
}

type IsSame = (name: string, one: unknown, other: unknown) => boolean

function mergeUnit(
  merged: MergedForm,
  unit: readonly string[],
  { sent, base, now }: Sides,
  isSame: IsSame,
): void {
  const differ = (one: RawValues, other: RawValues) =>
    unit.filter((name) => !isSame(name, one[name], other[name]))
  // Fields that versions do not store, such as the recurrence rule of a date, are taken as sent.
  const isKnown = unit.every((name) => Object.hasOwn(now, name))
  const here = base && isKnown ? differ(sent, base) : unit
  const there = base && isKnown ? differ(now, base) : unit
  const apart = isKnown ? differ(sent, now) : unit
  if (apart.length === 0) return
  if (here.length === 0) merged.taken = [...merged.taken, ...there]
  else if (there.length === 0 || !isKnown) for (const name of unit) merged.values[name] = sent[name]
  else
    for (const member of apart)
      merged.conflicts.push({ member, base: base?.[member], sent: sent[member], now: now[member] })
}

async function baseOf(
  { db }: Context,
  history: RecordHistory,
  version: number,
  shown: RawValues | undefined,
): Promise<RawValues | undefined> {
  if (shown) return shown
  try {
    return await valuesAt(db, history, version)
  } catch (error) {
    if (error instanceof Problem && error.code === 'rest_version_not_found') return undefined
    throw error
  }
}

function unitsOf(names: readonly string[]): string[][] {
  const units = UNITS.map((unit) => unit.filter((name) => names.includes(name))).filter(
    (unit) => unit.length > 0,
  )
  const single = names.filter((name) => !UNITS.some((unit) => unit.includes(name)))
  return [...units, ...single.map((name) => [name])]
}

const MOMENTS: readonly string[] = ['start_date', 'end_date', 'date', 'date_utc']

function comparable(fields: Fields, name: string, value: unknown, zone: string, now: number): string {
  const kind = fields[name]?.kind
  const isLinks = kind?.input === 'links'
  if (isLinks && (name === 'categories' || name === 'tags'))
    return JSON.stringify(termEntries(value)?.map(String).toSorted() ?? value)
  if (isLinks) return JSON.stringify(linkEntries(value) ?? value)
  if (name === 'cost') return JSON.stringify(parseCost(value) ?? value)
  const read = kind?.read(value)
  if (read === undefined) return JSON.stringify(value) ?? ''
  if (MOMENTS.includes(name)) return comparableTime(String(read), zone, now)
  const settled: unknown = kind?.toColumn ? kind.toColumn(read) : read
  const input = fields[name]?.input || kind?.input
  return typeof settled === 'string' ? asSentBack(input, settled) : (JSON.stringify(settled) ?? '')
}

function comparableTime(text: string, zone: string, now: number): string {
  const moment = readMoment(text, zone, now)
  if (!moment) return text
  const isTwice =
    moment.utc !== undefined && lastWallToUtc(moment.wall, zone) !== wallToUtc(moment.wall, zone)
  return isTwice ? `${moment.wall} ${moment.utc}` : moment.wall
}
