import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { shownUrl } from '../../src/http/request-log.ts'
import { assertNone } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Oslo', pages_presses: 'family' }, { fill })
let origin: string

async function fill(): Promise<void> {
  origin = service.app.site.url
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const venue = { venue: 'Harbour hall', geo_lat: 60.4, geo_lng: 5.32, status: 'publish' }
  const made = await service.post('/venues', venue, 'editor')
  for (const name of ['Family', 'Music', 'Film']) await service.post('/categories', { name }, 'editor')
  const make = (title: string, date: string, more: object) =>
    service.post(
      '/events',
      { title, ...onDay(date, '19:00:00', '21:00:00'), status: 'publish', ...more },
      'editor',
    )
  await make('Puppets', day(1), { cost: '0', venue: made.body.id, categories: ['family'] })
  await make('Concert', day(1), { cost: '20', categories: ['music'] })
  await make('Cinema', day(40), { attendance: 'online', categories: ['film'] })
}

interface Press {
  text: string
  href: string
  isChosen: boolean
  count: string | undefined
}

async function read(path: string) {
  const response = await fetch(origin + path)
  const body = await response.text()
  const line = /<div class="presses">([\s\S]*?)<\/div>\n/.exec(body)?.[1] ?? ''
  const presses = [...line.matchAll(/<a class="pill[^"]*" href="([^"]*)"([^>]*)>(.*?)<\/a>/g)].map(
    ([, href = '', rest = '', text = '']): Press => ({
      text: text.replace(/ <small>\d+<\/small>/, '').replace(/<[^>]*>/g, ''),
      count: / <small>(\d+)<\/small>/.exec(text)?.[1],
      href: href.replaceAll('&amp;', '&'),
      isChosen: rest.includes('aria-current'),
    }),
  )
  const titles = [...body.matchAll(/<h[234]><a[^>]*><bdi>(.*?)<\/bdi>/g)].map(([, title]) => title)
  return {
    response,
    body,
    titles,
    presses,
    press: (text: string) => presses.find((press) => press.text === text),
  }
}

test('a press sets its filter, keeps all others, and is taken back by a second press', async () => {
  const list = await read('/events/?search=puppets')
  const free = await read(list.press('Free')?.href ?? '')
  deepEqual(free.titles, ['Puppets'])
  ok(free.press('Free')?.isChosen)
  const tomorrow = await read(free.press('Next 7 days')?.href ?? '')
  equal(new URL(tomorrow.response.url).search, '?when=week&search=puppets&free=true')
  equal(
    (await read(tomorrow.press('Free')?.href ?? '')).response.url,
    `${origin}/events/?when=week&search=puppets`,
  )
  equal(
    (await read(tomorrow.press('Any day')?.href ?? '')).response.url,
    `${origin}/events/?search=puppets&free=true`,
  )
  deepEqual((await read('/events/?attendance=online,mixed')).titles, ['Cinema'])
  ok((await read('/events/?time=evening')).press('Evenings')?.isChosen)
})

test('a view whose address says when has no presses for a time, and keeps all others', async () => {
  const names = async (path: string) => (await read(path)).presses.map(({ text }) => text)
  const times = ['Today', 'Tonight', 'Tomorrow', 'This weekend', 'Next 7 days']
  for (const view of ['month', 'week', 'today']) {
    const shown = await names(`/events/${view}/?free=true`)
    assertNone(shown, (name) => times.includes(name) || name === 'Any day')
    for (const kept of ['Evenings', 'Free', 'Online', 'Near me', 'Family']) ok(shown.includes(kept), kept)
  }
  for (const time of times) ok((await names('/events/')).includes(time), time)
})

test('the categories that the look names stand as presses, and the others behind more', async () => {
  const { body } = await read('/events/')
  const [before = '', behind = ''] = body.split('More categories')
  match(before, /href="\/events\/category\/family\/"/)
  doesNotMatch(before, /category\/music/)
  match(behind, /category\/music/)
})

test('a position is rounded to a kilometre, tells no other site, and gives distances', async () => {
  const near = await read('/events/?geoloc_lat=60.39123&geoloc_lng=5.32456&free=true')
  deepEqual(near.titles, ['Puppets'])
  match(near.body, /1\.1 km/)
  doesNotMatch(near.body, /60\.391|5\.324/)
  match(near.body, /geoloc_lat=60\.39&amp;geoloc_lng=5\.32/)
  match(near.body, /<meta name="robots" content="noindex/)
  equal(near.response.headers.get('referrer-policy'), 'strict-origin')
  ok(near.press('Near me')?.isChosen)
  equal((await read(near.press('Near me')?.href ?? '')).response.url, `${origin}/events/?free=true`)
  match((await read('/events/?geoloc_lat=10&geoloc_lng=5.32')).body, /<h2>No events found\.<\/h2>/)
  equal((await read('/events/?geoloc_lat=91&geoloc_lng=5')).response.status, 400)
})

test('logs do not say where anybody is', () => {
  equal(
    shownUrl('/events/?geoloc_lat=60.39&geoloc%5Flng=5.32&free=true'),
    '/events/?geoloc_lat=***&geoloc%5Flng=***&free=true',
  )
})

test('without the script what is near is asked for by a place of the calendar', async () => {
  const { body, press } = await read('/events/')
  const target = press('Near me')?.href ?? ''
  match(target, /^#/)
  ok(body.includes(`id="${target.slice(1)}"`))
  const near = /<select name="near">.*?<option value="(\d+)">Harbour hall/.exec(body)?.[1]
  deepEqual((await read(`/events/?near=${near}`)).titles, ['Puppets'])
})

test('a month beside the list leads to days on which events of the same filters begin', async () => {
  const { body } = await read('/events/?free=true')
  const mini = /<details class="mini">[\s\S]*?<\/details>/.exec(body)?.[0] ?? ''
  const days = [...mini.matchAll(/<td[^>]*><a href="([^"]*)" aria-label="([^"]*)"/g)]
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  equal(days.length, 1)
  equal(days[0]?.[1], `/events/${tomorrow}/?free=true`)
  match(days[0]?.[2] ?? '', /, 1 event$/)
  match(mini, /href="\/events\/month\/\d{4}-\d\d\/\?free=true"/)
})

test('a chosen category is taken back by its press', async () => {
  const family = await read('/events/category/family/?free=true')
  ok(family.press('Family')?.isChosen)
  equal(family.press('Family')?.href, '/events/?free=true')
})

test('what is chosen stands in the heading of a list, and in the title of every view', async () => {
  for (const [query, words] of [
    ['when=week', 'Next 7 days'],
    ['free=true', 'Free'],
    ['attendance=online,mixed', 'Online'],
    ['when=weekend&time=evening&free=true', 'This weekend · Evenings · Free'],
  ] as const) {
    const { body } = await read(`/events/?${query}`)
    ok(body.includes(`<h1 tabindex="-1">${words}</h1>`), query)
    ok(body.includes(`<title>${words} · `), query)
  }
  const titles = async (path: string) => /<title>(.*?)<\/title>/.exec((await read(path)).body)?.[1] ?? ''
  match(await titles('/events/category/music/?free=true'), /^Music · Free · /)
  match(await titles('/events/month/?free=true'), /\d · Free · /)
  match(await titles('/events/?search=jazz&free=true'), /jazz” · Free · /)
})

test('a time without events names the nearest one, and leads to past events of any time', async () => {
  const none = await read('/events/?when=today&categories=film')
  match(none.body, /class="nothing"/)
  match(none.body, /Cinema/)
})
