import type { Context } from '../../calendar/declare/context.ts'
import type { RecordState } from '../../calendar/history/record-states.ts'
import { addId, hasId, type IdSet, makeIdSet } from '../../store/storage/id-set.ts'
import type { Writer } from '../../store/storage/recording.ts'
import type { ImportSourceColumns } from '../../store/storage/schema.ts'
import { DatabaseUnavailable, isConflict } from '../../store/storage/unavailable.ts'
import { ImportError, type Message, message, messageIn } from './import-messages.ts'
import {
  type ConflictPolicy,
  type ItemKind,
  itemKey,
  KIND_NAMES,
  type SourceItem,
  standsAlone,
} from './source-item.ts'

// The state of an import while it runs: options, counts and known records; counts and reports outcomes.

/** What becomes of a source (`--origin`); `none` takes an earlier answer back. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

/** `moved` here, `stays` the original, or empty where nobody has said. */
export type Origin = ImportSourceColumns['origin']

export interface ImportOptions {
  conflicts: ConflictPolicy
  dryRun: boolean
  /** Whether events that are gone from the source go to the trash. */
  mirror: boolean
  /** Whether a mirror may trash a large part of the events at once. */
  allowMassRemoval?: boolean
  /** Whether private events are imported. */
  private: boolean
  /** Whether new events and series wait for a review. */
  review?: boolean
  images: boolean
  /** Whether organizers' e-mail addresses in calendar files are imported, and so become public. */
  addresses?: boolean
  /** Undefined keeps the answer of an earlier run. */
  origin?: (typeof ORIGINS)[number] | undefined
}

export interface Counts {
  created: number
  updated: number
  unchanged: number
  /** Left alone, since their records were changed here. */
  left: number
  trashed: number
  failed: number
  made?: Partial<Record<ItemKind, number>>
}

/**
 * Events and series by what visitors see: coming, past, or not at all (private, draft, pending, scheduled).
 */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/** A line of the report on one item, or (`unread`) on what is not read of the source. */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note' | 'private' | 'unread'
  /** Such as `line 12`. */
  at: string
  text: Message
  /** In place of the text on the command line: it shows what this machine can reach. */
  operator?: string
}

export interface ImportRun {
  context: Context
  by: Writer
  options: ImportOptions
  /** Undefined in a dry run on a source that was never read. */
  source: number | undefined
  /** Undefined in a dry run. */
  run: number | undefined
  origin: Origin
  counts: Counts
  /** In a dry run: called for each item that would come in, with the fields that keep their values here. */
  foresee: ((item: SourceItem, here: RecordState | undefined) => void) | undefined
  remark: (remark: Remark) => void
  /** Record ids by `itemKey`, as far as the run remembers them. */
  links: Map<string, number>
  /** By `itemKey`: the same item comes again with each record that refers to it. */
  digests: Map<string, string>
  /** The series that single events became in this run. */
  begun: Set<number>
  /**
   * Where only changes are read: keys of written items, so that they are counted once if everything is read
   * after that.
   */
  written: Set<string> | undefined
  /** Why pictures could not be fetched, by address: many texts may show the same one. */
  lacks: Map<string, string>
  seen: SeenRecords
  /** Identities that the source reports as deleted. */
  lost: Set<string>
  /** Identities that could not be read or written. */
  unread: Set<string>
  /** Whether something could not be read at all, so that events which seem gone may be there. */
  isUnclear: boolean
  hasEvents: boolean
  /** Nothing is trashed for a broken source. */
  broken: BrokenSource | undefined
  /** Whether the next run has to read everything again. */
  isIncomplete: boolean
}

/** A source that broke off, or from which suspiciously many events are gone. */
export class BrokenSource extends ImportError {
  override name = 'BrokenSource'
  /** Whether somebody has to decide if the source is right. */
  readonly isDoubtful: boolean
  constructor(said: Message, isDoubtful: boolean) {
    super(said)
    this.isDoubtful = isDoubtful
  }
}

/** An item that could not be read or written does not count as gone. */
export function noteUnread(run: ImportRun, identity: string | undefined): void {
  if (identity === undefined || run.unread.size >= MOST_REMEMBERED) run.isUnclear = true
  else run.unread.add(identity)
}

/** A record has changed between planning and writing: its batch is planned again. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

/** Entries of each memory of a run; forgotten items are looked up in the database. */
const MOST_REMEMBERED = 200_000

/** A full memory is emptied first. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) map.clear()
  map.set(key, value)
}

export function describeItem({ kind, identity, occurrence, name, at }: SourceItem): Message {
  const named = { kind: message(KIND_NAMES[kind]), name }
  // A row of a table has no other identity than its place, which stands before the sentence.
  if (identity === at && name !== '') return message('{kind} “{name}”', named)
  const which = occurrence === '' ? identity : `${identity}, ${occurrence}`
  return name === ''
    ? message('{kind} {which}', { ...named, which })
    : message('{kind} {which} ({name})', { ...named, which })
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0, left: 0, trashed: 0, failed: 0 }
}

/** A bit for each id, since a source may have millions. */
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

/** Throws errors that are no fault of the item: of the database, or a plan or transaction to try again. */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/**
 * For items that refer to it, and for mirrors, which remove what was not met. `here` has the fields that keep
 * other values.
 */
export function noteRecord(run: ImportRun, item: SourceItem, record: number, here?: RecordState): void {
  if (standsAlone(item.kind)) noteSeenRecord(run.seen, record)
  else remember(run.links, itemKey(item.kind, item.identity), record)
  run.foresee?.(item, here)
}

/** Counts once, also where everything is read again after it was written. */
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

/** A record, or a part of it, stays as it is here. */
export function noteKept(run: ImportRun, item: SourceItem, text: Message): void {
  run.remark({ kind: 'kept', at: item.at, text })
}

export const describeOlder = (item: SourceItem): Message =>
  message('{item} is an earlier revision (SEQUENCE) than the one that is in, and is passed over.', {
    item: describeItem(item),
  })

/** `state` is left out for a deleted record. */
export function noteLeft(
  run: ImportRun,
  item: SourceItem,
  record: number | undefined,
  why: Message,
  state: RecordState = { status: 'trash' },
): void {
  if (record !== undefined) noteRecord(run, item, record, state)
  countItem(run, item, 'left')
  noteKept(run, item, why)
}

export function noteFailed(run: ImportRun, item: SourceItem, error: unknown): void {
  countItem(run, item, 'failed')
  noteUnread(run, item.identity)
  const said = { item: describeItem(item), reason: messageIn(error) }
  run.remark({ kind: 'failed', at: item.at, text: message('{item}: {reason}', said) })
}
