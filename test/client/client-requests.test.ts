// Requests of the client, with servers that answer wrongly, late, from another address or not at all.
import { deepEqual, equal, fail, match, ok, rejects, throws } from 'node:assert/strict'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from '../../client/src/connection.ts'
import { createKalends } from '../../client/src/kalends.ts'
import { KalendsProblem } from '../../client/src/problem.ts'
import { startServer } from '../support/server.ts'
import type { Client } from './client-shapes.ts'

interface Got {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

let got: Got[] = []
beforeEach(() => {
  got = []
})
async function serve(answer: RequestListener): Promise<string> {
  const { origin, close } = await startServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    got.push({ method, path: url, headers, body: await text(request) })
    answer(request, response)
  })
  after(close)
  return `${origin}/wp-json/tribe/events/v1`
}

async function calendarOf(answer: RequestListener, options: Partial<Options> = {}): Promise<Client> {
  return createKalends({ url: await serve(answer), ...options })
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function problemOf(call: Promise<unknown>): Promise<KalendsProblem> {
  const problem = await call.then(
    () => fail('it was answered'),
    (error: unknown) => error,
  )
  ok(problem instanceof KalendsProblem, String(problem))
  return problem
}

const record = { id: 12, title: 'Ball' }
const refusal = { code: 'rest_unavailable', message: 'Later.', data: { status: 503 } }
const busyFor = (times: number, status = 503, later: string | undefined = '0'): RequestListener => {
  let left = times
  return (_request, response) =>
    left-- > 0
      ? json(response, status, refusal, later ? { 'retry-after': later } : {})
      : json(response, 200, record)
}

describe('what is sent', () => {
  const echo: RequestListener = (_request, response) =>
    json(response, 200, { ...record, events: [], responses: [] })

  test('parameters are sent by their names, lists as such, and what is undefined is left out', async () => {
    const { events } = await calendarOf(echo)
    await events.list({ categories: ['a,b', 'c&d'], featured: false, page: 2, search: undefined })
    const { pathname, searchParams } = new URL(got[0]?.path ?? '', 'http://x')
    equal(pathname, '/wp-json/tribe/events/v1/events')
    deepEqual(
      [...searchParams],
      [
        ['categories[]', 'a,b'],
        ['categories[]', 'c&d'],
        ['featured', 'false'],
        ['page', '2'],
      ],
    )
    equal(got[0]?.headers.authorization, undefined)
  })

  test('a token is a bearer, and any other header of authorization is sent as it is', async () => {
    await (await calendarOf(echo, { token: 'kal_1' })).events.list()
    await (await calendarOf(echo, { authorization: 'Basic YTpi' })).events.list()
    deepEqual(
      got.map(({ headers }) => headers.authorization),
      ['Bearer kal_1', 'Basic YTpi'],
    )
  })

  test('each create, batch and upload has its own key unless given one; changes have none', async () => {
    const { events, batch, media } = await calendarOf(echo)
    await events.create(record)
    await events.create(record)
    await events.create(record, { key: 'mine' })
    await events.create(record, { key: '' })
    await batch([{ path: 'events/1' }, { path: '/wp/v2/tags' }])
    await media.upload(new Blob(['x']), { filename: 'é.png', title: 'A' })
    await events.update(1, record, { ifMatch: '"1"' })
    await events.remove('a/b')
    const keys = got.map(({ headers }) => headers['idempotency-key'])
    equal(new Set(keys).size, 6)
    deepEqual([keys[2], keys[3], keys[6], keys[7]], ['mine', undefined, undefined, undefined])
    deepEqual(JSON.parse(got[4]?.body ?? '').requests, [
      { path: '/tribe/events/v1/events/1' },
      { path: '/wp/v2/tags' },
    ])
    match(got[5]?.body ?? '', /name="title"\r\n\r\nA\r\n[\s\S]*filename="é.png"/)
    deepEqual(
      got.slice(4).map(({ method, path, headers }) => `${method} ${path} ${headers['if-match'] ?? ''}`),
      [
        'POST /wp-json/batch/v1 ',
        'POST /wp-json/wp/v2/media ',
        'PATCH /wp-json/tribe/events/v1/events/1 "1"',
        'DELETE /wp-json/tribe/events/v1/events/by-slug/a%2Fb ',
      ],
    )
  })

  test('a service without permalinks is asked by rest_route', async () => {
    const url = (await serve(echo)).replace('/wp-json/', '/?rest_route=/')
    await createKalends({ url: `${url}/` }).events.list({ page: 2 })
    const { searchParams } = new URL(got[0]?.path ?? '', 'http://x')
    deepEqual(Object.fromEntries(searchParams), { rest_route: '/tribe/events/v1/events', page: '2' })
  })

  test('an address that is no namespace is refused at once', () => {
    for (const url of ['', 'https://example.org/', '/wp-json/tribe/events/v1', 'ftp://x/tribe/events/v1'])
      throws(() => createKalends({ url }), TypeError)
  })

  test('a change that is to be made only if unchanged is not sent without an ETag', async () => {
    const { events } = await calendarOf(echo)
    await rejects(events.update(1, record, { ifMatch: '' }), TypeError)
    deepEqual(got, [])
  })
})

describe('being turned away', () => {
  for (const status of [429, 503])
    test(`reads and writes with a key are sent again after ${status}, the same each time`, async () => {
      for (const call of [
        (calendar: Client) => calendar.events.get(12),
        (calendar: Client) => calendar.events.create(record),
        (calendar: Client) => calendar.media.upload(new Blob(['x'])),
      ]) {
        got = []
        equal(Object(await call(await calendarOf(busyFor(2, status)))).id, 12)
        const keys = new Set(got.map(({ headers }) => headers['idempotency-key']))
        deepEqual([got.length, keys.size], [3, 1])
      }
    })

  test('a write without a key is never sent again', async () => {
    for (const call of [
      ({ events }: Client) => events.create(record, { key: '' }),
      ({ events }: Client) => events.update(12, record),
      ({ events }: Client) => events.remove(12),
    ]) {
      got = []
      const { code, retryAfter } = await problemOf(call(await calendarOf(busyFor(1))))
      deepEqual([code, retryAfter, got.length], ['rest_unavailable', 0, 1])
    }
  })

  test('nothing is sent again for another status, or without a readable time to come again', async () => {
    for (const busy of [busyFor(1, 500), busyFor(1, 409), busyFor(1, 503, ''), busyFor(1, 503, 'soon')]) {
      got = []
      await problemOf((await calendarOf(busy)).events.get(12))
      equal(got.length, 1)
    }
  })

  test('a time that is too far away is told and not waited for', async () => {
    for (const later of ['99999999999', '31', 'Thu, 01 Jan 2099 00:00:00 GMT']) {
      const { retryAfter = 0 } = await problemOf((await calendarOf(busyFor(1, 503, later))).events.get(12))
      ok(retryAfter > 30, later)
    }
    const impatient = await calendarOf(busyFor(1), { patience: 0 })
    equal((await problemOf(impatient.events.get(12))).retryAfter, 0)
    equal(got.length, 4)
  })

  test('a date that has passed is come back from, and five times are enough', async () => {
    const past = 'Thu, 01 Jan 1998 00:00:00 GMT'
    equal((await (await calendarOf(busyFor(1, 503, past))).events.get(12)).id, 12)
    got = []
    await problemOf((await calendarOf(busyFor(99))).events.get(12))
    equal(got.length, 5)
  })

  test('a problem of a create has its key, with which it may be sent again', async () => {
    const { events } = await calendarOf(({ socket }) => socket.destroy())
    const { code, key } = await problemOf(events.create(record))
    equal(code, 'unreachable')
    deepEqual([got.length, got[0]?.headers['idempotency-key']], [1, key])
  })
})

describe('answers that are none', () => {
  const page = '<!doctype html><title>Down for maintenance</title>'
  const html = (response: ServerResponse, status: number) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(page)

  test('a page in place of JSON is unreadable, with the status it had', async () => {
    for (const status of [200, 403, 500, 502]) {
      const { events } = await calendarOf((_request, response) => html(response, status))
      const calls = [
        () => events.get(1),
        () => events.list(),
        () => events.all().next(),
        () => events.remove(1),
      ]
      for (const call of calls) {
        const problem = await problemOf(call())
        deepEqual([problem.status, problem.code], [status, 'unreadable'])
        match(problem.message, /text\/html/)
      }
    }
  })

  test('null, and JSON that breaks off, is unreadable', async () => {
    for (const body of ['null', '{"id": 12, "tit', '']) {
      const { events } = await calendarOf((_request, response) => response.end(body))
      equal((await problemOf(events.get(12))).code, 'unreadable', body)
    }
  })

  test('an error without a code, or with odd parts, is a problem all the same', async () => {
    for (const body of [{}, [], { code: 7, message: null, data: null }, { code: { a: 1 } }, 'text', null]) {
      const problem = await problemOf(
        (await calendarOf((_request, response) => json(response, 418, body))).events.get(1),
      )
      deepEqual([problem.status, typeof problem.code, problem.data], [418, 'string', {}])
    }
  })

  test('half a body is unreachable, and is not asked for again', async () => {
    const { events } = await calendarOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' })
      response.write('{"id": 12,')
      setImmediate(() => response.destroy())
    })
    deepEqual([(await problemOf(events.get(12))).code, got.length], ['unreachable', 1])
  })

  test('nobody there is unreachable', async () => {
    const { events } = createKalends({ url: 'http://127.0.0.1:1/wp-json/tribe/events/v1' })
    const problem = await problemOf(events.get(12))
    deepEqual([problem.status, problem.code], [0, 'unreachable'])
    ok(problem.cause instanceof Error)
  })

  test('silence ends with the timeout: before the head, within the body and within a stream', async () => {
    const silent = await calendarOf(() => undefined, { timeout: 50 })
    equal((await problemOf(silent.events.create(record))).code, 'timeout')
    const begins = (type: string) => (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200, { 'content-type': type }).write('{"id":1}\n')
    const half = await calendarOf(begins('application/json'), { timeout: 50 })
    equal((await problemOf(half.events.get(12))).code, 'timeout')
    const stream = (await calendarOf(begins('application/x-ndjson'), { timeout: 1000 })).events.all()
    equal((await stream.next()).value?.id, 1)
    equal((await problemOf(stream.next())).code, 'timeout')
  })

  test('a timeout longer than timers are is as long as they can be', async () => {
    const { events } = await calendarOf(busyFor(0), { timeout: Number.POSITIVE_INFINITY })
    equal((await events.get(12)).id, 12)
  })
})

describe('redirects', () => {
  test('a stranger who reads follows them', async () => {
    const there = await serve((_request, response) => json(response, 200, record))
    const { events } = await calendarOf((_request, response) =>
      response.writeHead(301, { location: `${there}/events/12` }).end(),
    )
    equal((await events.get(12)).id, 12)
  })

  test('a token is not carried elsewhere, and a write does not become a read', async () => {
    const there = await serve((_request, response) => json(response, 200, record))
    for (const status of [301, 302, 303, 307, 308]) {
      const moved: RequestListener = (_request, response) =>
        response.writeHead(status, { location: there }).end()
      got = []
      for (const call of [
        async () => (await calendarOf(moved, { token: 'kal_1' })).events.get(12),
        async () => (await calendarOf(moved)).events.create(record),
      ]) {
        const problem = await problemOf(call())
        deepEqual([problem.status, problem.code], [status, 'moved'])
        ok(problem.message.includes(there))
      }
      equal(got.length, 2)
    }
  })
})

describe('aborting', () => {
  const reason = new Error('no longer wanted')

  async function abortAll(answer: RequestListener, controller: AbortController): Promise<void> {
    const { events, changes } = await calendarOf(answer)
    const { signal } = controller
    const calls = [
      events.list({}, { signal }),
      events.get(1, { signal }),
      events.create(record, { signal }),
      events.all({}, { signal }).next(),
      events.all({ per_page: 1 }, { signal }).next(),
      changes('x', { signal }).next(),
    ]
    const ends = await Promise.allSettled(calls)
    deepEqual(
      ends.map((end) => end.status === 'rejected' && end.reason === reason),
      calls.map(() => true),
    )
  }

  test('ends a call before it is sent', async () => {
    const { events } = await calendarOf(busyFor(0))
    await rejects(events.create(record, { signal: AbortSignal.abort(reason) }), reason)
    equal(got.length, 0)
  })

  test('ends calls that wait for their answer, with the reason of the signal', async () => {
    const controller = new AbortController()
    await abortAll(() => got.length === 6 && controller.abort(reason), controller)
  })

  test('ends calls that wait until they may come again', async () => {
    const controller = new AbortController()
    await abortAll((_request, response) => {
      json(response, 503, refusal, { 'retry-after': '20' })
      if (got.length === 6) response.once('close', () => controller.abort(reason))
    }, controller)
  })

  test('ends a stream between two of its records', async () => {
    const { events } = await calendarOf((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":1}\n'),
    )
    const controller = new AbortController()
    const stream = events.all({}, { signal: controller.signal })
    await stream.next()
    const next = stream.next()
    controller.abort(reason)
    await rejects(next, reason)
  })

  test('whoever leaves a stream closes its connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { events } = await calendarOf((_request, response) => {
      response.once('close', () => closed.resolve())
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":1}\n{"id":2}\n')
    })
    for await (const { id } of events.all()) {
      equal(id, 1)
      break
    }
    await closed.promise
  })

  test('a signal that outlives its calls is left without listeners', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...words: Parameters<typeof add>) => {
      listeners++
      add(...words)
    }
    signal.removeEventListener = (...words: Parameters<typeof remove>) => {
      listeners--
      remove(...words)
    }
    const { events } = await calendarOf(busyFor(1))
    await events.get(1, { signal })
    await problemOf((await calendarOf(busyFor(1, 500))).events.get(1, { signal }))
    await sleep(0)
    equal(listeners, 0)
  })
})
