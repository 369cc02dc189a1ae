import { deepEqual, doesNotMatch, equal, match, notDeepEqual, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse as parseCsv } from 'csv-parse/sync'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { Parser } from 'htmlparser2'
import ICAL from 'ical.js'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests, startService, type TestService } from '../support/service.ts'

const LONG = 'Überraschung, "Komma; Strich" \\ 🎏👩‍👩‍👧 שלום '.repeat(9).slice(0, 400)
const FORMULA = '=HYPERLINK("https://evil.example")'

const HARD = {
  long: { title: LONG },
  markup: {
    title: 'Fish & Chips <em>now</em>',
    description:
      '<p>One, two; three</p>\n<ul><li>A</li></ul><p><a href="/x">here</a> ]]> &amp; <b>bold</b></p>',
  },
  controls: { title: 'A\u0007B\u200bC\uFFFE' },
  formula: { title: FORMULA, description: '-1+1\r\n"quoted", and\nmore' },
  active: {
    title: 'Active',
    description:
      '<p onclick="run()" title="a href=/no">See <a href="/a?b=1&amp;c=2">it</a>, ' +
      '<a href=#top>top</a>, <a href="mailto:a@example.org">us</a></p>' +
      '<p><img src="pic.jpg" srcset="/s.jpg 1x, https://example.org/l.jpg ' +
      '2x" alt=""></p><script>run()</script><style>p{}</style>',
  },
  allDay: { title: 'All day', all_day: true, start_date: '2027-03-01', end_date: '2027-03-02' },
  moment: { title: 'A moment', start_date: '2027-03-05 10:00:00', end_date: '2027-03-05 10:00:00' },
  twice: {
    title: 'In the hour that comes twice',
    timezone: 'Europe/Berlin',
    start_date: '2027-10-31T02:30:00+01:00',
    end_date: '2027-10-31 04:00:00',
  },
  overChange: {
    title: 'Over the change',
    timezone: 'Europe/Berlin',
    start_date: '2027-03-27 22:00:00',
    end_date: '2027-03-28 06:00:00',
  },
  lordHowe: {
    title: 'Half an hour of summer',
    timezone: 'Australia/Lord_Howe',
    ...onDay('2027-01-10', '10:00:00', '12:00:00'),
  },
  gaza: { title: 'Irregular', timezone: 'Asia/Gaza', ...onDay('2027-07-10', '10:00:00', '12:00:00') },
  offset: { title: 'By offset', timezone: 'UTC+5:30', ...onDay('2027-07-11', '10:00:00', '12:00:00') },
  full: {
    title: 'With everything',
    cost: '5 - 12',
    website: 'https://example.org/?a=1&b=2',
    categories: ['Music, live', 'Jazz'],
    tags: ['a;b'],
    venue: {
      venue: 'Café “Hall”; big',
      address: '1, Main St',
      city: 'Town',
      zip: '12345',
      country: 'Ireland',
      geo_lat: 52.5,
      geo_lng: -8.25,
    },
    organizer: [
      { organizer: 'Anna & "Bob"; Inc', email: 'anna@example.org' },
      { organizer: 'Second', phone: '+49 1' },
    ],
  },
} as const

const WHEN = { start_date: '2027-03-03 10:00:00', end_date: '2027-03-03 12:00:00' }

type Event = {
  id: number
  title: string
  utc_start_date: string
  utc_end_date: string
  modified_utc: string
  url: string
}

const service = serviceForTests({ timezone: 'Europe/Berlin', site_name: 'Town, calendar' })
const events = new Map<string, Event>()
before(async () => {
  await service.ready
  for (const [name, event] of Object.entries(HARD)) {
    const { status, body } = await service.post('/events', { ...WHEN, ...event })
    equal(status, 201, `${name}: ${JSON.stringify(body)}`)
    events.set(name, body)
  }
  for (const status of ['draft', 'private', 'pending'])
    equal((await service.post('/events', { ...WHEN, title: 'Not public', status })).status, 201)
})
async function feed(format: string, query = ''): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${service.base}/events?format=${format}${query}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const eventNamed = (name: keyof typeof HARD) => {
  const event = events.get(name)
  ok(event)
  return event
}

const utcMs = (utc: string) => Date.parse(`${utc.replace(' ', 'T')}Z`)

function readCalendar(text: string): Map<string, ICAL.Component> {
  const calendar = new ICAL.Component(ICAL.parse(text))
  for (const zone of calendar.getAllSubcomponents('vtimezone'))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone))
  return new Map(
    calendar
      .getAllSubcomponents('vevent')
      .map((component) => [String(component.getFirstPropertyValue('url')), component]),
  )
}

const timeOf = (component: ICAL.Component | undefined, name: string) =>
  component?.getFirstPropertyValue(name) as ICAL.Time | null

describe('iCalendar', () => {
  test('has all public events and no other, with moments in UTC as another parser reads', async () => {
    const { text } = await feed('ics')
    const components = readCalendar(text)
    equal(components.size, events.size)
    for (const [name, event] of events) {
      const component = components.get(event.url)
      ok(component, name)
      if (name === 'allDay') continue
      const start = timeOf(component, 'dtstart')
      const end = timeOf(component, 'dtend') ?? start
      equal(start && start.toUnixTime() * 1000, utcMs(event.utc_start_date), `${name} starts`)
      equal(end && end.toUnixTime() * 1000, utcMs(event.utc_end_date), `${name} ends`)
    }
  })

  test('writes markup that holds away from the page: addresses absolute, nothing that runs', async () => {
    const made =
      `<p title="a href=/no">See <a href="${service.origin}/a?b=1&amp;c=2">it</a>, ` +
      '<a href=#top>top</a>, <a href="mailto:a@example.org">us</a></p>\n' +
      `<p><img src="${service.origin}/pic.jpg" srcset="${service.origin}/s.jpg ` +
      '1x, https://example.org/l.jpg 2x" alt=""></p>'
    const twin = readCalendar((await feed('ics')).text)
      .get(eventNamed('active').url)
      ?.getFirstPropertyValue('x-alt-desc')
    const read = String(twin).replace(/\\([\\;,n])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
    equal(read.trim(), made)
    const items: { title: string; content_html: string }[] = JSON.parse((await feed('jsonfeed')).text).items
    equal(items.find(({ title }) => title === 'Active')?.content_html.trim(), made)
    for (const format of ['rss', 'atom']) {
      doesNotMatch((await feed(format)).text, /run\(\)|&quot;\/a\?/, format)
    }
  })

  test('writes an event that ends as it starts without an end', async () => {
    const component = readCalendar((await feed('ics')).text).get(eventNamed('moment').url)
    equal(timeOf(component, 'dtend'), null)
  })

  test('defines each zone once, before it is used, and no other', async () => {
    const { text } = await feed('ics')
    const defined = [...text.matchAll(/^TZID:(.+)\r$/gm)].map(([, id]) => id)
    const used = new Set([...text.matchAll(/^DT\w+;TZID=([^:]+):/gm)].map(([, id]) => id))
    deepEqual(defined.toSorted(), [...used].sort())
    deepEqual([...used].sort(), ['Australia/Lord_Howe', 'Europe/Berlin'])
    for (const id of used) ok(text.indexOf(`TZID:${id}`) < text.indexOf(`TZID=${id}`))
  })

  test('writes UTC where clients would read another time: in repeated hours, in odd zones', async () => {
    const { text } = await feed('ics')
    for (const name of ['twice', 'gaza', 'offset'] as const) {
      const start = eventNamed(name).utc_start_date.replace(' ', 'T').replace(/[-:]/g, '')
      ok(text.includes(`DTSTART:${start}Z`), name)
    }
  })

  test('has the same bytes for the same data, and UIDs that stay when an event is changed', async () => {
    const [one, two] = [await feed('ics'), await feed('ics')]
    equal(one.text, two.text)
    const uidOf = (text: string, url: string) => readCalendar(text).get(url)?.getFirstPropertyValue('uid')
    const { id, url } = eventNamed('formula')
    const { body } = await service.put(`/events/${id}`, {
      slug: 'another-address',
      start_date: '2027-03-04 09:00:00',
    })
    notEqual(body.url, url)
    equal(uidOf((await feed('ics')).text, body.url), uidOf(one.text, url))
    events.set('formula', body)
  })

  test('is of a later revision once a venue of the event has changed', async () => {
    const { id, url } = eventNamed('full')
    const revision = async () => {
      const component = readCalendar((await feed('ics')).text).get(url)
      return {
        sequence: Number(component?.getFirstPropertyValue('sequence')),
        modified: String(component?.getFirstPropertyValue('last-modified')),
        stamp: String(component?.getFirstPropertyValue('dtstamp')),
      }
    }
    const before = await revision()
    const { body: event } = await service.get(`/events/${id}`)
    // Times are stored in whole seconds, so the next change needs another second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await service.put(`/venues/${event.venue.id}`, { address: '2 Other St' })
    const now = await revision()
    ok(now.sequence > before.sequence)
    ok(now.modified > before.modified)
    equal(now.stamp, now.modified)
  })

  test('says who it is for, how often to look and where it is from', async () => {
    const { text } = await feed('ics', '&categories=jazz')
    const calendar = new ICAL.Component(ICAL.parse(text))
    // ical.js does not know that these properties are texts and leaves their escapes.
    const read = (name: string) => String(calendar.getFirstPropertyValue(name)).replaceAll('\\,', ',')
    deepEqual(
      ['version', 'calscale', 'method', 'name', 'x-wr-calname', 'x-wr-timezone', 'refresh-interval'].map(
        read,
      ),
      ['2.0', 'GREGORIAN', 'PUBLISH', 'Town, calendar', 'Town, calendar', 'Europe/Berlin', 'PT1H'],
    )
    equal(read('source'), `${service.origin}/events.ics?categories=jazz`)
    equal(calendar.getAllSubcomponents('vevent').length, 1)
  })
})

describe('RSS and Atom', () => {
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, htmlEntities: false })
  const wellFormed = (text: string) => {
    equal(XMLValidator.validate(text), true)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them.
    doesNotMatch(text, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
    return parser.parse(text)
  }

  test('are well-formed, with an item for each public event, its time and its publication', async () => {
    const { rss } = wellFormed((await feed('rss')).text)
    equal(rss.channel.item.length, events.size)
    const item = rss.channel.item.find(({ link }: { link: string }) => link === eventNamed('full').url)
    equal(item['ev:startdate'], '2027-03-03T10:00:00+01:00')
    equal(item.guid['@_isPermaLink'], 'false')
    ok(Date.parse(item.pubDate) <= Date.now())
    match(item.description, /Wednesday.+3 March 2027|Wednesday, March 3, 2027/)
    equal(rss.channel['atom:link']['@_href'], `${service.origin}/events.rss`)
  })

  test('know entries by the UID, and the feed by its latest change', async () => {
    const { feed: read } = wellFormed((await feed('atom')).text)
    equal(read.entry.length, events.size)
    for (const { id } of read.entry) match(id, /^urn:uuid:[\da-f-]{36}$/)
    equal(read.updated, pluck(read.entry, 'updated').sort().at(-1))
    const titles = read.entry.map(({ title }: { title: string }) => title)
    ok(titles.includes('Fish & Chips now') && titles.includes('AB\u200bC'))
  })

  test('are valid where no event is found', async () => {
    for (const format of ['rss', 'atom']) wellFormed((await feed(format, '&search=nothinglikethis')).text)
  })
})

function viewOf(html: string): { text: string; tags: string[] } {
  const tags: string[] = []
  let text = ''
  const parser = new Parser({
    onopentag: (name) => {
      tags.push(name)
      if (name === 'br') text += '\n'
    },
    ontext: (some) => {
      text += some
    },
  })
  parser.end(html)
  return { text: text.replace(/\n+/g, '\n').trim(), tags: [...new Set(tags)] }
}

describe('what readers of feeds show of texts that speak of markup', () => {
  const SAID = '<img src=x onerror=run()> & <b>bold</b> &amp; 3 < 4'
  const WRITTEN = '&lt;img src=x onerror=run()&gt; &amp; &lt;b&gt;bold&lt;/b&gt; &amp;amp; 3 &lt; 4'
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, htmlEntities: false })
  let own: TestService
  before(async () => {
    own = await startService({ site_name: 'Fish & <i>Chips</i>' })
    await own.event({
      ...WHEN,
      title: `About ${WRITTEN}`,
      description: `<p>Write <em>this</em>: ${WRITTEN}</p>`,
      venue: { venue: `Hall ${WRITTEN}` },
    })
  })
  after(() => own.close())
  const read = async (ending: string) => (await fetch(`${own.origin}/events.${ending}`)).text()

  test('RSS: descriptions are HTML, and the text in them stays text', async () => {
    const { channel } = parser.parse(await read('rss')).rss
    deepEqual(viewOf(channel.description), { text: 'Fish & <i>Chips</i>', tags: [] })
    const { item } = channel
    const { text, tags } = viewOf(item.description)
    deepEqual(tags, ['br'])
    deepEqual(text.split('\n').slice(1), [`Hall ${SAID}`, `Write this: ${SAID}`])
    deepEqual(viewOf(item['content:encoded']), { text: `Write this: ${SAID}`, tags: ['p', 'em'] })
  })

  test('RSS: a title is the same to readers of HTML, and plain to others where it can be', async () => {
    const { channel } = parser.parse(await read('rss')).rss
    deepEqual(viewOf(channel.item.title), { text: `About ${SAID}`, tags: [] })
    deepEqual(viewOf(channel.title), { text: 'Fish & <i>Chips</i>', tags: [] })
    const titles = pluck(parser.parse((await feed('rss')).text).rss.channel.item, 'title')
    ok(titles.includes('Fish & Chips now'))
  })

  test('Atom: titles and summaries are text, the content is HTML', async () => {
    const { entry } = parser.parse(await read('atom')).feed
    equal(entry.title, `About ${SAID}`)
    equal(entry.summary.split('\n').at(-1), `Hall ${SAID}`)
    equal(entry.content['@_type'], 'html')
    deepEqual(viewOf(entry.content['#text']), { text: `Write this: ${SAID}`, tags: ['p', 'em'] })
  })

  test('JSON Feed: titles and summaries are text, the content is HTML', async () => {
    const [item] = JSON.parse(await read('json')).items
    equal(item.title, `About ${SAID}`)
    equal(item.summary.split('\n').at(-1), `Hall ${SAID}`)
    deepEqual(viewOf(item.content_html), { text: `Write this: ${SAID}`, tags: ['p', 'em'] })
  })
})

test('feeds say days and hours as the pages of the site do', async () => {
  for (const [settings, expected] of [
    [{ timezone: 'Europe/London' }, ['Saturday, 1 May 2027, 19:00', 'Sunday, 2 May 2027']],
    [{ timezone: 'America/New_York' }, ['Saturday, May 1, 2027, 7:00', 'Sunday, May 2, 2027']],
    [
      { timezone: 'America/New_York', pages_clock: '24' },
      ['Saturday, May 1, 2027, 19:00', 'Sunday, May 2, 2027'],
    ],
    [{ timezone: 'Europe/Berlin', pages_clock: '12' }, ['Saturday, 1 May 2027, 7:00', 'Sunday, 2 May 2027']],
    [{ timezone: 'Europe/Berlin', language: 'de' }, ['Samstag, 1. Mai 2027, 19:00', 'Sonntag, 2. Mai 2027']],
  ] as const) {
    await using site = await startService(settings)
    const venue = {
      venue: 'Hall',
      address: '12 Main St',
      city: 'Springfield',
      state: 'IL',
      zip: '62701',
      country: 'United States',
    }
    const organizer = [{ organizer: '<b>Bold</b> & Co' }]
    const at = { start_date: '2027-05-01 19:00', end_date: '2027-05-01 21:00' }
    await site.create('/events', { title: 'Ball', ...at, venue, organizer })
    await site.create('/events', {
      title: 'Day',
      start_date: '2027-05-02',
      end_date: '2027-05-02',
      all_day: true,
    })
    for (const format of ['rss', 'atom', 'jsonfeed']) {
      const text = (await (await fetch(`${site.base}/events?format=${format}`)).text()).replace(
        /\p{Zs}/gu,
        ' ',
      )
      for (const part of expected) ok(text.includes(part), `${format}: ${part} in ${text}`)
      match(text, /Hall, 12 Main St, 62701 Springfield, IL, United States/, format)
      match(text, /["> ]Bold &(?:amp;)? Co[<"]/, format)
    }
    const calendar = (await (await fetch(`${site.base}/events?format=ics`)).text()).replaceAll('\r\n ', '')
    match(calendar, /^LOCATION:Hall\\, 12 Main St\\, 62701 Springfield\\, IL\\, United States\r$/m)
  }
})

test('the time of an Atom feed does not go back when its newest event leaves it', async () => {
  await using site = await startService()
  const updated = async () => {
    const text = await (await fetch(`${site.base}/events?format=atom`)).text()
    return String(/^<updated>(.*)<\/updated>\n<\/feed>/m.exec(text)?.[1])
  }
  const changes: ((id: number) => Promise<unknown>)[] = [
    (id) => site.update(`/events/${id}`, { status: 'draft' }),
    (id) => site.update(`/events/${id}`, { hide_from_listings: true }),
    (id) => site.remove(`/events/${id}`),
    (id) => site.remove(`/events/${id}?force=true`),
  ]
  for (const change of changes) {
    const { id } = await site.create('/events', { ...WHEN, title: 'Only' })
    const made = await updated()
    await change(id)
    ok((await updated()) >= made, `${await updated()} after ${made}`)
  }
})

test('an entry is no older once its venue is undone, nor the feed without withdrawals', async () => {
  await using site = await startService()
  const times = async () => {
    const text = await (await fetch(`${site.base}/events?format=atom`)).text()
    return [...text.matchAll(/<updated>(.*)<\/updated>/g)].map(([, time = '']) => time)
  }
  const { write } = site.app.database
  const venue = await site.create('/venues', { venue: 'Hall' })
  await site.create('/events', { ...WHEN, title: 'Stays', venue: venue.id })
  const { id } = await site.create('/events', { ...WHEN, title: 'Goes' })
  await write((tx) => tx.updateTable('events').set({ modified_utc: '2020-01-01 00:00:00' }).execute())
  await site.update(`/venues/${venue.id}`, { status: 'draft' })
  notDeepEqual(
    (await times()).filter((time) => !time.startsWith('2020')),
    [],
  )
  await site.remove(`/events/${id}?force=true`)
  const before = await times()
  const later = Date.now() + 200 * 86_400_000
  await dropOld(site.app.database, 0, later)
  await write((tx) => tx.updateTable('venues').set({ modified_utc: '2020-01-01 00:00:00' }).execute())
  const after = await times()
  equal(after.at(-1), before.at(-1))
})

describe('JSON Feed and JSON-LD', () => {
  test('describe events as schema.org has them, safe inside a script element', async () => {
    const { text } = await feed('jsonld')
    doesNotMatch(text, /</)
    const graph = JSON.parse(text)['@graph']
    equal(graph.length, events.size)
    const eventAt = (name: keyof typeof HARD) =>
      graph.find(({ url }: { url: string }) => url === eventNamed(name).url)
    equal(eventAt('allDay').startDate, '2027-03-01')
    equal(eventAt('full').location.address.streetAddress, '2 Other St')
    deepEqual([eventAt('full').offers.lowPrice, eventAt('full').offers.highPrice], ['5', '12'])
  })
})

describe('CSV', () => {
  test('has a line for each public event below its columns, and no cell that runs as a formula', async () => {
    const { text } = await feed('csv')
    ok(text.endsWith('\r\n'))
    const [head = ''] = text.split('\r\n')
    ok(
      head.startsWith('id,uid,title,start_date,') &&
        head.includes(',event_status,event_status_reason,date_utc,'),
      head,
    )
    const lines: Record<string, string>[] = parseCsv(text, { columns: true, record_delimiter: '\r\n' })
    equal(lines.length, events.size)
    for (const line of lines)
      for (const cell of Object.values(line)) doesNotMatch(cell, /^[=@\t\r]|^[+-](?!\d+(?:\.\d+)?$)/)
    const hard = lines.find(({ id }) => id === String(eventNamed('formula').id))
    equal(hard?.title, `'${FORMULA}`)
    equal(hard?.description, `'-1+1\n"quoted", and\nmore`)
  })
})

describe('feeds', () => {
  test('reach back 90 days where no date is asked for, and as far as is asked for else', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const title = 'Some time ago'
    for (const ago of [80, 100])
      await service.post('/events', { title, start_date: `${day(ago)} 10:00`, end_date: `${day(ago)} 11:00` })
    const found = async (query: string) =>
      parseCsv((await feed('csv', `&search=ago${query}`)).text, { columns: true }).length
    equal(await found(''), 1)
    equal(await found(`&start_date=${day(101)}`), 2)
    equal(await found(`&start_date=${day(1)}`), 0)
  })

  test('of what is not there, or not open to everybody, are not found', async () => {
    const { body } = await service.post('/events', { ...WHEN, title: 'Secret feed', status: 'private' })
    for (const path of [
      '/event/none.ics',
      `/event/${body.slug}.ics`,
      '/venue/none.rss',
      '/event/%E0%A4%A.ics',
      '/events/tag/none.ics',
    ]) {
      const { status, body: problem } = await service.get(`~${path}`)
      deepEqual([status, problem.code], [404, 'rest_no_route'], path)
    }
    equal((await service.get('~/events.pdf')).status, 404)
    equal((await service.post('~/events.ics', {})).status, 404)
  })

  test('that a browser cannot have are pages that say why', async () => {
    const event = await service.post('/events', { ...WHEN, title: 'Gone from feeds' })
    await service.request('admin', 'DELETE', `/events/${event.body.id}`, {})
    const named = (wrong: string) => new RegExp(`<code>${wrong}</code>`)
    for (const [path, status, text] of [
      ['/events.ics?start_date=nonsense&venue=none', 400, named('start_date')],
      ['/events.ics?start_date=nonsense&venue=none', 400, named('venue')],
      ['/events.ics?organizer=987654', 400, named('organizer')],
      ['/events/tag/ab.rss?start_date=nonsense', 400, named('start_date')],
      ['/events.json?page=2', 400, named('page')],
      ['/events/?ical=1&start_date=nonsense', 400, named('start_date')],
      ['/event/none.ics', 404, /search/],
      [`/event/${event.body.slug}.ics`, 410, /search/],
    ] as const) {
      const response = await fetch(service.origin + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
      equal(response.status, status, path)
      match(response.headers.get('content-type') ?? '', /^text\/html/, path)
      match(await response.text(), text, path)
      const program = await service.get(`~${path}`)
      deepEqual([program.status, typeof program.body.code], [status, 'string'], path)
    }
    const feed = await fetch(`${service.origin}/events.ics?start_date=2026-01-01`, {
      headers: { accept: 'text/html' },
    })
    match(feed.headers.get('content-type') ?? '', /^text\/calendar/)
  })

  test('refuse what lists refuse, in the shape of the interface', async () => {
    for (const query of [
      'format=pdf',
      'format=ics&categories=none-such',
      'format=rss&page=2',
      'format=csv&per_page=5',
    ]) {
      const { status, body } = await service.get(`/events?${query}`)
      deepEqual([status, body.code], [400, 'rest_invalid_param'], query)
    }
  })

  test('leave out an event that cannot be shown, and go on', async () => {
    const { body } = await service.post('/events', { ...WHEN, title: 'Damaged' })
    await service.app.database.write((tx) =>
      tx.updateTable('events').set({ cost: 'no JSON' }).where('id', '=', body.id).execute(),
    )
    for (const format of ['csv', 'jsonld']) {
      const { status, text } = await feed(format)
      equal(status, 200)
      ok(!text.includes('Damaged') && text.includes('With everything'))
    }
  })
})
