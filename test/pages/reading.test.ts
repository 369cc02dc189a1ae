// The texts of pages: names in any script, times, empty lists, and the order of links.

import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onDay, startService, type TestService } from '../support/service.ts'

const NEXT_YEAR = 2027
const HEBREW = 'קונצרט 2 בערב'

let service: TestService

const read = async (path: string) => {
  const { status, body } = await service.page(path)
  return { status, body: String(body) }
}
const text = (body: string) => body.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
const main = (body: string) => /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? ''
const meta = (body: string, name: string) =>
  new RegExp(`(?:name|property)="${name}" content="([^"]*)"`).exec(body)?.[1]
const pathOf = (url: string) => new URL(url).pathname
describe('a calendar without coming events', () => {
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  test('says that nothing is planned, and has no press that leads to itself', async () => {
    for (const path of ['/', '/events/']) {
      const { body } = await read(path)
      equal(meta(body, 'description'), 'What’s on: Nothing planned at the moment.')
      match(text(main(body)), /Nothing planned at the moment\./)
      doesNotMatch(main(body), /class="ways"/)
    }
    match(main((await read('/events/month/')).body), /<p class="ways"><a class="button" href="\/events\/">/)
    match(text(main((await read('/events/past/')).body)), /No events found\./)
  })

  test('names the last event, and does not say that there was none', async () => {
    await service.event({ title: 'Choir', ...onDay('2020-05-03', '19:00', '20:00') })
    match(
      text(main((await read('/events/')).body)),
      /Nothing planned at the moment\. ?The last one was on [^.]*May 3, 2020/,
    )
  })
})

describe('pages', () => {
  const times = (from: string, to: string) => ({
    start_date: `${NEXT_YEAR}-${from}`,
    end_date: `${NEXT_YEAR}-${to}`,
  })
  const event = async (fields: object) => pathOf((await service.event(fields)).url)

  before(async () => {
    service = await startService({ timezone: 'Europe/Oslo' })
  })
  after(() => service.close())

  test('keep names of other directions to themselves, and align them as the page', async () => {
    const venue = { venue: HEBREW, address: HEBREW, city: 'חיפה' }
    const path = await event({
      title: HEBREW,
      excerpt: HEBREW,
      venue,
      ...times('02-03 10:00', '02-03 11:00'),
    })
    for (const one of [path, `/events/${NEXT_YEAR}-02-03/`, `/events/month/${NEXT_YEAR}-02/`, '/events/']) {
      const { body } = await read(one)
      match(body, new RegExp(`<bdi>${HEBREW}</bdi>`), one)
      doesNotMatch(body, /dir="auto"/, one)
    }
  })

  test('tell of an evening that lasts until the morning by the evening', async () => {
    const path = await event({ title: 'Night of museums', ...times('11-23 20:00', '11-24 09:00') })
    match(text(main((await read(path)).body)), /23 November \d{4}20:00 until 9:00 the next day CET/)
    const { body } = await read(`/events/${NEXT_YEAR}-11-23/`)
    match(text(main(body)), /20:00 until 9:00 the next day/)
    const late = await event({ title: 'Across the year', ...times('12-31 21:00', '12-31 23:59') })
    await service.put(`/events/${(await service.get('/events/by-slug/across-the-year')).body.id}`, {
      end_date: `${NEXT_YEAR + 1}-01-01 08:30:00`,
    })
    match(text(main((await read(late)).body)), /31 December \d{4}21:00 until 8:30 the next day/)
  })

  test('tell of several days by the hours at which they begin and end', async () => {
    const path = await event({ title: 'Hackathon', ...times('10-08 18:00', '10-10 16:00') })
    match(
      text(main((await read(path)).body)),
      /8 October(?: \d{4})?, 18:00until \w+,? 10 October(?: \d{4})?, 16:00 CEST/,
    )
    const small = await event({ title: 'Two nights', ...times('10-15 22:00', '10-17 03:00') })
    match(
      text(main((await read(small)).body)),
      /15 October(?: \d{4})?, 22:00until \w+,? 17 October(?: \d{4})?, 3:00 CEST/,
    )
    const whole = await event({ title: 'Market', all_day: true, ...times('10-20', '10-22') })
    match(
      text(main((await read(whole)).body)),
      /20 October(?: \d{4})?until \w+,? 22 October(?: \d{4})?All day/,
    )
  })

  test('tell the day of each hit of a search in its heading, too', async () => {
    await event({ title: 'Headed by its day', ...times('03-04 19:00', '03-04 21:00') })
    const { body } = await read('/events/?search=headed')
    match(
      body,
      /<h2><a [^>]*><bdi>Headed by its day<\/bdi><\/a><span class="hidden">, [^<]*4[^<]*<\/span><\/h2>/,
    )
  })

  test('and feeds tell of a day from midnight to midnight by its 24 hours', async () => {
    const path = await event({ title: 'Vigil', ...times('07-10 00:00', '07-11 00:00') })
    for (const one of [
      path,
      `/events/${NEXT_YEAR}-07-10/`,
      `/events/month/${NEXT_YEAR}-07/`,
      `/events/?search=vigil`,
    ]) {
      const shown = text(main((await read(one)).body))
      match(shown, /0:00 – 24:00/, one)
      doesNotMatch(shown, /– 0:00/, one)
    }
    const { items } = (await service.get('~/events.json?search=vigil')).body
    match(JSON.stringify(items), /10 July(?: \d{4})?, 0:00 – 24:00 \(Europe\/Oslo\)/)
    const long = await event({ title: 'Long vigil', ...times('07-15 00:00', '07-17 00:00') })
    match(
      text(main((await read(long)).body)),
      /15 July(?: \d{4})?, 0:00until \w+,? 16 July(?: \d{4})?, 24:00 CEST/,
    )
  })

  test('tell each edge by the letters of its zone where the clocks change in between', async () => {
    for (const [title, from, to, onPage, inList] of [
      [
        'Shift',
        '2031-10-25 22:00',
        '2031-10-26 06:00',
        '22:00 BST until 6:00 the next day GMT',
        '22:00 BST until 6:00 the next day GMT',
      ],
      ['Early', '2031-10-26 00:30', '2031-10-26 03:30', '0:30 BST – 3:30 GMT', '0:30 BST – 3:30 GMT'],
      ['Spring', '2031-03-29 23:00', '2031-03-30 04:00', '23:00 GMT – 4:00 BST', '23:00 GMT – 4:00 BST'],
      [
        'Days',
        '2031-10-25 15:00',
        '2031-10-27 15:59',
        '15:00 BSTuntil Monday 27 October 2031 15:59 GMT',
        '15:00 BST until 27 October 2031',
      ],
      ['Plain', '2031-10-24 20:00', '2031-10-24 23:00', '20:00 – 23:00 BST', '20:00 BST – 23:00'],
    ] as const) {
      const path = await event({ title, timezone: 'Europe/London', start_date: from, end_date: to })
      const shown = async (one: string) => text(main((await read(one)).body)).replaceAll(',', '')
      ok((await shown(path)).includes(onPage), title)
      ok((await shown(`/events/${from.slice(0, 10)}/`)).includes(inList), title)
    }
  })

  test('cut texts between whole characters', async () => {
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' })
    let cuts = 0
    for (const sign of ['😀', '👨‍👩‍👧‍👦', '🇩🇪', 'e\u0301', 'क्षि', '한'.normalize('NFD'), '👍🏽']) {
      const description = `a${sign.repeat(140)}`
      const name = `Emoji${sign.repeat(60)}`
      const venue = await service.create('/venues', { venue: name, description })
      const { url } = await service.event({
        title: name,
        description,
        ...times('09-09 10:00', '09-09 11:00'),
        venue: venue.id,
      })
      const paths = [
        new URL(url).pathname,
        new URL(venue.url).pathname,
        `/events/?search=Emoji`,
        `/events/${NEXT_YEAR}-09-09/`,
      ]
      for (const path of paths) {
        const { body } = await read(path)
        ok(!body.includes('\ufffd'), `${sign} ${path}`)
        for (const [, text = ''] of body.matchAll(new RegExp(`(?:a|Emoji)(${[...sign][0]}[^"<…]*)…`, 'g'))) {
          const signs = [...whole.segment(text)].map(({ segment }) => segment)
          cuts += 1
          ok(
            signs.every((one) => one === signs[0]),
            `${sign} ${path}`,
          )
        }
      }
    }
    ok(cuts > 20, String(cuts))
  })

  test('have teasers that end where a heading begins, and do not repeat the title', async () => {
    for (const [description, teaser] of [
      ['<p>There are drinks.</p><h2>Programme</h2><p>Welcome</p>', 'There are drinks.'],
      ['<p>Doors at seven</p><p>Music at eight</p>', 'Doors at seven. Music at eight'],
      ['Doors at seven!\n\nMusic at eight', 'Doors at seven! Music at eight'],
      ['<ul><li>Tea</li><li>Cake</li></ul>', 'Tea. Cake'],
      ['<h1>Jazz night</h1><p>Come and hear.</p>', 'Come and hear.'],
      ['<h2>Programme</h2><p>Songs</p><h2>Tickets</h2>', 'Songs'],
      ['<p><b>JAZZ NIGHT</b></p><p>Come and hear.</p>', 'Come and hear.'],
      ['Jazz night – with guests', 'with guests'],
      ['Jazz night is back.', 'Jazz night is back.'],
      ['Jazz night-life', 'Jazz night-life'],
      ['<h2>Only a heading</h2>', 'Only a heading'],
      ['<p>Soon <script>alert(1)</script><style>p { color: red }</style></p>', 'Soon'],
      ['Jazz night', ''],
      [`Word <a href="https://example.org/${'x'.repeat(600)}">link</a>`, 'Word…'],
    ] as const) {
      const { url } = await service.event({
        title: 'Jazz night',
        description,
        ...times('09-10 10:00', '09-10 11:00'),
      })
      const list = (await read(`/events/${NEXT_YEAR}-09-10/`)).body
      const [, shown = ''] = /<p class="excerpt"><bdi>(.*?)<\/bdi>/.exec(list) ?? []
      equal(shown, teaser, description.slice(0, 60))
      const [, meta = ''] =
        /name="description" content="[^"]*? 10 September \d{4}(?:\. )?(.*?)"/.exec(
          (await read(new URL(url).pathname)).body,
        ) ?? []
      equal(meta, teaser, description.slice(0, 60))
      await service.remove(
        `/events/${(await service.get(`/events/by-slug/${url.split('/').at(-2)}`)).body.id}`,
      )
    }
  })

  test('offer to keep what is to come, and not first what is over or does not take place', async () => {
    const coming = await event({ title: 'Coming', ...times('03-03 10:00', '03-03 11:00') })
    const past = await event({ title: 'Past', ...onDay('2020-01-01', '10:00', '11:00') })
    const off = await event({
      title: 'Off',
      ...times('03-03 10:00', '03-03 11:00'),
      event_status: 'canceled',
    })
    const later = await event({
      title: 'Later',
      ...times('03-03 10:00', '03-03 11:00'),
      event_status: 'postponed',
    })
    const isMain = async (path: string) =>
      /summary class="button main">Add to calendar/.test((await read(path)).body)
    deepEqual(await Promise.all([coming, past, off, later].map(isMain)), [true, false, false, false])
  })

  test('describe an event to those it is sent to by its status, its day and its text', async () => {
    const plain = await event({ title: 'Plain', ...times('04-05 10:00', '04-05 11:00') })
    match(meta((await read(plain)).body, 'og:description') ?? '', /^\w+, 5 April \d{4}$/)
    const told = await event({
      title: 'Told',
      excerpt: 'Bring a cup.',
      ...times('04-05 10:00', '04-05 11:00'),
    })
    match(meta((await read(told)).body, 'og:description') ?? '', /^\w+, 5 April \d{4}\. Bring a cup\.$/)
    const off = { event_status: 'canceled', event_status_reason: 'The hall is flooded' }
    const canceled = await event({ title: 'Flooded', ...off, ...times('04-05 10:00', '04-05 11:00') })
    const { body } = await read(canceled)
    match(meta(body, 'og:description') ?? '', /^Canceled: The hall is flooded\. \w+, 5 April \d{4}$/)
  })

  test('keep the second level of headings of a description', async () => {
    const description = '<h1>Programme</h1><h2>Evening</h2><h3>Late</h3>'
    const path = await event({ title: 'Levels', description, ...times('05-05 10:00', '05-05 11:00') })
    match((await read(path)).body, /<h2>Programme<\/h2>\s*<h2>Evening<\/h2>\s*<h3>Late<\/h3>/)
  })

  test('step from day to day above the events, too', async () => {
    await event({ title: 'Step', ...times('06-05 10:00', '06-05 11:00') })
    const { body } = await read(`/events/${NEXT_YEAR}-06-04/`)
    const steps = /<nav class="steps"[\s\S]*?<\/nav>/.exec(body)?.[0] ?? ''
    match(steps, new RegExp(`rel="prev" href="/events/${NEXT_YEAR}-06-03/"`))
    match(steps, new RegExp(`rel="next" href="/events/${NEXT_YEAR}-06-05/"`))
    match(steps, /href="\/events\/today\/"/)
  })

  test('have no empty address in the linked data of a venue', async () => {
    const { body } = await service.post('/venues', { venue: 'Bare', city: 'Kilvara' })
    const page = (await read(pathOf(body.url))).body
    const data = JSON.parse(/ld\+json">(.*?)<\/script>/.exec(page)?.[1] ?? '')
    equal(data.url, body.url)
    ok(!Object.values(data).includes(''))
  })

  test('mark the category that the query names', async () => {
    const music = await service.create('/categories', { name: 'Music' })
    const jazz = await service.create('/categories', { name: 'Jazz', parent: music.id })
    await event({ title: 'Jazz', categories: [jazz.id], ...times('07-05 10:00', '07-05 11:00') })
    const chosen = (body: string) =>
      /<a class="pill[^>]*aria-current="true">(?:<i[^>]*><\/i>)?<bdi>([^<]+)/.exec(body)?.[1]
    equal(chosen((await read('/events/')).body), undefined)
    equal(chosen((await read('/events/?categories=jazz')).body), 'Music')
    equal(chosen((await read('/events/?categories=music')).body), 'Music')
  })
})

describe('an address with a value that cannot be used', () => {
  before(async () => {
    service = await startService()
    await service.event({
      title: 'One',
      ...onDay(`${NEXT_YEAR}-02-03`, '10:00', '11:00'),
      venue: { venue: 'Hall' },
      tags: ['outdoors'],
    })
  })
  after(() => service.close())

  test('is answered by the form the field marked, and a sentence for names of parameters', async () => {
    const cases = [
      ['/events/?start_date=soon%3Cb%3E', 'start_date', 'soon&lt;b&gt;'],
      ['/events/?start_date=0000-00-00', 'start_date', '0000-00-00'],
      ['/events/?tags=nowhere&search=jazz', 'tags', 'nowhere'],
      ['/events/?venue=x', 'venue', 'x'],
    ] as const
    for (const [path, name, value] of cases) {
      const { status, body } = await read(path)
      equal(status, 400, path)
      match(body, /<h1[^>]*>Part of this address isn’t valid\.<\/h1>/)
      const field = new RegExp(
        `<(?:input|select)[^>]* name="${name}"[^>]*aria-invalid="true" aria-describedby="wrong-${name}"`,
      )
      match(body, field, path)
      match(body, new RegExp(`id="wrong-${name}">Not recognized: ${value}<`), path)
      doesNotMatch(body, /<code>/)
      match(body, /<details class="more" open>/)
    }
    match((await read('/events/?tags=nowhere&search=jazz')).body, /name="search"[^>]* value="jazz"/)
  })

  test('says so where the form has no such field', async () => {
    const { status, body } = await read('/events/?access=chairs')
    equal(status, 400)
    match(text(main(body)), /Try another search, or browse all events\./)
    match(body, /href="\/events\/" aria-label="Remove filter: [^"]*chairs"/)
  })
})
