import { sql } from 'kysely'
import { asVenues, type LinkedRow, type LinkedType } from '../../calendar/linked/linked-store.ts'
import { NAMED, type NamedTerm } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { isInLists } from '../../store/storage/listed-events.ts'
import type { SeriesRow, Taxonomy, TermRow, VenueRow } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'

export async function listPublicSeries(
  db: Db,
  most: number,
): Promise<Pick<SeriesRow, 'id' | 'slug' | 'modified_utc'>[]> {
  return db
    .selectFrom('series')
    .select(['id', 'slug', 'modified_utc'])
    .where('status', '=', 'publish')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('events').select('events.id').whereRef('events.series', '=', 'series.id').where(isInLists),
      ),
    )
    .orderBy('id')
    .limit(most)
    .execute()
}

export type MappedLinked = Pick<LinkedRow, 'id' | 'slug' | 'status' | 'modified_utc'>

export async function listPublicLinked(db: Db, type: LinkedType, most: number): Promise<MappedLinked[]> {
  return db
    .selectFrom(asVenues(type))
    .select(['id', 'slug', 'status', 'modified_utc'])
    .where('status', '=', 'publish')
    .orderBy('id')
    .limit(most)
    .execute()
}

export type NamedVenue = Pick<VenueRow, 'id' | 'venue' | 'geo_lat' | 'geo_lng'>

export async function listVenueNames(db: Db, most: number): Promise<NamedVenue[]> {
  return db
    .selectFrom('venues')
    .select(['id', 'venue', 'geo_lat', 'geo_lng'])
    .where('status', '=', 'publish')
    .orderBy('folded')
    .orderBy('id')
    .limit(most)
    .execute()
}

export function listTermsInUse(db: Db, taxonomy: Taxonomy, most: number): Promise<NamedTerm[]> {
  return db
    .selectFrom('terms')
    .select(NAMED)
    .where('taxonomy', '=', taxonomy)
    .where('count', '>', 0)
    .orderBy('count', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
}

export async function findTermsInUse(db: Db, ids: readonly number[]): Promise<NamedTerm[]> {
  return db
    .selectFrom('terms')
    .select(NAMED)
    .where('id', 'in', wholeList(db, ids))
    .where('count', '>', 0)
    .execute()
}

const MOST_BELOW = 5000

/** True if the term, or any below it, has published events. */
export async function isInUse(db: Db, { id, count }: Pick<TermRow, 'id' | 'count'>): Promise<boolean> {
  if (count > 0) return true
  const { rows } = await sql<{ count: number }>`
    with recursive below as (
      select id, count from terms where parent = ${id}
      union select terms.id, terms.count from terms join below on terms.parent = below.id
    ) select count from below limit ${sql.lit(MOST_BELOW)}
  `.execute(db)
  return rows.some((row) => row.count > 0)
}

export async function findSticky(db: Db, ids: readonly number[]): Promise<number[]> {
  const events = db.selectFrom('events').select('id').where('sticky', '=', 1)
  const found = await events.where('id', 'in', wholeList(db, ids)).execute()
  return found.map(({ id }) => id)
}
