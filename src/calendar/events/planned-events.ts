import { wholeList } from '../../store/storage/queries.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { visibleTo } from '../records/record-store.ts'
import type { Status } from '../records/status.ts'

// Events as those who plan them see them, with drafts and those hidden from listings.

const PLANNED = [
  'id',
  'title',
  'status',
  'event_status',
  'author',
  'start_date',
  'end_date',
  'all_day',
  'series',
] as const satisfies (keyof EventRow)[]

/** An event with what a plan shows of it. */
export type PlannedEvent = Pick<EventRow, (typeof PLANNED)[number]> & {
  /** The id of its first category; undefined without one. */
  category: number | undefined
}

/** All statuses but the trash. */
const STATUSES: readonly Status[] = ['publish', 'future', 'draft', 'pending', 'private']

/** The events that the caller may see and that are on from one day until before another, by start: at most so many. */
export async function findPlanned(
  { db, caller, aside }: Context,
  { first, after, most }: { first: string; after: string; most: number },
): Promise<PlannedEvent[]> {
  // The index of lists has these columns; rows, with their long texts, are read for what is found alone.
  const ids = db
    .selectFrom('events')
    .select('id')
    .where('status', 'in', [...STATUSES])
    .where('hide_from_listings', 'in', [0, 1])
    .where('start_date', '<', `${after} 00:00:00`)
    .where('end_date', '>', `${first} 00:00:00`)
    .where(visibleTo(caller, 'events'))
    .orderBy('start_date')
    .orderBy('id')
    .limit(most)
  const query = db.selectFrom('events').select(PLANNED).where('id', 'in', ids).orderBy('start_date').orderBy('id')
  const [rows] = await aside(db, 'list', [query])
  const categories = await firstCategories(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, category: categories.get(row.id) }))
}

/** The first category of each of these events that has one. */
async function firstCategories(db: Context['db'], ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(({ fn }) => ['event_terms.event', fn.min('event_terms.term').as('term')])
    .where('terms.taxonomy', '=', 'category')
    .where('event_terms.event', 'in', wholeList(db, ids))
    .groupBy('event_terms.event')
    .execute()
  return new Map(rows.map(({ event, term }) => [event, Number(term)]))
}

/** These events where the caller may see them, with the name of their first venue, empty without one; in no order. */
export async function readPlanned(
  { db, caller }: Context,
  ids: readonly number[],
): Promise<(Omit<PlannedEvent, 'category'> & { place: string })[]> {
  if (ids.length === 0) return []
  const [rows, places] = await Promise.all([
    db
      .selectFrom('events')
      .select(PLANNED)
      .where('id', 'in', wholeList(db, ids))
      .where(visibleTo(caller, 'events'))
      .execute(),
    db
      .selectFrom('event_venues')
      .innerJoin('venues', 'venues.id', 'event_venues.venue')
      .select(['event_venues.event', 'venues.venue as name'])
      .where('event_venues.event', 'in', wholeList(db, ids))
      .where(visibleTo(caller, 'venues'))
      .orderBy('event_venues.position', 'desc')
      .execute(),
  ])
  const placeOf = new Map(places.map(({ event, name }) => [event, name]))
  return rows.map((row) => ({ ...row, place: placeOf.get(row.id) ?? '' }))
}
