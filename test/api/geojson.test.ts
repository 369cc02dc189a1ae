import { deepEqual, equal } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
let hall: { id: number; url: string }

interface Collection {
  type: string
  bbox?: number[]
  features: {
    type: string
    id: number
    geometry: { type: string; coordinates: number[] }
    properties: { name: string; city: string; url: string; count: number; events: Record<string, unknown>[] }
  }[]
}

const WINDOW = 'start_date=2031-01-01&end_date=2032-01-01'

async function read(
  query = `?${WINDOW}`,
  headers: Record<string, string> = {},
): Promise<{ response: Response; map: Collection }> {
  const response = await fetch(`${service.origin}/events.geojson${query}`, { headers })
  const text = await response.text()
  return { response, map: text === '' ? { type: '', features: [] } : JSON.parse(text) }
}

before(async () => {
  await service.ready
  hall = await service.create('/venues', {
    venue: 'Hall &amp; <b>Co</b>',
    city: 'Kilvara',
    geo_lat: 53.1,
    geo_lng: -8.2,
  })
  const far = await service.create('/venues', { venue: 'قاعة', geo_lat: -85.5, geo_lng: 179.9 })
  const nowhere = await service.create('/venues', { venue: 'Nowhere' })
  const draft = await service.create('/venues', { venue: 'Draft', status: 'draft', geo_lat: 1, geo_lng: 2 })
  const at = (title: string, day: string, venue: number, more: object = {}) =>
    service.event({ title, ...onDay(`2031-05-${day}`, '20:00', '22:00'), venue, ...more })
  for (const [i, title] of ['One', 'Two', 'Three', 'Four'].entries())
    await at(title, `1${i}`, hall.id, { tags: ['music'] })
  await at('Far "</script>"', '20', far.id, { all_day: true })
  await at('Lost', '21', nowhere.id)
  await at('Of a draft', '22', draft.id)
  await at('Hidden', '23', hall.id, { hide_from_listings: true })
  await at('Unready', '24', hall.id, { status: 'draft' })
  await service.event({ title: 'Past', ...onDay('2020-05-01', '10:00', '11:00'), venue: far.id })
})
describe('GeoJSON', () => {
  test('has a feature for each public venue with a position, with its next events (RFC 7946)', async () => {
    const { response, map } = await read()
    equal(response.headers.get('content-type'), 'application/geo+json')
    equal(map.type, 'FeatureCollection')
    deepEqual(map.bbox, [-8.2, -85.5, 179.9, 53.1])
    deepEqual(
      map.features.map(({ type, geometry, properties }) => [
        type,
        geometry,
        properties.name,
        properties.count,
      ]),
      [
        ['Feature', { type: 'Point', coordinates: [-8.2, 53.1] }, 'Hall & Co', 4],
        ['Feature', { type: 'Point', coordinates: [179.9, -85.5] }, 'قاعة', 1],
      ],
    )
    const [first, second] = map.features
    deepEqual([first?.id, first?.properties.url, first?.properties.city], [hall.id, hall.url, 'Kilvara'])
    deepEqual(pluck(first?.properties.events, 'title'), ['One', 'Two', 'Three'])
    const [one] = first?.properties.events ?? []
    deepEqual(
      [one?.start, one?.end, one?.status],
      ['2031-05-10T20:00:00+02:00', '2031-05-10T22:00:00+02:00', 'scheduled'],
    )
    equal(second?.properties.events[0]?.start, '2031-05-20')
    for (const { url } of first?.properties.events ?? []) equal((await fetch(String(url))).status, 200)
  })
})
