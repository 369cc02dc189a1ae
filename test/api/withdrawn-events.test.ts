import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import ICAL from 'ical.js'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { credentialsOf, onDay, type Reader, serviceForTests } from '../support/service.ts'

const WHEN = { start_date: '2027-03-03 10:00:00', end_date: '2027-03-03 12:00:00', timezone: 'Europe/Berlin' }

interface Made {
  id: number
  slug: string
  title: string
}

const service = serviceForTests({ timezone: 'Europe/Berlin' })
const ids: Record<string, number> = {}
before(async () => {
  await service.ready
  ids.music = (await service.create('/categories', { name: 'Music' })).id
  ids.jazz = (await service.create('/categories', { name: 'Jazz', parent: ids.music })).id
  ids.hall = (await service.create('/venues', { venue: 'Hall', geo_lat: 53, geo_lng: -8 })).id
  ids.choir = (await service.create('/organizers', { organizer: 'Choir' })).id
})
function make(fields: object): Promise<Made> {
  return service.event({ ...WHEN, ...fields })
}

async function calendar(query: string, as: Reader = 'anonymous'): Promise<Map<string, ICAL.Component>> {
  const response = await fetch(`${service.base}/events?format=ics&${query}`, { headers: credentialsOf(as) })
  equal(response.status, 200)
  const events = new ICAL.Component(ICAL.parse(await response.text())).getAllSubcomponents('vevent')
  const uids = events.map((event) => event.getFirstPropertyValue('uid'))
  equal(new Set(uids).size, uids.length, 'each UID once')
  return new Map(events.map((event) => [String(event.getFirstPropertyValue('summary')), event]))
}

const titles = async (query: string, as?: Reader) => [...(await calendar(query, as)).keys()]
const property = (event: ICAL.Component | undefined, name: string) =>
  String(event?.getFirstPropertyValue(name))

describe('an event that the public can see no longer', () => {
  test('is cancelled, with its UID and times and a higher SEQUENCE, and nothing else of it', async () => {
    const { id } = await make({
      title: 'Moth evening',
      description: 'Bring lamps',
      venue: ids.hall,
      organizer: ids.choir,
      categories: [ids.jazz],
    })
    const was = (await calendar('search=moth')).get('Moth evening')
    ok(was)
    equal((await service.remove(`/events/${id}`)).status, 200)
    const [[title, is] = []] = await calendar('search=moth')
    equal(title, 'Canceled: Moth evening')
    equal(property(is, 'status'), 'CANCELLED')
    for (const name of ['uid', 'dtstart', 'dtend']) equal(property(is, name), property(was, name), name)
    ok(Number(property(is, 'sequence')) > Number(property(was, 'sequence')))
    equal(property(is, 'dtstamp'), property(is, 'last-modified'))
    deepEqual(
      pluck(is?.getAllProperties(), 'name'),
      'uid dtstamp last-modified sequence dtstart dtend summary status'.split(' '),
    )
  })

  test('is in no other format, and in no list', async () => {
    const { id } = await make({ title: 'Vole watch' })
    await service.remove(`/events/${id}`)
    for (const format of ['rss', 'atom', 'jsonfeed', 'csv', 'jsonld', 'ndjson', 'json']) {
      const text = await (await fetch(`${service.base}/events?format=${format}&search=vole`)).text()
      doesNotMatch(text, /Vole/, format)
    }
    equal((await service.get('/events?search=vole')).body.total, 0)
    deepEqual(await titles('search=vole'), ['Canceled: Vole watch'])
  })

  for (const status of ['private', 'draft', 'pending'])
    test(`shows what was public of it once it is ${status}, whatever is changed since`, async () => {
      const { id } = await make({ title: `Heron ${status}`, ...onDay('2027-04-01', '10:00:00', '11:00:00') })
      await service.update(`/events/${id}`, { status, title: 'Secret', start_date: '2027-05-01 10:00:00' })
      await service.update(`/events/${id}`, { title: `Heron secret ${status}` })
      const found = await calendar(`search=heron&start_date=2027-01-01`)
      ok(![...found.keys()].some((title) => title.includes('ecret')), [...found.keys()].join())
      const event = found.get(`Canceled: Heron ${status}`)
      match(property(event, 'dtstart'), /^2027-04-01T10:00:00/)
    })

  test('was public once: drafts, private events and hidden ones appear in no form', async () => {
    for (const status of ['draft', 'private', 'pending', 'future']) {
      const { id } = await make({
        title: `Newt ${status}`,
        status,
        date: status === 'future' ? '2028-01-01' : undefined,
      })
      await service.remove(`/events/${id}`)
    }
    const { id } = await make({ title: 'Newt hidden', hide_from_listings: true })
    await service.remove(`/events/${id}`)
    deepEqual(await titles('search=newt'), [])
  })

  test('is there once when it is public again, and higher in SEQUENCE than before it went', async () => {
    const { id } = await make({ title: 'Otter walk' })
    const was = (await calendar('search=otter')).get('Otter walk')
    await service.remove(`/events/${id}`)
    await service.update(`/events/${id}`, { status: 'publish' })
    const found = await calendar('search=otter')
    deepEqual([...found.keys()], ['Otter walk'])
    ok(Number(property(found.get('Otter walk'), 'sequence')) >= Number(property(was, 'sequence')))
  })

  test('stays when its row is gone for good', async () => {
    const { id } = await make({ title: 'Lynx talk', venue: ids.hall })
    await service.remove(`/events/${id}`)
    await service.app.database.write(async (tx) => {
      await tx.deleteFrom('event_venues').where('event', '=', id).execute()
      await tx.deleteFrom('events').where('id', '=', id).execute()
    })
    deepEqual(await titles(`search=lynx&venue=${ids.hall}`), ['Canceled: Lynx talk'])
  })

  test('is in the feeds whose filters it met, and in no others', async () => {
    const { id, slug } = await make({
      title: 'Badger night',
      categories: [ids.jazz],
      tags: ['outdoors'],
      venue: ids.hall,
      organizer: ids.choir,
      featured: true,
    })
    await service.remove(`/events/${id}`)
    const gone = ['Canceled: Badger night']
    const tag = (await service.get('/tags?search=outdoors&hide_empty=false', 'admin')).body.tags[0].id
    for (const query of [
      `categories=${ids.music}`,
      'categories=jazz',
      `tags=${tag}`,
      `venue=${ids.hall}`,
      `organizer=${ids.choir}`,
      'featured=true',
      `include=${id}`,
      'geoloc=true',
      'geoloc_lat=53&geoloc_lng=-8&geoloc_radius=5',
      'event_status=scheduled',
      'start_date=2027-03-03&end_date=2027-03-03',
    ])
      deepEqual(await titles(`search=badger&${query}`), gone, query)
    const other = (await service.create('/venues', { venue: 'Barn' })).id
    const film = (await service.create('/categories', { name: 'Film' })).id
    for (const query of [
      `categories=${film}`,
      `venue=${other}`,
      'featured=false',
      'geoloc=false',
      'event_status=canceled',
      'start_date=2027-03-04',
      'start_date=2026-01-01&end_date=2027-03-02',
    ])
      deepEqual(await titles(`search=badger&${query}`), [], query)
    const response = await fetch(`${service.origin}/events/category/music/jazz.ics`)
    match(await response.text(), /SUMMARY:Canceled: Badger night/)
    equal(slug, 'badger-night')
  })

  test('is not withdrawn for those who see it in the same feed', async () => {
    const { id } = await make({ title: 'Kestrel tour' })
    await service.update(`/events/${id}`, { status: 'private' })
    deepEqual(await titles('search=kestrel', 'editor'), ['Kestrel tour'])
    deepEqual(await titles('search=kestrel'), ['Canceled: Kestrel tour'])
  })

  test('is told of for 90 days', async () => {
    const { id } = await make({ title: 'Adder day' })
    await service.remove(`/events/${id}`)
    const daysAgo = (days: number) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
    const { database } = service.app
    const setBack = (days: number) =>
      database.write((tx) =>
        tx
          .updateTable('withdrawn_events')
          .set({ withdrawn_utc: daysAgo(days) })
          .where('event', '=', id)
          .execute(),
      )
    const rows = () =>
      database.read.selectFrom('withdrawn_events').select('event').where('event', '=', id).execute()
    await setBack(89)
    await dropOld(database, 0, Date.now())
    equal((await rows()).length, 1)
    deepEqual(await titles('search=adder'), ['Canceled: Adder day'])
    await setBack(91)
    deepEqual(await titles('search=adder'), [])
    await dropOld(database, 0, Date.now())
    equal((await rows()).length, 0)
  })

  test('is one of many, and each is told of in the order of their days', async () => {
    const made: Made[] = []
    for (let i = 0; i < 52; i++)
      made.push(
        await make({
          title: `Wasp ${i}`,
          start_date: `2027-06-${String((i % 3) + 1).padStart(2, '0')} 10:00:00`,
          end_date: '2027-06-04 10:00:00',
        }),
      )
    for (const { id } of made) await service.remove(`/events/${id}`)
    const starts = [...(await calendar('search=wasp')).values()].map((event) => property(event, 'dtstart'))
    equal(starts.length, 52)
    deepEqual(starts, starts.toSorted())
  })
})
