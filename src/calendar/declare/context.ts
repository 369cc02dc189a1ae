import type { Site } from '../../base/config.ts'
import type { ImageService } from '../../store/media/media-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { SharedWork } from '../../store/storage/commit-groups.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Caller } from '../people/caller.ts'

// The context of a request, which nearly every function above the stores takes.

/** No caller: a record looks the same to everybody who may see it. */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
  /** Into the language of the site, with `values`. */
  say: (text: string, values?: Readonly<Record<string, string>>) => string
  /** A defect of the service, such as a record that cannot be shown. */
  report: (error: unknown) => void
}

/** As far as nothing has to be looked up. */
export type ValueContext = Pick<Context, 'site' | 'caller' | 'now'>

export interface Context {
  /** For reads. */
  db: Db
  /** Long reads, such as lists, beside the event loop. */
  aside: Database['aside']
  /**
   * One durable transaction in the name of the caller. Handlers alone call it, and hand transactions to all
   * others.
   */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Perhaps in one transaction with writes of others; undefined where each has its own. */
  writeShared?: (<Item, Result>(work: SharedWork<Item, Result>, item: Item) => Promise<Result>) | undefined
  /** Whether the caller may see them or not. */
  findMatching: Database['findMatching']
  /** Answers lists of public events; undefined for callers who may see more. */
  memory?: EventMemory | undefined
  images: ImageService
  say: Presenting['say']
  report: Presenting['report']
  site: Site
  caller: Caller
  /** Bytes that answers of a batch may still take. */
  room?: { bytes: number } | undefined
  /** How many records the events of a batch have made, by transaction. */
  recordsMade?: WeakMap<Tx, number> | undefined
  /** Bytes of dates that requests of a batch have written, by what they wrote. */
  datesWritten?: Map<object, number> | undefined
  /** Ms since the epoch. */
  now: number
}
