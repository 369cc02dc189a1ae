import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { sitAtDesk } from '../support/desk.ts'
import { type Answer, onDay, startService, type TestService } from '../support/service.ts'

let service: TestService

before(async () => {
  // Friday, 19:00 in Berlin.
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 27, 18) })
  service = await startService({ timezone: 'Europe/Berlin' })
  const make = async (title: string, start_date: string, end_date: string, more: object = {}) => {
    const made = await service.post(
      '/events',
      { title, start_date, end_date, status: 'publish', ...more },
      'editor',
    )
    equal(made.status, 201, title)
  }
  await make('Exhibition', '2026-11-20', '2026-12-20', { all_day: true, cost: '5 €' })
  await make('Matinee', '2026-11-27 11:00:00', '2026-11-27 12:00:00', { cost: '0' })
  await make('Concert', '2026-11-27 19:00:30', '2026-11-27 22:00:00', {
    cost: 'Eintritt frei',
    attendance: 'mixed',
  })
  await make('Night', '2026-11-27 23:30:00', '2026-11-28 03:00:00', { attendance: 'online' })
  await make('Market', '2026-11-29 14:00:00', '2026-11-29 18:00:00', { cost: ['Free', '10 €'] })
  await make('Choir', '2026-12-24 16:00:00', '2026-12-24 17:00:00')
})
after(() => {
  mock.timers.reset()
  return service.close()
})

const titles = ({ body }: Answer): string[] => body.events.map(({ title }: { title: string }) => title)
const list = async (query: string) => titles(await service.get(`/events?${query}`))

test('lists are narrowed to a time, a time of day, what is free and how one takes part', async () => {
  const asked: [string, string[]][] = [
    ['when=now', ['Exhibition']],
    ['when=today', ['Exhibition', 'Matinee', 'Concert', 'Night']],
    ['when=tonight', ['Concert', 'Night']],
    ['when=tomorrow', ['Exhibition', 'Night']],
    ['when=weekend', ['Exhibition', 'Night', 'Market']],
    ['when=week', ['Exhibition', 'Matinee', 'Concert', 'Night', 'Market']],
    ['when=month', ['Exhibition', 'Matinee', 'Concert', 'Night', 'Market', 'Choir']],
    ['when=today&start_date=2026-11-27%2019:30:00&strict_dates=1', ['Night']],
    ['when=week&time=morning,afternoon', ['Matinee', 'Market']],
    ['when=week&free=true', ['Matinee', 'Concert']],
    ['when=week&free=false', ['Exhibition', 'Night', 'Market']],
    ['when=month&attendance=online,mixed', ['Concert', 'Night']],
  ]
  for (const [query, expected] of asked) deepEqual(await list(query), expected, query)
  for (const wrong of ['when=soon', 'time=night', 'free=perhaps', 'attendance=absent'])
    equal((await service.get(`/events?${wrong}`)).status, 400, wrong)
})

test('links to further pages keep what was asked for', async () => {
  const first = await service.get(
    '/events?when=week&time=evening&free=true&attendance=mixed,online&per_page=1',
  )
  deepEqual(titles(first), ['Concert'])
  const second = await service.get('/events?when=tonight&per_page=1')
  const next = new URL(second.body.next_rest_url)
  equal(next.searchParams.get('when'), 'tonight')
  deepEqual(await list(next.search.slice(1)), ['Night'])
})

test('pages and feeds take the same filters', async () => {
  const { origin } = new URL(service.base)
  const page = await (await fetch(`${origin}/events/?when=weekend&free=false`)).text()
  match(page, /Market/)
  doesNotMatch(page, /Concert/)
  const feed = await (await fetch(`${origin}/events.ics?when=month&free=true&time=evening`)).text()
  match(feed, /SUMMARY:Concert/)
  doesNotMatch(feed, /SUMMARY:Matinee/)
})

test('an answer that goes by the clock is kept until it changes', async () => {
  const ask = (headers = {}) => fetch(`${service.base}/events?when=now`, { headers })
  const read = async () => titles({ body: await (await ask()).json() } as Answer)
  await read()
  const tag = (await ask()).headers.get('etag') ?? ''
  equal((await ask({ 'if-none-match': tag })).status, 304)
  mock.timers.tick(59_000)
  equal((await ask({ 'if-none-match': tag })).status, 304, 'within the minute')
  mock.timers.tick(1_000)
  equal((await ask({ 'if-none-match': tag })).status, 200, 'of the next minute')
  deepEqual(await read(), ['Exhibition', 'Concert'])
  mock.timers.tick(3 * 3_600_000)
  deepEqual(await read(), ['Exhibition'])
  mock.timers.tick(2 * 3_600_000)
  deepEqual(await list('when=today'), ['Exhibition', 'Night'], 'the day has changed')
  deepEqual(await list('when=tonight'), ['Concert', 'Night'], 'the night has not')
  mock.timers.tick(4 * 3_600_000)
  deepEqual(await list('when=tonight'), [], 'the night is over')
})

test('what changed within a time before now is another answer later', async () => {
  await service.event({ title: 'Latest', ...onDay('2026-12-24', '09:00:00', '10:00:00') })
  const changed = async (ago: string) => list(`modified_after=${ago}&start_date=2026-01-01`)
  for (let time = 0; time < 3; time += 1) deepEqual(await changed('-1hour'), ['Latest'])
  mock.timers.tick(2 * 3_600_000)
  deepEqual(await changed('-1hour'), [])
})

const shownOn = async (path: string) => {
  const body = await (await fetch(new URL(path, service.base))).text()
  const [shown = ''] = body.split('<section class="nothing">')
  return [...shown.matchAll(/(?:<li[^>]*>|<h[234]>)<a [^>]*><bdi>([^<]*)<\/bdi><\/a>/g)].map(
    ([, title]) => title,
  )
}

test('pages show what lists and subscriptions of the same words have, by day and in the night', async () => {
  await service.event({ title: 'Long', start_date: '2026-11-26 22:00', end_date: '2026-11-28 04:30' })
  await service.event({ title: 'Walk', ...onDay('2026-11-28', '00:30', '06:00') })
  await service.event({ title: 'Ball', start_date: '2026-11-28 22:00', end_date: '2026-11-29 02:00' })
  const words = ['now', 'today', 'tonight', 'tomorrow', 'weekend', 'week', 'month']
  for (const hour of [0, 1, 3.5, 4.5, 6, 23, 26, 29]) {
    mock.timers.setTime(Date.UTC(2026, 10, 27, 23 + hour))
    for (const word of words) {
      const listed = await list(`when=${word}`)
      for (const path of ['/events/?', '/embed/frame/?limit=50&'])
        deepEqual((await shownOn(`${path}when=${word}`)).sort(), listed.sort(), `${path}${word} at ${hour}`)
      const calendar = await (await fetch(new URL(`/events.ics?when=${word}`, service.base))).text()
      const subscribed = [...calendar.matchAll(/^SUMMARY:(.*)$/gm)].map(([, title]) => title?.trim())
      deepEqual(subscribed.sort(), listed.sort(), `${word} at ${hour}`)
    }
    const [shown = [], today = [], past = []] = await Promise.all(
      ['/', '/events/today/', '/events/past/'].map(shownOn),
    )
    for (const title of await list('when=now'))
      ok(shown.includes(title) && today.includes(title) && !past.includes(title), `${title} at ${hour}`)
    const every = [...shown, ...past].sort()
    deepEqual(every, (await list('start_date=2026-01-01')).sort(), `all once at ${hour}`)
    const night = await (await fetch(new URL('/event/night/', service.base))).text()
    equal(night.includes('This event is over.'), hour >= 3, `over at ${hour}`)
  }
})

test('lists of what is to come have what is still on in the night, and no more then', async () => {
  const places = { venue: { venue: 'Night club' }, organizer: { organizer: 'Night crew' } }
  const rave = { title: 'Rave', start_date: '2027-01-31 22:00', end_date: '2027-02-01 03:00', ...places }
  const { post_parent } = await service.event({ ...rave, recurrence: 'RRULE:FREQ=YEARLY;COUNT=2' })
  const pages = [
    '/venue/night-club/',
    '/organizer/night-crew/',
    `/series/rave-${post_parent}/`,
    '/events/?search=rave',
  ]
  for (const [at, isOn] of [
    ['23:00', true],
    ['01:00', true],
    ['04:00', false],
    ['12:00', false],
  ] as const) {
    const day = at === '23:00' ? '2027-01-31' : '2027-02-01'
    mock.timers.setTime(Date.parse(`${day}T${at}:00+01:00`))
    for (const path of [...pages, '/events/month/', `/events/week/${day}/`]) {
      const body = await (await fetch(new URL(path, service.base))).text()
      const shown =
        path.includes('week') || path.includes('month')
          ? /"title">.*Rave<|entry.*Rave</
          : /\/event\/rave-2027/
      equal(shown.test(body), isOn, `${path} at ${at}`)
      if (/week|month/.test(path) && at === '01:00') match(body, /until 3:00|until 3/, path)
    }
    const directory = await (await fetch(new URL('/venues/', service.base))).text()
    match(directory, new RegExp(`Night club</bdi></a> <span class="coming">${isOn ? 2 : 1} event`), at)
  }
})

test('Today says until when a party of last night is on, and forgets it then', async () => {
  for (const [hour, said] of [
    [21, '22:00'],
    [25, '– 2:00'],
    [26.5, undefined],
  ] as const) {
    mock.timers.setTime(Date.UTC(2026, 10, 27, 23 + hour))
    const { body } = await (await sitAtDesk(service, 'editor')).get('/desk/')
    const [, ball] = /<span class="when">([^<]*)<\/span><a [^>]*>Ball</.exec(body) ?? []
    equal(ball, said, String(hour))
    match(body, /<span class="when">All day<\/span><a [^>]*>Exhibition</)
  }
})
