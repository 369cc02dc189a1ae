import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type AtDesk, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { day, serviceForTests } from '../support/service.ts'

const typed = { title: 'Asking', start_date: '2027-04-01', start_time: '10:00', end_time: '12:00' }

describe('what the desk shows of what others have not published', () => {
  const service = serviceForTests()
  let ids: Record<'venue' | 'organizer' | 'event', string>

  before(async () => {
    const make = async (path: string, body: object) => String((await service.create(path, body, 'editor')).id)
    const venue = await make('/venues', { venue: 'Hidden hall', address: 'Hidden street', status: 'draft' })
    const organizer = await make('/organizers', { organizer: 'Hidden choir', status: 'draft' })
    const links = { venue: Number(venue), organizer: Number(organizer), tags: ['Hidden tag'] }
    const event = await make('/events', { title: 'Hidden event', status: 'draft', ...day, ...links })
    ids = { venue, organizer, event }
  })

  const pagesOf = async (desk: AtDesk) => {
    const links = { venue: [ids.venue], organizer: [ids.organizer] }
    return [
      await desk.post('/desk/events/new', { ...typed, ...links, show: 'dates' }),
      await desk.post('/desk/events/new', { ...typed, ...links, title: '' }),
      await desk.post('/desk/events/words', { ...typed, ...links, title: 'Hidden event' }),
      await desk.post('/desk/events/preview', { ...typed, ...links }),
      await desk.post(`/desk/events/preview?id=${ids.event}`, { ...typed, ...links }),
      await desk.post('/desk/events/many', { do: 'trash', ids: ids.event, sure: '1', key: 'asking-for-it' }),
      await desk.get(`/desk/events/many?do=trash&ids=${ids.event}`),
      await desk.get('/desk/events/many/asking-for-it'),
      ...(await Promise.all(
        ['venue', 'organizer', 'category', 'tag'].map((kind) =>
          desk.get(`/desk/names?kind=${kind}&starts=Hidden`),
        ),
      )),
      await desk.get('/desk/search?search=Hidd'),
      await desk.get('/desk/search/as-typed?search=Hidd'),
      await desk.get('/desk/'),
      await desk.get('/desk/inbox'),
      await desk.get(`/desk/inbox?done=publish&venue=${ids.venue}&organizer=${ids.organizer}`),
      await desk.get('/desk/month/2027-04'),
      await desk.get('/desk/events?author=all&status=draft'),
      await desk.get('/desk/events/new?title=x'),
      await desk.get(`/desk/events/${ids.event}`),
      await desk.get(`/desk/events/${ids.event}/duplicate`),
      await desk.get(`/desk/events/${ids.event}/history`),
      await desk.get(`/desk/venues/${ids.venue}/history`),
      ...(await Promise.all(
        ['venues', 'organizers', 'categories', 'tags'].map((room) => desk.get(`/desk/${room}`)),
      )),
    ]
  }

  for (const login of ['author', 'contributor', 'subscriber'] as const)
    test(`no page names a draft of others to the ${login}`, async () => {
      const desk = await sitAtDesk(service, login)
      for (const { status, body } of await pagesOf(desk)) {
        ok(status < 500, String(body))
        const text = typeof body === 'string' ? body : JSON.stringify(body ?? '')
        doesNotMatch(text, /Hidden (?:hall|street|choir|event|tag)/)
      }
    })

  test('readers see the rooms of what is published', async () => {
    await service.create('/venues', { venue: 'Open hall' }, 'editor')
    const subscriber = await sitAtDesk(service, 'subscriber')
    for (const room of ['', 'events', 'month', 'inbox', 'venues', 'organizers', 'categories', 'tags', 'me'])
      equal((await subscriber.get(`/desk/${room}`)).status, 200, room)
    match((await subscriber.get('/desk/venues')).body, /Open hall/)
  })

  test('a save keeps the venue that a form could not name, and takes none that was emptied', async () => {
    const author = await sitAtDesk(service, 'author')
    const linked = {
      ...day,
      title: 'At a hidden hall',
      venue: Number(ids.venue),
      author: service.userIds.author,
    }
    const { id } = await service.event(linked, 'editor')
    const form = { title: 'Changed', venue: [ids.venue], venue_name: '' }
    await author.save(`/desk/events/${id}`, form)
    equal((await service.get(`/events/${id}`, 'editor')).body.venue.venue, 'Hidden hall')
    const editor = await sitAtDesk(service, 'editor')
    await editor.save(`/desk/events/${id}`, form)
    deepEqual((await service.get(`/events/${id}`, 'editor')).body.venue, [])
  })

  test('what somebody made before becoming a reader is shown as by REST: drafts, no trash', async () => {
    const own = { ...day, author: service.userIds.subscriber, status: 'draft' }
    const [draft, gone] = [
      await service.event({ ...own, title: 'Formerly drafted' }, 'editor'),
      await service.event({ ...own, title: 'Formerly trashed' }, 'editor'),
    ]
    await service.remove(`/events/${gone.id}`, 'editor')
    const answers = await Promise.all(
      [draft, gone].map(({ id }) => service.get(`/events/${id}`, 'subscriber')),
    )
    deepEqual(pluck(answers, 'status'), [200, 403])
    const reader = await sitAtDesk(service, 'subscriber')
    for (const path of [
      '/desk/search?search=Formerly',
      `/desk/search/as-typed?search=${gone.id}`,
      '/desk/search/as-typed?search=Formerly+tr',
      '/desk/events?status=trash',
      '/desk/events?status=draft',
      '/desk/month/2027-04',
    ]) {
      const { body } = await reader.get(path)
      doesNotMatch(JSON.stringify(body ?? ''), /Formerly trashed/, path)
    }
    match((await reader.get('/desk/events?status=draft')).body, /Formerly drafted/)
  })

  test('a hidden link is shown to no author who may not change it now, and proposals keep it', async () => {
    const [url, later] = ['https://meet.example.org/secret', 'https://meet.example.org/secret-2']
    const linked = {
      ...day,
      title: 'Online',
      online_url: url,
      online_shown: 'never',
      author: service.userIds.contributor,
    }
    const { id } = await service.event(linked, 'editor')
    const [author, editor] = [await sitAtDesk(service, 'contributor'), await sitAtDesk(service, 'editor')]
    const form = await author.get(`/desk/events/${id}`)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(form.body) ?? []
    await service.update(`/events/${id}`, { online_url: later }, 'editor')
    const propose = (fields: Record<string, string>) =>
      author.post(`/desk/events/${id}`, { version, ...fields })
    const seen = [
      form,
      await author.get(`/desk/events/${id}/duplicate`),
      await propose({ title: 'Conflict', online_url: 'https://meet.example.org/mine' }),
      await propose({ title: '', online_url: '' }),
      await author.post(`/desk/events/${id}`, { title: 'Proposed', online_url: '' }),
      await author.get(`/desk/events/${id}`),
      await author.get('/desk/inbox'),
      await author.post(`/desk/events/${id}`, { online_url: 'https://meet.example.org/mine' }),
      await author.get('/desk/inbox'),
    ]
    deepEqual(pluck(seen, 'status'), [200, 200, 412, 422, 303, 200, 200, 303, 200])
    for (const { body } of seen) doesNotMatch(String(body), /secret/)
    await author.post(`/desk/events/${id}`, { title: 'Proposed', online_url: '' })
    const [, publish = ''] =
      /action="(\/desk\/inbox\/proposal\/\d+\/publish)"/.exec((await editor.get('/desk/inbox')).body) ?? []
    await editor.post(publish, {})
    const { body } = await service.get(`/events/${id}`, 'editor')
    deepEqual([body.title, body.online_url], ['Proposed', later])
    match((await editor.get(`/desk/events/${id}`)).body, /secret-2/)
  })

  test('no address makes the desk say what a stranger has written', async () => {
    const editor = await sitAtDesk(service, 'editor')
    for (const path of [
      '/desk/inbox?by=Forged',
      '/desk/inbox?done=publish&with=Forged&venue=Forged&organizer=0,-1,Forged',
      '/desk/inbox?done=Forged',
      `/desk/events/${ids.event}/history?restored=1&left=Forged`,
      `/desk/events/${ids.event}?saved=Forged&taken=Forged`,
      '/desk/month/2027-04?moved=1&from=Forged',
      '/desk/me?saved=Forged',
      '/desk/inbox?by=%00',
    ]) {
      const { status, body } = await editor.get(path)
      equal(status, 200, path)
      doesNotMatch(body, /Forged/, path)
    }
  })

  test('addresses of imports, which may be secrets, are shown to nobody by their path', async () => {
    const address = 'https://calendar.example/private-abc/basic.ics'
    const source = {
      id: 1,
      address,
      token: '',
      options: '',
      holder: '',
      held_until_utc: '',
      origin: '',
    } as const
    await service.app.database.write((tx) => tx.insertInto('import_sources').values(source).execute())
    for (const [login, isNamed] of [
      ['editor', true],
      ['author', false],
      ['subscriber', false],
    ] as const) {
      const { body } = await (await sitAtDesk(service, login)).get('/desk/events')
      doesNotMatch(body, /private-abc/)
      equal(body.includes('calendar.example'), isNamed, login)
    }
  })
})
