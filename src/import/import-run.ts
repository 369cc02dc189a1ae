import type { Context } from '../context/context.ts'
import type { Writer } from '../storage/recording.ts'
import type { ORIGINS, Origin } from './item-pages.ts'
import type { ConflictPolicy } from './plan-item.ts'
import type { SeenRecords } from './seen-records.ts'
import type { ItemKind, SourceItem } from './source-item.ts'

/** How a source is imported. */
export interface ImportOptions {
  conflicts: ConflictPolicy
  /** Plan and check everything, and write nothing. */
  dryRun: boolean
  /** Move events to the trash that are gone from the source. */
  mirror: boolean
  /** Fetch images. */
  images: boolean
  /** The fate of the source; undefined leaves it as an earlier run was told. */
  origin?: (typeof ORIGINS)[number] | undefined
}

/** How many items had which fate. */
export interface Counts {
  created: number
  updated: number
  unchanged: number
  /** Left alone, since they were changed here. */
  left: number
  trashed: number
  failed: number
}

/** One line of the report: an item that failed, or something of it that did not come along. */
export interface Remark {
  kind: 'failed' | 'kept' | 'missing' | 'note'
  at: string
  text: string
}

/** A run of an import, and what it has to remember. */
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
  remark: (remark: Remark) => void
  /** Records by the key of their item, those used last. */
  links: Map<string, number>
  /** Digests of the items that others refer to, by key: they come again with each record that does. */
  digests: Map<string, string>
  /** Series that single events of this source have become in this run, by record. */
  begun: Set<number>
  /** Events and series of this source that have been read, by record. */
  seen: SeenRecords
  /** Identities of events that the source says it has no more. */
  lost: Set<string>
  /** Something is not in, or not whole, and is to be told again the next time. */
  isIncomplete: boolean
}

/** A record has changed between the look at it and the write. */
export class StalePlan extends Error {
  override name = 'StalePlan'
}

/** Entries of the memory of a run; items that it has forgotten are looked up in the database. */
const MOST_REMEMBERED = 200_000

export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) map.clear()
  map.set(key, value)
}

/** What the report calls an item. */
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
