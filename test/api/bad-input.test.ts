import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { deskAddresses, sitAtDesk } from '../support/desk.ts'
import { openLine } from '../support/lines.ts'
import { assertNone } from '../support/lists.ts'
import { isWhole } from '../support/rounds.ts'
import { type Answer, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ body_bytes: '20000', image_bytes: '30000' })
const DAY = { title: 'A day out', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 12:00:00' }
const JSON_TYPE = { 'content-type': 'application/json' }

function assertError({ status, body, headers }: Answer, expected: number, code: string): void {
  deepEqual([status, body?.code], [expected, code], JSON.stringify(body))
  equal(body.data.status, expected)
  equal(typeof body.message, 'string')
  equal(headers.get('content-type'), 'application/json; charset=UTF-8')
  doesNotMatch(JSON.stringify(body), /\bat \S+ \(|node_modules|\/src\/|SQLITE|select |Error:/)
}

function assertNamed(answer: Answer, ...params: string[]): void {
  assertError(answer, 400, 'rest_invalid_param')
  deepEqual(Object.keys(answer.body.data.params), params)
  for (const name of params) ok(answer.body.message.includes(name), answer.body.message)
}

test('an expectation that the service does not know is passed over (RFC 9110, 10.1.1)', async () => {
  for (const expect of ['', 'something', '200-ok']) {
    equal((await service.get('/events', 'anonymous', { expect })).status, 200, expect)
    const made = await service.post('/venues', { venue: 'Hall' }, 'admin', { expect })
    deepEqual([made.status, made.body.venue], [201, 'Hall'])
    assertNamed(await service.get('/events?page=x', 'admin', { expect }), 'page')
  }
})

describe('parameters', () => {
  test('one of a few words is refused with the words it may be', async () => {
    const refusals = {
      'when=never': 'The value of when is not one of now, today, tonight, tomorrow, weekend, week, month.',
      'attendance=online,moon': 'The value of attendance is not one of in_person, online, mixed.',
      'time=': 'The value of time is not one of morning, afternoon, evening.',
    }
    for (const [query, text] of Object.entries(refusals)) {
      const refused = await service.get(`/events?${query}`)
      const [name = ''] = query.split('=')
      assertNamed(refused, name)
      equal(refused.body.data.params[name], text)
    }
  })

  test('an invalid value is refused with one that is taken', async () => {
    const values = {
      start_date: 'someday',
      timezone: 'Nowhere/City',
      website: 'no address',
      sign_language: '!!',
      online_shown: 'before:x',
      captions: 'perhaps',
    }
    for (const [name, value] of Object.entries(values)) {
      const refused = await service.post('/events', { ...DAY, [name]: value })
      assertNamed(refused, name)
      const [, example] = / is invalid; (.+) would be valid\.$/.exec(refused.body.data.params[name]) ?? []
      equal((await service.post('/events', { ...DAY, [name]: example })).status, 201, example)
    }
    const queries = 'page=-1 start_date=someday bbox=here geoloc_lat=north&geoloc_lng=5 include=x'.split(' ')
    for (const query of queries) {
      const [name = ''] = query.split('=')
      const refused = await service.get(`/events?${query}`)
      assertNamed(refused, name)
      const [, example = ''] =
        / is invalid; (.+) would be valid\.$/.exec(refused.body.data.params[name]) ?? []
      const valid = query.replace(/=[^&]*/, `=${encodeURIComponent(example)}`)
      ok(!(await service.get(`/events?${valid}`)).body.data?.params?.[name], `${name}: ${example}`)
    }
  })

  test('missing ones are all named at once, in the documented order, before anything else', async () => {
    for (const as of ['anonymous', 'subscriber', 'admin'] as const) {
      const none = await service.post('/events', { website: 'no address' }, as)
      assertError(none, 400, 'rest_missing_callback_param')
      deepEqual(none.body.data.params, ['title', 'start_date', 'end_date'])
    }
    const some = await service.post('/events', { title: 'x', end_date: null })
    deepEqual(some.body.data.params, ['start_date', 'end_date'])
    for (const [path, name] of [
      ['/venues', 'venue'],
      ['/organizers', 'organizer'],
      ['/categories', 'name'],
      ['/tags', 'name'],
    ] as const)
      deepEqual((await service.post(path, {})).body.data.params, [name])
  })

  test('invalid ones are all named at once, in the declared order, before rights', async () => {
    const texts = 'organizer website end_date start_date timezone status date'.split(' ')
    const wrong = {
      ...Object.fromEntries(texts.map((name) => [name, 'x'])),
      ...{ venue: 987654, categories: true, image: 987654, slug: 5, title: '', author: 999, cost: true },
    }
    const expected = (
      'author date title slug status timezone start_date ' +
      'end_date image cost website categories venue organizer'
    ).split(' ')
    // Values that need another request or query to check are not checked for callers who may not write at
    // all.
    const lookedUp = ['image', 'venue']
    for (const [as, named] of [
      ['admin', expected],
      ['anonymous', expected.filter((name) => !lookedUp.includes(name))],
    ] as const) {
      const answer = await service.post('/events', wrong, as)
      assertNamed(answer, ...named)
      deepEqual(answer.body.data.details, [])
    }
  })

  test('values of the wrong type are named with a detail each, once all others are in order', async () => {
    const answer = await service.post('/events', { ...DAY, all_day: 'yes', featured: [] })
    assertNamed(answer, 'all_day', 'featured')
    const { details, params } = answer.body.data
    deepEqual(details.all_day, {
      code: 'rest_invalid_type',
      message: params.all_day,
      data: { param: 'all_day' },
    })
    match(params.all_day, /all_day.*boolean/)
    assertNamed(await service.post('/events', { ...DAY, all_day: 'yes', website: 'x' }), 'website')
  })

  test('an address and the values of an update that are both wrong are named together', async () => {
    for (const path of ['/venues/987654', '/organizers/987654'])
      assertNamed(await service.put(path, { website: 'x' }), 'id', 'website')
    assertNamed(await service.put('/venues/by-slug/nowhere', { website: 'x' }), 'slug', 'website')
    assertNamed(await service.put('/categories/987654', { name: '' }), 'id', 'name')
  })

  test('anonymous writers hear of wrong values first, of the missing right once all is right', async () => {
    assertNamed(await service.post('/events', { ...DAY, website: 'x' }, 'anonymous'), 'website')
    assertError(await service.post('/events', DAY, 'anonymous'), 401, 'rest_forbidden')
    assertError(await service.post('/events', DAY, 'subscriber'), 403, 'rest_forbidden')
    assertNamed(await service.remove('/venues/99999', 'anonymous'), 'id')
  })

  test('ids beyond what can be counted are unknown, not an error', async () => {
    for (const id of ['0', '2147483648', '9007199254740993', '9'.repeat(40)]) {
      assertError(await service.get(`/events/${id}`), 404, 'rest-event-not-found')
      for (const path of ['/venues', '/organizers', '/categories', '/tags'])
        assertNamed(await service.get(`${path}/${id}`), 'id')
    }
    assertNamed(await service.get('/events?venue=9007199254740993,1e300'), 'venue')
    assertError(await service.get('/events/-1'), 404, 'rest_no_route')
    assertError(await service.get('/events/1.5'), 404, 'rest_no_route')
  })
})

describe('bodies', () => {
  test('bodies are read by their type, and refused unreadable before parameters and rights', async () => {
    const day = JSON.stringify(DAY)
    const form = 'multipart/form-data; boundary=b'
    const part = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx'
    const missing = 'rest_missing_callback_param'
    const bodies: [types: string[], texts: string[], status: number, code?: string][] = [
      [
        ['application/json'],
        ['{"title": "x",}', '{', 'null {', '{"a":1}x', "{'a':1}", '\0'],
        400,
        'rest_invalid_json',
      ],
      [['application/json'], ['[]', '5', '"x"', 'null', 'true', '[{"title":"x"}]'], 400, missing],
      [['application/json; charset=UTF-8', 'Application/JSON', 'application/ld+json'], [day], 201],
      [['application/vnd.api+json;x=y'], [day], 201],
      [['text/plain', 'application/xml', 'image/png', 'application/octet-stream'], [day], 400, missing],
      [['nonsense', '/', 'a b'], [day], 415, 'rest_unsupported_media_type'],
      [[form], ['title=x', part, '--c--'], 400, 'rest_invalid_form'],
      [['multipart/form-data'], ['x'], 400, 'rest_invalid_form'],
    ]
    for (const [types, texts, status, code] of bodies)
      for (const type of types)
        for (const text of texts) {
          const headers = { 'content-type': type }
          for (const as of status === 201 ? (['admin'] as const) : (['admin', 'anonymous'] as const)) {
            const answer = await service.post('/events', text, as, headers)
            if (code) assertError(answer, status, code)
            else equal(answer.status, status, type)
            if (code === 'rest_invalid_json') equal(answer.body.data.json_error_code, 4)
          }
        }
    const unread = { 'content-type': 'text/plain' }
    const inQuery = `/events?${new URLSearchParams(DAY)}`
    equal((await service.post(inQuery, 'x', 'admin', unread)).status, 201)
    const unknown = await service.put('/venues/987654', '{', 'admin', JSON_TYPE)
    assertError(unknown, 400, 'rest_invalid_json')
  })

  test('an oversized body is 413 and names the limit, in every form; the service goes on', async () => {
    const large = 'x'.repeat(20_001)
    const form = new FormData()
    form.append('title', large)
    const file = new FormData()
    file.append('file', new Blob([new Uint8Array(40_000)]), 'x.png')
    const bodies: [unknown, Record<string, string>][] = [
      [{ ...DAY, description: large }, {}],
      [new URLSearchParams({ title: large }), {}],
      [large, { 'content-type': 'text/plain' }],
      ['x'.repeat(100_000), JSON_TYPE],
      [form, {}],
      [file, {}],
    ]
    for (const [body, headers] of bodies) {
      const answer = await service.post('/events', body, 'admin', headers)
      assertError(answer, 413, 'rest_request_too_large')
      ok(Number(answer.body.data.bytes) >= 20_000)
    }
    equal((await service.post('/events', DAY)).status, 201)
  })

  test('of a repeated field the last value counts, in the query, urlencoded and multipart', async () => {
    const form = new FormData()
    for (const [name, value] of [...Object.entries(DAY), ['title', 'Last']] as const) form.append(name, value)
    const text = `${new URLSearchParams(DAY)}&title=Last`
    for (const answer of [
      await service.post('/events', form),
      await service.post('/events', new URLSearchParams(text)),
      await service.post(`/events?${text}`, undefined),
    ])
      deepEqual([answer.status, answer.body.title], [201, 'Last'])
  })

  test('nothing can be put onto what all records share', async () => {
    const text =
      '{"title":"Tame","start_date":"2027-05-01","end_date":"2027-05-01",' +
      '"__proto__":{"status":"draft"},"constructor":{"prototype":{"status":"draft"}}}'
    equal((await service.post('/events', text, 'admin', JSON_TYPE)).body.status, 'publish')
    await service.post('/events', '__proto__[status]=draft&constructor[prototype][status]=draft', 'admin', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    equal(({} as Record<string, unknown>).status, undefined)
  })
})

describe('addresses and credentials', () => {
  test('an address that is too long is a 414, one that is not there a 404', async () => {
    assertError(await service.get(`/events?search=${'x'.repeat(8000)}`), 414, 'rest_uri_too_long')
    assertError(await service.get(`/events/by-slug/${'x'.repeat(8000)}`), 414, 'rest_uri_too_long')
    const absent = '/nothing /events/1/2 /events/x //events /events//1 ~/wp-json/x/events/v1 ~/nothing'
    for (const path of absent.split(' ')) assertError(await service.get(path), 404, 'rest_no_route')
    const { port } = new URL(service.base)
    const send = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let received = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('close', () => resolve(received))
        // The system may reset the connection after the answer, since the service has not read the whole
        // request.
        socket.on('error', () => received === '' && reject(new Error('no answer')))
      })
    for (const [text, status, code] of [
      [`GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, 'rest_uri_too_long'],
      [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'rest_head_too_large'],
      ['nonsense\r\n\r\n', 400, 'rest_invalid_request'],
    ] as const) {
      const [head = '', body = ''] = (await send(text)).split('\r\n\r\n')
      match(head, new RegExp(`^HTTP/1.1 ${status} `))
      const { code: answered, data } = JSON.parse(body)
      deepEqual([answered, data.status], [code, status])
    }
    equal((await service.get('/events')).status, 200)
  })

  test('wrong credentials end any request, reading included', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    // Five failed sign-ins a minute are answered at once, later ones with a delay.
    const wrong = basic('admin:wrong')
    for (const [method, path, header, code] of [
      ['GET', '/events', wrong, 'incorrect_password'],
      ['GET', '/nothing', wrong, 'incorrect_password'],
      ['POST', '/events', wrong, 'incorrect_password'],
      ['GET', '/events', basic('nobody-here:wrong'), 'invalid_username'],
      ['GET', '/events', { authorization: 'Basic !!!' }, 'invalid_username'],
    ] as const)
      assertError(await service.request('anonymous', method, path, undefined, header), 401, code)
    for (const authorization of ['Bearer nonsense', 'Digest x', 'Basic'])
      ok((await service.get('/events', 'anonymous', { authorization })).status < 402)
  })
})

test('an absolute address is answered as its path, one without a path as missing', async () => {
  const answerTo = async (address: string) => {
    const line = openLine(service.origin)
    line.socket.write(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await line.closed
    return line.received()
  }
  for (const address of ['http://evil.example/healthz', 'HTTP://evil.example/healthz'])
    match(await answerTo(address), /^HTTP\/1\.1 200 .*"alive"/s)
  for (const address of ['http://evil.example%2fx', 'http://evil.example?a=b', 'http:%2f%2f', 'x'])
    match(
      await answerTo(address),
      /^HTTP\/1\.1 4\d\d .*"code":"rest_(?:no_route|invalid_request)".*"status":4\d\d/s,
    )
})

const NUMBERS = ['1e300', '0.5', '99999999999', '9'.repeat(15), '-1', 'Infinity']

test('a number that no database holds is no defect in any form or address of the desk', async () => {
  const { id } = await service.event(DAY)
  const admin = await sitAtDesk(service, 'admin')
  const names = 'id version image into undo ids days venue parent author session'.split(' ')
  const known = await deskAddresses()
  const addresses = known.filter(({ at }) => !at.startsWith('/sign-') && !at.startsWith('/set-up'))
  const told: string[] = []
  for (const number of isWhole ? NUMBERS : NUMBERS.slice(0, 2)) {
    const sent = Object.fromEntries(names.map((name) => [name, number]))
    for (const { at, methods } of addresses)
      for (const part of [number, String(id)]) {
        const path = `/desk${at.replace(':id', part).replace(/:\w+/g, number)}`
        const query = `${path}?${new URLSearchParams(sent)}`
        if (methods.includes('GET')) told.push(`${(await admin.get(query)).status} GET ${path}`)
        if (methods.includes('POST'))
          told.push(`${(await admin.post(path, { ...sent, title: 'x' })).status} ${path}`)
      }
  }
  assertNone(told, (line) => line.startsWith('5'))
})
