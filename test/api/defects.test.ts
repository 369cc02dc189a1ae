// Differences from the reference service (docs/compatibility.md) that no other test has.
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uploadPicture } from '../support/pictures.ts'
import { type Body, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create } = service
const DAY = { title: 'A day out', start_date: '2027-05-01 10:00:00', end_date: '2027-05-01 12:00:00' }

const createEvent = (fields: object = {}, as?: Reader) => create('/events', { ...DAY, ...fields }, as)
const update = (path: string, fields: object, as?: Reader) => service.update(path, fields, as)

const read = (path: string, as: Reader = 'admin') => service.read(path, as)
async function refused(method: string, path: string, sent: object | undefined, status: number, code: string) {
  const { body, ...answer } = await service.request('admin', method, path, sent)
  deepEqual([answer.status, body.code, body.data.status], [status, code, status], JSON.stringify(body))
  return body
}

async function invalid(method: string, path: string, sent: object, name: string): Promise<void> {
  const { data } = await refused(method, path, sent, 400, 'rest_invalid_param')
  deepEqual(Object.keys(data.params), [name])
}

const names = (records: Body[], key: string) => [records].flat().map((record) => record[key])

describe('updates of events', () => {
  test('an update without status or date leaves them, null keeps a venue, empty removes it', async () => {
    for (const status of ['draft', 'pending', 'private'] as const) {
      const as = status === 'pending' ? 'contributor' : 'admin'
      const { id } = await createEvent({ status }, as)
      equal((await update(`/events/${id}`, { title: 'Still' }, as)).status, status)
    }
    const dated = await createEvent({ date: '2020-02-03 04:05:06' })
    const updated = await update(`/events/${dated.id}`, { title: 'Later' })
    deepEqual([updated.date, updated.date_utc], ['2020-02-03 04:05:06', '2020-02-03 09:05:06'])
    const scheduled = await createEvent({ date: '2035-01-01 00:00:00' })
    equal((await update(`/events/${scheduled.id}`, { title: 'Later still' })).status, 'future')
    const { id } = await createEvent()
    for (const empty of ['', [], 0, '0', false]) {
      await update(`/events/${id}`, { venue: { venue: 'Removable Room' } })
      for (const kept of [{ venue: null }, { title: 'Same room' }])
        equal((await update(`/events/${id}`, kept)).venue.venue, 'Removable Room')
      deepEqual((await update(`/events/${id}`, { venue: empty })).venue, [], JSON.stringify(empty))
    }
  })

  test('the path decides which event is meant, and a slug in a by-slug update is the new slug', async () => {
    const [one, other] = [
      await createEvent({ title: 'One', slug: 'one' }),
      await createEvent({ title: 'Other', slug: 'other' }),
    ]
    equal((await update(`/events/${one.id}`, { id: other.id, title: 'One more' })).id, one.id)
    equal((await update(`/events/${one.id}?id=${other.id}`, { title: 'One again' })).id, one.id)
    equal((await read(`/events/${one.id}?id=${other.id}`)).id, one.id)
    equal((await read(`/events/by-slug/one?slug=other`)).id, one.id)
    equal((await read(`/events/${other.id}`)).title, 'Other')
    const moved = await update('/events/by-slug/one', { slug: 'first' })
    deepEqual([moved.id, moved.slug], [one.id, 'first'])
    equal((await read('/events/by-slug/first')).id, one.id)
  })
})

describe('permissions', () => {
  test('unpublished and trashed venues stay hidden in events, trashed ones cannot be linked', async () => {
    const event = await createEvent({
      venue: [{ venue: 'Open Barn' }, { venue: 'Secret Barn', status: 'draft' }],
      organizer: [{ organizer: 'Open Crew' }, { organizer: 'Secret Crew', status: 'private' }],
    })
    const seen = await read(`/events/${event.id}`, 'anonymous')
    equal(seen.venue.venue, 'Open Barn')
    deepEqual(names(seen.organizer, 'organizer'), ['Open Crew'])
    const [open] = event.venue
    await service.remove(`/venues/${open.id}`)
    deepEqual((await read(`/events/${event.id}`, 'anonymous')).venue, [])
    await invalid('POST', '/events', { ...DAY, venue: open.id }, 'venue')
    await invalid('PUT', `/events/${event.id}`, { venue: [open.id] }, 'venue')
  })

  test('terms that the caller may not make are passed over in an event', async () => {
    const [kept] = (await createEvent({ categories: ['Known kind'], tags: ['known word'] })).categories
    const sent = { categories: ['Known kind', 'Made up kind'], tags: ['known word', 'made up word'] }
    const contributors = await createEvent(sent, 'contributor')
    deepEqual(names(contributors.categories, 'id'), [kept.id])
    deepEqual(names(contributors.tags, 'name'), ['known word'])
    const authors = await createEvent(sent, 'author')
    deepEqual(names(authors.categories, 'name'), ['Known kind', 'Made up kind'])
    deepEqual(names(authors.tags, 'name'), ['known word'])
    equal((await read('/tags?search=made+up&hide_empty=false')).total, 0)
  })

  test('_method and X-HTTP-Method-Override count on POST alone', async () => {
    const event = await createEvent()
    const path = `/events/${event.id}`
    const override = { 'x-http-method-override': 'DELETE' }
    equal((await service.get(`${path}?_method=DELETE`, 'admin')).status, 200)
    equal((await service.get(path, 'admin', override)).status, 200)
    equal((await service.put(path, { title: 'Here' }, 'admin', override)).body.status, 'publish')
    equal((await service.post(`${path}?_method=PATCH`, { title: 'There' })).body.title, 'There')
    equal((await service.post(path, undefined, 'admin', override)).body.status, 'trash')
    await refused('POST', `${path}?_method=DELETE`, undefined, 410, 'event-is-in-trash')
  })
})

describe('dates and zones', () => {
  test('numbers for dates and images, flags of venues, and null for optional fields are taken', async () => {
    const image = await uploadPicture(service, 4, 3)
    const event = await createEvent({ image })
    equal(event.image.id, image)
    equal((await create('/venues', { venue: 'Pictured', image })).image.id, image)
    const optional =
      'description slug excerpt status timezone all_day ' +
      'image cost website featured venue organizer categories ' +
      'tags author date date_utc show_map sticky'
    const none = Object.fromEntries(optional.split(' ').map((name) => [name, null]))
    equal((await createEvent(none)).status, 'publish')
    equal((await update(`/events/${event.id}`, none)).image.id, image)
  })
})

describe('terms', () => {
  test('a record that is no term in the categories of an event is refused by name', async () => {
    for (const categories of [{ x: 1 }, [{ x: 1 }], [[1]], true])
      await invalid('POST', '/events', { ...DAY, categories }, 'categories')
  })

  test('a slug in use and a name over 200 characters are refused', async () => {
    for (const path of ['/categories', '/tags']) {
      await create(path, { name: 'Taken', slug: 'taken' })
      const term = await create(path, { name: 'Free' })
      await refused('PUT', `${path}/${term.id}`, { slug: 'taken' }, 400, 'duplicate_term_slug')
      const long = 'x'.repeat(201)
      await invalid('POST', path, { name: long }, 'name')
      await invalid('PUT', `${path}/${term.id}`, { name: long }, 'name')
      equal((await read(`${path}/${term.id}`)).name, 'Free')
    }
  })

  test('parent 0 and an empty description are taken, and a loop of parents is refused', async () => {
    const top = await create('/categories', { name: 'Top', description: 'Highest' })
    const child = await create('/categories', { name: 'Child', parent: top.id })
    const grandchild = await create('/categories', { name: 'Grandchild', parent: child.id })
    for (const parent of [top.id, child.id, grandchild.id])
      await invalid('PUT', `/categories/${top.id}`, { parent }, 'parent')
    equal((await update(`/categories/${child.id}`, { parent: 0 })).parent, 0)
    equal((await update(`/categories/${top.id}`, { description: '' })).description, '')
    equal((await create('/categories', { name: 'Rooted', parent: 0, description: '' })).parent, 0)
  })
})
