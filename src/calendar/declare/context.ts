import type { Site } from '../../base/config.ts'
import type { ImageService } from '../../store/media/media-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SharedWork } from '../../store/storage/write-together.ts'
import type { Caller } from '../people/caller.ts'

// Declares the context of a request, which nearly every function above the stores takes.

/**
 * The part of the context that presenting uses. It has no caller, since a record looks the same to everybody
 * who may see it.
 */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
  /** Translates an English text into the language of the site, with `values` in its places. */
  say: (text: string, values?: Readonly<Record<string, string>>) => string
  /** Reports a defect of the service, such as a record that cannot be shown. */
  report: (error: unknown) => void
}

/** The part of the context with which values are read and settled, as far as nothing has to be looked up. */
export type ValueContext = Pick<Context, 'site' | 'caller' | 'now'>

/** The context of a request: the caller, the time, the site, and the database and stores that answer it. */
export interface Context {
  /** The database, for reads. */
  db: Db
  /** Runs long reads, such as lists, beside the event loop. */
  aside: Database['aside']
  /**
   * Runs one durable transaction in the name of the caller. Handlers alone call it: they own transactions,
   * and hand them to all others.
   */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /**
   * Does a write in the name of the caller, perhaps in one transaction with writes of others; undefined where
   * each write has its own transaction.
   */
  writeShared?: (<Item, Result>(work: SharedWork<Item, Result>, item: Item) => Promise<Result>) | undefined
  /** Finds the ids of all events that match a search, whether the caller may see them or not. */
  findMatching: Database['findMatching']
  /** The memory that answers lists of public events; undefined for callers who may see more. */
  memory?: EventMemory | undefined
  images: ImageService
  say: Presenting['say']
  report: Presenting['report']
  site: Site
  caller: Caller
  /** The bytes that the answers of a batch may still take; undefined for a request outside batches. */
  room?: { bytes: number } | undefined
  /**
   * The bytes of dates that each request of a batch has written, by what it wrote; undefined for a request
   * outside batches.
   */
  datesWritten?: Map<object, number> | undefined
  /** The time of the request in milliseconds since the epoch. */
  now: number
}
