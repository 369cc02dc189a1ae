import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AtDesk, deskHere, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { type Answer, onDay, serviceForTests } from '../support/service.ts'

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const on = (days: number) => onDay(later(days), '19:00:00', '21:00:00')

function fieldsOf(body: string): Record<string, string> {
  const form = /<form class="confirm"[\s\S]*?<\/form>/.exec(body)?.[0] ?? ''
  const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  return Object.fromEntries([...hidden].map(([, name, value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

describe('many events at once', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  const make = async (count: number, values: object = {}): Promise<number[]> => {
    const ids: number[] = []
    for (let i = 0; i < count; i++)
      ids.push((await service.event({ title: `Event ${i}`, ...on(5 + i), ...values })).id)
    return ids
  }
  const statusOf = async (id: number) => (await service.get(`/events/${id}`, 'admin')).body.status

  async function doAll(
    as: AtDesk,
    action: string,
    ids: readonly number[],
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const asked = await as.post('/desk/events/many', { do: action, ids: ids.map(String) })
    equal(asked.status, 200, asked.body)
    const done = await as.post('/desk/events/many', { ...fieldsOf(asked.body), ...more })
    equal(done.status, 303, done.body)
    return as.get(done.headers.get('location') ?? '')
  }

  async function takeBack(as: AtDesk, told: Answer): Promise<Answer> {
    const [, undo = ''] = /name="undo" value="([^"]*)"/.exec(told.body) ?? []
    return as.post('/desk/events/undo', { undo })
  }

  test('a confirmation names the count and the first titles, and does nothing yet', async () => {
    const ids = await make(7)
    const { status, body } = await editor.post('/desk/events/many', { do: 'trash', ids: ids.map(String) })
    equal(status, 200)
    match(body, /Move 7 events to the trash\?/)
    for (const i of [0, 4]) match(body, new RegExp(`Event ${i}<`))
    match(body, /and 2 more/)
    equal(await statusOf(ids[0] ?? 0), 'publish')
    match((await editor.get(`/desk/events/many?do=trash&ids=${ids[0]}`)).body, /Move to the trash: Event 0/)
    equal(await statusOf(ids[0] ?? 0), 'publish')
  })

  test('each row is told, and one press takes everything back, once', async () => {
    const [first = 0, second = 0] = await make(2)
    const own = await service.event({ title: 'Draft', ...on(3), status: 'draft' })
    const told = await doAll(editor, 'trash', [first, second, own.id, 999_999])
    match(told.body, /3 events changed, 1 not/)
    match(told.body, /#999999/)
    deepEqual(await Promise.all([first, second, own.id].map(statusOf)), ['trash', 'trash', 'trash'])
    match((await takeBack(editor, told)).body, /Undone for 3 events/)
    deepEqual(await Promise.all([first, second, own.id].map(statusOf)), ['publish', 'publish', 'draft'])
    match((await takeBack(editor, told)).body, /undone before/)
    const alone = await doAll(editor, 'trash', [first, 999_999])
    match(alone.body, /1 event changed, 1 not/)
    match((await takeBack(editor, alone)).body, /<h1>Undone for 1 event</)
  })

  test('what is scheduled is published now, and waits for its date again once undone', async () => {
    const date = `${later(3)} 08:00:00`
    const [id = 0] = await make(1, { status: 'future', date })
    const told = await doAll(editor, 'publish', [id])
    match(told.body, /<title>Done: 1 /)
    equal((await service.get(`/events/${id}`)).status, 200)
    await takeBack(editor, told)
    const { status, date: again } = (await service.get(`/events/${id}`, 'admin')).body
    deepEqual([status, again], ['future', date])
  })

  test('a confirmation that is sent twice moves nothing twice', async () => {
    const [id = 0] = await make(1)
    const asked = await editor.post('/desk/events/many', { do: 'move', ids: [String(id)] })
    const form = { ...fieldsOf(asked.body), days: '2', hours: '-1' }
    const both = await Promise.all([
      editor.post('/desk/events/many', form),
      editor.post('/desk/events/many', form),
    ])
    deepEqual(pluck(both, 'status'), [303, 303])
    await editor.post('/desk/events/many', form)
    equal((await service.get(`/events/${id}`)).body.start_date, `${later(7)} 18:00:00`)
  })

  test('every action does to each event what REST would', async () => {
    const venue = await service.create('/venues', { venue: 'The Blue Kettle' })
    const organizer = await service.create('/organizers', { organizer: 'Choir' })
    await service.create('/categories', { name: 'Music' })
    await service.create('/categories', { name: 'Film' })
    await service.create('/tags', { name: 'free entry' })
    const ids = await make(2, { categories: 'film' })
    const [id = 0] = ids
    const read = async () => (await service.get(`/events/${id}`, 'admin')).body
    await doAll(editor, 'draft', ids)
    equal((await read()).status, 'draft')
    await doAll(editor, 'publish', ids)
    equal((await read()).status, 'publish')
    await doAll(editor, 'categories', ids, { add: 'music', remove: 'Film' })
    deepEqual(pluck((await read()).categories, 'slug'), ['music'])
    await doAll(editor, 'tags', ids, { add: 'Free Entry' })
    equal((await read()).tags.length, 1)
    await doAll(editor, 'venue', ids, { to: 'the blue kettle' })
    equal((await read()).venue.id, venue.id)
    await doAll(editor, 'organizer', ids, { to: 'Choir' })
    equal((await read()).organizer[0].id, organizer.id)
    await doAll(editor, 'venue', ids, { to: '' })
    deepEqual((await read()).venue, [])
    const told = await doAll(editor, 'cancel', ids, { event_status: 'postponed', reason: 'Snow' })
    deepEqual([(await read()).event_status, (await read()).event_status_reason], ['postponed', 'Snow'])
    await takeBack(editor, told)
    equal((await read()).event_status, undefined)
    await doAll(editor, 'trash', ids)
    await doAll(editor, 'restore', ids)
    equal((await read()).status, 'publish')
    await doAll(editor, 'trash', ids)
    doesNotMatch((await doAll(editor, 'delete', ids)).body, /name="undo"/)
    equal((await service.get(`/events/${id}`, 'admin')).status, 404)
  })

  test('organizers, venues and terms are added, taken off and replaced, and the others stay', async () => {
    const made = async (organizer: string) => (await service.create('/organizers', { organizer })).id
    const [first, second, third] = [await made('Quire'), await made('Bell Ringers'), await made('Brass, Inc')]
    const ids = await make(4, { organizer: [first], tags: 'early' })
    const [id = 0] = ids
    const names = async () =>
      (await service.get(`/events/${id}`, 'admin')).body.organizer.map((one: { id: number }) => one.id)
    const told = await doAll(editor, 'organizer', ids, { add: 'bell ringers, Brass, Inc' })
    match(told.body, /4 events changed/)
    deepEqual(await names(), [first, second, third])
    await doAll(editor, 'organizer', ids, { remove: 'Quire' })
    deepEqual(await names(), [second, third])
    await doAll(editor, 'organizer', ids, { add: 'Quire', replace: '1' })
    deepEqual(await names(), [first])
    await doAll(editor, 'organizer', ids, { replace: '1' })
    deepEqual(await names(), [])
    const tagged = await doAll(editor, 'tags', ids, { add: 'free entry', replace: '1' })
    const tags = async () => pluck((await service.get(`/events/${id}`)).body.tags, 'name')
    deepEqual(await tags(), ['free entry'])
    await takeBack(editor, tagged)
    deepEqual(await tags(), ['early'])
    const asked = await editor.post('/desk/events/many', { do: 'venue', ids: ids.map(String) })
    match(asked.body, /name="replace" value="1" checked/)
  })

  test('price, featured and moment of publication are set for many, and taken back', async () => {
    const ids = await make(2, { status: 'draft', cost: '5' })
    const [id = 0] = ids
    const read = async () => (await service.get(`/events/${id}`, 'admin')).body
    const priced = await doAll(editor, 'price', ids, { cost: '8' })
    match((await read()).cost, /8/)
    await takeBack(editor, priced)
    match((await read()).cost, /5/)
    await doAll(editor, 'featured', ids, { featured: '1' })
    equal((await read()).featured, true)
    await doAll(editor, 'featured', ids, { featured: '0' })
    equal((await read()).featured, false)
    const when = { date: later(2), date_time: '9:00' }
    const waiting = await doAll(editor, 'schedule', ids, when)
    deepEqual([(await read()).status, (await read()).date], ['future', `${later(2)} 09:00:00`])
    await takeBack(editor, waiting)
    equal((await read()).status, 'draft')
    const asked = await editor.post('/desk/events/many', { do: 'schedule', ids: ids.map(String) })
    const past = await editor.post('/desk/events/many', { ...fieldsOf(asked.body), ...when, date: later(-2) })
    equal(past.status, 422)
    const [public_ = 0] = await make(1)
    match((await doAll(editor, 'schedule', [public_], when)).body, /1 was unchanged/)
  })

  test('one picture, sent or of the library, is that of all chosen events, and undone too', async () => {
    const ids = await make(3)
    const [id = 0] = ids
    const picture = async () => (await service.get(`/events/${id}`)).body.image
    const asked = await editor.post('/desk/events/many', { do: 'picture', ids: ids.map(String) })
    const send = async (fields: Record<string, string>, file?: Blob) => {
      const body = new FormData()
      for (const [name, value] of Object.entries({ ...fieldsOf(asked.body), ...fields }))
        body.append(name, value)
      if (file) body.append('picture', file, 'season.png')
      const headers = { cookie: editor.cookie, origin: new URL(service.origin).origin }
      const where = new URL('/desk/events/many', service.origin)
      return fetch(where, { method: 'POST', body, redirect: 'manual', headers })
    }
    equal((await send({})).status, 422)
    equal((await send({}, new Blob(['no picture']))).status, 422)
    const png = await drawPng(60, 40, '#0b6e5f')
    const done = await send({ image_alt: 'The season' }, new Blob([new Uint8Array(png)]))
    equal(done.status, 303)
    const shown = await picture()
    match(shown.url, /season/)
    const told = await editor.get(done.headers.get('location') ?? '')
    await takeBack(editor, told)
    equal(await picture(), false)
    const form = { ...fieldsOf(asked.body), show: 'pictures', picture_search: 'the seas' }
    const found = await editor.post('/desk/events/many', form)
    match(found.body, new RegExp(`name="image" value="${shown.id}"[^>]*><img [^>]*alt="The season"`))
    match((await doAll(editor, 'picture', ids, { image: String(shown.id) })).body, /3 events changed/)
    equal((await picture()).id, shown.id)
    await doAll(editor, 'picture', ids, { image: '0' })
    equal(await picture(), false)
  })

  test('what came with events is undone with them, but for what another public event has', async () => {
    const send = async (title: string) => {
      const values = { title, ...on(4), venue: { venue: `Hall of ${title}` }, status: 'pending' }
      const { id, venue } = await service.event(values, 'contributor')
      return { id, venue: venue.id }
    }
    const [one, other] = [await send('One that brings'), await send('Another that brings')]
    const told = await doAll(editor, 'publish', [one.id, other.id])
    const venueOf = async (id: number) => (await service.get(`/venues/${id}`, 'admin')).body.status
    deepEqual([await venueOf(one.venue), await venueOf(other.venue)], ['publish', 'publish'])
    await service.event({ title: 'Also there', ...on(5), venue: other.venue })
    match((await takeBack(editor, told)).body, /Undone for 2 events/)
    deepEqual([await statusOf(one.id), await venueOf(one.venue)], ['pending', 'draft'])
    deepEqual([await statusOf(other.id), await venueOf(other.venue)], ['pending', 'publish'])
    await doAll(editor, 'publish', [one.id])
    equal(await venueOf(one.venue), 'publish')
  })

  test('of dates of a series the page says what the choices mean', async () => {
    const times = onDay('2031-01-07', '19:00', '20:00')
    const { id } = await service.event({ title: 'Weekly', ...times, recurrence: 'FREQ=WEEKLY;COUNT=3' })
    const { body } = await editor.get(`/desk/events/many?do=move&ids=${id}`)
    match(body, /The chosen dates[\s\S]*All dates of their series[\s\S]*all that follow it, open that date/)
  })

  test('what a form does not say is asked for again, with what was typed', async () => {
    const [id = 0] = await make(1)
    for (const [action, fields] of [
      ['move', { days: '0' }],
      ['move', { days: 'soon' }],
      ['categories', {}],
      ['tags', { add: 'nowhere' }],
      ['venue', { to: '<b>Nowhere</b>' }],
    ] as const) {
      const asked = await editor.post('/desk/events/many', { do: action, ids: [String(id)] })
      const again = await editor.post('/desk/events/many', { ...fieldsOf(asked.body), ...fields })
      equal(again.status, 422, action)
      match(again.body, /role="alert"/)
      doesNotMatch(again.body, /<b>Nowhere/)
    }
  })

  test('all that match are meant, not only the page, and are changed in one go', async () => {
    for (let i = 0; i < 60; i++)
      await service.event({ title: `Many ${i}`, ...on(50 + i), hide_from_listings: i === 3 })
    match((await editor.get('/desk/events?search=many')).body, /All 60 that match/)
    const asked = await editor.post('/desk/events/many', { do: 'draft', all: '1', list: 'search=many' })
    match(asked.body, /Revert 60 events to drafts\?/)
    const done = await editor.post('/desk/events/many', fieldsOf(asked.body))
    const told = await editor.get(done.headers.get('location') ?? '')
    match(told.body, /60 events changed/)
    match(
      (await editor.get('/desk/events?search=many&status=draft')).body,
      /aria-current="page">Drafts <span>60</,
    )
    match((await takeBack(editor, told)).body, /Undone for 60 events/)
  })

  test('dates of a series are changed alone, or with all of their series', async () => {
    const recurrence = 'RRULE:FREQ=WEEKLY;COUNT=4'
    const { id, post_parent: series } = await service.event({ title: 'Weekly', ...on(1), recurrence })
    await doAll(editor, 'cancel', [id], { event_status: 'canceled', scope: 'this' })
    const states = async () =>
      pluck((await service.read(`/events?post_parent=${series}&per_page=10`)).events, 'event_status')
    deepEqual(await states(), ['canceled', undefined, undefined, undefined])
    await doAll(editor, 'cancel', [id], { event_status: 'postponed', scope: 'all' })
    deepEqual(await states(), ['postponed', 'postponed', 'postponed', 'postponed'])
  })

  test('who may not change an event is refused row by row, and reads the news of nobody else', async () => {
    const ids = await make(2)
    const author = await sitAtDesk(service, 'author')
    match((await doAll(author, 'trash', ids)).body, /Not done: 2/)
    deepEqual(await Promise.all(ids.map(statusOf)), ['publish', 'publish'])
    const asked = await editor.post('/desk/events/many', { do: 'draft', ids: ids.map(String) })
    const done = await editor.post('/desk/events/many', fieldsOf(asked.body))
    const address = done.headers.get('location') ?? ''
    equal((await author.get(address)).status, 404)
    const [, undo = ''] = /name="undo" value="([^"]*)"/.exec((await editor.get(address)).body) ?? []
    match((await author.post('/desk/events/undo', { undo })).body, /undone before/)
    equal(await statusOf(ids[0] ?? 0), 'draft')
  })

  test('the confirmation names no event that somebody may not read', async () => {
    const { id } = await service.event({ title: 'A secret', ...on(3), status: 'draft' })
    const contributor = await sitAtDesk(service, 'contributor')
    for (const action of ['trash', 'cancel', 'delete'])
      doesNotMatch((await contributor.get(`/desk/events/many?do=${action}&ids=${id}`)).body, /A secret/)
    doesNotMatch((await doAll(contributor, 'trash', [id])).body, /A secret/)
  })

  test('little is kept of a bulk action, however long its form, and nothing without the right', async () => {
    const { read } = service.app.database
    const keptOf = (key: string) =>
      read.selectFrom('kept_answers').select('body').where('key', '=', `desk ${key}`)
    const ids = Array.from({ length: 1000 }, (_, i) => 100_001 + i).join()
    const form = { do: 'cancel', event_status: 'canceled', sure: '1', ids }
    const sit = async (login: string) => sitAtDesk(service, login)
    const contributor = await sit('contributor')
    const [long, hostile] = [`search=${'y'.repeat(1_900_000)}`, `search=${'"'.repeat(7000)}`]
    equal(
      (await contributor.post('/desk/events/many', { ...form, list: long, key: 'long-list' })).status,
      400,
    )
    equal(await keptOf('long-list').executeTakeFirst(), undefined)
    for (const [key, list] of Object.entries({ 'many-ids': '', 'odd-list': hostile })) {
      const { headers } = await contributor.post('/desk/events/many', { ...form, list, key })
      ok((await keptOf(key).executeTakeFirstOrThrow()).body.length <= 16_384, key)
      const { status, body } = await contributor.get(headers.get('location') ?? '')
      equal(status, 200)
      match(body, /Not done: 1,000[\s\S]*#100001[\s\S]*and 9\d\d more/)
    }
    const reader = await sit('subscriber')
    equal((await reader.post('/desk/events/many', { ...form, list: '', key: 'of-a-reader' })).status, 403)
    equal((await reader.get('/desk/events/many?do=trash&ids=1')).status, 403)
    equal(await keptOf('of-a-reader').executeTakeFirst(), undefined)
  })
})
