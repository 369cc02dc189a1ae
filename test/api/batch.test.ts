import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { onSqlite } from '../support/database.ts'
import { type Answer, day, PASSWORD, type Reader, serviceForTests, startService } from '../support/service.ts'

const BATCH = '~/wp-json/batch/v1'
const EVENTS = '/tribe/events/v1/events'
const VENUES = '/tribe/events/v1/venues'
const TAGS = '/tribe/events/v1/tags'

const service = serviceForTests()
let names = 0

const newName = () => `Batch ${++names}.`
const newVenue = (name: string) => ({ venue: `${name} ${++names}` })

interface Part {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  body: any
}

async function batch(
  requests: unknown,
  validation?: string,
  as: Reader = 'admin',
  headers: Record<string, string> = {},
): Promise<{ failed?: string; responses: Part[]; answer: Answer }> {
  const body = { requests, ...(validation === undefined ? {} : { validation }) }
  const answer = await service.post(BATCH, body, as, headers)
  return { ...answer.body, answer }
}

const statuses = (responses: readonly (Part | null)[]) => responses.map((part) => part?.status ?? null)
const codes = (responses: readonly (Part | null)[]) => responses.map((part) => part?.body.code)

async function countOf(name: string): Promise<number> {
  const rows = await service.app.database.read
    .selectFrom('venues')
    .select('id')
    .where('venue', 'like', `${name} %`)
    .execute()
  return rows.length
}

describe('a batch under normal', () => {
  test('does each request by itself, in order, as the caller', async () => {
    const name = newName()
    const { responses, answer, failed } = await batch([
      { path: VENUES, body: newVenue(name) },
      { path: EVENTS, body: { title: 'No dates' } },
      { method: 'POST', path: EVENTS, body: { title: name, ...day } },
      { path: TAGS, body: { name } },
      { path: '/wp/v2/tags', body: { name } },
    ])
    equal(answer.status, 207)
    equal(failed, undefined)
    deepEqual(statuses(responses), [201, 400, 201, 201, 400])
    deepEqual(codes(responses).slice(1, 2), ['rest_missing_callback_param'])
    equal(responses[4]?.body.code, 'term_exists')
    const [venue, , event] = responses
    equal(venue?.headers.Location, `${service.base}/venues/${venue?.body.id}`)
    match(String(event?.headers.Allow), /POST/)
    deepEqual((await service.get(`/events/${event?.body.id}`)).body.title, name)
    const changes = await batch([
      { method: 'PATCH', path: `${VENUES}/${venue?.body.id}`, body: { city: 'Ghent' } },
      { method: 'PUT', path: `${VENUES}/${venue?.body.id}`, body: { zip: '9000' } },
      { method: 'DELETE', path: `${EVENTS}/${event?.body.id}` },
      { method: 'DELETE', path: `${EVENTS}/${event?.body.id}` },
    ])
    deepEqual(statuses(changes.responses), [200, 200, 200, 410])
    const { body } = await service.get(`/venues/${venue?.body.id}`)
    deepEqual([body.city, body.zip], ['Ghent', '9000'])
  })

  test('a request has the rights of the caller, whatever credentials it names', async () => {
    const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
    const requests = [
      { path: VENUES, body: { venue: newName() }, headers: { authorization } },
      { path: TAGS, body: { name: newName() } },
      { method: 'DELETE', path: `${TAGS}/1` },
    ]
    deepEqual(statuses((await batch(requests, 'normal', 'anonymous')).responses), [401, 401, 401])
    deepEqual(statuses((await batch(requests.slice(0, 2), 'normal', 'subscriber')).responses), [403, 403])
    deepEqual(statuses((await batch(requests.slice(0, 2), 'normal', 'author')).responses), [201, 403])
  })

  test('answers name what was asked for: _fields, Prefer, and a method in the address', async () => {
    const { body: venue } = await service.post('/venues', { venue: newName() })
    const { responses } = await batch([
      { path: `${VENUES}?_fields=venue`, body: { venue: 'Trimmed' } },
      { path: VENUES, body: { venue: 'Minimal' }, headers: { Prefer: 'return=minimal' } },
      { path: `${VENUES}/${venue.id}?_method=DELETE` },
    ])
    deepEqual(responses[0]?.body, { venue: 'Trimmed' })
    equal(responses[1]?.body, null)
    equal(responses[1]?.headers['Preference-Applied'], 'return=minimal')
    equal(responses[2]?.body.status, 'trash')
  })
})

describe('a batch that requires all to hold', () => {
  test('writes all, or nothing when one request is not valid or not allowed', async () => {
    const name = newName()
    const good = { path: VENUES, body: newVenue(name) }
    const another = { path: VENUES, body: newVenue(name) }
    const bad = await batch(
      [good, { path: EVENTS, body: { title: 'No dates' } }, good],
      'require-all-validate',
    )
    equal(bad.answer.status, 207)
    equal(bad.failed, 'validation')
    deepEqual(statuses(bad.responses), [null, 400, null])
    const barred = await batch([good, { path: TAGS, body: { name } }], 'require-all-validate', 'author')
    deepEqual([barred.failed, statuses(barred.responses)], ['validation', [null, 403]])
    equal(await countOf(name), 0)
    const { failed, responses } = await batch(
      [good, another, { path: TAGS, body: { name } }],
      'require-all-validate',
    )
    deepEqual([failed, statuses(responses)], [undefined, [201, 201, 201]])
    equal(await countOf(name), 2)
    equal(responses[0]?.body.venue, good.body.venue)
  })

  test('takes everything back when one request fails as it is written', async () => {
    const name = newName()
    const { failed, responses } = await batch(
      [
        { path: VENUES, body: newVenue(name) },
        { path: TAGS, body: { name } },
        { path: TAGS, body: { name } },
        { path: VENUES, body: newVenue(name) },
      ],
      'require-all-validate',
    )
    deepEqual([failed, statuses(responses)], ['validation', [null, null, 400, null]])
    equal(responses[2]?.body.code, 'term_exists')
    equal(await countOf(name), 0)
    equal((await service.get(`/tags?search=${encodeURIComponent(name)}`)).body.tags.length, 0)
  })

  test('changes of one record follow each other, and a removal of what is gone takes all back', async () => {
    const { body: event } = await service.post('/events', { title: newName(), ...day })
    const at = `${EVENTS}/${event.id}`
    const changed = await batch(
      [
        { method: 'PUT', path: at, body: { title: 'First' } },
        { method: 'PUT', path: at, body: { excerpt: 'Second' } },
      ],
      'require-all-validate',
    )
    equal(changed.responses[1]?.body.title, 'First')
    const remove = { method: 'DELETE', path: at }
    const gone = await batch([remove, remove], 'require-all-validate')
    deepEqual([gone.failed, statuses(gone.responses)], ['validation', [null, 410]])
    equal((await service.get(`/events/${event.id}`)).body.status, 'publish')
  })

  test('a hundred events come in one commit', async () => {
    const name = newName()
    const requests = Array.from({ length: 100 }, () => ({
      path: EVENTS,
      body: { title: name, ...day, venue: newVenue(name) },
    }))
    const { responses } = await batch(requests, 'require-all-validate')
    ok(responses.every((part) => part.status === 201))
    equal(await countOf(name), 100)
  })
})

describe('a batch that cannot be', () => {
  test('refuses nested batches, reads, other services and paths that are not there, one by one', async () => {
    const { responses } = await batch([
      { path: '/batch/v1', body: { requests: [] } },
      { path: `${EVENTS}?_method=GET` },
      { path: `https://example.org/wp-json${EVENTS}` },
      { path: `//example.org${EVENTS}` },
      { path: `/wp-json${EVENTS}` },
      { path: `/..${EVENTS}` },
      { path: '/tribe/events/v1/nothing' },
      { path: '' },
      { method: 'DELETE', path: EVENTS },
      { path: '/wp/v2/media', body: { title: 'No file' } },
      { path: '/healthz' },
      { path: `${EVENTS}/${'9'.repeat(9000)}` },
      { path: `${EVENTS}?${'a=1&'.repeat(1990)}` },
    ])
    deepEqual(statuses(responses), [400, 400, 404, 404, 404, 404, 404, 404, 404, 400, 404, 414, 400])
    equal(responses[0]?.body.code, 'rest_batch_not_allowed')
    deepEqual(new Set(codes(responses.slice(2, 9))), new Set(['rest_no_route']))
  })

  test('names every part that is none, and writes nothing', async () => {
    const name = newName()
    const { answer } = await batch([
      { path: VENUES, body: newVenue(name) },
      { method: 'GET', path: EVENTS },
      { method: 'post', path: EVENTS },
      { path: 7 },
      { path: EVENTS, body: 'text' },
      { path: EVENTS, headers: [1] },
      'nothing',
      null,
    ])
    deepEqual([answer.status, answer.body.code], [400, 'rest_invalid_param'])
    deepEqual(
      Object.keys(answer.body.data.params),
      (
        'requests[1][method] requests[2][method] requests[3][path] requests[4][body] ' +
        'requests[5][headers] requests[6] requests[7]'
      ).split(' '),
    )
    equal(await countOf(name), 0)
  })

  test('refuses more than a hundred requests, an unknown validation, no list, and bad JSON', async () => {
    const many = await batch(
      Array.from({ length: 101 }, () => ({ path: VENUES, body: newVenue('One too many') })),
    )
    deepEqual([many.answer.status, many.answer.body.code], [400, 'rest_invalid_param'])
    equal(many.answer.body.data.details.requests.code, 'rest_too_many_items')
    equal(await countOf('One too many'), 0)
    equal((await batch([], 'some')).answer.status, 400)
    for (const requests of [{}, 'a', 7, { 0: { path: VENUES } }])
      equal((await batch(requests)).answer.status, 400)
    equal((await service.post(BATCH, undefined)).body.code, 'rest_missing_callback_param')
    const json = { 'content-type': 'application/json' }
    equal((await service.post(BATCH, '{"requests":[', 'admin', json)).body.code, 'rest_invalid_json')
    equal((await service.get(BATCH, 'admin')).status, 404)
    deepEqual((await batch([])).responses, [])
  })

  test('names of prototypes are names like others', async () => {
    const json = { 'content-type': 'application/json' }
    const request =
      `{"path":"${VENUES}","__proto__":{"method":"DELETE"},"constructor":1,` +
      '"headers":{"__proto__":"a"},"body":{"venue":"Proto","__proto__":{"city":"X"},"toString":1}}'
    const { status, body } = await service.post(BATCH, `{"requests":[${request}]}`, 'admin', json)
    equal(status, 207)
    deepEqual([body.responses[0].status, body.responses[0].body.city], [201, undefined])
  })

  test('a body over the limit is refused whole, and strangers may send little', async () => {
    const requests = [{ path: VENUES, body: { venue: newName(), description: 'x'.repeat(2_000_000) } }]
    equal((await batch(requests)).answer.status, 413)
    equal((await batch(requests, 'normal', 'anonymous')).answer.status, 401)
  })
})

describe('a batch with an Idempotency-Key', () => {
  const key = (name: string) => ({ 'Idempotency-Key': name })

  for (const validation of ['normal', 'require-all-validate'])
    test(`sent again under ${validation} gets the same answers and writes nothing more`, async () => {
      const name = newName()
      const { body: old } = await service.post('/venues', { venue: newName() })
      const requests = [
        { path: VENUES, body: newVenue(name) },
        { path: VENUES, body: newVenue(name) },
        { method: 'DELETE', path: `${VENUES}/${old.id}` },
      ]
      const first = await batch(requests, validation, 'admin', key(name))
      deepEqual(statuses(first.responses), [201, 201, 200])
      equal(first.answer.headers.get('idempotency-replayed'), null)
      const again = await batch(requests, validation, 'admin', key(name))
      equal(again.answer.headers.get('idempotency-replayed'), 'true')
      const bodies = ({ responses }: typeof first) => responses.map(({ status, body }) => ({ status, body }))
      deepEqual(bodies(again), bodies(first))
      equal(await countOf(name), 2)
      const other = await batch(requests.slice(1), validation, 'admin', key(name))
      deepEqual([other.answer.status, other.answer.body.code], [422, 'rest_idempotency_key_reused'])
      equal((await batch(requests, validation, 'editor', key(name))).answer.status, 207)
    })

  test('tries again what was refused, and keeps nothing of a batch that was taken back', async () => {
    const name = newName()
    const requests = [
      { path: VENUES, body: newVenue(name) },
      { path: TAGS, body: { name } },
    ]
    const { body: tag } = await service.post('/tags', { name })
    const refused = await batch(requests, 'require-all-validate', 'admin', key(name))
    deepEqual(statuses(refused.responses), [null, 400])
    deepEqual(statuses((await batch(requests, 'normal', 'admin', key(`${name} n`))).responses), [201, 400])
    await service.remove(`/tags/${tag.id}`)
    deepEqual(
      statuses((await batch(requests, 'require-all-validate', 'admin', key(name))).responses),
      [201, 201],
    )
    equal(await countOf(name), 1)
  })

  test('requests may have keys of their own', async () => {
    const name = newName()
    const requests = [{ path: VENUES, body: newVenue(name), headers: { 'Idempotency-Key': name } }]
    for (const validation of ['normal', 'require-all-validate', 'normal'])
      equal((await batch(requests, validation)).responses[0]?.status, 201)
    equal(await countOf(name), 1)
  })

  test('the same batch twice at once writes once', async () => {
    const name = newName()
    const requests = Array.from({ length: 20 }, () => ({ path: VENUES, body: newVenue(name) }))
    const both = await Promise.all(
      [1, 2].map(() => batch(requests, 'require-all-validate', 'admin', key(name))),
    )
    ok(both.some(({ answer }) => answer.status === 207))
    ok(both.every(({ answer }) => answer.status === 207 || answer.status === 409))
    equal(await countOf(name), 20)
  })
})

test('batches at once neither block each other nor get lost', async () => {
  const name = newName()
  const all = await Promise.all(
    [0, 1, 2, 3, 4, 5].map((i) => {
      const requests = Array.from({ length: 50 }, () => ({ path: VENUES, body: newVenue(name) }))
      return batch(requests, i % 2 === 0 ? 'normal' : 'require-all-validate')
    }),
  )
  const made = all.flatMap(({ responses = [] }) => responses).filter((part) => part?.status === 201)
  equal(await countOf(name), made.length)
  ok(made.length >= 100)
})

test('each request of a batch counts in the limit of rates', async () => {
  await using limited = await startService({ rate_limit: '1' })
  const requests = Array.from({ length: 100 }, () => ({ method: 'DELETE', path: `${VENUES}/999999` }))
  equal((await limited.post(BATCH, { requests })).status, 207)
  equal((await limited.get('/venues')).status, 429)
})

test('the index names the routes that a batch may hold, and how many requests', async () => {
  const { body } = await service.get('~/wp-json/')
  const [own] = body.routes['/batch/v1'].endpoints
  deepEqual(
    [body.routes['/batch/v1'].namespace, own.methods, own.args.requests.maxItems],
    ['', ['POST'], 100],
  )
  const offers = (path: string) =>
    body.routes[path].endpoints.flatMap((endpoint: { methods: string[]; allow_batch?: object }) =>
      endpoint.allow_batch ? endpoint.methods : [],
    )
  deepEqual(offers(EVENTS), ['POST'])
  deepEqual(offers('/wp/v2/tags'), ['POST'])
  deepEqual(offers('/wp/v2/media'), [])
  deepEqual(offers('/batch/v1'), [])
  const { body: described } = await service.request('anonymous', 'OPTIONS', BATCH)
  deepEqual(described, body.routes['/batch/v1'])
  const { body: events } = await service.request('anonymous', 'OPTIONS', '/events')
  deepEqual(events, body.routes[EVENTS])
})

describe('a batch whose answers would be large', onSqlite, () => {
  const events = () =>
    Array.from({ length: 4 }, () => ({ path: EVENTS, body: { title: newName(), ...day, venue: venues } }))
  const venues: number[] = []
  const key = { 'idempotency-key': 'large answers' }
  before(async () => {
    for (let made = 0; made < 20; made++)
      venues.push(
        (await service.create('/venues', { ...newVenue('Long'), description: 'word '.repeat(38_000) })).id,
      )
  })

  for (const validation of ['normal', 'require-all-validate'])
    test(`has ids alone for what no longer fits, under ${validation}`, async () => {
      const { responses, answer } = await batch(events(), validation, 'admin', {
        'idempotency-key': `large ${validation}`,
      })
      equal(answer.status, 207)
      deepEqual(new Set(statuses(responses)), new Set([201]))
      ok(JSON.stringify(responses).length < 9_000_000)
      const [first, last] = [responses[0], responses.at(-1)]
      equal(first?.body.venue.length, 20)
      deepEqual(Object.keys(last?.body), ['id'])
      equal(last?.headers['Preference-Applied'], 'return=minimal')
      equal((await service.get(`/events/${last?.body.id}`, 'admin')).body.venue.length, 20)
    })

  test('goes on to answer small requests whole', async () => {
    const { responses } = await batch([...events().slice(0, 3), { path: TAGS, body: { name: newName() } }])
    equal(responses[3]?.body.taxonomy, 'post_tag')
  })

  test('is kept in few bytes, and is answered with the same records when it is sent again', async () => {
    const requests = events()
    const made = await batch(requests, 'normal', 'admin', key)
    const again = await batch(requests, 'normal', 'admin', key)
    deepEqual(
      again.responses.map(({ body }) => body.id),
      made.responses.map(({ body }) => body.id),
    )
    equal(again.answer.headers.get('idempotency-replayed'), 'true')
    ok(JSON.stringify(again.responses).length < 9_000_000)
    const kept = await service.app.database.read.selectFrom('kept_answers').select('body').execute()
    ok(kept.every(({ body }) => body.length < 20_000))
  })

  test('has a record of its own answered whole when it is sent again', async () => {
    const body = { title: newName(), ...day, venue: venues }
    const send = () => service.post('/events', body, 'admin', { 'idempotency-key': 'one large' })
    const [made, again] = [await send(), await send()]
    equal(again.headers.get('idempotency-replayed'), 'true')
    const linked = ({ body: { venue } }: Answer) =>
      venue.map(({ id, url }: { id: number; url: string }) => ({ id, url }))
    deepEqual(linked(again), linked(made))
    equal(again.body.id, made.body.id)
    await service.remove(`/events/${made.body.id}?force=true`)
    const gone = await send()
    equal(gone.status, 201)
    equal(gone.body.id, made.body.id)
  })
})

test('events of one transaction make a thousand terms, venues and organizers at the most', async () => {
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${prefix} ${++names} ${at}`)
  const event = (parts: object) => ({ path: EVENTS, body: { title: newName(), ...day, ...parts } })
  const before = await countOf('Made')
  const venues = named('Made', 60).map((venue) => ({ venue }))
  const tags = Array.from({ length: 10 }, () => event({ tags: named('Made tag', 95) }))
  const over = await batch([event({ venue: venues }), ...tags], 'require-all-validate')
  deepEqual(statuses(over.responses), [...Array.from({ length: 10 }, () => null), 400])
  const [{ code, data }] = over.responses.slice(-1).map((part) => part.body)
  equal(code, 'rest_invalid_param')
  match(data.params.tags, /1,?000/)
  equal(await countOf('Made'), before)
  const most = await batch(
    [event({ tags: named('Made tag', 100) }), ...tags.slice(1)],
    'require-all-validate',
  )
  deepEqual(new Set(statuses(most.responses)), new Set([201]))
})
