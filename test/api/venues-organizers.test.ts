import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertNone } from '../support/lists.ts'
import { type Body, onDay, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create, update } = service
const read = (path: string, as: Reader = 'admin') => service.read(path, as)
const createEvent = (fields: object) =>
  create('/events', { title: 'At home', ...onDay('2027-05-01', '10:00:00', '12:00:00'), ...fields })
describe('venues', () => {
  const FULL = {
    venue: 'Full V',
    author: 2,
    date: '2020-01-02 03:04:05',
    description: 'desc <b>x</b>',
    status: 'draft',
    show_map: 'false',
    show_map_link: 'false',
    address: '1 Main',
    city: 'NYC',
    country: 'United States',
    state: 'NY',
    zip: '10001',
    phone: '555',
    website: 'https://v.example',
    geo_lat: 40.7,
    geo_lng: -74,
  }

  test('a full venue shows every member in the documented order', async () => {
    const { id, date_utc, ...venue } = await create('/venues', FULL)
    const expected = {
      author: '2',
      status: 'draft',
      date: '2020-01-02 03:04:05',
      modified: '2020-01-02 03:04:05',
      modified_utc: '2020-01-02 08:04:05',
      url: `${service.origin}/?post_type=tribe_venue&p=${id}`,
      venue: 'Full V',
      description: '<p>desc <b>x</b></p>',
      slug: 'full-v',
      address: '1 Main',
      city: 'NYC',
      country: 'United States',
      state: 'NY',
      zip: '10001',
      phone: '555',
      stateprovince: 'NY',
      website: 'https://v.example',
      geo_lat: 40.7,
      geo_lng: -74,
      show_map: false,
      show_map_link: false,
      global_id: `localhost?id=${id}`,
      global_id_lineage: [`localhost?id=${id}`],
    }
    deepEqual(venue, expected)
    assertNone(Object.keys(venue), (key) => !(key in expected))
  })

  test('a venue of a name alone shows nothing that is empty, and its map switches on', async () => {
    const venue = await create('/venues', { venue: 'Bare Venue' })
    deepEqual(Object.keys(venue), [
      ...['id', 'author', 'status', 'date', 'date_utc', 'modified', 'modified_utc', 'url', 'venue', 'slug'],
      ...['show_map', 'show_map_link', 'global_id', 'global_id_lineage'],
    ])
    deepEqual([venue.show_map, venue.show_map_link], [true, true])
    equal(venue.url, `${service.origin}/venue/bare-venue/`)
  })

  test('single reads by id and by slug add linked data, with known parts of the address', async () => {
    const { id } = await create('/venues', {
      venue: 'Linked Hall',
      city: 'Kingston',
      website: 'https://hall.example/?a=1&b=2',
    })
    const { json_ld, ...venue } = await read(`/venues/${id}`, 'anonymous')
    deepEqual(json_ld, {
      '@type': 'Place',
      name: 'Linked Hall',
      description: '',
      url: '',
      address: { '@type': 'PostalAddress', addressLocality: 'Kingston' },
      telephone: '',
      sameAs: 'https://hall.example/?a=1&b=2',
    })
    deepEqual(await read('/venues/by-slug/Linked-HALL', 'anonymous'), { ...venue, json_ld })
    equal(venue.website, 'https://hall.example/?a=1&b=2')
  })

  test('state or province follow rule 21.5, and an update of one part heeds the others', async () => {
    const vectors: [place: object, expected: string | undefined][] = [
      [{ state: 'NY' }, 'NY'],
      [{ state: 'NY', country: 'Italy' }, undefined],
      [{ province: 'RM', country: 'Italy' }, 'RM'],
      [{ state: 'NY', province: 'RM', country: 'Italy' }, 'RM'],
      [{ state: 'NY', province: 'RM', country: 'US' }, 'NY'],
      [{ state: 'NY', province: 'RM', country: 'United States' }, 'NY'],
      [{ stateprovince: 'XX', state: 'NY' }, 'XX'],
    ]
    for (const [n, [place, expected]] of vectors.entries())
      equal(
        (await create('/venues', { venue: `Place ${n}`, ...place })).stateprovince,
        expected,
        JSON.stringify(place),
      )
    const { id } = await create('/venues', { venue: 'Moved', state: 'NY', province: 'RM' })
    equal((await update(`/venues/${id}`, { country: 'Italy' })).stateprovince, 'RM')
    equal((await update(`/venues/${id}`, { stateprovince: 'Lazio' })).stateprovince, 'Lazio')
    equal((await update(`/venues/${id}`, { country: 'US' })).stateprovince, 'Lazio')
    equal((await update(`/venues/${id}`, { stateprovince: '' })).stateprovince, 'NY')
  })

  test('texts of one line lose markup and surplus blanks', async () => {
    const venue = await create('/venues', {
      venue: ' <b>Bold</b>  Hall ',
      address: ' 1 <i>Main</i>\n Street ',
      phone: '<script>x</script> 5 5',
    })
    deepEqual([venue.address, venue.phone.includes('<')], ['1 Main Street', false])
    equal(venue.venue.trim(), venue.venue)
  })
})

describe('organizers', () => {
  test('a full organizer shows every member in order, and linked data on single reads', async () => {
    const sent = {
      organizer: 'Full O',
      description: 'About us',
      phone: '555',
      website: 'https://o.example',
      email: 'o@o.example',
    }
    const { id, date, date_utc, modified, modified_utc, ...organizer } = await create('/organizers', sent)
    const expected = {
      author: '1',
      status: 'publish',
      url: `${service.origin}/organizer/full-o/`,
      organizer: 'Full O',
      description: '<p>About us</p>',
      slug: 'full-o',
      phone: '555',
      website: 'https://o.example',
      email: 'o@o.example',
      global_id: `localhost?id=${id}`,
      global_id_lineage: [`localhost?id=${id}`],
    }
    deepEqual(organizer, expected)
    deepEqual(Object.keys(organizer), Object.keys(expected))
    deepEqual((await read('/organizers/by-slug/full-o')).json_ld, {
      '@type': 'Person',
      name: 'Full O',
      description: 'About us',
      url: 'https://o.example',
      telephone: '555',
      email: 'o@o.example',
      sameAs: 'https://o.example',
    })
  })

  test('an e-mail address may be anything on one line', async () => {
    equal(
      (await create('/organizers', { organizer: 'Shy', email: 'ask at the desk' })).email,
      'ask at the desk',
    )
  })
})

for (const kind of ['venue', 'organizer'] as const) {
  const path = `/${kind}s`

  describe(`both kinds: ${kind}s`, () => {
    test('each field changes alone by POST, PUT and PATCH, and empty values clear it', async () => {
      const shared = { description: 'Text', phone: '1', website: 'https://a.example' }
      const own =
        kind === 'venue' ? { address: 'A', city: 'C', country: 'L', province: 'P', zip: 'Z' } : { email: 'e' }
      const fields: Record<string, string> = { ...shared, ...own }
      const { id } = await create(path, { [kind]: `Whole ${kind}`, date: '2020-01-01 00:00:00', ...fields })
      let n = 0
      for (const [name, value] of Object.entries(fields)) {
        const before = await read(`${path}/${id}`)
        const method = ['POST', 'PUT', 'PATCH'][n++ % 3] ?? 'PUT'
        const { body: changed } = await service.request('admin', method, `${path}/${id}`, {
          [name]: `${value}2`,
        })
        match(changed[name], /2(<\/p>)?$/)
        const ignored = [name, 'modified', 'modified_utc', 'json_ld', 'stateprovince']
        for (const key of Object.keys(before))
          if (!ignored.includes(key)) deepEqual(changed[key], before[key], key)
        equal((await update(`${path}/${id}`, { [name]: null }))[name], changed[name])
        equal((await update(`${path}/${id}`, { [name]: '' }))[name], undefined)
      }
    })

    test('a new name keeps the slug, and a slug can not be chosen', async () => {
      const record = await create(path, { [kind]: `Named ${kind}`, slug: 'chosen' })
      equal(record.slug, `named-${kind}`)
      const renamed = await update(`${path}/by-slug/${record.slug}`, { [kind]: 'Renamed', slug: 'other' })
      deepEqual([renamed.id, renamed[kind], renamed.slug], [record.id, 'Renamed', `named-${kind}`])
    })

    test('a blank name is refused, an empty or absent one is named', async () => {
      const blank = await service.post(path, { [kind]: '   ' })
      deepEqual([blank.status, blank.body.code], [400, `could-not-create-${kind}`])
      for (const name of ['', '0', 5, []]) {
        const { body } = await service.post(path, { [kind]: name })
        deepEqual([body.code, Object.keys(body.data.params)], ['rest_invalid_param', [kind]])
      }
      const none = await service.post(path, {})
      deepEqual([none.body.code, none.body.data.params], ['rest_missing_callback_param', [kind]])
    })

    test('a create finds the record of that name in any case whose details agree, fills gaps', async () => {
      const first = await create(path, { [kind]: `Mill ${kind}`, phone: '1' })
      const again = await create(path, {
        [kind]: `MILL ${kind}`,
        phone: '1',
        website: 'https://mill.example',
        description: 'Old mill',
      })
      deepEqual([again.id, again[kind], again.website], [first.id, `Mill ${kind}`, 'https://mill.example'])
      equal((await create(path, { [kind]: `Mill ${kind}` })).id, first.id)
      equal((await create(path, { [kind]: `Mill ${kind}`, description: 'Old mill', phone: '' })).id, first.id)
      const second = await create(path, { [kind]: `Mill ${kind}`, phone: '2' })
      notEqual(second.id, first.id)
      notEqual(second.slug, first.slug)
      notEqual((await create(path, { [kind]: `Mill ${kind}`, description: 'New mill' })).id, first.id)
      equal((await read(`${path}/${first.id}`)).phone, '1')
      equal((await read(`${path}?search=mill+${kind}&per_page=50`)).total, 2)
    })

    test('nobody fills gaps of what they may not change, and trashed records are not found', async () => {
      const record = await create(path, { [kind]: `Closed ${kind}` }, 'editor')
      equal((await create(path, { [kind]: `Closed ${kind}` }, 'author')).id, record.id)
      const other = await create(path, { [kind]: `Closed ${kind}`, phone: '9' }, 'author')
      notEqual(other.id, record.id)
      equal((await read(`${path}/${record.id}`)).phone, undefined)
      await service.remove(`${path}/${record.id}`)
      await service.remove(`${path}/${other.id}`)
      ok(![record.id, other.id].includes((await create(path, { [kind]: `Closed ${kind}` })).id))
    })

    test('removal trashes it and frees its slug, a second is told so, a status brings it back', async () => {
      const record = await create(path, { [kind]: `Passing ${kind}` })
      const event = await createEvent({ [kind]: record.id })
      const removed = (await service.remove(`${path}/by-slug/${record.slug}`)).body
      deepEqual(
        [removed.status, removed.slug, removed.json_ld],
        ['trash', `${record.slug}__trashed`, undefined],
      )
      const again = await service.remove(`${path}/${record.id}`)
      deepEqual([again.status, again.body.code], [410, `${kind}-is-in-trash`])
      const hidden = await service.get(`${path}/${record.id}`)
      deepEqual([hidden.status, hidden.body.code], [403, `${kind}-not-accessible`])
      deepEqual((await read(`/events/${event.id}`))[kind], [])
      equal((await read(`${path}?search=passing+${kind}`)).total, 0)
      const restored = await update(`${path}/${record.id}`, { status: 'publish' })
      deepEqual([restored.status, restored.slug], ['publish', record.slug])
      deepEqual([(await read(`/events/${event.id}`, 'anonymous'))[kind]].flat()[0].id, record.id)
    })

    test('lists are filtered by event, by having events and by having events to come', async () => {
      const name = (what: string) => `Filter ${kind} ${what}`
      const upcoming = await createEvent({ [kind]: { [kind]: name('upcoming') } })
      const past = { start_date: '2019-01-01', end_date: '2019-01-01' }
      await createEvent({ [kind]: { [kind]: name('past') }, ...past })
      await createEvent({ [kind]: { [kind]: name('draft'), status: 'publish' }, status: 'draft' })
      await createEvent({ [kind]: { [kind]: name('hidden') }, hide_from_listings: true })
      await create(path, { [kind]: name('none') })
      const found = async (query: string, as: Reader = 'anonymous') =>
        (await read(`${path}?search=filter+${kind}&per_page=50&${query}`, as))[path.slice(1)]
          .map((record: Body) => record[kind].split(' ')[2])
          .sort()
      deepEqual(await found(''), ['draft', 'hidden', 'none', 'past', 'upcoming'])
      deepEqual(await found(`event=${upcoming.id}`), ['upcoming'])
      for (const yes of ['1', 'true', 'yes', 'ON'])
        deepEqual(await found(`has_events=${yes}`), ['hidden', 'past', 'upcoming'], yes)
      for (const no of ['0', 'false', '', 'x'])
        deepEqual(await found(`has_events=${no}`), ['draft', 'none'], no)
      deepEqual(await found('only_with_upcoming=true'), ['upcoming'])
      deepEqual(await found('only_with_upcoming=true', 'admin'), ['draft', 'upcoming'])
      equal((await found('only_with_upcoming=false')).length, 5)
      const all = `has_events=1&only_with_upcoming=1&event=${upcoming.id}&status=publish`
      deepEqual(await found(all), ['upcoming'])
      for (const query of ['event=987654', 'event=x', 'status=nonsense', 'search=', 'page=0', 'per_page=x'])
        equal((await service.get(`${path}?${query}`, 'admin')).status, 400, query)
    })

    test('the search looks for words in any one field, without case and accents', async () => {
      const record = await create(path, {
        [kind]: `Zürcher ${kind}`,
        description: '<p>Marble &amp; oak floors</p>',
        phone: '+41 44 555',
        website: 'https://zuerich.example',
        ...(kind === 'venue'
          ? { address: '3 Ash Lane', city: 'Zürich', country: 'Schweiz', zip: '8001' }
          : { email: 'desk@zh.example' }),
      })
      const texts = ['zurcher', 'ZÜRCHER', 'marble floors', 'zuerich.example', '555']
      const own = kind === 'venue' ? ['ash lane', 'zurich', 'schweiz', '8001'] : ['desk', 'zh.example']
      for (const text of [...texts, ...own]) {
        const { [path.slice(1)]: records } = await read(
          `${path}?per_page=50&search=${encodeURIComponent(text)}`,
        )
        ok(
          records.some(({ id }: Body) => id === record.id),
          text,
        )
      }
      for (const text of ['marble zurcher', '%', '_', '...'])
        equal((await read(`${path}?search=${encodeURIComponent(text)}`)).total, 0, text)
    })

    test('a whole record as read, posted back under another name, makes a copy', async () => {
      const { id } = await create(path, {
        [kind]: `Original ${kind}`,
        description: 'a\n\nb & c',
        phone: '1',
        website: 'https://a.example/?a=1&b=2',
        status: 'private',
        date: '2020-01-01 10:00:00',
      })
      const original = await read(`${path}/${id}`)
      const copy = await create(path, { ...original, [kind]: `Copied ${kind}` })
      const own = [
        'id',
        'global_id',
        'global_id_lineage',
        'url',
        'slug',
        'json_ld',
        'modified',
        'modified_utc',
        kind,
      ]
      const without = (record: Body) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => !own.includes(name)))
      notEqual(copy.id, id)
      deepEqual(without(copy), without(original))
    })
  })
}
