// Pages in other formats at the same address, chosen by the `Accept` header.

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Oslo' }, { fill })
let hall: number
let series: string

const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
const WHEN = onDay(day, '10:00:00', '12:00:00')

const FEEDS = {
  'text/calendar': 'ics',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/feed+json': 'json',
  'text/csv': 'csv',
  'application/ld+json': 'jsonld',
  'application/x-ndjson': 'ndjson',
}

const BROWSERS = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,' +
    'image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/png,image/svg+xml,*/*;q=0.8',
  'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5',
  'text/html, application/xhtml+xml, image/jxr, */*',
]

const PAGES = '/ /events/ /events/month/ /events/category/music/ /event/concert/ /venue/hall/'.split(' ')

async function fill(): Promise<void> {
  await service.create('/categories', { name: 'Music' })
  const concert = await service.event({
    ...WHEN,
    title: 'Concert',
    categories: ['music'],
    tags: ['Дети'],
    venue: { venue: 'Hall', geo_lat: 52.5, geo_lng: -8.25 },
    organizer: [{ organizer: 'Choir' }],
  })
  hall = concert.venue.id
  const weekly = await service.event({ ...WHEN, title: 'Club', recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
  series = new URL((await fetch(`${service.origin}/series/${weekly.post_parent}/`)).url).pathname
}

const ask = (path: string, accept: string, method = 'GET') =>
  fetch(service.origin + path, { method, headers: { accept }, redirect: 'manual' })

async function feedOf(path: string, accept: string): Promise<string> {
  const answer = await ask(path, accept)
  equal(answer.status, 303, `${path} as ${accept}`)
  match(answer.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
  equal(await answer.text(), '')
  return answer.headers.get('location') ?? ''
}

describe('at the address of a page', () => {
  for (const [mediaType, ending] of Object.entries(FEEDS)) {
    test(`${mediaType} leads to the feed of the page, which is there`, async () => {
      const leads: [string, string][] = [
        ['/', `/events.${ending}`],
        ['/events/', `/events.${ending}`],
        ['/events/past/', `/events.${ending}`],
        [`/events/${day}/`, `/events.${ending}`],
        ['/events/month/', `/events.${ending}`],
        ['/events/category/music/', `/events/category/music.${ending}`],
        ['/events/category/music/month/2026-11/', `/events/category/music.${ending}`],
        ['/event/concert/', `/event/concert.${ending}`],
        ['/venue/hall/', `/venue/hall.${ending}`],
        ['/organizer/choir/', `/organizer/choir.${ending}`],
        [series, `/events.${ending}?post_parent=${/(\d+)\/$/.exec(series)?.[1]}`],
      ]
      for (const [path, feed] of leads) {
        equal(await feedOf(path, mediaType), feed, path)
        const answer = await ask(feed, mediaType)
        equal(answer.status, 200, feed)
        ok(answer.headers.get('content-type')?.startsWith(mediaType), feed)
        match(await answer.text(), path === series ? /Club/ : /Concert/, feed)
      }
    })
  }

  test('the filters of the page go along, its dates and number do not, since a feed goes on', async () => {
    const filtered = `/events/?search=concert&near=${hall}&geoloc_radius=2&start_date=2026-01-01&page=3`
    const feed = new URL(await feedOf(filtered, 'text/calendar'), service.origin)
    const expected = { words: 'concert', geoloc_lat: '52.5', geoloc_lng: '-8.25', geoloc_radius: '2' }
    deepEqual(Object.fromEntries(feed.searchParams), expected)
    match(await (await fetch(feed)).text(), /Concert/)
    match(
      await feedOf('/events/tag/%d0%b4%d0%b5%d1%82%d0%b8/', 'text/calendar'),
      /^\/events\/tag\/[\w%-]+\.ics$/,
    )
  })

  test('a format that is wanted more than a page is enough, and HEAD is answered alike', async () => {
    for (const accept of [
      'text/calendar, */*;q=0.1',
      'text/calendar, text/html;q=0.9',
      'TEXT/CALENDAR; charset=utf-8',
    ])
      equal(await feedOf('/events/', accept), '/events.ics')
    equal(await feedOf('/events/', 'application/rss+xml;q=0.5, application/atom+xml'), '/events.atom')
    equal((await ask('/events/', 'text/calendar', 'HEAD')).status, 303)
  })

  test('browsers, and who takes anything, get the page, kept apart by shared caches', async () => {
    const others = [
      '*/*',
      'text/*',
      'text/html, text/calendar',
      'text/calendar;q=0.5, text/html',
      'text/calendar;q=0',
    ]
    for (const path of [...PAGES, series])
      for (const accept of [...BROWSERS, ...others]) {
        const answer = await ask(path, accept)
        equal(answer.status, 200, `${path} as ${accept}`)
        match(answer.headers.get('content-type') ?? '', /^text\/html/)
        match(answer.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
      }
  })

  test('a page that is kept is not given to who wants its feed, nor the other way round', async () => {
    for (let round = 0; round < 3; round++) {
      equal((await ask('/events/month/?search=concert', BROWSERS[0] ?? '')).status, 200)
      equal(await feedOf('/events/month/?search=concert', 'text/calendar'), '/events.ics?words=concert')
    }
    const both = await Promise.all(
      ['text/html', 'text/calendar', 'text/csv'].map((accept) => ask('/events/', accept)),
    )
    deepEqual(pluck(both, 'status'), [200, 303, 303])
  })

  test('what is not there, has moved or cannot be read is so in any format', async () => {
    equal((await ask('/events/category/none/', 'text/calendar')).status, 404)
    equal((await ask('/event/none/', 'text/calendar')).status, 404)
    equal((await ask('/events/?venue=abc', 'text/calendar')).status, 400)
    const moved = await ask('/events/list/', 'text/calendar')
    deepEqual([moved.status, moved.headers.get('location')], [301, '/events/'])
    for (const path of ['/robots.txt', '/sitemap.xml', '/embed/'])
      equal((await ask(path, 'text/calendar')).status, 200, path)
  })
})
