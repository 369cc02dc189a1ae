import { findSeriesByIds } from '../../calendar/events/event-store.ts'
import { ownFields } from '../../calendar/events/recurrence-present.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { findOccurrences } from '../../calendar/series/series-store.ts'
import { datedSlug } from '../../calendar/series/series-writes.ts'
import type { EventRow, PushItemColumns, SeriesRow } from '../../store/storage/schema.ts'
import { isShownRecord, type ShownRecord } from '../import/shown-records.ts'
import { readFingerprints } from '../import/source-item.ts'
import { pushImagesOf, pushItems } from './push-items.ts'
import { itemOf, keyOfRecord, type PushItem, type PushRun, printsOfShown } from './push-run.ts'
import { findPushed, savePushed } from './push-store.ts'
import { readShown } from './push-target.ts'

// Pushes series and the occurrences that differ.

/** The series among these that are pushed as series; none to a service without series. */
export async function findPushedSeries(
  { context, options, target }: PushRun,
  ids: readonly number[],
): Promise<SeriesRow[]> {
  if (!target.isKalends) return []
  const rows = [...(await findSeriesByIds(context.db, ids)).values()]
  return rows.filter(({ status }) => status === 'publish' || (options.all && status !== 'trash'))
}

/** Pushes series, and then the own fields of their occurrences. */
export async function pushSeries(run: PushRun, rows: readonly SeriesRow[]): Promise<void> {
  const { db } = run.context
  const ids = rows.map(({ id }) => id)
  const states = await readStates(db, 'series', ids)
  await pushImagesOf(run, states.values())
  const items = rows.map(({ id, slug }) => itemOf(run, 'series', id, { ...states.get(id), slug }))
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

/** The own fields of an occurrence, with its slug if that is not made from its day. */
function fieldsApart(series: SeriesRow, row: EventRow): string[] {
  const isNamed = row.slug !== '' && row.slug !== datedSlug(series.slug, row.recurrence_id)
  return isNamed ? [...ownFields(row), 'slug'] : ownFields(row)
}

/** Occurrences that have fields of their own, or had some at the last push. */
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
  if (unknown.length > 0) for (const row of await noteOccurrences(run, unknown, remote)) known.set(row.record, row)
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

/** The fields of an occurrence to be pushed; of one that is not public only the status, unless everything is pushed. */
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
  return { ...item, values: Object.fromEntries(Object.entries(item.values).filter(([name]) => names.has(name))) }
}

/** Finds occurrences at the target by their original starts, and notes which they are. */
async function noteOccurrences(run: PushRun, rows: readonly EventRow[], series: number): Promise<PushItemColumns[]> {
  const starts = new Map(rows.map((row) => [row.recurrence_id, row]))
  const found: PushItemColumns[] = []
  for await (const shown of listOccurrences(run, series)) {
    const start = isShownRecord(shown.recurrence) ? shown.recurrence.id : undefined
    const row = starts.get(String(start))
    if (!row) continue
    const seen = JSON.stringify(printsOfShown('event', shown))
    found.push({ target: run.number ?? 0, kind: 'event', record: row.id, remote: Number(shown.id), sent: '{}', seen })
  }
  if (found.length < rows.length && !run.options.dryRun) {
    const text = `${rows.length - found.length} dates of the series “${rows[0]?.title}” are not there, and what they have for themselves is not either.`
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
    yield* events.filter(isShownRecord)
    isLast = page >= Number(shown?.total_pages ?? 0)
  }
}
