import { Problem } from '../problems.ts'
import { findOccurrences } from '../series/series-store.ts'
import type { Db } from '../storage/database.ts'
import type { ImportItemColumns } from '../storage/schema.ts'
import { fingerprintsOf, readFingerprints } from './fingerprints.ts'
import { importBatch } from './import-batch.ts'
import type { ImportRun } from './import-run.ts'
import { findItems, listItems, saveItems } from './import-store.ts'
import { findPlaces } from './place-occurrences.ts'
import { type RecordState, readStates } from './record-states.ts'
import { isSeen } from './seen-records.ts'
import { keyOf, type SourceItem } from './source-item.ts'
import { trashRecord } from './write-item.ts'

/** Items looked at together. */
const AT_ONCE = 500

/**
 * Lists the events and series that are gone from the source; with `mirror` it moves them to the trash, unless they were changed here. Occurrences
 * that the source no longer describes by themselves become like the others of their series again.
 */
export async function handleMissing(run: ImportRun): Promise<void> {
  await handleMissingOf(run, 'series')
  await handleMissingOf(run, 'event')
}

async function handleMissingOf(run: ImportRun, kind: 'series' | 'event'): Promise<void> {
  const { source } = run
  if (source === undefined) return
  let after = { identity: '', occurrence: '' }
  for (;;) {
    const items = await listItems(run.context.db, source, kind, after, AT_ONCE)
    const missing = items.filter(({ record }) => !isSeen(run.seen, record))
    await handleSome(run, kind, missing)
    const last = items.at(-1)
    if (!last || items.length < AT_ONCE) return
    after = last
  }
}

/** Whether the source has lost something that has no item here: an occurrence of a series, perhaps. */
export async function isLossUnknown(run: ImportRun): Promise<boolean> {
  const { source, lost, context } = run
  if (source === undefined || lost.size === 0) return false
  const [series] = await listItems(context.db, source, 'series', { identity: '', occurrence: '' }, 1)
  return series !== undefined && (await findItems(context.db, source, 'event', [...lost])).length < lost.size
}

/** Handles events that the source reports as deleted in the same way as missing ones. */
export async function handleLost(run: ImportRun): Promise<void> {
  const { source, lost, context } = run
  if (source === undefined || lost.size === 0) return
  const items = await findItems(context.db, source, 'event', [...lost])
  await handleSome(
    run,
    'event',
    items.filter(({ record, occurrence }) => occurrence === '' && !isSeen(run.seen, record)),
  )
}

async function handleSome(
  run: ImportRun,
  kind: 'series' | 'event',
  missing: readonly ImportItemColumns[],
): Promise<void> {
  const { db } = run.context
  const states = await readStates(
    db,
    kind,
    missing.map(({ record }) => record),
  )
  const places = await findPlaces(
    run,
    missing.map((item) => ({ ...item, kind })),
  )
  const like: SourceItem[] = []
  const others = await findOtherKind(run, kind, missing)
  for (const item of missing) {
    const state = states.get(item.record)
    if (!state || state.status === 'trash') continue
    const place = places.get(keyOf(kind, item.identity, item.occurrence))
    if (place?.record === item.record && isSeen(run.seen, place.series.id)) like.push(likeTheSeries(item, state))
    else await handleOne(run, item, state, item.occurrence === '' && others.has(item.identity))
  }
  if (like.length > 0) await importBatch(run, 'event', like)
}

/** The identities of single events that are series now, and of series that are single events. */
async function findOtherKind(
  run: ImportRun,
  kind: 'series' | 'event',
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

/** An item with only the fields of its series. */
function likeTheSeries({ identity, occurrence }: ImportItemColumns, { title }: RecordState): SourceItem {
  const name = String(title)
  return { kind: 'event', identity, occurrence, at: 'series', name, values: {}, links: {}, image: undefined }
}

/**
 * @param isReplaced whether another record stands for it: the source has turned it into a single event, or into a series while it is in the trash
 * here
 */
async function handleOne(
  run: ImportRun,
  item: ImportItemColumns,
  state: RecordState,
  isReplaced: boolean,
): Promise<void> {
  const happened = isReplaced
    ? 'was replaced by another record, since it repeats differently now'
    : 'is gone from the source'
  const text = `${item.kind} ${item.identity} (${String(state.title)}) ${happened}`
  const remark = (end: string) => run.remark({ kind: 'missing', at: 'missing', text: `${text}${end}` })
  if (!run.options.mirror && !isReplaced) return remark('.')
  if (run.options.conflicts !== 'overwrite' && (await isTouched(run.context.db, item, state))) {
    run.counts.left += 1
    return remark('; it was changed here, and stays.')
  }
  run.counts.trashed += 1
  remark('; it goes to the trash.')
  if (!run.options.dryRun) await trashMissing(run, item, state)
}

function isChangedHere({ kept }: Pick<ImportItemColumns, 'kept'>, state: RecordState): boolean {
  const known = readFingerprints(kept)
  return Object.entries(fingerprintsOf(state)).some(([field, print]) => known[field] !== print)
}

/** Whether a record or one of its occurrences was changed here. */
export async function isTouched(db: Db, item: ImportItemColumns, state: RecordState): Promise<boolean> {
  return isChangedHere(item, state) || (item.kind === 'series' && (await hasChangedOccurrence(db, item)))
}

/** Whether an occurrence of a series has own fields that the source has not sent. */
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
    // If it comes back, it is written as a whole.
    const next = { ...item, sequence: 0, digest: '', written: '{}', kept: JSON.stringify(fingerprintsOf(now)) }
    await saveItems(tx, [next], [act])
  })
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}
