import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { MOST_PAIRS } from '../../src/base/fields/limits.ts'
import { LIMITS } from '../../src/http/admission.ts'
import { onSqlite } from '../support/database.ts'
import { deskAddresses, sitAtDesk } from '../support/desk.ts'
import { head, type Line, openLine } from '../support/lines.ts'
import { credentialsOf, serviceForTests, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const EVENTS = '/tribe/events/v1/events'
const LONG = 190_000
const MOST_UNSENT = 30_000_000

const service = serviceForTests({
  patience_ms: '1500',
  intake_bytes: String(MOST_UNSENT),
  trusted_proxy: 'loopback',
})
before(async () => {
  await service.ready
  service.app.server.on('connection', (socket) => ends.set(socket.remotePort, socket))
  const day = { start_date: '2027-05-01 10:00', end_date: '2027-05-01 11:00' }
  for (let i = 0; i < 50; i++) {
    const description = `${i} ${'word '.repeat(LONG / 5)}`
    equal((await service.post('/events', { ...day, title: `Long ${i}`, description })).status, 201)
  }
})
const open = () => openLine(service.origin)

const ends = new Map<number | undefined, Socket>()

async function otherEnd({ port }: Line): Promise<Socket> {
  await until(() => ends.has(port()), 'it was not let in')
  const end = ends.get(port())
  ok(end)
  return end
}

describe('a reader who takes nothing', () => {
  test('is dropped, and nobody else', async (t) => {
    // A repeated answer is cached, and held once for all readers.
    for (let i = 0; i < 3; i++) equal((await service.get('/events?per_page=50')).status, 200)
    const stalled = Array.from({ length: 4 }, open)
    for (const { socket } of stalled) socket.pause().write(head('GET', `${EVENTS}?per_page=50`, 'anonymous'))
    // Data that stalled readers send does not count as reading.
    const talking = setInterval(() => {
      for (const { socket } of stalled) socket.write('\r\n')
    }, 50)
    const reader = open()
    reader.socket.pause().write(head('GET', `${EVENTS}?per_page=50`, 'anonymous', { connection: 'close' }))
    t.after(() => clearInterval(talking))
    const kept = await Promise.all(stalled.map(otherEnd))
    // This reader is slow but never stops. The service notices only when a third of the system's buffers,
    // about a megabyte, has been read.
    const reading = setInterval(() => {
      reader.socket.resume()
      setImmediate(() => reader.socket.pause())
    }, 20)
    t.after(() => clearInterval(reading))
    await until(() => kept.every((end) => end.destroyed), 'stalled readers are kept')
    clearInterval(reading)
    reader.socket.resume()
    await reader.closed
    // A reader that was dropped would get only a part.
    ok(reader.received().length > 50 * LONG, `${reader.received().length} characters arrived`)
    for (const { socket } of stalled) socket.destroy()
  })

  test('is answered while all that readers hold up stays below its limit, and refused beyond', async () => {
    const stalled = Array.from({ length: 12 }, open)
    const kept = await Promise.all(stalled.map(otherEnd))
    // Each request is different, so that no two share a body.
    for (const [i, { socket }] of stalled.entries())
      socket.pause().write(head('GET', `${EVENTS}?per_page=${50 - i}`, 'admin'))
    const said = (end: Socket) => end.bytesWritten + end.writableLength
    let most = 0
    const areAnswered = () => {
      most = Math.max(most, kept.filter((end) => !end.destroyed && said(end) > LONG).length)
      return kept.every((end) => end.destroyed || said(end) > 0)
    }
    await until(areAnswered, 'they were not all answered')
    ok(most > 0 && most * 39 * LONG <= MOST_UNSENT, `${most} of 12 were held at once`)
    for (const { socket } of stalled) socket.destroy()
  })
})

for (const [what, first, headers, status] of [
  ['two hosts', 'GET / HTTP/1.1', 'Host: x\r\nhost: y', 400],
  ['a transfer coding beside chunks', 'POST / HTTP/1.1', 'Host: x\r\nTransfer-Encoding: gzip, chunked', 501],
  [
    'two lines of transfer codings',
    'POST / HTTP/1.1',
    'Host: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
    501,
  ],
  ['HTTP/2.0', 'GET /healthz HTTP/2.0', 'Host: x', 505],
  ['HTTP/0.9', 'GET / HTTP/0.9', 'Host: x', 505],
] as const)
  test(`a request with ${what} is refused with ${status}, and its connection closed`, async () => {
    const line = open()
    line.socket.write(`${first}\r\n${headers}\r\n\r\n${status === 501 ? '0\r\n\r\n' : ''}`)
    equal(await line.status(), status)
    await line.closed
  })

describe('requests that do not wait for answers', () => {
  test('are answered one after the other, in order', async () => {
    const line = open()
    const paths = Array.from({ length: 60 }, (_, i) => `/events/by-slug/none-${i}`)
    line.socket.write(
      paths.map((path) => head('GET', `/tribe/events/v1${path}`, 'anonymous', { origin: path })).join(''),
    )
    const origins = () =>
      [...line.received().matchAll(/Access-Control-Allow-Origin: (\S+)/gi)].map(([, origin]) => origin)
    await until(() => origins().length === paths.length, 'they were not all answered')
    deepEqual(origins(), paths)
    line.socket.destroy()
  })

  test('beyond a hundred close the connection', async () => {
    const few = open()
    few.socket.write(head('GET', `${EVENTS}?per_page=1&_fields=id`, 'anonymous').repeat(90))
    await until(() => few.received().split('HTTP/1.1 200').length === 91, 'ninety were not all answered')
    few.socket.destroy()
    const line = open()
    line.socket.write(head('GET', EVENTS, 'anonymous').repeat(110))
    await line.closed
    equal((await service.get('/events?per_page=1')).status, 200)
  })
})

test('more than can be served at once is answered, or turned away with 503 and Retry-After', async (t) => {
  const lines = Array.from({ length: 600 }, open)
  for (const [i, { socket }] of lines.entries())
    socket.write(head('GET', `/tribe/events/v1/venues?search=${i}x`, 'anonymous'))
  const statuses = await Promise.all(lines.map((line) => line.status()))
  const count = (status: number) => statuses.filter((other) => other === status).length
  t.diagnostic(`${count(200)} answered, ${count(503)} turned away`)
  equal(count(200) + count(503), lines.length)
  ok(count(200) > 0)
  for (const line of lines.filter((_, i) => statuses[i] === 503)) {
    match(line.received(), /retry-after: 1\r\n/i)
    match(line.received(), /"code":"rest_unavailable"/)
  }
  for (const { socket } of lines) socket.destroy()
  equal((await service.get('/venues?search=again')).status, 200)
})

test('idle connections by the thousand stop nobody', async () => {
  const lines = Array.from({ length: 2000 }, open)
  await Promise.all(lines.map(({ socket }) => until(() => socket.readyState === 'open', 'it was not let in')))
  equal((await service.get('/events?per_page=1')).status, 200)
  equal((await service.get('~/healthz')).status, 200)
  for (const { socket } of lines) socket.destroy()
})

describe('a limit on requests of one client', () => {
  let limited: TestService
  before(async () => {
    limited = await startService({ rate_limit: '1', trusted_proxy: 'loopback' })
  })
  after(() => limited.close())

  const ask = (client: string, path = '/events') =>
    limited.get(path, 'anonymous', { 'x-forwarded-for': client })

  test('answers 429 with Retry-After to who goes beyond, and to nobody else', async () => {
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await ask('192.0.2.1')).status)
    deepEqual([statuses[0], statuses[5]], [200, 429])
    const refused = await ask('192.0.2.1')
    deepEqual(
      [refused.status, refused.body.code, refused.body.data],
      [429, 'rest_too_many_requests', { status: 429 }],
    )
    equal(refused.headers.get('retry-after'), '1')
    equal((await ask('192.0.2.2')).status, 200)
    equal((await ask('192.0.2.1', '~/healthz')).status, 200)
  })

  test('is off by default', async () => {
    for (let i = 0; i < 30; i++) equal((await service.get('/events?per_page=1')).status, 200)
  })
})

test('a write is answered by what it did, though its answer exceeds all that may be held', async () => {
  await using small = await startService({ intake_bytes: '1000000', body_bytes: '900000' })
  const description = 'word '.repeat(LONG / 5)
  const organizer: number[] = []
  for (let i = 0; i < 5; i++)
    organizer.push((await small.create('/organizers', { organizer: `Long ${i}`, description })).id)
  const dates = { start_date: '2027-05-01 10:00', end_date: '2027-05-01 11:00' }
  const { id } = await small.create('/events', { title: 'Before', description, ...dates })
  const plain = { 'accept-encoding': 'identity' }
  const linked = await small.request('admin', 'PUT', `/events/${id}`, { title: 'After', organizer }, plain)
  equal(linked.status, 200)
  ok(JSON.stringify(linked.body).length > 1_000_000)
  const read = await small.request('admin', 'GET', `/events/${id}`, undefined, plain)
  equal(read.status, 200, 'a read of as much is answered where nothing else is held')
})

test('a form is parsed when its turn comes, and not where others have all turns', onSqlite, async () => {
  await using busy = await startService({ metrics: '127.0.0.1:0' })
  const { cookie } = await sitAtDesk(busy, 'editor')
  const { id } = await busy.create('/venues', { venue: 'Hall' })
  const { promise: free, resolve } = Promise.withResolvers<void>()
  const holding = busy.app.database.write(() => free)
  const most = LIMITS.writes.running
  const updates = Array.from({ length: most }, () =>
    busy.request('admin', 'PUT', `/venues/${id}`, { city: 'Here' }),
  )
  const [, at = ''] = /Metrics are at (\S+)/.exec(busy.app.told.join('\n')) ?? []
  const running = async () => {
    const text = await (await fetch(at)).text()
    return Number(/^kalends_queue_running\{work="writes"\} (\d+)$/m.exec(text)?.[1])
  }
  await until(async () => (await running()) === most, 'there are places left')
  const form = 'a&'.repeat(MOST_PAIRS + 1)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = async (path: string, headers: Record<string, string>) =>
    (await fetch(new URL(path, busy.base), { method: 'POST', body: form, headers: { ...type, ...headers } }))
      .status
  equal(await ask(`${busy.base}/venues`, credentialsOf('admin')), 503)
  equal(await ask('/wp-json/batch/v1', credentialsOf('admin')), 503)
  equal(await ask('/desk/events/new', { cookie }), 400, 'turns of reads are free')
  resolve()
  await holding
  for (const { status } of await Promise.all(updates)) equal(status, 200)
  equal(await ask(`${busy.base}/venues`, credentialsOf('admin')), 400)
})

describe('clients that send slowly', () => {
  let slow: TestService
  before(async () => {
    slow = await startService({ mcp: 'write' })
  })
  after(() => slow.close())

  const WITH_BODIES = ['POST', 'PUT', 'PATCH', 'DELETE']

  async function takingBodies(): Promise<
    { method: string; path: string; headers: Record<string, string> }[]
  > {
    const { body } = await slow.request('admin', 'GET', '~/wp-json/')
    const routes = Object.entries<{ methods: string[] }>(body.routes).flatMap(([route, { methods }]) =>
      methods
        .filter((method) => WITH_BODIES.includes(method))
        .slice(0, 1)
        .map((method) => ({ method, path: `/wp-json${route.replaceAll(/\(\?P<\w+>[^)]+\)/g, '7')}` })),
    )
    const pages = (await deskAddresses()).flatMap(({ at, methods }) =>
      methods.includes('POST') ? [`/desk${at.replaceAll(/:\w+/g, '7')}`] : [],
    )
    const { cookie } = await sitAtDesk(slow, 'subscriber')
    const strangers = ['/desk/sign-in', `/desk/set-up/${'A'.repeat(43)}`, '/desk/events/new', '/mcp']
    const post = (path: string, headers: Record<string, string>) => ({ method: 'POST', path, headers })
    return [
      ...routes.map((route) => ({ ...route, headers: credentialsOf('admin') })),
      ...[...pages, '/wp-admin/authorize-application.php'].map((path) => post(path, { cookie })),
      ...strangers.map((path) => post(path, {})),
      post('/mcp', credentialsOf('admin')),
    ]
  }

  test('hold no place of any queue, wherever they send', async () => {
    const most = Math.max(LIMITS.writes.running, LIMITS.reads.running) + 1
    for (const { method, path, headers } of await takingBodies()) {
      const lines = Array.from({ length: most }, () => openLine(slow.origin))
      const sent = {
        host: 'x',
        'content-type': path === '/mcp' ? 'application/json' : 'application/x-www-form-urlencoded',
        accept: 'application/json, text/event-stream',
        'content-length': '15000',
        expect: '100-continue',
        ...headers,
      }
      const text = Object.entries(sent)
        .map((line) => line.join(': '))
        .join('\r\n')
      for (const { socket } of lines) socket.write(`${method} ${path} HTTP/1.1\r\n${text}\r\n\r\na=`)
      await until(() => lines.every(({ received }) => received() !== ''), `${path} did not begin to read`)
      equal((await slow.post('/venues', { venue: path })).status, 201, path)
      equal((await slow.get('/venues?search=nothing')).status, 200, path)
      for (const { socket } of lines) socket.destroy()
    }
  })
})
