import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { noteUnshowable } from '../../src/store/storage/unshowable.ts'
import { databaseName } from '../support/database.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { drawPng } from '../support/pictures.ts'
import { touch } from '../support/recording.ts'
import {
  type Body,
  credentialsOf,
  day,
  memoryFilled,
  type Reader,
  serviceForTests,
} from '../support/service.ts'
import { until } from '../support/waiting.ts'

type Table = 'events' | 'venues' | 'organizers' | 'terms' | 'images'

const service = serviceForTests()
const { create } = service
before(async () => {
  await service.ready
  await makeNullable()
  await makeWorld()
  await memoryFilled(service)
})
async function makeNullable(): Promise<void> {
  if (databaseName() !== 'postgres') return
  for (const [table, column] of Object.entries({
    venues: 'description',
    organizers: 'description',
    terms: 'name',
  }))
    await sql
      .raw(`alter table ${table} alter column ${column} drop not null`)
      .execute(service.app.database.read)
}

const NO_TEXT = () => (databaseName() === 'postgres' ? null : Buffer.from([255, 0]))

async function poison(table: Table, id: number, columns: Record<string, unknown>): Promise<void> {
  await service.app.database.write(async (tx) => {
    await tx
      .updateTable(table as 'events')
      .set(columns as never)
      .where('id', '=', id)
      .execute()
    const kind = table.slice(0, -1) as 'event'
    await touch(tx, kind, id)
  })
}

const poisons: Record<string, [Table, () => Record<string, unknown>]> = {
  'Bad zone': ['events', () => ({ timezone: 'Nowhere/Atlantis' })],
  'Broken cost': ['events', () => ({ cost: '{"broken' })],
  'Cost that is no list': ['events', () => ({ cost: '5' })],
  'No start': ['events', () => ({ start_date: 'banana' })],
  'Start in no month': ['events', () => ({ start_date: '2027-04-01' })],
  'No end': ['events', () => ({ end_date: '' })],
  'No UTC time': ['events', () => ({ utc_start_date: '2027' })],
  'Bad venue': ['venues', () => ({ description: NO_TEXT() })],
  'Bad organizer': ['organizers', () => ({ description: NO_TEXT() })],
  'Bad category': ['terms', () => ({ name: NO_TEXT() })],
  'Bad tag': ['terms', () => ({ name: NO_TEXT() })],
  'Bad image': ['images', () => ({ sizes: '{"thumb' })],
}

const ids: Record<string, number> = {}
const good: number[] = []
const linked: number[] = []

async function makeWorld(): Promise<void> {
  for (const name of ['First', 'Second'])
    good.push((await create('/events', { title: `${name} good one`, ...day })).id)
  for (const [name, [table]] of Object.entries(poisons))
    if (table === 'events')
      ids[name] = (await create('/events', { title: name, ...day, tags: ['shared'] })).id
  const image = await upload()
  ids['Bad image'] = image
  const places = {
    venue: { venue: 'Bad venue' },
    organizer: [{ organizer: 'Bad organizer' }, { organizer: 'Good one' }],
  }
  const terms = { categories: ['Bad category', 'Good category'], tags: ['Bad tag', 'shared'] }
  const all = await create('/events', { title: 'Linked to what is bad', ...day, image, ...places, ...terms })
  linked.push(all.id)
  ids['Bad venue'] = all.venue.id
  ids['Bad organizer'] = all.organizer[0].id
  ids['Bad category'] = all.categories.find(({ slug }: Body) => slug === 'bad-category').id
  ids['Bad tag'] = all.tags.find(({ slug }: Body) => slug === 'bad-tag').id
  await create('/venues', { venue: 'Good venue' })
}

async function upload(): Promise<number> {
  const png = await drawPng(400, 400, 'red')
  const answer = await service.post('~/wp-json/wp/v2/media', new Uint8Array(png), 'admin', {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename="red.png"',
  })
  equal(answer.status, 201)
  return answer.body.id
}

const READERS = ['anonymous', 'subscriber', 'author', 'editor', 'admin'] as const

describe('a stored record that cannot be shown', () => {
  before(async () => {
    for (const [name, [table, columns]] of Object.entries(poisons)) {
      const id = ids[name]
      ok(id, name)
      await poison(table, id, columns())
    }
  })

  const poisonedEvents = () =>
    Object.entries(poisons).flatMap(([name, [table]]) => (table === 'events' ? [ids[name]] : []))

  const lists = () => [
    '/events?per_page=50',
    '/events?per_page=50&search=good',
    '/events?per_page=50&start_date=2000-01-01&end_date=2100-01-01',
    '/events?per_page=50&ends_after=2027-01-01',
    '/events?per_page=50&tags=shared',
    `/events?per_page=50&venue=${ids['Bad venue']}`,
    `/events?per_page=50&organizer=${ids['Bad organizer']}`,
    `/events?per_page=50&categories=${ids['Bad category']}`,
    '/events?per_page=50&geoloc=false',
    '/events?per_page=50&featured=false',
    `/events?per_page=50&include=${[...good, ...linked, ...poisonedEvents()].join(',')}`,
    '/events?per_page=1&page=2',
  ]

  test('is left out of every list of events, which goes on to show the others', async () => {
    // Three times, since a repeated read may come from a cache.
    for (const round of [1, 2, 3]) {
      for (const as of READERS) {
        for (const path of lists()) {
          const { status, body } = await service.get(path, as)
          equal(status, 200, `${round} ${as} ${path}: ${JSON.stringify(body)}`)
          const shown = body.events.map(({ id }: Body) => id)
          for (const id of poisonedEvents()) ok(!shown.includes(id), `${as} ${path}`)
          equal(typeof body.total, 'number')
        }
        const { body } = await service.get('/events?per_page=50', as)
        deepEqual(
          body.events.map(({ id }: Body) => id).sort((a: number, b: number) => a - b),
          [...good, ...linked],
          as,
        )
      }
    }
  })

  test('every page of a list is answered, also one without any record that can be shown', async () => {
    for (const as of READERS) {
      let next: string | undefined =
        `${service.base}/events?per_page=1&start_date=2000-01-01&end_date=2100-01-01`
      const seen: number[] = []
      for (let pages = 0; next; pages++) {
        ok(pages < 30)
        const answer = await fetch(next, { headers: credentialsOf(as) })
        const page = (await answer.json()) as Body
        equal(answer.status, 200, JSON.stringify(page))
        for (const { id } of page.events) seen.push(id)
        next = page.next_rest_url
      }
      deepEqual(
        seen.sort((a, b) => a - b),
        [...good, ...linked],
        as,
      )
    }
  })

  test('an event is shown without what it is linked to and cannot be shown', async () => {
    for (const as of READERS) {
      for (const path of ['/events?per_page=50', `/events?include=${linked[0]}`, `/events/${linked[0]}`]) {
        const { status, body } = await service.get(path, as)
        equal(status, 200)
        const event = body.events ? body.events.find(({ id }: Body) => id === linked[0]) : body
        deepEqual([event.venue, event.image], [[], false], `${as} ${path}`)
        const names = (records: Body[], key: string) => records.map((record) => record[key])
        deepEqual(names(event.organizer, 'organizer'), ['Good one'])
        deepEqual(names(event.categories, 'name'), ['Good category'])
        deepEqual(names(event.tags, 'name'), ['shared'])
      }
    }
  })

  test('is left out of the lists of venues, organizers and terms', async () => {
    for (const as of READERS) {
      for (const [path, key, name] of [
        ['/venues', 'venues', 'Bad venue'],
        ['/organizers', 'organizers', 'Bad organizer'],
        ['/categories', 'categories', 'Bad category'],
        ['/tags', 'tags', 'Bad tag'],
      ] as const) {
        const { status, body } = await service.get(`${path}?per_page=50`, as)
        equal(status, 200, path)
        const shown = body[key].map(({ id }: Body) => id)
        ok(shown.length > 0 && !shown.includes(ids[name]), `${as} ${path}`)
      }
    }
  })

  test('is left out of the lists in the shape of the platform', async () => {
    const badOf: Record<string, string> = {
      tags: 'Bad tag',
      tribe_events_cat: 'Bad category',
      // This shape shows none of the damaged values of events.
      tribe_events: '',
      tribe_venue: 'Bad venue',
      tribe_organizer: 'Bad organizer',
      media: 'Bad image',
    }
    for (const as of READERS) {
      for (const [path, bad] of Object.entries(badOf)) {
        for (const query of ['?per_page=50', '?per_page=50&_embed=1', '?per_page=1&page=2']) {
          const { status, body } = await service.get(`~/wp-json/wp/v2/${path}${query}`, as)
          // Some kinds have no second page.
          if (status === 400 && body.code === 'rest_post_invalid_page_number') continue
          equal(status, 200, `${as} ${path}${query} ${JSON.stringify(body)}`)
          const shown = body.map(({ id }: Body) => id)
          ok(!shown.includes(ids[bad]), `${as} ${path}`)
        }
      }
    }
  })

  test('answers 500 by itself, in the shape of every error', async () => {
    const paths = { events: '/events', venues: '/venues', organizers: '/organizers' }
    for (const [name, [table]] of Object.entries(poisons)) {
      if (!(table in paths)) continue
      const { status, body } = await service.get(`${paths[table as 'events']}/${ids[name]}`)
      deepEqual([status, body.code, body.data.status], [500, 'rest_internal_error', 500], name)
    }
    for (const path of [`/categories/${ids['Bad category']}`, `/tags/${ids['Bad tag']}`])
      equal((await service.get(path)).status, 500, path)
  })

  test('a process that starts on such a database fills its memory, and logs each of them', async () => {
    const { lines, base, end } = await startLogging()
    try {
      await until(
        async () => (await ask(`${new URL(base).origin}/readyz`, 'anonymous')).memory === 'filled',
        'the memory was not filled',
        50,
      )
      for (const as of ['anonymous', 'editor'] as const) {
        for (let round = 0; round < 3; round++) {
          const { events } = await ask(`${base}/events?per_page=50`, as)
          deepEqual(
            events.map(({ id }: Body) => id).sort((a: number, b: number) => a - b),
            [...good, ...linked],
          )
        }
        for (const path of ['/venues', '/organizers', '/categories', '/tags']) await ask(base + path, as)
      }
      const named = (kind: string, name: string) =>
        lines.filter((line) => line.includes(`${kind} ${ids[name]} cannot be shown`))
      await until(() => named('tag', 'Bad tag').length > 0, 'not in the log', 20)
      const kinds = { events: 'event', venues: 'venue', organizers: 'organizer', terms: '', images: 'image' }
      for (const [name, [table]] of Object.entries(poisons)) {
        const kind = kinds[table] || name.split(' ')[1] || ''
        equal(named(kind, name).length, 1, `${kind} ${name}: ${lines.join('\n')}`)
      }
      const alone = await fetch(`${base}/events/${ids['Broken cost']}`)
      equal(alone.status, 500)
      const request = alone.headers.get('x-request-id') ?? 'none'
      const isItsStack = (line: string) => line.includes(`"${request}"`) && /"stack":".*\\n {4}at /.test(line)
      await until(() => lines.some(isItsStack), 'no line has the stack and the id of the request', 20)
    } finally {
      await end()
    }
  })

  test('can be mended by an update, and thrown away by a removal', async () => {
    const bad = ids['Bad zone']
    const refused = await service.put(`/events/${bad}`, { title: 'Still bad' })
    ok(refused.status >= 400, String(refused.status))
    equal((await service.put(`/events/${bad}`, { timezone: 'Europe/Paris' })).status, 200)
    equal((await service.get(`/events/${bad}`)).body.title, 'Bad zone')
    const thrown = await service.remove(`/events/${ids['Broken cost']}`)
    deepEqual([thrown.status, thrown.body.id, thrown.body.status], [200, ids['Broken cost'], 'trash'])
    const venue = await service.remove(`/venues/${ids['Bad venue']}`)
    deepEqual([venue.status, venue.body.id, venue.body.status], [200, ids['Bad venue'], 'trash'])
    for (const path of [`/tags/${ids['Bad tag']}`, `/categories/${ids['Bad category']}`])
      equal((await service.remove(path)).status, 200, path)
    equal((await service.get('/events?per_page=50')).body.events.length, good.length + linked.length + 1)
  })
})

test('a record that could not be shown is not written', async () => {
  // The zone of the stored event is invalid. Validation of the request cannot see it.
  const { database } = service.app
  const before = await service.get('/events?per_page=50&status=draft,publish', 'admin')
  const event = await create('/events', { title: 'To be damaged', ...day, status: 'draft' })
  await poison('events', event.id, { timezone: 'Nowhere/Atlantis' })
  const { status } = await service.put(`/events/${event.id}`, {
    title: 'Changed',
    venue: { venue: 'Never made' },
  })
  ok(status >= 400)
  const row = await database.read
    .selectFrom('events')
    .select('title')
    .where('id', '=', event.id)
    .executeTakeFirst()
  equal(row?.title, 'To be damaged')
  equal((await service.get('/venues?search=never', 'admin')).body.total, 0)
  equal(
    (await service.get('/events?per_page=50&status=draft,publish', 'admin')).body.events.length,
    before.body.events.length,
  )
})

test('the same record is noted once a minute, and only so many of them', () => {
  const noted: string[] = []
  const report = (error: unknown) => noted.push(String(error))
  for (let round = 0; round < 3; round++)
    for (let id = 1; id <= 200; id++) noteUnshowable({ report }, 'event', id, new Error('it is broken'))
  equal(noted.length, 50)
  equal(noted[0], 'UnshowableRecord: event 1 cannot be shown: it is broken')
})

async function startLogging() {
  const settings = {
    database: service.config.database,
    data: service.config.data,
    timezone: 'America/New_York',
    port: '0',
  }
  const flags = Object.entries({ ...settings, log_level: 'error' }).flatMap(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    value,
  ])
  const child = spawn(process.execPath, [MAIN, ...flags, 'serve'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: programEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  const end = () => {
    child.kill()
    return ended
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const [, base] = line.match(/^Kalends answers at (\S+)$/) ?? []
    if (base === undefined) continue
    child.stdout.resume()
    return { lines, base, end }
  }
  throw new Error(lines.join('\n'))
}

async function ask(url: string, as: Reader): Promise<Body> {
  const answer = await fetch(url, { headers: credentialsOf(as) })
  ok(answer.status === 200 || answer.status === 503, `${url}: ${answer.status}`)
  return answer.json()
}
