import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService, type TestService } from '../support/service.ts'

let service: TestService

const EVENTS = [
  ['Harbour Walk', '2050-03-01', 'With a concert at its end.'],
  ['Late Concert', '2050-03-09', ''],
  ['Early Concert', '2050-03-05', ''],
  ['Concert of old', '2020-03-05', ''],
] as const

before(async () => {
  service = await startService({}, { waitsForRoom: true })
  const { body: venue } = await service.post('/venues', { venue: 'Lantern Hall', city: 'Galway' })
  for (const [title, day, description] of EVENTS) {
    const times = { start_date: `${day} 20:00:00`, end_date: `${day} 22:00:00` }
    await service.post('/events', { title, description, ...times, venue: venue.id })
  }
})
after(() => service.close())

async function page(search: string, view = ''): Promise<string> {
  const answer = await fetch(`${service.origin}/events/${view}?search=${encodeURIComponent(search)}`)
  assert.equal(answer.status, 200)
  return answer.text()
}

const titlesIn = (body: string) => [...body.matchAll(/href="\/event\/([a-z-]+)\/"/g)].map(([, slug]) => slug)

describe('a search on pages', () => {
  test('lists the best first, each with its day', async () => {
    const body = await page('concerts')
    assert.deepEqual(titlesIn(body), ['early-concert', 'late-concert', 'harbour-walk'])
    assert.match(body, /<b class="on">[^<]*March 5, 2050<\/b>/)
  })

  test('finds what is at a venue by the name of the venue, though its name is nowhere in the event', async () => {
    assert.deepEqual(titlesIn(await page('lantern galway')), ['harbour-walk', 'early-concert', 'late-concert'])
  })

  test('keeps months in the order of their days', async () => {
    const slugs = titlesIn(await page('concert', 'month/2050-03/'))
    assert.deepEqual([...new Set(slugs)], ['harbour-walk', 'early-concert', 'late-concert'])
  })

  test('says which word it was taken for', async () => {
    const body = await page('conzert')
    assert.match(body, /These results are for “concert”; nothing matches “conzert”\./)
    assert.deepEqual(titlesIn(body).slice(0, 1), ['early-concert'])
  })

  test('leads on to the words that there are, and to the calendar, where nothing has them all', async () => {
    const body = await page('harbour xylophone')
    assert.match(body, /Nothing matches “xylophone”\./)
    assert.match(
      body,
      /<a class="pill" href="\/events\/\?search=harbour"><bdi>harbour<\/bdi> <small>1 event<\/small><\/a>/,
    )
    assert.match(body, /Show the calendar \(3 events\)/)
  })

  test('leads on from a word that nothing has', async () => {
    const body = await page('xylophone')
    assert.match(body, /Nothing matches “xylophone”\./)
    assert.match(body, /Show the calendar \(3 events\)/)
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
      assert.match(await page(hard), /<h1/)
    })
})
