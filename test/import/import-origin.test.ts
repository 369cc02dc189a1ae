import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cacheBudget } from '../../src/base/cache.ts'
import { mayBeOldPath, noOldPaths } from '../../src/features/pages/old-paths.ts'
import { catchUp, closeMemory, openEventMemory } from '../../src/store/memory/event-memory.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const OLD = 'https://old.example'

const event = (id: number, slug: string, fields: object = {}) => ({
  id,
  slug,
  title: `Evening ${id}`,
  url: `${OLD}/veranstaltung/${encodeURIComponent(slug)}/`,
  ...onDay('2027-03-03', '20:00:00', '22:00:00'),
  timezone: 'UTC',
  ...fields,
})

const HALL = { id: 907, venue: 'Hall', slug: 'old-hall', url: `${OLD}/ort/old-hall/` }

interface Place {
  calendar: Calendar
  at: (path: string, accept?: string | undefined) => Promise<string>
  page: (path: string) => Promise<string>
}

async function startPlace(): Promise<Place> {
  const calendar = await startCalendar()
  const get = (path: string, accept = 'text/html') =>
    fetch(calendar.service.origin + path, { redirect: 'manual', headers: { accept } })
  return {
    calendar,
    at: async (path, accept) => {
      const response = await get(path, accept)
      await response.arrayBuffer()
      const location = response.headers.get('location')
      return `${response.status}${location === null ? '' : ` ${location}`}`
    },
    page: async (path) => (await get(path)).text(),
  }
}

async function importLines(
  calendar: Calendar,
  records: readonly object[],
  ...words: string[]
): Promise<string> {
  const file = await calendar.file(
    'old.ndjson',
    `${records.map((record) => JSON.stringify(record)).join('\n')}\n`,
  )
  const { out, err, code } = await calendar.kalends('import', ...words, file)
  equal(code, 0, out + err)
  return out
}

describe('a site that has moved here', () => {
  let place: Place
  let own: { id: number }
  const records = [
    event(90_001, 'fest', { venue: HALL }),
    event(90_002, 'café'),
    event(90_003, 'yoga', { url: `${OLD}/event/yoga/2027-03-10/` }),
    event(90_004, 'yoga-again', { url: `${OLD}/event/yoga/2027-03-17/` }),
    event(90_006, 'gala', { url: `${OLD}/show/gala/` }),
    event(90_007, 'ball', { url: `${OLD}/blog/show/ball/` }),
    event(90_008, 'chess', { url: `${OLD}/kurs/chess/2027-03-17/` }),
  ]
  before(async () => {
    place = await startPlace()
    own = await place.calendar.service.event({ ...event(0, 'fest'), title: 'Of its own' })
    await place.calendar.service.create('/venues', { venue: 'Hall', slug: 'hall' })
    await importLines(place.calendar, records)
  })
  after(() => place.calendar.close())

  test('leads nowhere from its addresses until that is said', async () => {
    for (const path of ['/?p=90001', '/event/90001/', '/ort/old-hall/'])
      equal(await place.at(path), '404', path)
    equal(await place.at('/veranstaltung/fest/'), '301 /event/fest/', 'a word of another language')
  })

  test('leads from old ids and addresses to records here, also where these have other slugs', async () => {
    await importLines(place.calendar, records, '--origin', 'moved')
    for (const [path, to] of [
      ['/?p=90001', '/event/fest-2/'],
      ['/?post_type=tribe_events&p=90001', '/event/fest-2/'],
      ['/event/90001/', '/event/fest-2/'],
      ['/veranstaltung/fest/', '/event/fest-2/'],
      ['/veranstaltung/fest', '/event/fest-2/'],
      ['/veranstaltung/caf%c3%a9/?utm=1', '/event/cafe/'],
      ['/?p=907', '/venue/hall/'],
      ['/ort/old-hall/', '/venue/hall/'],
      ['/event/yoga/2027-03-10/', '/event/yoga/'],
      ['/event/yoga/2027-03-17/', '/event/yoga-again/'],
      ['/event/yoga/2027-03-24/', '/event/yoga/'],
    ] as const)
      equal(await place.at(path), `301 ${to}`, path)
    equal(await place.at('/event/fest/'), '200', 'a page of today goes before an old one')
    equal(await place.at(`/?p=${own.id}`), '301 /event/fest/')
    equal(await place.at('/ort/other/'), '404')
    equal(await place.at('/veranstaltung/other/'), '301 /event/other/', 'a word of another language')
    match(await place.page('/event/fest-2/'), /<link rel="canonical" href="[^"]*\/event\/fest-2\/">/)
  })

  test('leads on from every old path whatever is accepted, and says in JSON what is unknown', async () => {
    const { origin } = place.calendar.service
    for (const accept of ['*/*', '', 'application/json', 'image/*']) {
      equal(await place.at('/veranstaltung/fest/', accept), '301 /event/fest-2/', accept)
      equal(await place.at('/ort/old-hall', accept), '301 /venue/hall/', accept)
      const unknown = await fetch(`${origin}/ort/other/`, { headers: { accept } })
      deepEqual([unknown.status, ((await unknown.json()) as { code: string }).code], [404, 'rest_no_route'])
    }
    const head = await fetch(`${origin}/veranstaltung/fest/`, { method: 'HEAD', redirect: 'manual' })
    deepEqual([head.status, head.headers.get('location')], [301, '/event/fest-2/'])
    equal((await fetch(`${origin}/veranstaltung/fest/`, { method: 'POST', redirect: 'manual' })).status, 404)
  })

  test('leads on from the feeds below an old page to those of the record here', async () => {
    for (const [path, to] of [
      ['/show/gala/feed/', '/event/gala.rss'],
      ['/show/gala/feed', '/event/gala.rss'],
      ['/show/gala/feed/atom/', '/event/gala.atom'],
      ['/show/gala/ical/', '/event/gala.ics'],
      ['/veranstaltung/fest/feed/', '/event/fest-2.rss'],
      ['/ort/old-hall/feed/', '/venue/hall.rss'],
    ] as const) {
      for (const accept of ['text/html', '*/*']) equal(await place.at(path, accept), `301 ${to}`, path)
      equal(await place.at(to), '200', to)
    }
    for (const [path, to] of [
      ['/show/gala/?feed=rss2', '/event/gala.rss'],
      ['/show/gala/?feed=atom', '/event/gala.atom'],
      ['/show/gala/?ical=1', '/event/gala/?ical=1'],
      ['/show/gala/?feed=rss2&ical=1', '/event/gala.ics?ical=1'],
      ['/show/gala/?eventDisplay=month', '/event/gala/'],
      ['/show/gala/?feed=other', '/event/gala/'],
      ['/veranstaltung/fest/?feed=rss2', '/event/fest-2.rss'],
      ['/ort/old-hall/?feed=rss2', '/venue/hall.rss'],
      ['/shows/?feed=rss2', '/events.rss'],
      ['/shows/?eventDisplay=month&tribe-bar-date=2027-03-01', '/events/month/2027-03/'],
      ['/shows/category/music/?feed=atom', '/events/category/music.atom'],
    ] as const)
      for (const accept of ['text/html', '*/*']) equal(await place.at(path, accept), `301 ${to}`, path)
    for (const path of ['/show/other/feed/', '/show/gala/feed/other/', '/feed/gala/ical/x/'])
      equal(await place.at(path), '404', path)
  })

  test('leads on from its list of events, with its views and feeds', async () => {
    for (const [path, to] of [
      ['/shows/', '/events/'],
      ['/shows', '/events/'],
      ['/show/', '/events/'],
      ['/shows/?utm=1', '/events/'],
      ['/shows/feed/', '/events.rss'],
      ['/shows/?ical=1', '/events/?ical=1'],
      ['/shows/month/2027-03/', '/events/month/2027-03/'],
      ['/shows/2027-03-03/', '/events/2027-03-03/'],
      ['/shows/category/music/', '/events/category/music/'],
      ['/shows/list/page/2/', '/events/?page=2'],
      ['/blog/shows/', '/events/'],
      ['/kurs/', '/events/'],
    ] as const)
      for (const accept of ['text/html', '*/*']) equal(await place.at(path, accept), `301 ${to}`, path)
    for (const path of ['/orts/', '/ort/', '/showing/', '/shows/other/', '/blog/', '/kurs/yoga/', '/s/'])
      equal(await place.at(path), '404', path)
  })

  test('an address that never was one asks nothing of the database once old ones are known', async (t) => {
    const { database } = place.calendar.service.app
    const memory = openEventMemory(database, cacheBudget(1_000_000))
    t.after(() => closeMemory(memory))
    await catchUp(memory)
    const paths = noOldPaths()
    const maybe = (path: string) => mayBeOldPath(paths, memory, database.read, path)
    equal(maybe('/veranstaltung/other/'), true, 'nothing is known yet')
    await until(() => !paths.isReading, 'old paths are not read')
    equal(maybe('/veranstaltung/other/'), false)
    deepEqual(['/shows/', '/show', '/orts/', '/blog/', '/kurs/chess/'].map(maybe), [
      true,
      true,
      false,
      false,
      false,
    ])
    for (const path of ['/veranstaltung/fest/', '/veranstaltung/fest', '/veranstaltung/caf%C3%A9/'])
      equal(maybe(path), true, path)
    await importLines(place.calendar, [...records, event(90_005, 'added')])
    await catchUp(memory)
    equal(maybe('/veranstaltung/added/'), true)
    equal(await place.at('/veranstaltung/added/', '*/*'), '301 /event/added/')
  })

  test('is remembered, writes nothing again, and is gone when the record is', async () => {
    const rows = await place.calendar.rows()
    match(await importLines(place.calendar, records), /0 made, 0 changed/)
    equal(await place.calendar.rows(), rows)
    const { body } = await place.calendar.service.get('/events/by-slug/fest-2')
    await place.calendar.service.remove(`/events/${body.id}`)
    for (const path of ['/?p=90001', '/veranstaltung/fest/']) equal(await place.at(path), '410', path)
    await importLines(place.calendar, records, '--origin', 'none')
    for (const path of ['/?p=90002', '/ort/old-hall/']) equal(await place.at(path), '404', path)
  })

  test('answers broken addresses as those of nothing', async () => {
    for (const path of ['/%E0%A4%A', '/%00/', '//', `/${'x'.repeat(2000)}/`])
      equal(await place.at(path), '404', path)
  })
})

describe('a site that stays the original', () => {
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.calendar.close())
  const canonical = async (path: string) =>
    / rel="canonical" href="([^"]*)"/.exec(await place.page(path))?.[1]

  test('is named canonical by pages of its events when told, and these leave the sitemap', async () => {
    const { calendar } = place
    const records = [
      event(1, 'far'),
      event(2, 'bad', { url: 'javascript:alert(1)' }),
      event(3, 'back', { url: `${calendar.service.origin}/event/far/` }),
      event(4, 'quoted', { url: `${OLD}/a"><script>/` }),
    ]
    await importLines(calendar, records)
    const here = (slug: string) => `${calendar.service.origin}/event/${slug}/`
    equal(await canonical('/event/far/'), here('far'))
    match(await place.page('/sitemap-2027-03.xml'), /\/event\/far\//)
    await importLines(calendar, records, '--origin', 'stays')
    equal(await canonical('/event/far/'), `${OLD}/veranstaltung/far/`)
    match(
      await place.page('/event/far/'),
      /property="og:url" content="https:\/\/old\.example\/veranstaltung\/far\/"/,
    )
    doesNotMatch(await place.page('/sitemap-2027-03.xml'), /\/event\/far\//)
    for (const slug of ['bad', 'back']) {
      equal(await canonical(`/event/${slug}/`), here(slug))
      match(await place.page('/sitemap-2027-03.xml'), new RegExp(`/event/${slug}/`))
    }
    doesNotMatch(await place.page('/event/quoted/'), /"><script>\//)
    equal(await place.at('/?p=1'), '404')
    const rows = await calendar.rows()
    await importLines(calendar, records)
    equal(await calendar.rows(), rows)
  })

  test('is named by each date of a series with its day', async () => {
    const { calendar } = place
    const source = await startCalendar()
    await source.service.event({
      title: 'Yoga',
      ...onDay('2027-05-03', '18:00:00', '19:00:00'),
      recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3',
    })
    await calendar.run(0, 'import', '--origin', 'stays', source.service.origin)
    for (const day of ['2027-05-03', '2027-05-10', '2027-05-17'])
      equal(await canonical(`/event/yoga-${day}/`), `${source.service.origin}/event/yoga-${day}/`)
    doesNotMatch(await place.page('/sitemap-2027-05.xml'), /yoga/)
    equal(await place.at('/event/yoga/2027-05-10/'), '301 /event/yoga-2027-05-10/')
    await source.close()
  })
})
