import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { touch } from '../support/recording.ts'
import { type Body, day, type Reader, serviceForTests, startService } from '../support/service.ts'

const service = serviceForTests()
const { create } = service
const read = async (path: string, as: Reader = 'anonymous'): Promise<Body> =>
  (await service.get(path, as)).body

describe('linked data', () => {
  test('venue and organizers of a single event have theirs, not in lists and after writes', async () => {
    const places = {
      venue: { venue: 'Hall', city: 'Bern' },
      organizer: [{ organizer: 'Club' }, { organizer: 'Choir' }],
    }
    const made = await create('/events', { title: 'Linked', ...day, ...places })
    deepEqual([made.venue.json_ld, made.organizer[0].json_ld], [undefined, undefined])
    const listed = async (as: Reader) =>
      (await read(`/events?organizer=${made.organizer[0].id}`, as)).events[0]
    for (const as of ['anonymous', 'editor'] as const) {
      // Three times, since a repeated read may come from memory.
      for (const _time of [1, 2, 3]) {
        const single = await read(`/events/${made.id}`, as)
        deepEqual(single.venue.json_ld, (await read(`/venues/${made.venue.id}`)).json_ld)
        equal(single.venue.json_ld['@type'], 'Place')
        for (const organizer of single.organizer)
          deepEqual(organizer.json_ld, (await read(`/organizers/${organizer.id}`)).json_ld)
        equal(single.organizer[1].json_ld.name, 'Choir')
        deepEqual((await read('/events/by-slug/linked', as)).venue.json_ld, single.venue.json_ld)
        const inList = await listed(as)
        deepEqual(
          [inList.venue.json_ld, inList.organizer[0].json_ld, inList.json_ld],
          Array(3).fill(undefined),
        )
      }
    }
    const { body: put } = await service.put(`/events/${made.id}`, { title: 'Linked again' })
    deepEqual([put.venue.json_ld, put.organizer[0].json_ld], [undefined, undefined])
    await service.put(`/venues/${made.venue.id}`, { city: 'Basel' })
    equal((await read(`/events/${made.id}`)).venue.json_ld.address.addressLocality, 'Basel')
  })

  test('no text in it can end the script element that a page puts it in', async () => {
    const evil =
      'A &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &lt;!-- B </p><b>x</b> &amp;lt;i&amp;gt; & co'
    const line = '1 &lt;/script> </ script <!- - <<script>script>'
    const event = await create('/events', {
      title: evil,
      description: evil,
      ...day,
      cost: line,
      website: 'https://example.org/?q="><script>',
      venue: {
        venue: evil,
        description: evil,
        address: line,
        city: line,
        phone: line,
        website: 'http://v.example/"<a>',
      },
      organizer: [
        { organizer: evil, description: evil, email: line, phone: line, website: 'http://o.example/"<a>' },
      ],
    })
    const paths = [`/events/${event.id}`, `/venues/${event.venue.id}`, `/organizers/${event.organizer[0].id}`]
    for (const path of paths) {
      for (const as of ['anonymous', 'editor'] as const) {
        const answer = await read(path, as)
        for (const { json_ld } of [answer, answer.venue, answer.organizer]
          .flat()
          .filter((one) => typeof one === 'object')) {
          ok(json_ld, path)
          doesNotMatch(JSON.stringify(json_ld), /<|-->/, path)
        }
      }
    }
    const { name } = (await read(`/events/${event.id}`)).json_ld
    ok(name.startsWith('A &lt;/script&gt;'), name)
    ok(name.includes('&amp;lt;i&amp;gt; & co'), name)
  })
})

describe('addresses', () => {
  const paths = { '/events': 'title', '/venues': 'venue', '/organizers': 'organizer' } as const
  const kinds = Object.entries(paths)

  test('only web pages, files to fetch and mail are addresses', async () => {
    const good = [
      'http://example.org',
      'https://example.org/a?b#c',
      'FTP://example.org/a',
      'mailto:a@example.org',
    ]
    const bad = (
      'file:///etc/passwd file://host/share view-source://example.org intent://scan/#Intent;end ' +
      'ms-msdt://x javascript://example.org/%0aalert(1) gopher://example.org httpx://example.org ' +
      'chrome://settings'
    ).split(' ')
    for (const [path, name] of kinds) {
      for (const website of good) await create(path, { [name]: `Good ${website}`, ...day, website })
      for (const website of bad) {
        const { status, body } = await service.post(path, { [name]: 'Bad', ...day, website })
        deepEqual([status, Object.keys(body.data.params)], [400, ['website']], website)
      }
    }
  })

  test('quotes and angle brackets in one are shown encoded, and it can be sent back', async () => {
    for (const [path, name] of kinds) {
      const record = await create(path, {
        [name]: 'Quoted',
        ...day,
        website: 'https://example.org/?q="a"<b>',
      })
      equal(record.website, 'https://example.org/?q=%22a%22%3Cb%3E', path)
      const { body } = await service.put(`${path}/${record.id}`, { website: record.website })
      equal(body.website, record.website)
      const again = await service.post(path, {
        [name]: 'Quoted',
        ...day,
        website: 'https://example.org/?q="a"<b>',
      })
      if (path !== '/events') equal(again.body.id, record.id)
    }
  })

  test('one that is kept from before and would not be taken today is not shown', async () => {
    const places = { venue: { venue: 'Old hall' }, organizer: [{ organizer: 'Old club' }] }
    const event = await create('/events', { title: 'Old', ...day, ...places })
    const [venue, organizer] = [event.venue.id, event.organizer[0].id]
    const store = (table: 'events' | 'venues' | 'organizers', id: number, website: string) =>
      service.app.database.write(async (tx) => {
        await tx.updateTable(table).set({ website }).where('id', '=', id).execute()
        await touch(tx, table.slice(0, -1) as 'event', id)
      })
    for (const website of ['file:///etc/passwd', 'javascript:alert(1)', 'intent://x', 'nonsense']) {
      await store('events', event.id, website)
      await store('venues', venue, website)
      await store('organizers', organizer, website)
      await service.put(`/events/${event.id}`, { excerpt: website })
      for (const as of ['anonymous', 'editor'] as const) {
        const single = await read(`/events/${event.id}`, as)
        equal(single.website, single.url)
        deepEqual([single.venue.website, single.organizer[0].website], [undefined, undefined])
        const place = await read(`/venues/${venue}`, as)
        deepEqual([place.website, place.json_ld.sameAs], [undefined, ''])
        const host = await read(`/organizers/${organizer}`, as)
        deepEqual([host.website, host.json_ld.sameAs, host.json_ld.url], [undefined, '', ''])
      }
    }
    await store('venues', venue, 'https://example.org/"><script>')
    await service.put(`/venues/${venue}`, { city: 'Bern' })
    equal((await read(`/venues/${venue}`)).website, 'https://example.org/%22%3E%3Cscript%3E')
  })
})

test('the word for a price of nought is the same in every language', async () => {
  for (const language of ['de', 'es', 'fr', 'en'] as const) {
    const other = await startService({ language })
    const { body } = await other.post('/events', { title: 'Free', ...day, cost: '0' })
    const range = await other.post('/events', { title: 'Range', ...day, cost: ['0', '10'] })
    await other.close()
    deepEqual([body.cost, range.body.cost], ['Free', 'Free – $10'], language)
  }
})

test('the map flags of venues are described as text as well, as the index has them', async () => {
  const index = await read('')
  const venues = index.routes[`/${index.namespace}/venues`]
  const args = venues.endpoints.find(({ methods }: Body) => methods.includes('POST')).args
  const { schemas } = (await read('/doc')).components
  for (const flag of ['show_map', 'show_map_link']) {
    equal(args[flag].type, 'string')
    for (const schema of ['NewVenue', 'VenueChange'])
      ok(schemas[schema].properties[flag].type.includes('string'), `${schema}.${flag}`)
    equal(schemas.Venue.properties[flag].type, 'boolean')
    const { body, status } = await service.post('/venues', { venue: `With ${flag}`, [flag]: 'yes' })
    deepEqual([status, body[flag]], [201, true])
  }
})
