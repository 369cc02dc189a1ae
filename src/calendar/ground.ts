import type { Site } from '../base/config.ts'
import type { ImageService } from '../store/media/media-store.ts'
import type { Database } from '../store/storage/database.ts'
import type { Context } from './declare/context.ts'
import { translatorFor } from './locales/translate.ts'
import { anonymous, type Caller } from './people/caller.ts'

// Makes contexts for work outside requests.

/** The parts of the service that work outside requests needs: the database, the images and the site. */
export interface CalendarGround {
  database: Database
  images: ImageService
  site: Site
}

/**
 * Makes a context with the present time, in the name of a caller. `parts` replace members of it. Defects go
 * to standard error by default.
 */
export function contextOn(
  { database, images, site }: CalendarGround,
  caller: Caller,
  parts: Partial<Context> = {},
): Context {
  const { read: db, aside, write, findMatching } = database
  const report: Context['report'] = (error) => console.error(error)
  const now = Date.now()
  return {
    db,
    aside,
    write,
    findMatching,
    images,
    say: translatorFor(site),
    report,
    site,
    caller,
    now,
    ...parts,
  }
}

/** The caller of work that sees everything: an administrator who is no user. */
const EVERYTHING: Caller = { id: -1, login: '', role: 'administrator' }

/** Makes a context for reading: everything, or else what everybody may see. */
export function readerContext(
  ground: CalendarGround,
  seesEverything: boolean,
  parts?: Partial<Context>,
): Context {
  return contextOn(ground, seesEverything ? EVERYTHING : anonymous, parts)
}
