import { deepEqual, equal } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type App, startApp } from '../../src/app.ts'
import { onPostgres, patient, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { assertNone, pluck } from '../support/lists.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { touch } from '../support/recording.ts'
import { makeCalendar, onDay, type Reader, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

// Three processes share one database, and sixteen clients write through them at once.

let scratch: ScratchDatabase
let folder: string
let nodes: ServiceProcess[]

before(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-nodes-'))
  await makeCalendar(scratch.address)
  const settings = { database: patient(scratch.address), data: folder }
  nodes = await Promise.all([1, 2, 3].map(() => startServiceProcess(settings)))
})

after(async () => {
  await Promise.all(nodes.map((node) => node.end()))
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

function send(i: number, method: string, path: string, body?: unknown, as: Reader = 'admin') {
  const node = nodes[i % nodes.length]
  if (!node) throw new Error('no node')
  return node.send(as, method, path, body)
}

const sixteen = <T>(work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 16 }, (_, i) => work(i)))
const WHEN = onDay('2031-05-01', '20:00:00', '22:00:00')
const numbered = (base: string, count: number) => [
  base,
  ...Array.from({ length: count - 1 }, (_, i) => `${base}-${i + 2}`),
]

test('events of one title get a slug each, and share a new venue, organizer, category, tag', async () => {
  const answers = await sixteen((i) =>
    send(i, 'POST', '/events', {
      ...WHEN,
      title: 'Spring Ball',
      venue: [{ venue: 'Old Mill', city: 'Springfield' }],
      organizer: [{ organizer: 'Dance Club' }],
      categories: i % 2 ? ['Dances', 'Evenings'] : ['Evenings', 'Dances'],
      tags: i % 2 ? ['waltz', 'spring'] : ['spring', 'waltz'],
    }),
  )
  deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 201),
  )
  const events = answers.map(({ body }) => body)
  deepEqual(events.map(({ slug }) => slug).sort(), numbered('spring-ball', 16).sort())
  equal(new Set(events.map(({ venue }) => venue.id)).size, 1)
  equal(new Set(events.map(({ organizer }) => organizer[0].id)).size, 1)

  for (const [path, list, names] of [
    ['/venues', 'venues', ['Old Mill']],
    ['/organizers', 'organizers', ['Dance Club']],
  ] as const) {
    const { body } = await send(0, 'GET', path)
    deepEqual(
      body[list].map((record: Record<string, string>) => record.venue ?? record.organizer),
      names,
    )
  }
  for (const [path, names] of [
    ['categories', ['Dances', 'Evenings']],
    ['tags', ['spring', 'waltz']],
  ] as const) {
    const { body } = await send(1, 'GET', `/${path}`)
    deepEqual(
      body[path].map(({ name, count }: { name: string; count: number }) => [name, count]),
      names.map((name) => [name, 16]),
    )
  }
})

test('new terms that many events name at once are made once each, and no event is refused', async () => {
  for (let round = 0; round < 6; round++) {
    const names = [1, 2].map((number) => `Fresh ${round} ${number}`)
    const answers = await sixteen((i) =>
      send(i, 'POST', '/events', {
        ...WHEN,
        title: `Fresh ${round}`,
        categories: i % 2 ? names : names.toReversed(),
        tags: i % 2 ? names.toReversed() : names,
      }),
    )
    deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]), JSON.stringify(answers[0]?.body))
    for (const path of ['categories', 'tags']) {
      const { body } = await send(round, 'GET', `/${path}?search=Fresh ${round} `)
      deepEqual(
        body[path].map(({ name, count }: { name: string; count: number }) => [name, count]),
        names.map((name) => [name, 16]),
      )
    }
  }
})

test('an event that sixteen clients move to the trash at once is moved once', async () => {
  const { body: event } = await send(0, 'POST', '/events', { ...WHEN, title: 'Once', tags: ['single'] })
  const answers = await sixteen((i) => send(i, 'DELETE', `/events/${event.id}`))
  deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(15).fill(410)])
  const { body } = await send(2, 'GET', '/tags?hide_empty=false&search=single')
  equal(body.tags[0].count, 0)
})

test('changes of one event from all sides leave its terms counted right', async () => {
  const { body: event } = await send(0, 'POST', '/events', { ...WHEN, title: 'Moving', tags: ['m0'] })
  const answers = await sixteen((i) =>
    send(i, 'PUT', `/events/${event.id}`, { tags: [`m${i % 4}`, `m${(i + 1) % 4}`] }),
  )
  deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  const now = pluck((await send(1, 'GET', `/events/${event.id}`)).body.tags, 'slug')
  const { body } = await send(2, 'GET', '/tags?hide_empty=false&search=m')
  const counted = Object.fromEntries(
    body.tags.map(({ slug, count }: { slug: string; count: number }) => [slug, count]),
  )
  deepEqual(
    ['m0', 'm1', 'm2', 'm3'].filter((slug) => counted[slug] === 1),
    now.sort(),
  )
  assertNone(['m0', 'm1', 'm2', 'm3'], (slug) => counted[slug] > 1)
})

test("two categories never become each other's parents", async () => {
  const make = async (name: string) => (await send(0, 'POST', '/categories', { name })).body.id as number
  for (let round = 0; round < 4; round++) {
    const [a, b] = [await make(`Inner ${round}`), await make(`Outer ${round}`)]
    const answers = await Promise.all([
      send(0, 'PUT', `/categories/${a}`, { parent: b }),
      send(1, 'PUT', `/categories/${b}`, { parent: a }),
    ])
    deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  }
})

test('a change through one node is seen there at once, and soon through the others unasked', async () => {
  const { body: event } = await send(0, 'POST', '/events', { ...WHEN, title: 'Version 0' })
  const path = `/events?start_date=2031-01-01&end_date=2031-12-31&include=${event.id}`
  const titleAt = async (i: number) =>
    (await send(i, 'GET', path, undefined, 'anonymous')).body.events[0]?.title
  for (let version = 1; version <= 7; version++) {
    const title = `Version ${version}`
    await send(version, 'PUT', `/events/${event.id}`, { title })
    equal(await titleAt(version), title)
    for (const other of [version + 1, version + 2])
      await until(async () => (await titleAt(other)) === title, `${title} is not seen`)
  }
})

const tagAt = async (app: App) => {
  const list =
    `${app.site.restRoot}/${app.site.namespace}` +
    '/events?start_date=2031-01-01&end_date=2031-12-31&format=ndjson'
  return (await fetch(`http://127.0.0.1:${app.port}${list}`)).headers.get('etag')
}

test('a stream has one entity tag on all nodes of the same settings, whatever has changed', async (t) => {
  const config = testConfig(folder, {
    database: patient(scratch.address),
    site_url: 'http://calendar.example',
  })
  const apps = await Promise.all([startApp(config), startApp(config)])
  t.after(() => Promise.all(apps.map((app) => app.stop())))
  const seen = new Set<string | null>()
  for (let round = 0; round < 3; round++) {
    await apps[0].database.write((tx) => touch(tx, 'event', 1))
    await until(async () => {
      const [one, other] = await Promise.all([tagAt(apps[0]), tagAt(apps[1])])
      const isNew = one === other && !seen.has(one)
      if (isNew) seen.add(one)
      return isNew
    }, 'the tags differ, or stay')
  }
})

test(
  'a stream has the same entity tag on all nodes where ' +
    'a transaction without a change ran beside the last one',
  onPostgres,
  async (t) => {
    const config = testConfig(folder, {
      database: patient(scratch.address),
      site_url: 'http://calendar.example',
    })
    const start = async () => {
      const app = await startApp(config)
      t.after(() => app.stop())
      return app
    }
    const [one, holder] = await Promise.all([start(), start()])
    const before = await tagAt(one)
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const beside = holder.database.write(async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tx)
      begin()
      await mayEnd
    })
    await hasBegun
    await one.database.write((tx) => touch(tx, 'event', 1))
    await until(async () => (await tagAt(one)) !== before, 'the change is not seen')
    end()
    await beside
    const later = await start()
    await until(async () => (await tagAt(one)) === (await tagAt(later)), 'the tags differ')
  },
)
