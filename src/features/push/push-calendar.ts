import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import { findSeriesByIds } from '../../calendar/events/event-store.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { findAncestors } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { readEdition } from '../../store/storage/edition.ts'
import { type Counts, noCounts, type Remark } from '../imports/import-run.ts'
import { SourceFailure } from '../imports/polite-fetch.ts'
import { LINKED } from '../imports/shown-records.ts'
import { type ItemKind, readFingerprints } from '../imports/source-item.ts'
import { findExported } from '../transfer/export.ts'
import { findPushedSeries, findUnpublishedDates, pushImagesOf, pushItems, pushSeries } from './push-items.ts'
import {
  findTarget,
  forgetPushed,
  itemOf,
  keyOfRecord,
  listPushed,
  type PushOptions,
  type PushRun,
  printsOfShown,
  remarkUnkept,
  savePushed,
  targetNumber,
} from './push-run.ts'
import type { PushItemColumns } from './push-tables.ts'
import { type PushTarget, readShown, readTargetEdition, refusalOf, sendTo } from './push-target.ts'
import { targetAddress } from './settle-item.ts'

// Pushes this calendar: first categories, tags, venues and organizers, then series and events; in the end,
// looks for pushed series and events that are gone from here.

interface PushTask {
  context: Context
  target: PushTarget
  options: PushOptions
  filters: RawValues
  remark: (remark: Remark) => void
  progress: (counts: Counts, done: number, total: number) => void
}

/** At most this many records of one kind are read and compared together. */
const AT_ONCE = 200
/** At most this many pushed records are looked up together, to find those that no longer exist here. */
const LOOKED_AT_ONCE = 500

/**
 * Pushes the chosen records; the next push resumes an interrupted one.
 * @throws Error when the target is this calendar; SourceFailure when it stops answering
 */
export async function pushCalendar(task: PushTask): Promise<Counts> {
  const { context, filters } = task
  await refuseSelf(task)
  const { ids } = await findExported(context, filters)
  const asked = await listAsked(context.db, ids, task)
  const run = await beginRun(task, asked)
  for (const kind of ['category', 'tag', 'venue', 'organizer'] as const)
    await pushLinked(run, kind, asked[kind])
  const series = await findPushedSeries(run, [...asked.series])
  for (const rows of inParts(series)) await pushSeries(run, rows)
  const whole = new Set(series.map(({ id }) => id))
  const single = ids.filter((id) => !whole.has(asked.seriesOf.get(id) ?? 0))
  for (const some of inParts(single)) await pushEvents(run, some)
  await handleGone(run)
  remarkUnkept(run)
  return run.counts
}

async function refuseSelf({ target, context }: PushTask): Promise<void> {
  const isSame =
    target.base === context.site.base || (await readTargetEdition(target)) === (await readEdition(context.db))
  if (isSame)
    throw new Error(
      `${target.base} is this calendar itself, or a copy of its database: name another one, or run ` +
        'kalends invalidate-etags there and start it again.',
    )
}

interface Asked extends Record<Exclude<ItemKind, 'event'>, Set<number>> {
  events: readonly number[]
  series: Set<number>
  seriesOf: Map<number, number>
}

async function listAsked(db: Db, events: readonly number[], { options, filters }: PushTask): Promise<Asked> {
  const asked: Asked = {
    events,
    series: new Set(),
    seriesOf: new Map(),
    category: new Set(),
    tag: new Set(),
    venue: new Set(),
    organizer: new Set(),
  }
  for (const ids of inParts(events)) {
    for (const state of (await readStates(db, 'event', ids)).values()) addLinks(asked, state)
    const rows = await db
      .selectFrom('events')
      .select(['id', 'series'])
      .where('id', 'in', ids)
      .where('series', 'is not', null)
      .execute()
    for (const { id, series } of rows) {
      asked.series.add(series ?? 0)
      asked.seriesOf.set(id, series ?? 0)
    }
  }
  if (options.all && Object.keys(filters).length === 0) await addEverything(db, asked)
  return asked
}

function addLinks(asked: Asked, state: RecordState): void {
  for (const [name, kind] of Object.entries(LINKED)) {
    const ids = state[name]
    if (Array.isArray(ids)) for (const id of ids) asked[kind].add(Number(id))
  }
}

async function addEverything(db: Db, asked: Asked): Promise<void> {
  for (const { id } of await db.selectFrom('venues').select('id').execute()) asked.venue.add(id)
  for (const { id } of await db.selectFrom('organizers').select('id').execute()) asked.organizer.add(id)
  for (const { id, taxonomy } of await db.selectFrom('terms').select(['id', 'taxonomy']).execute())
    asked[taxonomy].add(id)
}

async function beginRun(
  { context, target, options, remark, progress }: PushTask,
  asked: Asked,
): Promise<PushRun> {
  const { db, write } = context
  const number = options.dryRun
    ? await findTarget(db, target.base)
    : await write((tx) => targetNumber(tx, target.base))
  const counts = noCounts()
  const total =
    asked.events.length + asked.category.size + asked.tag.size + asked.venue.size + asked.organizer.size
  return {
    context,
    target,
    number,
    edition: await readEdition(db),
    options,
    counts,
    remark,
    progress: () =>
      progress(
        counts,
        Object.values(counts).reduce((sum, count) => sum + count, 0),
        total,
      ),
    links: new Map(),
    lost: new Set(),
    images: new Set(),
    seen: new Set(),
    unkept: new Map(),
  }
}

async function pushLinked(
  run: PushRun,
  kind: Exclude<ItemKind, 'event'>,
  ids: ReadonlySet<number>,
): Promise<void> {
  const levels =
    kind === 'category' ? await levelsOf(run.context.db, [...ids]) : [[...ids].sort((a, b) => a - b)]
  for (const level of levels) for (const some of inParts(level)) await pushSome(run, kind, some)
}

/** Returns the ids of the categories and their ancestors, grouped by depth, roots first. */
async function levelsOf(db: Db, ids: readonly number[]): Promise<number[][]> {
  const states = await readStates(db, 'category', ids)
  const ancestors = await findAncestors(
    db,
    [...states.values()].map(({ parent }) => ({ parent: Number(parent) })),
  )
  const parents = new Map([
    ...[...ancestors.values()].map(({ id, parent }) => [id, parent] as const),
    ...[...states].map(([id, { parent }]) => [id, Number(parent)] as const),
  ])
  const levelOf = (id: number): number => (parents.has(id) ? 1 + levelOf(parents.get(id) ?? 0) : 0)
  const levels = Map.groupBy(parents.keys(), levelOf)
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level)
}

async function pushSome(run: PushRun, kind: ItemKind, ids: readonly number[]): Promise<void> {
  const states = await readStates(run.context.db, kind, ids)
  const open = [...states].filter(
    ([, { status = 'publish' }]) => status === 'publish' || (run.options.all && status !== 'trash'),
  )
  await pushImagesOf(
    run,
    open.map(([, state]) => state),
  )
  const dates = await findUnpublishedDates(
    run.context.db,
    kind,
    open.map(([id]) => id),
  )
  await pushItems(
    run,
    kind,
    open.map(([id, state]) => itemOf(run, kind, id, state, dates.get(id))),
  )
}

async function pushEvents(run: PushRun, ids: readonly number[]): Promise<void> {
  for (const id of ids) run.seen.add(keyOfRecord('event', id))
  await pushSome(run, 'event', ids)
}

function* inParts<Value>(values: readonly Value[]): Generator<Value[]> {
  for (let at = 0; at < values.length; at += AT_ONCE) yield values.slice(at, at + AT_ONCE)
}

/**
 * Reports pushed events and series that `goneAmong` finds. A mirror trashes them at the target; those changed
 * there only under the policy `overwrite`.
 */
async function handleGone(run: PushRun): Promise<void> {
  if (run.number === undefined) return
  for (const kind of ['series', 'event'] as const) {
    let after = 0
    for (;;) {
      const rows = await listPushed(run.context.db, run.number, kind, after, LOOKED_AT_ONCE)
      for (const row of await goneAmong(run, kind, rows)) await handleOne(run, kind, row)
      const last = rows.at(-1)
      if (!last || rows.length < LOOKED_AT_ONCE) break
      after = last.record
    }
  }
}

/** Returns the rows whose records are deleted or trashed here or, unless `all` is set, no longer public. */
async function goneAmong(
  run: PushRun,
  kind: 'series' | 'event',
  rows: readonly PushItemColumns[],
): Promise<PushItemColumns[]> {
  const open = rows.filter(
    ({ remote, seen, record }) =>
      remote > 0 && !run.seen.has(keyOfRecord(kind, record)) && readFingerprints(seen).status !== 'trash',
  )
  const ids = open.map(({ record }) => record)
  const { db } = run.context
  const states: ReadonlyMap<number, { status?: unknown }> =
    kind === 'event' ? await readStates(db, kind, ids) : await findSeriesByIds(db, ids)
  const isKept = (status: unknown) => status === 'publish' || (run.options.all && status !== 'trash')
  return open.filter(({ record }) => {
    const state = states.get(record)
    return state === undefined || !isKept(state.status)
  })
}

async function handleOne(run: PushRun, kind: 'series' | 'event', row: PushItemColumns): Promise<void> {
  const url = `${targetAddress(run.target, kind)}/${row.remote}`
  const shown = await readShown(run.target, url)
  const now = shown && printsOfShown(kind, shown)
  if (!now || now.status === 'trash')
    return run.options.dryRun ? undefined : run.context.write((tx) => forgetPushed(tx, row))
  const at = `${kind} ${row.record}`
  const remark = (end: string) =>
    run.remark({
      kind: 'missing',
      at,
      text: `“${String(shown.title)}” (${row.remote} there) is gone from here${end}`,
    })
  if (!run.options.mirror) return remark('.')
  const seen = readFingerprints(row.seen)
  if (run.options.conflicts !== 'overwrite' && Object.keys(now).some((field) => now[field] !== seen[field])) {
    run.counts.left += 1
    return remark('; it was changed there, and stays.')
  }
  await trash(run, kind, row, url, remark)
}

async function trash(
  run: PushRun,
  kind: 'series' | 'event',
  row: PushItemColumns,
  url: string,
  remark: (end: string) => void,
): Promise<void> {
  if (!run.options.dryRun) {
    try {
      await sendTo(run.target, url, { method: 'DELETE' })
    } catch (error) {
      if (!(error instanceof SourceFailure) || ![400, 403, 404, 410].includes(error.status)) throw error
      run.counts.failed += 1
      return remark(`, and could not be moved to the trash: ${refusalOf(error)}`)
    }
    const after = await readShown(run.target, url)
    // The record may come back: with empty fingerprints the next push writes it whole.
    const next = { ...row, sent: '{}', seen: JSON.stringify(after ? printsOfShown(kind, after) : {}) }
    await run.context.write((tx) => (after ? savePushed(tx, [next]) : forgetPushed(tx, row)))
  }
  run.counts.trashed += 1
  remark('; it goes to the trash there.')
}
