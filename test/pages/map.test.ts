import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { tileAddress } from '../../src/base/config.ts'
import { onDay, startService, type TestService } from '../support/service.ts'

const TILES = 'http://tiles.test:9000/{z}/{x}/{y}.png'
const ATTRIBUTION = '© <b> [Example & Co](https://example.org/copyright) and others'

let plain: TestService
let mapped: TestService

const ask = (service: TestService, path: string) => service.page(path)
async function shown(service: TestService, path: string): Promise<string> {
  const { status, body } = await ask(service, path)
  equal(status, 200, path)
  return body
}

async function fill(service: TestService): Promise<void> {
  const venues = [
    { venue: 'Hall "A" <b>& B</b>', city: 'Kilvara', geo_lat: 53.1, geo_lng: -8.2 },
    { venue: 'قاعة البلدية', geo_lat: -85.9, geo_lng: 179.9 },
    { venue: 'Nowhere' },
    { venue: 'Draft Barn', status: 'draft', geo_lat: 1, geo_lng: 1 },
  ]
  const [hall, far, nowhere, draft] = await Promise.all(
    venues.map((venue) => service.create('/venues', venue)),
  )
  const at = (title: string, day: string, more: object) =>
    service.event({ title, ...onDay(`2031-05-${day}`, '20:00', '22:00'), ...more })
  for (const [i, title] of ['One', 'Two', 'Three', 'Four'].entries())
    await at(title, `1${i}`, { venue: hall.id, tags: ['music'] })
  await at('Far', '20', { venue: far.id })
  await at('Lost', '21', { venue: nowhere.id })
  await at('In the barn', '22', { venue: draft.id })
  await at('Hidden', '23', { venue: hall.id, hide_from_listings: true })
  await at('Unready', '24', { venue: hall.id, status: 'draft' })
}

before(async () => {
  plain = await startService()
  mapped = await startService({ map_tiles: TILES, map_attribution: ATTRIBUTION })
  await Promise.all([fill(plain), fill(mapped)])
})
after(() => Promise.all([plain.close(), mapped.close()]))

describe('the map', () => {
  test('is a list of venues with their next events, those of no position behind the others', async () => {
    for (const [service, behind] of [
      [plain, 'Without a position'],
      [mapped, 'Not on the map'],
    ] as const) {
      const body = await shown(service, '/events/map/')
      match(
        body,
        /data-lat="53.1" data-lng="-8.2" data-label="Hall &quot;A&quot; &amp; B, 4 events" data-count="4"/,
      )
      const at = ['<bdi>Hall', 'One<', 'Two<', 'Three<', '<bdi>قاعة', behind, '<bdi>Nowhere', 'Lost<']
      const found = at.map((text) => body.indexOf(text))
      ok(
        found.every((place, i) => place > (found[i - 1] ?? 0)),
        found.join(' '),
      )
      doesNotMatch(body, /Four<|Barn|In the barn<|Hidden|Unready/)
      match(body, /3 venues · 7 events/)
    }
  })

  test('hands positions to the map of the device, and has no map in its heading without tiles', async () => {
    const body = await shown(plain, '/events/map/')
    match(body, /<h1[^>]*>Events by venue</)
    match(await shown(mapped, '/events/map/'), /<h1[^>]*>Map</)
    for (const found of [body, await shown(plain, '/venue/hall-a-b/')])
      match(found, /href="geo:53\.1,-8\.2\?q=53\.1,-8\.2\(Hall%20%22A%22%20%26%20B\)">Open in map app</)
    doesNotMatch(await shown(plain, '/venue/nowhere/'), /geo:/)
  })

  test('takes the part of the map that is asked for, in a chip and in its feeds', async () => {
    const body = await shown(plain, '/events/map/?bbox=-9,53,-8,54')
    match(body, /<bdi>Hall/)
    doesNotMatch(body, /<bdi>قاعة|<bdi>Nowhere/)
    match(body, /aria-label="Remove filter: On this part of the map"/)
    match(body, /href="\/events\.ics\?bbox=-9%2C53%2C-8%2C54"/)
    equal((await ask(plain, '/events/map/?bbox=1,2,3')).status, 400)
  })

  test('takes the filters of lists, and is of a category or tag', async () => {
    for (const path of [
      '/events/map/?tags=music',
      '/events/tag/music/map/',
      '/events/map/?end_date=2031-05-14',
    ]) {
      const body = await shown(plain, path)
      match(body, /<bdi>Hall/)
      doesNotMatch(body, /<bdi>Nowhere/)
    }
    match(await shown(plain, '/events/map/?start_date=2032-01-01'), /No events found\./)
    equal((await ask(plain, '/events/map/?start_date=x')).status, 400)
  })

  test('is a list of places that views lead to, and loads nothing, where no tiles are set', async () => {
    const { body, headers } = await ask(plain, '/events/map/')
    doesNotMatch(body, /Show map|leaflet|\/assets\/map-/)
    for (const path of ['/', '/events/month/', '/events/week/', '/events/today/'])
      match((await ask(plain, path)).body, /<a href="\/events\/map\/">Places<\/a>/, path)
    doesNotMatch(headers.get('content-security-policy') ?? '', /tiles/)
  })

  test('names the tiles, their host and their source where they are set', async () => {
    const body = await shown(mapped, '/events/map/')
    match(
      body,
      new RegExp(
        '<button type="button" class="button">Show map</button> <small>The map is loaded from ' +
          'tiles\\.test:9000\\.',
      ),
    )
    match(body, /data-tiles="http:\/\/tiles\.test:9000\/\{z\}\/\{x\}\/\{y\}\.png"/)
    match(
      body,
      new RegExp(
        '© &lt;b&gt; <a href="https://example\\.org/copyright" rel="noopener">Example &amp; Co' +
          '</a> and others',
      ),
    )
    doesNotMatch(body, /(?:src|href)="http:\/\/tiles/)
    match(await shown(mapped, '/events/'), /<a href="\/events\/map\/">Map</)
    for (const file of ['script', 'style']) {
      const [, path = ''] = new RegExp(`data-${file}="([^"]+)"`).exec(body) ?? []
      const { status, headers } = await fetch(mapped.origin + path)
      equal(status, 200)
      match(headers.get('cache-control') ?? '', /immutable/)
    }
  })

  test('may load tiles on its pages alone, with an address that servers of tiles see', async () => {
    const policyOf = async (path: string) => (await ask(mapped, path)).headers
    for (const path of ['/events/map/', '/venue/hall-a-b/']) {
      const headers = await policyOf(path)
      match(headers.get('content-security-policy') ?? '', /img-src [^;]* http:\/\/tiles\.test:9000;/, path)
      equal(headers.get('referrer-policy'), 'strict-origin-when-cross-origin')
    }
    for (const path of ['/events/', '/venue/nowhere/', '/venues/'])
      doesNotMatch((await policyOf(path)).get('content-security-policy') ?? '', /tiles/, path)
  })

  test('stands on the page of a venue that has a position', async () => {
    match(await shown(mapped, '/venue/hall-a-b/'), /<article class="linked" data-lat="53.1".*Show map/s)
    doesNotMatch(await shown(mapped, '/venue/nowhere/'), /Show map/)
    doesNotMatch(await shown(plain, '/venue/hall-a-b/'), /Show map|data-lat/)
  })
})

test('templates of tiles name one host, and all three numbers', () => {
  for (const wrong of [
    'https://tiles.example.org/{z}/{x}.png',
    'https://{s}.example.org/{z}/{x}/{y}.png',
    'https://{x}.example.org/{z}/{x}/{y}.png',
    'ftp://tiles.example.org/{z}/{x}/{y}.png',
    'https://user:key@tiles.example.org/{z}/{x}/{y}.png',
    "https://tiles.example.org/{z}/{x}/{y}.png; script-src 'unsafe-inline'",
    `https://tiles.example.org/{z}/{x}/{y}.png?${'x'.repeat(600)}`,
    '/{z}/{x}/{y}.png',
  ])
    equal(tileAddress(wrong), undefined, wrong)
  equal(
    tileAddress('https://tiles.example.org/{z}/{x}/{y}{r}.png?key=a')?.origin,
    'https://tiles.example.org',
  )
})
