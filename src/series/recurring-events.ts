import type { Context } from '../context/context.ts'
import type { AskedUpdate, Operations, WriteResult, WriteSteps } from '../declare/operations.ts'
import type { LoadedEvent } from '../events/event-filter.ts'
import {
  changeEvent,
  createEvent,
  type EventValues,
  type LookAtWritten,
  type PreparedEvent,
  settleTimes,
} from '../events/event-rules.ts'
import { findEvent, type KnownLinks, updateEvent } from '../events/event-store.ts'
import { eventOperations, getHeld, prepareChange, prepareNew, readBack, readTrashed } from '../events/events.ts'
import type { RecurrenceScope } from '../fields/recurrence-kinds.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { invalidParam, Problem } from '../problems.ts'
import { nextRecordId } from '../records/record-store.ts'
import { ruleText } from '../recurrence/write-recurrence.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { beginSeries, changeOccurrence, leaveOut } from './change-occurrence.ts'
import { changeAll, getHeldSeries, isLive, removeAll, removeFollowing, splitSeries } from './change-series.ts'
import { createSeries, type Planned } from './create-series.ts'
import { isNone, readSchedule, scheduleOf, startsOf } from './series-schedule.ts'
import { findSeries, holdSeries } from './series-store.ts'

/** A new event, and its dates if it repeats. */
interface PreparedNew {
  event: PreparedEvent
  planned: Planned | undefined
}

/** Without a recurrence it is a single event; with one, a series, whose first occurrence answers. */
const create: WriteSteps<EventValues, PreparedNew> = {
  prepare: async (context, values) => {
    const planned = plan(values, context)
    return { event: await prepareNew(context, values), planned }
  },
  write: (tx, { event, planned }, context) =>
    planned
      ? createSeries(tx, event, planned, context, readBack(context))
      : createEvent(tx, event, context, readBack(context)),
}

/** @throws Problem naming the faults of the recurrence */
function plan(values: EventValues, context: Context): Planned | undefined {
  if (values.recurrence === undefined) return undefined
  const schedule = readSchedule(values.recurrence, settleTimes(values, undefined, context))
  return schedule && { schedule, ...startsOf(schedule, context.now, context.site.seriesMonths) }
}

/** A change of an event that repeats, before or after the change. */
interface PreparedUpdate {
  event: PreparedEvent & { id: number }
  /** The series it belonged to when it was read. */
  series: SeriesRow | undefined
  scope: RecurrenceScope
  /** The recurrence that was sent, if it differs from the present one. */
  recurrence: unknown
}

const update: WriteSteps<AskedUpdate<EventRow>, PreparedUpdate> = {
  prepare: async (context, { row, values }) => {
    const { recurrence, recurrence_scope: scope = 'this', ...others }: EventValues = values
    const series = row.series === null ? undefined : await findSeries(context.db, row.series)
    const asked = otherThan(series, recurrence)
    if (series && scope === 'this' && asked !== undefined) throw invalidParam('recurrence_scope')
    return { event: await prepareChange(context, { row, values: others }), series, scope, recurrence: asked }
  },
  write: (tx, prepared, context) => (prepared.series ? updateOfSeries : updateSingle)(tx, prepared, context),
}

/** The recurrence that was sent; undefined for none on a single event, and for the present one as answers show it. */
export function otherThan(series: SeriesRow | undefined, recurrence: EventValues['recurrence']): unknown {
  if (recurrence === undefined || (!series && isNone(recurrence))) return undefined
  if (typeof recurrence !== 'object' || !('series' in recurrence)) return recurrence
  const { rrule } = { rrule: '', ...recurrence }
  const schedule = series && scheduleOf(series)
  const known = schedule?.recurrence.rule ? ruleText(schedule.recurrence.rule, schedule.start) : ''
  return rrule === known ? undefined : `RRULE:${rrule}`
}

async function updateSingle(tx: Tx, { event, recurrence }: PreparedUpdate, context: Context): Promise<WriteResult> {
  const held = await getHeld(tx, event.id, context, mayEdit)
  if (held.series !== null) throw new Problem('series-was-changed')
  if (recurrence === undefined) return changeEvent(tx, held, event, context, readBack(context))
  return beginSeries(tx, held, event, recurrence, await nextRecordId(tx, 'series'), context, readBack(context))
}

/** Every writer locks the series before its occurrences, so that none deadlock. */
async function updateOfSeries(tx: Tx, prepared: PreparedUpdate, context: Context): Promise<WriteResult> {
  const { event, series, scope, recurrence } = prepared
  if (scope === 'this') return updateThis(tx, prepared, context)
  const held = await getHeldSeries(tx, series?.id ?? 0, series?.version ?? 0)
  const row = await getHeld(tx, event.id, context, mayEdit)
  if (row.status === 'trash' && held.series.status !== 'trash') throw new Problem('event-is-in-trash')
  if (isNone(recurrence)) return becomeSingle(tx, held, row, prepared, context)
  const part = scope === 'following' ? await splitSeries(tx, held, row, recurrence, context) : held
  const addressed = { ...row, series: part.series.id }
  return changeAll(tx, part, addressed, { prepared: event, recurrence, takesSent: true }, context, readWritten(context))
}

/** Shows an occurrence after a write, in the trash or not. */
export function readWritten(context: Context): LookAtWritten {
  return async (tx, { id }, links) => {
    const row = await findEvent(tx, id)
    if (!row) throw new Problem('series-was-changed')
    return (isLive(row) ? readBack : readTrashed)(context)(tx, row, links)
  }
}

async function updateThis(tx: Tx, { event, series }: PreparedUpdate, context: Context): Promise<WriteResult> {
  const held = await holdSeries(tx, series?.id ?? 0)
  const row = await getHeld(tx, event.id, context, mayEdit)
  if (!held || row.series !== held.id) throw new Problem('series-was-changed')
  return changeOccurrence(tx, held, row, event, context, readBack(context))
}

/** An occurrence that stops repeating stays as a single event; the others of the scope go to the trash. */
export async function becomeSingle(
  tx: Tx,
  held: Awaited<ReturnType<typeof getHeldSeries>>,
  row: EventRow,
  { event, scope }: Pick<PreparedUpdate, 'event' | 'scope'>,
  context: Context,
): Promise<WriteResult> {
  const part = scope === 'following' ? await splitSeries(tx, held, row, undefined, context) : held
  await removeAll(tx, part, context, row.id)
  const single = { series: null, recurrence_id: '', own: '' }
  await updateEvent(tx, row, single, UNCHANGED)
  return changeEvent(tx, { ...row, ...single }, event, context, readBack(context))
}

const UNCHANGED: KnownLinks = { venues: undefined, organizers: undefined, terms: undefined, made: new Set() }

interface PreparedRemoval {
  row: EventRow
  series: SeriesRow | undefined
  scope: RecurrenceScope
}

const remove: WriteSteps<AskedUpdate<EventRow>, PreparedRemoval> = {
  prepare: async (context, { row, values }) => {
    const { recurrence_scope: scope = 'this' }: EventValues = values
    return { row, scope, series: row.series === null ? undefined : await findSeries(context.db, row.series) }
  },
  write: async (tx, { row, series, scope }, context) => {
    if (!series) return eventOperations.remove.write(tx, row, context)
    if (scope === 'this') return removeThis(tx, row, series, context)
    const held = await getHeldSeries(tx, series.id, series.version)
    const current = await getHeld(tx, row.id, context, mayDelete)
    if (current.status === 'trash') throw new Problem('event-is-in-trash')
    await (scope === 'all' ? removeAll(tx, held, context) : removeFollowing(tx, held, current, context))
    return readTrashed(context)(tx, (await findEvent(tx, row.id)) ?? current, UNCHANGED)
  },
}

async function removeThis(tx: Tx, row: EventRow, series: SeriesRow, context: Context): Promise<WriteResult> {
  const held = await holdSeries(tx, series.id)
  const removed = await eventOperations.remove.write(tx, row, context)
  const after = await findEvent(tx, row.id)
  if (held && after?.series === held.id) await leaveOut(tx, held, after, context)
  return removed
}

/** The operations on events, single or repeating. */
export const recurringEventOperations: Operations<EventRow, LoadedEvent> = {
  ...eventOperations,
  create,
  update,
  remove: {
    prepare: (context, row) => remove.prepare(context, { row, values: {} }),
    write: remove.write,
  },
  removeWith: remove,
}
