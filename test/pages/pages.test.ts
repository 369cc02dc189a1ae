import { deepEqual, doesNotMatch, equal, match, notDeepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { eventFilters } from '../../src/calendar/events/event-filters.ts'
import { uploadPicture } from '../support/pictures.ts'
import { type Answer, onDay, serviceForTests, startService } from '../support/service.ts'

const service = serviceForTests({ site_name: 'Kilvara' }, { fill })
const made: Record<string, number> = {}

function page(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return service.page(path, headers)
}

const create = (path: string, fields: object) => service.create(path, fields)
const idOf = async (path: string, fields: object): Promise<number> => (await create(path, fields)).id

const NASTY = `"><script>alert('x')</script>\u2028 & ' <b>`
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const NEXT_YEAR = 2027
const at = (on: string, from: string, to: string) => onDay(`${NEXT_YEAR}-${on}`, from, to)

async function fill(): Promise<void> {
  made.music = await idOf('/categories', { name: 'Music' })
  made.jazz = await idOf('/categories', { name: 'Jazz', parent: made.music })
  await create('/categories', { name: 'Film' })
  const image = await uploadPicture(service, 900, 600)
  made.hall = await idOf('/venues', {
    venue: 'Town Hall',
    address: '1 Main Street',
    city: 'Kilvara',
    geo_lat: 53.1,
    geo_lng: -8.2,
  })
  made.society = await idOf('/organizers', { organizer: 'Music Society' })
  made.concert = await idOf('/events', {
    title: 'Concert',
    description:
      '<h1>Programme</h1><p style="color:red" id="x" onclick="y()">Songs <a href="https://example.org" ' +
      'target="_blank">here</a></p><iframe src="https://www.youtube.com/embed/abc"></iframe>',
    ...at('05-03', '19:30:00', '22:00:00'),
    categories: [made.jazz],
    tags: ['outdoors'],
    venue: made.hall,
    organizer: made.society,
    cost: '10',
    image,
  })
  made.exhibition = await idOf('/events', {
    title: 'Exhibition',
    start_date: `${NEXT_YEAR}-05-08`,
    end_date: `${NEXT_YEAR}-05-10`,
    all_day: true,
    venue: made.hall,
  })
  made.night = await idOf('/events', {
    title: 'Long night',
    start_date: `${NEXT_YEAR}-05-20 22:00:00`,
    end_date: `${NEXT_YEAR}-05-21 03:00:00`,
  })
  made.abroad = await idOf('/events', {
    title: 'Abroad',
    timezone: 'Asia/Tokyo',
    ...at('05-21', '10:00:00', '11:00:00'),
  })
  made.nasty = await idOf('/events', {
    title: `Nasty ${NASTY}`,
    excerpt: NASTY,
    ...at('06-01', '10:00', '11:00'),
  })
  made.over = await idOf('/events', { title: 'Over', ...onDay('2020-02-01', '10:00', '11:00') })
  made.draft = await idOf('/events', {
    title: 'Draft',
    status: 'draft',
    slug: 'draft-slug',
    ...at('05-04', '10:00', '11:00'),
  })
  made.gone = await idOf('/events', { title: 'Gone', ...at('05-05', '10:00', '11:00') })
  await service.remove(`/events/${made.gone}`)
  for (let i = 0; i < 20; i++)
    await create('/events', {
      title: `Crowd ${i}`,
      start_date: `${NEXT_YEAR}-07-04 10:${String(i).padStart(2, '0')}:00`,
      end_date: `${NEXT_YEAR}-07-04 12:00:00`,
    })
}

const MONTH = `/events/month/${NEXT_YEAR}-05/`

const views = () => [
  '/',
  '/events/',
  '/events/past/',
  '/events/today/',
  MONTH,
  `/events/${NEXT_YEAR}-05-03/`,
  '/events/category/music/',
  '/events/category/music/jazz/',
  `/events/category/music/month/${NEXT_YEAR}-05/`,
  '/events/tag/outdoors/',
  '/event/concert/',
  '/venue/town-hall/',
  '/organizer/music-society/',
  '/events/?search=concert',
  '/events/?search=nothing-at-all',
  '/nothing-here/',
]

describe('every page', () => {
  test('is a whole document with a strict policy, no scripts, and the way to the interface', async () => {
    for (const path of views()) {
      const { status, body, headers } = await page(path)
      equal(status, path === '/nothing-here/' ? 404 : 200, path)
      equal(headers.get('content-type'), 'text/html; charset=UTF-8')
      match(body, /^<!doctype html>\n<html lang="en">/)
      equal(body.match(/<h1/g)?.length, 1, path)
      const [, target = ''] = /<a class="skip" href="#(main|events)">/.exec(body) ?? []
      for (const part of [` id="${target}"`, '<main id="main"', '<nav aria-label='])
        ok(body.includes(part), part)
      const policy = headers.get('content-security-policy') ?? ''
      for (const source of ['script-src', 'style-src', 'connect-src', 'form-action'])
        ok(policy.includes(`${source} 'self'`), source)
      for (const source of ['default-src', 'base-uri', 'frame-ancestors'])
        ok(policy.includes(`${source} 'none'`), source)
      doesNotMatch(policy, /unsafe/)
      doesNotMatch(body, /<style|<[^>]+\s(?:style|on\w+)=/i, path)
      for (const [script] of body.matchAll(/<script[^>]*>/g))
        match(script, / src="\/assets\/|application\/ld\+json/)
      equal(headers.get('link'), `<${service.origin}/wp-json/>; rel="https://api.w.org/"`)
      equal(headers.get('x-tec-api-root'), `${service.base}/`)
      match(body, /<meta name="tec-api-version" content="v1">/)
    }
  })

  test('sets no cookie, has an ETag, and is sent again only when it has changed', async () => {
    const first = await page(MONTH)
    equal(first.headers.get('set-cookie'), null)
    equal(first.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
    equal(first.headers.get('vary'), 'Accept, Accept-Encoding, Accept-Language')
    const tag = first.headers.get('etag') ?? ''
    equal((await page(MONTH, { 'if-none-match': tag })).status, 304)
    const extra = await create('/events', { title: 'Extra', ...at('05-15', '10:00', '11:00') })
    const second = await page(MONTH, { 'if-none-match': tag })
    equal(second.status, 200)
    match(second.body, /Extra/)
    await service.remove(`/events/${extra.id}`)
    doesNotMatch((await page(MONTH)).body, /Extra/)
  })

  test('has the addresses of the setting, whatever host is asked', async () => {
    const { body } = await page('/event/concert/', { host: 'evil.example' })
    doesNotMatch(body, /evil/)
    ok(body.includes(`<link rel="canonical" href="${service.origin}/event/concert/">`))
  })
})

describe('a month', () => {
  test('is a table with a caption, named columns and the days as times', async () => {
    const { body } = await page(MONTH)
    match(body, /<table class="month"><caption class="hidden">May \d{4}<\/caption>/)
    equal(body.match(/<th scope="col">/g)?.length, 7)
    match(body, /<span class="hidden">Wednesday<\/span>/)
    match(body, new RegExp(`<time datetime="${NEXT_YEAR}-05-03"`))
    match(body, /<span class="hidden">[^<]*May 3[^<]*, 1 event<\/span>/)
  })

  test('marks today', async () => {
    match((await page('/events/month/')).body, /<td class="today" aria-current="date">/)
  })

  test('shows what lasts days on each of them, what ends at night on the evening before', async () => {
    const { body } = await page(MONTH)
    match(body, /class="lane bar w\d starts/)
    match(body, /Exhibition, continues/)
    doesNotMatch((await page(`/events/${NEXT_YEAR}-05-21/`)).body, /Long night/)
    match((await page(`/events/${NEXT_YEAR}-05-10/`)).body, /Exhibition/)
  })

  test('begins its weeks as the setting says, else as the language has it', async () => {
    const first = (body: string) => /<th scope="col"><span class="hidden">(\w+)</.exec(body)?.[1]
    equal(first((await page(MONTH)).body), 'Sunday')
    await using other = await startService({ language: 'de' })
    const { body } = await other.get('~/events/month/')
    equal(first(body), 'Montag')
  })

  test('leads no further than there are events, or today', async () => {
    const { body } = await page(`/events/month/${NEXT_YEAR}-07/`)
    match(body, new RegExp(`<link rel="prev" href="/events/month/${NEXT_YEAR}-06/">`))
    doesNotMatch(body, /rel="next"/)
    const early = await page('/events/month/1999-01/')
    equal(early.status, 200)
    match(early.body, /noindex/)
    doesNotMatch(early.body, /rel="(?:prev|next)"/)
  })
})

describe('the list', () => {
  const slugs = (body: string) =>
    [...body.matchAll(/<h[23]><a href="\/event\/([^"/]+)\/"/g)].map(([, slug]) => slug)

  const listed = async (query: string): Promise<string[]> =>
    (await service.get(`/events?${query}&per_page=20`)).body.events.map(({ slug }: { slug: string }) => slug)

  test('has the events from today on that the interface lists for everybody, in its order', async () => {
    deepEqual(slugs((await page('/events/')).body), await listed(`start_date=${day(0)}`))
  })

  test('ticks the facts of access that it is narrowed to, and a chip removes them', async () => {
    await service.update(`/venues/${made.hall}`, { step_free: true, lift: true })
    const { body } = await page('/events/?access=step_free,lift')
    deepEqual(slugs(body), await listed(`access=step_free,lift&start_date=${day(0)}`))
    for (const fact of ['step_free', 'lift']) ok(body.includes(`name="access" value="${fact}" checked`), fact)
    ok(body.includes('aria-label="Remove filter: Step-free access, Lift"'))
  })

  test('is narrowed by filters that its form lacks, which it keeps and a chip removes', async () => {
    for (const [query, words] of [
      [`include=${made.concert}`, `Only the events with these ids, whenever they are: ${made.concert}`],
      ['event_status=scheduled', 'Scheduled'],
      ['modified_after=2020-01-01', 'Only records changed after this time: 2020-01-01'],
    ] as const) {
      const { body } = await page(`/events/?${query}`)
      deepEqual(slugs(body), await listed(`${query}&start_date=${day(0)}`))
      const [name, value = ''] = query.split('=')
      ok(body.includes(`<input type="hidden" name="${name}" value="${value}">`), query)
      ok(body.includes(`aria-label="Remove filter: ${words}"`), query)
      match(body, /noindex/)
    }
    equal((await page('/events/?access=chairs')).status, 400)
    equal((await page('/events/?status=draft')).body, (await page('/events/')).body)
  })

  test('takes every filter of lists, or docs/pages.md names it among those that pages ignore', async () => {
    const [, ignored = ''] =
      /except (.*?), which they ignore/s.exec(readFileSync('docs/pages.md', 'utf8')) ?? []
    const { concert = 0, music = 0, hall = 0, society = 0 } = made
    const [near, far] = ['geoloc_lat=53.1&geoloc_lng=-8.2', 'geoloc_lng=0&geoloc_lat=0']
    const queries =
      `start_date=${NEXT_YEAR}-06-01 end_date=${NEXT_YEAR}-05-09 search=Concert time=evening free=true
      categories=${music} tags=outdoors venue=${hall} organizer=${society} include=${concert} featured=true
      modified_after=2099-01-01 event_status=canceled attendance=online access=lift geoloc=true ${near} ${far}
      bbox=-9,53,-8,54 post_parent=${concert} when=tomorrow geoloc_radius=9&${near}`.split(/\s+/)
    const all = slugs((await page('/events/')).body)
    for (const query of queries) {
      const from = /start_date|when/.test(query) ? '' : `&start_date=${day(0)}`
      const expected = await listed(query.replace('search', 'words') + from)
      notDeepEqual(expected, all, query)
      const { body } = await page(`/events/?${query}`)
      deepEqual(slugs(body.split('class="nothing"')[0] ?? ''), expected, query)
      match(body, /<meta name="robots" content="noindex, follow">/)
      ok(body.includes(`<link rel="canonical" href="${service.origin}/">`), query)
    }
    const names = queries.map((query) => query.split('=')[0] ?? '')
    const others = ['page', 'hide_subsequent_recurrences']
    const left = Object.keys(eventFilters).filter((name) => !names.includes(name) && !others.includes(name))
    for (const name of left) ok(ignored.includes(`\`${name.replace(/_(before|after)$/, '_…')}\``), name)
    for (const half of ['geoloc_lat=53', 'geoloc_lng=-8'])
      equal((await page(`/events/?${half}`)).status, 400, half)
    const month = await page(`${MONTH}?when=tomorrow`)
    deepEqual(slugs(month.body), slugs((await page(MONTH)).body))
    match(month.body, /events\.ics"/)
  })

  test('is narrowed to what is near a venue', async () => {
    const { body } = await page(`/events/?near=${made.hall}&geoloc_radius=1`)
    deepEqual(slugs(body), ['concert', 'exhibition'])
  })

  test('of the past has the latest event first, and is kept from search engines', async () => {
    const { body } = await page('/events/past/')
    deepEqual(slugs(body), ['over'])
    match(body, /noindex/)
  })

  test('without events says which one is the next, and how many there are without the filters', async () => {
    const { body } = await page(`/events/?categories=music&start_date=${NEXT_YEAR}-06-01`)
    match(body, /No events found\./)
    match(body, /The last one was on/)
    match(body, /Show the calendar \(\d+ events\)/)
  })

  test('repeats the words of a search as text, wherever they stand', async () => {
    const { body, status } = await page(`/events/?search=${encodeURIComponent(NASTY)}`)
    equal(status, 200)
    doesNotMatch(body, /<script>alert|&#39; <b>/)
    match(body, /value="&quot;&gt;&lt;script&gt;/)
    match(body, /<title>[^<]*&lt;script&gt;/)
  })
})

describe('an event', () => {
  test('says when, where, by whom and for how much, and how to keep it', async () => {
    const { body } = await page('/event/concert/')
    for (const part of [
      'May 3',
      '7:30',
      'Town Hall',
      '1 Main Street',
      'Music Society',
      '$10',
      'calendar.google.com',
      'outlook.live.com',
    ])
      ok(body.includes(part), part)
    match(body, /openstreetmap\.org\/\?mlat=53\.1&amp;mlon=-8\.2/)
    match(body, /href="\/venue\/town-hall\/"/)
    match(body, /href="\/organizer\/music-society\/"/)
    match(body, /href="\/events\/category\/music\/jazz\/"/)
  })

  test('shows its description without what reaches beyond it', async () => {
    const { body } = await page('/event/concert/')
    match(
      body,
      new RegExp(
        '<h2>Programme</h2>\\n<p>Songs <a href="https://example\\.org" target="_blank" ' +
          'rel="noopener">here</a></p>',
      ),
    )
    doesNotMatch(body, /<iframe/)
    match(body, /<a href="https:\/\/www\.youtube\.com\/embed\/abc" rel="noopener">/)
  })

  test('has its image in all sizes, with its dimensions', async () => {
    const [, image = ''] = /<div class="cover">(<img[^>]+>)/.exec((await page('/event/concert/')).body) ?? []
    match(image, /width="900" height="600"/)
    match(image, /srcset="[^"]+ 300w, [^"]+ 900w"/)
    match((await page('/events/')).body, /<img class="thumb"[^>]+alt="" loading="lazy"/)
  })

  test('says its zone where it is not that of the site', async () => {
    match((await page('/event/abroad/')).body, /<abbr class="zone" title="Japan Standard Time">JST<\/abbr>/)
    match((await page(`/events/${NEXT_YEAR}-05-21/`)).body, /<abbr class="zone">JST<\/abbr>/)
  })

  test('is linked data that nothing in it can end', async () => {
    const { body } = await page(new URL((await service.get(`/events/${made.nasty}`)).body.url).pathname)
    const [, json = ''] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(body) ?? []
    const data = JSON.parse(json)
    equal(data['@type'], 'Event')
    match(data.startDate, new RegExp(`^${NEXT_YEAR}-06-01T10:00:00`))
    doesNotMatch(body, /<script>alert/)
    doesNotMatch(json, /\u2028/)
  })

  test('says in its linked data what its feed says, days as days', async () => {
    for (const slug of ['concert', 'exhibition', 'abroad']) {
      const { body } = await page(`/event/${slug}/`)
      const [, json = ''] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(body) ?? []
      const { '@context': context, ...event } = JSON.parse(json)
      equal(context, 'https://schema.org')
      const { '@graph': graph } = (await (await fetch(`${service.origin}/event/${slug}.jsonld`)).json()) as {
        '@graph': unknown
      }
      deepEqual([event], graph)
      if (slug === 'exhibition')
        deepEqual([event.startDate, event.endDate], [`${NEXT_YEAR}-05-08`, `${NEXT_YEAR}-05-10`])
    }
  })

  test('tells those who share it what it is', async () => {
    const { body } = await page('/event/concert/')
    ok(body.includes('<meta property="og:title" content="Concert">'))
    ok(body.includes(`<meta property="og:url" content="${service.origin}/event/concert/">`))
    match(body, /<meta property="og:image" content="http[^"]+\.png">/)
  })

  test('leads to the events before and after it', async () => {
    const { body } = await page('/event/exhibition/')
    match(body, /rel="prev" href="\/event\/concert\/"/)
    match(body, /rel="next" href="\/event\/long-night\/"/)
  })

  test('that is not public is not there, one that was taken away is gone, with a way on', async () => {
    for (const path of [
      '/event/draft-slug/',
      `/event/${made.draft}/`,
      `/?post_type=tribe_events&p=${made.draft}`,
      '/event/never/',
      '/event/999999/',
    ]) {
      const { status, body } = await page(path)
      equal(status, 404, path)
      match(body, /href="\/events\/"/)
    }
    for (const path of ['/event/gone/', `/event/${made.gone}/`, `/?p=${made.gone}`]) {
      const { status, body } = await page(path)
      equal(status, 410, path)
      match(body, /no longer listed/)
      match(body, /noindex/)
    }
  })
})

describe('feeds', () => {
  const linked = (body: string) => [
    ...body.matchAll(/<link rel="alternate" type="([^"]+)" title="[^"]+" href="([^"]+)">/g),
  ]

  test('of each page are named in its head, with its filters, and there', async () => {
    const paths = [
      '/',
      MONTH,
      '/events/category/music/jazz/',
      '/events/tag/outdoors/',
      '/venue/town-hall/',
      '/organizer/music-society/',
      '/event/concert/',
      '/events/?search=concert',
      `/events/?near=${made.hall}`,
    ]
    for (const path of paths) {
      const found = linked((await page(path)).body)
      ok(found.length > 0, path)
      for (const [, mediaType = '', address = ''] of found) {
        const answer = await fetch(address.replaceAll('&amp;', '&'))
        equal(answer.status, 200, address)
        ok(answer.headers.get('content-type')?.startsWith(mediaType), address)
        const text = await answer.text()
        match(text, /Concert/, address)
        if (path !== '/' && path !== MONTH) doesNotMatch(text, /Crowd/, address)
      }
    }
  })

  test('are subscribed to from the page, by calendars of devices and of the web', async () => {
    const { body } = await page('/events/?search=concert')
    const calendar = `webcal://${new URL(service.origin).host}/events.ics?words=concert`
    ok(body.includes(`href="${calendar}"`))
    ok(body.includes(`cid=${encodeURIComponent(calendar)}`))
    match((await page('/event/concert/')).body, /href="\/event\/concert\.ics"/)
  })

  const PAST = `start_date=2000-01-01&end_date=${day(-1)}`
  const calendars: [string, string][] = [
    ['/events/?ical=1', ''],
    ['/?ical=1', ''],
    ['/events/list/?ical=1', ''],
    ['/events/list/page/2/?ical=1', ''],
    [`${MONTH}?ical=1`, `start_date=${NEXT_YEAR}-05-01&end_date=${NEXT_YEAR}-05-31`],
    ['/events/today/?ical=1', 'start_date=today&end_date=today'],
    [`/events/${NEXT_YEAR}-05/?ical=1`, `start_date=${NEXT_YEAR}-05-01&end_date=${NEXT_YEAR}-05-31`],
    [
      `/events/${NEXT_YEAR}-05-03/?ical=1&start_date=2020-01-01`,
      `start_date=${NEXT_YEAR}-05-03&end_date=${NEXT_YEAR}-05-03`,
    ],
    ['/events/2026-11-21/?ical=1', 'start_date=2026-11-21&end_date=2026-11-21'],
    ['/events/past/?ical=1', PAST],
    ['/events/past/?ical=1&ends_after=2050-01-01&search=over', `search=over&${PAST}`],
    ['/events/?eventDisplay=past&ical=1', PAST],
    ['/events/category/jazz/past/?ical=1', `categories=jazz&${PAST}`],
    ['/?post_type=tribe_events&tribe-bar-date=2026-11-01&ical=1&eventDisplay=list', 'start_date=2026-11-01'],
    ['/?post_type=tribe_events&ical=1&eventDisplay=list&tribe_events_cat=jazz', 'categories=jazz'],
    ['/events/?tribe-bar-search=concert&ical=1', 'search=concert'],
    ['/events/?search=concert&ical=1&featured=false', 'search=concert&featured=false'],
    ['/events/category/jazz/list/?ical=1', 'categories=jazz'],
    [
      '/events/category/music/jazz/month/2026-12/?ical=1',
      'categories=jazz&start_date=2026-12-01&end_date=2026-12-31',
    ],
    ['/tag/outdoors/?ical=1', 'tags=outdoors'],
    ['/event/concert/2026-11-21/?ical=1', 'search=concert'],
    ['/?tribe_events=concert&ical=1', 'search=concert'],
    ['/?post_type=tribe_events&p=CONCERT&ical=1', 'search=concert'],
    ['/event/CONCERT/?ical=1', 'search=concert'],
  ]
  for (const [path, filters] of calendars) {
    test(`of moved sites: ${path} leads to a calendar`, async () => {
      const response = await fetch(service.origin + path.replace('CONCERT', String(made.concert)))
      equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8')
      const expected = await fetch(`${service.origin}/events.ics?${filters}`)
      const uids = async (answer: Response) => (await answer.text()).match(/^UID:.*$/gm)
      deepEqual(await uids(response), await uids(expected))
    })
  }

  test('of moved sites that mean other days tomorrow are asked for again, so are ways to them', async () => {
    for (const [path, expected] of [
      ['/events/today/?ical=1', 200],
      ['/events/month/?ical=1', 200],
      ['/events/past/?ical=1', 200],
      ['/events/?eventDisplay=today&ical=1', 301],
      ['/events/?eventDisplay=past&ical=1', 301],
    ] as const) {
      const { status, headers } = await fetch(service.origin + path, { redirect: 'manual' })
      deepEqual(
        [status, headers.get('cache-control')],
        [expected, 'public, max-age=0, must-revalidate'],
        path,
      )
    }
  })

  test('of moved sites that are of nothing are pages with 404', async () => {
    for (const path of [
      '/event/none/?ical=1',
      '/event/99999999/?ical=1',
      '/events/category/none/month/?ical=1',
    ]) {
      const { status, headers } = await page(path)
      deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=UTF-8'], path)
    }
  })
})

describe('addresses', () => {
  const moved: [string, string][] = [
    ['/events', '/events/'],
    ['/events/list/', '/events/'],
    ['/events/list/page/2/', '/events/?page=2'],
    ['/events/category/music/list/', '/events/category/music/'],
    ['/events/category/jazz/', '/events/category/music/jazz/'],
    ['/tag/outdoors/', '/events/tag/outdoors/'],
    ['/event/concert', '/event/concert/'],
    ['/event/Concert/', '/event/concert/'],
    [`/event/concert/${NEXT_YEAR}-05-03/`, '/event/concert/'],
    ['/?post_type=tribe_events', '/events/'],
    ['/?tribe_events=concert', '/event/concert/'],
    ['/events/?eventDisplay=past', '/events/past/'],
    ['/?tribe_event_display=month&eventDate=2026-11', '/events/month/2026-11/'],
    ['/events/?tribe-bar-date=2026-11-21', '/events/2026-11-21/'],
    ['/events/?tribe-bar-search=a%20b', '/events/?search=a%20b'],
    ['/events/month/?tribe-bar-date=2026-11-01&eventDisplay=month', '/events/month/2026-11/'],
    ['/events/month/?tribe-bar-date=2026-11', '/events/month/2026-11/'],
    ['/events/?tribe-bar-date=2026-11', '/events/month/2026-11/'],
    ['/events/month/2026-11/?tribe-bar-search=jazz', '/events/month/2026-11/?search=jazz'],
    ['/events/2026-11-21/?tribe-bar-search=jazz', '/events/2026-11-21/?search=jazz'],
    [
      '/events/category/music/month/2026-11/?tribe-bar-search=a',
      '/events/category/music/month/2026-11/?search=a',
    ],
    ['/events/week/2026-11-23/?tribe-bar-search=jazz', '/events/week/2026-11-23/?search=jazz'],
    ['/events/week/?tribe-bar-date=2026-11-23', '/events/week/2026-11-23/'],
    ['/events/category/music/week/?tribe-bar-search=a', '/events/category/music/week/?search=a'],
    ['/events/category/music/list/?tribe-bar-date=2026-11-21', '/events/category/music/2026-11-21/'],
    ['/events/map/?tribe-bar-search=a', '/events/map/?search=a'],
    [`/event/concert/${NEXT_YEAR}-05-03/2/`, '/event/concert/'],
    ['/event/concert/all/', '/event/concert/'],
    ['/events/week/page/2/', '/events/?page=2'],
    ['/events/?eventDisplay=week&eventDate=2026-11-16', '/events/week/2026-11-16/'],
    ['/events/photo/page/2/', '/events/?page=2'],
    ['/events/map/page/2/', '/events/?page=2'],
    ['/events/summary/', '/events/'],
  ]
  for (const [from, to] of moved) {
    test(`${from} has moved to ${to}`, async () => {
      const { status, headers } = await page(from)
      deepEqual([status, headers.get('location')], [301, to])
    })
  }

  test('by number lead to the page of the record', async () => {
    for (const [path, to] of [
      [`/?post_type=tribe_events&p=${made.concert}`, '/event/concert/'],
      [`/?p=${made.hall}`, '/venue/town-hall/'],
      [`/event/${made.concert}/`, '/event/concert/'],
    ] as const) {
      const { status, headers } = await page(path)
      deepEqual([status, headers.get('location')], [301, to], path)
    }
  })

  const wrong: [string, number][] = [
    ['/events/month/2026-13/', 404],
    ['/events/month/0000-01/', 404],
    ['/events/2026-02-30/', 404],
    ['/events/category/none/', 404],
    ['/events/tag/none/', 404],
    ['/events/category//', 404],
    ['/event/%ff/', 404],
    ['/event/%00/', 404],
    [`/event/${'x'.repeat(5000)}/`, 404],
    ['/events/month/9999-12/', 200],
    ['/events/month/0001-01/', 200],
    ['/events/9999-12-31/', 200],
    ['/events/0001-01-01/', 200],
    ['/events/?page=0', 400],
    ['/events/?page=x', 400],
    ['/events/?start_date=never', 400],
    ['/events/?categories=none', 400],
    ['/events/?venue=x', 400],
    ['/events/?near=x', 400],
    ['/events/?near=99999999999', 400],
    [`/events/?search=${'x'.repeat(600)}`, 400],
    ['/events/?search=%ff%00', 200],
    ['/events/?search[]=a&search[]=b', 200],
    ['/?p=99999999999', 200],
    [`/events/?${'a=b&'.repeat(2500)}`, 414],
    ['/sitemap-2026-13.xml', 404],
  ]
  for (const [path, expected] of wrong) {
    test(`${path.slice(0, 60)} is answered ${expected}, by a page`, async () => {
      const { status, headers, body } = await page(path)
      equal(status, expected, String(body).slice(0, 300))
      match(headers.get('content-type') ?? '', /^text\/html/)
      match(body, /<\/html>\s*$/)
    })
  }
})

describe('what crawlers read', () => {
  test('robots.txt keeps them from filtered pages and from the interface', async () => {
    const { body, headers } = await page('/robots.txt')
    match(headers.get('content-type') ?? '', /^text\/plain/)
    match(body, /^User-agent: \*\nDisallow: \/wp-json\/\nDisallow: \/\*\?\n/)
    ok(body.includes(`Sitemap: ${service.origin}/sitemap.xml`))
  })

  test('sitemap.xml leads to every public event, by months, and to the pages around them', async () => {
    const index = await page('/sitemap.xml')
    match(index.headers.get('content-type') ?? '', /^application\/xml/)
    const maps = [...index.body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address)
    ok(maps.includes(`${service.origin}/sitemap-2020-02.xml`))
    const addresses: string[] = []
    for (const map of maps) {
      const { body } = await page(new URL(map).pathname)
      addresses.push(...[...body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address))
    }
    const listed = await service.get('/events?start_date=2000-01-01&per_page=50')
    for (const { url } of listed.body.events) ok(addresses.includes(url), url)
    ok(!addresses.some((address) => /draft|gone/.test(address)))
    for (const path of [
      '/',
      '/venue/town-hall/',
      '/organizer/music-society/',
      '/events/category/music/jazz/',
      MONTH,
    ])
      ok(addresses.includes(service.origin + path), path)
  })
})

describe('a service', () => {
  test('answers what is not there with a page for browsers, and as before for programs', async () => {
    match((await page('/none')).body, /<html/)
    equal((await service.get('~/none')).body.code, 'rest_no_route')
    equal((await service.post('~/events/', {}, 'anonymous')).body.code, 'rest_no_route')
  })

  test('with pages off has none', async () => {
    await using other = await startService({ pages: 'off' })
    for (const path of '~/events/ ~/robots.txt ~/event/x/ ~/embed.js ~/embed-days.js ~/embed/'.split(' '))
      equal((await other.get(path)).body.code, 'rest_no_route')
    doesNotMatch((await other.get('~/')).body, /<link rel="stylesheet"/)
  })

  test('sends its style sheet and script for ever, under the name of their content', async () => {
    const { body } = await page('/')
    for (const [, path = ''] of body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      const { status, headers } = await page(path)
      equal(status, 200)
      equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    }
    equal(
      (await page('/assets/calendar-0000000000.css')).headers.get('content-type')?.startsWith('text/css'),
      false,
    )
  })
})

test('the page of a venue has what is still on below the days to come, as the list has it', async () => {
  const { slug, id: venue } = await create('/venues', { venue: 'Long Gallery' })
  const show = { title: 'Long show', start_date: day(-3), end_date: day(3), all_day: true, venue }
  const { id } = await create('/events', show)
  await create('/events', { ...show, title: 'Short show', start_date: day(2), end_date: day(2) })
  match((await page(`/venue/${slug}/`)).body, /Short show.*Still on<\/b>.*Long show/s)
  equal((await service.remove(`/events/${id}`)).status, 200)
  doesNotMatch((await page(`/venue/${slug}/`)).body, /Still on/)
})
