import { setImmediate as nextTurn } from 'node:timers/promises'
import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import type { Format } from '../../http/format.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { type CardRow, findCardRows } from './card-rows.ts'
import { isoTime } from './event-facts.ts'
import { findVenuesOf, type VenueOfEvent } from './venues-of-events.ts'

const MOST_FEATURES = 5000
export const MOST_OF_VENUE = 3
const MOST_EVENTS = 50_000
const AT_ONCE = 500

interface Place {
  venue: VenueOfEvent
  at: Position
  count: number
  events: number[]
}

type Position = [longitude: number, latitude: number]

/** Public venues with coordinates as GeoJSON points (RFC 7946), ordered by their first events. */
export const geojson: Format = {
  name: 'geojson',
  mediaType: 'application/geo+json',
  extension: 'geojson',
  extent: 'window',
  lists: ['events'],
  byAccept: 'redirect',
  showList: async (context, _served, found) => ({
    status: 200,
    headers: {
      'Content-Type': geojson.mediaType,
      'Content-Disposition': `inline; filename="events.${geojson.extension}"`,
    },
    body: undefined,
    representation: {
      format: geojson.name,
      bytes: chunksOf(context, await findLocatedVenues(context, found.ids.slice(0, MOST_EVENTS))),
    },
  }),
}

async function findLocatedVenues({ db }: Context, ids: readonly number[]): Promise<Place[]> {
  const places = new Map<number, Place>()
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE)
    const venues = Map.groupBy(await findVenuesOf(db, some), ({ event }) => event)
    for (const id of some) for (const venue of venues.get(id) ?? []) addEvent(places, venue, id)
    await nextTurn()
  }
  return [...places.values()]
}

function addEvent(places: Map<number, Place>, venue: VenueOfEvent, event: number): void {
  const { geo_lat: latitude, geo_lng: longitude } = venue
  if (latitude === null || longitude === null) return
  const known = places.get(venue.id)
  if (!known && places.size >= MOST_FEATURES) return
  const place = known ?? { venue, at: [longitude, latitude], count: 0, events: [] }
  places.set(venue.id, place)
  place.count += 1
  if (place.events.length < MOST_OF_VENUE) place.events.push(event)
}

function boxOf(places: readonly Place[]): number[] {
  const box = [180, 90, -180, -90]
  for (const { at } of places)
    for (const axis of [0, 1] as const) {
      box[axis] = Math.min(box[axis] ?? 0, at[axis])
      box[axis + 2] = Math.max(box[axis + 2] ?? 0, at[axis])
    }
  return box
}

async function* chunksOf(context: Context, places: readonly Place[]): AsyncGenerator<Buffer> {
  const box = places.length === 0 ? '' : `"bbox":${JSON.stringify(boxOf(places))},`
  yield Buffer.from(`{"type":"FeatureCollection",${box}"features":[`)
  const perChunk = Math.floor(AT_ONCE / MOST_OF_VENUE)
  for (let at = 0; at < places.length; at += perChunk) {
    const some = places.slice(at, at + perChunk)
    const rows = await findCardRows(context.db, [...new Set(some.flatMap(({ events }) => events))])
    const byId = new Map(rows.map((row) => [row.id, row]))
    const features = some.map((place) => JSON.stringify(featureOf(context, place, byId)))
    yield Buffer.from(`${at === 0 ? '' : ',\n'}${features.join(',\n')}`)
    await nextTurn()
  }
  yield Buffer.from(']}\n')
}

function featureOf(
  context: Context,
  { venue, at, count, events }: Place,
  rows: ReadonlyMap<number, CardRow>,
): object {
  return {
    type: 'Feature',
    id: venue.id,
    geometry: { type: 'Point', coordinates: at },
    properties: {
      name: plainText(venue.venue),
      city: plainText(venue.city),
      url: recordUrl(context.site, 'venue', venue),
      count,
      events: events.flatMap((id) => {
        const row = rows.get(id)
        if (row?.status !== 'publish') return []
        return showOrLeaveOut(context, 'event', id, () => eventOf(context, row)) ?? []
      }),
    },
  }
}

const eventOf = ({ site }: Context, row: CardRow) => ({
  id: row.id,
  title: plainText(row.title),
  url: recordUrl(site, 'event', row),
  start: isoTime(row, 'start'),
  end: isoTime(row, 'end'),
  status: row.event_status,
})
