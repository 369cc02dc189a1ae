import { randomUUID } from 'node:crypto'
import { invalidParam, Problem } from '../../base/problems.ts'
import { splitRecurrence } from '../../base/recurrence/change-recurrence.ts'
import { foldedText } from '../../base/text/long-texts.ts'
import { dayOf, formatUtc } from '../../base/text/moments.ts'
import { nextRecordId, nextRecordIds } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow, Taxonomy } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type EventValues, type PreparedEvent, settleChange } from '../events/event-rules.ts'
import { findTermsOfEvents, type LinkIds, moveOccurrences, saveEvents } from '../events/event-store.ts'
import { ownFields } from '../events/recurrence-present.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { findTermsByIds, TAXONOMIES, TERM_LISTS } from '../terms/term-store.ts'
import {
  compareDates,
  type Dated,
  FOR_EVER,
  movedWall,
  newDates,
  type Rescheduled,
  refused,
  type Schedule,
  scheduleOf,
  startsOf,
  TIMES,
  type When,
  type Written,
  whenAt,
} from './series-schedule.ts'
import {
  findOccurrences,
  findSeries,
  holdSeries,
  insertSeries,
  readShared,
  type Shared,
  sharedNames,
  updateSeries,
} from './series-store.ts'
import {
  type Changed,
  modifiedNow,
  occurrenceRows,
  requireRoom,
  touch,
  trashed,
  withSlugs,
} from './series-writes.ts'

interface HeldSeries {
  series: SeriesRow
  rows: EventRow[]
}

export const isLive = ({ status }: Pick<EventRow, 'status'>) => status !== 'trash'

/** Locks a series and reads its occurrences. @throws Problem series-was-changed if it has another version */
export async function getHeldSeries(tx: Tx, id: number, version: number): Promise<HeldSeries> {
  const series = await holdSeries(tx, id)
  if (series?.version !== version) throw new Problem('series-was-changed')
  return { series, rows: await findOccurrences(tx, id) }
}

export interface AskedChange {
  prepared: PreparedEvent
  recurrence: unknown
  /** True if occurrences stay on their days: if the start's day changes, dates are added and dropped. */
  keepsDays?: boolean
  /** True if the addressed occurrence takes sent fields, except times, even where the series differs. */
  takesSent?: boolean
}

/**
 * Changes a series and all its occurrences, which keep fields in which they differ from the series. A sent
 * status `trash` is applied last. Returns the ids of created venues and organizers.
 * @throws Problem rest_forbidden unless the caller may edit every occurrence outside the trash
 */
export async function changeAll(
  tx: Tx,
  held: HeldSeries,
  addressed: EventRow,
  asked: AskedChange,
  context: Context,
): Promise<ReadonlySet<number>> {
  const { status, ...others } = asked.prepared.values
  if (status !== 'trash') return changeEach(tx, held, addressed, asked, context)
  const prepared = { ...asked.prepared, values: others }
  const made = await changeEach(tx, held, addressed, { ...asked, prepared }, context)
  const series = await findSeries(tx, held.series.id)
  const rows = await findOccurrences(tx, held.series.id)
  if (series && isLive(series)) await removeAll(tx, { series, rows }, context)
  return made
}

const changeEach: typeof changeAll = async (tx, held, addressed, asked, context) => {
  const { series } = held
  const rows = asked.takesSent
    ? held.rows.map((row) => (row.id === addressed.id ? takingSent(row, asked) : row))
    : held.rows
  const live = rows.filter(isLive)
  if (!live.every((row) => mayEdit(context.caller, row))) throw new Problem('rest_forbidden')
  const shared = readShared(series)
  const like = alike(addressed, series)
  const settled = await settleChange(tx, like, withoutSlug(asked.prepared), context)
  const sent = settled.links.terms && { before: shared.terms, after: settled.links.terms }
  const terms = sent && (await settleSeriesTerms(tx, rows, asked.prepared.values, sent))
  const links: LinkIds = { ...settled.links, terms: terms?.shared }
  const changed = changedColumns(like, settled.values)
  const kept: Shared = {
    ...shared,
    ...changed,
    ...Object.fromEntries(Object.entries(links).filter(([, ids]) => ids !== undefined)),
  }
  const before = scheduleOf(series)
  const when = { ...like, ...settled.values }
  const moved = newDates(before, addressed, when, asked.recurrence)
  const schedule = moved?.schedule ?? before
  const isRevived = series.status === 'trash' && changed.status !== undefined
  const isMoved = schedule !== before || isRevived
  const dates = isMoved ? datesOf(schedule, context, live.length) : undefined
  const isTrashed = series.status === 'trash' && !isRevived
  const starts = isTrashed ? [] : (dates?.starts ?? live.map((row) => row.recurrence_id))
  const ofDay = (wall: string) => movedWall(wall, onDayOf(before, schedule).start, schedule.start)
  const plan = compareDates(rows, asked.keepsDays ? ofDay : (moved?.place ?? ((wall) => wall)), starts)
  const count = plan.kept.length + plan.made.length
  requireRoom({ row: kept, links: kept, count }, asked.prepared, context, {
    row: shared,
    links: shared,
    count: live.length,
  })
  const after = await updateSeries(tx, series, {
    ...seriesColumns(series, kept, schedule, context),
    ...(isTrashed ? { status: 'trash' } : {}),
    ...(dates ? { written_until: dates.until } : {}),
  })
  const sender = asked.takesSent ? senderOf(addressed, settled.values, when) : undefined
  const same = { changed, kept, schedule: isMoved ? schedule : undefined, sender }
  const changes = await rowChanges(tx, after, plan, same, context)
  const stored = new Map(held.rows.map((row) => [row.id, row]))
  const linksOf = (row: EventRow): LinkIds => {
    if (!takesChanges(context, row)) return {}
    const own = new Set(ownFields(row))
    const isOwn = own.has('categories') || own.has('tags')
    return {
      venues: own.has('venue') ? undefined : links.venues,
      organizers: own.has('organizer') ? undefined : links.organizers,
      terms: terms?.mixed.get(row.id) ?? (isOwn ? undefined : links.terms),
    }
  }
  await saveEvents(
    tx,
    changes.map(({ before: row, values }) => {
      return { before: stored.get(row.id) ?? row, values, links: linksOf(row) }
    }),
  )
  await addDates(tx, after, { ...like, ...changed }, schedule, plan.made, kept)
  return settled.made
}

function takingSent(row: EventRow, { prepared }: AskedChange): EventRow {
  const times: readonly string[] = TIMES
  const own = ownFields(row).filter((name) => times.includes(name) || !(name in prepared.values))
  return { ...row, own: own.join(',') }
}

function senderOf(addressed: EventRow, sent: Partial<EventRow>, when: EventRow): SendingDate {
  const names = sharedNames(addressed).filter(
    (name) => name in sent && (name !== 'status' || isLive(addressed)),
  )
  const { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day } = when
  return {
    id: addressed.id,
    columns: Object.fromEntries(names.map((name) => [name, sent[name]])),
    when: { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day },
  }
}

function onDayOf(schedule: Schedule, { start: { local } }: Schedule): Schedule {
  const { start } = schedule
  return { ...schedule, start: { ...start, local: `${dayOf(local)}${start.local.slice(10)}` } }
}

/** `known` is how many dates are written already. @throws Problem when the exceptions leave no date */
function datesOf(schedule: Schedule, { now, site }: Context, known: number): Written {
  const dates = startsOf(schedule, now, site.seriesMonths, known)
  if (dates.starts.length === 0) throw refused({ part: 'EXDATE', message: 'The exceptions leave no date.' })
  return dates
}

const takesChanges = ({ caller }: Context, row: EventRow) => isLive(row) || mayEdit(caller, row)

function alike(addressed: EventRow, series: SeriesRow): EventRow {
  const { venues: _venues, organizers: _organizers, terms: _terms, ...columns } = readShared(series)
  return { ...addressed, ...columns, status: isLive(series) ? columns.status : 'trash' }
}

/** The change without a slug, since each occurrence keeps its own. */
function withoutSlug(prepared: PreparedEvent): PreparedEvent {
  const { slug: _slug, ...values } = prepared.values
  return { ...prepared, values }
}

function changedColumns(like: EventRow, columns: Partial<EventRow>): Partial<EventRow> {
  const names = sharedNames(like).filter((name) => name in columns && columns[name] !== like[name])
  return Object.fromEntries(names.map((name) => [name, columns[name]]))
}

function seriesColumns(
  series: SeriesRow,
  kept: Shared,
  schedule: Schedule,
  { now }: Context,
): Partial<SeriesRow> {
  const { start, duration, recurrence } = schedule
  return {
    author: kept.author,
    status: kept.status,
    title: kept.title,
    timezone: start.zone,
    all_day: Number(start.allDay),
    start_date: start.local,
    duration,
    rules: JSON.stringify(recurrence),
    shared: JSON.stringify(kept),
    modified_utc: formatUtc(now),
    slug: series.slug,
  }
}

interface SendingDate {
  id: number
  columns: Partial<EventRow>
  when: When
}

interface SameForAll {
  sender: SendingDate | undefined
  changed: Partial<EventRow>
  kept: Shared
  schedule: Schedule | undefined
}

async function rowChanges(
  tx: Tx,
  series: SeriesRow,
  { kept, gone, away }: Rescheduled,
  same: SameForAll,
  context: Context,
): Promise<Changed[]> {
  const { caller } = context
  if (!gone.every(({ row }) => mayDelete(caller, row)) || !kept.every(({ row }) => mayEdit(caller, row)))
    throw new Problem('rest_forbidden')
  const { status: _status, ...others } = same.changed
  const changedOf = ({ row, start }: Dated, changed: Partial<EventRow>) => ({
    before: row,
    values: columnsOf(row, start, { ...same, changed: takesChanges(context, row) ? changed : {} }, context),
    links: {},
  })
  const stay = kept.map((dated) => withStatus(changedOf(dated, same.changed), same.kept))
  const going = await trashed(
    tx,
    gone.map(({ row }) => row),
    context,
  )
  const gonePlaces = new Map(gone.map((dated) => [dated.row.id, changedOf(dated, others).values]))
  const leave = going.map(({ before, values, links }) => ({
    before,
    values: { ...gonePlaces.get(before.id), ...values },
    links,
  }))
  return [...(await withSlugs(tx, series, stay)), ...leave, ...away.map((dated) => changedOf(dated, others))]
}

function withStatus(change: Changed, { status }: Shared): Changed {
  const { before, values } = change
  if (isLive(before)) return change
  const own = ownFields({ ...before, ...values }).filter((name) => name !== 'status')
  return { ...change, values: { ...values, status, own: own.join(',') } }
}

const TEXTS = ['title', 'excerpt', 'description'] as const

function columnsOf(row: EventRow, start: string, same: SameForAll, context: Context): Partial<EventRow> {
  const { kept, schedule } = same
  const sender = same.sender?.id === row.id ? same.sender : undefined
  const own = new Set(ownFields(row))
  const changed = Object.entries({ ...same.changed, ...sender?.columns }).filter(([name]) => !own.has(name))
  const columns: Partial<EventRow> = { ...Object.fromEntries(changed), ...modifiedNow(context) }
  if (TEXTS.some((name) => own.has(name))) {
    const texts = { ...row, ...columns }
    columns.search = TEXTS.map((name) => foldedText(texts[name])).join('\n')
    columns.trusted = Math.min(row.trusted, kept.trusted)
  }
  if (!schedule) return sender ? { ...columns, own: row.own } : columns
  const common = whenAt(schedule, start, row)
  if (!TIMES.some((name) => own.has(name)))
    return { ...columns, ...common, own: row.own, recurrence_id: start }
  if (!sender || TIMES.every((name) => sender.when[name] === row[name]))
    return { ...columns, own: row.own, recurrence_id: start }
  const others = [...own].filter((name) => !(name in sender.when))
  const names = [...others, ...TIMES.filter((name) => sender.when[name] !== common[name])].sort()
  return { ...columns, ...sender.when, own: names.join(','), recurrence_id: start }
}

export async function addDates(
  tx: Tx,
  series: SeriesRow,
  like: EventRow,
  schedule: Schedule,
  starts: readonly string[],
  shared: Shared,
): Promise<EventRow[]> {
  if (starts.length === 0) return []
  const ids = await nextRecordIds(tx, 'event', starts.length)
  const rows = await occurrenceRows(tx, series, like, schedule, starts, ids)
  await saveEvents(
    tx,
    rows.map((values) => ({ values, links: shared })),
  )
  return rows
}

/**
 * Makes the occurrence `at` and later ones, which keep their ids, a new series. If all earlier ones are in
 * the trash, the series stays whole. A sent recurrence counts its dates from `at`.
 * @throws Problem when no rule has the dates from `at` on
 */
export async function splitSeries(
  tx: Tx,
  held: HeldSeries,
  at: EventRow,
  recurrence: unknown,
  context: Context,
): Promise<HeldSeries> {
  const { recurrence_id: start } = at
  const earlier = held.rows.filter((row) => row.recurrence_id < start)
  if (!earlier.some(isLive))
    return recurrence === undefined ? held : { ...held, series: beginningAt(held.series, start) }
  const { before, after } = halves(held.series, start)
  const id = await nextRecordId(tx, 'series')
  const time = { created_utc: formatUtc(context.now), modified_utc: formatUtc(context.now) }
  const begun = {
    ...held.series,
    ...time,
    id,
    uid: randomUUID(),
    start_date: start,
    rules: JSON.stringify(after),
    version: 1,
  }
  await endSeries(tx, held.series, before, earlier, context)
  await insertSeries(tx, begun)
  const rows = held.rows.filter((row) => row.recurrence_id >= start).map((row) => ({ ...row, series: id }))
  await moveOccurrences(tx, rows, id)
  touch(tx, rows)
  return { series: begun, rows }
}

function beginningAt(series: SeriesRow, start: string): SeriesRow {
  const { recurrence } = scheduleOf(series)
  const left = recurrence.left.filter((wall) => wall >= start)
  return { ...series, start_date: start, rules: JSON.stringify({ ...recurrence, left }) }
}

function halves(series: SeriesRow, at: string) {
  const { recurrence, start } = scheduleOf(series)
  const split = splitRecurrence(recurrence, start, at)
  if (!split) throw invalidParam('recurrence_scope')
  return split
}

async function endSeries(
  tx: Tx,
  series: SeriesRow,
  recurrence: Schedule['recurrence'],
  rows: readonly EventRow[],
  { now }: Context,
): Promise<void> {
  touch(tx, rows.filter(isLive))
  const rules = JSON.stringify(recurrence)
  await updateSeries(tx, series, { rules, written_until: FOR_EVER, modified_utc: formatUtc(now) })
}

async function moveToTrash(
  tx: Tx,
  series: SeriesRow,
  going: readonly EventRow[],
  context: Context,
): Promise<void> {
  const shared = readShared(series)
  const dates = { row: shared, links: shared, count: going.length }
  requireRoom(dates, series, context, dates)
  await saveEvents(tx, await trashed(tx, going, context))
}

export async function removeAll(
  tx: Tx,
  { series, rows }: HeldSeries,
  context: Context,
  but?: number,
): Promise<void> {
  const going = rows.filter((row) => isLive(row) && row.id !== but)
  if (!going.every((row) => mayDelete(context.caller, row))) throw new Problem('rest_forbidden')
  await moveToTrash(tx, series, going, context)
  // The occurrence that stays as a single event may have the series' UID, so the series gets another.
  const uid = but === undefined ? {} : { uid: randomUUID() }
  await updateSeries(tx, series, { ...uid, status: 'trash', modified_utc: formatUtc(context.now) })
}

export async function removeFollowing(
  tx: Tx,
  held: HeldSeries,
  at: EventRow,
  context: Context,
): Promise<void> {
  const { series, rows } = held
  const earlier = rows.filter((row) => row.recurrence_id < at.recurrence_id)
  if (!earlier.some(isLive)) return removeAll(tx, held, context)
  const going = rows.filter((row) => isLive(row) && row.recurrence_id >= at.recurrence_id)
  if (!going.every((row) => mayDelete(context.caller, row))) throw new Problem('rest_forbidden')
  await moveToTrash(tx, series, going, context)
  await endSeries(tx, series, halves(series, at.recurrence_id).before, earlier, context)
}

interface SeriesTerms {
  shared: readonly number[]
  mixed: ReadonlyMap<number, readonly number[]>
}

/**
 * Terms of a series after a change, and those of occurrences that differ in one taxonomy. An unsent taxonomy
 * keeps its terms.
 */
async function settleSeriesTerms(
  tx: Tx,
  rows: readonly EventRow[],
  values: Pick<EventValues, 'categories' | 'tags'>,
  { before, after }: Record<'before' | 'after', readonly number[]>,
): Promise<SeriesTerms> {
  const mixedRows = rows.filter((row) => ownTaxonomies(row).length === 1)
  const had = await findTermsOfEvents(
    tx,
    mixedRows.map(({ id }) => id),
  )
  const terms = await findTermsByIds(tx, [...new Set([before, after, ...had.values()].flat())])
  const taxonomies = new Map(terms.map(({ id, taxonomy }) => [id, taxonomy]))
  const only = (ids: readonly number[], taxonomy: Taxonomy) =>
    ids.filter((id) => taxonomies.get(id) === taxonomy)
  const shared = TAXONOMIES.flatMap((each) =>
    only(values[TERM_LISTS[each]] === undefined ? before : after, each),
  )
  const mixed = mixedRows.map((row) => {
    const own = ownTaxonomies(row)
    const ids = TAXONOMIES.flatMap((each) =>
      only(own.includes(each) ? (had.get(row.id) ?? []) : shared, each),
    )
    return [row.id, ids] as const
  })
  return { shared, mixed: new Map(mixed) }
}

function ownTaxonomies(row: EventRow): Taxonomy[] {
  const own = ownFields(row)
  return TAXONOMIES.filter((each) => own.includes(TERM_LISTS[each]))
}
