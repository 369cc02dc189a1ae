import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import {
  type Answer,
  type Body,
  onDay,
  serviceForTests,
  startService,
  type TestService,
} from '../support/service.ts'

// The clock stays at noon in New York, since lists depend on the day and the hour.
const NOW = Date.UTC(2026, 10, 20, 17)
before(() => mock.timers.enable({ apis: ['Date'], now: NOW }))

const service = serviceForTests()
const { create, read: list } = service
after(() => mock.timers.reset())

const titles = (body: Body): string[] => body.events.map((event: Body) => event.title)
const named = (records: Body[], key: string): string[] => records.map((record: Body) => record[key])

function day(offset: number): string {
  const today = new Intl.DateTimeFormat('sv', { timeZone: 'America/New_York' }).format(NOW)
  const date = new Date(`${today}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + offset)
  return date.toISOString().slice(0, 10)
}

function inYears(years: number): string {
  const today = day(0)
  return `${Number(today.slice(0, 4)) + years}-${today.slice(5, 8)}${Math.min(28, Number(today.slice(8)))
    .toString()
    .padStart(2, '0')}`
}

/** Anonymous lists are read in a shorter way. */
async function assertInvalid(path: string, ...params: string[]): Promise<void> {
  for (const as of ['anonymous', 'subscriber', 'admin'] as const) {
    const { status, body } = await service.get(path, as)
    equal(status, 400, `${path}: ${JSON.stringify(body)}`)
    deepEqual([body.code, Object.keys(body.data.params)], ['rest_invalid_param', params], path)
  }
}

describe('the window of the list of events', () => {
  const [A, B, C] = [day(15), day(18), day(19)]
  before(async () => {
    const events: [title: string, start: string, end: string, fields?: object][] = [
      ['yest', `${day(-1)} 10:00`, `${day(-1)} 11:00`],
      ['d2ago', `${day(-2)} 10:00`, `${day(-2)} 11:00`],
      ['running', `${day(-2)} 10:00`, `${day(5)} 10:00`],
      ['todayAM', `${day(0)} 01:00`, `${day(0)} 02:00`],
      ['one', `${A} 10:00`, `${A} 12:00`],
      ['multi', `${A} 09:00`, `${B} 12:00`],
      ['late', `${B} 23:00`, `${C} 01:00`],
      ['tokyo', `${A} 10:00`, `${A} 12:00`, { timezone: 'Asia/Tokyo' }],
      ['feat', `${day(16)} 10:00`, `${day(16)} 12:00`, { featured: true }],
      ['allday', day(17), day(17), { all_day: true }],
      ['sticky', `${day(30)} 10:00`, `${day(30)} 12:00`, { sticky: true }],
      ['near2y', `${inYears(2)} 12:00`, `${inYears(2)} 13:00`],
      ['far', `${inYears(3)} 12:00`, `${inYears(3)} 13:00`],
      ['hidden', `${A} 10:00`, `${A} 12:00`, { hide_from_listings: true }],
    ]
    for (const [n, [title, start_date, end_date, fields]] of events.entries())
      await create('/events', { title, start_date, end_date, date: `2020-01-01 00:00:${10 + n}`, ...fields })
  })
  after(async () => {
    const { events } = await list('/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50')
    for (const { id } of events) await service.remove(`/events/${id}`)
  })

  // An event is in the window if its start is (rule 12.2).
  const ALL = ['multi', 'one', 'tokyo', 'feat', 'allday', 'late', 'sticky', 'near2y']
  const WINDOWS: readonly [query: string, titles: string[]][] = [
    ['', ['yest', 'todayAM', ...ALL]],
    [`start_date=${A}`, ALL],
    [`start_date=${A}+23:00:00`, ALL],
    [`start_date=${A}T09:30:00`, ALL],
    [`end_date=${A}`, ['yest', 'todayAM', 'multi', 'one', 'tokyo']],
    [`start_date=${A}&end_date=${A}`, ['multi', 'one', 'tokyo']],
    [`start_date=${A}&end_date=${B}`, ['multi', 'one', 'tokyo', 'feat', 'allday', 'late']],
    [`start_date=${A}&end_date=${C}`, ['multi', 'one', 'tokyo', 'feat', 'allday', 'late']],
    [`start_date=${B}&end_date=${A}`, []],
    ['start_date=2020-01-01', ['d2ago', 'running', 'yest', 'todayAM', ...ALL]],
    ['start_date=1900-01-01&end_date=2100-01-01', ['d2ago', 'running', 'yest', 'todayAM', ...ALL, 'far']],
    [`starts_after=${A}`, ['feat', 'allday', 'late', 'sticky', 'near2y', 'far']],
    [`starts_before=${A}`, ['d2ago', 'running', 'yest', 'todayAM', 'multi', 'one', 'tokyo']],
    [`ends_before=${A}`, ['d2ago', 'running', 'yest', 'todayAM', 'one', 'tokyo']],
    [`ends_after=${A}`, ['multi', 'feat', 'allday', 'late', 'sticky', 'near2y', 'far']],
    [`starts_after=${A}&ends_before=${C}`, ['feat', 'allday', 'late']],
    [`starts_after=${A}&start_date=${day(-5)}&end_date=${day(20)}`, ['feat', 'allday', 'late']],
    [`ends_before=${A}&end_date=${day(20)}&start_date=${day(-1)}`, ['yest', 'todayAM', 'one', 'tokyo']],
    [`start_date=${A}+10:00:00&end_date=${A}+12:00:00&strict_dates=true`, ['one', 'tokyo']],
    [`starts_after=${A}+09:00:00&starts_before=${A}+10:00:01&strict_dates=1`, ['one', 'tokyo']],
    [`ends_after=now&starts_before=now&strict_dates=true`, ['running']],
    ['start_date=today&end_date=today', ['todayAM']],
    ['start_date=yesterday&end_date=yesterday', ['yest']],
    ['start_date=%2B15+days&end_date=%2B15+days', ['multi', 'one', 'tokyo']],
    [`start_date=${A}T23:30:00-09:00&end_date=${day(16)}`, ['feat']],
  ]
  test(`${WINDOWS.length} windows hold what starts within them, in order`, async () => {
    for (const [query, expected] of WINDOWS) {
      const body = await list(`/events?per_page=50&${query}`)
      deepEqual(titles(body), expected, query)
      equal(body.total, expected.length)
    }
  })

  test('hidden events are in no list for anybody, and readable by id', async () => {
    const { events } = await list(`/events?start_date=${A}&end_date=${A}&per_page=50`, 'admin')
    ok(!named(events, 'title').includes('hidden'))
    const { body } = await service.get('/events/by-slug/hidden')
    equal(body.hide_from_listings, true)
    equal((await list(`/events?include=${body.id}`, 'admin')).total, 0)
  })

  test('what is no date is refused by name, all of them at once', async () => {
    await assertInvalid('/events?start_date=', 'start_date')
    await assertInvalid(
      '/events?start_date=x&ends_after=31/31/2027&starts_before=-',
      'start_date',
      'starts_before',
      'ends_after',
    )
  })
})

describe('filters of the list of events', () => {
  const WINDOW = 'start_date=2027-06-01&end_date=2027-06-30&per_page=50'
  const made: Record<string, Body> = {}
  before(async () => {
    const music = await create('/categories', { name: 'Music' })
    const jazz = await create('/categories', { name: 'Jazz & Blues', parent: music.id })
    const indoors = await create('/tags', { name: 'Indoors' })
    const barn = await create('/venues', { venue: 'Barn', geo_lat: 41.93, geo_lng: '-73.99' })
    const loft = await create('/venues', { venue: 'Loft' })
    const club = await create('/organizers', { organizer: 'Club' })
    const duo = await create('/organizers', { organizer: 'Duo' })
    Object.assign(made, { music, jazz, indoors, barn, loft, club, duo })
    const target = {
      title: 'Late Café Session',
      description: 'Trumpets & more',
      ...onDay('2027-06-10', '20:00:00', '22:00:00'),
      categories: [jazz.id],
      tags: [indoors.id],
      venue: barn.id,
      organizer: [duo.id, club.id],
      featured: true,
    }
    const others = {
      'other category': { categories: [] },
      'other tag': { tags: ['Outdoors'] },
      'other venue': { venue: loft.id },
      'other organizer': { organizer: [duo.id] },
      'not featured': { featured: false },
      'other words': { description: 'Violins' },
      'other day': { start_date: '2027-06-20 20:00:00', end_date: '2027-06-20 22:00:00' },
      draft: { status: 'draft' },
    }
    made.target = await create('/events', target)
    for (const [name, fields] of Object.entries(others))
      made[name] = await create('/events', { ...target, title: `Café Session: ${name}`, ...fields })
  })

  test('lists are taken as comma-separated text, in brackets, and as repeated keys', async () => {
    const { music, indoors, barn, loft } = made
    const expected = titles(await list(`/events?${WINDOW}`)).length
    const both = [
      `venue=${barn.id},${loft.id}`,
      `venue[]=${barn.id}&venue[]=${loft.id}`,
      `venue[0]=${barn.id}&venue[1]=${loft.id}`,
    ]
    for (const query of [...both, `venue=${barn.id}&venue=${loft.id}`, `venue=${barn.id}, ${loft.id}`])
      equal((await list(`/events?${WINDOW}&${query}`)).total, expected, query)
    for (const query of [
      'categories=MUSIC',
      'categories=jazz-blues',
      `categories[]=${music.id}`,
      'categories=Jazz %26 Blues',
      'categories=music,jazz-blues',
    ])
      equal((await list(`/events?${WINDOW}&${query}`)).total, expected - 1, query)
    equal((await list(`/events?${WINDOW}&tags=${indoors.id}&tags=outdoors`)).total, expected)
  })

  test('what can not be filtered by is refused by name, all of it at once', async () => {
    const { club } = made
    for (const [query, ...params] of [
      ['page=0', 'page'],
      ['page=x&per_page=-1', 'page', 'per_page'],
      ['per_page=1.5', 'per_page'],
      ['categories=', 'categories'],
      ['categories=nowhere&tags=987654', 'categories', 'tags'],
      [`venue=${club.id}&organizer=x`, 'venue', 'organizer'],
      ['venue=987654', 'venue'],
      ['featured=maybe', 'featured'],
      ['status=nonsense', 'status'],
      ['status=publish,nonsense', 'status'],
      ['geoloc=x&geoloc_lat=91&geoloc_lng=181&geoloc_radius=0', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius'],
      ['geoloc=x', 'geoloc'],
      ['geoloc_lat=40', 'geoloc_lng'],
      ['geoloc_lng=40', 'geoloc_lat'],
      ['bbox=1,2,3', 'bbox'],
      ['bbox=0,50,10,91', 'bbox'],
      ['bbox=0,50,10,40', 'bbox'],
      ['bbox=0,50,181,60', 'bbox'],
      ['include=x', 'include'],
      ['include=0', 'include'],
      ['post_parent=987654', 'post_parent'],
      ['ticketed=true', 'ticketed'],
      ['strict_dates=', 'strict_dates'],
    ] as const)
      await assertInvalid(`/events?${query}`, ...params)
    for (const status of ['draft', 'publish,draft', 'publish,publish', 'any', '']) {
      const { status: answered, body } = await service.get(`/events?status=${status}`)
      deepEqual([answered, Object.keys(body.data.params)], [400, ['status']])
    }
  })

  test('unknown parameters are passed over', async () => {
    const { total } = await list(`/events?${WINDOW}`)
    equal(
      (await list(`/events?${WINDOW}&order=desc&orderby=x&_embed=1&force=true&foo[bar]=baz`)).total,
      total,
    )
    equal((await service.get(`/events/?&${WINDOW}`)).body.total, total)
  })
})

describe('order and pages', () => {
  const WINDOW = 'start_date=2028-01-01&end_date=2028-12-31'
  before(async () => {
    for (let n = 0; n < 55; n++) {
      const start_date = `2028-0${1 + (n % 3)}-01 10:00:00`
      await create('/events', {
        title: `Page ${n}`,
        start_date,
        end_date: start_date,
        date: `2021-01-01 00:00:${10 + (n % 5)}`,
      })
    }
  })

  test('with include they are ordered by publication date and id, whatever the order asked in', async () => {
    const { events } = await list(`/events?${WINDOW}&per_page=50`)
    const ids = named(events, 'id').reverse().slice(0, 8)
    const shown = (await list(`/events?include=${ids}`)).events
    const key = ({ date, id }: Body) => `${date} ${String(id).padStart(6, '0')}`
    equal(shown.length, 8)
    deepEqual(shown.map(key), shown.map(key).sort())
  })

  test('a page holds 10 records, 50 at most, and totals are reckoned with that', async () => {
    const plain = await list(`/events?${WINDOW}`)
    deepEqual([plain.events.length, plain.total, plain.total_pages], [10, 55, 6])
    const large = await list(`/events?${WINDOW}&per_page=500`)
    deepEqual([large.events.length, large.total, large.total_pages], [50, 55, 2])
    equal(new URL(large.next_rest_url).searchParams.get('per_page'), '50')
  })

  test('links to other pages stand where there are any, in the body and in the Link header', async () => {
    const first = await service.get(`/events?${WINDOW}&per_page=50`)
    const last = await service.get(`/events?${WINDOW}&per_page=50&page=2`)
    const { next_rest_url } = first.body
    const { previous_rest_url } = last.body
    deepEqual([first.body.previous_rest_url, last.body.next_rest_url], [undefined, undefined])
    deepEqual(Object.keys(first.body), ['events', 'rest_url', 'next_rest_url', 'total', 'total_pages'])
    deepEqual(Object.keys(last.body), 'events rest_url previous_rest_url total total_pages'.split(' '))
    equal(new URL(previous_rest_url).searchParams.has('page'), false)
    match(first.headers.get('link') ?? '', /rel="next"/)
    ok(first.headers.get('link')?.includes(`<${next_rest_url}>; rel="next"`))
    ok(last.headers.get('link')?.includes(`<${previous_rest_url}>; rel="prev"`))
  })

  test('an empty first page is in order; past the end is 404 for records, empty for terms', async () => {
    const empty = await service.get('/events?start_date=1999-01-01&end_date=1999-01-02')
    deepEqual([empty.status, empty.body.events, empty.body.total, empty.body.total_pages], [200, [], 0, 0])
    for (const kind of ['event', 'venue', 'organizer']) {
      const { status, body } = await service.get(`/${kind}s?page=999`)
      deepEqual([status, body.code], [404, `${kind}-archive-page-not-found`])
    }
    for (const page of ['2', '99999999999999'])
      equal((await service.get(`/events?search=qqq&page=${page}`)).status, 404)
    for (const path of ['categories', 'tags']) {
      const { status, body } = await service.get(`/${path}?page=999&hide_empty=false`)
      deepEqual([status, body[path].length], [200, 0])
      ok(body.previous_rest_url)
    }
  })

  test('totals stand in the headers, which browsers may read, and HEAD sends the same headers', async () => {
    const get = await service.get(`/events?${WINDOW}`, 'anonymous', { origin: 'https://app.example' })
    const head = await service.request('anonymous', 'HEAD', `/events?${WINDOW}`, undefined, {
      origin: 'https://app.example',
    })
    for (const { headers } of [get, head]) {
      deepEqual([headers.get('x-tec-total'), headers.get('x-tec-totalpages')], ['55', '6'])
      match(headers.get('access-control-expose-headers') ?? '', /X-TEC-Total, X-TEC-TotalPages/)
      equal(headers.get('access-control-allow-origin'), 'https://app.example')
      equal(headers.get('content-type'), 'application/json; charset=UTF-8')
    }
    equal(head.body, undefined)
    const same = await service.get(`/events?${WINDOW}`, 'anonymous', {
      'if-none-match': get.headers.get('etag') ?? '',
    })
    deepEqual([same.status, same.body], [304, undefined])
  })

  test('_fields reaches into records of a list, and _envelope takes status and headers along', async () => {
    const { body } = await service.get(`/events?${WINDOW}&_fields=events.id,events.venue,total`)
    deepEqual(Object.keys(body), ['events', 'total'])
    deepEqual(Object.keys(body.events[0]), ['id', 'venue'])
    const enveloped: Answer = await service.get(`/events?${WINDOW}&page=999&_envelope`)
    deepEqual(
      [enveloped.status, enveloped.body.status, enveloped.body.body.code],
      [200, 404, 'event-archive-page-not-found'],
    )
  })
})

describe('geolocation', () => {
  let located: TestService
  before(async () => {
    located = await startService({ geoloc_radius: '30' })
  })
  after(() => located.close())

  const WINDOW = 'start_date=2027-01-01&end_date=2027-12-31&per_page=50'
  const DATES = { start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 11:00:00' }
  const ask = async (query: string): Promise<string[]> => {
    const { status, body } = await located.get(`/events?${WINDOW}&${query}`)
    equal(status, 200, JSON.stringify(body))
    equal(body.total, body.events.length)
    return titles(body).sort()
  }
  const venues = async (query: string): Promise<string[]> =>
    named((await located.get(`/venues?per_page=50&${query}`)).body.venues, 'venue').sort()

  test('without any venue that has coordinates the filters have no effect', async () => {
    await located.post('/events', { title: 'Nowhere', ...DATES })
    for (const query of ['geoloc=true', 'geoloc=false', 'geoloc_lat=40&geoloc_lng=-70'])
      deepEqual(await ask(query), ['Nowhere'], query)
  })

  test('events are found by whether their venue has coordinates and by how far it is', async () => {
    const places = {
      Berlin: { geo_lat: 52.52, geo_lng: 13.405 },
      Potsdam: { geo_lat: '52.4', geo_lng: '13.066' },
      Hamburg: { geo_lat: 53.55, geo_lng: 9.993 },
      Fiji: { geo_lat: -17.8, geo_lng: 179.9 },
      Pole: { geo_lat: 89.9, geo_lng: 0 },
      Unmapped: {},
    }
    for (const [venue, place] of Object.entries(places)) {
      const { status, body } = await located.post('/events', {
        title: venue,
        ...DATES,
        venue: { venue, ...place },
      })
      equal(status, 201, JSON.stringify(body))
      deepEqual([body.venue.geo_lat ?? 'none', body.venue.geo_lng ?? 'none'].map(String), [
        String(Number((place as Body).geo_lat ?? Number.NaN)).replace('NaN', 'none'),
        String(Number((place as Body).geo_lng ?? Number.NaN)).replace('NaN', 'none'),
      ])
    }
    await located.post('/events', {
      title: 'Both',
      ...DATES,
      venue: [{ venue: 'Unmapped' }, { venue: 'Potsdam' }],
    })
    deepEqual(await ask('geoloc=true'), ['Berlin', 'Both', 'Fiji', 'Hamburg', 'Pole', 'Potsdam'])
    for (const [box, found] of [
      ['13,52,14,53', ['Berlin', 'Both', 'Potsdam']],
      [' 13.066, 52.4, 13.405, 52.52 ', ['Berlin', 'Both', 'Potsdam']],
      ['13.0661,52.4,13.405,52.52', ['Berlin']],
      ['170,-50,-170,0', ['Fiji']],
      ['14,-90,9,90', ['Fiji', 'Pole']],
      ['-180,-90,180,90', ['Berlin', 'Both', 'Fiji', 'Hamburg', 'Pole', 'Potsdam']],
      ['0,0,0,0', []],
    ] as const)
      deepEqual(await ask(`bbox=${encodeURIComponent(box)}`), found, box)
    deepEqual(await ask('geoloc=false'), ['Nowhere', 'Unmapped'])
    const berlin = 'geoloc_lat=52.52&geoloc_lng=13.405'
    deepEqual(await ask(berlin), ['Berlin', 'Both', 'Potsdam'])
    deepEqual(await ask(`${berlin}&geoloc_radius=10`), ['Berlin'])
    deepEqual(await ask(`${berlin}&geoloc_radius=300.5&search=-both`), ['Berlin', 'Hamburg', 'Potsdam'])
    deepEqual(await ask(`${berlin}&geoloc=false`), [])
    deepEqual(await ask('geoloc_lat=-17.8&geoloc_lng=-179.9&geoloc_radius=50'), ['Fiji'])
    deepEqual(await ask('geoloc_lat=89.9&geoloc_lng=180&geoloc_radius=50'), ['Pole'])
    deepEqual(await ask('geoloc_lat=0&geoloc_lng=0&geoloc_radius=20100'), [
      'Berlin',
      'Both',
      'Fiji',
      'Hamburg',
      'Pole',
      'Potsdam',
    ])
    deepEqual(await venues('geoloc=false'), ['Unmapped'])
    deepEqual(await venues(berlin), ['Berlin', 'Potsdam'])
  })

  test('a venue has two coordinates or none, in range, as numbers or text; empty clears them', async () => {
    for (const [place, ...params] of [
      [{ geo_lat: 1 }, 'geo_lng'],
      [{ geo_lng: 1 }, 'geo_lat'],
      [{ geo_lat: 90.1, geo_lng: 0 }, 'geo_lat'],
      [{ geo_lat: 0, geo_lng: -180.1 }, 'geo_lng'],
      [{ geo_lat: 'north', geo_lng: [] }, 'geo_lat', 'geo_lng'],
    ] as const) {
      const { status, body } = await located.post('/venues', { venue: 'Lost', ...place })
      deepEqual([status, Object.keys(body.data.params)], [400, params], JSON.stringify(place))
    }
    const { body: venue } = await located.post('/venues', { venue: 'Null Island', geo_lat: '0', geo_lng: 0 })
    deepEqual([venue.geo_lat, venue.geo_lng], [0, 0])
    const path = `/venues/${venue.id}`
    deepEqual((await located.get(path)).body.json_ld.geo, {
      '@type': 'GeoCoordinates',
      latitude: 0,
      longitude: 0,
    })
    equal((await located.put(path, { geo_lng: 5.5 })).body.geo_lng, 5.5)
    equal((await located.put(path, { geo_lng: '' })).status, 400)
    const { body: cleared } = await located.put(path, { geo_lat: '', geo_lng: '' })
    deepEqual([cleared.geo_lat, cleared.geo_lng], [undefined, undefined])
  })
})
