import type { Context } from '../declare/context.ts'
import type { Writer } from '../storage/recording.ts'
import type { ORIGINS, Origin } from './item-pages.ts'
import type { ConflictPolicy } from './plan-item.ts'
import type { SeenRecords } from './seen-records.ts'
import type { ItemKind, SourceItem } from './source-item.ts'

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
  /** Those created, by kind. */
  made?: Partial<Record<ItemKind, number>>
}

/** How many events and series visitors see, or do not see: private ones, and those that wait as a draft, for a review or for their time. */
export interface VisibleCounts {
  coming: number
  past: number
  private: number
  waiting: number
}

/** What a dry run foresees. */
export interface Foreseen {
  visible: VisibleCounts
  /** The first events of the source. */
  first: SourceItem[]
  /** The names of venues that were read last, by identity. */
  venues: Map<string, string>
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
  /** Undefined for a run that writes. */
  foreseen: Foreseen | undefined
  remark: (remark: Remark) => void
  /** Records by the key of their item, those used last. */
  links: Map<string, number>
  /** Digests of the items that others refer to, by key: such items come again with each record that refers to them. */
  digests: Map<string, string>
  /** The records of the series that single events of this source became in this run. */
  begun: Set<number>
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

/** The name of the list of a kind. */
export const PATHS: Readonly<Record<ItemKind, string>> = {
  category: 'categories',
  tag: 'tags',
  venue: 'venues',
  organizer: 'organizers',
  series: 'series',
  event: 'events',
}
