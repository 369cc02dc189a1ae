import { Problem } from '../../base/problems.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { findOccurrences } from '../../calendar/series/series-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'
import { importBatch } from './import-batch.ts'
import { type Message, message } from './import-messages.ts'
import { BrokenSource, type ImportRun, isSeen } from './import-run.ts'
import { countLive, findItems, listItems, saveItems } from './import-store.ts'
import { findPlaces } from './plan-items.ts'
import { fingerprintsOf, itemKey, KIND_NAMES, readFingerprints, type SourceItem } from './source-item.ts'
import { trashRecord } from './write-item.ts'

const AT_ONCE = 500

/** Largest share of a source's events that one run of a mirror trashes unless allowed. */
const MOST_AT_ONCE = 1 / 5
/** If fewer events are gone, their share does not matter. */
const FEWEST_REFUSED = 10

type EventKind = 'series' | 'event'

/**
 * Finds events gone from the source. A mirror trashes them unless they are suspiciously many, those changed
 * here only under `overwrite`. Occurrences no longer described become like their series.
 */
export async function handleMissing(run: ImportRun, isWhole: boolean): Promise<void> {
  const gone = isWhole ? missingOf : lostOf
  await refuseMassRemoval(run, gone, isWhole && !run.hasEvents)
  for (const kind of ['series', 'event'] as const)
    for await (const some of gone(run, kind)) await handleSome(run, kind, some)
}

type Gone = AsyncGenerator<ImportItemColumns[]>

async function* missingOf(run: ImportRun, kind: EventKind): Gone {
  const { source, unread } = run
  if (source === undefined) return
  let after = { identity: '', occurrence: '' }
  for (;;) {
    const items = await listItems(run.context.db, source, kind, after, AT_ONCE)
    yield items.filter(({ record, identity }) => !isSeen(run.seen, record) && !unread.has(identity))
    const last = items.at(-1)
    if (!last || items.length < AT_ONCE) return
    after = last
  }
}

async function* lostOf(run: ImportRun, kind: EventKind): Gone {
  if (kind === 'event')
    for await (const items of lostItems(run)) yield items.filter(({ record }) => !isSeen(run.seen, record))
}

async function* lostItems({ source, lost, context: { db } }: ImportRun): Gone {
  if (source === undefined) return
  const identities = [...lost]
  for (let at = 0; at < identities.length; at += AT_ONCE) {
    const items = await findItems(db, source, 'event', identities.slice(at, at + AT_ONCE))
    yield items.filter(({ occurrence }) => occurrence === '')
  }
}

async function refuseMassRemoval(
  run: ImportRun,
  missing: (run: ImportRun, kind: EventKind) => Gone,
  isEmpty: boolean,
): Promise<void> {
  const { source, options, context } = run
  if (source === undefined || !options.mirror || options.allowMassRemoval) return
  let [gone, all] = [0, 0]
  for (const kind of ['series', 'event'] as const) {
    all += await countLive(context.db, source, kind)
    for await (const items of missing(run, kind)) {
      const others = await findOtherKind(run, kind, items)
      const whole = items.filter(({ identity, occurrence }) => occurrence === '' && !others.has(identity))
      const records = whole.map(({ record }) => record)
      gone += await countLive(context.db, source, kind, records)
    }
  }
  const isMass = gone >= FEWEST_REFUSED && gone > all * MOST_AT_ONCE
  if (!isMass && !(isEmpty && gone > 0)) return
  const said = [
    message('{gone} of {all} events from this source are gone from it at once,', {
      gone: `${gone}`,
      all: `${all}`,
    }),
    message('so none was moved to the trash. If that is right, allow it with --allow-mass-removal.'),
  ]
  run.broken = new BrokenSource(said, true)
}

/** True if a deleted event was not imported under its id: its series shows whether it was an occurrence. */
export async function isLossUnknown(run: ImportRun): Promise<boolean> {
  const { source, lost, context } = run
  if (source === undefined || lost.size === 0) return false
  const [series] = await listItems(context.db, source, 'series', { identity: '', occurrence: '' }, 1)
  let known = 0
  if (series) for await (const items of lostItems(run)) known += items.length
  return series !== undefined && known < lost.size
}

async function handleSome(
  run: ImportRun,
  kind: EventKind,
  missing: readonly ImportItemColumns[],
): Promise<void> {
  const { db } = run.context
  const records = missing.map(({ record }) => record)
  const states = await readStates(db, kind, records)
  const described = missing.map((item) => ({ ...item, kind }))
  const places = await findPlaces(run, described)
  const like: SourceItem[] = []
  const others = await findOtherKind(run, kind, missing)
  for (const item of missing) {
    const state = states.get(item.record)
    if (!state || state.status === 'trash') continue
    const place = places.get(itemKey(kind, item.identity, item.occurrence))
    if (place?.record === item.record && isSeen(run.seen, place.series.id))
      like.push(likeTheSeries(item, state))
    else await handleOne(run, item, state, item.occurrence === '' && others.has(item.identity))
  }
  if (like.length > 0) await importBatch(run, 'event', like)
}

async function findOtherKind(
  run: ImportRun,
  kind: EventKind,
  missing: readonly ImportItemColumns[],
): Promise<ReadonlySet<string>> {
  const other = kind === 'series' ? 'event' : 'series'
  const identities = [...new Set(missing.map(({ identity }) => identity))]
  const items = await findItems(run.context.db, run.source ?? 0, other, identities)
  return new Set(
    items.flatMap(({ identity, occurrence, record }) =>
      occurrence === '' && isSeen(run.seen, record) ? [identity] : [],
    ),
  )
}

function likeTheSeries({ identity, occurrence }: ImportItemColumns, { title }: RecordState): SourceItem {
  const name = String(title)
  return { kind: 'event', identity, occurrence, at: 'series', name, values: {}, links: {}, image: undefined }
}

/**
 * Reports or trashes a missing record. @param isReplaced true if a series replaced an event, or the reverse
 */
async function handleOne(
  run: ImportRun,
  item: ImportItemColumns,
  state: RecordState,
  isReplaced: boolean,
): Promise<void> {
  const kind = item.kind === 'series' ? 'series' : 'event'
  const named = { kind: message(KIND_NAMES[kind]), which: item.identity, name: String(state.title) }
  const record = message('{kind} {which} ({name})', named)
  const happened = isReplaced
    ? message('{item} was replaced by another record, since it repeats differently now', { item: record })
    : message('{item} is gone from the source', { item: record })
  const remark = (text: Message) => run.remark({ kind: 'missing', at: 'missing', text })
  if ((!run.options.mirror || run.broken) && !isReplaced)
    return remark(message('{what}.', { what: happened }))
  if (run.isUnclear && !isReplaced)
    return remark(
      message('{what}; it stays, since something in the source cannot be read.', { what: happened }),
    )
  if (run.options.conflicts !== 'overwrite' && (await isTouched(run.context.db, item, state))) {
    run.counts.left += 1
    return remark(message('{what}; it was changed here, and stays.', { what: happened }))
  }
  run.counts.trashed += 1
  remark(message('{what}; it goes to the trash.', { what: happened }))
  if (!run.options.dryRun) await trashMissing(run, item, state)
}

function isChangedHere({ kept }: Pick<ImportItemColumns, 'kept'>, state: RecordState): boolean {
  const known = readFingerprints(kept)
  return Object.entries(fingerprintsOf(state)).some(([field, print]) => known[field] !== print)
}

export async function isTouched(db: Db, item: ImportItemColumns, state: RecordState): Promise<boolean> {
  return isChangedHere(item, state) || (item.kind === 'series' && (await hasChangedOccurrence(db, item)))
}

async function hasChangedOccurrence(
  db: Db,
  { source, identity, record }: Pick<ImportItemColumns, 'source' | 'identity' | 'record'>,
): Promise<boolean> {
  const rows = await findOccurrences(db, record)
  const changed = rows.flatMap(({ id, own, status }) => (own !== '' && status !== 'trash' ? [id] : []))
  if (changed.length === 0) return false
  const items = new Map((await findItems(db, source, 'event', [identity])).map((item) => [item.record, item]))
  const states = await readStates(db, 'event', changed)
  return changed.some((id) => {
    const item = items.get(id)
    return !item || isChangedHere(item, states.get(id) ?? {})
  })
}

async function trashMissing(run: ImportRun, item: ImportItemColumns, state: RecordState): Promise<void> {
  const { record, identity, occurrence } = item
  const kind = item.kind === 'series' ? 'series' : 'event'
  await run.context.write(async (tx) => {
    await trashRecord(tx, run.context, kind, record).catch(ignoreGone)
    const now = (await readStates(tx, kind, [record])).get(record) ?? {}
    const before = JSON.stringify({ fields: { status: state.status }, item })
    const act = { run: run.run ?? 0, kind, record, action: 'trash', identity, occurrence, before } as const
    // Without digest and written values, the item is written whole if it comes back.
    const next = {
      ...item,
      sequence: 0,
      digest: '',
      written: '{}',
      kept: JSON.stringify(fingerprintsOf(now)),
    }
    await saveItems(tx, [next], [act])
  })
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}
