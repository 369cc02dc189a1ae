import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { makeToday } from '../../src/http/answer-cache.ts'
import {
  databaseName,
  patient,
  type ScratchDatabase,
  scratchDatabase,
  scratchPostgres,
} from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { startService, type TestService, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

let service: TestService
let scratch: ScratchDatabase
before(async () => {
  scratch = await quietDatabase()
  service = await startService({ database: patient(scratch.address) })
  const day = { start_date: '2027-05-01 10:00', end_date: '2027-05-01 11:00', venue: { venue: 'Hall' } }
  equal((await service.post('/events', { ...day, title: 'Tagged' })).status, 201)
})
after(async () => {
  await service.close()
  await scratch.remove()
})

/** A database beside which no other is written to: on PostgreSQL a version counts all of a server. */
async function quietDatabase(): Promise<ScratchDatabase> {
  if (databaseName() === 'sqlite') return scratchDatabase()
  const server = await startPostgres()
  const { address } = await scratchPostgres(server.address())
  return { address, remove: () => server.close() }
}

const ask = (path: string, headers: Record<string, string> = {}) => service.get(path, 'anonymous', headers)

describe('what a client has already', () => {
  test('is known by its tag with and without the mark of a weak one, among others, and by any', async () => {
    for (const path of ['/events', '/venues', '/doc', '/events?per_page=2'])
      for (let again = 0; again < 3; again++) {
        const tag = (await ask(path)).headers.get('etag') ?? ''
        match(tag, /^W\/"/)
        for (const known of [tag, tag.slice(2), `"other", ${tag.slice(2)}`, `W/"other",${tag}`, '*'])
          equal((await ask(path, { 'if-none-match': known })).status, 304, `${path} ${known}`)
        equal((await ask(path, { 'if-none-match': `"${tag.slice(3, -2)}` })).status, 200)
      }
  })

  test('is nothing where the answer in an envelope is an error', async () => {
    for (const path of ['/venues/987654?_envelope', '/events?page=99&_envelope=1'])
      for (const as of ['anonymous', 'admin'] as const) {
        const { status, body, headers } = await service.get(path, as)
        deepEqual([status, body.status >= 400, headers.get('etag')], [200, true, null])
        equal((await service.get(path, as, { 'if-none-match': '*' })).status, 200)
      }
    match((await ask('/events?_envelope')).headers.get('etag') ?? '', /^W\//)
  })

  test('is of this year, where the day comes again', () => {
    const today = makeToday('UTC')
    const days = ['2026-11-21T12:00:00Z', '2027-11-21T12:00:00Z'].map((text) => today(Date.parse(text)))
    notEqual(days[0], days[1])
  })

  test('is not what shows its images at another address', async (t) => {
    const scratch = await quietDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'kalends-tags-'))
    t.after(async () => {
      await scratch.remove()
      await rm(folder, { recursive: true, force: true })
    })
    const tags: (string | null)[] = []
    for (const media_url of ['https://a.example', 'https://b.example', 'https://a.example']) {
      const database = patient(scratch.address)
      const app = await startApp(
        testConfig(folder, { database, site_url: 'http://calendar.example', media_url }),
      )
      try {
        const origin = `http://127.0.0.1:${app.port}`
        const memory = async () =>
          ((await (await fetch(`${origin}/readyz`)).json()) as { memory: string }).memory
        await until(async () => (await memory()) === 'filled', 'the memory was not filled')
        const url = `${origin}${app.site.restRoot}/${app.site.namespace}/events`
        tags.push((await fetch(url)).headers.get('etag'))
      } finally {
        await app.stop()
      }
    }
    // What follows names the content, which is the same.
    const [first, other, again] = tags.map((tag) => tag?.split('.')[0])
    equal(first, again)
    notEqual(first, other)
  })
})

test('a list by the clock is never a kept one, however the name of its parameter is written', async (t) => {
  const soon = Math.floor(Date.now() / 1000) + 600
  const event = { title: 'Soon', start_date: soon, end_date: soon + 3600 }
  equal((await service.post('/events', event)).status, 201)
  const paths = ['starts_after=now', '%73tarts_after=now', 'start%73_after=now', 'starts%5Fafter=now'].map(
    (query) => `/events?${query}&strict_dates=true&per_page=1`,
  )
  const tags = new Map<string, string>()
  for (const path of [...paths, ...paths]) {
    const { body, headers } = await ask(path)
    equal(body.events[0].title, 'Soon', path)
    tags.set(path, headers.get('etag') ?? '')
  }
  t.mock.timers.enable({ apis: ['Date'], now: (soon + 1) * 1000 })
  for (const path of paths) {
    const { status, body } = await ask(path, { 'if-none-match': tags.get(path) ?? '' })
    deepEqual([status, body.events[0].title], [200, 'Tagged'], path)
  }
})

test('other origins may read, and are lent no credentials', async () => {
  for (const path of ['/events', '/venues', '/nothing']) {
    const { headers } = await ask(path, { origin: 'https://elsewhere.example' })
    equal(headers.get('access-control-allow-origin'), 'https://elsewhere.example')
    equal(headers.get('access-control-allow-credentials'), null)
  }
})

test('an interface at the top of the site leaves what is beside it alone', async () => {
  await using top = await startService({ rest_root: '/' })
  deepEqual((await top.get('~/healthz')).body, { status: 'alive' })
  equal((await top.get('~/readyz')).body.status, 'ready')
  equal((await top.get('~/media/none.png')).status, 404)
  equal((await top.get('~/tribe/events/v1/events')).status, 200)
  equal((await top.get('~/wp/v2/media')).status, 200)
})

test('an outage in an envelope is over when it is over', onPostgres, async (t) => {
  const server = await startPostgres()
  const { address } = await scratchPostgres(server.address())
  const there = await startService({ database: address })
  t.after(async () => {
    await there.close()
    await server.close()
  })
  const path = '/venues?_envelope'
  const before = await there.get(path)
  await server.halt('immediate')
  await until(
    async () => (await there.get('/organizers?_envelope=1')).body.status === 503,
    'it goes on without',
  )
  const meanwhile = await there.get('/organizers?_envelope')
  deepEqual([meanwhile.status, meanwhile.body.status, meanwhile.headers.get('etag')], [200, 503, null])
  await server.start()
  await until(async () => (await there.get('/venues?per_page=3')).status === 200, 'it does not come back')
  equal((await there.get('/organizers?_envelope')).body.status, 200)
  const headers = { 'if-none-match': before.headers.get('etag') ?? '' }
  equal((await there.get(path, 'anonymous', headers)).status, 304)
})
