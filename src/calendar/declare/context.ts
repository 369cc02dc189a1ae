import type { Site } from '../../base/config.ts'
import type { ImageService } from '../../store/media/media-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { SharedWork } from '../../store/storage/commit-groups.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Caller } from '../people/caller.ts'

/** The part of `Context` by which a record is presented once what the caller may not see has been removed. */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
  /** Translates `text` into the site's language and fills in `values`. */
  say: (text: string, values?: Readonly<Record<string, string>>) => string
  /** Reports a defect of the service. */
  report: (error: unknown) => void
}

/** The part of `Context` that checks need if they look up no records. */
export type ValueContext = Pick<Context, 'site' | 'caller' | 'now'>

export interface Context {
  db: Db
  /** Runs long reads, such as lists, outside the event loop. */
  readInLane: Database['readInLane']
  /** Runs `work` in one durable transaction, of which the caller is the writer. */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Like `write`, but other writes may share the transaction; undefined if each write needs its own. */
  writeShared?: (<Item, Result>(work: SharedWork<Item, Result>, item: Item) => Promise<Result>) | undefined
  /** Finds all matches of a search, including records that the caller may not see. */
  findMatching: Database['findMatching']
  /** The index for lists of public events; undefined for callers who may see more. */
  memory?: EventMemory | undefined
  images: ImageService
  say: Presenting['say']
  report: Presenting['report']
  site: Site
  caller: Caller
  /** Bytes that the answers of a batch may still take; absent outside a batch. */
  answerBudget?: { bytes: number } | undefined
  /** Number of linked records and terms that a batch has created. */
  recordsMade?: WeakMap<Tx, number> | undefined
  /** Bytes of occurrences that a batch has written, by request. */
  datesWritten?: Map<object, number> | undefined
  /** In ms since the epoch. */
  now: number
}
