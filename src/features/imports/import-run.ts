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

/** Values of `--origin`; `none` withdraws an earlier one. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

/** The source has `moved` here, or `stays` the original; empty: unknown. */
export type Origin = ImportSourceColumns['origin']

export interface ImportOptions {
  conflicts: ConflictPolicy
  dryRun: boolean
  mirror: boolean
  allowMassRemoval?: boolean
  private: boolean
  review?: boolean
  images: boolean
  /** Imports, and so publishes, e-mail addresses of organizers in calendar files. */
  addresses?: boolean
  /** If undefined, the origin set by an earlier run stays. */
  origin?: (typeof ORIGINS)[number] | undefined
}

export interface Counts {
  created: number
  updated: number
  unchanged: number
  left: number
  trashed: number
  failed: number
  made?: Partial<Record<ItemKind, number>>
}

/** Events that visitors see (`coming`, `past`) or not (`private`; `waiting` for publication). */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/** `unread` is about a part of the source that was not read, other kinds about one item. */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note' | 'private' | 'unread'
  at: string
  text: Message
  /** Replaces `text` on the command line: it reveals hosts that this machine can reach. */
  operator?: string
}

export interface ImportRun {
  context: Context
  by: Writer
  options: ImportOptions
  /** Undefined in a dry run on a source never read. */
  source: number | undefined
  run: number | undefined
  origin: Origin
  counts: Counts
  /** In a dry run, gets each item to import and the fields that would keep their values here. */
  onDryRunItem: ((item: SourceItem, here: RecordState | undefined) => void) | undefined
  remark: (remark: Remark) => void
  /** Ids by `itemKey` of at most `MOST_REMEMBERED` items; others are looked up. */
  links: Map<string, number>
  /** Digests of linked items, by `itemKey`: every event that refers to an item may repeat it. */
  digests: Map<string, string>
  begun: Set<number>
  /** Set if only changes are read: keys of written items, which count once even if all is read again. */
  written: Set<string> | undefined
  /** Why pictures could not be fetched, by address: texts may share them. */
  lacks: Map<string, string>
  seen: SeenRecords
  lost: Set<string>
  unread: Set<string>
  /** True if an item of unknown identity was not read: it may be an event that seems gone. */
  isUnclear: boolean
  hasEvents: boolean
  /** Set if the source broke off or is doubtful: nothing is trashed then. */
  broken: BrokenSource | undefined
  isIncomplete: boolean
}

/** The source broke off, or suspiciously many of its events are gone (`isDoubtful`). */
export class BrokenSource extends ImportError {
  override name = 'BrokenSource'
  readonly isDoubtful: boolean
  constructor(said: Message, isDoubtful: boolean) {
    super(said)
    this.isDoubtful = isDoubtful
  }
}

/** Notes an item not read or written, so that its record does not count as gone. */
export function noteUnread(run: ImportRun, identity: string | undefined): void {
  if (identity === undefined || run.unread.size >= MOST_REMEMBERED) run.isUnclear = true
  else run.unread.add(identity)
}

/** A record has changed between plan and write: its batch is planned again. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

const MOST_REMEMBERED = 200_000

export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) map.clear()
  map.set(key, value)
}

export function describeItem({ kind, identity, occurrence, name, at }: SourceItem): Message {
  const named = { kind: message(KIND_NAMES[kind]), name }
  // The identity of a row of a table is its place, which precedes the sentence already.
  if (identity === at && name !== '') return message('{kind} “{name}”', named)
  const which = occurrence === '' ? identity : `${identity}, ${occurrence}`
  return name === ''
    ? message('{kind} {which}', { ...named, which })
    : message('{kind} {which} ({name})', { ...named, which })
}

export function noCounts(): Counts {
  return { created: 0, updated: 0, unchanged: 0, left: 0, trashed: 0, failed: 0 }
}

/** Records seen, one bit each: a source may have millions. */
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

/** Throws the error again if no item is to blame, as in an outage or with a stale plan. */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/** Notes that the source still has the record: a mirror trashes others. `here` are values kept here. */
export function noteRecord(run: ImportRun, item: SourceItem, record: number, here?: RecordState): void {
  if (standsAlone(item.kind)) noteSeenRecord(run.seen, record)
  run.onDryRunItem?.(item, here)
}

/** Counts an item; one in `written` not again when the source is read again. */
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

export function noteKept(run: ImportRun, item: SourceItem, text: Message): void {
  run.remark({ kind: 'kept', at: item.at, text })
}

export const describeOlder = (item: SourceItem): Message =>
  message('{item} is an earlier revision (SEQUENCE) than the one that is in, and is passed over.', {
    item: describeItem(item),
  })

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
