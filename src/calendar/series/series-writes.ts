import { randomUUID } from 'node:crypto'
import { limits } from '../../base/fields/limits.ts'
import { slugify, trashedSlug, untrashedSlug } from '../../base/text/characters.ts'
import { dayOf, formatUtc } from '../../base/text/moments.ts'
import { utcToWall } from '../../base/text/zones.ts'
import { nextRecordId, nextRecordIds } from '../../store/storage/history.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { WriteResult } from '../declare/operations.ts'
import {
  type EventValues,
  type LookAtWritten,
  linksOfNew,
  type PreparedEvent,
  settleEvent,
  settleLinked,
} from '../events/event-rules.ts'
import {
  findTermsOfEvents,
  insertInTurns,
  type KnownLinks,
  replaceLinksOf,
  rowBytes,
  updateEvents,
  type WrittenLinks,
} from '../events/event-store.ts'
import { freeSlugs, givesUpSlug, isUnpublished } from '../records/record-store.ts'
import { shiftCounts } from '../terms/term-store.ts'
import { refused, type Schedule, type Written, whenAt } from './series-schedule.ts'
import { insertSeries, sharedOf } from './series-store.ts'

// Creates series; writes occurrences with times, slugs, links and counts.

export interface Planned extends Written {
  schedule: Schedule
}

/** Returns what `look` shows of the first. */
export async function createSeries(
  tx: Tx,
  prepared: PreparedEvent,
  { schedule, starts, until }: Planned,
  context: Context,
  look: LookAtWritten,
): Promise<WriteResult> {
  const linked = await settleLinked(tx, prepared, context)
  const base = slugify(prepared.values.slug || prepared.values.title || '')
  const settled = await settleEvent(
    tx,
    undefined,
    inSeries(prepared, schedule, starts[0] ?? '', base),
    context,
  )
  const links = linksOfNew(linked, settled.terms.after)
  requireRoom({ row: settled.row, links, count: starts.length }, prepared, context)
  const ids = await nextRecordIds(tx, 'event', starts.length - 1)
  const id = await nextRecordId(tx, 'series')
  const series = newSeries(id, settled.row, base, schedule, until, links, context)
  const [, ...others] = await occurrenceRows(tx, series, settled.row, schedule, starts, [
    settled.row.id,
    ...ids,
  ])
  const first: EventRow = {
    ...settled.row,
    ...whenAt(schedule, starts[0] ?? '', settled.row),
    ...placeIn(series, starts[0] ?? ''),
  }
  const counted = first.status === 'publish' ? starts.length : 0
  await insertSeries(tx, series)
  await insertInTurns(
    tx,
    [first, ...others].map((row) => ({ row, links })),
  )
  await shiftCounts(tx, new Map(settled.terms.after.map((term) => [term, counted])))
  return look(tx, first, links)
}

/** One of them, and their number. */
interface AlikeDates {
  row: Partial<EventRow>
  links: WrittenLinks
  count: number
}

/**
 * With other dates of a batch; those that took more before may stay, but not grow. @throws Problem when they
 * take too much
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

/** At the first start, with the day in its slug. */
function inSeries(prepared: PreparedEvent, schedule: Schedule, start: string, base: string): PreparedEvent {
  const { start_date, end_date } = whenAt(schedule, start)
  // Its own start as sent: with an offset it may be the second of two.
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

/** With the day. */
export function datedSlug(base: string, start: string): string {
  return slugify(`${base}-${dayOf(start)}`)
}

/** Copies with times, ids, slugs and UIDs of their own. */
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

/** Later ones on one day are numbered. */
function dailySlugs(base: string, starts: readonly string[]): string[] {
  const used = new Map<string, number>()
  return starts.map((start) => {
    const slug = datedSlug(base, start)
    const count = (used.get(slug) ?? 0) + 1
    used.set(slug, count)
    return count === 1 ? slug : `${slug}-${count}`
  })
}

export interface Changed {
  before: EventRow
  columns: Partial<EventRow>
}

export function modifiedNow({ now, site }: Context): Pick<EventRow, 'modified' | 'modified_utc'> {
  const modified_utc = formatUtc(now)
  return { modified: utcToWall(modified_utc, site.timezone), modified_utc }
}

/** They look different though their rows have not changed. */
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
    columns: { status: 'trash', slug: slugs[i] ?? before.slug, ...modifiedNow(context) },
  }))
}

/** Drafts may share slugs. */
export async function withSlugs(tx: Tx, series: SeriesRow, changes: readonly Changed[]): Promise<Changed[]> {
  const unmarked = changes.map(({ before, columns }) => {
    const isBack = before.status === 'trash' && (columns.status ?? 'trash') !== 'trash'
    return isBack
      ? { before, columns: { ...columns, slug: untrashedSlug(before.slug) } }
      : { before, columns }
  })
  const wanted = unmarked.map(({ before, columns }) => {
    const { status, slug, recurrence_id } = { ...before, ...columns }
    if (status === 'trash' || isUnpublished(status)) return undefined
    if (slug === '') return datedSlug(series.slug, recurrence_id)
    return before.status === 'trash' || givesUpSlug(before.status) ? slug : undefined
  })
  const asked = wanted.flatMap((slug) => slug ?? [])
  const free = asked.length === 0 ? [] : await freeSlugs(tx, 'events', asked)
  let next = 0
  return unmarked.map(({ before, columns }, i) =>
    wanted[i] === undefined
      ? { before, columns }
      : { before, columns: { ...columns, slug: free[next++] ?? '' } },
  )
}

/** Undefined stays. */
interface NewLinks {
  links: WrittenLinks
  /** Whose links change. */
  venues: readonly number[]
  organizers: readonly number[]
  terms: readonly number[]
  /** By occurrence, where they differ from `links.terms`. */
  mixedTerms: ReadonlyMap<number, readonly number[]>
}

/** And counts of terms. */
export async function writeChanges(tx: Tx, changes: readonly Changed[], asked?: NewLinks): Promise<void> {
  const moved = changes.filter(
    ({ before, columns }) => isCounted(before) !== isCounted({ ...before, ...columns }),
  )
  const isLinked = asked?.links.terms !== undefined
  const terms =
    isLinked || moved.length > 0
      ? await findTermsOfEvents(
          tx,
          changes.map(({ before }) => before.id),
        )
      : new Map()
  const counts = new Map<number, number>()
  const count = (term: number, by: number) => counts.set(term, (counts.get(term) ?? 0) + by)
  const relinked = new Set(asked?.terms)
  const newTermsOf = (id: number) => (relinked.has(id) ? asked?.links.terms : asked?.mixedTerms.get(id))
  for (const { before, columns } of isLinked ? changes : moved) {
    const had: readonly number[] = terms.get(before.id) ?? []
    const has = newTermsOf(before.id) ?? had
    if (isCounted(before)) for (const term of had) count(term, -1)
    if (isCounted({ ...before, ...columns })) for (const term of has) count(term, 1)
  }
  await updateEvents(tx, changes)
  await Promise.all([...(asked ? replaceLinks(tx, asked) : []), shiftCounts(tx, counts)])
}

/** Occurrences with the same terms are written together. */
function replaceLinks(tx: Tx, asked: NewLinks): Promise<void>[] {
  const mixed = Map.groupBy(asked.mixedTerms, ([, terms]) => terms.join())
  const others = [...mixed.values()].map((alike) => {
    const links = { venues: undefined, organizers: undefined, terms: alike[0]?.[1] }
    return replaceLinksOf(tx, { links, venues: [], organizers: [], terms: alike.map(([id]) => id) })
  })
  return [replaceLinksOf(tx, asked), ...others]
}

const isCounted = ({ status }: Pick<EventRow, 'status'>) => status === 'publish'
