import { randomUUID } from 'node:crypto'
import { limits } from '../../base/fields/limits.ts'
import { dayOf, formatUtc } from '../../base/text/moments.ts'
import { slugify, trashedSlug, untrashedSlug } from '../../base/text/slugs.ts'
import { utcToWall } from '../../base/text/zones.ts'
import { nextRecordId, nextRecordIds } from '../../store/storage/history.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type EventValues, type PreparedEvent, type SettledEvent, settleNew } from '../events/event-rules.ts'
import { type EventWrite, type LinkIds, rowBytes, saveEvents } from '../events/event-store.ts'
import { freeSlugs, givesUpSlug, isUnpublished } from '../records/record-store.ts'
import { refused, type Schedule, type Written, whenAt } from './series-schedule.ts'
import { insertSeries, sharedOf } from './series-store.ts'

export interface Planned extends Written {
  schedule: Schedule
}

/** Creates a series with its occurrences, and returns the first one. */
export async function createSeries(
  tx: Tx,
  prepared: PreparedEvent,
  { schedule, starts, until }: Planned,
  context: Context,
): Promise<SettledEvent> {
  const base = slugify(prepared.values.slug || prepared.values.title || '')
  const [settled] = await settleNew(tx, [
    { prepared: inSeries(prepared, schedule, starts[0] ?? '', base), context },
  ])
  if (!settled) throw new Error('no event was settled')
  const { values: row, links } = settled
  requireRoom({ row, links, count: starts.length }, prepared, context)
  const ids = await nextRecordIds(tx, 'event', starts.length - 1)
  const id = await nextRecordId(tx, 'series')
  const series = newSeries(id, row, base, schedule, until, links, context)
  const [, ...others] = await occurrenceRows(tx, series, row, schedule, starts, [row.id, ...ids])
  const [start = ''] = starts
  const first = { ...settled, values: { ...row, ...whenAt(schedule, start, row), ...placeIn(series, start) } }
  await insertSeries(tx, series)
  await saveEvents(tx, [first, ...others.map((values) => ({ values, links }))])
  return first
}

interface AlikeDates {
  row: Partial<EventRow>
  links: LinkIds
  count: number
}

/**
 * Limits the bytes of a series' dates, with those of the whole batch. Dates that took up more before may
 * stay, but not grow.
 * @throws Problem rest_invalid_param for the recurrence when they take up too many
 */
export function requireRoom(
  { row, links, count }: AlikeDates,
  asked: object,
  { datesWritten }: Context,
  before?: AlikeDates,
): void {
  const most = limits.seriesDates.bytes
  const bytes = count * rowBytes(row, links)
  const others = [...(datesWritten ?? [])].reduce(
    (total, [by, some]) => (by === asked ? total : total + some),
    0,
  )
  const grows = others > 0 || !before || bytes > before.count * rowBytes(before.row, before.links)
  const values = { dates: String(count), limit: String(most) }
  if (grows && bytes + others > most) throw refused({ part: 'dates', message: TOO_LONG, values })
  datesWritten?.set(asked, bytes)
}

const TOO_LONG = 'The texts and links of {dates} dates take up more than {limit} bytes.'

function inSeries(prepared: PreparedEvent, schedule: Schedule, start: string, base: string): PreparedEvent {
  const { start_date, end_date } = whenAt(schedule, start)
  // A first date at the sent start keeps that start: its UTC offset may choose the second of two equal local
  // times.
  const times = start === schedule.start.local ? {} : { start_date, end_date }
  const values: EventValues = { ...prepared.values, ...times }
  return { ...prepared, values: base === '' ? values : { ...values, slug: datedSlug(base, start) } }
}

export function newSeries(
  id: number,
  row: EventRow,
  slug: string,
  { start, duration, recurrence }: Schedule,
  written_until: string,
  links: LinkIds,
  { now }: Context,
): SeriesRow {
  const time = formatUtc(now)
  return {
    id,
    author: row.author,
    status: row.status,
    title: row.title,
    slug,
    uid: row.uid,
    timezone: start.zone,
    all_day: Number(start.allDay),
    start_date: start.local,
    duration,
    rules: JSON.stringify(recurrence),
    written_until,
    shared: JSON.stringify(sharedOf(row, links)),
    version: 1,
    created_utc: time,
    modified_utc: time,
  }
}

function placeIn({ id }: SeriesRow, start: string): Pick<EventRow, 'series' | 'recurrence_id' | 'own'> {
  return { series: id, recurrence_id: start, own: '' }
}

export function datedSlug(base: string, start: string): string {
  return slugify(`${base}-${dayOf(start)}`)
}

export async function occurrenceRows(
  tx: Tx,
  series: SeriesRow,
  like: EventRow,
  schedule: Schedule,
  starts: readonly string[],
  ids: readonly number[],
): Promise<EventRow[]> {
  const slugs =
    like.slug === '' ? starts.map(() => '') : await freeSlugs(tx, 'events', dailySlugs(series.slug, starts))
  return starts.map((start, i) => ({
    ...like,
    ...whenAt(schedule, start),
    ...placeIn(series, start),
    id: ids[i] ?? 0,
    slug: slugs[i] || (like.slug === '' ? '' : String(ids[i])),
    uid: randomUUID(),
  }))
}

function dailySlugs(base: string, starts: readonly string[]): string[] {
  const used = new Map<string, number>()
  return starts.map((start) => {
    const slug = datedSlug(base, start)
    const count = (used.get(slug) ?? 0) + 1
    used.set(slug, count)
    return count === 1 ? slug : `${slug}-${count}`
  })
}

export type Changed = Extract<EventWrite, { before: EventRow }>

export function modifiedNow({ now, site }: Context): Pick<EventRow, 'modified' | 'modified_utc'> {
  const modified_utc = formatUtc(now)
  return { modified: utcToWall(modified_utc, site.timezone), modified_utc }
}

/** Records a change of events whose answers change although their rows do not. */
export function touch(tx: Tx, rows: readonly EventRow[]): void {
  for (const { id, status } of rows) {
    const isPublic = status === 'publish'
    recordChange(tx, { kind: 'event', record: id, wasPublic: isPublic, isPublic })
  }
}

export async function trashed(tx: Tx, rows: readonly EventRow[], context: Context): Promise<Changed[]> {
  const wanted = rows.map(({ slug, title, id }) => trashedSlug(slug || slugify(title) || String(id)))
  const slugs = await freeSlugs(tx, 'events', wanted)
  return rows.map((before, i) => ({
    before,
    values: { status: 'trash', slug: slugs[i] ?? before.slug, ...modifiedNow(context) },
    links: {},
  }))
}

/** An announced occurrence gets a slug that no other has; drafts may share one. */
export async function withSlugs(tx: Tx, series: SeriesRow, changes: readonly Changed[]): Promise<Changed[]> {
  const unmarked = changes.map((change) => {
    const { before, values } = change
    const isBack = before.status === 'trash' && (values.status ?? 'trash') !== 'trash'
    return isBack ? { ...change, values: { ...values, slug: untrashedSlug(before.slug) } } : change
  })
  const wanted = unmarked.map(({ before, values }) => {
    const { status, slug, recurrence_id } = { ...before, ...values }
    if (status === 'trash' || isUnpublished(status)) return undefined
    if (slug === '') return datedSlug(series.slug, recurrence_id)
    return before.status === 'trash' || givesUpSlug(before.status) ? slug : undefined
  })
  const asked = wanted.flatMap((slug) => slug ?? [])
  const free = asked.length === 0 ? [] : await freeSlugs(tx, 'events', asked)
  let next = 0
  return unmarked.map((change, i) =>
    wanted[i] === undefined ? change : { ...change, values: { ...change.values, slug: free[next++] ?? '' } },
  )
}
