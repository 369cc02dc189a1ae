import { deepEqual, ok } from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { LANGUAGES, type Language } from '../../src/base/config.ts'
import { onDay, type Reader, startService, type TestService } from '../support/service.ts'

interface Request {
  method: string
  path: string
  as?: Reader
  body?: unknown
  headers?: Record<string, string>
}

interface Plain {
  status: number
  headers: Record<string, string>
  body: unknown
}

type Path = readonly string[]

const NOW = Date.UTC(2027, 2, 1, 17)

const get = (path: string, as?: Reader): Request => ({ method: 'GET', path, ...(as ? { as } : {}) })
const post = (path: string, body: unknown, as: Reader = 'admin'): Request => ({
  method: 'POST',
  path,
  body,
  as,
})

const FEST = {
  title: 'Été en ville',
  description: 'Musik, música, musique.',
  ...onDay('2027-03-20', '18:00:00', '22:00:00'),
  cost: ['10', '20'],
  categories: ['Music'],
  tags: ['open air'],
  venue: { venue: 'Town Hall', city: 'Kilvara', country: 'Ireland', geo_lat: 52.9, geo_lng: -8.4 },
  organizer: [{ organizer: 'Council', email: 'office@kilvara.example' }],
}
const FREE = { title: 'Open day', start_date: '2027-04-01', end_date: '2027-04-01', all_day: true, cost: '0' }

const written: Readonly<Record<string, Request>> = {
  category: post('/categories', { name: 'Concerts' }),
  tag: post('/tags', { name: 'late' }),
  fest: post('/events', FEST),
  free: post('/events', FREE),
  gone: post('/events', { ...FREE, title: 'Gone' }),
  trashed: { method: 'DELETE', path: '/events/:gone', as: 'admin' },
  venue: get('/venues/by-slug/town-hall'),
  organizer: get('/organizers/by-slug/council'),
}

const described = [
  get(''),
  get('/doc'),
  get('~/wp-json/'),
  get('~/wp-json/wp/v2'),
  { method: 'OPTIONS', path: '/events' },
  { method: 'OPTIONS', path: '/categories/:category' },
] as const satisfies Request[]

const read = [
  get('/events'),
  get('/events?status=publish,trash', 'admin'),
  get('/venues'),
  get('/organizers'),
  get('/categories?hide_empty=0'),
  get('/tags?hide_empty=0'),
  get('/events/:fest'),
  get('/events/:free'),
  get('/events/by-slug/ete-en-ville'),
  get('/venues/:venue'),
  get('/organizers/by-slug/council'),
  get('/categories/:category'),
  get('/tags/:tag'),
  get('~/wp-json/wp/v2/tags'),
  get('~/wp-json/wp/v2/users/me', 'editor'),
] as const satisfies Request[]

const refused = [
  get('/nothing'),
  get('/events/999'),
  get('/events/:venue'),
  get('/events/:gone'),
  get('/venues/999'),
  get('/tags/999'),
  get('/events/by-slug/nothing'),
  get('/events?page=9'),
  get('/venues?page=9'),
  get('/organizers?page=9'),
  get('/events?page=x&start_date=never&geoloc_lat=95'),
  get('/events?ticketed=true'),
  get(`/events?search=${'x'.repeat(9000)}`),
  get('~/wp-json/wp/v2/users/me'),
  get('~/wp-json/wp/v2/media/999'),
  get('~/wp-json/wp/v2/tags/999'),
  post('/events', {}),
  post('/events', { ...FREE, venue: 999, cost: {} }),
  post('/events', { ...FREE, all_day: 'perhaps' }),
  post('/events', FREE, 'anonymous'),
  post('/events', FREE, 'subscriber'),
  post('/venues', { venue: ' ' }),
  post('/organizers', { organizer: ' ' }),
  post('/categories', { name: 'Concerts' }),
  post('/events', '{"title":'),
  post('~/wp-json/wp/v2/media', undefined),
  { method: 'DELETE', path: '/events/:gone', as: 'admin' },
  { method: 'PATCH', path: '/events' },
  { ...get('/events'), headers: { authorization: 'Basic YWRtaW46d3Jvbmc=' } },
  { ...get('/events'), headers: { authorization: 'Basic bm9ib2R5Ondyb25n' } },
] as const satisfies Request[]

const services = new Map<Language, TestService>()
const made = new Map<string, Map<Language, Plain>>()
const ids = new Map<string, number>()

before(async () => {
  mock.timers.enable({ apis: ['Date'], now: NOW })
  for (const language of LANGUAGES) services.set(language, await startService({ language }))
  for (const [word, request] of Object.entries(written)) {
    const answers = new Map<Language, Plain>()
    for (const language of LANGUAGES) answers.set(language, await ask(language, request))
    made.set(word, answers)
    ids.set(word, Number(valueAt(answerOf(answers, 'en').body, ['id'])))
  }
})

after(async () => {
  for (const service of services.values()) await service.close()
  mock.timers.reset()
})

const PASSING = new Set([
  'connection',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
])

async function ask(language: Language, request: Request): Promise<Plain> {
  const service = services.get(language)
  if (!service) throw new Error(`${language} has not been started`)
  const { method, path, as = 'anonymous', body, headers } = request
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const address = path.replace(/:(\w+)/, (_, word: string) => String(ids.get(word)))
  const answer = await service.request(as, method, address, body, { ...json, ...headers })
  const kept = [...answer.headers].filter(([name]) => !PASSING.has(name) && name !== 'content-encoding')
  const plain = { status: answer.status, headers: Object.fromEntries(kept), body: answer.body }
  return JSON.parse(JSON.stringify(plain).replaceAll(service.origin, 'http://calendar.test'))
}

function differences(one: unknown, other: unknown, path: Path = []): Path[] {
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other) ? [] : [path]
  const names = Object.keys(one)
  if (Array.isArray(one) !== Array.isArray(other) || names.join('\n') !== Object.keys(other).join('\n'))
    return [path]
  return names.flatMap((name) => differences(one[name], other[name], [...path, name]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const TEXTS = new Set(['description', 'message', 'summary'])

function isText(path: Path): boolean {
  return TEXTS.has(path.at(-1) ?? '') || path.slice(0, -1).join('.') === 'body.data.params'
}

const nameOf = ({ method, path, as = 'anonymous' }: Request) => `${method} ${path} as ${as}`

for (const language of LANGUAGES.filter((candidate) => candidate !== 'en')) {
  test(`${language} and en describe the same interface in other words`, async () => {
    for (const request of described) {
      const found = differences(await ask('en', request), await ask(language, request))
      deepEqual(found.filter((path) => !isText(path)).map(String), [], nameOf(request))
      ok(found.length > 0, `${nameOf(request)} is in English`)
    }
  })

  test(`${language} and en write and answer the same records`, async () => {
    const compare = (name: string, english: Plain, translated: Plain) => {
      ok(english.status < 300, name)
      deepEqual(differences(english, translated).map(String), [], name)
    }
    for (const [word, answers] of made) compare(word, answerOf(answers, 'en'), answerOf(answers, language))
    for (const request of read)
      compare(nameOf(request), await ask('en', request), await ask(language, request))
  })

  test(`${language} and en refuse the same with the same codes, each in words of its own`, async () => {
    for (const request of refused) {
      const [english, translated] = [await ask('en', request), await ask(language, request)]
      ok(english.status >= 400 && english.status < 500, `${nameOf(request)}: ${english.status}`)
      const found = differences(english, translated)
      deepEqual(found.filter((path) => !isText(path)).map(String), [], nameOf(request))
      ok(found.map(String).includes('body,message'), `${nameOf(request)} is in English`)
    }
  })
}

function answerOf(answers: ReadonlyMap<Language, Plain>, language: Language): Plain {
  const answer = answers.get(language)
  if (!answer) throw new Error(`nothing was asked in ${language}`)
  return answer
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, name) => (isRecord(inner) ? inner[name] : undefined), value)
}
