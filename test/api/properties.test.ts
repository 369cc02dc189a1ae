import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { resources } from '../../src/calendar/resources.ts'
import { nameEndings } from '../support/name-endings.ts'
import { fc } from '../support/rounds.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

/** The number of runs of each property. PROPERTY_RUNS=1000 gives more. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 20)

let service: TestService
/** The id of one record or term of each kind, to change and to link to. */
const known: Record<string, number> = {}

before(async () => {
  service = await startService()
  const made = {
    events: { title: 'Known', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 11:00:00', tags: 'known' },
    venues: { venue: 'Known' },
    organizers: { organizer: 'Known' },
    categories: { name: 'Known' },
    tags: { name: 'Known too' },
  }
  for (const [path, record] of Object.entries(made)) {
    const { body } = await service.post(`/${path}`, record)
    known[path] = body.id
  }
})
after(() => service.close())

/** The required fields of each path. */
const required: Record<string, Record<string, unknown>> = {
  events: { title: 'A day', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 11:00:00' },
  venues: { venue: 'A place' },
  organizers: { organizer: 'A club' },
  categories: { name: 'A kind' },
  tags: { name: 'A word' },
}

/** Asserts a 2xx, or a 4xx in the shape of rule 25.1. */
function assertAnswered(answer: Answer, where: string): void {
  assert.ok(answer.status < 500, `${where}: ${answer.status} ${JSON.stringify(answer.body)}`)
  if (answer.status < 400) return
  assert.equal(typeof answer.body?.code, 'string', `${where}: ${JSON.stringify(answer.body)}`)
  assert.ok(answer.body.message, where)
  assert.equal(answer.body.data?.status, answer.status, where)
  if (answer.body.code === 'rest_invalid_param') assert.ok(Object.keys(answer.body.data.params).length > 0, where)
}

const deep = (levels: number, open: string, close: string) =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`)

/** Values that have broken services before. */
const nasty: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e308',
    '1e999',
    'NaN',
    'Infinity',
    '9007199254740993',
    '99999999999999999999',
    '2147483648',
  ],
  ...[
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udc00y',
    '\u202e\ufeff',
    '\r\n',
    "'; drop table events; --",
    '%',
    '_',
    '%00',
    '%ff',
  ],
  ...[
    '<script>alert(1)</script>',
    '<',
    '&',
    '&#0;',
    '&#xd800;',
    '<!--',
    '<a'.repeat(200),
    '{"$gt":0}',
    '__proto__',
    'constructor',
  ],
  ...[
    'x'.repeat(5000),
    '日本語'.repeat(100),
    '💥',
    'İ',
    'ß',
    'now',
    'tomorrow',
    '2027-02-30',
    '0000-00-00 00:00:00',
    '9999-12-31 23:59:59',
  ],
  ...[
    'UTC+99',
    'UTC',
    'Europe/Rome',
    '+14:00',
    'Etc/GMT+12',
    'mailto:a@b',
    'http://127.0.0.1:1/x.png',
    'http://[::1]/',
    'publish',
    'any',
  ],
  ...[0, -0, 1, -1, 0.5, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 1796000000, 253402300800, 1e15],
  ...[
    null,
    true,
    false,
    [],
    {},
    [[]],
    [{}],
    [null],
    { id: null },
    { id: 0 },
    { id: 'x' },
    { id: 1e99 },
    { id: [1] },
    { '': '' },
  ],
  ...[deep(50, '[', ']'), deep(50, '{"a":', '}'), deep(2000, '[', ']'), { id: deep(50, '[', ']') }],
  JSON.parse('{"__proto__":{"id":1},"constructor":{"prototype":{"x":1}}}'),
  JSON.parse('[{"__proto__":1}]'),
  ...[{ toString: 1 }, { valueOf: null, toString: null }, { length: 3 }, { 0: 1, 1: 2 }, { toJSON: 1 }],
)

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom('Known', 'known', 'known-too'),
)
const knownId = fc.constantFrom('events', 'venues', 'organizers', 'categories', 'tags').map((path) => known[path])
const plain: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.jsonValue({ maxDepth: 3 }),
  word,
  knownId,
  fc.double(),
  fc.maxSafeInteger(),
)

/** Draws fields of a resource, each with any value. */
function anyRecord(path: string): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(resources.find(({ resource }) => resource.path === path)?.resource.fields ?? {})
  const named = fc.dictionary(fc.constantFrom(...names), anyValue(path), { maxKeys: 4 })
  const strange = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'id', 'slug', 'toString', ''), plain, {
    maxKeys: 2,
  })
  return fc.tuple(named, strange, fc.boolean()).map(([fields, other, whole]) => {
    const record = Object.assign(whole ? { ...required[path] } : {}, other, fields)
    return record
  })
}

/** Draws any value, sometimes a list, or a venue, organizer or term as a record. */
function anyValue(path: string): fc.Arbitrary<unknown> {
  const nested = path === 'events' ? [anyRecord('venues'), anyRecord('organizers'), anyRecord('categories')] : []
  return fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 2, arbitrary: fc.array(fc.oneof(plain, ...nested), { maxLength: 3 }) },
    ...nested.map((arbitrary) => ({ weight: 2, arbitrary })),
  )
}

for (const path of Object.keys(required)) {
  test(`any JSON value in any field of ${path} is taken or refused in the documented shape, on create and on update`, async () => {
    await fc.assert(
      fc.asyncProperty(anyRecord(path), fc.constantFrom('POST', 'PUT', 'PATCH'), async (record, method) => {
        const sent = JSON.stringify(record)
        const json = { 'content-type': 'application/json' }
        for (const [verb, target] of [
          ['POST', ''],
          [method, `/${known[path]}`],
        ] as const) {
          const where = `${verb} ${target} ${sent}`
          const answer = await service.request('admin', verb, `/${path}${target}`, sent, json)
          assertAnswered(answer, where)
          if (answer.status >= 300) continue
          const read = await service.get(`/${path}/${answer.body.id}`, 'admin')
          assert.equal(read.status, 200, where)
          const shown = withoutLinkedData(read.body)
          assert.deepEqual(shown, answer.body, where)
          assertRepresentation(path, shown)
          if (shown.status !== 'publish') continue
          const { json_ld: _data, venue, organizer, ...publicly } = (await service.get(`/${path}/${shown.id}`)).body
          for (const [name, value] of Object.entries(publicly))
            assert.deepEqual(value, shown[name], `${name}: ${where}`)
        }
      }),
      { numRuns: RUNS },
    )
    const list = await service.get(
      `/${path}?per_page=50&start_date=0001-01-01&end_date=9999-12-31&hide_empty=0`,
      'admin',
    )
    assert.equal(list.status, 200)
  })
}

/** Removes linked data, which only single reads have. */
function withoutLinkedData(body: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(body), (name, value) => (name === 'json_ld' ? undefined : value))
}

/** Asserts the types on which strict decoders rely (rule 30.2). */
function assertRepresentation(path: string, body: Record<string, unknown>): void {
  assert.equal(typeof body.id, 'number')
  if (path === 'categories' || path === 'tags') {
    assert.equal(typeof body.name, 'string')
    assert.equal(typeof body.count, 'number')
    return
  }
  assert.equal(typeof body.author, 'string')
  for (const date of ['date', 'date_utc', 'modified', 'modified_utc']) assert.match(String(body[date]), WALL)
  if (path !== 'events') return
  for (const date of ['start_date', 'end_date', 'utc_start_date', 'utc_end_date'])
    assert.match(String(body[date]), WALL)
  assert.ok(String(body.start_date) <= String(body.end_date))
  for (const flag of ['all_day', 'show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured'])
    assert.equal(typeof body[flag], 'boolean')
}

const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** Draws a query of declared and unknown parameters, in every spelling. */
function anyQuery(path: string): fc.Arbitrary<string> {
  const names = Object.keys(resources.find(({ resource }) => resource.path === path)?.filters ?? {})
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('_fields', '_envelope', '_pretty', '_method', '__proto__', 'constructor', 'x'),
    },
  )
  const suffix = fc.constantFrom(...nameEndings)
  const value = fc.oneof(
    plain.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
    fc.constantFrom(
      'true',
      'false',
      '1',
      '0',
      'yes',
      '2027-05-01',
      '2027-05-01T10:00:00+02:00',
      'now',
      '+3 days',
      '40.7',
      '-181',
      'name',
      'desc',
    ),
    knownId.map(String),
  )
  const written = fc.tuple(name, suffix, value, fc.boolean()).map(([key, end, text, raw]) => {
    const encoded = raw ? text.replace(/[#\s]/g, '+') : encodeURIComponent(text.toWellFormed())
    return `${key}${end}=${encoded.slice(0, 400)}`
  })
  return fc.array(written, { maxLength: 5 }).map((pairs) => pairs.join('&'))
}

for (const path of Object.keys(required)) {
  test(`any query of the list of ${path} is answered or refused in the documented shape`, async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery(path), fc.constantFrom('anonymous', 'contributor', 'admin'), async (query, reader) => {
        const answer = await service.get(`/${path}?${query}`, reader)
        if (/_envelope/.test(query) && answer.body?.status !== undefined) {
          const { status, body } = answer.body
          return assertAnswered({ ...answer, status, body }, query)
        }
        assertAnswered(answer, query)
      }),
      { numRuns: RUNS },
    )
  })
}

test('any slug in an address is answered or refused in the documented shape', async () => {
  const segment = fc.oneof(
    plain.map((value) => encodeURIComponent(String(JSON.stringify(value)).slice(0, 300).toWellFormed())),
    word.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '%00',
      '%ff',
      '%',
      '%2f',
      '%25',
      '%e6%97',
      'a%00b',
      '..',
      '%2e%2e',
      'known',
      'KNOWN',
      '%C4%B0',
      'x'.repeat(5000),
    ),
    fc.nat().map(String),
    fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  )
  const paths = fc.constantFrom(
    '/events/',
    '/venues/',
    '/tags/',
    '/categories/',
    '/events/by-slug/',
    '/venues/by-slug/',
    '/organizers/by-slug/',
    '/',
    '',
  )
  const methods = fc.constantFrom('GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS')
  await fc.assert(
    fc.asyncProperty(paths, segment, methods, async (path, end, method) => {
      if (method === 'DELETE' && Object.values(known).map(String).includes(end)) return
      // A path with ~ at its beginning would be one outside the namespace.
      const address = (path + end).replace(/^~/, '%7E')
      const answer = await service.request('editor', method, address, method.startsWith('P') ? {} : undefined)
      if (method === 'HEAD') return assert.ok(answer.status < 500, path + end)
      assertAnswered(answer, `${method} ${path}${end}`)
    }),
    { numRuns: RUNS },
  )
})

test('any body of any content type is taken or refused in the documented shape', async () => {
  const types = fc.constantFrom(
    ...[
      'application/json',
      'application/ld+json',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
    ],
    ...[
      'multipart/form-data',
      'multipart/form-data; boundary=b',
      'multipart/mixed; boundary=b',
      'text/plain',
      'text/html',
      '',
    ],
    ...['image/png', 'application/octet-stream', 'x', '/', 'application/xml', 'APPLICATION/JSON'],
  )
  const pieces = fc.constantFrom(
    ...[
      'title=x',
      '&',
      'venue[venue]=V',
      'venue[__proto__][x]=1',
      '__proto__[title]=1',
      'start_date=2027-05-01',
      '&end_date=2027-05-02&',
      '[',
      ']',
      '=',
      '%',
      '%zz',
    ],
    ...[
      '--b\r\n',
      '--b--\r\n',
      'Content-Disposition: form-data; name="title"\r\n\r\n',
      'Content-Disposition: form-data; name="image"; filename="x.png"\r\n\r\n',
      '\r\n',
    ],
    ...['{', '}', '"title"', ':', '"x"', ',', 'null', '1e999', '\ufeff', '\u0000', '{"title":"x"}', '[]', '"', 'tru'],
  )
  const bodies = fc.oneof(
    fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 8 })
      .map((parts) => new TextEncoder().encode(parts.join(''))),
    fc.uint8Array({ maxLength: 60 }),
  )
  const methods = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE')
  await fc.assert(
    fc.asyncProperty(
      types,
      bodies,
      methods,
      fc.constantFrom('/events', '/venues', '/tags', '/events/1', '/venues/1'),
      async (type, body, method, path) => {
        const answer = await service.request('author', method, path, body, { 'content-type': type })
        assertAnswered(answer, `${method} ${path} ${type} ${JSON.stringify(new TextDecoder().decode(body))}`)
      },
    ),
    { numRuns: RUNS * 2 },
  )
})

test('any header is answered or refused in the documented shape', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
    fc.base64String({ maxLength: 40 }).map((text) => `Basic ${text}`),
    fc.constantFrom(
      'Bearer',
      'Bearer x',
      'Basic',
      'Basic Og==',
      'Basic AAA6AAA=',
      'DELETE',
      'null',
      '*',
      'W/"x", *',
      'br;q=0, gzip;q=1',
      'x'.repeat(4000),
    ),
  )
  const names = fc.constantFrom(
    'x-http-method-override',
    'origin',
    'if-none-match',
    'accept-encoding',
    'x-forwarded-for',
    'accept',
    'host',
    'expect',
    'range',
  )
  await fc.assert(
    fc.asyncProperty(names, value, async (name, text) => {
      const headers = { [name]: text.replace(/[^\x20-\x7e]/g, '').trim() }
      const answer = await service.request('anonymous', 'GET', '/events', undefined, headers).catch(() => undefined)
      if (answer && answer.status !== 304) assertAnswered(answer, `${name}: ${text}`)
    }),
    { numRuns: RUNS },
  )
})

/** The ways to send a record. */
const ENCODINGS = {
  json: (record: object) => record,
  urlencoded: (record: object) => new URLSearchParams(pairsOf(record)),
  multipart: (record: object) => {
    const form = new FormData()
    for (const [name, value] of pairsOf(record)) form.append(name, value)
    return form
  },
}

/** Returns a record as fields of a form, with brackets for lists and records, and empty text for empty lists. */
function pairsOf(value: unknown, name = ''): [string, string][] {
  if (value === null || typeof value !== 'object') return [[name, String(value)]]
  const entries = Object.entries(value)
  if (entries.length === 0) return [[name, '']]
  return entries.flatMap(([key, entry]) => pairsOf(entry, name === '' ? key : `${name}[${key}]`))
}

const letters = fc.string({ unit: fc.constantFrom(...'abcdeéüñßøäЖ日本ع🎭'), minLength: 1, maxLength: 8 })
const line = fc.array(letters, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
let serial = 0
const unique = fc.constant('unique').map((word) => `${word}-${++serial}`)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const wallTime = fc
  .date({ min: new Date('2027-01-01'), max: new Date('2028-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19).replace('T', ' '))
const website = fc.webUrl({ withQueryParameters: true }).filter((url) => !/[&'"%]/.test(url))
const head = {
  author: optional(fc.constantFrom('admin', 'editor', 'author')),
  date: optional(fc.constantFrom('2020-01-02 03:04:05', '2025-06-07 08:09:10')),
  status: optional(fc.constantFrom('publish', 'private')),
  description: optional(line),
}

const records: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  events: fc.record({
    ...head,
    title: line,
    excerpt: optional(line),
    slug: optional(unique),
    timezone: optional(fc.constantFrom('Europe/Rome', 'UTC', 'UTC+5:30', '-03:30', 'Asia/Kolkata', 'America/New_York')),
    all_day: optional(fc.boolean()),
    start_date: wallTime,
    end_date: wallTime,
    cost: optional(fc.constantFrom('10', '$10', '10 €', 'Free', ['5', '20'])),
    website: optional(website),
    show_map: optional(fc.boolean()),
    show_map_link: optional(fc.boolean()),
    hide_from_listings: optional(fc.boolean()),
    sticky: optional(fc.boolean()),
    featured: optional(fc.boolean()),
    categories: optional(fc.uniqueArray(fc.constantFrom('Music', 'Open air', 'Café'), { maxLength: 3 })),
    tags: optional(fc.uniqueArray(fc.constantFrom('free', 'for all', 'naïve'), { maxLength: 3 })),
  }),
  venues: fc.record({
    ...head,
    venue: unique,
    show_map: optional(fc.boolean()),
    show_map_link: optional(fc.boolean()),
    ...Object.fromEntries(
      ['address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince'].map((name) => [
        name,
        optional(line),
      ]),
    ),
    website: optional(website),
    geo_lat: fc.integer({ min: -90, max: 90 }),
    geo_lng: fc.double({ min: -180, max: 180, noNaN: true }).map((degrees) => degrees + 0),
  }),
  organizers: fc.record({
    ...head,
    organizer: unique,
    phone: optional(line),
    email: optional(line),
    website: optional(website),
  }),
  categories: fc.record({ name: unique, description: optional(line), slug: optional(unique) }),
  tags: fc.record({ name: unique, description: optional(line), slug: optional(unique) }),
}

/** Returns the value that an answer shows for a sent one. */
function shownAs(path: string, name: string, value: unknown): unknown {
  const isRecord = path !== 'categories' && path !== 'tags'
  if (isRecord && (name === 'description' || name === 'excerpt')) return `<p>${value}</p>`
  if (name === 'author') return String(value)
  if (name === 'categories' || name === 'tags') return [...(value as string[])].sort()
  return value
}

function seenAs(name: string, value: unknown): unknown {
  if (name === 'categories' || name === 'tags') return (value as { name: string }[]).map((term) => term.name).sort()
  return value
}

for (const [path, arbitrary] of Object.entries(records)) {
  test(`every field of ${path} comes back as it was sent, by JSON, urlencoded and multipart, on create and update`, async () => {
    const encodings = fc.constantFrom('json', 'urlencoded', 'multipart' as const)
    await fc.assert(
      fc.asyncProperty(arbitrary, arbitrary, encodings, encodings, async (first, second, one, other) => {
        const made = await service.post(`/${path}`, ENCODINGS[one](toSend(first)))
        assert.equal(made.status, 201, JSON.stringify(made.body))
        await assertShown(path, made.body.id, toSend(first))
        const changed = await service.put(`/${path}/${made.body.id}`, ENCODINGS[other](toSend(second)))
        assert.equal(changed.status, 200, JSON.stringify(changed.body))
        await assertShown(path, made.body.id, { ...toSend(first), ...toSend(second) })
      }),
      // Not shrunk: records from before the failure would get in the way of sending again.
      { numRuns: Math.ceil(RUNS / 4), endOnFailure: true },
    )
  })
}

/** Removes undefined values and names the author by id. */
function toSend(record: Record<string, unknown>): Record<string, unknown> {
  const sent = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    sent.map(([name, value]) => [name, name === 'author' ? service.userIds[String(value)] : value]),
  )
}

async function assertShown(path: string, id: number, sent: Record<string, unknown>): Promise<void> {
  const { body } = await service.get(`/${path}/${id}`, 'admin')
  const settled = ['start_date', 'end_date', 'cost', 'stateprovince']
  for (const [name, value] of Object.entries(sent)) {
    if (settled.includes(name)) continue
    assert.deepEqual(seenAs(name, body[name]), shownAs(path, name, value), `${name} of ${JSON.stringify(sent)}`)
  }
  if (path !== 'events') return
  const last = String(sent.end_date) < String(sent.start_date) ? sent.start_date : sent.end_date
  const day = (date: unknown) => String(date).slice(0, 10)
  if (sent.all_day) {
    assert.deepEqual([body.start_date, body.end_date], [`${day(sent.start_date)} 00:00:00`, `${day(last)} 23:59:59`])
  }
}

/** Ids to filter by, in a calendar that nothing changes while lists are read page by page. */
interface Calendar {
  service: TestService
  events: number[]
  venues: number[]
  organizers: number[]
  categories: number[]
  tags: number[]
}

const WORDS = ['fish & chips', '100% wool', 'a_b', 'Café', 'über', '+1', 'tea "time"', '#9', 'a=b?c', '日本']
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

/** Makes a calendar with events of every kind, some of them equal in all sort keys. */
async function plantCalendar(): Promise<Calendar> {
  const planted = await startService({ page_size_cap: '1000' })
  const create = async (path: string, record: object): Promise<number> => (await planted.post(path, record)).body.id
  const many = async (count: number, path: string, record: (n: number) => object) => {
    const made: number[] = []
    for (let n = 0; n < count; n++) made.push(await create(path, record(n)))
    return made
  }
  const word = (n: number) => pick(WORDS, n)
  const date = (n: number) => `202${n % 3}-01-01 00:00:00`
  const categories = await many(4, '/categories', (n) => ({ name: `${word(n)} ${n}` }))
  categories.push(
    ...(await many(6, '/categories', (n) => ({ name: `${word(n)} below ${n}`, parent: pick(categories, n) }))),
  )
  const tags = await many(9, '/tags', (n) => ({ name: `${word(n)} ${n}`, description: word(n % 3) }))
  const status = (n: number) => pick(['publish', 'publish', 'publish', 'draft', 'private'], n)
  const author = (n: number) => planted.userIds[pick(['admin', 'author', 'contributor'], n)]
  const shared = (n: number) => ({ description: word(n), date: date(n), status: status(n), author: author(n) })
  const place = (n: number) => (n % 2 === 0 ? { geo_lat: 40 + (n % 4), geo_lng: -70 } : {})
  const venues = await many(14, '/venues', (n) => ({ venue: `${word(n)} hall ${n}`, ...shared(n), ...place(n) }))
  const organizers = await many(12, '/organizers', (n) => ({ organizer: `${word(n)} club ${n}`, ...shared(n) }))
  const events = await many(40, '/events', (n) => ({
    title: `${word(n)} ${n % 3}`,
    ...shared(n),
    start_date: `2027-0${1 + (n % 4)}-0${1 + (n % 2)} 10:00:00`,
    end_date: `2027-0${1 + (n % 4)}-0${2 + (n % 5)} 10:00:00`,
    venue: n % 5 === 0 ? [] : [pick(venues, n), pick(venues, n * 3)],
    organizer: [pick(organizers, n)],
    categories: n % 3 === 0 ? [pick(categories, n)] : [pick(categories, n), pick(categories, n * 7)],
    tags: [pick(tags, n), pick(tags, n + 1)],
    featured: n % 2 === 0,
    hide_from_listings: n % 11 === 0,
  }))
  return { service: planted, events, venues, organizers, categories, tags }
}

const search = fc.constantFrom(
  'fish',
  'fish & chips',
  '100%',
  'a_b',
  'cafe',
  'Über',
  '+1',
  '"tea "',
  '-fish',
  '9',
  'a=b',
  'hall',
  '日',
)
const flagText = fc.constantFrom('true', 'false', '1', '0')
const statusText = fc.constantFrom('publish', 'publish,draft', 'draft,private', 'private')
const dates = fc.constantFrom(
  '2027-01-02',
  '2027-02-01',
  '2027-03-02 09:00:00',
  '2027-04-01T10:00:00-04:00',
  '2027-04-02T12:00:00Z',
)

/** Draws valid filters of each list, as text. */
function filtersOf({ events, venues, organizers, categories, tags }: Calendar) {
  const idList = (ids: number[]) => fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }).map(String)
  const oneOf = (ids: number[]) => fc.constantFrom(...ids).map(String)
  const geo = {
    geoloc_lat: fc.constantFrom('40', '41.5'),
    geoloc_lng: fc.constant('-70'),
    geoloc_radius: fc.constantFrom('1', '120', '300.5'),
  }
  const linked = {
    search,
    event: oneOf(events),
    has_events: flagText,
    only_with_upcoming: flagText,
    status: statusText,
  }
  const terms = {
    search,
    order: fc.constantFrom('asc', 'desc', 'DESC'),
    orderby: fc.constantFrom('name', 'id', 'slug', 'count', 'description', 'parent', 'none', 'include'),
    hide_empty: flagText,
    event: oneOf(events),
    post: oneOf(events),
  }
  const some = (filters: Record<string, fc.Arbitrary<string>>) => fc.record(filters, { requiredKeys: [] })
  const withGeo = (filters: Record<string, fc.Arbitrary<string>>) =>
    fc.tuple(some(filters), fc.option(fc.record(geo))).map(([sent, circle]) => ({ ...sent, ...circle }))
  return {
    events: withGeo({
      start_date: dates,
      end_date: dates,
      starts_before: dates,
      starts_after: dates,
      ends_before: dates,
      ends_after: dates,
      strict_dates: fc.constantFrom('true', '0', 'yes'),
      search,
      categories: idList(categories),
      tags: idList(tags),
      venue: idList(venues),
      organizer: idList(organizers),
      featured: flagText,
      status: statusText,
      geoloc: flagText,
      include: fc.uniqueArray(fc.constantFrom(...events), { minLength: 5, maxLength: 20 }).map(String),
      ticketed: fc.constant('false'),
    }),
    venues: withGeo({ ...linked, geoloc: flagText }),
    organizers: some(linked),
    categories: some({
      ...terms,
      include: idList(categories),
      exclude: idList(categories),
      parent: oneOf([0, ...categories]),
    }),
    tags: some({ ...terms, include: idList(tags), exclude: idList(tags) }),
  }
}

test('following next_rest_url of any list with any filters visits each record once, in order, and keeps every filter', async () => {
  const calendar = await plantCalendar()
  try {
    for (const [path, filters] of Object.entries(filtersOf(calendar))) {
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.integer({ min: 1, max: 5 }),
          fc.constantFrom('admin', 'author', 'anonymous'),
          async (sent, perPage, reader) => {
            const { status, ...others } = sent as Record<string, string>
            const allowed = reader === 'anonymous' || status === undefined ? others : { ...others, status }
            await assertWalk(calendar.service, path, allowed, perPage, reader)
          },
        ),
        { numRuns: Math.ceil(RUNS / 5) },
      )
    }
  } finally {
    await calendar.service.close()
  }
})

/** Filters whose results depend on which records a caller may see. */
const TELLING = new Set(['venue', 'organizer', 'event', 'post', 'has_events', 'only_with_upcoming'])

async function assertWalk(
  planted: TestService,
  path: string,
  sent: Record<string, string>,
  perPage: number,
  reader: 'admin' | 'author' | 'anonymous',
) {
  const get = async (url: string): Promise<Answer> => {
    const answer = await planted.get(url.replace(planted.base, ''), reader)
    assert.equal(answer.status, 200, `${url}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  const query = new URLSearchParams(sent)
  const whole = (await get(`/${path}?${query}&per_page=1000`)).body
  const expected = idsOf(whole[path])
  assert.equal(whole.total, expected.length, `${path}?${query}`)
  if (reader === 'anonymous' && !Object.keys(sent).some((name) => TELLING.has(name))) {
    const status = path === 'categories' || path === 'tags' ? '' : '&status=publish'
    const seen = (await planted.get(`/${path}?${query}&per_page=1000${status}`, 'admin')).body
    assert.deepEqual(expected, idsOf(seen[path]), `${path}?${query}`)
  }
  const visited: number[] = []
  let url: string | undefined = `${planted.base}/${path}?${query}&per_page=${perPage}`
  for (let page = 1; url !== undefined; page++) {
    const { body, headers } = await get(url)
    assert.equal(body.total, expected.length, url)
    assert.equal(body.total_pages, Math.ceil(expected.length / perPage), url)
    if (!body.rest_url.includes('status=any'))
      assert.deepEqual(idsOf((await get(body.rest_url)).body[path]), idsOf(body[path]), `${body.rest_url} from ${url}`)
    if (page > 1) {
      const back = await get(body.previous_rest_url)
      assert.deepEqual(idsOf(back.body[path]), visited.slice((page - 2) * perPage), body.previous_rest_url)
    }
    visited.push(...idsOf(body[path]))
    url = body.next_rest_url
    assert.equal((headers.get('link') ?? '').includes('rel="next"'), url !== undefined)
    if (url !== undefined) assertCarried(sent, url)
  }
  assert.deepEqual(visited, expected, `${path}?${query}&per_page=${perPage}`)
}

const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)

/** Asserts that a link has every filter. Edges of the window may be replaced by other bounds or `include`, and defaults left out. */
function assertCarried(sent: Record<string, string>, url: string): void {
  const link = new URL(url).searchParams
  const defaults: Record<string, string[]> = {
    only_with_upcoming: ['false', '0'],
    hide_empty: ['true', '1'],
    strict_dates: ['0'],
    ticketed: ['false'],
    post: sent.event === undefined ? [] : [sent.post ?? ''],
  }
  for (const [name, value] of Object.entries(sent)) {
    if (defaults[name]?.includes(value)) continue
    const replaced = { start_date: sent.starts_after, end_date: sent.ends_before }[name] ?? sent.include
    if (name.includes('date') && name !== 'strict_dates' && replaced !== undefined) continue
    assert.ok(link.has(name), `${name}=${value} is missing in ${url}`)
    const same = /^(start|end)s?_|flag|geoloc$|featured|hide_empty|strict/.test(name) || link.get(name) === value
    assert.ok(
      same || name === 'has_events' || name === 'only_with_upcoming',
      `${name}=${value} became ${link.get(name)}`,
    )
  }
}
