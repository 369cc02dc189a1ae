import type { RecurrenceScope } from '../../base/fields/event-fields.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { isFault, occurrenceStarts, type Recurrence } from '../../base/recurrence/recurrence.ts'
import { readRecurrence, recurrenceLines, ruleText } from '../../base/recurrence/recurrence-text.ts'
import { renderTitle } from '../../base/text/html.ts'
import { renderedText } from '../../base/text/long-texts.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { slugify } from '../../base/text/slugs.ts'
import { nextRecordId } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow, Taxonomy, TermRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, Operations, WriteResult, WriteSteps } from '../declare/operations.ts'
import { linksOfEvent } from '../events/event-bytes.ts'
import type { LoadedEvent } from '../events/event-filters.ts'
import {
  changeEvent,
  type EventValues,
  type PreparedEvent,
  type SettledEvent,
  settleChange,
  settleTimes,
} from '../events/event-rules.ts'
import { type EventLinks, findEvent, type LinkIds, savedRow, saveEvents } from '../events/event-store.ts'
import {
  createAll,
  createEvent,
  eventOperations,
  getHeld,
  mayShare,
  prepareChange,
  prepareNew,
  readBack,
  readTrashed,
} from '../events/events.ts'
import { ownFields } from '../events/recurrence-present.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import {
  addDates,
  changeAll,
  getHeldSeries,
  isLive,
  removeAll,
  removeFollowing,
  splitSeries,
} from './change-series.ts'
import { FOR_EVER, isNone, readSchedule, scheduleOf, startsOf, TIMES, whenAt } from './series-schedule.ts'
import {
  findOccurrences,
  findSeries,
  holdSeries,
  insertSeries,
  readShared,
  type Shared,
  sharedOf,
  updateSeries,
} from './series-store.ts'
import { createSeries, newSeries, type Planned, requireRoom } from './series-writes.ts'

interface PreparedNew {
  event: PreparedEvent
  planned: Planned | undefined
}

const create: WriteSteps<EventValues, PreparedNew> = {
  prepare: async (context, values) => {
    const planned = plan(values, context)
    return { event: await prepareNew(context, values), planned }
  },
  write: async (tx, { event, planned }, context) =>
    planned
      ? readBack(tx, await createSeries(tx, event, planned, context), context)
      : createEvent(tx, event, context),
  mayShare: (values) => values.recurrence === undefined && mayShare(values),
  writeAll: (tx, asked) =>
    createAll(
      tx,
      asked.map(({ item: { prepared, context }, by }) => ({ prepared: prepared.event, context, by })),
    ),
}

function plan(values: EventValues, context: Context): Planned | undefined {
  if (values.recurrence === undefined) return undefined
  const schedule = readSchedule(values.recurrence, settleTimes(values, undefined, context))
  return schedule && { schedule, ...startsOf(schedule, context.now, context.site.seriesMonths) }
}

interface PreparedUpdate {
  event: PreparedEvent & { id: number }
  /** Read before the transaction; its version shows whether somebody has changed it since. */
  series: SeriesRow | undefined
  scope: RecurrenceScope
  recurrence: unknown
}

const update: WriteSteps<AskedUpdate<EventRow>, PreparedUpdate> = {
  prepare: async (context, { row, values }) => {
    const { recurrence, recurrence_scope: scope = 'this', ...others }: EventValues = values
    const series = row.series === null ? undefined : await findSeries(context.db, row.series)
    const other = otherThan(series, recurrence)
    const asked =
      series && scope === 'this' && other !== undefined && saysSame(series, other) ? undefined : other
    if (series && scope === 'this' && asked !== undefined) throw invalidParam('recurrence_scope')
    return { event: await prepareChange(context, { row, values: others }), series, scope, recurrence: asked }
  },
  write: (tx, prepared, context) => (prepared.series ? updateOfSeries : updateSingle)(tx, prepared, context),
}

export function otherThan(series: SeriesRow | undefined, recurrence: EventValues['recurrence']): unknown {
  if (recurrence === undefined || (!series && isNone(recurrence))) return undefined
  if (typeof recurrence !== 'object' || !('series' in recurrence)) return recurrence
  const schedule = series && scheduleOf(series)
  const known = schedule?.recurrence.rule ? ruleText(schedule.recurrence.rule, schedule.start) : ''
  const { rrule } = { rrule: known, ...recurrence }
  return rrule === known ? undefined : `RRULE:${rrule}`
}

function saysSame(series: SeriesRow, recurrence: unknown): boolean {
  const { recurrence: known, start } = scheduleOf(series)
  const read = readRecurrence(recurrence, start)
  if (!read || isFault(read)) return false
  const left = read.left.length > 0 ? read.left : known.left
  return recurrenceLines({ ...read, left }, start).join() === recurrenceLines(known, start).join()
}

async function updateSingle(
  tx: Tx,
  { event, recurrence }: PreparedUpdate,
  context: Context,
): Promise<WriteResult> {
  const held = await getHeld(tx, event.id, context, mayEdit)
  if (held.series !== null) throw new Problem('series-was-changed')
  const changed =
    recurrence === undefined
      ? await changeEvent(tx, held, event, context)
      : await beginSeries(tx, held, event, recurrence, context)
  return readBack(tx, changed, context)
}

/** Every writer locks the series before its occurrences, so that no two wait for each other. */
async function updateOfSeries(tx: Tx, prepared: PreparedUpdate, context: Context): Promise<WriteResult> {
  const { event, series, scope, recurrence } = prepared
  if (scope === 'this') return updateThis(tx, prepared, context)
  const held = await getHeldSeries(tx, series?.id ?? 0, series?.version ?? 0)
  const row = await getHeld(tx, event.id, context, mayEdit)
  if (row.status === 'trash' && held.series.status !== 'trash') throw new Problem('event-is-in-trash')
  if (isNone(recurrence)) return becomeSingle(tx, held, row, prepared, context)
  const part = scope === 'following' ? await splitSeries(tx, held, row, recurrence, context) : held
  const addressed = { ...row, series: part.series.id }
  const made = await changeAll(tx, part, addressed, { prepared: event, recurrence, takesSent: true }, context)
  return readWritten(tx, row.id, made, context)
}

/** The answer to a change: the event, even if trashed. @throws Problem series-was-changed when it is gone */
export async function readWritten(
  tx: Tx,
  id: number,
  made: ReadonlySet<number>,
  context: Context,
): Promise<WriteResult> {
  const row = await findEvent(tx, id)
  if (!row) throw new Problem('series-was-changed')
  return (isLive(row) ? readBack : readTrashed)(tx, { values: row, links: {}, made }, context)
}

async function updateThis(tx: Tx, { event, series }: PreparedUpdate, context: Context): Promise<WriteResult> {
  const held = await holdSeries(tx, series?.id ?? 0)
  const row = await getHeld(tx, event.id, context, mayEdit)
  if (!held || row.series !== held.id) throw new Problem('series-was-changed')
  return readBack(tx, await changeOccurrence(tx, held, row, event, context), context)
}

/** Turns an occurrence into a single event; others in the scope go to the trash. */
export async function becomeSingle(
  tx: Tx,
  held: Awaited<ReturnType<typeof getHeldSeries>>,
  row: EventRow,
  { event, scope }: Pick<PreparedUpdate, 'event' | 'scope'>,
  context: Context,
): Promise<WriteResult> {
  const part = scope === 'following' ? await splitSeries(tx, held, row, undefined, context) : held
  await removeAll(tx, part, context, row.id)
  const values = { series: null, recurrence_id: '', own: '' }
  await saveEvents(tx, [{ before: row, values, links: {} }])
  return readBack(tx, await changeEvent(tx, { ...row, ...values }, event, context), context)
}

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
    const values = (await findEvent(tx, row.id)) ?? current
    return readTrashed(tx, { values, links: {}, made: new Set() }, context)
  },
}

async function removeThis(tx: Tx, row: EventRow, series: SeriesRow, context: Context): Promise<WriteResult> {
  const held = await holdSeries(tx, series.id)
  const removed = await eventOperations.remove.write(tx, row, context)
  const after = await findEvent(tx, row.id)
  if (held && after?.series === held.id) await leaveOut(tx, held, after, context)
  return removed
}

export const recurringEventOperations: Operations<EventRow, LoadedEvent> = {
  ...eventOperations,
  create,
  update,
  remove: { prepare: (context, row) => remove.prepare(context, { row, values: {} }), write: remove.write },
  removeWith: remove,
}

async function changeOccurrence(
  tx: Tx,
  series: SeriesRow,
  before: EventRow,
  prepared: PreparedEvent,
  context: Context,
): Promise<SettledEvent> {
  const [had, terms] = await Promise.all([
    linksOfEvent(tx, before),
    findTermsByIds(tx, readShared(series).terms),
  ])
  const settled = await settleChange(tx, before, prepared, context)
  const row = savedRow(settled)
  const has = await linksOfEvent(tx, row, settled.links)
  const isBack = before.status === 'trash' && row.status !== 'trash'
  const kept = isBack ? await restoreDate(tx, series, row, context) : series
  const sent = Object.keys(prepared.values)
  const names = [ownColumns(kept, before, row, sent), ownLinks(readShared(kept), terms, sent, { had, has })]
  const changed = { ...settled, values: { ...settled.values, own: ownNames(before, names.flat()) } }
  await saveEvents(tx, [changed])
  if (before.status !== 'trash' && row.status === 'trash') await leaveOut(tx, series, row, context)
  return changed
}

/** `isOwn` is true if an occurrence differs from its series in the field; undefined leaves that unchanged. */
interface Noted {
  name: string
  isOwn: boolean | undefined
}

function ownNames(before: EventRow, noted: readonly Noted[]): string {
  const own = new Set(ownFields(before))
  for (const { name, isOwn } of noted) {
    if (isOwn === true) own.add(name)
    if (isOwn === false) own.delete(name)
  }
  return [...own].sort().join(',')
}

/** Notes in which sent columns an occurrence differs from its series. With one time, all count as sent. */
function ownColumns(series: SeriesRow, before: EventRow, after: EventRow, sent: readonly string[]): Noted[] {
  const common: Partial<EventRow> = {
    ...readShared(series),
    ...whenAt(scheduleOf(series), before.recurrence_id, before),
  }
  const times: readonly string[] = TIMES.some((name) => sent.includes(name)) ? TIMES : []
  const names = [...new Set([...sent, ...times])].filter((name) => name !== 'slug' && name in common)
  return names.map((name) => {
    const column = name as keyof EventRow
    if (after[column] === common[column]) return { name, isOwn: false }
    if (name === 'status' && after.status === 'trash') return { name, isOwn: undefined }
    const isBack = name === 'status' && before.status === 'trash'
    const isNew = isBack || times.includes(name) || !looksAlike(before, after, column)
    return { name, isOwn: isNew ? true : undefined }
  })
}

/** True if a column has the same value, or renders alike, since clients send back what they have read. */
function looksAlike(before: EventRow, after: EventRow, column: keyof EventRow): boolean {
  if (before[column] === after[column]) return true
  if (column === 'title')
    return renderTitle(before.title, before.trusted === 1) === renderTitle(after.title, after.trusted === 1)
  if (column !== 'description' && column !== 'excerpt') return false
  return (
    renderedText(before[column], before.trusted === 1) === renderedText(after[column], after.trusted === 1)
  )
}

const LINKS = ['venue', 'organizer', 'categories', 'tags'] as const

function ownLinks(
  shared: Shared,
  terms: readonly TermRow[],
  sent: readonly string[],
  { had, has }: Record<'had' | 'has', EventLinks>,
): Noted[] {
  const termsOf = (taxonomy: Taxonomy) =>
    terms.filter((term) => term.taxonomy === taxonomy).map(({ id }) => id)
  const common = {
    venue: shared.venues.join(),
    organizer: shared.organizers.join(),
    categories: inOrder(termsOf('category')),
    tags: inOrder(termsOf('tag')),
  }
  return LINKS.filter((name) => sent.includes(name)).map((name) => {
    const is = linkIds(has, name)
    if (is === common[name]) return { name, isOwn: false }
    return { name, isOwn: is === linkIds(had, name) ? undefined : true }
  })
}

function linkIds(links: EventLinks, name: (typeof LINKS)[number]): string {
  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
  if (name === 'venue') return ids(links.venues).join()
  if (name === 'organizer') return ids(links.organizers).join()
  return inOrder(ids(links[name]))
}

const inOrder = (ids: readonly number[]) => [...ids].sort((a, b) => a - b).join()

/**
 * Takes the date of an occurrence that leaves the trash back into the series. In a trashed series, it becomes
 * the only date.
 */
async function restoreDate(tx: Tx, series: SeriesRow, row: EventRow, { now }: Context): Promise<SeriesRow> {
  const modified_utc = formatUtc(now)
  if (series.status === 'trash') return updateSeries(tx, series, { ...onlyDate(series, row), modified_utc })
  const { recurrence, start } = scheduleOf(series)
  const at = row.recurrence_id
  const without: Recurrence = { ...recurrence, left: recurrence.left.filter((wall) => wall !== at) }
  const isThere = occurrenceStarts(without, start, at, MORE_THAN_ANY).includes(at)
  const rules = isThere ? without : { ...without, added: [...without.added, at].sort() }
  return updateSeries(tx, series, { rules: JSON.stringify(rules), modified_utc })
}

function onlyDate(series: SeriesRow, { status, recurrence_id }: EventRow): Partial<SeriesRow> {
  const rules: Recurrence = { added: [], left: [] }
  const shared: Shared = { ...readShared(series), status }
  return {
    status,
    start_date: recurrence_id,
    rules: JSON.stringify(rules),
    shared: JSON.stringify(shared),
    written_until: FOR_EVER,
  }
}

/** More dates than any series has before one of its occurrences. */
const MORE_THAN_ANY = 100_000

async function leaveOut(tx: Tx, series: SeriesRow, row: EventRow, { now }: Context): Promise<void> {
  const { recurrence } = scheduleOf(series)
  const left = [...new Set([...recurrence.left, row.recurrence_id])].sort()
  const others = await findOccurrences(tx, series.id)
  const isEmpty = others.every(({ id, status }) => id === row.id || status === 'trash')
  const status = isEmpty ? { status: 'trash' } : {}
  const rules = JSON.stringify({ ...recurrence, left })
  await updateSeries(tx, series, { ...status, rules, modified_utc: formatUtc(now) })
}

/** Turns a single event into the first occurrence of a new series; it keeps id and UID. */
async function beginSeries(
  tx: Tx,
  before: EventRow,
  prepared: PreparedEvent,
  recurrence: unknown,
  context: Context,
): Promise<SettledEvent> {
  const id = await nextRecordId(tx, 'series')
  const changed = await settleChange(tx, before, prepared, context)
  const row = savedRow(changed)
  const { schedule, starts, until } = planOf(row, recurrence, context)
  const links = await linkIdsOf(tx, row, changed.links)
  requireRoom({ row, links, count: starts.length }, prepared, context)
  const slug = row.slug || slugify(row.title)
  const series = newSeries(id, row, slug, schedule, until, links, context)
  const [first = row.start_date, ...others] = starts
  const own = { ...whenAt(schedule, first, row), series: series.id, recurrence_id: first, own: '' }
  await insertSeries(tx, series)
  const begun = { ...changed, values: { ...changed.values, ...own } }
  await saveEvents(tx, [begun])
  await addDates(tx, series, row, schedule, others, sharedOf(row, links))
  return begun
}

function planOf(row: EventRow, recurrence: unknown, { now, site }: Context): Planned {
  const schedule = readSchedule(recurrence, row)
  if (!schedule) throw new Error('an event that begins to repeat has a recurrence')
  return { schedule, ...startsOf(schedule, now, site.seriesMonths) }
}

async function linkIdsOf(tx: Tx, row: EventRow, known: LinkIds): Promise<LinkIds> {
  const { venues, organizers, categories, tags } = await linksOfEvent(tx, row, known)
  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
  return { venues: ids(venues), organizers: ids(organizers), terms: [...ids(categories), ...ids(tags)] }
}
