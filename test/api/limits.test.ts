import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { call } from '../support/assistant.ts'
import { onSqlite } from '../support/database.ts'
import { type Answer, serviceForTests, startService, type TestService } from '../support/service.ts'

const service = serviceForTests({ text_bytes: '2000' })

const DAY = { title: 'Concert', start_date: '2027-03-04 18:00:00', end_date: '2027-03-04 20:00:00' }

function assertOver(answer: Answer, name: string, limit: number, text = name): void {
  equal(answer.status, 400, JSON.stringify(answer.body))
  equal(answer.body.code, 'rest_invalid_param')
  deepEqual(Object.keys(answer.body.data.params), [name])
  match(answer.body.data.params[name], new RegExp(`\\b${text}\\b.*\\b${limit}\\b`))
  equal(answer.body.data.details[name].data.limit, limit)
}

describe('texts', () => {
  test('a text as long as its limit is taken, and one character more is refused by name', async () => {
    for (const [path, name, limit, rest] of [
      ['/events', 'title', 500, DAY],
      ['/events', 'slug', 500, DAY],
      ['/venues', 'venue', 500, {}],
      ['/venues', 'address', 1000, { venue: 'Hall' }],
      ['/organizers', 'email', 320, { organizer: 'Choir' }],
      ['/categories', 'name', 200, {}],
    ] as const) {
      equal((await service.post(path, { ...rest, [name]: 'a'.repeat(limit) })).status, 201, `${path} ${name}`)
      assertOver(await service.post(path, { ...rest, [name]: 'a'.repeat(limit + 1) }), name, limit)
    }
  })

  test('a character counts once, however many units, bytes or signs of HTML it takes', async () => {
    for (const character of ['😀', '&', '&amp;', '&#038;', '日'])
      equal((await service.post('/events', { ...DAY, title: character.repeat(500) })).status, 201, character)
    assertOver(await service.post('/events', { ...DAY, title: '😀'.repeat(501) }), 'title', 500)
    assertOver(await service.post('/events', { ...DAY, title: '&amp;'.repeat(501) }), 'title', 500)
  })

  test('descriptions and excerpts have as many bytes as the setting says', async () => {
    for (const [path, name, rest] of [
      ['/events', 'description', DAY],
      ['/events', 'excerpt', DAY],
      ['/venues', 'description', { venue: 'Hall' }],
    ] as const) {
      equal((await service.post(path, { ...rest, [name]: 'a'.repeat(2000) })).status, 201)
      assertOver(await service.post(path, { ...rest, [name]: 'é'.repeat(1001) }), name, 2000)
    }
    // Descriptions of terms are short, since every event of a list shows those of its terms.
    equal((await service.post('/tags', { name: 'Jazz', description: 'a'.repeat(5000) })).status, 201)
    assertOver(
      await service.post('/tags', { name: 'Blues', description: 'a'.repeat(5001) }),
      'description',
      5000,
    )
  })

  test('the slug of a category below others keeps within two hundred bytes', async () => {
    let parent = 0
    for (const name of ['k', 'l', 'm', 'l', 'm']) {
      const made = await service.post('/categories', { name: name.repeat(200), parent })
      equal(made.status, 201)
      ok(made.body.slug.length <= 200)
      parent = made.body.id
    }
  })

  test('a cost has a thousand bytes in all, and a hundred entries', async () => {
    equal(
      (await service.post('/events', { ...DAY, cost: Array.from({ length: 100 }, (_, i) => i) })).status,
      201,
    )
    assertOver(await service.post('/events', { ...DAY, cost: '5 '.repeat(501) }), 'cost', 1000)
    for (const cost of [
      ['a'.repeat(600), 'b'.repeat(600)],
      ['é'.repeat(300), 'é'.repeat(300)],
    ])
      assertOver(await service.post('/events', { ...DAY, cost }), 'cost', 1000)
    assertOver(await service.post('/events', { ...DAY, cost: Array(101).fill(1) }), 'cost', 100)
  })

  test('no letter has more than thirty marks, in what is kept or searched for', async () => {
    const marks = (count: number) => `a${'\u0315\u0316'.repeat(count / 2)}`
    equal((await service.post('/events', { ...DAY, title: marks(30) })).status, 201)
    assertOver(await service.post('/events', { ...DAY, title: marks(32) }), 'title', 30)
    assertOver(await service.post('/venues', { venue: 'Hall', city: marks(32) }), 'city', 30)
    for (const path of ['/events', '/venues', '/categories'])
      assertOver(await service.get(`${path}?search=${encodeURIComponent(marks(32))}`), 'search', 30)
  })

  test('a search has five hundred characters and twenty words', async () => {
    for (const path of '/events /venues /organizers /categories /tags ~/wp-json/wp/v2/tags'.split(' ')) {
      assertOver(await service.get(`${path}?search=${'a'.repeat(501)}`), 'search', 500)
      assertOver(await service.get(`${path}?search=${'a+'.repeat(21)}`), 'search', 20)
      equal((await service.get(`${path}?search=${'a+'.repeat(20)}`)).status, 200)
    }
    assertOver(await service.get(`/venues?search=${'a.'.repeat(21)}`), 'search', 20)
  })

  test('so does a search of venues and organizers with signs for phrases, in wp/v2 too', async () => {
    // Each sign folds to four Arabic words: 500 of them exceed the limit of words.
    const phrases = encodeURIComponent('\ufdfa'.repeat(500))
    for (const path of [
      '/venues',
      '/organizers',
      '~/wp-json/wp/v2/tribe_venue',
      '~/wp-json/wp/v2/tribe_organizer',
    ])
      assertOver(await service.get(`${path}?search=${phrases}`), 'search', 20)
    for (const path of ['/events', '~/wp-json/wp/v2/tribe_events', '~/wp-json/wp/v2/media'])
      equal((await service.get(`${path}?search=${phrases}`)).status, 200)
  })
})

describe('lists', () => {
  test('a filter takes five hundred ids however they are sent', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1)
    equal((await service.get(`/events?include=${ids(500).join()}`)).status, 200)
    assertOver(await service.get(`/events?include=${ids(501).join()}`), 'include', 500)
    assertOver(
      await service.get(
        `/events?${ids(501)
          .map((id) => `include[]=${id}`)
          .join('&')}`,
      ),
      'include',
      500,
    )
  })

  test('an event has a hundred categories, tags, venues and organizers at the most', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `Name ${n}`)
    for (const name of ['categories', 'tags'] as const) {
      const made = await service.post('/events', { ...DAY, [name]: names(100) })
      equal(made.body[name].length, 100)
      assertOver(await service.post('/events', { ...DAY, [name]: names(101) }), name, 100)
      assertOver(await service.post('/events', { ...DAY, [name]: names(101).join() }), name, 100)
      assertOver(await service.post('/events', { ...DAY, [name]: ['a'.repeat(201)] }), name, 200)
    }
    for (const name of ['venue', 'organizer'])
      assertOver(await service.post('/events', { ...DAY, [name]: Array(101).fill(1) }), name, 100)
  })

  test('records within an event obey the limits of their own fields, which are named', async () => {
    const long = { venue: 'Hall', city: 'a'.repeat(1001) }
    for (const venue of [long, [long], { 0: long }])
      assertOver(await service.post('/events', { ...DAY, venue }), 'venue', 1000, 'city')
    const organizer = [{ organizer: 'Choir' }, { organizer: 'a'.repeat(501) }]
    assertOver(await service.post('/events', { ...DAY, organizer }), 'organizer', 500, 'organizer')
  })

  test('a value nests ten levels deep at the most, and no depth is an error of the service', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const post = (value: string) =>
      service.post(
        '/events',
        `{"title":"Deep","start_date":"2028-03-04","end_date":"2028-03-04","organizer":${value}}`,
        'admin',
        { 'content-type': 'application/json' },
      )
    assertOver(await post(nested(11)), 'organizer', 10)
    assertOver(await post(nested(100_000)), 'organizer', 10)
    assertOver(await post(`${'['.repeat(500_000)}${']'.repeat(500_000)}`), 'organizer', 10)
  })
})

describe('forms and queries', () => {
  test('a query or form has two thousand pairs at the most', async () => {
    const types = ['application/x-www-form-urlencoded', 'application/json']
    for (const [n, status] of [
      [1990, 201],
      [2000, 400],
    ] as const) {
      const form = `${new URLSearchParams(DAY)}${'&a'.repeat(n)}`
      const posted = await service.post('/events', form, 'admin', { 'content-type': types[0] ?? '' })
      equal(posted.status, status)
      if (status === 400) equal(posted.body.code, 'rest_too_many_parameters')
      equal((await service.post(`/events?${form}`, undefined)).status, status)
    }
  })

  test('a body has no say in what a request reads that a POST stands in for', async () => {
    const made = await service.post('/events', { ...DAY, title: 'Alone' })
    await service.post('/events', { ...DAY, title: 'Another' })
    const answer = await service.post('/events?_method=GET&start_date=2027-03-04', { include: '98765' })
    equal(answer.status, 200)
    ok(answer.body.total > 1)
    const read = await service.post(`/events?_method=GET&include=${made.body.id}`, { include: '98765' })
    equal(read.body.events[0].title, 'Alone')
  })
})

describe('who is told', () => {
  test('nothing is looked up for anonymous writers, who learn that they may not write', async () => {
    const marks = `a${'\u0315'.repeat(20_000)}${'\u0316'.repeat(20_000)}`
    equal((await service.post('/categories', { name: 'New', parent: 98_765 }, 'anonymous')).status, 401)
    assertOver(await service.post('/categories', { name: 'New', parent: marks }), 'parent', 100)
    ok((await service.post('/categories', { name: 'New', parent: marks }, 'anonymous')).status < 402)
    equal((await service.post('/events', { ...DAY, venue: 98_765 }, 'anonymous')).status, 401)
  })

  test('the language of the site says which limit it is', async () => {
    const german = await startService({ language: 'de' })
    const answer = await german.post('/events', { ...DAY, title: 'a'.repeat(501) })
    await german.close()
    equal(answer.body.data.params.title, 'Der Wert von title ist länger als 500 Zeichen.')
  })
})

describe('all dates of a series together', () => {
  let roomy: TestService

  before(async () => {
    roomy = await startService({ mcp: 'write' })
  })
  after(() => roomy.close())

  const NEXT_YEAR = '2027-01-04'
  const SOON = { title: 'Programme', start_date: NEXT_YEAR, end_date: NEXT_YEAR, all_day: true }
  const long = (bytes: number) => 'Probe im Pfarrsaal. '.repeat(bytes / 20)
  const series = (bytes: number, dates: number) => ({
    ...SOON,
    description: long(bytes),
    recurrence: `FREQ=DAILY;COUNT=${dates}`,
  })
  const OVER = series(190_000, 106)

  const held = async () => {
    const { body } = await roomy.get('/events?status=publish,draft&start_date=2000-01-01&per_page=1', 'admin')
    const path = String(roomy.config.database).replace('sqlite:', '')
    const sizes = [path, `${path}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0)
    return { events: body.total, disk: sizes.reduce((total, size) => total + size, 0) }
  }

  test('a programme of 100 kB on 104 dates takes less than 30 MB', onSqlite, async () => {
    const before = await held()
    const { id } = await roomy.create('/events', series(100_000, 104), 'author')
    const after = await held()
    equal(after.events - before.events, 104)
    ok(after.disk - before.disk < 30_000_000, `${after.disk - before.disk}`)
    const changed = { description: `${long(100_000)} Neu.`, recurrence_scope: 'all' }
    match((await roomy.update(`/events/${id}`, changed, 'author')).description, /Neu/)
  })

  test('what takes more than twenty million bytes is refused before it is written, any way', async () => {
    const single = await roomy.create('/events', { ...SOON, description: long(190_000) })
    const short = await roomy.create('/events', series(20, 106))
    const { events } = await held()
    const { recurrence } = OVER
    const third = { method: 'POST', path: '/tribe/events/v1/events', body: series(90_000, 100) }
    const batch = (validation: string) =>
      roomy.post('~/wp-json/batch/v1', { validation, requests: [third, third, third] })
    const all = { recurrence_scope: 'all' }
    const refused: Record<string, Promise<Answer>> = {
      create: roomy.post('/events', OVER),
      draft: roomy.post('/events', OVER, 'contributor'),
      begin: roomy.put(`/events/${single.id}`, { recurrence }),
      lengthen: roomy.put(`/events/${short.id}`, { description: OVER.description, ...all }),
      series: roomy.put(`~/wp-json/kalends/v1/series/${short.post_parent}`, {
        description: OVER.description,
      }),
      dates: roomy.post('/events', series(54_000, 360)),
      links: roomy.post('/events', {
        ...{ ...SOON, recurrence: 'FREQ=DAILY;COUNT=700' },
        tags: Array.from({ length: 100 }, (_, i) => `t${i}`),
        venue: Array.from({ length: 100 }, (_, i) => ({ venue: `Hall ${i}` })),
        organizer: Array.from({ length: 100 }, (_, i) => ({ organizer: `Choir ${i}` })),
      }),
    }
    for (const [name, asked] of Object.entries(refused)) {
      const { status, body } = await asked
      equal(status, 400, name)
      match(body.data.params.recurrence, /20000000 bytes/, name)
    }
    const together = (await batch('require-all-validate')).body
    equal(together.failed, 'validation')
    equal((await held()).events, events)
    const dry = { ...SOON, description: long(58_000), recurrence: 'FREQ=DAILY;COUNT=700' }
    const { isError, content } = await call(roomy, 'create_event', dry, 'contributor')
    ok(isError)
    match(content[0].text, /20000000 bytes/)
    const each = (await batch('normal')).body.responses.map(({ status }: Answer) => status)
    deepEqual(each, [201, 201, 400])
  })

  test('a batch trashes no more than that, as rows are written again; any one series may go', async () => {
    const long = await Promise.all([1, 2].map(() => roomy.create('/events', series(110_000, 100))))
    const requests = long.map(({ post_parent }) => ({
      method: 'DELETE',
      path: `/kalends/v1/series/${post_parent}`,
    }))
    const answer = await roomy.post('~/wp-json/batch/v1', { validation: 'require-all-validate', requests })
    equal(answer.body.failed, 'validation', JSON.stringify(answer.body).slice(0, 200))
    for (const { path } of requests) equal((await roomy.remove(`~/wp-json${path}`)).status, 200)
  })
})

test('a multipart form has at most a thousand fields, as more would keep others waiting', async () => {
  for (const [count, expected] of [
    [1000, 201],
    [1001, 413],
  ] as const) {
    const form = new FormData()
    form.append('venue', 'Hall')
    for (let i = 1; i < count; i++) form.append('x', '')
    equal((await service.post('/venues', form)).status, expected, `${count} fields`)
  }
})
