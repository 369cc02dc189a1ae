// Feeds and pages are cached as lists are, and never show outdated content.
import { equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { uploadPicture } from '../support/pictures.ts'
import { type Answer, credentialsOf, onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Oslo' })
let paths: string[]
const ids: Record<string, number> = {}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const on = (days: number) => ({ ...onDay(inDays(days), '10:00:00', '12:00:00') })

before(async () => {
  await service.ready
  ids.image = await uploadPicture(service, 60, 40)
  const { create } = service
  ids.music = (await create('/categories', { name: 'Music' })).id
  ids.tag = (await create('/tags', { name: 'Free' })).id
  ids.venue = (await create('/venues', { venue: 'Hall', address: '1 Main Street' })).id
  ids.organizer = (await create('/organizers', { organizer: 'Society' })).id
  const links = {
    categories: [ids.music],
    tags: [ids.tag],
    venue: { id: ids.venue },
    organizer: { id: ids.organizer },
  }
  ids.event = (await create('/events', { title: 'Concert', ...on(3), ...links, image: ids.image })).id
  ids.other = (await create('/events', { title: 'Walk', ...on(5) })).id
  const ends = ['ics', 'rss', 'atom', 'json', 'csv', 'jsonld', 'ndjson']
  const scopes = [
    'events',
    'events/category/music',
    'events/tag/free',
    'venue/hall',
    'organizer/society',
    'event/concert',
  ]
  const feeds = ends.flatMap((end, i) =>
    scopes.slice(0, i === 0 ? undefined : 1).map((scope) => `/${scope}.${end}`),
  )
  const month = inDays(3).slice(0, 7)
  const pages = [
    '/',
    '/events/past/',
    `/events/month/${month}/`,
    `/events/${inDays(3)}/`,
    '/event/concert/',
    '/venue/hall/',
    '/organizer/society/',
    '/events/category/music/',
    '/embed/',
    '/sitemap.xml',
  ]
  paths = [...feeds, '/events.ics?search=concert', '/events/?search=concert', ...pages]
})
const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.get(`~${path}`, 'anonymous', headers)
const askAnew = (path: string) => service.get(`~${path}`, 'subscriber')

const textOf = ({ body }: Answer) =>
  (typeof body === 'string' ? body : JSON.stringify(body ?? '')).replace(/"count": +/g, '"count":')

async function compareAll(what: string): Promise<void> {
  for (const path of paths) {
    const [kept, anew] = [await ask(path), await askAnew(path)]
    equal(kept.status, anew.status, `${path} once ${what}`)
    ok(
      textOf(kept) === textOf(anew),
      `${path} once ${what}:\n${textOf(kept)}\n${textOf(anew)}`.slice(0, 4000),
    )
  }
}

async function keepAll(): Promise<void> {
  for (const path of paths) await ask(path)
}

describe('feeds and pages', () => {
  test('are what they would be if made anew, whatever was written since they were kept', async () => {
    const { update, create, remove } = service
    const writes: [string, () => Promise<unknown>][] = [
      ['nothing was written', async () => undefined],
      ['an event has another title', () => update(`/events/${ids.event}`, { title: 'Concert & more' })],
      ['an event has moved', () => update(`/events/${ids.other}`, on(9))],
      ['a venue has another address', () => update(`/venues/${ids.venue}`, { address: '2 Main Street' })],
      ['an organizer has another name', () => update(`/organizers/${ids.organizer}`, { organizer: 'Club' })],
      ['a category has another name', () => update(`/categories/${ids.music}`, { name: 'Sound' })],
      ['a tag has another name', () => update(`/tags/${ids.tag}`, { name: 'No fee' })],
      [
        'there is one more event',
        () => create('/events', { title: 'Late', ...on(4), categories: [ids.music] }),
      ],
      ['an event is a draft', () => update(`/events/${ids.other}`, { status: 'draft' })],
      ['an event is in the trash', () => remove(`/events/${ids.other}`)],
      ['a category is gone', () => remove(`/categories/${ids.music}`)],
      [
        'an image is gone',
        () =>
          fetch(`${service.origin}/wp-json/wp/v2/media/${ids.image}?force=true`, {
            method: 'DELETE',
            headers: credentialsOf('admin'),
          }),
      ],
    ]
    // A second request keeps an answer; each comparison has been one.
    await keepAll()
    for (const [what, write] of writes) {
      await keepAll()
      await write()
      await compareAll(what)
    }
  })

  test('are what they would be if they were made anew once another day has begun', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    for (let times = 0; times < 2; times++) await keepAll()
    for (const days of [1, 90]) {
      t.mock.timers.setTime(Date.now() + days * 86_400_000)
      await compareAll(`${days} days have gone by`)
      await keepAll()
    }
  })

  test('are sent whole and at once when they are asked for again, and as they were', async () => {
    await service.update(`/events/${ids.event}`, { title: 'Asked for again' })
    for (const path of ['/events.ics', '/venue/hall.ics']) {
      const plain = { 'accept-encoding': 'identity' }
      const first = await ask(path, plain)
      await ask(path, plain)
      const kept = await ask(path, plain)
      equal(first.headers.get('content-length'), null)
      equal(Number(kept.headers.get('content-length')), Buffer.byteLength(kept.body))
      equal(kept.body, first.body)
      for (const name of ['etag', 'content-type', 'content-disposition', 'vary', 'link'])
        equal(kept.headers.get(name), first.headers.get(name), name)
      const named = await ask(path, { ...plain, accept: 'text/calendar' })
      equal(named.headers.get('content-length'), kept.headers.get('content-length'))
    }
  })

  test('say since when they stand, once nothing has changed for a while, and are not resent', async (t) => {
    // Before five in the morning pages change with each minute.
    const noon = (Math.ceil(Date.now() / 86_400_000) + 0.5) * 86_400_000
    t.mock.timers.enable({ apis: ['Date'], now: noon })
    await service.update(`/events/${ids.event}`, { title: 'Changed' })
    for (const path of ['/events.ics', '/events.csv', '/venue/hall.rss', '/', '/event/concert/']) {
      equal((await ask(path)).headers.get('last-modified'), null, path)
    }
    t.mock.timers.setTime(Date.now() + 10_000)
    for (const path of ['/events.ics', '/events.csv', '/venue/hall.rss', '/', '/event/concert/']) {
      for (let times = 0; times < 3; times++) {
        const { headers } = await ask(path)
        const since = headers.get('last-modified') ?? ''
        ok(Date.now() - Date.parse(since) >= 5000, `${path} ${since}`)
        equal((await ask(path, { 'if-modified-since': since })).status, 304, path)
        const before = new Date(Date.parse(since) - 1000).toUTCString()
        equal((await ask(path, { 'if-modified-since': before })).status, 200, path)
        equal((await ask(path, { 'if-modified-since': since, 'if-none-match': '"other"' })).status, 200, path)
        equal((await ask(path, { 'if-modified-since': 'yesterday' })).status, 200, path)
      }
    }
    const { headers } = await ask('/events.ics')
    const since = headers.get('last-modified') ?? ''
    await service.update(`/venues/${ids.venue}`, { address: '3 Main Street' })
    equal((await ask('/events.ics', { 'if-modified-since': since })).status, 200)
    t.mock.timers.setTime(Date.now() + 86_400_000)
    equal((await ask('/events.ics', { 'if-modified-since': since })).status, 200)
  })

  test('that depend on the clock are never kept', async () => {
    for (const path of ['/events.ics?starts_after=now', '/events/?start_date=now'])
      for (let times = 0; times < 3; times++) equal((await ask(path)).headers.get('last-modified'), null)
  })
})
