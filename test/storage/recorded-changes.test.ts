import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type App, startApp } from '../../src/app.ts'
import { addCredential, revokeCredentials } from '../../src/calendar/people/credentials.ts'
import { changeRole, findUser, insertUser, removeUser, type User } from '../../src/calendar/people/users.ts'
import { extendSeries, publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { copyCalendar } from '../../src/features/transfer/copy.ts'
import { namespaceRoutes, type Route, type RouteAction } from '../../src/http/routes.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import type { Tx } from '../../src/store/storage/recording.ts'
import { makePlatform } from '../../src/wordpress/platform.ts'
import { startCalendar } from '../import/calendar-command.ts'
import { onSqlite, scratchDatabase } from '../support/database.ts'
import { featureTables } from '../support/feature-tables.ts'
import { temporaryFolder } from '../support/folder.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { isWhole } from '../support/rounds.ts'
import { type Answer, onDay, serviceForTests, type TestService, testConfig } from '../support/service.ts'
import { actsSince, readWritten, unrecorded } from '../support/written-records.ts'
import { openScratch } from './open.ts'

const PLATFORM = '~/wp-json/wp/v2'
const CLIENT = 'A client of the test/1.0'

const service = serviceForTests()

const picture = await drawPng(40, 30, 'teal')

async function recorded<T>(acts: readonly string[], work: () => Promise<T>): Promise<T> {
  const { database } = service.app
  const before = await readWritten(database)
  const result = await work()
  const after = await readWritten(database)
  deepEqual(unrecorded(before, after), [])
  deepEqual(actsSince(before, after).sort(), [...acts].sort())
  return result
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
type Sent = Record<string, any>

const hours = onDay('2031-03-04', '10:00:00', '12:00:00')
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`

const makings: Record<string, { sent: () => Sent; acts: string[] }> = {
  event: {
    sent: () => ({
      title: unique('Concert'),
      ...hours,
      venue: { venue: unique('Hall') },
      organizer: [{ organizer: unique('Club') }],
      categories: [unique('Kind')],
      tags: [unique('Word')],
    }),
    acts: ['create event', 'create venue', 'create organizer', 'create term', 'create term'],
  },
  venue: { sent: () => ({ venue: unique('Hall'), city: 'Ghent' }), acts: ['create venue'] },
  organizer: { sent: () => ({ organizer: unique('Club') }), acts: ['create organizer'] },
  category: { sent: () => ({ name: unique('Kind') }), acts: ['create term'] },
  tag: { sent: () => ({ name: unique('Word') }), acts: ['create term'] },
  image: { sent: () => ({}), acts: ['create image'] },
}

const changes: Record<string, () => Sent> = {
  event: () => ({ excerpt: unique('Now'), featured_media: 0, tags: [], venue: [] }),
  venue: () => ({ address: unique('Street') }),
  organizer: () => ({ phone: unique('1') }),
  category: () => ({ description: unique('About') }),
  tag: () => ({ description: unique('About') }),
  image: () => ({ caption: unique('Under') }),
}

const kindOf = (name: string) => (name === 'category' || name === 'tag' ? 'term' : name)
const removalOf = (name: string) =>
  `${['term', 'image'].includes(kindOf(name)) ? 'delete' : 'trash'} ${kindOf(name)}`

function send(method: string, path: string, body?: Sent): Promise<Answer> {
  return service.request('admin', method, path, body, { 'user-agent': CLIENT })
}

async function upload(): Promise<Answer> {
  const headers = {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename="poster.png"',
    'user-agent': CLIENT,
  }
  return service.post(`${PLATFORM}/media`, new Uint8Array(picture), 'admin', headers)
}

const PATHS: Record<string, string> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
}

async function make(name: string, more: Sent = {}): Promise<Sent> {
  const made =
    name === 'image'
      ? await upload()
      : await send('POST', `/${PATHS[name]}`, { ...makings[name]?.sent(), ...more })
  equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

interface Way {
  title: string
  method: string
  path: string
  action: RouteAction & { do: 'create' | 'update' | 'remove' }
}

function writingWays({ app: { site } }: TestService): Way[] {
  const namespace = namespaceRoutes(site, [])
  const { platform, root } = makePlatform(site, namespace, [])
  const waysOf = (routes: readonly Route[], start: string) =>
    routes.flatMap(({ template, endpoints }) =>
      endpoints.flatMap(({ methods, action }) => {
        if (action.do !== 'create' && action.do !== 'update' && action.do !== 'remove') return []
        const way = action as Way['action']
        return methods.map((method) => ({
          title: `${method} ${start}${template}`,
          method,
          path: start + template,
          action: way,
        }))
      }),
    )
  return [...waysOf(namespace, ''), ...waysOf(platform.routes, PLATFORM), ...waysOf(root.routes, '~/wp-json')]
}

test('every route and method that writes records what it changes, and the history tells of it', async (t) => {
  const ways = writingWays(service)
  ok(ways.length > 40, `only ${ways.length} ways were found`)
  for (const { title, method, path, action } of ways) {
    await t.test(title, async () => {
      const { name } = action.served.resource
      if (action.do === 'create') {
        const { sent, acts } = makings[name] ?? fail(`nothing is known to be sent for ${name}`)
        const answer = await recorded(acts, () => (name === 'image' ? upload() : send(method, path, sent())))
        return equal(answer.status, 201, JSON.stringify(answer.body))
      }
      const { id, slug } = await make(name)
      const address = path.replace('{id}', id).replace('{slug}', slug)
      const acts = [action.do === 'remove' ? removalOf(name) : `update ${kindOf(name)}`]
      const body = action.do === 'remove' ? undefined : changes[name]?.()
      const answer = await recorded(acts, () => send(method, address, body))
      equal(answer.status, 200, JSON.stringify(answer.body))
    })
  }
})

test('the history tells who wrote, from where, by what client and request, and its name', async () => {
  const { body } = await send('POST', '/venues', { venue: 'Told Hall' })
  await send('PUT', `/venues/${body.id}`, { venue: 'Renamed Hall' })
  const rows = (await readWritten(service.app.database)).history.slice(-2)
  for (const row of rows) {
    deepEqual(
      [row.user, row.login, row.address, row.client],
      [service.userIds.admin, 'admin', '127.0.0.1', CLIENT],
    )
    match(row.time_utc, /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
    ok(row.request !== '' && row.record === body.id)
  }
  deepEqual(pluck(rows, 'action', 'name'), [
    ['create', 'Told Hall'],
    ['update', 'Renamed Hall'],
  ])
})

test('a very long title and client are kept in part', async () => {
  await service.post('/events', { title: 'x'.repeat(199) + '🎻'.repeat(40), ...hours }, 'admin', {
    'user-agent': 'y'.repeat(3000),
  })
  const last = (await readWritten(service.app.database)).history.at(-1)
  deepEqual([last?.name.length, last?.name.isWellFormed(), last?.client.length], [200, true, 200])
})

test('a refused write is neither recorded nor told', async () => {
  await recorded([], () => send('POST', '/events', { title: 'No dates' }))
  await recorded([], () => service.post('/events', { title: 'Not mine', ...hours }, 'subscriber'))
})

test('publishing, trash and restoring are told apart from other updates', async () => {
  for (const name of ['event', 'venue', 'organizer']) {
    const { id } = await make(name, { status: 'draft' })
    const address = `/${PATHS[name]}/${id}`
    await recorded([`publish ${name}`], () => send('PUT', address, { status: 'publish' }))
    await recorded([`update ${name}`], () => send('PUT', address, { status: 'draft' }))
    await recorded([`publish ${name}`], () => send('PUT', address, { status: 'publish' }))
    await recorded([`trash ${name}`], () => send('DELETE', address))
    await recorded([`restore ${name}`], () => send('PUT', address, { status: 'publish' }))
  }
})

test('a venue named by an event is recorded when its gaps are filled, else not', async () => {
  const venue = unique('Hall')
  await make('venue', { venue, city: undefined })
  const sent = () => ({ title: unique('Concert'), ...hours, venue: { venue, city: 'Bruges' } })
  await recorded(['create event', 'update venue'], () => send('POST', '/events', sent()))
  await recorded(['create event'], () => send('POST', '/events', sent()))
})

test('a category is recorded with those below it that move, and with what its events lose', async () => {
  const top = await make('category')
  const middle = await make('category', { parent: top.id })
  const below = await make('category', { parent: middle.id })
  await make('event', { categories: [middle.id, below.id] })
  await recorded(['update term'], () => send('PUT', `/categories/${below.id}`, { parent: top.id }))
  await recorded(['update term'], () => send('PUT', `/categories/${below.id}`, { parent: middle.id }))
  await recorded(['delete term'], () => send('DELETE', `/categories/${middle.id}`))
})

const DAY_MS = 86_400_000

function soon(): { start_date: string; end_date: string } {
  const day = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)
  return onDay(day, '10:00:00', '12:00:00')
}

test('a series is recorded with its occurrences, however they change', async () => {
  const sent = { title: unique('Lesson'), ...soon(), recurrence: 'RRULE:FREQ=DAILY;COUNT=3' }
  const made = await recorded([...each('create', 3), 'create series'], () => send('POST', '/events', sent))
  const { id, recurrence } = made.body
  const change = (fields: Sent) => send('PUT', `/events/${id}`, fields)
  const all = { recurrence_scope: 'all' }
  await recorded(['update event'], () => change({ excerpt: 'Once' }))
  await recorded([...each('update', 3), 'update series'], () => change({ title: unique('Course'), ...all }))
  await recorded(['create event', ...each('update', 3), 'update series'], () =>
    change({ recurrence: 'RRULE:FREQ=DAILY;COUNT=4', ...all }),
  )
  await recorded(['trash event', 'update series'], () => send('DELETE', `/events/${id}`))
  const series = `~/wp-json/kalends/v1/series/${recurrence.series}`
  await recorded([...each('trash', 3), 'trash series'], () => send('DELETE', series))
})

const each = (action: string, count: number) => Array.from({ length: count }, () => `${action} event`)

test('the dates that the schedule adds to a series are recorded', async () => {
  const { app } = service
  // The first date is three days before the last day for which dates are written, the second one four days
  // after it.
  const day = new Date(Date.now() - 3 * DAY_MS)
  day.setUTCFullYear(day.getUTCFullYear() + 2)
  const start_date = day.toISOString().slice(0, 10)
  await make('event', { recurrence: 'RRULE:FREQ=WEEKLY', start_date, end_date: start_date })
  await recorded(['create event', 'update series'], () =>
    extendSeries(app.database, app.site, Date.now() + 7 * DAY_MS, () => {}),
  )
})

test('a batch records the changes of all its requests, whether they share a transaction or not', async () => {
  for (const validation of ['normal', 'require-all-validate']) {
    const requests = ['venue', 'organizer', 'event'].map((name) => ({
      method: 'POST',
      path: `/tribe/events/v1/${PATHS[name]}`,
      body: makings[name]?.sent(),
    }))
    const acts = ['venue', 'organizer', 'event'].flatMap((name) => makings[name]?.acts ?? [])
    const { status, body } = await recorded(acts, () =>
      send('POST', '~/wp-json/batch/v1', { validation, requests }),
    )
    deepEqual([status, body.responses?.length], [207, 3], JSON.stringify(body))
  }
})

test('an import is recorded and told as its doing, and so is its undoing', async (t) => {
  const calendar = await startCalendar()
  t.after(() => calendar.close())
  const { database } = calendar.service.app
  const file = await calendar.file('events.csv', CSV)
  const start = await readWritten(database)
  for (const words of [
    ['import', file],
    ['imports', 'undo', '1'],
  ]) {
    const before = await readWritten(database)
    const { code, err } = await calendar.kalends(...words)
    equal(code, 0, err)
    const end = await readWritten(database)
    ok(end.history.length > before.history.length)
    deepEqual(unrecorded(before, end), [])
  }
  const done = await readWritten(database)
  const made = ['create event', 'create term', 'create venue']
  deepEqual(actsSince(start, done).sort(), [...made, 'delete term', 'trash event', 'trash venue'])
  ok(done.history.slice(start.history.length).every(({ client }) => client === 'import'))
})

const CSV = 'Title,Start,End,Venue,Category\nFair,2031-05-01 10:00,2031-05-01 12:00,Square,Market\n'

test('an image is removed and recorded in one transaction with the records it is taken off', async () => {
  const image = await make('image')
  const shown = [`image ${image.id}`]
  for (const name of ['event', 'venue', 'organizer'])
    shown.push(`${name} ${(await make(name, { image: image.id })).id}`)
  await recorded(['delete image'], () => send('DELETE', `${PLATFORM}/media/${image.id}?force=true`))
  const { changes } = await readWritten(service.app.database)
  equal(new Set(shown.map((key) => changes.get(key)?.position)).size, 1)
})

test('what the schedule publishes is recorded, and told as its doing', async () => {
  const date = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
  for (const name of ['event', 'venue', 'organizer']) await make(name, { date_utc: date })
  await recorded(['publish event', 'publish venue', 'publish organizer'], () =>
    publishDue(service.app.database, Date.now() + 7_200_000),
  )
  const last = (await readWritten(service.app.database)).history.at(-1)
  deepEqual([last?.user, last?.login, last?.client], [0, '', 'schedule'])
})

test('users and credentials are recorded, and the records that go to an heir', async () => {
  const write = <T>(work: (tx: Tx) => Promise<T>) => service.app.database.write(work)
  const now = Date.now()
  const add = (login: string): Promise<User> => write((tx) => insertUser(tx, { login, role: 'author' }, now))
  const anna = await recorded(['create user'], () => add('anna'))
  await recorded(['role user'], () => write((tx) => changeRole(tx, anna.id, 'editor')))
  await recorded(['grant user'], () => write((tx) => addCredential(tx, anna, 'token', 'Desk', now)))
  await recorded(['revoke user'], () => write((tx) => revokeCredentials(tx, anna, 'all')))
  for (const name of ['event', 'venue', 'organizer']) await make(name, { author: anna.id })
  await recorded(['delete user'], () => write((tx) => removeUser(tx, anna.id, service.userIds.admin)))
  equal(await findUser(service.app.database.read, anna.id), undefined)
})

test('keeping records presented, noting uses and pruning change nothing that is recorded', async () => {
  await service.get('/events?per_page=50')
  await recorded([], () => dropOld(service.app.database, 365, Date.now()))
})

async function startDemo(folder: string, address: string): Promise<App> {
  return startApp(testConfig(folder, { database: address }), { demo: true })
}

// The tests above cover each of these writes.
const onlyWhole = isWhole ? onSqlite : { skip: 'npm run test:rest does it' }
test('the first start and the demo are recorded and told; copies have both', onlyWhole, async (t) => {
  const folder = temporaryFolder()
  const scratch = await scratchDatabase()
  const app = await startDemo(folder, scratch.address)
  t.after(async () => {
    await app.stop()
    await scratch.remove()
  })
  const written = await readWritten(app.database)
  const empty = { records: new Map<string, string>(), changes: new Map(), history: [] }
  deepEqual(unrecorded(empty, written), [])
  const told = new Map(written.history.map((row) => [`${row.kind} ${row.record}`, row]))
  for (const key of written.records.keys())
    ok(key.startsWith('count ') || told.has(key), `${key} is not told of`)
  const ways = Map.groupBy(written.history, ({ client }) => client)
  deepEqual([...ways.keys()], ['first start', 'kalends serve --demo'])
  equal(ways.get('kalends serve --demo')?.[0]?.login, 'admin')

  const { database: target } = await openScratch(t)
  const silent = { start: () => undefined, advance: () => undefined, finish: () => undefined }
  await copyCalendar(app.database, target, await featureTables(), undefined, silent)
  const copied = await readWritten(target)
  const unplaced = (rows: typeof written.changes) =>
    [...rows].map(([key, { position: _position, ...row }]) => `${key} ${JSON.stringify(row)}`).sort()
  deepEqual(unplaced(copied.changes), unplaced(written.changes))
  deepEqual(copied.history, written.history)
})
