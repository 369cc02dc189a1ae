import type { Site } from '../base/config.ts'
import type { ImageService } from '../store/media/media-store.ts'
import type { Database } from '../store/storage/database.ts'
import type { Context } from './declare/context.ts'
import { translatorFor } from './locales/translate.ts'
import { anonymous, type Caller } from './people/caller.ts'

export interface CalendarGround {
  database: Database
  images: ImageService
  site: Site
}

/** A `Context` outside of requests. `parts` overrides members. By default, defects go to standard error. */
export function contextOn(
  { database, images, site }: CalendarGround,
  caller: Caller,
  parts: Partial<Context> = {},
): Context {
  const { read: db, readInLane: aside, write, findMatching } = database
  const report: Context['report'] = (error) => console.error(error)
  const now = Date.now()
  return {
    db,
    readInLane: aside,
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

/** An administrator that stands for no account. */
const EVERYTHING: Caller = { id: -1, login: '', role: 'administrator' }

export function readerContext(
  ground: CalendarGround,
  seesEverything: boolean,
  parts?: Partial<Context>,
): Context {
  return contextOn(ground, seesEverything ? EVERYTHING : anonymous, parts)
}
