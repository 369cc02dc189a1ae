import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { writerBy } from '../../src/store/storage/recording.ts'
import { uploadPicture } from '../support/pictures.ts'
import { onDay, startService, type TestService } from '../support/service.ts'

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const HOUR = (hour: number) => `${String(hour).padStart(2, '0')}:00:00`

interface Calendar {
  service: TestService
  make: (title: string, days: number, more?: object) => ReturnType<TestService['create']>
  page: (path: string) => Promise<string>
}

async function calendar(context: TestContext): Promise<Calendar> {
  const service = await startService({ timezone: 'UTC' })
  context.after(() => service.close())
  return {
    service,
    make: (title, days, more = {}) =>
      service.event({ title, ...onDay(day(days), HOUR(19), HOUR(20)), ...more }),
    page: async (path) => {
      const answer = await service.page(path)
      equal(answer.status, 200, path)
      return answer.body
    },
  }
}

/** Returns the opening section of the page, and everything else. */
function parts(body: string): { front: string; rest: string } {
  const [, front = ''] = /<section class="front[^>]*>(.*?)<\/section>/s.exec(body) ?? []
  return { front, rest: body.replace(front, '') }
}

const titles = (markup: string, heading: string) =>
  [...markup.matchAll(new RegExp(`<${heading}><a[^>]*>(?:<[^>]+>)*([^<]+)`, 'g'))].map(([, title]) => title)

const show = (from: number, to: number, more: object = {}) => ({
  start_date: `${day(from)} ${HOUR(10)}`,
  end_date: `${day(to)} ${HOUR(18)}`,
  ...more,
})

test('coming featured events open the front page: the soonest with a picture leads', async (context) => {
  const { make, page, service } = await calendar(context)
  const image = await uploadPicture(service, 900, 600)
  await make('Words alone', 2, { featured: true })
  await make('Concert', 3, { featured: true, image })
  await make('Far away', 200, { featured: true })
  await make('Over', -3, { featured: true, image })
  await make('Not to be', 1, { featured: true, image, event_status: 'canceled' })
  await make('Plain', 1)
  const { front, rest } = parts(await page('/'))
  deepEqual([titles(front, 'h2'), titles(front, 'h3')], [['Concert'], ['Words alone', 'Far away']])
  match(front, /class="hero">.*class="shot"><img [^>]*srcset=/s)
  match(front, /class="card plain">/)
  // Those who go by headings hear the days as well.
  for (const [, seen, heard] of front.matchAll(
    /class="when-line" aria-hidden="true">(.*?)<\/p>.*?<span class="hidden">, (.*?)<\/span>/gs,
  ))
    equal(heard, seen)
  equal(front.match(/<span class="hidden">, [^<]*\d[^<]*<\/span><\/h[23]>/g)?.length, 3)
  // Each event is on the page exactly once.
  deepEqual(titles(rest, 'h3'), ['Canceled', 'Plain'])
  ok(!rest.includes('>Concert<'))
  match(rest, /5 events from today on/)
  deepEqual(titles(parts(await page('/events/')).front, 'h2'), ['Concert'])
})

test('lists that ask for something have no front, and all events', async (context) => {
  const { make, page, service } = await calendar(context)
  await service.create('/categories', { name: 'Music' })
  await make('Concert', 3, { featured: true, categories: ['Music'] })
  for (const path of ['/events/category/music/', '/?featured=1', '/?hide_subsequent_recurrences=0']) {
    const { front, rest } = parts(await page(path))
    deepEqual([front, titles(rest, 'h3')], ['', ['Concert']], path)
  }
})

test('one, two, three or five featured events open the page, never four', async (context) => {
  const { make, page } = await calendar(context)
  for (const [made, shown] of [1, 2, 3, 3, 5, 5].entries()) {
    await make(`Event ${made}`, 1 + made, { featured: true })
    const { front, rest } = parts(await page('/'))
    equal(titles(front, 'h[23]').length, shown)
    equal(titles(rest, 'h3').length, made + 1 - shown)
    match(rest, new RegExp(`class="front of${shown}"`))
  }
})

test('a poster in portrait is whole, other pictures are cut around their focal point', async (context) => {
  const { make, page, service } = await calendar(context)
  const [poster, wide] = [await uploadPicture(service, 400, 700), await uploadPicture(service, 900, 600)]
  const focus = { focal_x: 0.2, focal_y: 0.7 }
  await service.app.database.write(
    (tx) => tx.updateTable('images').set(focus).where('id', '=', wide).execute(),
    writerBy('test'),
  )
  await make('With a poster', 1, { featured: true, image: poster })
  await make('With a picture', 2, { featured: true, image: wide })
  const { front } = parts(await page('/'))
  match(front, /class="hero".*class="shot"><img class="fx2 fy7".*class="card".*class="shot whole"><img src/s)
  deepEqual(titles(front, 'h2'), ['With a picture'])
  for (const path of ['/', '/events/?free=true']) match(await page(path), /href="\/assets\/others/)
})

test('a calendar of three events, none featured and none with a picture, is its list', async (context) => {
  const { make, page } = await calendar(context)
  match(await page('/'), /Nothing planned at the moment\./)
  for (const number of [1, 2, 3]) await make(`Event ${number}`, number)
  const body = await page('/')
  doesNotMatch(body, /class="front|id="ongoing"|Show every date|class="shot/)
  deepEqual(titles(body, 'h3'), ['Event 1', 'Event 2', 'Event 3'])
  doesNotMatch(body, /assets\/others/)
})

test('what has begun is once under Ongoing, ending soonest first; days have what begins', async (context) => {
  const { make, page } = await calendar(context)
  for (let number = 1; number <= 10; number++) await make(`Show ${number}`, 0, show(-number, 40 - number))
  await make('Tonight', 0)
  await make('Opens today', 0, show(0, 9))
  const body = await page('/')
  const [, days = '', ongoing = ''] =
    /class="results"[^>]*>(.*)id="ongoing">(.*?)<\/section>/s.exec(body) ?? []
  const named = [...ongoing.matchAll(/Show (\d+)/g)].map(([, number]) => Number(number))
  deepEqual(named, [10, 9, 8, 7, 6, 5])
  deepEqual(titles(days, 'h3').sort(), ['Opens today', 'Tonight'])
  doesNotMatch(days, /Show \d/)
  match(body, /12 events from today on/)
  const [, all = ''] = /href="([^"]+)">All 10 ongoing events/.exec(ongoing) ?? []
  equal(all, `/events/${day(0)}/#ongoing`)
  const whole = await page(all.replace(/#.*/, ''))
  // The events of the day itself come first.
  match(whole, /Tonight.*id="ongoing".*Show 10.*Show 1</s)
})

test('a day has the second of a weekend among its own, what lasts over three days apart', async (context) => {
  const { make, page } = await calendar(context)
  await make('Weekend', 0, show(9, 11))
  await make('Exhibition', 0, show(8, 12))
  await make('Concert', 10)
  const body = await page(`/events/${day(10)}/`)
  match(body, /3 events/)
  match(body, /Weekend.*Concert.*id="ongoing".*Exhibition/s)
})

function bandOf(body: string) {
  match(body, /<\/table>.*class="band"/s)
  const [, band = ''] = /<section class="band"[^>]*>(.*?)<\/section>/s.exec(body) ?? []
  const shown = [...band.matchAll(/<bdi>([^<]+)<\/bdi><\/a><p><time[^>]*>([^<]+)/g)]
  return { band, shown: shown.map(([, title, days = '']) => [title, days.replaceAll(/\s/g, ' ')]) }
}

test('a month has what lasts over three days once, below its weeks, soonest end first', async (context) => {
  const { page, service } = await calendar(context)
  const make = (title: string, from: string, to: string) =>
    service.event({ title, start_date: `2031-${from} 10:00:00`, end_date: `2031-${to} 18:00:00` })
  for (const [at, to] of ['06-30', '05-20', '07-01', '07-02', '07-03', '07-04', '07-05'].entries())
    await make(`Show ${at}`, '04-02', to)
  await make('Festival', '05-12', '05-16')
  await make('Weekend', '05-23', '05-25')
  await make('Too early', '04-25', '04-29')
  const body = await page('/events/month/2031-05/')
  const { band, shown } = bandOf(body)
  deepEqual(shown, [
    ['Festival', '12 – 16 May 2031'],
    ['Show 1', '2 April – 20 May 2031'],
    ['Show 0', '2 April – 30 June 2031'],
    ['Show 2', '2 April – 1 July 2031'],
    ['Show 3', '2 April – 2 July 2031'],
    ['Show 4', '2 April – 3 July 2031'],
  ])
  match(band, /href="\/events\/2031-05-01\/#ongoing">\+2 more</)
  const weeks = body.replace(band, '')
  doesNotMatch(weeks, /Show \d|Festival|Too early/)
  match(weeks, /class="lane bar w3 starts ends[^"]*"><a[^>]*><bdi>Weekend/)
  match(body, /9 events/)
  match(await page('/embed/frame/?view=month&date=2031-05'), /class="band"/)
})

test('a month has what is over after what is still on', async (context) => {
  const { make, page } = await calendar(context)
  const daysTo = (on: number) => on - Number(day(0).slice(8))
  const isLate = daysTo(8) <= 0
  const from = daysTo(isLate ? 1 : 15)
  await make('Of a week', 0, show(from, from + 4))
  await make('Still on', 0, show(-40, 40))
  const order = bandOf(await page('/events/month/')).shown.map(([title, days]) => [
    title,
    days?.startsWith('until'),
  ])
  const [still, other] = [
    ['Still on', true],
    ['Of a week', false],
  ]
  deepEqual(order, isLate ? [still, other] : [other, still])
})

const weekly = (count: number) => ({ recurrence: `RRULE:FREQ=WEEKLY;COUNT=${count}` })

test('a series stands in lists once, with how it repeats and how many dates follow', async (context) => {
  const { make, page } = await calendar(context)
  const { post_parent: series } = await make('Yoga', 1, weekly(12))
  await make('Choir', 2, weekly(2))
  await make('Concert', 3)
  const also = [6, 9].map((days) => `${day(days).replaceAll('-', '')}T190000`)
  await make('Walk', 4, { recurrence: `RDATE:${also.join(',')}` })
  const body = await page('/')
  deepEqual(titles(body, 'h3'), ['Yoga', 'Choir', 'Concert', 'Walk'])
  const again = [...body.matchAll(/class="again"><a href="([^"]+)">([^<]+)/g)].map(([, path, text]) => [
    path,
    text,
  ])
  const name = (days: number) =>
    new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(day(days)))
  deepEqual(
    again.map(([, text]) => text),
    [`Every ${name(1)}, 11 more dates`, `Every ${name(2)}, 1 more date`, '2 more dates'],
  )
  match(await page(again[0]?.[0] ?? ''), /Yoga/)
  match(again[0]?.[0] ?? '', new RegExp(`${series}/$`))
  match(body, /4 events from today on/)
})

test('every date of a series is a click away, and totals and pages are exact both ways', async (context) => {
  const { make, page, service } = await calendar(context)
  for (let number = 0; number < 23; number++) await make(`Class ${number}`, 1, weekly(3))
  const first = await page('/')
  match(first, /23 events from today on/)
  const second = await page('/events/?page=2')
  equal(new Set([...titles(first, 'h3'), ...titles(second, 'h3')]).size, 23)
  equal((await service.get('~/events/?page=3')).status, 404)
  const [, path = ''] = /href="([^"]+)">Show every date/.exec(first) ?? []
  const every = await page(path)
  match(every, /69 events from today on/)
  match(every, /Remove filter: Every date/)
  equal((await service.get(`~${path}&page=5`)).status, 404)
  equal(titles(await page(`${path}&page=4`), 'h3').length, 9)
})

test('a list with a last day has each date of a series', async (context) => {
  const { make, page } = await calendar(context)
  await make('Yoga', 1, { recurrence: 'RRULE:FREQ=DAILY;COUNT=9' })
  const body = await page(`/events/?start_date=${day(1)}&end_date=${day(4)}`)
  equal(titles(body, 'h3').length, 4)
  match(body, /<p class="count">[^<]*–[^<]* · 4 events<\/p>/)
})

test('a list whose last day is before its first finds nothing, not even what is on', async (context) => {
  const { make, page } = await calendar(context)
  await make('Exhibition', -3, { end_date: `${day(9)} 20:00` })
  for (const query of [`end_date=${day(-1)}`, `start_date=${day(3)}&end_date=${day(2)}`])
    match(await page(`/events/?${query}`), /<h2>No events found\./, query)
})

test('the list of past events has no dates to choose, and names none that it ignores', async (context) => {
  const { make, page } = await calendar(context)
  await make('Over', -3)
  const body = await page(`/events/past/?start_date=${day(3)}&end_date=${day(4)}&when=today`)
  deepEqual(titles(body, 'h3'), ['Over'])
  doesNotMatch(body, /name="start_date" value|type="date"|Remove filter|Today<\/a>/)
  match(await page(`/events/?start_date=${day(3)}`), /href="\/events\/past\/"/)
})

test('a featured series opens the page at its next date, and is not in the list again', async (context) => {
  const { make, page } = await calendar(context)
  await make('Yoga', 1, { ...weekly(3), featured: true })
  const { front, rest } = parts(await page('/'))
  match(front, /Tomorrow, 19:00.*Yoga.*2 more dates/s)
  doesNotMatch(rest, /Yoga/)
})

test('the front page loads less than 8 kB of styles and scripts', async (context) => {
  const { make, page } = await calendar(context)
  await make('Concert', 1)
  const loaded = (await page('/')).matchAll(/(?:rel="stylesheet" href|type="module" src)="([^"]+)"/g)
  const sizes = await Promise.all([...loaded].map(async ([, path = '']) => gzipSync(await page(path)).length))
  equal(sizes.length, 3)
  ok(sizes.reduce((sum, size) => sum + size) < 8000, sizes.join())
})

test('a day of a month begins with featured and sticky events, then the evening', async (context) => {
  const { make, page } = await calendar(context)
  const at = (hour: number) => onDay('2031-05-07', HOUR(hour))
  for (const hour of [8, 9, 10, 11, 18, 19, 20]) await make(`At ${hour}`, 0, at(hour))
  await make('Gala', 0, { ...at(12), featured: true })
  await make('Fair', 0, { ...at(13), sticky: true })
  const body = await page('/events/month/2031-05/')
  const [, table = ''] = /<table class="month">(.*?)<\/table>/s.exec(body) ?? []
  deepEqual(
    [...table.matchAll(/>(At \d+|Gala|Fair)</g)].map(([, title]) => title),
    ['Gala', 'Fair', 'At 18', 'At 19', 'At 20'],
  )
  match(table, /\+4 more/)
})

test('the page of a series has its next date as a row, others as days of their months', async (context) => {
  const { service, make, page } = await calendar(context)
  const { post_parent: id } = await make('Yoga', 3, weekly(30))
  const { body: list } = await service.get(`/events?post_parent=${id}&per_page=30`)
  await service.update(`/events/${list.events[5].id}`, { event_status: 'canceled' })
  const moved = await fetch(`${service.origin}/series/${id}/`, { redirect: 'manual' })
  const body = await page(new URL(moved.headers.get('location') ?? '', service.origin).pathname)
  equal([...body.matchAll(/<li class="row/g)].length, 1)
  equal([...body.matchAll(/<li><a class="pill"[^>]*><time/g)].length, 29)
  equal([...body.matchAll(/<\/time> Canceled<\/a>/g)].length, 1)
  match(body, /30 dates/)
})

const NOON = Date.parse('2027-05-12T12:00:00Z')

async function calendarAt(context: TestContext, now: number) {
  context.mock.timers.enable({ apis: ['Date'], now })
  return calendar(context)
}

/** The section of what is on next: its name, its events, and where all of them are. */
function soonOf(body: string) {
  const [, soon = ''] = /<section class="soon[^"]*">(.*?)<\/section>/s.exec(body) ?? []
  const [, all, text] = /class="all"><a[^>]* href="([^"]+)">([^<]+)/.exec(soon) ?? []
  const [, name] = /<h2>([^<]+)/.exec(soon) ?? []
  return { soon, name, titles: titles(soon, 'h3'), all, text }
}

test('three events of tonight come first, before others, and all are a click away', async (context) => {
  const { make, page } = await calendarAt(context, NOON)
  for (const hour of [9, 18, 19, 20, 21]) await make(`At ${hour}`, 0, onDay(day(0), HOUR(hour)))
  await make('Gala', 3, { featured: true })
  await make('Tomorrow', 1)
  const body = await page('/')
  const { soon, name, all, text, titles: shown } = soonOf(body)
  deepEqual([name, shown, text], ['Tonight', ['At 18', 'At 19', 'At 20'], 'All 4'])
  match(body, /class="finding".*class="soon".*class="front.*<h2>What’s on<\/h2>.*class="mini"/s)
  deepEqual(titles(parts(body.replace(soon, '')).rest, 'h3'), ['At 9', 'At 21', 'Tomorrow'])
  const tonight = await page(all ?? '')
  deepEqual(titles(tonight, 'h3'), ['At 18', 'At 19', 'At 20', 'At 21'])
  match(tonight, /<p class="count">4 events<\/p>/)
})

test('what is on by day, or on other days, comes first where nothing is on tonight', async (context) => {
  const { make, page } = await calendarAt(context, NOON)
  await make('Gala', 9, { featured: true })
  for (const days of [2, 3, 4, 5]) await make(`In ${days}`, days)
  const later = soonOf(await page('/'))
  deepEqual([later.name, later.titles, later.all], ['Coming up', ['In 2', 'In 3', 'In 4'], undefined])
  match(later.soon, /<b class="on" aria-hidden="true">Fri 14 May<\/b> 19:00/)
  for (const hour of [10, 11]) await make(`At ${hour}`, 0, onDay(day(0), HOUR(hour)))
  const today = soonOf(await page('/'))
  deepEqual([today.name, today.titles], ['Today', ['At 10', 'At 11']])
})

test('an evening on which more begins than fits on a page is still found', async (context) => {
  const { make, page } = await calendarAt(context, NOON)
  for (let number = 0; number < 22; number++) await make(`Stall ${number}`, 0, onDay(day(0), HOUR(10)))
  await make('Concert', 0)
  await make('Gala', 3, { featured: true })
  const { name, titles: shown, text } = soonOf(await page('/'))
  deepEqual([name, shown, text], ['Tonight', ['Concert'], undefined])
})

test('the front page goes by the day: kept while it lasts, made anew for the next one', async (context) => {
  const { make, page } = await calendarAt(context, NOON)
  await make('Tonight', 0)
  await make('Tomorrow', 1)
  for (const days of [5, 6]) await make(`In ${days}`, days)
  const first = await page('/')
  match(first, /href="\/events\/\?when=tonight">Tonight <small>1</)
  equal(await page('/'), first)
  context.mock.timers.setTime(NOON + 24 * 3_600_000)
  deepEqual(soonOf(await page('/')).titles, ['Tomorrow'])
  // After midnight it is still that night.
  context.mock.timers.setTime(NOON + 37 * 3_600_000)
  const night = await page('/')
  match(night, /href="\/events\/\?when=tonight">Tonight <small>1</)
  match(night, /class="pill none" href="\/events\/\?when=today">Today <small>0</)
})

/** The chips with a number, and where they lead. */
const countedChips = (body: string) =>
  [
    ...body.matchAll(
      /<a class="pill[^"]*" href="([^"]+)">(?:<i[^>]*><\/i>)?([^/]*?)(?:<\/bdi>)? <small>([\d,]+)/g,
    ),
  ].map(([, href = '', text = '', count = '']) => ({
    href: href.replaceAll('&amp;', '&'),
    text: text.replace('<bdi>', ''),
    count,
  }))

test('each number on a chip is that of the list to which it leads, whatever is chosen', async (context) => {
  const { make, page, service } = await calendarAt(context, NOON)
  const hall = await service.create('/venues', { venue: 'Hall', step_free: true })
  const music = await service.create('/categories', { name: 'Music' })
  const jazz = await service.create('/categories', { name: 'Jazz', parent: music.id })
  const film = await service.create('/categories', { name: 'Film' })
  await make('Tonight', 0, { categories: [jazz.id], cost: '0', venue: hall.id })
  await make('Tomorrow', 1, { categories: [film.id], cost: '5' })
  await make('Both', 1, { categories: [film.id, jazz.id], cost: '0', attendance: 'online' })
  await make('Yoga', 0, { ...weekly(9), categories: [music.id], cost: '0' })
  await make('Exhibition', 0, show(-5, 30, { categories: [film.id], cost: '0', venue: hall.id }))
  await make('Over', -2, { categories: [music.id] })
  const paths = [
    '/',
    '/events/?free=true',
    '/events/?when=tomorrow',
    '/events/category/music/',
    '/events/?start_date=2027-05-13&end_date=2027-05-20',
    '/events/?categories=film&free=true',
    '/events/?access=step_free',
  ]
  for (const path of paths) {
    const counted = countedChips(await page(path))
    ok(counted.length > 6, `${path}: ${counted.length}`)
    for (const { href, text, count } of counted) {
      const [, said = '0'] = /<p class="count">(?:[^<]*?· )?([\d,]+) events?\b/.exec(await page(href)) ?? []
      equal(count, said, `${text} on ${path}`)
    }
  }
  const names = countedChips(await page('/')).map(({ text }) => text)
  for (const name of ['Tonight', 'This weekend', 'Free', 'Step-free', 'Online', 'Music', 'Film'])
    ok(names.includes(name), name)
  deepEqual(countedChips(await page('/events/?search=yoga')), [])
})

test('a calendar without coming events has chips without numbers', async (context) => {
  const { page } = await calendar(context)
  const body = await page('/')
  deepEqual(countedChips(body), [])
  match(body, /href="\/events\/\?when=tonight">Tonight</)
})

test('every way to subscribe by an address has a button that copies it', async (context) => {
  const { make, page, service } = await calendar(context)
  const linked = { venue: { venue: 'Hall' }, organizer: { organizer: 'Choir' }, tags: ['open-air'] }
  await service.create('/categories', { name: 'Music' })
  await make('Yoga', 1, weekly(3))
  const [, series = ''] = /"(\/series\/[^"]+)"/.exec(await page('/')) ?? []
  await make('Concert', 1, { ...linked, categories: ['music'] })
  for (const [path, base] of [
    ['/', '/events'],
    ['/events/month/?free=true', '/events'],
    ['/events/category/music/', '/events/category/music'],
    ['/events/category/music/week/', '/events/category/music'],
    ['/events/tag/open-air/', '/events/tag/open-air'],
    ['/venue/hall/', '/venue/hall'],
    ['/organizer/choir/', '/organizer/choir'],
    [series, '/events'],
  ] as const) {
    const copied = [...(await page(path)).matchAll(/data-copy="([^"]+)"/g)].map(([, address]) => address)
    const query = path.includes('free')
      ? '?free=true'
      : path === series
        ? `?post_parent=${/\d+/.exec(series)}`
        : ''
    deepEqual(
      copied,
      ['ics', 'rss'].map((ending) => `${service.app.site.url}${base}.${ending}${query}`),
    )
  }
})
