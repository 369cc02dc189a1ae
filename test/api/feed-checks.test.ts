// Numbered requirements of feeds, each with a test.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import ICAL from 'ical.js'
import { serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({ timezone: 'Europe/Oslo' })
const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
const WHEN = { start_date: `${day} 10:00:00`, end_date: `${day} 12:00:00` }

before(async () => {
  await service.ready
  const parent = await service.create('/categories', { name: 'Music, live' })
  await service.create('/categories', { name: 'Jazz; cool', parent: parent.id })
  await service.event({
    ...WHEN,
    title: 'With everything',
    categories: ['music-live', 'jazz-cool'],
    tags: ['A, b'],
    venue: { venue: 'Hall', address: '1 Main St', city: 'Town', geo_lat: 52.5, geo_lng: -8.25 },
    organizer: [{ organizer: 'Anna', email: 'anna@example.org' }],
  })
  await service.event({ ...WHEN, title: 'Plain' })
})
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(path.startsWith('http') ? path : service.origin + path, { headers, redirect: 'manual' })

describe('a calendar', () => {
  test('says once its version and who made it, and each event has an identity and a time', async () => {
    const text = await (await ask('/events.ics')).text()
    for (const line of ['VERSION:2.0', 'CALSCALE:GREGORIAN', 'METHOD:PUBLISH'])
      equal(text.split(`\r\n${line}\r\n`).length, 2, line)
    equal(text.split('\r\nPRODID:').length, 2)
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
    equal(events.length, 2)
    for (const event of events)
      for (const name of ['uid', 'dtstamp']) equal(event.getAllProperties(name).length, 1, name)
  })

  test('keeps commas of categories apart from those between, and writes a place with points', async () => {
    const text = await (await ask('/event/with-everything.ics')).text()
    const [event] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
    deepEqual(event?.getFirstProperty('categories')?.getValues().toSorted(), [
      'A, b',
      'Jazz; cool',
      'Music, live',
    ])
    match(text, /\r\nGEO:52\.5;-8\.25\r\n/)
    equal(String(event?.getFirstPropertyValue('location')).includes('\n'), false)
  })

  test('without events can be read', async () => {
    const response = await ask('/events.ics?search=nothing-like-it')
    equal(response.status, 200)
    const calendar = new ICAL.Component(ICAL.parse(await response.text()))
    deepEqual([calendar.name, calendar.getAllSubcomponents('vevent').length], ['vcalendar', 0])
  })

  test('is subscribed to at an address that every client takes', async () => {
    const page = await (await ask('/events/?search=everything', { accept: 'text/html' })).text()
    const host = new URL(service.origin).host
    const address = `webcal://${host}/events.ics?words=everything`
    ok(page.includes(`href="${address}"`))
    ok(page.includes(`cid=${encodeURIComponent(address)}`))
    const file = encodeURIComponent(address.replace('webcal', 'http'))
    for (const outlook of ['https://outlook.live.com', 'https://outlook.office.com'])
      ok(page.includes(`${outlook}/calendar/0/addfromweb?url=${file}&amp;name=`), outlook)
    ok(address.length < 256)
    equal((await ask(address.replace('webcal', 'http'))).status, 200)
  })
})

describe('feeds', () => {
  test('stop when nobody reads on, and their places are free again', async () => {
    for (let i = 0; i < 60; i++)
      await service.event({ ...WHEN, title: `Many ${i}`, description: 'x'.repeat(2000) })
    const { port } = new URL(service.origin)
    for (let times = 0; times < 20; times++) {
      const socket = connect(Number(port), 'localhost')
      socket.write(`GET /events.ics?anew=${times} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
      await new Promise((resolve) => socket.once('data', resolve))
      socket.destroy()
    }
    let text = ''
    await until(async () => {
      const answer = await ask('/events.ics')
      text = await answer.text()
      return answer.ok
    }, 'no place was given back')
    equal(text.split('BEGIN:VEVENT').length, 63)
    ok(text.endsWith('END:VCALENDAR\r\n'))
  })

  test('may be read by other sites as lists may, and are the same whatever cookie is sent', async () => {
    const NAMES = [
      'access-control-allow-origin',
      'access-control-expose-headers',
      'cache-control',
      'vary',
      'x-robots-tag',
    ]
    const origin = { origin: 'https://other.example' }
    const list = await ask(`${service.base}/events`, origin)
    for (const ending of ['ics', 'rss', 'atom', 'json', 'csv', 'jsonld', 'ndjson']) {
      const feed = await ask(`/events.${ending}`, origin)
      for (const name of NAMES) equal(feed.headers.get(name), list.headers.get(name), `${ending} ${name}`)
      const withCookie = await ask(`/events.${ending}`, { ...origin, cookie: 'a=b' })
      equal(withCookie.headers.get('etag'), feed.headers.get('etag'))
      equal(await withCookie.text(), await feed.text())
      doesNotMatch(feed.headers.get('vary') ?? '', /cookie/i)
      equal(feed.headers.get('set-cookie'), null)
    }
  })

  test('are in the format of their names, whatever is accepted', async () => {
    for (const accept of ['text/calendar', 'text/html', 'application/rss+xml', '*/*'])
      match((await ask('/events.ics', { accept })).headers.get('content-type') ?? '', /^text\/calendar/)
  })
})
