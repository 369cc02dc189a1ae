import { deepEqual, equal } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fold } from '../../src/base/text/characters.ts'
import { plainText } from '../../src/base/text/html.ts'
import { hasSearchedWords, parseSearch } from '../../src/base/text/search.ts'
import { fc, rounds } from '../support/rounds.ts'
import { memoryFilled, serviceForTests } from '../support/service.ts'

interface Sent {
  id: number
  title: string
  excerpt: string
  description: string
  start_date: string
  status: string
  featured: boolean
  categories: string[]
  folded: string
}

const service = serviceForTests()
const events = new Map<number, Sent>()

const WORDS =
  `Jazz jazzband Café cafés Straße Łódź über Über-Abend naïve ÉTÉ soirée evening Evenings music 2026 24h \
100% 5" C++ R&B
  under_score d'été “quoted” – ... ? * [x] \\ %_% a an the A1 Ελλάδα οδός Ёлка хор 夏祭り 東京タワー 花火大会 ガ 한국 축제 \
हिन्दी मेला
  ดนตรี שלום مهرجان 🎏 ❤️ 👩‍👩‍👧 🎉🎉 co-op well-known http://example.org/x?y=1&z=2 ${'long'.repeat(30)}`.split(
    /\s+/,
  )
const phrase = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '))
const free = fc.string({ unit: 'grapheme', maxLength: 12 })
const text = fc.oneof({ weight: 4, arbitrary: phrase }, { weight: 1, arbitrary: free })
const day = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([month, date]) => `2027-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`)

const sent = fc.record({
  title: phrase,
  excerpt: fc.oneof(fc.constant(''), text),
  description: text,
  day,
  status: fc.constantFrom('publish', 'publish', 'publish', 'draft'),
  featured: fc.boolean(),
  categories: fc.subarray(['music', 'market']),
})
type Drawn = typeof sent extends fc.Arbitrary<infer Value> ? Value : never

let minute = 0
function settled({ day, ...drawn }: Drawn) {
  const time = new Date(minute++ * 60_000).toISOString().slice(11, 19)
  const folded = [drawn.title, drawn.excerpt, drawn.description]
    .map((text) => fold(plainText(text)))
    .join('\n')
  return { ...drawn, start_date: `${day} ${time}`, folded }
}

async function create(drawn: Drawn): Promise<void> {
  const { folded, ...values } = settled(drawn)
  const { status, body } = await service.post('/events', { ...values, end_date: values.start_date })
  equal(status, 201, JSON.stringify(body))
  events.set(body.id, { ...values, folded, id: body.id })
}

before(async () => {
  await service.ready
  for (const slug of ['music', 'market']) await service.post('/categories', { name: slug, slug })
  for (const drawn of fc.sample(sent, { numRuns: 60, seed: 4 })) await create(drawn)
  await filled()
})
async function filled(): Promise<void> {
  await memoryFilled(service)
}

interface Asked {
  search: string
  from: string
  to: string
  category: string | undefined
  featured: boolean | undefined
}

const asked: fc.Arbitrary<Asked> = fc.record({
  search: fc
    .array(
      fc
        .tuple(
          fc.oneof(
            fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 12 })).map(([which, from, length]) => {
              const { folded } = [...events.values()][which % events.size] ?? { folded: 'x' }
              return [...folded]
                .slice(from % folded.length)
                .slice(0, length)
                .join('')
            }),
            fc.constantFrom(...WORDS),
            free,
          ),
          fc.constantFrom('', '', '', '-'),
          fc.boolean(),
        )
        .map(([word, minus, quoted]) => `${minus}${quoted ? `"${word}"` : word}`),
      { minLength: 1, maxLength: 3 },
    )
    .map((words) => words.join(' '))
    .filter((search) => search.trim() !== '' && search !== '0'),
  from: fc.oneof(fc.constant('2027-01-01'), day),
  to: fc.oneof(fc.constant('2027-12-31'), day),
  category: fc.constantFrom(undefined, undefined, 'music', 'market'),
  featured: fc.constantFrom(undefined, undefined, true, false),
})

function expected({ search, from, to, category, featured }: Asked, sees: (event: Sent) => boolean): number[] {
  const wanted = parseSearch(search)
  return [...events.values()]
    .filter((event) => sees(event) && hasSearchedWords(wanted, event.folded))
    .filter(({ start_date: start }) => start >= `${from} 00:00:00` && start <= `${to} 23:59:59`)
    .filter((event) => category === undefined || event.categories.includes(category))
    .filter((event) => featured === undefined || event.featured === featured)
    .sort((a, b) => (a.start_date < b.start_date ? -1 : 1))
    .map(({ id }) => id)
}

const PER_PAGE = 20

async function listed(
  { search, from, to, category, featured }: Asked,
  as: 'anonymous' | 'subscriber' | 'admin',
) {
  const ids: number[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = new URLSearchParams({
      search,
      start_date: from,
      end_date: to,
      ...(category ? { categories: category } : {}),
      ...(featured === undefined ? {} : { featured: String(featured) }),
      per_page: String(PER_PAGE),
      page: String(page),
    })
    const { status, body } = await service.get(`/events?${query}`, as)
    equal(status, 200, JSON.stringify([search, body]))
    ids.push(...body.events.map((event: { id: number }) => event.id))
    pages = body.total_pages
    if (page === pages || pages === 0) equal(body.total, ids.length)
  }
  return ids
}

async function check(question: Asked): Promise<void> {
  const told = JSON.stringify(question)
  const isPublic = ({ status }: Sent) => status === 'publish'
  const everybodys = expected(question, isPublic)
  deepEqual(await listed(question, 'anonymous'), everybodys, `anonymous, from memory: ${told}`)
  deepEqual(await listed(question, 'subscriber'), everybodys, `subscriber, from the database: ${told}`)
  deepEqual(
    await listed(question, 'admin'),
    expected(question, () => true),
    `admin: ${told}`,
  )
}

const anything = {
  search: '',
  from: '2027-01-01',
  to: '2027-12-31',
  category: undefined,
  featured: undefined,
}

describe('searching events', () => {
  test('finds exactly the events whose texts contain every word and none that is left out', async () => {
    await fc.assert(fc.asyncProperty(asked, check), { numRuns: rounds(30) })
  })

  test('finds the same whatever has been changed, removed and added since', async () => {
    const ids = [...events.keys()]
    for (const [round, drawn] of fc.sample(sent, { numRuns: rounds(15), seed: 5 }).entries()) {
      const id = ids[(round * 7) % ids.length] ?? 0
      if (round % 5 === 0) await create(drawn)
      else if (!events.has(id)) continue
      else if (round % 5 === 1) {
        equal((await service.remove(`/events/${id}`)).status, 200)
        events.delete(id)
      } else {
        const { folded, ...values } = settled(drawn)
        equal((await service.put(`/events/${id}`, { ...values, end_date: values.start_date })).status, 200)
        events.set(id, { ...values, folded, id })
      }
      for (const question of fc.sample(asked, { numRuns: 2, seed: round })) await check(question)
    }
  })

  test('finds by signs and numbers after a minus what is called so, of each kind of record', async () => {
    const names = ['-5 degrees', '!!! ???', '🎏 🎉', '5 degrees warmer', 'What?!']
    const start = { start_date: '2028-02-01', end_date: '2028-02-01' }
    for (const name of names) {
      await service.post('/events', { title: name, ...start })
      await service.post('/venues', { venue: name })
      await service.post('/organizers', { organizer: name })
    }
    const expected = { '-5 degrees': 1, '!!! ???': 1, '🎏 🎉': 1, degrees: 2, '?': 2, '--': 0 }
    for (const as of ['anonymous', 'admin'] as const) {
      for (const path of ['/events?start_date=2028-02-01&', '/venues?', '/organizers?']) {
        for (const [search, total] of Object.entries(expected)) {
          const found = await service.get(`${path}search=${encodeURIComponent(search)}`, as)
          equal(found.body.total, total, `${path} ${search}`)
        }
      }
    }
  })

  test('is refused without a word, and finds everything by a blank', async () => {
    equal((await service.get('/events?search=')).status, 400)
    const everything = expected({ ...anything, search: ' ' }, ({ status }) => status === 'publish')
    deepEqual(await listed({ ...anything, search: ' ' }, 'anonymous'), everything)
  })

  test('asked many times at once gives everybody the same', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        listed({ ...anything, search: i % 2 === 0 ? 'jazz' : 'a' }, 'anonymous'),
      ),
    )
    for (const [i, ids] of answers.entries()) deepEqual(ids, answers[i % 2])
    deepEqual(
      answers[0],
      expected({ ...anything, search: 'jazz' }, ({ status }) => status === 'publish'),
    )
  })
})
