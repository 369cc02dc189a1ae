import { messageOf } from '../../base/errors.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import { addId, hasId, type IdSet, makeIdSet } from '../../store/storage/id-set.ts'
import type { Writer } from '../../store/storage/recording.ts'
import type { ImportSourceColumns } from '../../store/storage/schema.ts'
import { DatabaseUnavailable, isConflict } from '../../store/storage/unavailable.ts'
import { type ConflictPolicy, type ItemKind, itemKey, type SourceItem, standsAlone } from './source-item.ts'

// The state of an import while it runs: its options, its counts, and the records it knows.

/** The possible fates of a source; `none` takes an earlier one back. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

export type Origin = ImportSourceColumns['origin']

/** Options of an import. */
export interface ImportOptions {
  conflicts: ConflictPolicy
  /** Plan and check everything, and write nothing. */
  dryRun: boolean
  /** Move events to the trash that are gone from the source. */
  mirror: boolean
  /** Do so even with a large part of them at once. */
  allowMassRemoval?: boolean
  /** Bring in events that the source has as private. */
  private: boolean
  /** New events and series wait for a review before visitors see them. */
  review?: boolean
  /** Fetch images. */
  images: boolean
  /** The fate of the source; undefined keeps the one given to an earlier run. */
  origin?: (typeof ORIGINS)[number] | undefined
}

/** The number of items by outcome. */
export interface Counts {
  created: number
  updated: number
  unchanged: number
  /** Left unchanged, since they were changed here. */
  left: number
  trashed: number
  failed: number
  /** The items that were created, by kind. */
  made?: Partial<Record<ItemKind, number>>
}

/** How many events and series visitors see, or do not see: private ones, and those that wait as a draft, for a review or for their time. */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/** A line of the report: an item that failed, or a part of it that was not imported. */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note' | 'private'
  at: string
  text: string
}

/** The state of an import while it runs. */
export interface ImportRun {
  context: Context
  by: Writer
  options: ImportOptions
  /** Number of the source; undefined where nothing is written and it has never been read. */
  source: number | undefined
  /** Number of the run; undefined where nothing is written. */
  run: number | undefined
  origin: Origin
  counts: Counts
  /** Told of each item that stays, and of fields that keep their values here; undefined for a run that writes. */
  foresee: ((item: SourceItem, here: RecordState | undefined) => void) | undefined
  remark: (remark: Remark) => void
  /** Records by the key of their item, those used last. */
  links: Map<string, number>
  /** Digests of the items that others refer to, by key: such items come again with each record that refers to them. */
  digests: Map<string, string>
  /** The records of the series that single events of this source became in this run. */
  begun: Set<number>
  /** Keys of the items that a reading of changes has written: everything may be read again after it. Undefined for any other reading. */
  written: Set<string> | undefined
  /** Why addresses of pictures gave none, by address: many texts may show the same. */
  lacks: Map<string, string>
  /** Events and series of this source that have been read, by record. */
  seen: SeenRecords
  /** Identities of events that the source reports as deleted. */
  lost: Set<string>
  /** Identities of items of the source that could not be read or written. */
  unread: Set<string>
  /** Something in the source could not be read at all, so what seems to be gone may be there. */
  isUnclear: boolean
  /** The source has an event or a series. */
  hasEvents: boolean
  /** Why the source counts as broken, in a sentence; nothing is moved to the trash then. */
  broken: BrokenSource | undefined
  /** A record is missing or incomplete, so the next run has to read everything again. */
  isIncomplete: boolean
}

/** A source that broke off, or from which suspiciously much is gone. */
export class BrokenSource extends Error {
  override name = 'BrokenSource'
  /** Whether the source may be right, which somebody has to decide. */
  readonly isDoubtful: boolean
  constructor(message: string, isDoubtful: boolean) {
    super(message)
    this.isDoubtful = isDoubtful
  }
}

/** Remembers that an item of the source could not be read or written, so that its record does not count as gone. */
export function noteUnread(run: ImportRun, identity: string | undefined): void {
  if (identity === undefined || run.unread.size >= MOST_REMEMBERED) run.isUnclear = true
  else run.unread.add(identity)
}

/** A record has changed between planning and writing. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

/** The most entries in the memory of a run; forgotten items are looked up in the database. */
const MOST_REMEMBERED = 200_000

export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) map.clear()
  map.set(key, value)
}

/** The name of an item in the report. */
export function describeItem({ kind, identity, occurrence, name }: SourceItem): string {
  const which = occurrence === '' ? identity : `${identity}, ${occurrence}`
  return name === '' ? `${kind} ${which}` : `${kind} ${which} (${name})`
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0, left: 0, trashed: 0, failed: 0 }
}

/** Records that a run has met: a bit for each id, since a source may have millions. */
interface SeenRecords {
  ids: IdSet
}

export const noneSeen = (): SeenRecords => ({ ids: makeIdSet(0) })

export function noteSeenRecord(seen: SeenRecords, record: number): void {
  if (record >= seen.ids.length * 32) {
    const wider = makeIdSet(record * 2)
    wider.set(seen.ids)
    seen.ids = wider
  }
  addId(seen.ids, record)
}

export const isSeen = ({ ids }: SeenRecords, record: number): boolean => hasId(ids, record)

/** Throws failures of the database, which end the run; any other error is a fault of the item. */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/**
 * Remembers the record of an item, for items that refer to it and for mirrors, which remove unseen records. `here` are fields whose values differ from those
 * of the item and are kept.
 */
export function noteRecord(run: ImportRun, item: SourceItem, record: number, here?: RecordState): void {
  if (standsAlone(item.kind)) noteSeenRecord(run.seen, record)
  else remember(run.links, itemKey(item.kind, item.identity), record)
  run.foresee?.(item, here)
}

/** Counts the outcome of an item, once: also where everything is read again after it was written. */
export function countItem({ counts, written }: ImportRun, item: SourceItem, fate: Exclude<keyof Counts, 'made'>): void {
  const key = itemKey(item.kind, item.identity, item.occurrence)
  if (written?.has(key)) return
  counts[fate] += 1
  if (fate === 'created') counts.made = { ...counts.made, [item.kind]: (counts.made?.[item.kind] ?? 0) + 1 }
  if (written && written.size < MOST_REMEMBERED && (fate === 'created' || fate === 'updated')) written.add(key)
}

/** Reports what stays as it is here: `what` ends a sentence about the item. */
export function noteKept(run: ImportRun, item: SourceItem, what: string): void {
  run.remark({ kind: 'kept', at: item.at, text: `${describeItem(item)} ${what}` })
}

/** The reason for keeping an item whose later revision was read before. */
export const OLDER = 'is an earlier revision (SEQUENCE) than the one that is in, and is passed over.'

/** Reports an item whose record stays as it is: `why` ends a sentence about it. `state` is that of the record, undefined for a deleted one. */
export function noteLeft(
  run: ImportRun,
  item: SourceItem,
  record: number | undefined,
  why: string,
  state: RecordState = { status: 'trash' },
): void {
  if (record !== undefined) noteRecord(run, item, record, state)
  countItem(run, item, 'left')
  noteKept(run, item, why)
}

/** Reports an item that was not imported. */
export function noteFailed(run: ImportRun, item: SourceItem, error: unknown): void {
  countItem(run, item, 'failed')
  noteUnread(run, item.identity)
  run.remark({ kind: 'failed', at: item.at, text: `${describeItem(item)}: ${reasonOf(run, error)}` })
}

/** Why an item could not be written, in words. */
function reasonOf({ context: { site } }: ImportRun, error: unknown): string {
  if (!(error instanceof Problem)) return messageOf(error)
  const { message, data } = problemReply(error, site.language, true).body
  const { params } = data
  const named = params !== null && typeof params === 'object' && !Array.isArray(params) ? Object.entries(params) : []
  return named.length === 0 ? message : named.map(([name, text]) => `${name}: ${String(text)}`).join(' ')
}
