import { type Expression, type SqlBool, sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import { type Status, visibleTo } from '../../calendar/records/record-store.ts'
import type { ReadQuery } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { asOneText, rowsIn } from './review/inbox-rows.ts'

const PLANNED = [
  'id',
  'slug',
  'title',
  'status',
  'event_status',
  'author',
  'start_date',
  'end_date',
  'all_day',
  'series',
] as const satisfies (keyof EventRow)[]

export type PlannedEvent = Pick<EventRow, (typeof PLANNED)[number]> & {
  category: number | undefined
  /** Name of the first venue that the caller may see. */
  place: string
}

const STATUSES: readonly Status[] = ['publish', 'future', 'draft', 'pending', 'private']

export type PlannedTimes = Pick<EventRow, 'id' | 'start_date' | 'end_date'>

/** Days from `first` until before `after`; `author` limits them to that author's events. */
interface Days {
  first: string
  after: string
  most: number
  author?: number | undefined
}

/** Reads only columns that are in indexes, and so no rows with long texts. */
export async function findPlannedTimes(
  { db, caller, readInLane }: Context,
  days: Days,
): Promise<PlannedTimes[]> {
  const { first, after, most, author } = days
  const shown = db
    .selectFrom('events')
    .select(['id', 'start_date', 'end_date'])
    .where('status', 'in', [...STATUSES])
    .where('hide_from_listings', 'in', [0, 1])
    .where(visibleTo(caller, 'events'))
    .$if(author !== undefined, (query) => query.where('author', '=', author ?? 0))
    .limit(most)
  const begun = shown
    .where('end_date', '>', `${first} 00:00:00`)
    .where('start_date', '<', `${first} 00:00:00`)
    .where(sql<SqlBool>`substr(end_date, 1, 10) > substr(start_date, 1, 10)`)
  const beginning = shown
    .where('start_date', '>=', `${first} 00:00:00`)
    .where('start_date', '<', `${after} 00:00:00`)
    .orderBy('start_date')
    .orderBy('id')
  const found = await readInLane(db, 'list', [asTimes(db, begun), asTimes(db, beginning)])
  const byStart = (a: PlannedTimes, b: PlannedTimes) =>
    a.start_date < b.start_date ? -1 : a.start_date > b.start_date ? 1 : a.id - b.id
  return found
    .flat()
    .flatMap(({ times }) => rowsIn(times))
    .map(({ id, time, text }) => ({ id, start_date: time, end_date: text }))
    .sort(byStart)
    .slice(0, most)
}

function asTimes(db: Context['db'], events: Expression<PlannedTimes>): ReadQuery<{ times: string | null }> {
  const columns = { id: sql.ref('id'), time: sql.ref('start_date'), text: sql.ref('end_date') }
  const query = sql<{
    times: string | null
  }>`select ${asOneText(columns)} as times from (${events}) as events`
  return { compile: () => query.compile(db) }
}

export async function findPlanned(context: Context, days: Days): Promise<PlannedEvent[]> {
  const ids = (await findPlannedTimes(context, days)).map(({ id }) => id)
  const byId = new Map((await readPlanned(context, ids)).map((event) => [event.id, event]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The cross join fixes the order: without statistics, SQLite would start with the categories. */
async function firstCategories(db: Context['db'], ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('event_terms')
    .crossJoin('terms')
    .whereRef('terms.id', '=', 'event_terms.term')
    .select(({ fn }) => ['event_terms.event', fn.min('event_terms.term').as('term')])
    .where('terms.taxonomy', '=', 'category')
    .where('event_terms.event', 'in', wholeList(db, ids))
    .groupBy('event_terms.event')
    .execute()
  return new Map(rows.map(({ event, term }) => [event, Number(term)]))
}

/** Reads those of the events that the caller may see, in no particular order. */
export async function readPlanned({ db, caller }: Context, ids: readonly number[]): Promise<PlannedEvent[]> {
  if (ids.length === 0) return []
  const [rows, categories, places] = await Promise.all([
    db
      .selectFrom('events')
      .select(PLANNED)
      .where('id', 'in', wholeList(db, ids))
      .where(visibleTo(caller, 'events'))
      .execute(),
    firstCategories(db, ids),
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
  return rows.map((row) => ({ ...row, category: categories.get(row.id), place: placeOf.get(row.id) ?? '' }))
}
