// Looks at each view of the table of views, so that a new one is looked at without further ado.
import { equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { VIEWS } from '../../src/features/pages/spans.ts'
import { onDay, serviceForTests, startService, type TestService } from '../support/service.ts'
import { viewPathsAt } from '../support/view-paths.ts'

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const DAY = dayIn(30)

const asked = (service: TestService, path: string) => service.page(path)

describe('pages of what does not fit on one', () => {
  const service = serviceForTests()
  let paths: string[]

  before(async () => {
    const many = (count: number, path: string, record: (number: number) => object) =>
      Promise.all(Array.from({ length: count }, (_, number) => service.create(path, record(number))))
    const [venue] = await many(101, '/venues', (number) => ({ venue: `Barn ${number}` }))
    const [organizer] = await many(101, '/organizers', (number) => ({ organizer: `Guild ${number}` }))
    const linked = { venue: venue.id, organizer: organizer.id }
    const on = (day: string) => ({ ...onDay(day, '10:00', '11:00'), ...linked })
    await many(101, '/events', (number) => ({ title: `Talk ${number}`, ...on(DAY) }))
    await many(21, '/events', (number) => ({ title: `Past ${number}`, ...on(dayIn(-9)) }))
    const dates = { title: 'Yoga', recurrence: 'RRULE:FREQ=DAILY;COUNT=61', ...on(dayIn(40)) }
    const { recurrence } = await service.event(dates)
    const { body } = await asked(service, `/series/yoga-${recurrence.series}/`)
    const [, series = ''] = /<link rel="canonical" href="[^"]*(\/series\/[^"]+)"/.exec(body) ?? []
    const others = [venue.url, organizer.url].map((url) => new URL(url).pathname)
    paths = [...viewPathsAt(DAY).values(), ...others, series, '/venues/', '/organizers/']
  })

  async function lastPage(path: string): Promise<number> {
    const link = (rel: string) => new RegExp(`class="button" rel="${rel}" href="${path}(?:\\?page=(\\d+))?"`)
    for (let page = 1; ; page++) {
      const { status, body } = await asked(service, page === 1 ? path : `${path}?page=${page}`)
      equal(status, 200, `${path} ${page}`)
      const [back, before = '1'] = link('prev').exec(body) ?? []
      if (page > 1) ok(back && Number(before) === page - 1, `${path} ${page} leads back`)
      if (page > 1) match(body, /name="robots" content="noindex/, `${path} ${page}`)
      const next = link('next').exec(body)?.[1]
      if (next === undefined) return page
      equal(Number(next), page + 1, path)
    }
  }

  test('lead on and back, and there is none behind the last', async () => {
    const last = new Map<string, number>()
    for (const path of paths) last.set(path, await lastPage(path))
    const paged = [...last].filter(([, page]) => page > 1)
    ok(paged.length >= 7, String(paged))
    for (const [path, page] of last)
      for (const behind of page === 1 ? [] : [page + 1, 99])
        equal((await asked(service, `${path}?page=${behind}`)).status, 404, `${path} ${behind}`)
  })
})

test('every view tells times of another zone by its letters', async () => {
  await using service = await startService({ timezone: 'Europe/Oslo' })
  const on = { ...onDay(DAY, '20:30', '21:30'), timezone: 'Asia/Tokyo' }
  const { id: venue } = await service.create('/venues', { venue: 'Hall' })
  const { url } = await service.event({ title: 'Talk', ...on, venue })
  await service.event({ title: 'Call', ...on, venue, featured: true })
  const views = [...viewPathsAt(DAY)].flatMap(([name, path]) => (name === 'past' ? [] : [path]))
  for (const path of ['/', new URL(url).pathname, ...views]) {
    const text = (await asked(service, path)).body.replaceAll(/<script.*?<\/script>|<[^>]+>/gs, '')
    const times = text.match(/20:30(?! – 21:30)(?: \S{3})?/g) ?? []
    ok(times.length > 0 && times.every((time: string) => time === '20:30 JST'), `${path} ${times}`)
  }
})

describe('a view without events', () => {
  const service = serviceForTests()

  before(async () => {
    for (const name of ['Full', 'Empty'])
      await service.create('/categories', { name, slug: name.toLowerCase() })
    const on = onDay(DAY, '10:00', '11:00')
    await service.event({ title: 'Talk', ...on, categories: ['Full'] })
    // A category has a page once an event is published in it; this one stands in no view.
    await service.event({ title: 'Unlisted', ...on, categories: ['Empty'], hide_from_listings: true })
  })

  const EMPTY = dayIn(400)
  const cases = Object.entries(VIEWS).flatMap(([name, { isList }]) => {
    const [there = '', empty = ''] = [DAY, EMPTY].map((day) => viewPathsAt(day).get(name))
    return [
      `${empty}${isList ? `?start_date=${EMPTY}` : ''}`,
      there.replace('/events/', '/events/category/empty/'),
      `${there}?categories=empty`,
      `${there}?search=nothing`,
    ]
  })

  for (const path of cases)
    test(`says so in its place, leads on, and is kept from search engines: ${path}`, async () => {
      const { status, body } = await asked(service, path)
      equal(status, 200)
      match(body, /<h1[^>]*>[^<]*\S[^<]*</)
      match(body, /name="robots" content="noindex/)
      const [nothing = ''] = /<section class="nothing">.*?<\/section>.*<\/main>/s.exec(body) ?? []
      match(nothing, /<h2>(?:No events found|There are no events|Nothing planned)[^<]*\.<\/h2>/)
      const links = [...nothing.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, to = '']) =>
        to.replaceAll('&amp;', '&'),
      )
      ok(links.length > 0)
      for (const to of links) equal((await asked(service, to)).status, 200, to)
    })
})
