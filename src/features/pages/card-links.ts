import {
  type EventLinks,
  findSeriesByIds,
  findTermsOf,
  idsByEvent,
  linkedTo,
  linking,
} from '../../calendar/events/event-store.ts'
import { findImages } from '../../calendar/images/images.ts'
import { termsApart } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, VenueRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

const PLACE = ['id', 'author', 'status', 'venue', 'city'] as const

export type PlaceRow = Pick<VenueRow, (typeof PLACE)[number]>

const selectPlaces = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('venues').select(PLACE).where('id', 'in', value('ids')),
)

export async function findPlaceRows(db: Db, ids: readonly number[]): Promise<Map<number, PlaceRow>> {
  const rows = ids.length === 0 ? [] : await selectPlaces(db, { ids })
  return new Map(rows.map((row) => [row.id, row]))
}

export type CardLinks = Pick<EventLinks, 'categories' | 'tags' | 'images' | 'series'> & { venues: PlaceRow[] }

/** Finds the linked records that cards show, with few columns of venues; every event has an entry. */
export async function findCardLinks(
  db: Db,
  events: readonly Pick<EventRow, 'id' | 'image' | 'series'>[],
): Promise<Map<number, CardLinks>> {
  if (events.length === 0) return new Map()
  const ids = events.map(({ id }) => id)
  const [pairs, terms, series, images] = await Promise.all([
    linking.venues.select(db, { events: ids }),
    findTermsOf(db, ids),
    findSeriesByIds(db, [...new Set(events.flatMap((row) => row.series ?? []))]),
    findImages(
      db,
      events.flatMap(({ image }) => image ?? []),
    ),
  ])
  const venues = await linkedTo(idsByEvent(pairs), (of) => findPlaceRows(db, of))
  const linksOf = (row: Pick<EventRow, 'id' | 'series'>): CardLinks => ({
    venues: venues.get(row.id) ?? [],
    ...termsApart(terms.get(row.id) ?? []),
    images,
    series: series.get(row.series ?? 0),
  })
  return new Map(events.map((row) => [row.id, linksOf(row)]))
}
