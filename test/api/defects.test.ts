// Numbered cases in which the service intentionally differs from the reference service (docs/compatibility.md), each with a test.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Reader, startService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

const DAY = { title: 'A day out', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 12:00:00' }
const MAY = 'start_date=2027-05-01&end_date=2027-05-31'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Body = any

async function create(path: string, record: object, as: Reader = 'admin'): Promise<Body> {
  const { status, body } = await service.post(path, record, as)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const createEvent = (fields: object = {}, as?: Reader) => create('/events', { ...DAY, ...fields }, as)

async function update(path: string, fields: object, as: Reader = 'admin'): Promise<Body> {
  const { status, body } = await service.request(as, 'PATCH', path, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function read(path: string, as: Reader = 'admin'): Promise<Body> {
  const { status, body } = await service.get(path, as)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Asserts a refusal. `params` are the names that its details must have. */
async function refused(
  [as, method, path, body]: [Reader, string, string, object?],
  status: number,
  code: string,
  params?: string[],
): Promise<Body> {
  const answer = await service.request(as, method, path, body)
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.code, code)
  assert.equal(answer.body.data.status, status)
  if (params) assert.deepEqual(Object.keys(answer.body.data.params), params)
  return answer.body
}

const titles = (list: Body) => list.events.map((event: Body) => event.title)
const names = (records: Body[], key: string) => [records].flat().map((record) => record[key])

describe('updates of events', () => {
  test("1: an update without status leaves the status, a contributor's as well as an editor's", async () => {
    const draft = await createEvent({ status: 'draft' })
    assert.equal((await update(`/events/${draft.id}`, { title: 'Still a draft' })).status, 'draft')
    const pending = await createEvent({ status: 'pending' }, 'contributor')
    assert.equal((await update(`/events/${pending.id}`, { title: 'Still pending' }, 'contributor')).status, 'pending')
    const hidden = await createEvent({ status: 'private' })
    assert.equal((await update(`/events/${hidden.id}`, { title: 'Still private' })).status, 'private')
  })

  test('2: an update without date leaves the publication date, and a scheduled event scheduled', async () => {
    const event = await createEvent({ date: '2020-02-03 04:05:06' })
    const updated = await update(`/events/${event.id}`, { title: 'Later' })
    assert.deepEqual([updated.date, updated.date_utc], ['2020-02-03 04:05:06', '2020-02-03 09:05:06'])
    const scheduled = await createEvent({ date: '2035-01-01 00:00:00' })
    assert.equal((await update(`/events/${scheduled.id}`, { title: 'Later still' })).status, 'future')
  })

  test('3: an update without timezone leaves it, and a new one keeps the wall clock and recomputes UTC', async () => {
    const event = await createEvent({ timezone: 'Europe/Rome' })
    const untouched = await update(`/events/${event.id}`, { title: 'In Rome' })
    assert.deepEqual([untouched.timezone, untouched.utc_start_date], ['Europe/Rome', '2027-05-01 08:00:00'])
    const moved = await update(`/events/${event.id}`, { timezone: 'Asia/Tokyo' })
    assert.deepEqual(
      [moved.timezone, moved.start_date, moved.utc_start_date, moved.utc_end_date],
      ['Asia/Tokyo', '2027-05-01 10:00:00', '2027-05-01 01:00:00', '2027-05-01 03:00:00'],
    )
  })

  test('4: an update leaves cost, website, image, organizers and flags that were not sent', async () => {
    const fields = {
      cost: '$10',
      website: 'https://example.org/a',
      organizer: [{ organizer: 'Steady Hands' }],
      show_map: true,
      show_map_link: true,
      hide_from_listings: true,
      sticky: true,
      featured: true,
    }
    const image = await uploadImage()
    const before = await createEvent({ ...fields, image })
    const { modified, modified_utc, title, ...rest } = await update(`/events/${before.id}`, { title: 'Renamed' })
    const { modified: _at, modified_utc: _utc, title: _title, ...expected } = before
    assert.deepEqual(rest, expected)
    assert.equal(rest.image.id, image)
  })

  test('5: an update without all_day leaves it', async () => {
    const event = await createEvent({ all_day: true })
    const updated = await update(`/events/${event.id}`, { title: 'All day long' })
    assert.deepEqual(
      [updated.all_day, updated.start_date, updated.end_date],
      [true, '2027-05-01 00:00:00', '2027-05-01 23:59:59'],
    )
  })

  test('6: start_date or end_date alone is applied', async () => {
    const event = await createEvent()
    const later = await update(`/events/${event.id}`, { end_date: '2027-05-01 13:00:00' })
    assert.deepEqual([later.start_date, later.end_date], ['2027-05-01 10:00:00', '2027-05-01 13:00:00'])
    const sooner = await update(`/events/${event.id}`, { start_date: '2027-05-01 09:00:00' })
    assert.deepEqual(
      [sooner.start_date, sooner.utc_start_date, sooner.end_date],
      ['2027-05-01 09:00:00', '2027-05-01 13:00:00', '2027-05-01 13:00:00'],
    )
  })

  test('7: an empty venue removes the venue, null or none keeps it', async () => {
    for (const empty of ['', [], 0, '0', false]) {
      const event = await createEvent({ venue: { venue: 'Removable Room' } })
      assert.equal((await update(`/events/${event.id}`, { venue: null })).venue.venue, 'Removable Room')
      assert.equal((await update(`/events/${event.id}`, { title: 'Same room' })).venue.venue, 'Removable Room')
      assert.deepEqual((await update(`/events/${event.id}`, { venue: empty })).venue, [], JSON.stringify(empty))
    }
  })

  test('8: an empty description, excerpt or image clears it', async () => {
    const event = await createEvent({ description: 'Long', excerpt: 'Short', image: await uploadImage() })
    const cleared = await update(`/events/${event.id}`, { description: '', excerpt: '', image: '' })
    assert.deepEqual([cleared.description, cleared.excerpt, cleared.image], ['', '', false])
  })

  test('9: the path decides which event is meant, and a slug in the body of a by-slug update is the new slug', async () => {
    const [one, other] = [
      await createEvent({ title: 'One', slug: 'one' }),
      await createEvent({ title: 'Other', slug: 'other' }),
    ]
    assert.equal((await update(`/events/${one.id}`, { id: other.id, title: 'One more' })).id, one.id)
    assert.equal((await update(`/events/${one.id}?id=${other.id}`, { title: 'One again' })).id, one.id)
    assert.equal((await read(`/events/${one.id}?id=${other.id}`)).id, one.id)
    assert.equal((await read(`/events/by-slug/one?slug=other`)).id, one.id)
    assert.equal((await read(`/events/${other.id}`)).title, 'Other')
    const moved = await update('/events/by-slug/one', { slug: 'first' })
    assert.deepEqual([moved.id, moved.slug], [one.id, 'first'])
    assert.equal((await read('/events/by-slug/first')).id, one.id)
  })

  test('10: an update of an unknown slug is a 404, its reading and removal a 400', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      await refused(['admin', method, '/events/by-slug/nowhere', { title: 'x' }], 404, 'rest-event-not-found')
    for (const method of ['GET', 'DELETE'])
      await refused(['admin', method, '/events/by-slug/nowhere'], 400, 'rest_invalid_param', ['slug'])
  })
})

describe('permissions', () => {
  test('11: writing by slug needs the same right as by id', async () => {
    for (const [path, record] of Object.entries({
      '/events': { ...DAY, title: 'Kept as it is' },
      '/venues': { venue: 'Kept as it is' },
      '/organizers': { organizer: 'Kept as it is' },
    })) {
      const { id, slug, status } = await create(path, record, 'editor')
      for (const as of ['contributor', 'author'] as const) {
        for (const address of [`${path}/${id}`, `${path}/by-slug/${slug}`]) {
          await refused([as, 'PUT', address, { description: 'Mine' }], 403, 'rest_forbidden')
          await refused([as, 'DELETE', address], 403, 'rest_forbidden')
        }
      }
      const after = await read(`${path}/${id}`)
      assert.deepEqual([after.status, after.description ?? ''], [status, ''])
    }
  })

  test("12: lists show contributors and authors nobody else's drafts, pending and private records", async () => {
    for (const status of ['draft', 'pending', 'private'])
      await createEvent({ title: `Editor's ${status}`, status }, 'editor')
    await createEvent({ title: 'My own draft', status: 'draft' }, 'author')
    for (const query of ['', '&status=draft,pending,private', '&search=draft']) {
      const seen = await read(`/events?${MAY}&per_page=50${query}`, 'author')
      assert.ok(!titles(seen).some((title: string) => title.startsWith('Editor')), query)
      assert.ok(titles(seen).includes('My own draft'), query)
    }
    assert.ok(titles(await read(`/events?${MAY}&per_page=50&status=draft`, 'editor')).includes("Editor's draft"))
  })

  test('13: a contributor who asks for private or trash gets pending', async () => {
    for (const status of ['private', 'trash', 'publish', 'future'])
      assert.equal((await createEvent({ status }, 'contributor')).status, 'pending', status)
  })

  test("14: naming another author needs the right to edit others' records", async () => {
    const author = service.userIds.editor
    await refused(['author', 'POST', '/events', { ...DAY, author }], 403, 'rest_forbidden')
    const own = await createEvent({}, 'author')
    await refused(['author', 'PUT', `/events/${own.id}`, { author }], 403, 'rest_forbidden')
    assert.equal((await update(`/events/${own.id}`, { author }, 'editor')).author, String(author))
    assert.equal(
      (await createEvent({ author: service.userIds.author }, 'author')).author,
      String(service.userIds.author),
    )
  })

  test('15: terms that the caller may not make are passed over in an event', async () => {
    const [kept] = (await createEvent({ categories: ['Known kind'], tags: ['known word'] })).categories
    const sent = { categories: ['Known kind', 'Made up kind'], tags: ['known word', 'made up word'] }
    const contributors = await createEvent(sent, 'contributor')
    assert.deepEqual(names(contributors.categories, 'id'), [kept.id])
    assert.deepEqual(names(contributors.tags, 'name'), ['known word'])
    const authors = await createEvent(sent, 'author')
    assert.deepEqual(names(authors.categories, 'name'), ['Known kind', 'Made up kind'])
    assert.deepEqual(names(authors.tags, 'name'), ['known word'])
    assert.equal((await read('/tags?search=made+up&hide_empty=false')).total, 0)
  })

  test('16: unpublished and trashed venues and organizers are not shown inside events, and trashed ones can not be linked', async () => {
    const event = await createEvent({
      venue: [{ venue: 'Open Barn' }, { venue: 'Secret Barn', status: 'draft' }],
      organizer: [{ organizer: 'Open Crew' }, { organizer: 'Secret Crew', status: 'private' }],
    })
    const seen = await read(`/events/${event.id}`, 'anonymous')
    assert.equal(seen.venue.venue, 'Open Barn')
    assert.deepEqual(names(seen.organizer, 'organizer'), ['Open Crew'])
    const [open] = event.venue
    await service.remove(`/venues/${open.id}`)
    assert.deepEqual((await read(`/events/${event.id}`, 'anonymous')).venue, [])
    await refused(['admin', 'POST', '/events', { ...DAY, venue: open.id }], 400, 'rest_invalid_param', ['venue'])
    await refused(['admin', 'PUT', `/events/${event.id}`, { venue: [open.id] }], 400, 'rest_invalid_param', ['venue'])
  })

  test('17: _method and X-HTTP-Method-Override count on POST alone', async () => {
    const event = await createEvent()
    const path = `/events/${event.id}`
    const override = { 'x-http-method-override': 'DELETE' }
    assert.equal((await service.get(`${path}?_method=DELETE`, 'admin')).status, 200)
    assert.equal((await service.request('admin', 'GET', path, undefined, override)).status, 200)
    assert.equal((await service.request('admin', 'PUT', path, { title: 'Here' }, override)).body.status, 'publish')
    assert.equal(
      (await service.request('admin', 'POST', `${path}?_method=PATCH`, { title: 'There' })).body.title,
      'There',
    )
    assert.equal((await service.request('admin', 'POST', path, undefined, override)).body.status, 'trash')
    await refused(['admin', 'POST', `${path}?_method=DELETE`], 410, 'event-is-in-trash')
  })
})

describe('dates and zones', () => {
  test('18: an end before the start becomes the start, in local and UTC time, and the event is listed', async () => {
    const event = await createEvent({ title: 'Backwards', end_date: '2027-05-01 09:00:00' })
    assert.deepEqual(
      [event.start_date, event.end_date, event.utc_start_date, event.utc_end_date],
      ['2027-05-01 10:00:00', '2027-05-01 10:00:00', '2027-05-01 14:00:00', '2027-05-01 14:00:00'],
    )
    assert.deepEqual(titles(await read(`/events?${MAY}&search=backwards`)), ['Backwards'])
  })

  test('19: offsets and timestamps are converted to the zone of the event', async () => {
    const rome = { timezone: 'Europe/Rome' }
    for (const [start_date, expected, zone] of [
      ['2027-04-05T14:00:00Z', '2027-04-05 16:00:00', rome],
      ['2027-04-05T14:00:00+09:00', '2027-04-05 07:00:00', rome],
      ['2027-04-05T14:00:00Z', '2027-04-05 10:00:00', {}],
      ['1796000000', '2026-11-29 19:53:20', {}],
      ['1796000000', '2026-11-30 01:53:20', rome],
    ] as const) {
      const event = await createEvent({ ...zone, start_date, end_date: start_date })
      assert.equal(event.start_date, expected)
    }
    const event = await createEvent({ start_date: '2027-04-05T14:00:00Z', end_date: '2027-04-05T15:00:00Z' })
    assert.deepEqual([event.utc_start_date, event.utc_end_date], ['2027-04-05 14:00:00', '2027-04-05 15:00:00'])
  })

  test('20: numbers for dates and images, flags of venues, and null for any optional field are taken', async () => {
    const image = await uploadImage()
    const event = await createEvent({ start_date: 1796000000, end_date: 1796003600, image })
    assert.deepEqual([event.start_date, event.image.id], ['2026-11-29 19:53:20', image])
    const venue = await create('/venues', { venue: 'Unmapped', show_map: false, show_map_link: 'false', image })
    assert.deepEqual([venue.show_map, venue.show_map_link, venue.image.id], [false, false, image])
    const none = Object.fromEntries(
      [
        'description',
        'slug',
        'excerpt',
        'status',
        'timezone',
        'all_day',
        'image',
        'cost',
        'website',
        'featured',
        'venue',
      ]
        .concat(['organizer', 'categories', 'tags', 'author', 'date', 'date_utc', 'show_map', 'sticky'])
        .map((name) => [name, null]),
    )
    assert.equal((await createEvent(none)).status, 'publish')
    assert.equal((await update(`/events/${event.id}`, none)).image.id, image)
  })

  test('21: offsets given as time zones are fixed, in summer too', async () => {
    for (const [timezone, utc] of [
      ['UTC-5.5', '2027-07-01 15:30:00'],
      ['UTC+1', '2027-07-01 09:00:00'],
      ['UTC-5', '2027-07-01 15:00:00'],
      ['UTC-8', '2027-07-01 18:00:00'],
      ['UTC+5:45', '2027-07-01 04:15:00'],
      ['+02:00', '2027-07-01 08:00:00'],
    ] as const) {
      const event = await createEvent({ timezone, start_date: '2027-07-01 10:00:00', end_date: '2027-07-01 10:00:00' })
      assert.deepEqual([event.timezone, event.utc_start_date, event.start_date], [timezone, utc, '2027-07-01 10:00:00'])
    }
  })

  test('22: the start date "0" is refused', async () => {
    for (const start_date of ['0', 0])
      await refused(['admin', 'POST', '/events', { ...DAY, start_date }], 400, 'rest_invalid_param', ['start_date'])
  })
})

describe('costs', () => {
  const costOf = async (cost: unknown) => {
    const event = await createEvent({ cost })
    const { currency_symbol, currency_position, values } = event.cost_details
    return [event.cost, currency_symbol, currency_position, values]
  }

  test('23: a cost of 0 is free, on create and on update', async () => {
    for (const cost of ['0', 0]) {
      const event = await createEvent({ cost })
      assert.equal(event.cost, 'Free')
      assert.deepEqual(event.cost_details.values, ['0'])
      const paid = await createEvent({ cost: '10' })
      assert.equal((await update(`/events/${paid.id}`, { cost })).cost, 'Free')
    }
  })

  test('24: thousands with decimals and several prices are read as what they are', async () => {
    assert.deepEqual(await costOf('$1,000.50'), ['$1,000.50', '$', 'prefix', ['1000.50']])
    assert.deepEqual((await costOf('1,000.50'))[3], ['1000.50'])
    assert.deepEqual((await costOf('1.000,50'))[3], ['1000.50'])
    assert.deepEqual(await costOf('$10, $20'), ['$10 – $20', '$', 'prefix', ['10', '20']])
  })

  test('25: a range keeps its symbol, and words around an amount are no symbol', async () => {
    assert.deepEqual(await costOf('$10 - $25'), ['$10 – $25', '$', 'prefix', ['10', '25']])
    const [cost, symbol, position, values] = await costOf('Pay what you can from $5')
    assert.deepEqual([cost, symbol, position, values], ['Pay what you can from $5', '', '', ['5']])
  })
})

describe('linked records', () => {
  test('26: a venue may come as a list of ids, a list of records or comma-separated ids', async () => {
    const [one, two] = [await create('/venues', { venue: 'Room One' }), await create('/venues', { venue: 'Room Two' })]
    for (const venue of [[one.id], String(one.id), [String(one.id)], { id: one.id }, [{ venue: 'Room One' }]])
      assert.equal((await createEvent({ venue })).venue.id, one.id, JSON.stringify(venue))
    for (const venue of [[two.id, one.id], `${two.id},${one.id}`, [{ venue: 'Room Two' }, one.id]])
      assert.deepEqual(names((await createEvent({ venue })).venue, 'id'), [two.id, one.id], JSON.stringify(venue))
  })

  test('27: an organizer may come as one record outside a list, or as comma-separated ids', async () => {
    const [one, two] = [
      await create('/organizers', { organizer: 'Solo' }),
      await create('/organizers', { organizer: 'Duo' }),
    ]
    for (const organizer of [{ organizer: 'Solo' }, { id: one.id }, one.id, String(one.id), [one.id]])
      assert.deepEqual(names((await createEvent({ organizer })).organizer, 'id'), [one.id], JSON.stringify(organizer))
    for (const organizer of [`${two.id},${one.id}`, [two.id, { organizer: 'Solo' }], [{ id: two.id }, String(one.id)]])
      assert.deepEqual(names((await createEvent({ organizer })).organizer, 'id'), [two.id, one.id])
  })

  test('28: a venue or organizer of a known name is reused only if all that was sent agrees, and never overwritten', async () => {
    const oslo = await create('/venues', { venue: 'Mill', city: 'Oslo' })
    const bergen = await create('/venues', { venue: 'Mill', city: 'Bergen' })
    assert.notEqual(bergen.id, oslo.id)
    const again = await create('/venues', { venue: 'mill', city: 'Oslo', phone: '555 0101' })
    assert.deepEqual([again.id, again.city, again.phone], [oslo.id, 'Oslo', '555 0101'])
    assert.equal((await read(`/venues/${bergen.id}`)).city, 'Bergen')
    const club = await create('/organizers', { organizer: 'Club', email: 'a@example.org' })
    assert.notEqual((await create('/organizers', { organizer: 'Club', email: 'b@example.org' })).id, club.id)
    assert.equal((await read(`/organizers/${club.id}`)).email, 'a@example.org')
  })

  test('29: deleting one of several organizers takes just that one from all its events', async () => {
    const [stays, goes] = [
      await create('/organizers', { organizer: 'Stays' }),
      await create('/organizers', { organizer: 'Goes' }),
    ]
    const organizer = [goes.id, stays.id]
    const past = { start_date: '2019-01-01 10:00:00', end_date: '2019-01-01 11:00:00' }
    const events = [await createEvent({ organizer, ...past }), await createEvent({ organizer, status: 'draft' })]
    for (let n = 0; n < 12; n++) events.push(await createEvent({ organizer }))
    await service.remove(`/organizers/${goes.id}`)
    for (const { id } of events) assert.deepEqual(names((await read(`/events/${id}`)).organizer, 'id'), [stays.id])
  })

  test('30: an update of a venue leaves map flags, state, status and image that were not sent', async () => {
    const venue = await create('/venues', {
      venue: 'Quiet Corner',
      show_map: 'false',
      show_map_link: 'false',
      state: 'NY',
      country: 'US',
      status: 'draft',
      image: await uploadImage(),
    })
    const { modified, modified_utc, phone, ...rest } = await update(`/venues/${venue.id}`, { phone: '555 0102' })
    const { modified: _at, modified_utc: _utc, ...expected } = venue
    assert.deepEqual(rest, expected)
    assert.deepEqual([rest.stateprovince, rest.status, rest.show_map], ['NY', 'draft', false])
  })
})

describe('terms', () => {
  test('31: an existing tag named by slug or name is assigned, and no other made', async () => {
    const tag = await create('/tags', { name: 'Live Music' })
    for (const tags of [['live-music'], ['Live Music'], 'live music', [tag.id], [String(tag.id)]])
      assert.deepEqual(names((await createEvent({ tags })).tags, 'id'), [tag.id], JSON.stringify(tags))
    assert.equal((await read(`/tags?search=${tag.id}&hide_empty=false`)).total, 0)
  })

  test('32: a record that is no term in the categories of an event is a 400 that names them', async () => {
    for (const categories of [{ x: 1 }, [{ x: 1 }], [[1]], true])
      await refused(['admin', 'POST', '/events', { ...DAY, categories }], 400, 'rest_invalid_param', ['categories'])
  })

  test('33: a slug in use and a name over 200 characters are refused', async () => {
    for (const path of ['/categories', '/tags']) {
      await create(path, { name: 'Taken', slug: 'taken' })
      const term = await create(path, { name: 'Free' })
      await refused(['admin', 'PUT', `${path}/${term.id}`, { slug: 'taken' }], 400, 'duplicate_term_slug')
      const long = 'x'.repeat(201)
      await refused(['admin', 'POST', path, { name: long }], 400, 'rest_invalid_param', ['name'])
      await refused(['admin', 'PUT', `${path}/${term.id}`, { name: long }], 400, 'rest_invalid_param', ['name'])
      assert.equal((await read(`${path}/${term.id}`)).name, 'Free')
    }
  })

  test('34: parent 0 and an empty description are taken, and a loop of parents is refused', async () => {
    const top = await create('/categories', { name: 'Top', description: 'Highest' })
    const child = await create('/categories', { name: 'Child', parent: top.id })
    const grandchild = await create('/categories', { name: 'Grandchild', parent: child.id })
    for (const parent of [top.id, child.id, grandchild.id])
      await refused(['admin', 'PUT', `/categories/${top.id}`, { parent }], 400, 'rest_invalid_param', ['parent'])
    assert.equal((await update(`/categories/${child.id}`, { parent: 0 })).parent, 0)
    assert.equal((await update(`/categories/${top.id}`, { description: '' })).description, '')
    assert.equal((await create('/categories', { name: 'Rooted', parent: 0, description: '' })).parent, 0)
  })

  test('35: _links and Location of terms lead to routes of this interface', async () => {
    const parent = await create('/categories', { name: 'Linked above' })
    const made = await service.post('/categories', { name: 'Linked', parent: parent.id })
    const { self, collection, up } = made.body._links
    assert.equal(made.headers.get('location'), `${service.base}/categories/${made.body.id}`)
    for (const { href } of [self[0], collection[0], up[0]]) {
      assert.ok(href.startsWith(`${service.base}/categories`))
      assert.equal((await fetch(href)).status, 200)
    }
  })
})

describe('lists', () => {
  test('36: the links of all five lists carry every parameter in effect, escaped', async () => {
    const { categories, tags, venue } = await createEvent({
      title: 'Fish & chips, 100% + more',
      categories: 'Food & Drink',
      tags: 'food',
      venue: { venue: 'Chip & Fish' },
    })
    const query = new URLSearchParams({
      per_page: '1',
      start_date: '2027-05-01',
      end_date: '2027-06-01',
      search: 'fish & chips, 100%',
      categories: 'food-drink',
      tags: String(tags[0].id),
      venue: String(venue.id),
      featured: 'false',
      strict_dates: 'true',
    })
    const { rest_url, events } = await read(`/events?${query}`, 'anonymous')
    assert.equal(events.length, 1)
    const shown = new URL(rest_url).searchParams
    assert.deepEqual(
      ['search', 'categories', 'tags', 'venue', 'featured', 'strict_dates', 'per_page'].map((name) => shown.get(name)),
      ['fish & chips, 100%', 'food-drink', String(tags[0].id), String(venue.id), '0', 'true', '1'],
    )
    const again = (await (await fetch(rest_url)).json()) as Body
    assert.deepEqual(again.events, events)
    for (const n of [1, 2]) {
      await create('/venues', { venue: `Salt & Vinegar ${n}` })
      await create('/categories', { name: `Salt & Vinegar ${n}`, parent: categories[0].id })
      await create('/tags', { name: `Salt & Vinegar ${n}` })
    }
    for (const [path, filters] of [
      ['venues', 'search=salt+%26+vinegar&only_with_upcoming=false&has_events=false'],
      ['categories', `search=salt+%26+vinegar&hide_empty=false&order=desc&orderby=id&parent=${categories[0].id}`],
      ['tags', 'search=salt+%26+vinegar&hide_empty=false&order=desc'],
    ] as const) {
      const first = await read(`/${path}?per_page=1&${filters}`, 'anonymous')
      const second = (await (await fetch(first.next_rest_url)).json()) as Body
      assert.deepEqual([second.total, second[path].length], [first.total, 1], path)
      assert.notEqual(second[path][0].id, first[path][0].id)
      const next = new URL(first.next_rest_url).searchParams
      for (const [name, value] of new URLSearchParams(filters))
        if (name !== 'only_with_upcoming') assert.equal(next.get(name), value, `${path}: ${name}`)
    }
  })

  test('37: a search of venues or organizers without a hit counts nothing', async () => {
    await create('/venues', { venue: 'Somewhere' })
    await create('/organizers', { organizer: 'Somebody' })
    for (const path of ['/venues', '/organizers']) {
      const { status, headers, body } = await service.get(`${path}?search=qqqqq`)
      assert.deepEqual([status, body.total, body.total_pages, body.next_rest_url], [200, 0, 0, undefined])
      assert.deepEqual([headers.get('x-tec-total'), headers.get('x-tec-totalpages')], ['0', '0'])
    }
  })

  test('38: include finds events whenever they are', async () => {
    const past = await createEvent({ title: 'Long ago', start_date: '2019-01-01', end_date: '2019-01-01' })
    const far = await createEvent({ title: 'Far ahead', start_date: '2044-01-01', end_date: '2044-01-01' })
    const { events } = await read(`/events?include=${far.id},${past.id}&start_date=2027-01-01&end_date=2027-01-02`)
    assert.deepEqual(names(events, 'id').sort(), [past.id, far.id].sort())
  })

  test('39: only_with_upcoming looks at all upcoming events', async () => {
    for (let n = 0; n < 12; n++)
      await createEvent({ title: `Before ${n}`, start_date: '2027-01-01', venue: { venue: 'Busy' } })
    await createEvent({
      title: 'Last',
      start_date: '2030-01-01',
      end_date: '2030-01-01',
      venue: { venue: 'Rarely Used' },
    })
    const { venues } = await read('/venues?only_with_upcoming=true&per_page=50')
    assert.ok(names(venues, 'venue').includes('Rarely Used'))
  })

  test('40: strict_dates takes 0, 1 and every other way to say no or yes', async () => {
    for (const word of ['0', '1', 'false', 'true', 'no', 'yes', 'on', 'off'])
      assert.equal((await service.get(`/events?strict_dates=${word}`)).status, 200, word)
  })

  test('41: an unknown order sorts ascending', async () => {
    for (const name of ['Ordered A', 'Ordered B']) await create('/tags', { name })
    const { tags } = await read('/tags?hide_empty=false&search=ordered&order=sideways')
    assert.deepEqual(names(tags, 'name'), ['Ordered A', 'Ordered B'])
  })

  test('42: the default window starts with yesterday of the zone of the site', async () => {
    const dayIn = (timeZone: string, offset: number) =>
      new Intl.DateTimeFormat('sv', { timeZone }).format(Date.now() + offset * 86_400_000)
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const other = await startService({ timezone })
      const [before, { body }, after] = [dayIn(timezone, -1), await other.get('/events'), dayIn(timezone, -1)]
      await other.close()
      const start = new URL(body.rest_url).searchParams.get('start_date')
      assert.ok([`${before} 00:00:00`, `${after} 00:00:00`].includes(start ?? ''), `${timezone}: ${start}`)
    }
  })
})

describe('text', () => {
  test('43: backslashes stay', async () => {
    const event = await createEvent({ title: 'AC\\DC', description: 'C:\\music\\new', excerpt: '\\o/' })
    assert.deepEqual(
      [event.title, event.description, event.excerpt],
      ['AC\\DC', '<p>C:\\music\\new</p>', '<p>\\o/</p>'],
    )
    const venue = await create('/venues', { venue: 'Back\\slash', address: '1\\2 Lane' })
    assert.deepEqual([venue.venue, venue.address], ['Back\\slash', '1\\2 Lane'])
    const tag = await create('/tags', { name: 'a\\b', description: 'c\\d' })
    assert.deepEqual([tag.name, tag.description], ['a\\b', 'c\\d'])
  })
})

describe('description of the interface', () => {
  test('44: the interface description names the server with its port, plain property names and creation at the collection', async () => {
    const document = await read('/doc', 'anonymous')
    assert.equal(new URL(document.servers[0].url).port, new URL(service.base).port)
    for (const path of ['/events', '/venues', '/organizers', '/categories', '/tags']) {
      assert.deepEqual(
        Object.keys(document.paths[path]).filter((key) => ['get', 'post'].includes(key)),
        ['get', 'post'],
      )
    }
    for (const [name, schema] of Object.entries<Body>(document.components.schemas))
      for (const property of Object.keys(schema.properties ?? {})) assert.equal(property, property.trim(), name)
    for (const [path, item] of Object.entries<Body>(document.paths))
      for (const { parameters = [] } of [item, ...Object.values<Body>(item)])
        for (const parameter of parameters) {
          if (parameter.in === 'path') assert.ok(path.includes(`{${parameter.name}}`), `${path}: ${parameter.name}`)
        }
  })

  test('45: linked data holds plain text, the e-mail address as it is, and every organizer', async () => {
    const event = await createEvent({
      title: 'Tom & Jerry',
      description: '<p>Cats &amp; mice</p>',
      organizer: [{ organizer: 'Tom', email: 'tom@example.org' }, { organizer: 'Jerry' }],
    })
    const first = (await read(`/events/${event.id}`, 'anonymous')).json_ld
    assert.deepEqual([first.name, first.description], ['Tom & Jerry', 'Cats & mice'])
    assert.deepEqual(names(first.organizer, 'name'), ['Tom', 'Jerry'])
    assert.equal(first.organizer[0].email, 'tom@example.org')
    assert.deepEqual((await read(`/events/${event.id}`, 'anonymous')).json_ld, first)
  })
})

describe('answers that differ between releases', () => {
  test('an unknown event is a 404, and the id of another kind a 400', async () => {
    const venue = await create('/venues', { venue: 'No event' })
    await refused(['anonymous', 'GET', '/events/987654'], 404, 'rest-event-not-found')
    await refused(['anonymous', 'GET', `/events/${venue.id}`], 400, 'rest-invalid-event-id')
    await refused(['anonymous', 'DELETE', '/events/987654'], 401, 'rest_forbidden')
    await refused(['admin', 'DELETE', '/events/987654'], 404, 'rest-event-not-found')
  })

  test('a trashed event is gone for the public and there for those who may edit it', async () => {
    const event = await createEvent({}, 'author')
    await service.remove(`/events/${event.id}`, 'author')
    await refused(['anonymous', 'GET', `/events/${event.id}`], 403, 'event-no-longer-available')
    await refused(['contributor', 'GET', `/events/${event.id}`], 403, 'event-no-longer-available')
    for (const as of ['author', 'editor'] as const)
      assert.equal((await read(`/events/${event.id}`, as)).status, 'trash')
  })
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Uploads an image and returns its id. */
async function uploadImage(): Promise<number> {
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="pixel.png"' }
  const { status, body } = await service.request('admin', 'POST', '~/wp-json/wp/v2/media', PIXEL, headers)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
