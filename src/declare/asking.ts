import type { ImageService } from '../common/images.ts'
import type { Site } from '../config.ts'
import type { Caller } from '../people/caller.ts'
import type { Database, Db } from '../storage/database.ts'

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
