import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { onSqlite } from '../support/database.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { startServer } from '../support/server.ts'
import { type Body, onDay, type Reader, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests()
const { create } = service
const DAY = { title: 'A day out', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 12:00:00' }
const MAY = 'start_date=2027-05-01&end_date=2027-05-31&per_page=50'

const createEvent = (fields: object = {}, as?: Reader) => create('/events', { ...DAY, ...fields }, as)
const update = (id: number, fields: object, as?: Reader) => service.update(`/events/${id}`, fields, as)

const read = (path: string, as: Reader = 'admin') => service.read(path, as)
async function assertInvalid(fields: object, ...names: string[]): Promise<void> {
  const { status, body } = await service.post('/events', { ...DAY, ...fields })
  equal(status, 400, JSON.stringify([fields, body]))
  equal(body.code, 'rest_invalid_param')
  deepEqual(Object.keys(body.data.params), names)
}

const names = (records: Body, key: string) => [records].flat().map((record: Body) => record[key])

describe('the representation', () => {
  test('an event of its required fields alone shows every member, in the documented order', async () => {
    const { date, date_utc, modified, modified_utc, ...event } = await createEvent({ title: 'Plain' })
    const { id, url } = event
    const details = (day: string, hour: string) => {
      const [year, month, date] = day.split('-')
      return { year, month, day: date, hour, minutes: '00', seconds: '00' }
    }
    const expected = {
      id,
      global_id: `localhost?id=${id}`,
      global_id_lineage: [`localhost?id=${id}`],
      author: String(service.userIds.admin),
      status: 'publish',
      url: `${service.origin}/event/plain/`,
      rest_url: `${service.base}/events/${id}`,
      title: 'Plain',
      description: '',
      excerpt: '',
      slug: 'plain',
      image: false,
      all_day: false,
      start_date: '2027-05-01 10:00:00',
      start_date_details: details('2027-05-01', '10'),
      end_date: '2027-05-01 12:00:00',
      end_date_details: details('2027-05-01', '12'),
      utc_start_date: '2027-05-01 14:00:00',
      utc_start_date_details: details('2027-05-01', '14'),
      utc_end_date: '2027-05-01 16:00:00',
      utc_end_date_details: details('2027-05-01', '16'),
      timezone: 'America/New_York',
      timezone_abbr: 'EDT',
      cost: '',
      cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
      website: url,
      show_map: false,
      show_map_link: false,
      hide_from_listings: false,
      sticky: false,
      featured: false,
      categories: [],
      tags: [],
      venue: [],
      organizer: [],
      custom_fields: [],
    }
    deepEqual(event, expected)
    deepEqual(Object.keys(event), Object.keys(expected))
    deepEqual([date, date_utc], [modified, modified_utc])
    ok(Math.abs(Date.parse(`${date_utc.replace(' ', 'T')}Z`) - Date.now()) < 600_000)
  })

  test('creates, updates, reads and lists show the same; only single reads add linked data', async () => {
    const created = await createEvent({
      title: 'Seen from all sides',
      venue: { venue: 'Round House' },
      tags: 'sides',
    })
    const single = await read(`/events/${created.id}`)
    const byId = withoutLinkedData(single)
    deepEqual(byId, { ...created, tags: [{ ...created.tags[0], count: 1 }] })
    deepEqual(await read('/events/by-slug/SEEN-from-all-sides'), single)
    deepEqual((await read(`/events?${MAY}&search=sides`)).events, [byId])
    const { modified, modified_utc, ...updated } = await update(created.id, {})
    const { modified: _at, modified_utc: _utc, ...expected } = byId
    deepEqual(updated, expected)
    deepEqual([single.json_ld['@type'], single.venue.json_ld['@type']], ['Event', 'Place'])
  })

  test('a write answers alike alone, in parts, enveloped, indented, in a batch and by its key', async () => {
    const { id } = await createEvent({
      title: 'One answer',
      venue: { venue: 'One House' },
      event_status: 'postponed',
    })
    const update = (query = '', headers = {}) =>
      service.put(`/events/${id}${query}`, { featured: true }, 'admin', headers)
    const timeless = ({ modified: _at, modified_utc: _utc, ...event }: Body) => event
    const plain = timeless((await update()).body)
    equal(plain.event_status, 'postponed')
    equal(plain.venue.venue, 'One House')
    deepEqual(Object.keys(plain).slice(-2), ['event_status', 'event_status_reason'])
    deepEqual((await update('?_fields=id,venue.venue')).body, { id, venue: { venue: 'One House' } })
    deepEqual(timeless((await update('?_envelope=1')).body.body), plain)
    deepEqual(timeless((await update('?_pretty')).body), plain)
    const requests = [{ method: 'PUT', path: `/tribe/events/v1/events/${id}`, body: { featured: true } }]
    const batch = await service.post('~/wp-json/batch/v1', { requests })
    deepEqual(timeless(batch.body.responses[0].body), plain)
    const key = { 'Idempotency-Key': 'one-answer' }
    const copy = { ...DAY, title: 'Copied', venue: plain.venue.id }
    const [first, again] = [
      await service.post('/events', copy, 'admin', key),
      await service.post('/events', copy, 'admin', key),
    ]
    equal(first.headers.get('location'), `${service.base}/events/${first.body.id}`)
    deepEqual([again.status, again.body], [201, first.body])
  })

  test('an embedded term has the members of rule 7.3, an event without terms an empty list', async () => {
    const parent = await create('/categories', { name: 'Arts' })
    const child = await create('/categories', {
      name: 'Arts & Crafts',
      parent: parent.id,
      description: 'By hand',
    })
    const { categories, tags } = await createEvent({ categories: [child.id] })
    deepEqual(tags, [])
    deepEqual(categories, [
      {
        name: 'Arts &amp; Crafts',
        slug: 'arts-crafts',
        term_group: 0,
        term_taxonomy_id: child.id,
        taxonomy: 'tribe_events_cat',
        description: 'By hand',
        parent: parent.id,
        count: 1,
        filter: 'raw',
        id: child.id,
        urls: {
          self: `${service.base}/categories/${child.id}`,
          collection: `${service.base}/categories`,
          up: `${service.base}/categories/${parent.id}`,
        },
      },
    ])
  })

  test('text comes back safe: signs as entities, plain text in paragraphs, scripts gone', async () => {
    const sent = {
      title: 'Fish & <chips> "to go"',
      description:
        'One line\nand another\n\nA paragraph <script>alert(1)</script><a ' +
        'href="javascript:x" onclick="y">link</a>',
      excerpt: 'Short & sweet',
    }
    const event = await createEvent(sent, 'author')
    match(event.title, /^Fish &#038; /)
    doesNotMatch(event.title, /<chips>/)
    match(event.description, /^<p>One line<br \/>\nand another<\/p>\n<p>A paragraph/)
    doesNotMatch(event.description, /<script|javascript:|onclick/)
    match(event.excerpt, /^<p>Short &(amp|#038); sweet<\/p>$/)
  })

  test('a sign that no database keeps is replaced at once, by creates and updates alike', async () => {
    const made = await createEvent({ title: 'a\0b', description: 'c\0d', slug: 'nul' })
    deepEqual([made.title, made.description], ['a\ufffdb', '<p>c\ufffdd</p>'])
    const changed = await update(made.id, { excerpt: 'e\0f' })
    equal(changed.excerpt, '<p>e\ufffdf</p>')
    deepEqual(withoutLinkedData(await read(`/events/${made.id}`)), changed)
    const linked = await createEvent({ venue: { venue: 'g\0h' }, tags: ['i\0j'] })
    deepEqual([linked.venue.venue, linked.tags[0].name], ['g\ufffdh', 'i\ufffdj'])
    const again = await createEvent({ venue: { venue: 'g\0h' }, tags: ['i\0j'] })
    deepEqual([again.venue.id, again.tags[0].id], [linked.venue.id, linked.tags[0].id])
    const found = await read(`/events?${MAY}&search=a%00b`, 'anonymous')
    deepEqual(pluck(found.events, 'id'), [made.id])
  })

  test('half of a sign beyond the basic plane is replaced at once, wherever it stands', async () => {
    const half = '\ud83c'
    const sent = {
      title: `a${half}b`,
      description: `c${half}`.repeat(20_000),
      cost: [`5${half}`],
      website: `https://example.org/${half}`,
      venue: { venue: `d${half}`, city: half },
      tags: [`e${half}`],
      access_note: `f${half}\udf8f g${half}`,
    }
    const made = await createEvent(sent)
    equal(made.title, 'a\ufffdb')
    equal(made.access_note, 'f\ud83c\udf8f g\ufffd')
    const shown = async () => withoutLinkedData(await read(`/events/${made.id}`))
    deepEqual(await shown(), made)
    const changed = await update(made.id, { excerpt: `h${half}`, venue: { venue: `i${half}` } })
    deepEqual(await shown(), changed)
  })
})

describe('times', () => {
  // Time zones, and 10:00 and 12:00 there in UTC (rule 18.2).
  const ZONES = [
    [undefined, '15:00', '17:00'],
    ['Europe/Rome', '09:00', '11:00'],
    ['UTC', '10:00', '12:00'],
    ['UTC+2', '08:00', '10:00'],
    ['UTC-4.5', '14:30', '16:30'],
    ['UTC+5:30', '04:30', '06:30'],
    ['+02:00', '08:00', '10:00'],
    ['EST', '15:00', '17:00'],
  ] as const

  test('times are kept as they are on clocks of the time zone, and in UTC', async () => {
    const day = '2026-12-10'
    for (const [timezone, ...utc] of ZONES) {
      const sent = { start_date: `${day} 10:00:00`, end_date: `${day} 12:00:00`, timezone }
      const { start_date, end_date, utc_start_date, utc_end_date } = await createEvent(sent)
      deepEqual([start_date, end_date], [sent.start_date, sent.end_date], timezone)
      deepEqual(
        [utc_start_date, utc_end_date],
        utc.map((time) => `${day} ${time}:00`),
        timezone,
      )
    }
  })

  // Start and end as they are sent, other fields; then both as they are shown, and in UTC (rules 18.1 to
  // 18.5).
  const VECTORS: readonly (readonly [sent: object, shown: string, inUtc: string])[] = [
    [
      { start_date: '2026-12-10', end_date: '2026-12-11' },
      '2026-12-10 00:00:00 – 2026-12-11 00:00:00',
      '2026-12-10 05:00:00 – 2026-12-11 05:00:00',
    ],
    [
      { start_date: '2026-12-10', end_date: '2026-12-12', all_day: true },
      '2026-12-10 00:00:00 – 2026-12-12 23:59:59',
      '2026-12-10 05:00:00 – 2026-12-13 04:59:59',
    ],
    [
      { start_date: '2026-12-10T10:00:00Z', end_date: '2026-12-10T12:00:00Z' },
      '2026-12-10 05:00:00 – 2026-12-10 07:00:00',
      '2026-12-10 10:00:00 – 2026-12-10 12:00:00',
    ],
    [
      { start_date: '2026-12-10T10:00:00+05:00', end_date: '2026-12-10 10:00', timezone: 'Europe/Rome' },
      '2026-12-10 06:00:00 – 2026-12-10 10:00:00',
      '2026-12-10 05:00:00 – 2026-12-10 09:00:00',
    ],
    [
      { start_date: '1796000000', end_date: 1796003600 },
      '2026-11-29 19:53:20 – 2026-11-29 20:53:20',
      '2026-11-30 00:53:20 – 2026-11-30 01:53:20',
    ],
    [
      { start_date: '2026-12-10 10:00:00', end_date: '2026-12-10 09:00:00' },
      '2026-12-10 10:00:00 – 2026-12-10 10:00:00',
      '2026-12-10 15:00:00 – 2026-12-10 15:00:00',
    ],
    [
      { start_date: '2026-02-30 10:00:00', end_date: '2026-03-05 10:00:00' },
      '2026-03-02 10:00:00 – 2026-03-05 10:00:00',
      '2026-03-02 15:00:00 – 2026-03-05 15:00:00',
    ],
    [
      { start_date: '2027-03-14 02:30:00', end_date: '2027-03-14 04:00:00' },
      '2027-03-14 03:30:00 – 2027-03-14 04:00:00',
      '2027-03-14 07:30:00 – 2027-03-14 08:00:00',
    ],
    [
      { start_date: '2027-11-07 01:30:00', end_date: '2027-11-07 03:00:00' },
      '2027-11-07 01:30:00 – 2027-11-07 03:00:00',
      '2027-11-07 05:30:00 – 2027-11-07 08:00:00',
    ],
  ]

  test('dates in every form are stored as local and UTC time', async () => {
    for (const [sent, ...expected] of VECTORS) {
      const { start_date, end_date, utc_start_date, utc_end_date } = await createEvent(sent)
      const stored = [`${start_date} – ${end_date}`, `${utc_start_date} – ${utc_end_date}`]
      deepEqual(stored, expected, JSON.stringify(sent))
    }
  })

  test('what is no date or no time zone is refused by name', async () => {
    for (const start_date of ['31/12/2026', 'garbage', '', '0', 0, '2026-12-10 25:00:00', [], {}, true])
      await assertInvalid({ start_date }, 'start_date')
    for (const timezone of ['Mars/Olympus', 'UTC+99', 'x', 5, [], '+15:00'])
      await assertInvalid({ timezone }, 'timezone')
  })

  test('an empty time zone means that of the site, on create and on update', async () => {
    const event = await createEvent({ timezone: '' })
    equal(event.timezone, 'America/New_York')
    const moved = await update(event.id, { timezone: 'Asia/Tokyo' })
    equal((await update(moved.id, { timezone: '' })).utc_start_date, event.utc_start_date)
  })

  test('all_day can be switched on and off by an update, and new dates fall in with it', async () => {
    const event = await createEvent()
    const whole = await update(event.id, { all_day: true })
    deepEqual([whole.start_date, whole.end_date], ['2027-05-01 00:00:00', '2027-05-01 23:59:59'])
    const moved = await update(event.id, { end_date: '2027-05-03 15:00:00' })
    deepEqual([moved.start_date, moved.end_date], ['2027-05-01 00:00:00', '2027-05-03 23:59:59'])
    const part = await update(event.id, { all_day: false, start_date: '2027-05-01 08:00:00' })
    deepEqual([part.all_day, part.start_date], [false, '2027-05-01 08:00:00'])
  })
})

describe('partial updates', () => {
  const RICH = {
    title: 'Rich',
    description: 'Long',
    excerpt: 'Short',
    slug: 'rich-event',
    date: '2020-01-02 03:04:05',
    timezone: 'Europe/Rome',
    cost: '$10',
    website: 'https://example.org/rich',
    show_map: true,
    show_map_link: true,
    hide_from_listings: true,
    sticky: true,
    featured: true,
    categories: ['Kept'],
    tags: ['kept'],
    venue: { venue: 'Kept Hall' },
    organizer: [{ organizer: 'Kept Club' }],
  }

  test('each field changes alone by POST, PUT and PATCH, nothing else but the time of change', async () => {
    const other = {
      venue: await create('/venues', { venue: 'Other Hall' }),
      organizer: await create('/organizers', { organizer: 'Other Club' }),
    }
    const dates = (name: string) => [`${name}_date`, `${name}_date_details`]
    const changes: Record<string, [sent: unknown, changed: string[]]> = {
      title: ['Renamed', ['title']],
      description: ['Longer', ['description']],
      excerpt: ['Shorter', ['excerpt']],
      slug: ['richer-event', ['slug', 'url']],
      date: ['2019-01-02 03:04:05', ['date', 'date_utc']],
      status: ['draft', ['status', 'url']],
      timezone: ['UTC', ['timezone', 'timezone_abbr', ...dates('utc_start'), ...dates('utc_end')]],
      start_date: ['2027-05-01 09:00:00', [...dates('start'), ...dates('utc_start')]],
      end_date: ['2027-05-01 13:00:00', [...dates('end'), ...dates('utc_end')]],
      cost: ['$20', ['cost', 'cost_details']],
      website: ['https://example.org/richer', ['website']],
      show_map: [false, ['show_map']],
      show_map_link: ['0', ['show_map_link']],
      hide_from_listings: ['False', ['hide_from_listings']],
      sticky: [0, ['sticky']],
      featured: ['false', ['featured']],
      author: [service.userIds.editor, ['author']],
      categories: [[], ['categories']],
      tags: [['kept', 'new'], ['tags']],
      venue: [other.venue.id, ['venue']],
      organizer: [[other.organizer.id], ['organizer']],
    }
    let n = 0
    for (const [name, [sent, changed]] of Object.entries(changes)) {
      const { id } = await createEvent({ ...RICH, slug: `rich-${name}` })
      const before = withoutLinkedData(await read(`/events/${id}`))
      const method = ['POST', 'PUT', 'PATCH'][n++ % 3] ?? 'PUT'
      const { status, body } = await service.request('admin', method, `/events/${id}`, { [name]: sent })
      equal(status, 200, JSON.stringify(body))
      const touched = Object.keys(before).filter(
        (key) => JSON.stringify(before[key]) !== JSON.stringify(body[key]),
      )
      const ignored = ['modified', 'modified_utc', ...(name === 'status' ? ['categories', 'tags'] : [])]
      deepEqual(touched.filter((key) => !ignored.includes(key)).sort(), [...changed].sort(), name)
    }
  })

  test('changes made at the same time to different fields all stay', async () => {
    const { id } = await createEvent({
      title: 'Contended',
      status: 'draft',
      venue: { venue: 'Contended Hall' },
    })
    const changes = {
      title: 'Settled',
      status: 'private',
      ...onDay('2027-05-01', '09:00:00', '14:00:00'),
      cost: '$5',
      author: service.userIds.editor,
      date: '2020-01-01 00:00:00',
      categories: ['Contended'],
      tags: ['contended'],
      venue: '',
      organizer: { organizer: 'Contenders' },
      timezone: 'Europe/Rome',
    }
    for (let round = 0; round < 3; round++)
      await Promise.all(Object.entries(changes).map(([name, value]) => update(id, { [name]: value })))
    const event = await read(`/events/${id}`)
    const shown = {
      ...{ ...changes, author: String(changes.author), venue: [] },
      ...{ categories: event.categories, tags: event.tags, organizer: event.organizer },
    }
    deepEqual(Object.fromEntries(Object.keys(changes).map((name) => [name, event[name]])), shown)
    deepEqual(names([...event.categories, ...event.tags], 'name'), ['Contended', 'contended'])
    deepEqual(names(event.organizer, 'organizer'), ['Contenders'])
    deepEqual(names([...event.categories, ...event.tags], 'count'), [0, 0])
  })

  test('empty values clear what can be cleared', async () => {
    const { id } = await createEvent(RICH)
    const texts = { description: '', excerpt: '', cost: '', website: '' }
    const empty = { ...texts, categories: '', tags: [], venue: '', organizer: [] }
    const { body } = await service.request('admin', 'PATCH', `/events/${id}`, empty)
    deepEqual(
      [body.description, body.excerpt, body.cost, body.categories, body.tags, body.venue, body.organizer],
      ['', '', '', [], [], [], []],
    )
    equal(body.website, body.url)
    const { body: form } = await service.post(
      '/events',
      new URLSearchParams({ ...DAY, cost: '', website: '', venue: '', organizer: '' }),
    )
    deepEqual([form.cost, form.venue, form.organizer], ['', [], []])
    const lists = new URLSearchParams({ 'categories[]': '', 'tags[]': '', 'venue[]': '', 'organizer[]': '' })
    const { id: other } = await createEvent({ ...RICH, slug: 'cleared' })
    const { body: cleared } = await service.put(`/events/${other}`, lists)
    deepEqual([cleared.categories, cleared.tags, cleared.venue, cleared.organizer], [[], [], [], []])
  })

  test('read-only members and unknown ones are passed over, and what is wrong changes nothing', async () => {
    const event = await createEvent(RICH)
    const times = { utc_start_date: '2020-01-01 00:00:00', modified: '2020-01-01 00:00:00' }
    const others = { start_date_details: { year: '1999' }, json_ld: {}, nonsense: [1] }
    const updated = await update(event.id, {
      id: 1,
      global_id: 'x',
      url: 'y',
      rest_url: 'z',
      ...times,
      ...others,
    })
    const shown = ({ id, url, utc_start_date }: Body) => [id, url, utc_start_date]
    deepEqual(shown(updated), shown(event))
    const wrong = { title: 'Half', website: 'no address', venue: 987654 }
    const { status, body } = await service.put(`/events/${event.id}`, wrong)
    deepEqual([status, Object.keys(body.data.params)], [400, ['website', 'venue']])
    equal((await read(`/events/${event.id}`)).title, 'Rich')
  })
})

describe('venues and organizers of an event', () => {
  test('lists mix ids, records with ids and new records, in order, each once', async () => {
    const [a, b] = [
      await create('/organizers', { organizer: 'Ada' }),
      await create('/organizers', { organizer: 'Ben' }),
    ]
    const { organizer } = await createEvent({
      organizer: [b.id, { organizer: 'Cleo' }, { id: String(a.id) }, String(b.id), { organizer: 'ADA' }],
    })
    deepEqual(names(organizer, 'organizer'), ['Ben', 'Cleo', 'Ada'])
    const [one, two] = [
      await create('/venues', { venue: 'First Stage' }),
      await create('/venues', { venue: 'Second Stage' }),
    ]
    const { venue } = await createEvent({ venue: [two.id, { id: one.id }, { venue: 'Third Stage' }] })
    deepEqual(names(venue, 'venue'), ['Second Stage', 'First Stage', 'Third Stage'])
    for (const alone of [
      [one.id],
      String(one.id),
      [String(one.id)],
      { id: one.id },
      [{ venue: 'First Stage' }],
    ])
      equal((await createEvent({ venue: alone })).venue.id, one.id, JSON.stringify(alone))
    const both = await createEvent({ venue: `${two.id},${one.id}` })
    deepEqual(names(both.venue, 'id'), [two.id, one.id])
  })

  test('forms name them in brackets', async () => {
    const form = new URLSearchParams({ ...DAY, 'venue[venue]': 'Form Hall', 'venue[city]': 'Formby' })
    for (const [i, name] of ['Form Club', 'Form Union'].entries())
      form.append(`organizer[${i}][organizer]`, name)
    for (const name of ['Form Kind', 'Form Sort']) form.append('categories[]', name)
    const { status, body } = await service.post('/events', form)
    equal(status, 201, JSON.stringify(body))
    deepEqual([body.venue.venue, body.venue.city], ['Form Hall', 'Formby'])
    deepEqual(names(body.organizer, 'organizer'), ['Form Club', 'Form Union'])
    deepEqual(names(body.categories, 'name'), ['Form Kind', 'Form Sort'])
  })

  test('unknown ids, ids of another kind, nameless records and bad details are refused by name', async () => {
    const event = await createEvent({ venue: { venue: 'Any' }, organizer: { organizer: 'Any' } })
    const unknown = [987654, 'nowhere', event.organizer[0].id, event.id, true, [event.venue.id, 987654]]
    const nameless = [{ city: 'x' }, { venue: '' }, { venue: ' ' }]
    const details = [{ website: 'no address' }, { geo_lat: 91, geo_lng: 0 }, { status: 'x' }]
    for (const venue of [...unknown, ...nameless, ...details.map((each) => ({ venue: 'V', ...each }))])
      await assertInvalid({ venue }, 'venue')
    for (const organizer of [
      987654,
      'x',
      event.venue.id,
      { email: 'x' },
      { organizer: 'O', website: 'x' },
      [{}],
    ])
      await assertInvalid({ organizer }, 'organizer')
  })

  test('a failed create leaves no venue, organizer, category or tag behind', async () => {
    const nested = {
      venue: { venue: 'Half-built' },
      organizer: [{ organizer: 'Half-founded' }],
      categories: ['Half-baked'],
      tags: ['half'],
    }
    const failures: [object, Reader, number][] = [
      [{ author: service.userIds.admin }, 'author', 403],
      [{ image: 'http://127.0.0.1:1/none.png' }, 'admin', 400],
      [{ organizer: [{ organizer: 'Half-founded' }, 987654] }, 'admin', 400],
      [{ venue: { venue: 'Half-built', geo_lat: 1 } }, 'admin', 400],
      [{ start_date: 'never' }, 'admin', 400],
      [{ title: '' }, 'admin', 400],
    ]
    for (const [fields, as, status] of failures) {
      const answer = await service.post('/events', { ...DAY, ...nested, ...fields }, as)
      equal(answer.status, status, JSON.stringify(answer.body))
    }
    for (const path of ['/venues', '/organizers', '/categories', '/tags'])
      equal((await read(`${path}?search=half&hide_empty=false`)).total, 0, path)
  })
})

describe('categories and tags of an event', () => {
  test('they are named by id, slug, name, text with commas or objects, and new names are made', async () => {
    const { categories } = await createEvent({ categories: ['Live Music', 'Theatre'] })
    const [music, theatre] = categories
    const forms = [
      [music.id, theatre.id],
      [String(music.id), 'theatre'],
      'Live Music,Theatre',
      `${music.id}, theatre`,
      [music, theatre],
      [{ slug: 'live-music' }, { name: 'theatre' }],
      ['LIVE MUSIC', 'Theatre', music.id],
    ]
    for (const sent of forms) {
      const event = await createEvent({ categories: sent })
      deepEqual(names(event.categories, 'id').sort(), [music.id, theatre.id].sort(), JSON.stringify(sent))
    }
    deepEqual(names((await createEvent({ categories: music })).categories, 'id'), [music.id])
    equal((await read('/categories?search=music&hide_empty=false')).total, 1)
  })

  test('unknown ids are passed over, lists replace, null leaves and empty values clear', async () => {
    const event = await createEvent({ tags: ['one', 'two', 987654] })
    deepEqual(names(event.tags, 'name'), ['one', 'two'])
    deepEqual(names((await update(event.id, { tags: null })).tags, 'name'), ['one', 'two'])
    deepEqual(names((await update(event.id, { tags: ['three'] })).tags, 'name'), ['three'])
    deepEqual((await update(event.id, { tags: '' })).tags, [])
  })

  test('they are shown by name, and counted once the event is public', async () => {
    const event = await createEvent({ tags: ['zebra', 'apple', 'Mango'], status: 'draft' })
    deepEqual(names(event.tags, 'name'), ['apple', 'Mango', 'zebra'])
    deepEqual(names(event.tags, 'count'), [0, 0, 0])
    deepEqual(names((await update(event.id, { status: 'publish' })).tags, 'count'), [1, 1, 1])
    deepEqual(names((await update(event.id, { tags: ['apple'], status: 'private' })).tags, 'count'), [0])
    equal((await read('/tags?search=zebra&hide_empty=false')).tags[0].count, 0)
  })
})

describe('status', () => {
  test('an unknown status is refused by name, also one the reference uses inside', async () => {
    for (const status of ['', 'any', 'inherit', 'auto-draft', 'Publish', 1, ['draft'], {}])
      await assertInvalid({ status }, 'status')
  })

  test('a draft has no public address, date or slug of its own until it is published', async () => {
    const draft = await createEvent({ title: 'Not yet', status: 'draft' })
    deepEqual([draft.slug, draft.date_utc], ['', '0000-00-00 00:00:00'])
    equal(draft.url, `${service.origin}/?post_type=tribe_events&p=${draft.id}`)
    const published = await update(draft.id, { status: 'publish' })
    deepEqual([published.slug, published.url], ['not-yet', `${service.origin}/event/not-yet/`])
    notEqual(published.date_utc, '0000-00-00 00:00:00')
  })

  test('drafts may share a slug, and a published event is found by it before all of them', async () => {
    const drafts = [
      await createEvent({ slug: 'shared', status: 'draft' }),
      await createEvent({ slug: 'shared', status: 'pending' }),
    ]
    deepEqual(names(drafts, 'slug'), ['shared', 'shared'])
    equal((await read('/events/by-slug/shared')).id, drafts[0].id)
    const published = await createEvent({ title: 'Shared' })
    equal(published.slug, 'shared')
    equal((await read('/events/by-slug/shared', 'anonymous')).id, published.id)
    deepEqual(names([await update(drafts[0].id, { status: 'publish' })], 'slug'), ['shared-2'])
  })

  test('a record as read, with a publication date of zeros, can be posted back', async () => {
    const draft = await read(`/events/${(await createEvent({ title: 'Zeros', status: 'draft' })).id}`)
    equal(draft.date_utc, '0000-00-00 00:00:00')
    const { status, body } = await service.post('/events', draft)
    equal(status, 201, JSON.stringify(body))
    deepEqual([body.status, body.date_utc], ['draft', '0000-00-00 00:00:00'])
    const venue = await read(
      `/venues/${(await create('/venues', { venue: 'Zero Hall', status: 'draft' })).id}`,
    )
    equal((await service.post('/venues', { ...venue, venue: 'Zero Hall 2' })).status, 201)
  })

  test('what is scheduled becomes public at its time, by itself, and its terms count it', async () => {
    const inAnHour = wallOf(Date.now() + 3_600_000)
    const event = await createEvent({ title: 'Any moment now', date_utc: inAnHour, tags: ['soon'] })
    const asked = await createEvent({ title: 'Asked for future', status: 'future', date_utc: inAnHour })
    const venue = await create('/venues', { venue: 'Opening Soon', date_utc: inAnHour })
    const organizer = await create('/organizers', { organizer: 'Founding Soon', date_utc: inAnHour })
    for (const record of [event, asked, venue, organizer]) equal(record.status, 'future')
    equal((await service.get(`/events/${event.id}`)).status, 403)
    equal((await read(`/events?${MAY}&search=moment`, 'anonymous')).total, 0)
    const date_utc = wallOf(Date.now() + 2000)
    const { id } = event
    const paths = [
      `/events/${id}`,
      `/events/${asked.id}`,
      `/venues/${venue.id}`,
      `/organizers/${organizer.id}`,
    ]
    for (const path of paths) equal((await service.put(path, { date_utc })).status, 200)
    await until(
      async () => (await read(`/events?${MAY}&search=moment`, 'anonymous')).total === 1,
      'it is not listed',
    )
    for (const path of paths)
      await until(async () => (await service.get(path)).status === 200, `${path} is not public`)
    const published = await read(`/events/${event.id}`, 'anonymous')
    deepEqual([published.status, published.date_utc, published.tags[0].count], ['publish', date_utc, 1])
    equal((await service.get(`/events/${asked.id}`)).body.status, 'publish')
    ok(Date.parse(`${date_utc.replace(' ', 'T')}Z`) <= Date.now())
  })

  test('a publication date ahead schedules, one that has come publishes, local and in UTC', async () => {
    const scheduled = await createEvent({ date: '2035-06-01 00:00:00' })
    deepEqual([scheduled.status, scheduled.date_utc], ['future', '2035-06-01 04:00:00'])
    equal((await update(scheduled.id, { date: '2020-06-01 00:00:00' })).status, 'publish')
    const past = await createEvent({ status: 'future', date_utc: '2020-06-01T02:00:00+02:00' })
    deepEqual(
      [past.status, past.date_utc, past.date],
      ['publish', '2020-06-01 00:00:00', '2020-05-31 20:00:00'],
    )
  })
})

describe('trash', () => {
  test('a removed event is shown in the trash, frees its slug, leaves lists, can be restored', async () => {
    const event = await createEvent({ title: 'Thrown away', tags: ['thrown'] })
    const removed = (await service.remove(`/events/${event.id}`)).body
    deepEqual([removed.status, removed.slug], ['trash', 'thrown-away__trashed'])
    equal(removed.url, `${service.origin}/?post_type=tribe_events&p=${event.id}`)
    equal(removed.json_ld, undefined)
    equal((await service.get('/events/by-slug/thrown-away')).status, 400)
    equal((await read('/events/by-slug/thrown-away__trashed')).id, event.id)
    for (const as of ['anonymous', 'admin'] as const)
      equal((await read(`/events?${MAY}&search=thrown`, as)).total, 0)
    equal((await read(`/events?${MAY}&search=thrown&status=trash`)).total, 1)
    equal((await read(`/tags/${event.tags[0].id}`)).count, 0)
    const again = await service.remove(`/events/${event.id}`)
    deepEqual([again.status, again.body.code], [410, 'event-is-in-trash'])

    equal((await createEvent({ title: 'Thrown away' })).slug, 'thrown-away')
    equal((await update(event.id, { description: 'Edited where it lies' })).status, 'trash')
    const restored = await update(event.id, { status: 'publish' })
    deepEqual([restored.status, restored.slug], ['publish', 'thrown-away-2'])
    equal((await read(`/tags/${event.tags[0].id}`)).count, 1)
  })
})

describe('copies', () => {
  test('a whole event as read, posted back, makes a copy', async () => {
    const image = await create('/venues', { venue: 'Pictured', image: `${pictures.url}/wide.png` })
    const made = await createEvent({
      title: 'Copy & paste "this"',
      description:
        '<p>Some <em>text</em> &amp; more</p>\nAnd a <a href="https://example.org/?a=1&b=2">link</a>',
      excerpt: 'An excerpt',
      slug: 'copied',
      date: '2021-02-03 04:05:06',
      timezone: 'Europe/Rome',
      cost: '$10 - $20',
      website: 'https://example.org/?a=1&b=2',
      sticky: true,
      featured: true,
      show_map: true,
      image: image.image.id,
      categories: ['Copies', 'Arts & Letters'],
      tags: ['copy'],
      venue: [{ venue: 'Copy Hall & Co', city: 'Rome' }, { venue: 'Annex' }],
      organizer: [{ organizer: 'Copyists' }, { organizer: 'Scribes', email: 'scribes@example.org' }],
    })
    const original = await read(`/events/${made.id}`)
    const { status, body } = await service.post('/events', original)
    equal(status, 201, JSON.stringify(body))
    notEqual(body.id, original.id)
    deepEqual(comparable(body), comparable(original))
    deepEqual(body.image, original.image)
    for (const path of [
      'venues?search=copy',
      'organizers?search=copyists',
      'categories?search=copies',
      'tags?search=copy',
    ])
      equal((await read(`/${path}`)).total, 1, path)
  })

  test('an event as read, put back where it was read, stays as it is', async () => {
    for (const status of ['publish', 'draft', 'private', 'pending']) {
      const { id } = await createEvent({
        title: `As it was: ${status}`,
        status,
        description: 'a\n\nb',
        cost: 'Free',
        all_day: true,
      })
      const before = await read(`/events/${id}`)
      const { modified: _at, modified_utc: _utc, ...expected } = withoutLinkedData(before)
      const { modified, modified_utc, ...after } = await update(id, before)
      deepEqual(after, expected)
    }
  })
})

function comparable(event: Body): Body {
  const { categories, tags, ...rest } = withoutLinkedData(event)
  for (const name of 'id global_id global_id_lineage url rest_url slug modified modified_utc'.split(' '))
    delete rest[name]
  return { ...rest, categories: names(categories, 'id'), tags: names(tags, 'id') }
}

describe('images', () => {
  test('the same address, the address here, id and object name the image that is known', async () => {
    const { image } = await createEvent({ image: `${pictures.url}/square.png` })
    const visits = pictures.visits.length
    for (const sent of [`${pictures.url}/square.png`, image.url, image.id, String(image.id), image]) {
      const event = await createEvent({
        image: sent,
        venue: { venue: `Square ${JSON.stringify(sent)}`, image: sent },
      })
      deepEqual([event.image.id, event.venue.image.id], [image.id, image.id])
    }
    equal(pictures.visits.length, visits)
  })

  test('an image is replaced, kept and removed by an update', async () => {
    const event = await createEvent({ image: `${pictures.url}/wide.png` })
    equal((await update(event.id, { title: 'Same picture' })).image.id, event.image.id)
    const square = (await update(event.id, { image: `${pictures.url}/square.png` })).image
    notEqual(square.id, event.image.id)
    for (const empty of ['', 0, '0', false]) {
      await update(event.id, { image: square.id })
      equal((await update(event.id, { image: empty })).image, false)
    }
  })

  test('what gives no image is refused by name, and so is any address without the right', async () => {
    for (const path of ['/missing.png', '/page.html', '/lying.png'])
      await assertInvalid({ image: pictures.url + path }, 'image')
    const addresses = ['http://127.0.0.1:1/refused.png', 'ftp://127.0.0.1/x.png', 'x']
    for (const image of [...addresses, 987654, '-1', {}, { id: 987654 }, true])
      await assertInvalid({ image }, 'image')
    const sent = { ...DAY, image: `${pictures.url}/wide.png` }
    const { status, body } = await service.post('/events', sent, 'contributor')
    deepEqual([status, Object.keys(body.data.params)], [400, ['image']])
  })
})

const wallOf = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ')

const pictures = { url: '', visits: [] as string[], close: () => {} }
const sendPicture: RequestListener = async (request, response) => {
  const path = request.url ?? ''
  pictures.visits.push(path)
  const [width, height] = path.startsWith('/wide') ? [900, 600] : [200, 200]
  if (path === '/wide.png' || path === '/square.png') {
    const bytes = await drawPng(width, height, '#357')
    response.writeHead(200, { 'content-type': 'image/png' }).end(bytes)
  } else if (path === '/lying.png')
    response.writeHead(200, { 'content-type': 'image/png' }).end('<html></html>')
  else if (path === '/page.html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
  else response.writeHead(404).end()
}
before(async () => {
  await service.ready
  const { origin, close } = await startServer(sendPicture)
  Object.assign(pictures, { url: origin, close })
})
after(() => pictures.close())

test('events created at once get their own slugs, count for terms, and have their writers', async () => {
  const tag = await service.create('/tags', { name: 'at once' })
  const category = await service.create('/categories', { name: 'At once' })
  const hall = await service.create('/venues', { venue: 'Hall of many' })
  const writers = ['admin', 'editor'] as const
  const sent = Array.from({ length: 24 }, (_, i) => ({
    as: writers[i % 2] ?? 'admin',
    body: {
      ...DAY,
      title: i % 3 === 0 ? 'The same' : `Another ${i}`,
      status: i % 8 === 7 ? 'draft' : 'publish',
      tags: i % 2 === 0 ? [tag.id] : [],
      categories: [category.id],
      venue: hall.id,
    },
  }))
  const answers = await Promise.all(sent.map(({ as, body }) => service.post('/events', body, as)))
  for (const [i, { status, body }] of answers.entries()) {
    equal(status, 201, JSON.stringify(body))
    equal(body.title, sent[i]?.body.title)
    equal(body.venue.id, hall.id)
    // The counts of shared terms have changed by the time the event is read.
    deepEqual(withoutCounts(body), withoutCounts(await read(`/events/${body.id}`)))
  }
  const published = answers.filter(({ body }) => body.status === 'publish')
  equal(new Set(published.map(({ body }) => body.slug)).size, published.length)
  equal((await service.get(`/categories/${category.id}`)).body.count, published.length)
  equal(
    (await service.get(`/tags/${tag.id}`)).body.count,
    published.filter(({ body }) => body.tags.length > 0).length,
  )
  const ids = answers.map(({ body }) => body.id)
  const acts = await service.app.database.read
    .selectFrom('history')
    .select(['record', 'user', 'action', 'name'])
    .where('kind', '=', 'event')
    .where('record', 'in', ids)
    .execute()
  const expected = answers.map(({ body }, i) => ({
    record: body.id,
    user: service.userIds[sent[i]?.as ?? 'admin'],
    action: 'create',
    name: body.title,
  }))
  const inOrder = <Row extends { record: number }>(rows: Row[]) => rows.sort((a, b) => a.record - b.record)
  deepEqual(inOrder(acts), inOrder(expected))
})

test('an event that the database fails to write takes down no other', onSqlite, async () => {
  const { write } = service.app.database
  const tag = await service.create('/tags', { name: 'failing' })
  await write((tx) =>
    sql`create trigger failing before insert on event_terms when new.term = ${sql.lit(tag.id)}
      begin select raise(abort, 'on purpose'); end`.execute(tx),
  )
  const sent = Array.from({ length: 9 }, (_, i) => ({ ...DAY, tags: i === 4 ? [tag.id] : [] }))
  const answers = await Promise.all(sent.map((body) => service.post('/events', body)))
  deepEqual(
    pluck(answers, 'status'),
    sent.map(({ tags }) => (tags.length > 0 ? 500 : 201)),
  )
  await write((tx) => sql`drop trigger failing`.execute(tx))
})

function withoutCounts(event: Body): Body {
  return JSON.parse(
    JSON.stringify(withoutLinkedData(event), (name, value) => (name === 'count' ? undefined : value)),
  )
}
