import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { serviceForTests } from '../support/service.ts'

// Sorting, searching and comparing give the same results on both databases.

const service = serviceForTests()

const NAMES = (
  '-dash|10 Jahre|9 Lives|_under|𝒜 ' +
  'script|Äpfel|apple|éclair|Ørsted|straße|STRASSE 2|zebra|Zoo|Ωmega|日本'
).split('|')

test('categories are listed by folded name, code point by code point', async () => {
  for (const name of NAMES.toReversed())
    equal((await service.post('/categories', { name })).status, 201, name)
  const { body } = await service.get('/categories?hide_empty=false&per_page=50')
  deepEqual(pluck(body.categories, 'name'), NAMES)
})

test('words for a venue must stand in one and the same field', async () => {
  await service.post('/venues', { venue: 'Grüner Saal', address: 'Am Markt 5', city: 'Ulm' })
  const found = async (words: string) =>
    (await service.get(`/venues?search=${encodeURIComponent(words)}`)).body.total
  deepEqual(await Promise.all(['saal GRUNER', 'markt 5', 'saal markt', 'ulm'].map(found)), [1, 1, 0, 1])
})

test('a slug with a sign that no database keeps finds nothing', async () => {
  await service.post('/events', { title: 'qr', slug: 'qr', start_date: '2034-01-01', end_date: '2034-01-02' })
  const { status, body } = await service.get('/events/by-slug/q%00r')
  deepEqual([status, body.code], [400, 'rest_invalid_param'])
  equal((await service.get('/events/by-slug/qr')).status, 200)
})

test('distances are the same to the metre', async () => {
  // One degree on the equator is 111.195 km.
  await service.post('/venues', { venue: 'Null', geo_lat: 0, geo_lng: 0 })
  const within = async (km: number) =>
    (await service.get(`/venues?geoloc=true&geoloc_lat=0&geoloc_lng=1&geoloc_radius=${km}`)).body.total
  deepEqual([await within(111.194), await within(111.196)], [0, 1])
  const across = async (km: number) =>
    (await service.get(`/venues?geoloc=true&geoloc_lat=0&geoloc_lng=-179.9&geoloc_radius=${km}`)).body.total
  deepEqual([await across(20_003), await across(20_005)], [0, 1])
})
