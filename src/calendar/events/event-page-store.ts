import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { isOriginal } from '../records/origins.ts'

// Reads events for pages: the columns and titles that lists of pages show, and the months and addresses of
// site maps.

/** The number of characters from the beginning of a description that an excerpt is made of. */
export const EXCERPT_FROM = 500

const SHOWN = [
  'id',
  'status',
  'slug',
  'title',
  'event_status',
  'excerpt',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'timezone',
  'all_day',
  'cost',
  'image',
  'image_alt',
  'image_decorative',
  'series',
] as const satisfies (keyof EventRow)[]

/**
 * The columns of an event that lists of pages show, and the first `EXCERPT_FROM` characters of its
 * description.
 */
export type CardRow = Pick<EventRow, (typeof SHOWN)[number]> & { beginning: string }

const selectShown = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('events')
    .select(SHOWN)
    .select((event) =>
      event.fn<string>('substr', ['description', event.lit(1), event.lit(EXCERPT_FROM)]).as('beginning'),
    )
    .where('id', 'in', value('ids')),
)

/** Reads these events as lists of pages show them, whatever their status, in no order. */
export async function findCardRows(db: Db, ids: readonly number[]): Promise<CardRow[]> {
  return ids.length === 0 ? [] : selectShown(db, { ids })
}

const selectTitles = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(['id', 'title']).where('id', 'in', value('ids')),
)

/** Reads the titles of these events by id, whatever their status. */
export async function findTitles(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = ids.length === 0 ? [] : await selectTitles(db, { ids })
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/**
 * Returns the query for the events of site maps: public events that lists show and whose original is in this
 * calendar.
 */
function mapped(db: Db) {
  return db
    .selectFrom('events')
    .where('status', '=', 'publish')
    .where('hide_from_listings', '=', 0)
    .where(isOriginal)
}

/** The month in which an event starts, `YYYY-MM`. */
const month = sql<string>`substr(start_date, 1, 7)`

/**
 * Lists the first `most` months with events of site maps, in order, each with the UTC time of the latest
 * change of its events.
 */
export async function listEventMonths(
  { db, aside }: Context,
  most: number,
): Promise<{ month: string; changed: string }[]> {
  const query = mapped(db)
    .select([month.as('month'), sql<string>`max(modified_utc)`.as('changed')])
    .groupBy(month)
    .orderBy(month)
    .limit(most)
  const [months] = await aside(db, 'list', [query])
  return months
}

/** The columns of an event that its entry in a site map is made of. */
export type MappedEvent = Pick<EventRow, 'id' | 'slug' | 'status' | 'modified_utc'>

/** Lists the events of site maps that begin from `start` until before `end`: at most `most`, by start. */
export async function listMappedEvents(
  { db, aside }: Context,
  { start, end }: { start: string; end: string },
  most: number,
): Promise<MappedEvent[]> {
  const query = mapped(db)
    .select(['id', 'slug', 'status', 'modified_utc'])
    .where('start_date', '>=', start)
    .where('start_date', '<', end)
    .orderBy('start_date')
    .limit(most)
  const [rows] = await aside(db, 'list', [query])
  return rows
}

/** Finds the months in which events of site maps begin from `start` until before `end`, in no order. */
export async function findEventMonths(
  db: Db,
  { start, end }: { start: string; end: string },
): Promise<string[]> {
  const rows = await mapped(db)
    .select(month.as('month'))
    .distinct()
    .where('start_date', '>=', start)
    .where('start_date', '<', end)
    .execute()
  return rows.map(({ month }) => month)
}
