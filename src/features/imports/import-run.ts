import { messageOf } from '../../base/errors.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import { addId, hasId, type IdSet, makeIdSet } from '../../store/storage/id-set.ts'
import type { Writer } from '../../store/storage/recording.ts'
import type { ImportSourceColumns } from '../../store/storage/schema.ts'
import { DatabaseUnavailable, isConflict } from '../../store/storage/unavailable.ts'
import { type ConflictPolicy, type ItemKind, itemKey, type SourceItem, standsAlone } from './source-item.ts'

// Holds the state of an import while it runs (options, counts and known records), and counts and reports the
// outcome of items.

/** The values of `--origin`, the fate of a source; `none` takes an earlier fate back. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

/** The fate of a source: `moved` here, `stays` the original, or empty where nobody has said. */
export type Origin = ImportSourceColumns['origin']

/** Options of an import. */
export interface ImportOptions {
  conflicts: ConflictPolicy
  /** Whether everything is planned and checked, and nothing is written. */
  dryRun: boolean
  /** Whether events that are gone from the source move to the trash. */
  mirror: boolean
  /** Whether a mirror may move a large part of the events to the trash at once. */
  allowMassRemoval?: boolean
  /** Whether events come in that are private in the source. */
  private: boolean
  /** Whether new events and series wait for a review before visitors see them. */
  review?: boolean
  /** Whether images are fetched. */
  images: boolean
  /** Whether the e-mail addresses of organizers of calendar files come in, and so become public. */
  addresses?: boolean
  /** The fate of the source; undefined keeps the fate that an earlier run was given. */
  origin?: (typeof ORIGINS)[number] | undefined
}

/** The number of items by outcome. */
export interface Counts {
  created: number
  updated: number
  unchanged: number
  /** The items left alone, since their records were changed here. */
  left: number
  trashed: number
  failed: number
  /** The items that were created, by kind. */
  made?: Partial<Record<ItemKind, number>>
}

/**
 * How many events and series visitors see, coming or past, and how many they do not see: private ones, and
 * those waiting as draft, pending or scheduled.
 */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/**
 * A line of the report on one item: that it failed, was left out, stays as it is here or is gone, or that a
 * part of it is not in; or, as `unread`, a line on what is not read of the source.
 */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note' | 'private' | 'unread'
  at: string
  text: string
}

/** The state of an import while it runs. */
export interface ImportRun {
  context: Context
  by: Writer
  options: ImportOptions
  /** The number of the source; undefined in a dry run on a source that has never been read. */
  source: number | undefined
  /** The number of the run; undefined in a dry run. */
  run: number | undefined
  origin: Origin
  counts: Counts
  /**
   * In a dry run: called for each item that would be in the calendar, with the fields that keep their values
   * here. Undefined for a run that writes.
   */
  foresee: ((item: SourceItem, here: RecordState | undefined) => void) | undefined
  remark: (remark: Remark) => void
  /** The ids of records by the `itemKey` of their item, as far as the run remembers them. */
  links: Map<string, number>
  /**
   * The digests of items that others refer to, by `itemKey`: the same item comes again with each record that
   * refers to it.
   */
  digests: Map<string, string>
  /** The ids of the series that single events of this source became in this run. */
  begun: Set<number>
  /**
   * Where only changes are read: the keys of the written items, so that they are not counted again if
   * everything is read after that. Else undefined.
   */
  written: Set<string> | undefined
  /** Why pictures could not be fetched, by address: many texts may show the same picture. */
  lacks: Map<string, string>
  /** The events and series of this source that the run has read. */
  seen: SeenRecords
  /** The identities of events that the source reports as deleted. */
  lost: Set<string>
  /** The identities of items of the source that could not be read or written. */
  unread: Set<string>
  /**
   * Whether something in the source could not be read at all, so that events which seem to be gone may be
   * there.
   */
  isUnclear: boolean
  /** Whether the source has an event or a series. */
  hasEvents: boolean
  /** Why the source counts as broken. Nothing is moved to the trash then. */
  broken: BrokenSource | undefined
  /** Whether a record is missing or incomplete, so that the next run has to read everything again. */
  isIncomplete: boolean
}

/** The failure of a source that broke off, or from which suspiciously many events are gone. */
export class BrokenSource extends Error {
  override name = 'BrokenSource'
  /** Whether the source may be right all the same, which somebody has to decide. */
  readonly isDoubtful: boolean
  constructor(message: string, isDoubtful: boolean) {
    super(message)
    this.isDoubtful = isDoubtful
  }
}

/**
 * Remembers that an item of the source could not be read or written, so that its record does not count as
 * gone.
 */
export function noteUnread(run: ImportRun, identity: string | undefined): void {
  if (identity === undefined || run.unread.size >= MOST_REMEMBERED) run.isUnclear = true
  else run.unread.add(identity)
}

/** The error for a record that has changed between planning and writing: its batch is planned again. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

/**
 * The most entries of each memory of a run. A full memory is emptied; forgotten items are looked up in the
 * database.
 */
const MOST_REMEMBERED = 200_000

/** Sets a value in a memory of a run. A full memory is emptied first. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) map.clear()
  map.set(key, value)
}

/** Returns the name of an item in the report. */
export function describeItem({ kind, identity, occurrence, name }: SourceItem): string {
  const which = occurrence === '' ? identity : `${identity}, ${occurrence}`
  return name === '' ? `${kind} ${which}` : `${kind} ${which} (${name})`
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0, left: 0, trashed: 0, failed: 0 }
}

/** The records that a run has met, as a bit for each id, since a source may have millions. */
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

/**
 * Throws an error that is no fault of the item: a failure of the database, or a plan or transaction to be
 * tried again. Ignores any other error.
 */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/**
 * Remembers the record of an item: for items that refer to it, and for mirrors, which remove records that
 * were not met. `here` has the fields that keep other values than those of the item.
 */
export function noteRecord(run: ImportRun, item: SourceItem, record: number, here?: RecordState): void {
  if (standsAlone(item.kind)) noteSeenRecord(run.seen, record)
  else remember(run.links, itemKey(item.kind, item.identity), record)
  run.foresee?.(item, here)
}

/**
 * Counts the outcome of an item, but not a second time where everything is read again after it was written.
 */
export function countItem(
  { counts, written }: ImportRun,
  item: SourceItem,
  fate: Exclude<keyof Counts, 'made'>,
): void {
  const key = itemKey(item.kind, item.identity, item.occurrence)
  if (written?.has(key)) return
  counts[fate] += 1
  if (fate === 'created') counts.made = { ...counts.made, [item.kind]: (counts.made?.[item.kind] ?? 0) + 1 }
  if (written && written.size < MOST_REMEMBERED && (fate === 'created' || fate === 'updated'))
    written.add(key)
}

/** Reports that a record, or a part of it, stays as it is here; `what` ends a sentence about the item. */
export function noteKept(run: ImportRun, item: SourceItem, what: string): void {
  run.remark({ kind: 'kept', at: item.at, text: `${describeItem(item)} ${what}` })
}

/** The end of a sentence about an item whose later revision was read before. */
export const OLDER = 'is an earlier revision (SEQUENCE) than the one that is in, and is passed over.'

/**
 * Counts and reports an item whose record stays as it is; `why` ends a sentence about the item. `state` is
 * left out for a deleted record.
 */
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

/** Counts and reports an item that was not imported. */
export function noteFailed(run: ImportRun, item: SourceItem, error: unknown): void {
  countItem(run, item, 'failed')
  noteUnread(run, item.identity)
  run.remark({ kind: 'failed', at: item.at, text: `${describeItem(item)}: ${reasonOf(run, error)}` })
}

/** Returns in words why an item could not be written. */
function reasonOf({ context: { site } }: ImportRun, error: unknown): string {
  if (!(error instanceof Problem)) return messageOf(error)
  const { message, data } = problemReply(error, site.language, true).body
  const { params } = data
  const named = isRecord(params) ? Object.entries(params) : []
  return named.length === 0 ? message : named.map(([name, text]) => `${name}: ${String(text)}`).join(' ')
}
