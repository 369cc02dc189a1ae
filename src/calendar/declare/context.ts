import type { Site } from '../../base/config.ts'
import type { ImageService } from '../../store/media/media-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SharedWork } from '../../store/storage/write-together.ts'
import type { Caller } from '../people/caller.ts'

// The context of a request, which nearly every function above the stores takes.

/** The part of the context that presenting uses, without the caller: a record looks the same to everybody who may see it. */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
  /** Puts an English text into the language of the site. */
  say: (text: string, values?: Readonly<Record<string, string>>) => string
  /** Reports a defect of the service, such as a record that cannot be shown. */
  report: (error: unknown) => void
}

/** The part of the context that reading and settling values needs when nothing has to be looked up. */
export type ValueContext = Pick<Context, 'site' | 'caller' | 'now'>

/** The context of a request: the caller, the time, the site, and the database and stores that answer it. */
export interface Context {
  /** For reads. */
  db: Db
  /** Runs long reads, such as lists, beside the event loop. */
  aside: Database['aside']
  /** One durable transaction in the name of the caller. For the handlers, which own transactions: all others are given one. */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Does a write in the name of the caller as well, perhaps in one transaction with those of others; undefined where each has its own. */
  writeShared?: (<Item, Result>(work: SharedWork<Item, Result>, item: Item) => Promise<Result>) | undefined
  /** The ids of all events that a search finds, visible to the caller or not. */
  findMatching: Database['findMatching']
  /** Answers lists of public events; undefined for callers who may see more. */
  memory?: EventMemory | undefined
  images: ImageService
  say: Presenting['say']
  report: Presenting['report']
  site: Site
  caller: Caller
  /** The bytes that the answers to the requests of one batch may still take together; undefined for a request by itself. */
  room?: { bytes: number } | undefined
  /** Milliseconds since the epoch. */
  now: number
}
