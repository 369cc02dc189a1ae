import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({}, { fill })
let hall: number

const EVENTS = [
  ['Harbour Walk', '2050-03-01', 'With a concert at its end.'],
  ['Late Concert', '2050-03-09', ''],
  ['Early Concert', '2050-03-05', ''],
  ['Concert of old', '2020-03-05', ''],
] as const

async function fill(): Promise<void> {
  const { body: venue } = await service.post('/venues', { venue: 'Lantern Hall', city: 'Galway' })
  hall = venue.id
  for (const [title, day, description] of EVENTS) {
    const times = onDay(day, '20:00:00', '22:00:00')
    await service.post('/events', { title, description, ...times, venue: venue.id })
  }
}

async function page(search: string, view = ''): Promise<string> {
  const answer = await fetch(`${service.origin}/events/${view}?search=${encodeURIComponent(search)}`)
  equal(answer.status, 200)
  return answer.text()
}

const titlesIn = (body: string) => [...body.matchAll(/href="\/event\/([a-z-]+)\/"/g)].map(([, slug]) => slug)

describe('a search on pages', () => {
  test('lists the best first, each with its day, which its heading has too', async () => {
    const body = await page('concerts')
    deepEqual(titlesIn(body), ['early-concert', 'late-concert', 'harbour-walk'])
    const days = [
      ...body.matchAll(
        /<b class="on" aria-hidden="true">(.+?)<\/b>.*?<h2>.*?<span class="hidden">, \1<\/span><\/h2>/gs,
      ),
    ]
    deepEqual(
      days.map(([, day = '']) => day.replace(/^\w+, /, '')),
      ['March 5, 2050', 'March 9, 2050', 'March 1, 2050'],
    )
  })

  test('finds what is at a venue by the venue’s name, though it is nowhere in the event', async () => {
    deepEqual(titlesIn(await page('lantern galway')), ['harbour-walk', 'early-concert', 'late-concert'])
  })

  test('leads to the venue itself, found by its name, and by nothing else', async () => {
    const hits = async (search: string) =>
      [
        ...(/<ul class="pills hits">.*?<\/ul>/s
          .exec(await page(search))?.[0]
          .matchAll(/href="([^"]+)"><bdi>([^<]+)<\/bdi> <small>([^<]+)/g) ?? []),
      ].map(([, ...hit]) => hit)
    const venue = ['/venue/lantern-hall/', 'Lantern Hall', 'Venue · Galway']
    for (const search of ['lantern', 'Lantern Hall', 'hall lant']) deepEqual(await hits(search), [venue])
    deepEqual(await hits('concert'), [])
  })

  test('keeps months in the order of their days', async () => {
    const slugs = titlesIn(await page('concert', 'month/2050-03/'))
    deepEqual([...new Set(slugs)], ['harbour-walk', 'early-concert', 'late-concert'])
  })

  test('says which word it was taken for', async () => {
    const body = await page('conzert')
    match(body, /These results are for “concert”; nothing matches “conzert”\./)
    deepEqual(titlesIn(body).slice(0, 1), ['early-concert'])
  })

  test('leads on to the words that there are, and to the calendar, where nothing has them all', async () => {
    const body = await page('harbour xylophone')
    match(body, /Nothing matches “xylophone”\./)
    match(
      body,
      /<a class="pill" href="\/events\/\?search=harbour"><bdi>harbour<\/bdi> <small>1 event<\/small><\/a>/,
    )
    match(body, /Show the calendar \(3 events\)/)
  })

  test('shows the next events where nothing is found, and no month of days without any', async () => {
    const body = await page('xylophone')
    match(body, /<h2>Upcoming events<\/h2>/)
    deepEqual(titlesIn(body), ['harbour-walk', 'early-concert', 'late-concert'])
    doesNotMatch(body, /class="mini"/)
    // Quotation marks differ by language, so the label of the filter has none.
    match(body, /aria-label="Remove filter: xylophone"/)
  })

  test('does not speak of results where there are none', async () => {
    const body = await page('conzert xylophone')
    match(body, /Nothing matches “xylophone”\./)
    doesNotMatch(body, /These results/)
    match(body, /<bdi>concert<\/bdi> <small>3 events<\/small>/)
  })

  for (const hard of [
    'a'.repeat(200),
    '((((',
    '.*+?^{}()|[]',
    '"a" OR b* NEAR(c)',
    '%_%',
    '🎷',
    '音'.repeat(400),
    '\0',
    "'; --",
    '=a @b',
  ])
    test(`takes ${JSON.stringify(hard.slice(0, 20))} for words and for nothing else`, async () => {
      match(await page(hard), /<h1/)
    })
})

interface Suggested {
  kind: string
  name: string
  about: string
  url: string
}

describe('what is suggested as one types', () => {
  before(() => until(async () => (await suggested('walk')).length > 0, 'new events are not suggested', 20))

  async function suggested(search: string): Promise<Suggested[]> {
    const answer = await fetch(`${service.origin}/events/suggest?search=${encodeURIComponent(search)}`)
    equal(answer.status, 200)
    match(answer.headers.get('content-type') ?? '', /^application\/json/)
    const told = (await answer.json()) as { suggestions: Suggested[] }
    return told.suggestions
  }

  test('are venues by any word of their names, coming events by titles, the next first', async () => {
    deepEqual(await suggested('lan'), [
      {
        kind: 'venue',
        id: hall,
        name: 'Lantern Hall',
        about: 'Galway',
        url: `${service.origin}/venue/lantern-hall/`,
      },
    ])
    const events = await suggested('conc')
    deepEqual(pluck(events, 'kind', 'name', 'about'), [
      ['event', 'Early Concert', 'Saturday, March 5, 2050'],
      ['event', 'Late Concert', 'Wednesday, March 9, 2050'],
    ])
  })

  test('are those with the whole words and the beginning of the last', async () => {
    deepEqual(pluck(await suggested('early con'), 'name'), ['Early Concert'])
  })

  test('are categories and organizers that are public and have events', async () => {
    const { body: category } = await service.post('/categories', { name: 'Café music' })
    const { body: organizer } = await service.post('/organizers', { organizer: 'Café Society' })
    await service.post('/organizers', { organizer: 'Cafeteria in secret', status: 'draft' })
    await service.post('/categories', { name: 'Cafés without events' })
    const times = onDay('2050-04-01', '20:00:00', '22:00:00')
    await service.post('/events', {
      title: 'Tea',
      ...times,
      categories: [category.id],
      organizer: organizer.id,
    })
    const found = await suggested('cafe')
    deepEqual(pluck(found, 'kind', 'name', 'url'), [
      ['organizer', 'Café Society', `${service.origin}/organizer/cafe-society/`],
      ['category', 'Café music', `${service.origin}/events/category/cafe-music/`],
    ])
  })

  test('are found by a whole word as by its beginning, in another number too', async () => {
    for (const search of ['conc', 'concert', 'concerts', 'early concerts'])
      equal((await suggested(search)).at(0)?.name, 'Early Concert', search)
  })

  test('are none before the second letter, of more than can be meant, and of signs', async () => {
    for (const search of ['', 'l', 'x'.repeat(101), '"*', "'", '%%', '\0\0'])
      deepEqual(await suggested(search), [], search)
  })

  test('tell nobody of drafts', async () => {
    const times = onDay('2050-04-01', '20:00:00', '22:00:00')
    await service.post('/events', { title: 'Surprise party', ...times, status: 'draft' })
    deepEqual(await suggested('surpr'), [])
  })
})
