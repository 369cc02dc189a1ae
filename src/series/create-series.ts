import { randomUUID } from 'node:crypto'
import type { Context } from '../context/context.ts'
import type { WriteResult } from '../declare/operations.ts'
import {
  type EventValues,
  type LookAtWritten,
  type PreparedEvent,
  type SettledEvent,
  settleEvent,
  settleLinked,
} from '../events/event-rules.ts'
import { insertEvents, type KnownLinks } from '../events/event-store.ts'
import { freeSlugs, nextRecordId, nextRecordIds } from '../records/record-store.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { shiftCounts } from '../terms/term-store.ts'
import { dayOf, formatUtc } from '../text/moments.ts'
import { slugify } from '../text/slug.ts'
import { type Schedule, type Written, whenAt } from './series-schedule.ts'
import { sharedOf } from './series-shared.ts'
import { insertSeries } from './series-store.ts'

/** A schedule with the original starts to write. */
export interface Planned extends Written {
  schedule: Schedule
}

/** Writes a series with its occurrences, and shows the first of them. */
export async function createSeries(
  tx: Tx,
  prepared: PreparedEvent,
  { schedule, starts, until }: Planned,
  context: Context,
  look: LookAtWritten,
): Promise<WriteResult> {
  const linked = await settleLinked(tx, prepared, context)
  const base = slugify(prepared.values.slug || prepared.values.title || '')
  const settled = await settleEvent(tx, undefined, inSeries(prepared, schedule, starts[0] ?? '', base), context)
  const links = linksOf(linked, settled)
  const ids = await nextRecordIds(tx, 'event', starts.length - 1)
  const id = await nextRecordId(tx, 'series')
  const series = newSeries(id, settled.row, base, schedule, until, links, context)
  const [, ...others] = await occurrenceRows(tx, series, settled.row, schedule, starts, [settled.row.id, ...ids])
  const first: EventRow = { ...settled.row, ...whenAt(schedule, starts[0] ?? ''), ...placeIn(series, starts[0] ?? '') }
  const counted = first.status === 'publish' ? starts.length : 0
  const [, , , seen] = await Promise.all([
    insertSeries(tx, series),
    insertEvents(
      tx,
      [first, ...others].map((row) => ({ row, links })),
    ),
    shiftCounts(tx, new Map(settled.terms.after.map((term) => [term, counted]))),
    look(tx, first, links),
  ])
  return seen
}

/** The first occurrence: the event that was sent, with the day added to its slug. */
function inSeries(prepared: PreparedEvent, schedule: Schedule, start: string, base: string): PreparedEvent {
  const { start_date, end_date } = whenAt(schedule, start)
  const values: EventValues = { ...prepared.values, start_date, end_date }
  return { ...prepared, values: base === '' ? values : { ...values, slug: datedSlug(base, start) } }
}

/** A kind of link that was not sent is empty. */
function linksOf(linked: Omit<KnownLinks, 'terms'>, { terms }: SettledEvent): KnownLinks {
  return { ...linked, venues: linked.venues ?? [], organizers: linked.organizers ?? [], terms: terms.after }
}

export function newSeries(
  id: number,
  row: EventRow,
  slug: string,
  { start, duration, recurrence }: Schedule,
  written_until: string,
  links: KnownLinks,
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

/** The slug of an occurrence: the slug of its series and the day. */
export function datedSlug(base: string, start: string): string {
  return slugify(`${base}-${dayOf(start)}`)
}

/** Occurrences that start at these wall times, copies of another one except for times and addresses. */
export async function occurrenceRows(
  tx: Tx,
  series: SeriesRow,
  like: EventRow,
  schedule: Schedule,
  starts: readonly string[],
  ids: readonly number[],
): Promise<EventRow[]> {
  const slugs = like.slug === '' ? starts.map(() => '') : await freeSlugs(tx, 'events', dailySlugs(series.slug, starts))
  return starts.map((start, i) => ({
    ...like,
    ...whenAt(schedule, start),
    ...placeIn(series, start),
    id: ids[i] ?? 0,
    slug: slugs[i] || (like.slug === '' ? '' : String(ids[i])),
    uid: randomUUID(),
  }))
}

/** Slugs with the days of these starts; of several on one day the later ones are numbered. */
function dailySlugs(base: string, starts: readonly string[]): string[] {
  const used = new Map<string, number>()
  return starts.map((start) => {
    const slug = datedSlug(base, start)
    const count = (used.get(slug) ?? 0) + 1
    used.set(slug, count)
    return count === 1 ? slug : `${slug}-${count}`
  })
}
