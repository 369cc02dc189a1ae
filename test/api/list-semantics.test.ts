import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Body, day, onDay, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create } = service
const createEvent = (body: object, as: Reader = 'admin') =>
  create('/events', { title: 'Event', ...day, ...body }, as)

async function listed(query: string, as: Reader = 'anonymous'): Promise<number[]> {
  const { status, body } = await service.get(`/events?per_page=50&${query}`, as)
  equal(status, 200, JSON.stringify(body))
  return body.events.map(({ id }: Body) => id)
}

describe('the window of a list', () => {
  test('include ignores every date, whichever parameter carries it', async () => {
    const { id } = await createEvent({ title: 'Long ago', start_date: '2019-01-01', end_date: '2019-01-02' })
    for (const dates of (
      'start_date=2027-01-01|end_date=2018-01-01|starts_before=2018-01-01|starts_after=2027-01-01|' +
      'ends_before=2018-01-01|ends_after=2027-01-01|starts_after=2027-01-01 10:00&strict_dates=true'
    ).split('|')) {
      deepEqual(await listed(`include=${id}&${dates}`), [id], dates)
      deepEqual(await listed(`include=${id}&${dates}`, 'editor'), [id], dates)
    }
  })

  test('a time in a query that the clock skips moves forward, and whole days stay whole', async () => {
    const zone = { timezone: 'America/New_York' }
    // On 2027-03-14 clocks go from 02:00 to 03:00.
    const early = await createEvent({ ...onDay('2027-03-14', '01:59:00'), ...zone })
    const late = await createEvent({ ...onDay('2027-03-14', '03:10:00'), ...zone })
    for (const as of ['anonymous', 'editor'] as const) {
      const within = async (query: string) =>
        (await listed(query, as)).filter((id) => [early.id, late.id].includes(id))
      deepEqual(await within('start_date=2027-03-14 02:30&end_date=2027-03-15&strict_dates=true'), [])
      deepEqual(await within('start_date=2027-03-14 02:05&end_date=2027-03-15&strict_dates=true'), [late.id])
      deepEqual(await within('starts_before=2027-03-14 02:30&strict_dates=true'), [early.id, late.id])
      deepEqual(await within('start_date=2027-03-14&end_date=2027-03-14'), [early.id, late.id])
    }
  })
})

describe('where events are', () => {
  const circle = 'geoloc_lat=10&geoloc_lng=10&geoloc_radius=5&starts_after=2027-01-01'

  test('filters by place look at the venues that an event shows to whoever asks', async () => {
    const place = { geo_lat: 10, geo_lng: 10 }
    const venue = await create('/venues', { venue: 'Not yet open', status: 'draft', ...place }, 'author')
    const open = await create('/venues', { venue: 'Open', ...place })
    const gone = await create('/venues', { venue: 'Gone', ...place })
    const atDraft = await createEvent({ title: 'At a draft', venue: venue.id }, 'author')
    const atOpen = await createEvent({ title: 'At an open one', venue: open.id })
    const atGone = await createEvent({ title: 'At one in the trash', venue: gone.id })
    await service.remove(`/venues/${gone.id}`)
    const among = (ids: number[]) => ids.filter((id) => [atDraft.id, atOpen.id, atGone.id].includes(id))
    for (const as of ['author', 'editor'] as const) {
      deepEqual(among(await listed(circle, as)), [atDraft.id, atOpen.id], as)
      deepEqual(among(await listed('geoloc=true&starts_after=2027-01-01', as)), [atDraft.id, atOpen.id], as)
      deepEqual(among(await listed('geoloc=false&starts_after=2027-01-01', as)), [atGone.id], as)
    }
    for (const as of ['anonymous', 'contributor'] as const) {
      deepEqual(among(await listed(circle, as)), [atOpen.id], as)
      deepEqual(among(await listed('geoloc=false&starts_after=2027-01-01', as)), [atDraft.id, atGone.id], as)
    }
  })

  test('a filter by a venue or organizer in the trash finds nothing until it is restored', async () => {
    const venue = await create('/venues', { venue: 'Torn down' })
    const organizer = await create('/organizers', { organizer: 'Dissolved' })
    const { id } = await createEvent({ title: 'Left behind', venue: venue.id, organizer: [organizer.id] })
    const filters = [`venue=${venue.id}`, `organizer=${organizer.id}`]
    const readers = ['anonymous', 'author', 'editor', 'admin'] as const
    for (const filter of filters) for (const as of readers) deepEqual(await listed(filter, as), [id], as)
    await service.remove(`/venues/${venue.id}`)
    await service.remove(`/organizers/${organizer.id}`)
    for (const filter of filters) for (const as of readers) deepEqual(await listed(filter, as), [], as)
    await service.put(`/venues/${venue.id}`, { status: 'publish' })
    await service.put(`/organizers/${organizer.id}`, { status: 'publish' })
    for (const filter of filters) for (const as of readers) deepEqual(await listed(filter, as), [id], as)
  })
})

describe('the trash', () => {
  test('an update of a draft in the trash that never was published leaves its date', async () => {
    for (const path of ['/events', '/venues', '/organizers']) {
      const name = { '/events': 'title', '/venues': 'venue', '/organizers': 'organizer' }[path] ?? ''
      const draft = await create(path, {
        [name]: 'Draft',
        ...day,
        status: 'draft',
        date: '2021-02-03 04:05:06',
      })
      equal(draft.date, '2021-02-03 04:05:06')
      await service.remove(`${path}/${draft.id}`)
      const { body: changed } = await service.put(`${path}/${draft.id}`, { description: 'Changed' })
      deepEqual([changed.status, changed.date, changed.date_utc], ['trash', draft.date, draft.date_utc], path)
      const { body: back } = await service.put(`${path}/${draft.id}`, { status: 'draft' })
      deepEqual([back.status, back.date, back.date_utc], ['draft', draft.date, draft.date_utc], path)
    }
  })

  test('a draft that comes back from the trash published is named after its title, either way', async () => {
    const ways = [
      (id: number) => service.remove(`/events/${id}`),
      (id: number) => service.put(`/events/${id}`, { status: 'trash' }),
    ]
    for (const [i, trash] of ways.entries()) {
      const draft = await createEvent({ title: `Named after its title ${i}`, status: 'draft' })
      equal(draft.slug, '')
      equal((await trash(draft.id)).body.slug, `named-after-its-title-${i}__trashed`)
      const { body } = await service.put(`/events/${draft.id}`, { status: 'publish' })
      equal(body.slug, `named-after-its-title-${i}`)
    }
  })
})

describe('publication dates', () => {
  test('a date sent for a draft stays when it is published, one that it got by itself does not', async () => {
    for (const status of ['draft', 'pending'] as const) {
      const dated = await createEvent({ title: 'Dated', status, date: '2020-06-07 08:09:10' })
      equal(dated.date_utc, '0000-00-00 00:00:00')
      await service.put(`/events/${dated.id}`, { title: 'Dated, changed' })
      const { body: published } = await service.put(`/events/${dated.id}`, { status: 'publish' })
      deepEqual([published.date, published.date_utc], ['2020-06-07 08:09:10', '2020-06-07 12:09:10'])
      const undated = await createEvent({ title: 'Undated', status })
      await service.app.database.write((tx) =>
        tx.updateTable('events').set({ date: '2020-01-01 00:00:00' }).where('id', '=', undated.id).execute(),
      )
      const { body: now } = await service.put(`/events/${undated.id}`, { status: 'publish' })
      notEqual(now.date, '2020-01-01 00:00:00')
    }
    const later = await createEvent({ title: 'Dated later', status: 'draft' })
    await service.put(`/events/${later.id}`, { date: '2020-06-07 08:09:10' })
    equal((await service.put(`/events/${later.id}`, { status: 'publish' })).body.date, '2020-06-07 08:09:10')
  })

  test('a copy of a draft shows its date, which gives way at publication as the draft’s does', async () => {
    for (const [path, name] of Object.entries({
      '/events': 'title',
      '/venues': 'venue',
      '/organizers': 'organizer',
    })) {
      const shown = { status: 'draft', date: '2020-06-07 08:09:10', date_utc: '0000-00-00 00:00:00' }
      const copy = await create(path, { [name]: 'Copied', ...day, ...shown })
      deepEqual([copy.date, copy.date_utc], [shown.date, shown.date_utc], path)
      notEqual((await service.put(`${path}/${copy.id}`, { status: 'publish' })).body.date, shown.date, path)
    }
  })

  test('a date to come that was sent for a draft schedules it once it is to be published', async () => {
    for (const path of ['/events', '/venues', '/organizers']) {
      const name = { '/events': 'title', '/venues': 'venue', '/organizers': 'organizer' }[path] ?? ''
      const draft = await create(path, {
        [name]: 'To come',
        ...day,
        status: 'draft',
        date: '2099-01-01 00:00:00',
      })
      const { body } = await service.put(`${path}/${draft.id}`, { status: 'publish' })
      deepEqual([body.status, body.date], ['future', '2099-01-01 00:00:00'], path)
    }
  })
})

describe('moments that come twice', () => {
  const second = { start_date: '2026-11-01T01:30:00-05:00', end_date: '2026-11-01T03:00:00-05:00' }

  test('a moment sent with its offset is kept in the second hour of an autumn night', async () => {
    const event = await createEvent({ title: 'Second', ...second })
    deepEqual(
      [event.start_date, event.utc_start_date, event.timezone_abbr],
      ['2026-11-01 01:30:00', '2026-11-01 06:30:00', 'EST'],
    )
    const single = (await service.get(`/events/${event.id}`)).body
    equal(single.json_ld.startDate, '2026-11-01T01:30:00-05:00')
    for (const start of ['2026-11-01T06:30:00Z', 1793514600, '1793514600', '2026/11/01T01:30-05:00']) {
      const same = await createEvent({ ...second, start_date: start })
      equal(same.utc_start_date, '2026-11-01 06:30:00', String(start))
    }
    const first = await createEvent({ ...second, start_date: '2026-11-01T01:30:00-04:00' })
    deepEqual([first.utc_start_date, first.timezone_abbr], ['2026-11-01 05:30:00', 'EDT'])
    const plain = await createEvent({ ...second, start_date: '2026-11-01 01:30:00' })
    equal(plain.utc_start_date, '2026-11-01 05:30:00')
  })

  test('it stays when something else changes and when the event is put back as it was read', async () => {
    const event = await createEvent({ title: 'Second', ...second })
    await service.put(`/events/${event.id}`, { title: 'Changed' })
    const read = (await service.get(`/events/${event.id}`, 'admin')).body
    equal(read.utc_start_date, '2026-11-01 06:30:00')
    const { body: back } = await service.put(`/events/${event.id}`, read)
    deepEqual([back.utc_start_date, back.utc_end_date], [read.utc_start_date, read.utc_end_date])
    const { body: moved } = await service.put(`/events/${event.id}`, { timezone: 'Europe/Paris' })
    equal(moved.utc_start_date, '2026-11-01 00:30:00')
  })

  test('an end without offset follows a start in the second hour, and in it after the first', async () => {
    const after = await createEvent({ ...second, end_date: '2026-11-01 01:45:00' })
    deepEqual([after.end_date, after.utc_end_date], ['2026-11-01 01:45:00', '2026-11-01 06:45:00'])
    const across = await createEvent({
      start_date: '2026-11-01T01:45:00-04:00',
      end_date: '2026-11-01T01:15:00-05:00',
    })
    deepEqual([across.utc_start_date, across.utc_end_date], ['2026-11-01 05:45:00', '2026-11-01 06:15:00'])
    const backwards = await createEvent({
      start_date: '2026-11-01T01:15:00-05:00',
      end_date: '2026-11-01T01:45:00-04:00',
    })
    equal(backwards.utc_end_date, backwards.utc_start_date)
    equal(backwards.end_date, backwards.start_date)
  })

  test('it is so where the clock goes back by half an hour, also of an odd offset', async () => {
    // Lord Howe Island: on 2027-04-04 clocks go from 02:00 (+11:00) back to 01:30 (+10:30).
    const howe = { timezone: 'Australia/Lord_Howe', end_date: '2027-04-04 05:00:00' }
    const twice = await createEvent({ ...howe, start_date: '2027-04-04T01:45:00+10:30' })
    deepEqual([twice.start_date, twice.utc_start_date], ['2027-04-04 01:45:00', '2027-04-03 15:15:00'])
    const once = await createEvent({ ...howe, start_date: '2027-04-04T01:45:00+11:00' })
    equal(once.utc_start_date, '2027-04-03 14:45:00')
    const john = { timezone: 'America/St_Johns', end_date: '2026-11-01 05:00:00' }
    const late = await createEvent({ ...john, start_date: '2026-11-01T01:30:00-03:30' })
    deepEqual([late.utc_start_date, late.timezone_abbr], ['2026-11-01 05:00:00', 'NST'])
  })
})

test('dates with slashes are read with a T before the time as well', async () => {
  const event = await createEvent({ start_date: '2026/11/21T05:00', end_date: '2026/11/21T06:30:15' })
  deepEqual([event.start_date, event.end_date], ['2026-11-21 05:00:00', '2026-11-21 06:30:15'])
  const utc = await createEvent({ start_date: '2026/11/21T05:00:00Z', end_date: '2026/11/21T06:30+01:00' })
  deepEqual([utc.utc_start_date, utc.utc_end_date], ['2026-11-21 05:00:00', '2026-11-21 05:30:00'])
  equal((await service.get('/events?start_date=2026/11/21T05:00&strict_dates=true')).status, 200)
})

describe('categories', () => {
  test('nest 50 levels, however a tree comes to be deeper', async () => {
    const chain: number[] = []
    for (let level = 1; level <= 50; level++) {
      const parent = chain.at(-1) ?? 0
      chain.push((await create('/categories', { name: `Level ${level}`, parent })).id)
    }
    const { status, body } = await service.post('/categories', { name: 'Level 51', parent: chain[49] })
    deepEqual([status, body.code, Object.keys(body.data.params)], [400, 'rest_invalid_param', ['parent']])
    match(body.message + JSON.stringify(body.data), /50/)
    const { id } = await create('/categories', { name: 'Another root' })
    equal((await service.put(`/categories/${chain[0]}`, { parent: id })).status, 400)
    equal((await service.put(`/categories/${chain[1]}`, { parent: id })).status, 200)
    equal((await service.put(`/categories/${chain[1]}`, { parent: chain[40] })).status, 400)
    const deepest = (await service.get(`/categories/${chain[49]}`)).body
    equal(deepest.url.split('/category/')[1].split('/').length, 51)
  })

  test('the empty parent of a category in use is listed by each filter as in the plain list', async () => {
    const category = (name: string, parent = 0) =>
      create('/categories', { name, slug: name.toLowerCase(), parent })
    const root = await category('Wurzel')
    const middle = await category('Stamm', root.id)
    const leaf = await category('Blatt', middle.id)
    const bare = await category('Kahl', root.id)
    await createEvent({ categories: [leaf.id] })
    const found = async (query: string) => {
      const { body } = await service.get(`/categories?per_page=50&${query}`)
      equal(body.total, body.categories.length)
      return body.categories.map(({ slug }: Body) => slug).join()
    }
    for (const [query, expected] of [
      ['', 'blatt,stamm,wurzel'],
      [`include=${root.id}`, 'wurzel'],
      [`include=${middle.id},${bare.id}`, 'stamm'],
      ['slug=stamm', 'stamm'],
      ['search=wurz', 'wurzel'],
      [`exclude=${leaf.id}`, 'stamm,wurzel'],
      [`exclude=${leaf.id},${root.id}`, 'stamm'],
      ['search=kahl', ''],
      [`parent=${root.id}`, ''],
      [`parent=${middle.id}`, 'blatt'],
    ] as const)
      equal(await found(query), expected, query)
  })
})
