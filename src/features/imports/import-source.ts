import { STATUS_WORDS, STATUSES } from '../../base/fields/field.ts'
import { recurrenceInWords } from '../../base/recurrence/recurrence-in-words.ts'
import { plainText } from '../../base/text/html.ts'
import { dayOf, formatUtc, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { withImages } from '../../calendar/images/images.ts'
import { TIMES } from '../../calendar/series/series-schedule.ts'
import { readEdition } from '../../store/storage/edition.ts'
import type { Writer } from '../../store/storage/recording.ts'
import { announced } from '../feeds/event-status.ts'
import { whenInWords } from '../pages/when-in-words.ts'
import { findOwn, refuseDoubled } from './already-here.ts'
import { withItsPictures } from './fetch-pictures.ts'
import { continueSource, findFormer, holdSource, NOT_THE_SAME } from './hold-source.ts'
import { importBatch } from './import-batch.ts'
import { countMessage, ImportError, type Message, message } from './import-messages.ts'
import {
  BrokenSource,
  type Counts,
  type ImportOptions,
  type ImportRun,
  noCounts,
  noneSeen,
  noteUnread,
  type Origin,
  type Remark,
  remember,
  type VisibleCounts,
} from './import-run.ts'
import {
  countStandings,
  findOrigin,
  findPosition,
  findSource,
  findSourceToken,
  insertRun,
  saveOrigin,
  saveToken,
  updateRun,
} from './import-store.ts'
import { handleMissing, isLossUnknown } from './missing-items.ts'
import { isSeriesOver, scheduleIn } from './shown-records.ts'
import {
  asAsked,
  comparedOf,
  ITEM_KINDS,
  type ItemKind,
  isToBeSeen,
  itemKey,
  type Source,
  type SourceItem,
  settledOf,
  standsAlone,
} from './source-item.ts'

/** Items per transaction: the service reads all of them again before it answers an uncached list. */
const BATCH = 200

export interface ImportTask {
  source: Source
  options: ImportOptions
  context: Context
  by: Writer
  remark: (remark: Remark) => void
  restart: () => void
  progress: (counts: Counts) => void
  /** The source to continue, or `none` if it only shares events with another one. */
  sameAs?: string | undefined
  wait: () => void
  /** Items of one kind per transaction; by default `BATCH`. */
  atOnce?: number
}

interface Imported {
  run: number | undefined
  counts: Counts
  visible: VisibleCounts
  preview: string[]
  /** Set if the source broke off: what came before is imported, nothing trashed. */
  broken: BrokenSource | undefined
}

/**
 * Imports the source, or counts in a dry run. Writes before an interruption stay.
 * @throws Error when the source cannot be read any further
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

/** Runs the import under the lock; a dry run needs none, writes nothing, and its source may have no id. */
async function importHeld(task: ImportTask, number: number | undefined): Promise<Imported> {
  const dryRun = task.options.dryRun ? nothingSeen() : undefined
  const run = await beginRun(task, number, dryRun)
  let end: RunEnd = { state: 'failed' }
  try {
    await withImages(run.context, async () => {
      await importEntries(run, task, dryRun)
      if (!task.source.isWhole() && (await isLossUnknown(run))) await importWhole(run, task, dryRun)
      if (!run.broken) await handleMissing(run, task.source.isWhole())
    })
    await noteToken(run, task.source)
    // Without a position the next run reads a broken source from its start.
    end = run.broken ? { state: 'failed', position: '' } : { state: 'done' }
  } finally {
    await endRun(run, end)
  }
  const visible = dryRun?.visible ?? (await findVisible(run))
  const preview = dryRun ? await previewEvents(run, dryRun) : []
  return { run: run.run, counts: run.counts, broken: run.broken, visible, preview }
}

/**
 * Reads the whole source again: a list of changes omits unchanged occurrences, so it does not show which are
 * gone. Written items stay counted.
 */
async function importWhole(run: ImportRun, task: ImportTask, dryRun: DryRun | undefined): Promise<void> {
  const { created, updated, made } = run.counts
  run.counts = dryRun ? noCounts() : { ...noCounts(), created, updated, ...(made && { made }) }
  if (dryRun) {
    run.written?.clear()
    Object.assign(dryRun, nothingSeen())
  }
  run.seen = noneSeen()
  run.digests.clear()
  task.restart()
  task.source.readSince?.('')
  await importEntries(run, task, dryRun)
}

/** Stores the sync token: the next run reads only later changes. */
async function noteToken(run: ImportRun, from: Source): Promise<void> {
  const { source, context, options, isIncomplete, broken } = run
  const token = from.token?.() ?? ''
  if (source === undefined || options.dryRun || isIncomplete || broken || token === '') return
  await context.write((tx) => saveToken(tx, source, token, tokenOptions(options)))
}

/** Options stored with the token, which is useless to a run with others: records might be left out. */
function tokenOptions(options: ImportOptions): string {
  return JSON.stringify({ ...options, dryRun: false, allowMassRemoval: undefined })
}

async function beginRun(
  { source, options, context, by, remark }: ImportTask,
  number: number | undefined,
  dryRun: DryRun | undefined,
): Promise<ImportRun> {
  const token = await findSourceToken(context.db, source.address, tokenOptions(options))
  source.readSince?.(token)
  if (!options.dryRun) await resumeSource(source, context)
  const origin = await settleOrigin(source, options, context, number)
  const row = { source: number ?? 0, user: context.caller.id, options: JSON.stringify(options) }
  const id = options.dryRun ? undefined : await context.write((tx) => insertRun(tx, row, Date.now()))
  const begun = { source: number, run: id, origin }
  const sets = {
    begun: new Set<number>(),
    seen: noneSeen(),
    lost: new Set<string>(),
    unread: new Set<string>(),
  }
  const memory = { links: new Map(), digests: new Map(), lacks: new Map(), ...sets }
  const state = { isUnclear: false, hasEvents: false, broken: undefined, isIncomplete: false }
  const written = source.readSince && token !== '' ? new Set<string>() : undefined
  const onDryRunItem: ImportRun['onDryRunItem'] =
    dryRun && ((item, here) => noteDryRun(dryRun, context, item, here, options.review))
  const told = { counts: noCounts(), written, onDryRunItem, remark }
  const run: ImportRun = { context, by, options, ...begun, ...told, ...memory, ...state }
  run.remark = (said) => {
    if (said.kind === 'failed' || said.kind === 'note') run.isIncomplete = true
    remark(said)
  }
  return run
}

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

/** In ms. After an earlier interruption the source is read from its start. */
const RESUMED_WITHIN = 86_400_000

async function resumeSource(source: Source, { db, now }: Context): Promise<void> {
  const number = source.resume && (await findSource(db, source.address))
  const position = number === undefined ? '' : await findPosition(db, number, formatUtc(now - RESUMED_WITHIN))
  if (position !== '') source.resume?.(position)
}

interface RunEnd {
  state: 'done' | 'failed'
  position?: string
}

async function endRun({ run, context, counts }: ImportRun, end: RunEnd): Promise<void> {
  if (run === undefined) return
  const ended = { ...end, ended_utc: formatUtc(Date.now()), counts: JSON.stringify(counts) }
  await context.write((tx) => updateRun(tx, run, ended))
}

async function notePosition({ run, context }: ImportRun, source: Source): Promise<void> {
  const position = source.position?.()
  if (run !== undefined && position !== undefined)
    await context.write((tx) => updateRun(tx, run, { position }))
}

type Waiting = Record<ItemKind, SourceItem[]>

async function importEntries(
  run: ImportRun,
  { source, sameAs, progress, atOnce = BATCH }: ImportTask,
  dryRun: DryRun | undefined,
): Promise<void> {
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
  // Until most items are known ones, further ones are likely to be new.
  const expectsNew = () => counts.created >= counts.unchanged
  const wanted = { images: options.images, addresses: options.addresses === true }
  let withheld = 0
  for await (const entry of source.entries({ context, ...wanted, expectsNew })) {
    if ('lost' in entry) {
      run.lost.add(entry.lost)
      continue
    }
    if ('cutOff' in entry) {
      if (options.mirror || !entry.isPage)
        run.broken ??= new BrokenSource(
          [entry.cutOff, message('What came before is in, and nothing counts as gone.')],
          false,
        )
      continue
    }
    if ('unread' in entry) {
      run.remark({ kind: 'unread', at: entry.at, text: entry.unread })
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
    if (entry.hasAddress && !wanted.addresses) withheld += 1
    if (dryRun) noteFirstEvents(dryRun, run, entry)
    waiting[entry.kind].push(withItsPictures(run, asAsked(entry, wanted)))
    if (waiting[entry.kind].length < atOnce) continue
    await bringIn()
    await notePosition(run, source)
    progress(run.counts)
  }
  await bringIn()
  if (withheld > 0) run.remark({ kind: 'unread', at: 'ORGANIZER', text: describeWithheld(withheld) })
  progress(run.counts)
}

function describeWithheld(count: number): Message {
  return [
    countMessage('The e-mail addresses of {count} organizers would be public here.', count),
    message('--with-addresses brings them in.'),
  ]
}

/**
 * Refuses this calendar as its own source, by the edition of the database or the first events.
 * @returns false while there were no events to compare
 * @throws ImportError if the source is this calendar
 */
async function refuseOwn(
  run: ImportRun,
  { edition }: Source,
  events: readonly SourceItem[],
): Promise<boolean> {
  if (edition !== undefined && edition() === (await readEdition(run.context.db)))
    throw new ImportError([
      message('The source is this calendar itself, or a copy of its database;'),
      message('for a copy, run kalends invalidate-etags there and start it again.'),
    ])
  if (events.length > 0 && (await findOwn(run, events)).size === events.length)
    throw new ImportError(message('The source is this calendar itself: its events are here already.'))
  return events.length > 0
}

/** True for a linked item read before in this run: the first counts, so that runs do not undo each other. */
function isRepeated(run: ImportRun, item: SourceItem): boolean {
  if (standsAlone(item.kind)) return false
  const key = itemKey(item.kind, item.identity)
  const before = run.digests.get(key)
  if (before !== undefined && !item.isChange) return true
  const { digest } = item.ahead ?? comparedOf(item)
  if (before === digest) return true
  remember(run.digests, key, digest)
  return false
}

/** Writes waiting items: linked records before events, categories level by level. */
async function flush(run: ImportRun, waiting: Waiting): Promise<void> {
  for (const kind of ITEM_KINDS) {
    const items = waiting[kind].splice(0)
    const batches = kind === 'category' ? levelsOf(items) : [items]
    for (const batch of batches) if (batch.length > 0) await importBatch(run, kind, batch)
  }
}

/** Groups categories by levels; a parent is in an earlier level, or not in `items`. */
function levelsOf(items: readonly SourceItem[]): SourceItem[][] {
  const levels: SourceItem[][] = []
  let left = items
  while (left.length > 0) {
    const waiting = new Set(left.map(({ identity }) => identity))
    const isReady = ({ identity, links: { parent = [] } }: SourceItem) =>
      parent.every((one) => one === identity || !waiting.has(one))
    const ready = left.filter(isReady)
    // The rest are, or lie below, their own ancestors, which the rules of terms refuse.
    if (ready.length === 0) return [...levels, [...left]]
    levels.push(ready)
    left = left.filter((item) => !isReady(item))
  }
  return levels
}

const SHOWN = 10

interface DryRun {
  visible: VisibleCounts
  first: SourceItem[]
  venues: Map<string, string>
}

const nothingSeen = (): DryRun => ({ visible: noneVisible(), first: [], venues: new Map() })

const noneVisible = (): VisibleCounts => ({ coming: 0, past: 0, private: 0, waiting: 0 })

function addStanding(visible: VisibleCounts, status: string, isOver: boolean, count = 1): void {
  if (status === 'trash') return
  if (status === 'private') visible.private += count
  else if (status !== 'publish') visible.waiting += count
  else visible[isOver ? 'past' : 'coming'] += count
}

async function findVisible({ source, context }: ImportRun): Promise<VisibleCounts> {
  const visible = noneVisible()
  const rows = source === undefined ? [] : await countStandings(context.db, source, formatUtc(context.now))
  for (const { status, is_over, count } of rows)
    addStanding(visible, status, Number(is_over) === 1, Number(count))
  return visible
}

const SEEN_BY = ['status', 'recurrence', ...TIMES]

function noteDryRun(
  { visible }: DryRun,
  context: Context,
  item: SourceItem,
  here: RecordState = {},
  isReviewed = false,
): void {
  if (!standsAlone(item.kind) || item.occurrence !== '') return
  const kept = Object.entries(here).filter(([field]) => SEEN_BY.includes(field))
  const one =
    kept.length === 0
      ? item
      : { ...item, ahead: undefined, values: { ...item.values, ...Object.fromEntries(kept) } }
  if (one.values.status === 'trash') return
  const own = settledOf(one, context)
  if (!own) return
  const { now } = context
  addStanding(
    visible,
    isReviewed && kept.length === 0 && isToBeSeen(own.status) ? 'pending' : own.status,
    item.kind === 'series' ? isSeriesOver(one.values, now) : own.utc_end_date < formatUtc(now),
  )
}

function noteFirstEvents(dryRun: DryRun, { options }: ImportRun, item: SourceItem): void {
  if (item.kind === 'venue') remember(dryRun.venues, item.identity, item.name)
  const isEvent = standsAlone(item.kind) && item.occurrence === ''
  if (!isEvent || dryRun.first.length >= SHOWN || (!options.private && item.values.status === 'private'))
    return
  dryRun.first.push(item)
}

async function previewEvents(run: ImportRun, { first, venues }: DryRun): Promise<string[]> {
  const items = first.filter(({ identity }) => !run.unread.has(identity))
  const lines = await Promise.all(
    items.map(async (item) => showEvent(run, item, await placesOf(run, venues, item))),
  )
  return lines.filter((line) => line !== undefined)
}

function showEvent({ context }: ImportRun, item: SourceItem, places: readonly string[]): string | undefined {
  const { site, say, now } = context
  const own = settledOf(item, context)
  if (!own) return undefined
  const title = announced(site, { event_status: own.event_status ?? 'scheduled' }, plainText(own.title))
  const schedule = item.kind === 'series' ? scheduleIn(item.values, now) : undefined
  const rule = schedule && recurrenceInWords(schedule.recurrence, schedule.start, site.language, say)
  const when = whenInWords(site, own, dayOf(wallNow(site.timezone, now)))
  const status = own.status === 'publish' ? undefined : STATUSES.find((one) => one === own.status)
  const parts = [title, when, rule ?? '', ...places, status ? say(STATUS_WORDS[status]) : '']
  return parts.filter((part) => part !== '').join(' · ')
}

async function placesOf(
  { context, links }: ImportRun,
  names: DryRun['venues'],
  { links: { venue = [] } }: SourceItem,
) {
  const known = venue.flatMap((identity) => links.get(itemKey('venue', identity)) ?? [])
  const states = await readStates(context.db, 'venue', known)
  return venue.flatMap((identity) => {
    const here = states.get(links.get(itemKey('venue', identity)) ?? 0)
    const name = names.get(identity) ?? here?.venue
    return typeof name === 'string' ? [plainText(name)] : []
  })
}
