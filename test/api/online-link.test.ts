import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import ICAL from 'ical.js'
import { formatUtc } from '../../src/base/text/moments.ts'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { formats } from '../../src/features/feeds/formats.ts'
import { addWebhook } from '../../src/features/webhooks/webhook-store.ts'
import { pluck } from '../support/lists.ts'
import { startServer } from '../support/server.ts'
import {
  type Answer,
  credentialsOf,
  day,
  type Reader,
  serviceForTests,
  startService,
} from '../support/service.ts'
import { until } from '../support/waiting.ts'

const SECRET = 'room-4711'
const LINK = `https://meet.example/${SECRET}`
const MINUTE = 60_000

const service = serviceForTests({ webhook_hosts: '127.0.0.1' })
let event: Answer['body']
let first: Answer['body']
const told: string[] = []
let close: () => void

const soon = (minutes: number) => ({
  timezone: 'UTC',
  start_date: formatUtc(Date.now() + minutes * MINUTE),
  end_date: formatUtc(Date.now() + (minutes + 60) * MINUTE),
})
const meeting = { attendance: 'online', online_url: LINK, online_label: 'Room' }

before(async () => {
  await service.ready
  const receiver = await startServer(async (request, response) => {
    told.push(await text(request))
    response.writeHead(204).end()
  })
  close = receiver.close
  const url = `${receiver.origin}/`
  await service.app.database.write((tx) =>
    addWebhook(tx, { url, events: 'event.*', is_private: 0 }, Date.now()),
  )
  const venue = { venue: 'Hall', step_free: true }
  event = await service.event({ title: 'Lantern', ...soon(16), ...meeting, venue, online_shown: 'before:15' })
  first = await service.event({
    ...{ title: 'Weekly', ...soon(16), ...meeting, online_shown: 'before:15' },
    recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3',
  })
})
after(() => close())

function places(): string[] {
  const page = new URL(event.url).pathname
  return [
    `/events/${event.id}`,
    '/events',
    '/events?per_page=50&_pretty',
    '/events?search=lantern',
    '/events?venue='.concat(String(event.venue.id)),
    `/events/by-slug/${event.slug}`,
    ...WITH_LINK.map(({ name }) => `/events?format=${name}`),
    ...WITH_LINK.flatMap(({ extension }) => (extension ? [`~/events.${extension}`] : [])),
    '~/events.ics?recurrence=expanded',
    `~${page.replace(/\/$/, '.ics')}`,
    `~${page}`,
    '~/wp-json/kalends/v1/changes',
  ]
}

const WITH_LINK = formats.filter(({ name }) => name !== 'geojson')

const NOWHERE = (
  '~/events.geojson /events?format=geojson ~/sitemap.xml ~/ /venues /organizers /events?search=4711 ' +
  '/events?search=meet'
).split(' ')

const unfolded = (text: string) => text.replaceAll('\r\n ', '')

async function read(path: string, as: Reader = 'anonymous', headers: Record<string, string> = {}) {
  const address = path.startsWith('~') ? service.origin + path.slice(1) : service.base + path
  const response = await fetch(address, { headers: { ...credentialsOf(as), ...headers } })
  return {
    status: response.status,
    text: unfolded(await response.text()),
    tag: response.headers.get('etag') ?? '',
  }
}

test('only editors of the event see the link before its time, in any form, then all do', async () => {
  const before = new Map<string, string>()
  for (const path of [...places(), ...NOWHERE]) {
    for (let again = 0; again < 3; again++) {
      const { status, text, tag } = await read(path)
      equal(status, 200, path)
      ok(!text.includes(SECRET), `${path} at 16 minutes`)
      before.set(path, tag)
    }
  }
  equal((await service.get(`/events/${event.id}`, 'admin')).body.online_url, LINK)
  match((await read('/events?format=ics', 'admin')).text, /CONFERENCE;VALUE=URI/)
  equal((await service.get(`/events/${event.id}`, 'contributor')).body.online_url, undefined)

  const { sync_token } = (await service.get('~/wp-json/kalends/v1/changes')).body
  const { id, sequence } = (await service.get(`/events/${event.id}`)).body
  told.length = 0
  await publishDue(service.app.database, Date.now() + 2 * MINUTE)
  for (const path of places()) {
    const { text } = await read(path)
    ok(text.includes(SECRET), `${path} at 14 minutes`)
    const { status } = await read(path, 'anonymous', { 'if-none-match': before.get(path) ?? '' })
    equal(status, 200, `${path} with the ETag of before`)
  }
  for (const path of NOWHERE) ok(!(await read(path)).text.includes(SECRET), path)
  const { changes } = (await service.get(`~/wp-json/kalends/v1/changes?since=${sync_token}`)).body
  ok(
    changes.some(({ record }: Answer['body']) => record?.id === id && record.online_url === LINK),
    String(sequence),
  )
  await until(
    () => told.some((text) => text.includes('event.updated') && text.includes(SECRET)),
    'a message with the link',
  )
})

test('all links whose time has come are shown at once, however many they are', async () => {
  await using own = await startService()
  const times = { start_date: '2090-05-01 10:00', end_date: '2090-05-01 11:00', timezone: 'UTC' }
  const due = { ...times, ...meeting, online_shown: 'before:15' }
  for (let made = 0; made < 210; made += 30)
    await Promise.all(Array.from({ length: 30 }, (_, n) => own.event({ title: `Due ${made + n}`, ...due })))
  await publishDue(own.app.database, Date.parse('2090-05-01T09:50:00Z'))
  let seen = 0
  for (let page = 1; page <= 5; page++) {
    const { body } = await own.get(
      `/events?start_date=2090-01-01&end_date=2091-01-01&per_page=50&page=${page}`,
    )
    seen += body.events.filter(({ online_url }: Answer['body']) => online_url === LINK).length
  }
  equal(seen, 210)
})

test('the page of an event tells when the link appears, and has it nowhere in its head', async () => {
  const { id, url } = await service.event({
    title: 'Later',
    ...soon(120),
    ...meeting,
    online_shown: 'before:60',
  })
  const path = `~${new URL(url).pathname}`
  match((await read(path)).text, /The link will appear here 1 hour before the start\./)
  await service.update(`/events/${id}`, { online_shown: 'before:0' })
  match((await read(path)).text, /The link will appear here when the event starts\./)
  await service.update(`/events/${id}`, { online_shown: 'never' })
  match((await read(path)).text, /The link isn’t shown here\./)
  await service.update(`/events/${id}`, { online_shown: 'always' })
  const { text } = await read(path)
  const [head = ''] = text.split('</head>')
  ok(!head.replace(/<script type="application\/ld\+json">.*?<\/script>/s, '').includes(SECRET))
  match(text, new RegExp(`<a class="button main join" href="${LINK}"`))
})

test('an event that moves hides its link again', async () => {
  const made = await service.event({ title: 'Moved', ...soon(10), ...meeting, online_shown: 'before:15' })
  equal((await service.get(`/events/${made.id}`)).body.online_url, LINK)
  await service.update(`/events/${made.id}`, soon(60))
  equal((await service.get(`/events/${made.id}`)).body.online_url, undefined)
})

test('the schedule of the service shows a link when its time has come', async () => {
  const start = Date.now() + 15 * MINUTE + 2000
  const made = await service.event({
    ...{ title: 'Now', timezone: 'UTC', ...meeting, online_shown: 'before:15' },
    ...{ start_date: formatUtc(start), end_date: formatUtc(start + MINUTE) },
  })
  const shown = async () => (await service.get(`/events/${made.id}`)).body.online_url
  equal(await shown(), undefined)
  await until(async () => (await shown()) === LINK, 'the link appears')
})

test('an occurrence inherits what a series says, and may say it for itself', async () => {
  const { body: series } = await service.get(`~/wp-json/kalends/v1/series/${first.post_parent}`)
  equal(series.online_url, undefined)
  equal(series.attendance, 'online')
  const { events } = (await service.get(`/events?post_parent=${first.post_parent}&start_date=2020-01-01`))
    .body
  const [, second, third] = events
  await service.update(`/events/${second.id}`, {
    attendance: 'in_person',
    online_shown: 'never',
    captions: true,
  })
  await service.update(`/events/${third.id}`, { relaxed: true, recurrence_scope: 'all' })
  const dates = (await service.get(`/events?post_parent=${first.post_parent}&start_date=2020-01-01`, 'admin'))
    .body.events
  const facts = dates.map(({ attendance, captions, relaxed }: Answer['body']) => [
    attendance,
    captions,
    relaxed,
  ])
  deepEqual(facts, [
    ['online', undefined, true],
    ['in_person', true, true],
    ['online', undefined, true],
  ])
  deepEqual(dates[1].recurrence.overrides, ['attendance', 'captions', 'online_shown'])
})

test('a series as a whole shows only a link that is always shown', async () => {
  const master = async () => {
    const { text } = await read('~/events.ics')
    const components = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
    return components.find(
      (one) => one.hasProperty('rrule') && one.getFirstPropertyValue('summary') === 'Weekly',
    )
  }
  equal((await master())?.hasProperty('conference'), false)
  await service.update(`/events/${first.id}`, { online_shown: 'always', recurrence_scope: 'all' })
  const conference = (await master())?.getFirstProperty('conference')
  equal(conference?.getFirstValue(), LINK)
  equal(conference?.getParameter('label'), 'Room')
  equal((await service.get(`~/wp-json/kalends/v1/series/${first.post_parent}`)).body.online_url, LINK)
})

test('a link is https alone, and the words of the other fields are few', async () => {
  const wrong = {
    online_url: [
      'http://meet.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'meet.example',
      'ftp://meet.example/',
    ],
    // A client that sends `false` wants nobody to see the link, so `false` must not be taken for an empty
    // value.
    online_shown: [
      'before',
      'before:',
      'before:-5',
      'before:9999999',
      'signed_in',
      'sometimes',
      false,
      0,
      '0',
      [],
    ],
    attendance: ['hybrid', 'ONLINE'],
    sign_language: ['not a language', '-', 'x'],
    captions: ['perhaps', 2],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { status, body } = await service.post('/events', { title: 'Wrong', ...day, [name]: value })
      equal(status, 400, `${name} ${value}`)
      deepEqual(Object.keys(body.data.params), [name])
    }
  }
})

test('facts that are not known are absent, and an empty text makes one unknown again', async () => {
  const plain = await service.event({ title: 'Plain', ...day, venue: { venue: 'Plain hall' } })
  const known = ['captions', 'attendance', 'online_shown', 'online_url', 'sign_language']
  for (const name of known) ok(!(name in plain), name)
  ok(!('step_free' in plain.venue))
  const { venue } = await service.update(`/events/${plain.id}`, { captions: false, sign_language: 'BFI' })
  const told = (await service.get(`/events/${plain.id}`)).body
  equal(told.captions, false)
  equal(told.sign_language, 'bfi')
  await service.update(`/venues/${venue.id}`, { step_free: 'no', lift: 'yes' })
  const shown = (await service.get(`/events/${plain.id}`)).body
  deepEqual([shown.venue.step_free, shown.venue.lift, shown.venue.hearing_loop], [false, true, undefined])
  await service.update(`/events/${plain.id}`, { captions: '', sign_language: '' })
  await service.update(`/venues/${venue.id}`, { step_free: '' })
  const { body } = await service.get(`/events/${plain.id}`)
  ok(!('captions' in body || 'sign_language' in body || 'step_free' in body.venue))
})

test('a change of what a venue offers changes ETags of its events and of lists that ask', async () => {
  const asked = `/events?access=hearing_loop&start_date=2020-01-01`
  const held = await service.event({ title: 'Loop', ...day, venue: { venue: 'Loop hall' } })
  const paths = [asked, `/events/${held.id}`, `~${new URL(held.url).pathname}`]
  const tags = await Promise.all(paths.map(async (path) => (await read(path)).tag))
  equal((await service.get(asked)).body.total, 0)
  await service.update(`/venues/${held.venue.id}`, { hearing_loop: true })
  for (const [i, path] of paths.entries()) {
    equal((await read(path, 'anonymous', { 'if-none-match': tags[i] ?? '' })).status, 200, path)
  }
  equal((await service.get(asked)).body.total, 1)
  await service.update(`/events/${held.id}`, { captions: true })
  equal((await service.get('/events?access=hearing_loop,captions&start_date=2020-01-01')).body.total, 1)
  equal((await service.get('/events?access=hearing_loop,relaxed&start_date=2020-01-01')).body.total, 0)
  await service.update(`/venues/${held.venue.id}`, { hearing_loop: false })
  equal((await service.get(asked)).body.total, 0)
})

const OF_EVENT = new Set([
  ...['@context', '@id', '@type', 'identifier', 'name', 'description', 'url', 'image', 'mainEntityOfPage'],
  ...'startDate endDate eventStatus eventAttendanceMode location organizer performer offers'.split(' '),
  ...['keywords', 'superEvent'],
])

function assertSearchable(linked: Answer['body']): void {
  for (const name of Object.keys(linked)) ok(OF_EVENT.has(name), `${name} is no property of an Event`)
  ok(linked.name)
  match(linked.startDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  for (const place of [linked.location].flat())
    if (place['@type'] === 'VirtualLocation') ok(URL.canParse(place.url))
    else ok(place['@type'] === 'Place' && place.name && place.address['@type'] === 'PostalAddress')
}

test('linked data have the place, the meeting, or both', async () => {
  const modes = { in_person: 'Offline', online: 'Online', mixed: 'Mixed' }
  const at = { venue: { venue: 'Linked hall', lift: true, quiet_space: false } }
  for (const [attendance, mode] of Object.entries(modes)) {
    const made = await service.event({
      ...{ title: `Linked ${attendance}`, ...day, ...meeting, attendance, online_shown: 'never' },
      ...(attendance === 'online' ? {} : at),
    })
    const shown = async () => {
      const { json_ld } = (await service.get(`/events/${made.id}`)).body
      const graph = JSON.parse((await read(`/events?format=jsonld&include=${made.id}`)).text)['@graph']
      return [json_ld, graph[0]]
    }
    for (const url of [made.url, LINK]) {
      for (const linked of await shown()) {
        equal(linked.eventAttendanceMode, `https://schema.org/${mode}EventAttendanceMode`)
        const locations = [linked.location].flat()
        assertSearchable(linked)
        const types = locations.map((one: Answer['body']) => one['@type'])
        const expected = {
          in_person: ['Place'],
          online: ['VirtualLocation'],
          mixed: ['Place', 'VirtualLocation'],
        }
        deepEqual(types, expected[attendance as keyof typeof expected])
        const virtual = locations.find((one: Answer['body']) => one['@type'] === 'VirtualLocation')
        if (virtual) equal(virtual.url, url)
        const [place] = locations
        if (place['@type'] === 'Place')
          deepEqual(pluck(place.amenityFeature, 'name', 'value'), [
            ['Lift', true],
            ['Quiet space', false],
          ])
      }
      await service.update(`/events/${made.id}`, { online_shown: 'always' })
    }
  }
})
