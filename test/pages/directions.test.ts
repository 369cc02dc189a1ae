import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { onDay, startService } from '../support/service.ts'

async function directionsOf(
  venue: object,
  settings: Record<string, string> = {},
): Promise<(string | undefined)[]> {
  await using service = await startService(settings)
  const { id, slug } = await service.create('/venues', venue)
  const when = onDay('2031-05-05', '20:00', '22:00')
  const event = await service.event({ title: 'Concert', ...when, venue: id, show_map_link: true })
  const pages = [`/venue/${slug}/`, `/event/${event.slug}/`].map(async (path) => {
    const { body } = await service.page(path)
    return new RegExp(
      '<a class="(?:button|quiet)" href="([^"]*)" rel="noopener" aria-label="Directions to ' +
        '[^"]*">Directions<',
    ).exec(body)?.[1]
  })
  return await Promise.all(pages)
}

const both = (address: string | undefined) => [address, address]

test('a venue with coordinates has directions to them, on its page and on those of its events', async () => {
  const venue = { venue: 'Hall "A" & B', address: '1 Main Street', geo_lat: 53.1, geo_lng: -8.2 }
  deepEqual(await directionsOf(venue), both('https://www.openstreetmap.org/directions?to=53.1%2C-8.2'))
})

test('a venue with an address has directions to that, by the service that is set', async () => {
  const venue = { venue: 'Hall', address: 'قاعة $& 1', city: 'Kilvara' }
  const to = encodeURIComponent('قاعة $& 1, Kilvara')
  deepEqual(await directionsOf(venue, { directions: 'geo:0,0?q={to}' }), both(`geo:0,0?q=${to}`))
})

test('there are none to a venue without a known place, and none without the service', async () => {
  deepEqual(await directionsOf({ venue: 'Somewhere' }), both(undefined))
  deepEqual(
    await directionsOf({ venue: 'Hall', geo_lat: 1, geo_lng: 2 }, { directions: '' }),
    both(undefined),
  )
})
