import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { onSqlite } from '../support/database.ts'
import { touch } from '../support/recording.ts'
import { rounds } from '../support/rounds.ts'
import { memoryFilled, onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const venues: number[] = []
const organizers: number[] = []
const events: number[] = []
const CATEGORIES = ['music', 'jazz', 'choir', 'sports', 'rowing']

function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % below
  }
}

function randomEvent(pick: (below: number) => number, title: string) {
  const start = new Date(Date.UTC(2027, pick(6), 1 + pick(28), pick(24), pick(4) * 15))
  const end = new Date(start.getTime() + pick(5) * 3_600_000 * 12)
  const wall = (date: Date) => date.toISOString().slice(0, 19)
  return {
    title,
    start_date: wall(start),
    end_date: wall(end),
    timezone: ['America/New_York', 'Europe/Paris', 'Asia/Tokyo'][pick(3)],
    status: ['publish', 'publish', 'publish', 'draft', 'private'][pick(5)],
    date: `2026-0${1 + pick(3)}-01 09:00:00`,
    featured: pick(4) === 0,
    hide_from_listings: pick(9) === 0,
    categories: CATEGORIES.filter(() => pick(3) === 0),
    tags: ['loud', 'quiet'].filter(() => pick(2) === 0),
    venue: pick(4) === 0 ? [] : [venues[pick(venues.length)]],
    organizer: organizers.filter(() => pick(2) === 0),
  }
}

before(async () => {
  await service.ready
  const category = async (name: string, parent = 0) =>
    (await service.post('/categories', { name, slug: name, parent })).body.id
  const music = await category('music')
  for (const name of ['jazz', 'choir']) await category(name, music)
  await category('rowing', await category('sports'))
  for (const name of ['loud', 'quiet']) await service.post('/tags', { name })
  for (let i = 0; i < 6; i++) {
    const place = i < 4 ? { geo_lat: 40 + i / 10, geo_lng: -74 } : {}
    venues.push((await service.post('/venues', { venue: `Hall ${i}`, ...place })).body.id)
    organizers.push((await service.post('/organizers', { organizer: `Club ${i}` })).body.id)
  }
  const pick = numbers(7)
  for (let i = 0; i < 120; i++) {
    const { status, body } = await service.post('/events', randomEvent(pick, `Event ${i}`))
    equal(status, 201)
    events.push(body.id)
  }
  await filled()
})
async function filled(): Promise<void> {
  await memoryFilled(service)
}

test('an event from memory is what the database gives, in lists and alone, always', async () => {
  for (const id of venues) await service.put(`/venues/${id}`, { status: 'publish' })
  for (const id of organizers) await service.put(`/organizers/${id}`, { status: 'publish' })
  const pick = numbers(5)
  const same = async (path: string, more = '') => {
    const memory = await service.get(path)
    const database = await service.get(path + more, 'admin')
    if (memory.status === 200 || database.body.status === 'publish')
      deepEqual(memory.body, database.body, path)
    return memory
  }
  for (let round = 0; round < rounds(3); round++) {
    const id = events[pick(events.length)] ?? 0
    const changes = [
      () => service.put(`/events/${id}`, randomEvent(pick, `“Été” <em>№ ${round}</em> & \ud83c\udfbb`)),
      () => service.put(`/venues/${venues[pick(6)]}`, { venue: `Hall <b>${round}</b>` }),
      () => service.put(`/organizers/${organizers[pick(6)]}`, { website: `https://example.org/${round}` }),
      () => service.post('/events', randomEvent(pick, `New ${round}`)),
      () => service.remove(`/events/${events[pick(events.length)]}`),
    ]
    await changes[round % changes.length]?.()
    const list = await service.get(
      '/events?start_date=2027-01-01&end_date=2027-12-31&per_page=50&page=2',
      'admin',
    )
    for (const { id, slug, status } of list.body.events.slice(0, 12)) {
      if (status !== 'publish') continue
      await same(`/events/${id}`)
      await same(`/events/by-slug/${encodeURIComponent(slug)}`)
    }
    const { body: shown } = await service.get('/events?start_date=2027-01-01&per_page=50')
    const { body: stored } = await service.get(
      '/events?start_date=2027-01-01&per_page=50&status=publish',
      'admin',
    )
    deepEqual(shown.events, stored.events)
  }
})

test('an event keeps its entity tag while others change, until it, its venue or its terms do', async () => {
  const venue = (await service.post('/venues', { venue: 'Kept Hall' })).body.id
  const day = { start_date: '2027-11-01', end_date: '2027-11-01' }
  const kept = (await service.post('/events', { title: 'Kept', ...day, venue, categories: ['kept'] })).body
  const path = `/events/${kept.id}`
  const tagOf = async () => {
    const { status, headers, body } = await service.get(path)
    equal(status, 200)
    deepEqual(body, (await service.get(path, 'admin')).body)
    return headers.get('etag')
  }
  let tag = await tagOf()
  equal(await tagOf(), tag)
  const other = (await service.post('/events', { title: 'Other', ...day })).body.id
  await service.put(`/events/${other}`, { title: 'Another' })
  equal(await tagOf(), tag)
  const changes = [
    () => service.put(path, { title: 'Changed' }),
    () => service.put(`/venues/${venue}`, { venue: 'Other Hall' }),
    () => service.put(`/categories/${kept.categories[0].id}`, { name: 'Renamed' }),
    () => service.post('/events', { title: 'Third', ...day, categories: ['kept'] }),
  ]
  for (const change of changes) {
    await change()
    const now = await tagOf()
    notEqual(now, tag)
    tag = now
  }
  await service.remove(path)
  notEqual((await service.get(path)).status, 200)
})

test('who has a list is told so while nothing that it shows changes, whatever else does', async () => {
  const day = { start_date: '2027-12-01', end_date: '2027-12-01' }
  const venue = (await service.post('/venues', { venue: 'Listed Hall' })).body.id
  const listed = (await service.post('/events', { title: 'Listed', ...day, venue, categories: ['listed'] }))
    .body
  const elsewhere = { start_date: '2027-12-09', end_date: '2027-12-09' }
  const other = (await service.post('/events', { title: 'Elsewhere', ...elsewhere })).body.id
  const path = '/events?start_date=2027-12-01&end_date=2027-12-03'
  const tagOf = async () => {
    const { headers, body } = await service.get(path)
    const stored = await service.get(`${path}&status=publish`, 'admin')
    deepEqual([body.events, body.total], [stored.body.events, stored.body.total])
    return headers.get('etag') ?? ''
  }
  const askWith = (tag: string) => service.get(path, 'anonymous', { 'if-none-match': tag })
  // An answer is cached once it has been requested twice.
  await tagOf()
  const first = await tagOf()
  await service.put(`/events/${other}`, { title: 'Somewhere else' })
  const second = await tagOf()
  await service.post('/events', { title: 'Also elsewhere', ...elsewhere, categories: ['others'] })
  for (const tag of [first, second, `"none", ${first}`]) equal((await askWith(tag)).status, 304)
  equal((await askWith('"none"')).status, 200)
  const changes = [
    () => service.put(`/events/${listed.id}`, { title: 'Changed' }),
    () => service.put(`/venues/${venue}`, { venue: 'Other Hall' }),
    () => service.put(`/categories/${listed.categories[0].id}`, { name: 'Renamed' }),
    () => service.post('/events', { title: 'Counted', ...elsewhere, categories: [listed.categories[0].id] }),
    () => service.post('/events', { title: 'Beside it', ...day }),
    () => service.put(`/events/${other}`, day),
    () => service.put(`/events/${other}`, { status: 'draft' }),
    () => service.remove(`/events/${listed.id}`),
  ]
  for (const change of changes) {
    const tags = [await tagOf(), await tagOf()]
    const { status } = await change()
    ok(status < 300)
    for (const tag of [...tags, first]) equal((await askWith(tag)).status, 200)
    equal((await askWith(await tagOf())).status, 304)
  }
})

test('a list on its way to a slow reader stays as it was, the next has new counts', onSqlite, async () => {
  const day = { start_date: '2028-03-01', end_date: '2028-03-01' }
  // More than the buffers between server and client hold.
  const description = 'Long. '.repeat(50_000)
  for (let i = 0; i < 50; i++) {
    const { status } = await service.post('/events', { title: `Long ${i}`, ...day, tags: ['long'] })
    equal(status, 201)
  }
  await service.app.database.write(async (tx) => {
    const long = tx.updateTable('events').set({ description }).where('title', 'like', 'Long %')
    for (const { id } of await long.returning('id').execute()) await touch(tx, 'event', id)
  })
  const path = '/events?start_date=2028-03-01&end_date=2028-03-02&per_page=50'
  const countsIn = (events: { tags: { count: number }[] }[]) =>
    new Set(events.flatMap(({ tags }) => tags.map(({ count }) => count)))
  for (let i = 0; i < 2; i++) deepEqual(countsIn((await service.get(path)).body.events), new Set([50]))
  const [answer] = (await once(get(service.base + path), 'response')) as [IncomingMessage]
  await once(answer, 'readable')
  await service.post('/events', { title: 'Later', ...onDay('2028-04-01', '00:00:00'), tags: ['long'] })
  deepEqual(countsIn((await service.get(path)).body.events), new Set([51]))
  deepEqual(countsIn(JSON.parse(await text(answer)).events), new Set([50]))
})

test('a circle follows a venue that moves by a few metres', async () => {
  const venue = (await service.post('/venues', { venue: 'Edge', geo_lat: 10.001, geo_lng: 10 })).body.id
  const day = { start_date: '2028-05-01', end_date: '2028-05-01' }
  await service.post('/events', { title: 'At the edge', ...day, venue })
  // 0.001 degrees of latitude are 111 m.
  const path =
    '/events?start_date=2028-05-01&end_date=2028-05-02&geoloc_lat=10&geoloc_lng=10&geoloc_radius=0.115'
  const count = async () => (await service.get(path)).body.events.length
  for (let i = 0; i < 2; i++) equal(await count(), 1)
  await service.put(`/venues/${venue}`, { geo_lat: 10.0011 })
  equal(await count(), 0)
  await service.put(`/venues/${venue}`, { geo_lat: 10.0009 })
  for (let i = 0; i < 2; i++) equal(await count(), 1)
})

test('lists that outlive changes of others are those the database gives, whatever changes', async () => {
  const pick = numbers(23)
  const window = 'start_date=2027-01-01&end_date=2027-12-31'
  const filters = [
    '',
    '&featured=true&geoloc=false',
    `&strict_dates=true&ends_before=2027-03-05&organizer=${organizers[1]}`,
    '&categories=music',
    '&tags=loud',
    `&venue=${venues[1]}`,
    '&page=3&per_page=5',
  ]
  const tags = new Map<string, string>()
  const kept = new Map<string, unknown>()
  let unchanged = 0
  for (let round = 0; round < rounds(8); round++) {
    for (const filter of filters) {
      const path = `/events?${window}${filter}`
      const known = tags.get(path) ?? ''
      const before = kept.get(path)
      const conditional = await service.get(path, 'anonymous', { 'if-none-match': known })
      const { status, headers, body } = await service.get(path)
      const stored = await service.get(`${path}&status=publish`, 'admin')
      equal(status, 200)
      deepEqual([body.events, body.total], [stored.body.events, stored.body.total], path)
      equal(body.total_pages, stored.body.total_pages)
      for (const name of ['x-tec-total', 'x-tec-totalpages'])
        equal(headers.get(name), stored.headers.get(name))
      if (conditional.status === 304) {
        deepEqual(body, before, path)
        unchanged++
      }
      kept.set(path, body)
      tags.set(path, headers.get('etag') ?? '')
    }
    const id = events[pick(events.length)] ?? 0
    const changes = [
      () => service.put(`/events/${id}`, { title: `Renamed ${round}` }),
      () => service.put(`/events/${id}`, randomEvent(pick, `Changed ${round}`)),
      () => service.post('/events', randomEvent(pick, `New ${round}`)),
      () => service.put(`/organizers/${organizers[pick(6)]}`, { phone: String(round) }),
      () => service.put(`/venues/${venues[pick(6)]}`, { status: pick(2) === 0 ? 'draft' : 'publish' }),
    ]
    await changes[pick(changes.length)]?.()
  }
  ok(unchanged > 0)
})

test('a list that still shows the same events tells their new number and the next page', async () => {
  const path = '/events?start_date=2031-05-01&end_date=2031-05-31&per_page=2'
  const on = (day: number) => ({ start_date: `2031-05-${day}`, end_date: `2031-05-${day}` })
  for (const day of [10, 11]) await service.post('/events', { title: `On the ${day}`, ...on(day) })
  const read = async (headers = {}) => {
    const answer = await service.get(path, 'anonymous', headers)
    const { total, total_pages: pages, next_rest_url: next, events: shown } = answer.body ?? {}
    const [ofHeader, link = ''] = [answer.headers.get('x-tec-total'), answer.headers.get('link') ?? '']
    return {
      status: answer.status,
      shown,
      tag: answer.headers.get('etag') ?? '',
      told: [total, pages, next],
      ofHeader,
      link,
    }
  }
  const first = [await read(), await read(), await read()].at(-1)
  deepEqual(first?.told, [2, 1, undefined])
  const later: number[] = []
  for (let day = 12; day < 22; day++) {
    later.push((await service.post('/events', { title: `On the ${day}`, ...on(day) })).body.id)
    const { shown, told, ofHeader, link } = await read()
    deepEqual(shown, first?.shown)
    deepEqual(told.slice(0, 2), [day - 9, Math.ceil((day - 9) / 2)])
    match(told[2], /per_page=2.*&page=2$/)
    equal(ofHeader, String(day - 9))
    ok(link.includes(`<${told[2]}>; rel="next"`), link)
    equal((await read({ 'if-none-match': first?.tag })).status, 200)
  }
  for (const id of later) await service.remove(`/events/${id}`)
  const last = await read()
  deepEqual([last.told, last.shown, last.link.includes('next')], [first?.told, first?.shown, false])
  equal((await read({ 'if-none-match': last.tag })).status, 304)
})

test('beside writes a reader never goes back, and a writer sees its own in the next read', async () => {
  const { id } = (
    await service.post('/events', { title: 'Version 0', start_date: '2027-08-01', end_date: '2027-08-01' })
  ).body
  const versionIn = (title: string) => Number(title.replace('Version ', ''))
  let isWriting = true
  const read = async (path: string) => {
    const { body } = await service.get(path)
    return versionIn(path.includes('?') ? body.events[0].title : body.title)
  }
  const reader = async (path: string) => {
    let last = 0
    for (let reads = 0; isWriting || reads < 5; reads++) {
      const seen = await read(path)
      ok(seen >= last, `${path} went from version ${last} back to ${seen}`)
      last = seen
    }
  }
  const list = '/events?start_date=2027-08-01&end_date=2027-08-01'
  const readers = [reader(list), reader(list), reader(`/events/${id}`), reader(`${list}&per_page=5`)]
  for (let version = 1; version <= 60; version++) {
    await service.put(`/events/${id}`, { title: `Version ${version}` })
    equal(await read(version % 2 === 0 ? list : `/events/${id}`), version)
  }
  isWriting = false
  await Promise.all(readers)
})

test('when looking for changes fails, the database answers, and the service goes on', async (t) => {
  const { database } = service.app
  const { look } = database
  t.after(() => {
    database.look = look
  })
  const before = await service.get('/events')
  // As if the disk failed.
  database.look = () => {
    throw new Error('disk I/O error')
  }
  const during = await service.get('/events')
  equal(during.status, 200)
  deepEqual(during.body, before.body)
  database.look = look
  equal((await service.get('/events')).status, 200)
})
