import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../support/rounds.ts'
import { type Answer, serviceForTests, startService, type TestService } from '../support/service.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 20)

const service = serviceForTests()
const ENCODINGS = {
  json: (record: object) => record,
  urlencoded: (record: object) => new URLSearchParams(pairsOf(record)),
  multipart: (record: object) => {
    const form = new FormData()
    for (const [name, value] of pairsOf(record)) form.append(name, value)
    return form
  },
}

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
    timezone: optional(
      fc.constantFrom('Europe/Rome', 'UTC', 'UTC+5:30', '-03:30', 'Asia/Kolkata', 'America/New_York'),
    ),
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

function shownAs(path: string, name: string, value: unknown): unknown {
  const isRecord = path !== 'categories' && path !== 'tags'
  if (isRecord && (name === 'description' || name === 'excerpt')) return `<p>${value}</p>`
  if (name === 'author') return String(value)
  if (name === 'categories' || name === 'tags') return [...(value as string[])].sort()
  return value
}

function seenAs(name: string, value: unknown): unknown {
  if (name === 'categories' || name === 'tags')
    return (value as { name: string }[]).map((term) => term.name).sort()
  return value
}

for (const [path, arbitrary] of Object.entries(records)) {
  test(`every field of ${path} comes back as sent, by JSON and forms, on create and update`, async () => {
    const encodings = fc.constantFrom('json', 'urlencoded', 'multipart' as const)
    await fc.assert(
      fc.asyncProperty(arbitrary, arbitrary, encodings, encodings, async (first, second, one, other) => {
        const made = await service.post(`/${path}`, ENCODINGS[one](toSend(first)))
        equal(made.status, 201, JSON.stringify(made.body))
        await assertShown(path, made.body.id, toSend(first))
        const changed = await service.put(`/${path}/${made.body.id}`, ENCODINGS[other](toSend(second)))
        equal(changed.status, 200, JSON.stringify(changed.body))
        await assertShown(path, made.body.id, { ...toSend(first), ...toSend(second) })
      }),
      // Not shrunk: records from before the failure would get in the way of sending again.
      { numRuns: Math.ceil(RUNS / 4), endOnFailure: true },
    )
  })
}

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
    deepEqual(seenAs(name, body[name]), shownAs(path, name, value), `${name} of ${JSON.stringify(sent)}`)
  }
  if (path !== 'events') return
  const last = String(sent.end_date) < String(sent.start_date) ? sent.start_date : sent.end_date
  const day = (date: unknown) => String(date).slice(0, 10)
  if (sent.all_day) {
    deepEqual([body.start_date, body.end_date], [`${day(sent.start_date)} 00:00:00`, `${day(last)} 23:59:59`])
  }
}

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

async function plantCalendar(): Promise<Calendar> {
  const planted = await startService({ page_size_cap: '1000' })
  const create = async (path: string, record: object): Promise<number> =>
    (await planted.post(path, record)).body.id
  const many = async (count: number, path: string, record: (n: number) => object) => {
    const made: number[] = []
    for (let n = 0; n < count; n++) made.push(await create(path, record(n)))
    return made
  }
  const word = (n: number) => pick(WORDS, n)
  const date = (n: number) => `202${n % 3}-01-01 00:00:00`
  const categories = await many(4, '/categories', (n) => ({ name: `${word(n)} ${n}` }))
  categories.push(
    ...(await many(6, '/categories', (n) => ({
      name: `${word(n)} below ${n}`,
      parent: pick(categories, n),
    }))),
  )
  const tags = await many(9, '/tags', (n) => ({ name: `${word(n)} ${n}`, description: word(n % 3) }))
  const status = (n: number) => pick(['publish', 'publish', 'publish', 'draft', 'private'], n)
  const author = (n: number) => planted.userIds[pick(['admin', 'author', 'contributor'], n)]
  const shared = (n: number) => ({
    description: word(n),
    date: date(n),
    status: status(n),
    author: author(n),
  })
  const place = (n: number) => (n % 2 === 0 ? { geo_lat: 40 + (n % 4), geo_lng: -70 } : {})
  const venues = await many(14, '/venues', (n) => ({
    venue: `${word(n)} hall ${n}`,
    ...shared(n),
    ...place(n),
  }))
  const organizers = await many(12, '/organizers', (n) => ({
    organizer: `${word(n)} club ${n}`,
    ...shared(n),
  }))
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

function filtersOf({ events, venues, organizers, categories, tags }: Calendar) {
  const idList = (ids: number[]) =>
    fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }).map(String)
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

test('next_rest_url of any list visits each record once, in order, and keeps every filter', async () => {
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
    equal(answer.status, 200, `${url}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  const query = new URLSearchParams(sent)
  const whole = (await get(`/${path}?${query}&per_page=1000`)).body
  const expected = idsOf(whole[path])
  equal(whole.total, expected.length, `${path}?${query}`)
  if (reader === 'anonymous' && !Object.keys(sent).some((name) => TELLING.has(name))) {
    const status = path === 'categories' || path === 'tags' ? '' : '&status=publish'
    const seen = (await planted.get(`/${path}?${query}&per_page=1000${status}`, 'admin')).body
    deepEqual(expected, idsOf(seen[path]), `${path}?${query}`)
  }
  const visited: number[] = []
  let url: string | undefined = `${planted.base}/${path}?${query}&per_page=${perPage}`
  for (let page = 1; url !== undefined; page++) {
    const { body, headers } = await get(url)
    equal(body.total, expected.length, url)
    equal(body.total_pages, Math.ceil(expected.length / perPage), url)
    if (!body.rest_url.includes('status=any'))
      deepEqual(
        idsOf((await get(body.rest_url)).body[path]),
        idsOf(body[path]),
        `${body.rest_url} from ${url}`,
      )
    if (page > 1) {
      const back = await get(body.previous_rest_url)
      deepEqual(idsOf(back.body[path]), visited.slice((page - 2) * perPage), body.previous_rest_url)
    }
    visited.push(...idsOf(body[path]))
    url = body.next_rest_url
    equal((headers.get('link') ?? '').includes('rel="next"'), url !== undefined)
    if (url !== undefined) assertCarried(sent, url)
  }
  deepEqual(visited, expected, `${path}?${query}&per_page=${perPage}`)
}

const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)

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
    ok(link.has(name), `${name}=${value} is missing in ${url}`)
    const same =
      /^(start|end)s?_|flag|geoloc$|featured|hide_empty|strict/.test(name) || link.get(name) === value
    ok(
      same || name === 'has_events' || name === 'only_with_upcoming',
      `${name}=${value} became ${link.get(name)}`,
    )
  }
}
