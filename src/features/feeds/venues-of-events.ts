import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'

/** The public venue `id` of `event`. Coordinates are in degrees. */
export interface VenueOfEvent {
  event: number
  id: number
  slug: string
  status: 'publish'
  venue: string
  city: string
  geo_lat: number | null
  geo_lng: number | null
}

export async function findVenuesOf(db: Db, events: readonly number[]): Promise<VenueOfEvent[]> {
  const rows = await db
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.venue')
    .select([
      'event_venues.event',
      'venues.id',
      'slug',
      'status',
      'venues.venue',
      'city',
      'geo_lat',
      'geo_lng',
    ])
    .where('event_venues.event', 'in', wholeList(db, events))
    // `is true` keeps SQLite from the index on status, so that the query starts with the events.
    .where(sql<SqlBool>`(venues.status = 'publish') is true`)
    .orderBy('event_venues.event')
    .orderBy('event_venues.position')
    .execute()
  return rows.map((row) => ({ ...row, status: 'publish' }))
}
