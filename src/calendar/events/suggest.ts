import { type RawBuilder, sql } from 'kysely'
import { fold } from '../../base/text/fold.ts'
import { plainText } from '../../base/text/html.ts'
import { startOfDay, wallNow } from '../../base/text/moments.ts'
import { typedSoFar } from '../../base/text/stems.ts'
import type { ReadQuery } from '../../store/storage/aside.ts'
import { docsBegun } from '../../store/storage/search/find-words.ts'
import type { Context } from '../declare/context.ts'

/** Something public that a visitor may mean. */
export interface Suggestion {
  kind: 'venue' | 'organizer' | 'category' | 'tag' | 'event'
  id: number
  /** The name or title as text. */
  name: string
  slug: string
  /** The city of a venue, the start of an event as a wall time, else empty. */
  about: string
}

/** Suggestions of each kind, and characters that are read. */
const MOST = { venue: 2, organizer: 2, term: 3, event: 4 }
const LONGEST = 100
/** Titles come again and again, as those of series do. */
const EVENTS_READ = 16

/**
 * Suggests what a visitor may mean who has typed this much: public venues, organizers and terms with events by their names, those that begin with the
 * text first, and coming events by their titles, the next ones first. Fewer than two letters suggest nothing.
 */
export async function suggest(text: string, context: Context): Promise<Suggestion[]> {
  const typed = text.length > LONGEST ? undefined : typedSoFar(text)
  if (!typed) return []
  const { db, aside, site, now } = context
  const query = (built: RawBuilder<Suggestion>): ReadQuery<Suggestion> => ({ compile: () => built.compile(db) })
  const begins = (column: string) =>
    sql`case when substr(${sql.ref(column)}, 1, ${fold(text).length}) = ${fold(text)} then 0 else 1 end`
  const records = docsBegun(db, typed, 'record')
  const today = startOfDay(wallNow(site.timezone, now))
  const [venues, organizers, terms, events] = await aside(db, 'list', [
    query(sql`select 'venue' as kind, id, venue as name, slug, city as about from venues
      where id in ${records} and status = 'publish' order by ${begins('folded')}, folded limit ${sql.lit(MOST.venue)}`),
    query(sql`select 'organizer' as kind, id, organizer as name, slug, '' as about from organizers
      where id in ${records} and status = 'publish' order by ${begins('folded')}, folded limit ${sql.lit(MOST.organizer)}`),
    query(sql`select taxonomy as kind, id, name, slug, '' as about from terms
      where id in ${docsBegun(db, typed, 'term')} and count > 0
      order by ${begins('folded')}, count desc, folded limit ${sql.lit(MOST.term)}`),
    query(sql`select 'event' as kind, id, title as name, slug, start_date as about from events
      where id in ${docsBegun(db, typed, 'event')} and (status = 'publish' and hide_from_listings = 0) is true and end_date >= ${today}
      order by start_date, id limit ${sql.lit(EVENTS_READ)}`),
  ])
  const first = new Map(events.toReversed().map((event) => [event.name, event]))
  const coming = events.filter((event) => first.get(event.name) === event).slice(0, MOST.event)
  return [...venues, ...organizers, ...terms, ...coming].map((hit) => ({ ...hit, name: plainText(hit.name) }))
}
