import { NEVER } from '../../base/fields/kinds.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { findSeriesByIds } from '../../calendar/events/event-store.ts'
import { ownFields } from '../../calendar/events/recurrence-present.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { findImages, imageUrl } from '../../calendar/images/images.ts'
import { findOccurrences, readShared } from '../../calendar/series/series-store.ts'
import { datedSlug } from '../../calendar/series/series-writes.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, ImageRow, SeriesRow } from '../../store/storage/schema.ts'
import { SourceFailure } from '../imports/polite-fetch.ts'
import type { ShownRecord } from '../imports/shown-records.ts'
import { readFingerprints } from '../imports/source-item.ts'
import {
  describePushed,
  findPushed,
  itemOf,
  keyOfRecord,
  type PushItem,
  type PushKind,
  type PushRun,
  printsOfShown,
  savePushed,
  unkeptMembers,
  withoutOpenLink,
} from './push-run.ts'
import type { PushItemColumns } from './push-tables.ts'
import { readShown, refusalOf } from './push-target.ts'
import { describeKept, type SettledItem, settleItem } from './settle-item.ts'

const AT_ONCE = 4

/**
 * Pushes records in groups of `AT_ONCE`, and saves the rows of each group.
 * @throws SourceFailure when the target stops answering
 */
export async function pushItems(run: PushRun, kind: PushKind, items: readonly PushItem[]): Promise<void> {
  const records = items.map(({ record }) => record)
  const known = await findPushed(run.context.db, run.number, kind, records)
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await pushGroup(run, items.slice(at, at + AT_ONCE), known)
    run.progress()
  }
}

async function pushGroup(
  run: PushRun,
  items: readonly PushItem[],
  known: ReadonlyMap<number, PushItemColumns>,
): Promise<void> {
  await noteIntents(
    run,
    items.filter(({ record }) => !known.has(record)),
  )
  const outcomes = await Promise.all(items.map((item) => attemptItem(run, item, known.get(item.record))))
  const rows = outcomes.flatMap(({ settled }) => settled?.row ?? [])
  if (rows.length > 0) await run.context.write((tx) => savePushed(tx, rows))
  for (const { item, settled, error } of outcomes) {
    if (settled) noteSettled(run, item, settled, known.get(item.record))
    else noteFailed(run, item, error)
  }
}

interface Outcome {
  item: PushItem
  settled?: SettledItem
  error?: unknown
}

async function attemptItem(run: PushRun, item: PushItem, row: PushItemColumns | undefined): Promise<Outcome> {
  try {
    const open = await withoutOpenLink(run, item)
    if (open !== item) countUnkept(run, 'online_shown')
    return { item, settled: await settleItem(run, open, row) }
  } catch (error) {
    return { item, error }
  }
}

/**
 * Saves a row with `remote` 0 before each create: if the answer is lost, the next run looks for the record at
 * the target.
 */
async function noteIntents({ context, number, options }: PushRun, items: readonly PushItem[]): Promise<void> {
  if (options.dryRun || number === undefined || items.length === 0) return
  const rows = items.map(({ kind, record }) => ({
    target: number,
    kind,
    record,
    remote: 0,
    sent: '{}',
    seen: '{}',
  }))
  await context.write((tx) => savePushed(tx, rows))
}

function noteSettled(
  run: PushRun,
  item: PushItem,
  settled: SettledItem,
  before: PushItemColumns | undefined,
): void {
  const { kind, record } = item
  const row = settled.row ?? before
  const remote = row?.remote ?? 0
  if (kind !== 'event' && kind !== 'series') run.links.set(keyOfRecord(kind, record), remote)
  if (kind !== 'image') run.counts[settled.count] += 1
  if (row)
    for (const name of unkeptMembers(kind, readFingerprints(row.sent), readFingerprints(row.seen)))
      if (name !== 'online_shown') countUnkept(run, name)
  const text = describeKept(item, settled)
  if (text !== undefined) run.remark({ kind: 'kept', at: `${kind} ${record}`, text })
}

function countUnkept({ unkept }: PushRun, name: string): void {
  unkept.set(name, (unkept.get(name) ?? 0) + 1)
}

/** Counts and reports a refused record. @throws SourceFailure if the target fails as a whole (`isOutage`) */
function noteFailed(run: PushRun, item: PushItem, error: unknown): void {
  if (!(error instanceof SourceFailure) || isOutage(error)) throw error
  const { kind, record } = item
  if (kind !== 'event' && kind !== 'series') run.lost.add(keyOfRecord(kind, record))
  const text = `${describePushed(item)}: ${refusalOf(error)}`
  if (kind !== 'image') run.counts.failed += 1
  run.remark({ kind: kind === 'image' ? 'note' : 'failed', at: `${kind} ${record}`, text })
}

/** True if the target does not answer, refuses the login, or stays busy. */
function isOutage({ status }: SourceFailure): boolean {
  return status === 0 || status === 401 || status === 429 || (status > 500 && status < 600)
}

/** Uploads images. A target that takes no uploads fetches them by their addresses here. */
export async function pushImagesOf(run: PushRun, states: Iterable<RecordState>): Promise<void> {
  const shown = [...states].flatMap(({ image }) => (typeof image === 'number' ? [image] : []))
  const ids = [...new Set(shown)].filter((id) => !run.images.has(id))
  const rows = [...(await findImages(run.context.db, ids)).values()]
  for (const id of ids) run.images.add(id)
  if (run.target.takesUploads) return pushItems(run, 'image', rows.map(imageItem))
  for (const row of rows)
    run.links.set(keyOfRecord('image', row.id), imageUrl(row, run.context.images.mediaUrl))
}

function imageItem({ id, title, alt_text, caption, description, file, mime_type }: ImageRow): PushItem {
  const values = { title, alt_text, caption, description }
  return { kind: 'image', record: id, name: title, values, file: { key: file, mimeType: mime_type } }
}

export async function findUnpublishedDates(
  db: Db,
  kind: PushKind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (kind === 'series') {
    const shared = [...(await findSeriesByIds(db, ids))].map(([id, row]) => [id, readShared(row)] as const)
    return new Map(shared.flatMap(([id, { date, date_utc }]) => (date_utc === NEVER ? [[id, date]] : [])))
  }
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return new Map()
  const rows = await db
    .selectFrom(`${kind}s` as const)
    .select(['id', 'date'])
    .where('date_utc', '=', NEVER)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, date }) => [id, date]))
}

/** Returns the series to push; none if the target is no Kalends, and so has no series. */
export async function findPushedSeries(
  { context, options, target }: PushRun,
  ids: readonly number[],
): Promise<SeriesRow[]> {
  if (!target.isKalends) return []
  const rows = [...(await findSeriesByIds(context.db, ids)).values()]
  return rows.filter(({ status }) => status === 'publish' || (options.all && status !== 'trash'))
}

export async function pushSeries(run: PushRun, rows: readonly SeriesRow[]): Promise<void> {
  const { db } = run.context
  const ids = rows.map(({ id }) => id)
  const states = await readStates(db, 'series', ids)
  await pushImagesOf(run, states.values())
  const dates = await findUnpublishedDates(db, 'series', ids)
  const items = rows.map(({ id, slug }) =>
    itemOf(run, 'series', id, { ...states.get(id), slug }, dates.get(id)),
  )
  await pushItems(run, 'series', items)
  const pushed = await findPushed(db, run.number, 'series', ids)
  for (const row of rows) {
    run.seen.add(keyOfRecord('series', row.id))
    const occurrences = (await findOccurrences(db, row.id)).filter(({ status }) => status !== 'trash')
    for (const { id } of occurrences) run.seen.add(keyOfRecord('event', id))
    const remote = pushed.get(row.id)?.remote ?? 0
    if (remote > 0) await pushOwnFields(run, row, occurrences, remote)
  }
}

/** Names of the fields that the occurrence overrides; `slug` too, unless derived from the date. */
function fieldsApart(series: SeriesRow, row: EventRow): string[] {
  const isNamed = row.slug !== '' && row.slug !== datedSlug(series.slug, row.recurrence_id)
  return isNamed ? [...ownFields(row), 'slug'] : ownFields(row)
}

async function pushOwnFields(
  run: PushRun,
  series: SeriesRow,
  occurrences: readonly EventRow[],
  remote: number,
): Promise<void> {
  const { db } = run.context
  const ids = occurrences.map(({ id }) => id)
  const known = await findPushed(db, run.number, 'event', ids)
  const wanted = occurrences.filter((row) => known.has(row.id) || fieldsApart(series, row).length > 0)
  if (wanted.length === 0) return
  const unknown = wanted.filter(({ id }) => !known.has(id))
  if (unknown.length > 0)
    for (const row of await noteOccurrences(run, unknown, remote)) known.set(row.record, row)
  const states = await readStates(
    db,
    'event',
    wanted.map(({ id }) => id),
  )
  await pushImagesOf(run, states.values())
  const items = wanted.flatMap((row) => {
    const state = states.get(row.id)
    const there = known.get(row.id)
    return state && there ? [ownItem(run, row, state, fieldsApart(series, row), there)] : []
  })
  await pushItems(run, 'event', items)
}

/**
 * Returns an item with the fields that are overridden now or were pushed before. Without `all`, an occurrence
 * that is not public has only its status.
 */
function ownItem(
  run: PushRun,
  row: EventRow,
  state: RecordState,
  apart: readonly string[],
  { sent }: PushItemColumns,
): PushItem {
  const fields = new Set([...apart, ...Object.keys(readFingerprints(sent))])
  const names = run.options.all || row.status === 'publish' ? fields : new Set(['status'])
  const item = itemOf(run, 'event', row.id, state)
  return {
    ...item,
    values: Object.fromEntries(Object.entries(item.values).filter(([name]) => names.has(name))),
  }
}

async function noteOccurrences(
  run: PushRun,
  rows: readonly EventRow[],
  series: number,
): Promise<PushItemColumns[]> {
  const starts = new Map(rows.map((row) => [row.recurrence_id, row]))
  const found: PushItemColumns[] = []
  for await (const shown of listOccurrences(run, series)) {
    const start = isRecord(shown.recurrence) ? shown.recurrence.id : undefined
    const row = starts.get(String(start))
    if (!row) continue
    const seen = JSON.stringify(printsOfShown('event', shown))
    found.push({
      target: run.number ?? 0,
      kind: 'event',
      record: row.id,
      remote: Number(shown.id),
      sent: '{}',
      seen,
    })
  }
  if (found.length < rows.length && !run.options.dryRun) {
    const text =
      `${rows.length - found.length} dates of the series “${rows[0]?.title}” are not ` +
      'there, and what they have for themselves is not either.'
    run.remark({ kind: 'note', at: `series ${rows[0]?.series}`, text })
  }
  if (!run.options.dryRun) await run.context.write((tx) => savePushed(tx, found))
  return found
}

const PER_PAGE = 50

async function* listOccurrences({ target }: PushRun, series: number): AsyncGenerator<ShownRecord> {
  const window = 'start_date=1000-01-01&end_date=9999-12-31&status=publish,future,draft,pending,private'
  for (let page = 1, isLast = false; !isLast; page++) {
    const url = `${target.base}/events?post_parent=${series}&${window}&per_page=${PER_PAGE}&page=${page}`
    const shown = await readShown(target, url)
    const events = Array.isArray(shown?.events) ? shown.events : []
    yield* events.filter(isRecord)
    isLast = page >= Number(shown?.total_pages ?? 0)
  }
}
