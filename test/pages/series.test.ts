import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const FIRST = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)

const make = (more: object = {}) =>
  service.event({
    title: 'Straßenmarkt am Tor',
    description: '<p>With <b>cheese</b>.</p>',
    ...onDay(FIRST, '19:00:00', '21:00:00'),
    recurrence: 'RRULE:FREQ=DAILY;INTERVAL=3;COUNT=40',
    ...more,
  })

const page = async (url: string) => {
  const answer = await fetch(url, { redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
}

test('the page of an event says how it repeats, and leads to its other dates and its series', async () => {
  const first = await make()
  const { text } = await page(first.url)
  match(text, /<dt>Repeats<\/dt><dd><strong><a href="([^"]+)">Every 3 days, 40 times<\/a>/)
  const [, others = ''] = /<dt>Upcoming dates<\/dt><dd>(.*?)<\/dd>/.exec(text) ?? []
  const links = [...others.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path)
  equal(links.length, 4)
  for (const path of links) equal((await page(service.origin + path)).status, 200)
  ok(!links.some((path) => first.url.endsWith(path)))
  const [, path = ''] = /<dt>Repeats<\/dt><dd><strong><a href="([^"]+)"/.exec(text) ?? []
  const series = await page(service.origin + path)
  equal(series.status, 200)
  match(series.text, /<h1><bdi>Straßenmarkt am Tor<\/bdi><\/h1><p class="lead">Every 3 days, 40 times<\/p>/)
  match(series.text, /<b>cheese<\/b>/)
  // Its dates do not repeat the text of the series.
  doesNotMatch(series.text, /class="excerpt"/)
  match(series.text, /40 dates/)
  match(series.text, new RegExp(`events\\.ics\\?post_parent=${first.post_parent}`))
  match(series.text, /"@type":"EventSeries"/)
  match((await page(`${service.origin}/sitemap-pages.xml`)).text, new RegExp(`<loc>[^<]*${path}</loc>`))
})

test('the page of a series says once what its dates share, and keeps to itself what they keep', async () => {
  const { id: venue } = await service.create('/venues', { venue: 'Barn', city: 'Bonn', step_free: true })
  const { id: organizer } = await service.create('/organizers', {
    organizer: 'Private circle',
    status: 'private',
  })
  const online = { attendance: 'mixed', online_url: 'https://meet.example/room', online_shown: 'before:15' }
  const facts = {
    cost: '2.5',
    website: 'https://tickets.example/7',
    access_note: 'Ring twice',
    tags: ['Cheese'],
  }
  const shared = { description: '', excerpt: 'With cheese', venue, organizer, ...online, ...facts }
  const { post_parent: id } = await make(shared)
  const { text } = await followed(`/series/${id}/`)
  const about = /<dl>.*<section/s.exec(text)?.[0] ?? ''
  for (const once of 'Barn|In person and online|With cheese|Ring twice|Step-free access|$2.50'.split('|'))
    equal(text.split(`>${once}<`).length, once === '$2.50' ? 3 : 2, once)
  match(about, /href="https:\/\/tickets\.example\/7"[^>]*>Tickets</)
  match(about, /The link isn’t shown here\./)
  doesNotMatch(text, /meet\.example|Private circle/)
  match(text, /href="\/events\/tag\/cheese\/">Cheese</)
  const plain = await make({ title: 'Plain' })
  doesNotMatch((await followed(`/series/${plain.post_parent}/`)).text, /<dt>/)
})

test('the address of a series is that of its id, under whatever name', async () => {
  const { post_parent: id } = await make({ title: 'Ärger & Söhne', slug: '' })
  const [, path = ''] =
    /<link rel="canonical" href="([^"]+)"/.exec((await followed(`/series/${id}/`)).text) ?? []
  match(path, new RegExp(`-${id}/$`))
  equal((await page(`${service.origin}/series/other-${id}/`)).status, 301)
  equal((await page(path)).status, 200)
  for (const missing of ['/series/999999/', '/series/none/', '/series/', `/series/${id}/more/`])
    equal((await page(service.origin + missing)).status, 404, missing)
})

async function followed(path: string) {
  const { status, location, text } = await page(service.origin + path)
  return status === 301 ? page(new URL(location ?? '', service.origin).href) : { status, location, text }
}

test('a venue has a series at its next date, and every date behind a press', async () => {
  const venue = await service.create('/venues', { venue: 'Depot', city: 'Bonn' })
  await make({ title: 'Yoga', venue: venue.id })
  const later = new Date(Date.parse(FIRST) + 30 * 86_400_000).toISOString().slice(0, 10)
  const times = onDay(later, '20:00:00', '21:00:00')
  await service.event({ title: 'Concert', ...times, venue: venue.id })
  const titles = (text: string) =>
    [...text.matchAll(/<h3><a[^>]*><bdi>(.*?)<\/bdi>/g)].map(([, title]) => title)
  const { text } = await page(venue.url)
  deepEqual(titles(text), ['Yoga', 'Concert'])
  match(text, /<p class="again"><a href="[^"]+">Every 3 days, 39 more dates<\/a>/)
  const [, every = ''] =
    /41 events<span class="apart"> · <\/span><a [^>]*href="([^"]+)">Show every date</.exec(text) ?? []
  const all = (await page(service.origin + every)).text
  equal(titles(all).length, 20)
  match(all, /name="robots" content="noindex/)
  match(all, /href="[^"]*hide_subsequent_recurrences=0&amp;page=2"/)
  // The rows do not repeat the name of the venue.
  doesNotMatch(text, /<p class="where"><bdi>Depot/)
})

test('a series that is not public has no page', async () => {
  const { post_parent: id } = await make({ status: 'draft' })
  equal((await page(`${service.origin}/series/${id}/`)).status, 404)
})

test('the page of an event that does not repeat says nothing of series', async () => {
  const { recurrence: _, ...single } = { title: 'Once', start_date: `${FIRST} 19:00:00`, recurrence: '' }
  const event = await service.event({ ...single, end_date: `${FIRST} 20:00:00` })
  doesNotMatch((await page(event.url)).text, /Repeats|Upcoming dates/)
})
