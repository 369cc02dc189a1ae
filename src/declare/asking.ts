import type { ImageService } from '../common/images.ts'
import type { Site } from '../config.ts'
import type { Caller } from '../people/caller.ts'
import type { Database, Db } from '../storage/database.ts'

/** What presenting a record takes: it looks the same to everybody who may see it. */
export interface Presenting {
  site: Site
  images: Pick<ImageService, 'mediaUrl'>
}

/** Who asks, when, of which site, and what answers: all that checks, rules and stores lean on. */
export interface Asking {
  /** For reads. */
  db: Db
  /** For writes: one durable transaction. */
  write: Database['write']
  /** What a search finds among all events, whoever may see them. */
  findMatching: Database['findMatching']
  images: ImageService
  site: Site
  caller: Caller
  /** Milliseconds since the epoch. */
  now: number
}
