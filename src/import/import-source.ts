import type { Context } from '../declare/context.ts'
import { withImages } from '../images/images.ts'
import { readEdition } from '../storage/edition.ts'
import type { Writer } from '../storage/recording.ts'
import { formatUtc } from '../text/moments.ts'
import { withItsPictures } from './bring-pictures.ts'
import { findVisible, foreseesNothing, noteForeseen, previewEvents } from './foreseen-events.ts'
import { holdSource } from './hold-source.ts'
import { importBatch } from './import-batch.ts'
import {
  BrokenSource,
  type Counts,
  type ImportOptions,
  type ImportRun,
  noCounts,
  noteUnread,
  type Remark,
  remember,
  type VisibleCounts,
} from './import-run.ts'
import {
  findOrigin,
  findPosition,
  findSource,
  findToken,
  insertRun,
  saveOrigin,
  saveToken,
  updateRun,
} from './import-store.ts'
import type { Origin } from './item-pages.ts'
import { comparedOf } from './look-ahead.ts'
import { handleLost, handleMissing, isLossUnknown } from './missing-items.ts'
import { findOwn } from './own-events.ts'
import { continueSource, findFormer, NOT_THE_SAME, refuseDoubled } from './same-source.ts'
import { noneSeen } from './seen-records.ts'
import { asAsked, ITEM_KINDS, type ItemKind, keyOf, type Source, type SourceItem, standsAlone } from './source-item.ts'

/**
 * Items of one kind written with one transaction. The service answers no uncached list until it has taken them in, which is some milliseconds of
 * work.
 */
const BATCH = 200

/** The options of an import, and its callbacks. */
export interface ImportTask {
  source: Source
  options: ImportOptions
  /** The caller who becomes the author of the records. */
  context: Context
  by: Writer
  remark: (remark: Remark) => void
  /** Called after each batch. */
  progress: (counts: Counts) => void
  /** The name of the source that it is under another address, or `none` for one that shares events with another. */
  sameAs?: string | undefined
  /** Called once when another import of the source has to end first. */
  wait: () => void
}

export interface Imported {
  /** The number of the run; undefined for a dry run. */
  run: number | undefined
  counts: Counts
  visible: VisibleCounts
  /** Its first events, as pages would show them; none but for a dry run. */
  preview: string[]
  /** Why the source counts as broken: what came is in, and nothing was moved to the trash. */
  broken: BrokenSource | undefined
}

/**
 * Imports everything of a source in the name of the caller, some hundred items at a time. Items written before an interruption stay, and the next run
 * skips them.
 * @throws Error with one sentence when the source cannot be read any further
 */
export async function importSource(task: ImportTask): Promise<Imported> {
  const { context, source, wait } = task
  const former = task.sameAs === NOT_THE_SAME ? undefined : task.sameAs
  if (task.options.dryRun) {
    const number = former === undefined ? undefined : await findFormer(context.db, former, source.address)
    return importHeld(task, number ?? (await findSource(context.db, source.address)))
  }
  if (former !== undefined) await continueSource(context, former, source.address, wait)
  const { number, write, release } = await holdSource(context, source.address, wait)
  return importHeld({ ...task, context: { ...context, write } }, number).finally(release)
}

/** Imports a locked source; a dry run writes nothing, and its source may have no number. */
async function importHeld(task: ImportTask, number: number | undefined): Promise<Imported> {
  const run = await beginRun(task, number)
  let end: RunEnd = { state: 'failed' }
  try {
    await withImages(run.context, async () => {
      await importEntries(run, task)
      if (await isLossUnknown(run)) await importWhole(run, task)
      if (!run.broken) await handleGone(run, task.source)
    })
    await noteToken(run, task.source)
    // After a broken source the next run begins at the beginning.
    end = run.broken ? { state: 'failed', position: '' } : { state: 'done' }
  } finally {
    await endRun(run, end)
  }
  const told = { visible: await findVisible(run), preview: await previewEvents(run) }
  return { run: run.run, counts: run.counts, broken: run.broken, ...told }
}

async function handleGone(run: ImportRun, source: Source): Promise<void> {
  if (source.isWhole()) await handleMissing(run)
  else await handleLost(run)
}

/** Reads everything: only its whole series shows that an occurrence is gone, and a list of changes omits the other occurrences. */
async function importWhole(run: ImportRun, task: ImportTask): Promise<void> {
  run.seen = noneSeen()
  // Nothing of it was written, so all of it is foreseen anew.
  if (run.foreseen) {
    run.counts = noCounts()
    run.foreseen = foreseesNothing()
  }
  task.source.readSince?.('')
  await importEntries(run, task)
}

/** Stores the token of a source that reports changes, so that the next run reads only later changes. */
async function noteToken(run: ImportRun, from: Source): Promise<void> {
  const { source, context, options, isIncomplete, broken } = run
  const token = from.token?.() ?? ''
  if (source === undefined || options.dryRun || isIncomplete || broken || token === '') return
  await context.write((tx) => saveToken(tx, source, token, tokenOptions(options)))
}

/** The options that a token was given under, as text: other ones may have left out records, which the next run has to read. */
function tokenOptions(options: ImportOptions): string {
  return JSON.stringify({ ...options, dryRun: false, allowMassRemoval: undefined })
}

async function beginRun(
  { source, options, context, by, remark }: ImportTask,
  number: number | undefined,
): Promise<ImportRun> {
  source.readSince?.(await findToken(context.db, source.address, tokenOptions(options)))
  if (!options.dryRun) await resumeSource(source, context)
  const origin = await settleOrigin(source, options, context, number)
  const row = { source: number ?? 0, user: context.caller.id, options: JSON.stringify(options) }
  const id = options.dryRun ? undefined : await context.write((tx) => insertRun(tx, row, Date.now()))
  const begun = { source: number, run: id, origin }
  const sets = { begun: new Set<number>(), seen: noneSeen(), lost: new Set<string>(), unread: new Set<string>() }
  const memory = { links: new Map(), digests: new Map(), lacks: new Map(), ...sets }
  const state = { isUnclear: false, hasEvents: false, broken: undefined, isIncomplete: false }
  const told = { counts: noCounts(), foreseen: options.dryRun ? foreseesNothing() : undefined, remark }
  const run: ImportRun = { context, by, options, ...begun, ...told, ...memory, ...state }
  run.remark = (said) => {
    if (said.kind === 'failed' || said.kind === 'note') run.isIncomplete = true
    remark(said)
  }
  return run
}

/** The fate of the source; this run stores a new one for later runs. */
async function settleOrigin(
  { address }: Source,
  { origin, dryRun }: ImportOptions,
  { db, write }: Context,
  number: number | undefined,
): Promise<Origin> {
  const before = await findOrigin(db, address)
  if (origin === undefined) return before
  const now = origin === 'none' ? '' : origin
  if (now !== before && !dryRun && number !== undefined) await write((tx) => saveOrigin(tx, number, now))
  return now
}

/** The ms after which an interrupted run is too old for the next one to resume it. */
const RESUMED_WITHIN = 86_400_000

async function resumeSource(source: Source, { db, now }: Context): Promise<void> {
  const number = source.resume && (await findSource(db, source.address))
  const position = number === undefined ? '' : await findPosition(db, number, formatUtc(now - RESUMED_WITHIN))
  if (position !== '') source.resume?.(position)
}

/** How a run ended; without a position, it stays the one that was noted last. */
interface RunEnd {
  state: 'done' | 'failed'
  position?: string
}

async function endRun({ run, context, counts }: ImportRun, end: RunEnd): Promise<void> {
  if (run === undefined) return
  const ended = { ...end, ended_utc: formatUtc(Date.now()), counts: JSON.stringify(counts) }
  await context.write((tx) => updateRun(tx, run, ended))
}

/** Stores the position where the next run may resume: everything before it is written. */
async function notePosition({ run, context }: ImportRun, source: Source): Promise<void> {
  const position = source.position?.()
  if (run !== undefined && position !== undefined) await context.write((tx) => updateRun(tx, run, { position }))
}

type Waiting = Record<ItemKind, SourceItem[]>

async function importEntries(run: ImportRun, { source, sameAs, progress }: ImportTask): Promise<void> {
  const waiting: Waiting = { category: [], tag: [], venue: [], organizer: [], series: [], event: [] }
  let isChecked = false
  const bringIn = async () => {
    if (!isChecked) {
      const events = [...waiting.series, ...waiting.event]
      isChecked = await refuseOwn(run, source, events)
      if (sameAs !== NOT_THE_SAME) await refuseDoubled(run, events)
    }
    await flush(run, waiting)
  }
  const { context, counts, options } = run
  // Most items were there before and are known.
  const expectsNew = () => counts.created >= counts.unchanged
  for await (const entry of source.entries({ context, images: options.images, expectsNew })) {
    if ('lost' in entry) {
      run.lost.add(entry.lost)
      continue
    }
    if ('cutOff' in entry) {
      if (options.mirror || !entry.isPage)
        run.broken ??= new BrokenSource(`${entry.cutOff} What came before is in, and nothing counts as gone.`, false)
      continue
    }
    if ('reason' in entry) {
      if (!entry.isPart) {
        run.counts.failed += 1
        noteUnread(run, entry.identity)
      }
      run.remark({ kind: entry.isPart ? 'note' : 'failed', at: entry.at, text: entry.reason })
      continue
    }
    if (standsAlone(entry.kind)) run.hasEvents = true
    if (isRepeated(run, entry)) continue
    noteForeseen(run, entry)
    waiting[entry.kind].push(withItsPictures(run, asAsked(entry, options.images)))
    if (waiting[entry.kind].length < BATCH) continue
    await bringIn()
    await notePosition(run, source)
    progress(run.counts)
  }
  await bringIn()
  progress(run.counts)
}

/**
 * Compares the database of a source, if known, and its first events with this calendar; false while there are no events yet.
 * @throws Error with one sentence when it is this database or a copy of it, or when all its events come from this calendar
 */
async function refuseOwn(run: ImportRun, { edition }: Source, events: readonly SourceItem[]): Promise<boolean> {
  if (edition !== undefined && edition() === (await readEdition(run.context.db)))
    throw new Error(
      'The source is this calendar itself, or a copy of its database; for a copy, run kalends invalidate-etags there and start it again.',
    )
  if (events.length > 0 && (await findOwn(run, events)).size === events.length)
    throw new Error('The source is this calendar itself: its events are here already.')
  return events.length > 0
}

/** Whether an item that others refer to has come before in this run, unchanged. */
function isRepeated(run: ImportRun, item: SourceItem): boolean {
  if (standsAlone(item.kind)) return false
  const key = keyOf(item.kind, item.identity)
  const { digest } = item.ahead ?? comparedOf(item)
  if (run.digests.get(key) === digest) return true
  remember(run.digests, key, digest)
  return false
}

/** Writes the waiting items: those that others refer to first, and parent categories before their children. */
async function flush(run: ImportRun, waiting: Waiting): Promise<void> {
  for (const kind of ITEM_KINDS) {
    const items = waiting[kind].splice(0)
    const batches = kind === 'category' ? levelsOf(items) : [items]
    for (const batch of batches) if (batch.length > 0) await importBatch(run, kind, batch)
  }
}

/** Categories by level: the parents of each are in an earlier level, or not among them. */
function levelsOf(items: readonly SourceItem[]): SourceItem[][] {
  const levels: SourceItem[][] = []
  let left = items
  while (left.length > 0) {
    const waiting = new Set(left.map(({ identity }) => identity))
    const isReady = ({ identity, links: { parent = [] } }: SourceItem) =>
      parent.every((one) => one === identity || !waiting.has(one))
    const ready = left.filter(isReady)
    // Categories that are their own ancestors in a broken source are refused by the rules of terms.
    if (ready.length === 0) return [...levels, [...left]]
    levels.push(ready)
    left = left.filter((item) => !isReady(item))
  }
  return levels
}
