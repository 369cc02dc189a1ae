import type { Site } from '../../base/config.ts'
import type { ImageService } from '../../store/media/media-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { SharedWork } from '../../store/storage/commit-groups.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Caller } from '../people/caller.ts'

// The context of a request, which nearly every function above the stores takes as a parameter.

/**
 * The part of a context that presenting a record needs. The caller is not in it: a record looks the same to
 * everybody who may see it.
 */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
  /** Translates `text` into the language of the site, and fills in `values`. */
  say: (text: string, values?: Readonly<Record<string, string>>) => string
  /** Reports a defect of the service, such as a record that cannot be shown. */
  report: (error: unknown) => void
}

/** The part of a context for checks of values that look up no records. */
export type ValueContext = Pick<Context, 'site' | 'caller' | 'now'>

export interface Context {
  db: Db
  /** Runs long reads, such as those of lists, outside the event loop. */
  readInLane: Database['readInLane']
  /**
   * Runs `work` in one durable transaction in the name of the caller. Only request handlers call this; they
   * pass the transaction on.
   */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /**
   * Like `write`, in a transaction that may be shared with other requests; undefined if each write needs
   * its own.
   */
  writeShared?: (<Item, Result>(work: SharedWork<Item, Result>, item: Item) => Promise<Result>) | undefined
  /** Finds the matches of a search, including records that the caller may not see. */
  findMatching: Database['findMatching']
  /** The in-memory index that answers lists of public events; undefined for callers who may see more. */
  memory?: EventMemory | undefined
  images: ImageService
  say: Presenting['say']
  report: Presenting['report']
  site: Site
  caller: Caller
  /** How many bytes the answers of a batch may still take; absent outside a batch. */
  answerBudget?: { bytes: number } | undefined
  /** How many linked records and terms the events of a batch have created, by transaction. */
  recordsMade?: WeakMap<Tx, number> | undefined
  /** How many bytes of occurrences a batch has written, by request. */
  datesWritten?: Map<object, number> | undefined
  /** The time of the request, in ms since the epoch. */
  now: number
}
