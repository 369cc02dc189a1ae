// Differences from the reference service (docs/compatibility.md) that no other test has.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Body, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create } = service
const DAY = { title: 'A day out', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 12:00:00' }

const createEvent = (fields: object = {}, as?: Reader) => create('/events', { ...DAY, ...fields }, as)

async function update(path: string, fields: object, as: Reader = 'admin'): Promise<Body> {
  const { status, body } = await service.request(as, 'PATCH', path, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const read = (path: string, as: Reader = 'admin') => service.read(path, as)
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

const names = (records: Body[], key: string) => [records].flat().map((record) => record[key])

describe('updates of events', () => {
  test("an update without status leaves the status, a contributor's as well as an editor's", async () => {
    const draft = await createEvent({ status: 'draft' })
    assert.equal((await update(`/events/${draft.id}`, { title: 'Still a draft' })).status, 'draft')
    const pending = await createEvent({ status: 'pending' }, 'contributor')
    assert.equal(
      (await update(`/events/${pending.id}`, { title: 'Still pending' }, 'contributor')).status,
      'pending',
    )
    const hidden = await createEvent({ status: 'private' })
    assert.equal((await update(`/events/${hidden.id}`, { title: 'Still private' })).status, 'private')
  })

  test('an update without date leaves the publication date, and a scheduled event scheduled', async () => {
    const event = await createEvent({ date: '2020-02-03 04:05:06' })
    const updated = await update(`/events/${event.id}`, { title: 'Later' })
    assert.deepEqual([updated.date, updated.date_utc], ['2020-02-03 04:05:06', '2020-02-03 09:05:06'])
    const scheduled = await createEvent({ date: '2035-01-01 00:00:00' })
    assert.equal((await update(`/events/${scheduled.id}`, { title: 'Later still' })).status, 'future')
  })

  test('an empty venue removes the venue, null or none keeps it', async () => {
    for (const empty of ['', [], 0, '0', false]) {
      const event = await createEvent({ venue: { venue: 'Removable Room' } })
      assert.equal((await update(`/events/${event.id}`, { venue: null })).venue.venue, 'Removable Room')
      assert.equal(
        (await update(`/events/${event.id}`, { title: 'Same room' })).venue.venue,
        'Removable Room',
      )
      assert.deepEqual(
        (await update(`/events/${event.id}`, { venue: empty })).venue,
        [],
        JSON.stringify(empty),
      )
    }
  })

  test('the path decides which event is meant, and a slug in the body of a by-slug update is the new slug', async () => {
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
})

describe('permissions', () => {
  test('terms that the caller may not make are passed over in an event', async () => {
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

  test('unpublished and trashed venues and organizers are not shown inside events, and trashed ones can not be linked', async () => {
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
    await refused(['admin', 'POST', '/events', { ...DAY, venue: open.id }], 400, 'rest_invalid_param', [
      'venue',
    ])
    await refused(['admin', 'PUT', `/events/${event.id}`, { venue: [open.id] }], 400, 'rest_invalid_param', [
      'venue',
    ])
  })

  test('_method and X-HTTP-Method-Override count on POST alone', async () => {
    const event = await createEvent()
    const path = `/events/${event.id}`
    const override = { 'x-http-method-override': 'DELETE' }
    assert.equal((await service.get(`${path}?_method=DELETE`, 'admin')).status, 200)
    assert.equal((await service.request('admin', 'GET', path, undefined, override)).status, 200)
    assert.equal(
      (await service.request('admin', 'PUT', path, { title: 'Here' }, override)).body.status,
      'publish',
    )
    assert.equal(
      (await service.request('admin', 'POST', `${path}?_method=PATCH`, { title: 'There' })).body.title,
      'There',
    )
    assert.equal((await service.request('admin', 'POST', path, undefined, override)).body.status, 'trash')
    await refused(['admin', 'POST', `${path}?_method=DELETE`], 410, 'event-is-in-trash')
  })
})

describe('dates and zones', () => {
  test('numbers for dates and images, flags of venues, and null for any optional field are taken', async () => {
    const image = await uploadImage()
    const event = await createEvent({ start_date: 1796000000, end_date: 1796003600, image })
    assert.deepEqual([event.start_date, event.image.id], ['2026-11-29 19:53:20', image])
    const venue = await create('/venues', {
      venue: 'Unmapped',
      show_map: false,
      show_map_link: 'false',
      image,
    })
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
})

describe('linked records', () => {
  test('a venue may come as a list of ids, a list of records or comma-separated ids', async () => {
    const [one, two] = [
      await create('/venues', { venue: 'Room One' }),
      await create('/venues', { venue: 'Room Two' }),
    ]
    for (const venue of [[one.id], String(one.id), [String(one.id)], { id: one.id }, [{ venue: 'Room One' }]])
      assert.equal((await createEvent({ venue })).venue.id, one.id, JSON.stringify(venue))
    for (const venue of [[two.id, one.id], `${two.id},${one.id}`, [{ venue: 'Room Two' }, one.id]])
      assert.deepEqual(
        names((await createEvent({ venue })).venue, 'id'),
        [two.id, one.id],
        JSON.stringify(venue),
      )
  })
})

describe('terms', () => {
  test('a record that is no term in the categories of an event is a 400 that names them', async () => {
    for (const categories of [{ x: 1 }, [{ x: 1 }], [[1]], true])
      await refused(['admin', 'POST', '/events', { ...DAY, categories }], 400, 'rest_invalid_param', [
        'categories',
      ])
  })

  test('a slug in use and a name over 200 characters are refused', async () => {
    for (const path of ['/categories', '/tags']) {
      await create(path, { name: 'Taken', slug: 'taken' })
      const term = await create(path, { name: 'Free' })
      await refused(['admin', 'PUT', `${path}/${term.id}`, { slug: 'taken' }], 400, 'duplicate_term_slug')
      const long = 'x'.repeat(201)
      await refused(['admin', 'POST', path, { name: long }], 400, 'rest_invalid_param', ['name'])
      await refused(['admin', 'PUT', `${path}/${term.id}`, { name: long }], 400, 'rest_invalid_param', [
        'name',
      ])
      assert.equal((await read(`${path}/${term.id}`)).name, 'Free')
    }
  })

  test('parent 0 and an empty description are taken, and a loop of parents is refused', async () => {
    const top = await create('/categories', { name: 'Top', description: 'Highest' })
    const child = await create('/categories', { name: 'Child', parent: top.id })
    const grandchild = await create('/categories', { name: 'Grandchild', parent: child.id })
    for (const parent of [top.id, child.id, grandchild.id])
      await refused(['admin', 'PUT', `/categories/${top.id}`, { parent }], 400, 'rest_invalid_param', [
        'parent',
      ])
    assert.equal((await update(`/categories/${child.id}`, { parent: 0 })).parent, 0)
    assert.equal((await update(`/categories/${top.id}`, { description: '' })).description, '')
    assert.equal((await create('/categories', { name: 'Rooted', parent: 0, description: '' })).parent, 0)
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
