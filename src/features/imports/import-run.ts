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

/** `none` takes an earlier answer back. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

/** The source has `moved` here or `stays` the original. It is empty if nobody has said. */
export type Origin = ImportSourceColumns['origin']

export interface ImportOptions {
  conflicts: ConflictPolicy
  dryRun: boolean
  mirror: boolean
  allowMassRemoval?: boolean
  private: boolean
  review?: boolean
  images: boolean
  /** Organizers' e-mail addresses of calendar files are imported, and so become public. */
  addresses?: boolean
  /** Undefined keeps the answer of an earlier run. */
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

/** Coming, past, or not seen at all. */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/** `unread` is about what is not read of the source; other remarks are about one item. */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note' | 'private' | 'unread'
  at: string
  text: Message
  /** The command line shows it in place of the text: it tells what this machine can reach. */
  operator?: string
}

export interface ImportRun {
  context: Context
  by: Writer
  options: ImportOptions
  /** Undefined in a dry run on a source that was never read. */
  source: number | undefined
  run: number | undefined
  origin: Origin
  counts: Counts
  /** A dry run calls it for each item that would come in, with the fields that keep their values here. */
  onDryRunItem: ((item: SourceItem, here: RecordState | undefined) => void) | undefined
  remark: (remark: Remark) => void
  /** Ids by `itemKey`, as far as the run remembers them. */
  links: Map<string, number>
  /** The same item comes again with each record that refers to it. */
  digests: Map<string, string>
  begun: Set<number>
  /** Keys of written items while only changes are read: if all is read again, they count once. */
  written: Set<string> | undefined
  /** Why pictures could not be fetched, by address. Many texts may show the same one. */
  lacks: Map<string, string>
  seen: SeenRecords
  lost: Set<string>
  unread: Set<string>
  /** True if something could not be read at all, so that events that seem gone may be there. */
  isUnclear: boolean
  hasEvents: boolean
  /** If set, nothing is trashed. */
  broken: BrokenSource | undefined
  isIncomplete: boolean
}

/** A source broke off, or suspiciously many events are gone from it. */
export class BrokenSource extends ImportError {
  override name = 'BrokenSource'
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

/** A record changed between planning and writing: its batch is planned again. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

/** Maximum of items that a run remembers; others are looked up in the database. */
const MOST_REMEMBERED = 200_000

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

/** A source may have millions of records: each id is a bit. */
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

/** Throws errors that are no fault of the item, such as an outage or a stale plan. */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/**
 * Notes that the source has the record: mirrors remove what was not noted. `here` has the fields that keep
 * other values.
 */
export function noteRecord(run: ImportRun, item: SourceItem, record: number, here?: RecordState): void {
  if (standsAlone(item.kind)) noteSeenRecord(run.seen, record)
  else remember(run.links, itemKey(item.kind, item.identity), record)
  run.onDryRunItem?.(item, here)
}

/** Counts an item once, even if everything is read again. */
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
