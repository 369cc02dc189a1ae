import { deepEqual, doesNotMatch, equal, fail, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { drawPng } from '../support/pictures.ts'
import { day, onDay, serviceForTests, startService } from '../support/service.ts'

describe('the inbox, Today and the history', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  const contributor = deskHere(service, 'contributor')

  const newer = (body: string) =>
    /href="(\/desk\/inbox\?after=[^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')

  const send = (title: string, more: object = {}) =>
    service.event({ title, ...day, status: 'pending', ...more }, 'contributor')

  test('shows what waits to reviewers, its number in the rail, and contributors their own', async () => {
    const { id } = await send('Mending circle')
    await service.event({ title: 'An author’s own', ...day, status: 'pending' }, 'author')
    const page = await editor.get('/desk/inbox')
    equal(page.status, 200)
    match(page.body, /Mending circle/)
    match(page.body, /An author’s own/)
    match(page.body, /<span class="count due">2<\/span>/)
    const own = await contributor.get('/desk/inbox')
    match(own.body, /Mending circle/)
    doesNotMatch(own.body, /An author’s own/)
    doesNotMatch(own.body, new RegExp(`/desk/inbox/event/${id}/publish`))
    match((await editor.get('/desk/')).body, /Waiting for you[\s\S]*Mending circle/)
  })

  test('shows reviewers what they decide on, and a contributor’s picture to nobody else', async () => {
    const form = new FormData()
    const fields = {
      title: 'Lantern walk',
      start_date: '2027-11-11',
      start_time: '18:00',
      cost: '4',
      status: 'pending',
    }
    for (const [name, value] of Object.entries({
      ...fields,
      description: 'Bring a lantern.',
      key: 'lantern',
    }))
      form.append(name, value)
    const bytes = await drawPng(40, 30, 'red')
    form.append('picture', new File([new Uint8Array(bytes)], 'lantern.png', { type: 'image/png' }))
    const sent = await service.post('~/desk/events/new', form, 'anonymous', {
      cookie: contributor.cookie,
      origin: new URL(service.origin).origin,
    })
    const id = Number(/\/(\d+)\?/.exec(sent.headers.get('location') ?? '')?.[1] ?? fail(sent.body))
    const { body } = await editor.get('/desk/inbox')
    const [, card = ''] = new RegExp(`id="event-${id}">(.*?)</li>`, 's').exec(body) ?? []
    match(card, /<img src="[^"]+\/[0-9a-f]{32}[^"]*"/)
    match(card, /Bring a lantern\./)
    match(card, /Missing: a venue, a category</)
    const listed = async () => (await service.get('~/wp-json/wp/v2/media')).body.length
    equal(await listed(), 0)
    equal((await service.get('~/wp-json/wp/v2/media', 'editor')).body.length, 1)
    await editor.post(`/desk/inbox/event/${id}/publish`, {})
    equal(await listed(), 1)
  })

  test('marks that turn a line around have no effect beyond the name that they stand in', async () => {
    await send('Hall', { venue: { venue: 'Hall\u202egnp\u2069\u202e' } })
    match((await editor.get('/desk/inbox')).body, /Is published with it: \u2068Hallgnp\u2069</)
  })

  test('an event whose publication lies ahead is published then, and its venue now', async () => {
    const { id } = await send('Of next month', { date: '2035-03-04 09:30:00', venue: { venue: 'Side hall' } })
    const done = await editor.post(`/desk/inbox/event/${id}/publish`, {})
    equal((await service.get(`/events/${id}`, 'editor')).body.status, 'future')
    const notice = (await editor.get(String(done.headers.get('location')))).body
    match(notice, /Will be published on March 4, 2035, 9:30am/)
    match(notice, /Published now: Side hall/)
    doesNotMatch(notice, /Published, with/)
    match((await contributor.get(`/desk/inbox?done=publish&event=${id}`)).body, /Will be published on/)
    const { id: other } = await service.create(
      '/events',
      { title: 'Secret', ...day, status: 'draft' },
      'editor',
    )
    match((await contributor.get(`/desk/inbox?done=publish&event=${other}`)).body, /Published/)
  })

  test('an event is shown with what it clashes with, and with what it may be a double of', async () => {
    const at = onDay('2027-09-18', '15:00:00', '17:00:00')
    const hall = await service.create('/venues', { venue: 'Town hall' }, 'admin')
    await service.event({ title: 'Story night', ...at, venue: hall.id }, 'admin')
    await service.create(
      '/events',
      { title: 'Toy swap', ...onDay('2027-09-19', '10:00:00', '12:00:00') },
      'admin',
    )
    await send('Toy swap', { ...at, venue: hall.id })
    const { body } = await editor.get('/desk/inbox')
    match(body, /Same venue and time: Story night/)
    match(body, /Perhaps the same: Toy swap/)
  })

  test('an event is sent back with a note, which its author sees', async () => {
    const { id } = await send('Without a time')
    await editor.save(`/desk/inbox/event/${id}/send-back`, { note: 'When does it <end>?' })
    equal((await service.get(`/events/${id}`, 'contributor')).body.status, 'draft')
    match((await contributor.get('/desk/inbox')).body, /Sent back: When does it &lt;end&gt;\?/)
  })

  test('nothing is sent back without a note, which its author reads in the form', async () => {
    const { id } = await send('Noted')
    const asked = await editor.post(`/desk/inbox/event/${id}/send-back`, { note: ' ' })
    equal(asked.status, 422)
    match(asked.body, new RegExp(`<a href="#note-event-${id}">Is needed`))
    equal((await service.get(`/events/${id}`, 'contributor')).body.status, 'pending')
    match(asked.body, /<option value="2">The venue is missing or not right\.<\/option>/)
    const other = await send('Reasoned')
    const back = await editor.post(`/desk/inbox/event/${other.id}/send-back`, {
      reason: '2',
      note: 'Which door?',
    })
    equal(back.status, 303)
    match(
      (await contributor.get(`/desk/events/${other.id}`)).body,
      /Sent back: The venue is missing or not right\. Which door\?/,
    )
    equal((await editor.post(`/desk/inbox/event/${id}/send-back`, { reason: '99', note: '' })).status, 422)
    await editor.post(`/desk/inbox/event/${id}/send-back`, { note: 'Which door?' })
    match((await contributor.get(`/desk/events/${id}`)).body, /Sent back: Which door\?/)
    await contributor.post(`/desk/events/${id}`, { status: 'pending', excerpt: 'The side door' })
    doesNotMatch((await contributor.get(`/desk/events/${id}`)).body, /Sent back/)
  })

  test('a proposal goes on in the form where its author left it, whatever little is sent', async () => {
    const { id } = await send('Open door', { cost: '3' })
    await editor.post(`/desk/inbox/event/${id}/publish`, {})
    const form = `/desk/events/${id}`
    const propose = async (fields: Record<string, string | string[]>) => {
      const { status, headers, body } = await contributor.post(form, fields)
      match(`${status} ${headers.get('location')}`, /^303 .*saved=proposed/, body)
    }
    await propose({
      title: 'Open doors',
      venue_name: 'Brewery',
      new_categories: 'Sights',
      start_time: '9:15',
      featured: '1',
    })
    await propose({ organizer_name: ['Guild', 'Chapter'], cost: ['4', '6'], captions: 'yes' })
    const { body } = await contributor.get(form)
    const shown = [
      'name="title" value="Open doors"',
      'name="venue_name" value="Brewery"',
      'name="new_categories[]" value="Sights" checked',
      'name="start_time" value="09:15"',
      'id="featured" name="featured" value="1" checked',
      'name="organizer_name[]" value="Guild" checked',
      'name="organizer_name[]" value="Chapter" checked',
      'name="cost[]" value="6"',
      '<option value="yes" selected>',
    ]
    for (const one of shown) ok(body.includes(one), one)
    match((await editor.get('/desk/inbox')).body, /Open doors[\s\S]*Brewery[\s\S]*Guild/)
    const proposal = /\/desk\/inbox\/proposal\/(\d+)\/publish/.exec(
      (await editor.get('/desk/inbox')).body,
    )?.[1]
    await editor.save(`/desk/inbox/proposal/${proposal}/publish`, {})
    const now = (await service.get(`/events/${id}`)).body
    deepEqual(
      [now.title, now.venue.venue, now.organizer.length, now.categories[0].name, now.start_date.slice(11)],
      ['Open doors', 'Brewery', 2, 'Sights', '09:15:00'],
    )
    match((await contributor.get(form)).body, /name="title" value="Open doors"/)
  })

  test('keys are told to who reviews, can be switched off, and are for nobody else', async () => {
    await send('Waits for keys')
    match(
      (await editor.get('/desk/inbox')).body,
      /<details class="inline keys" hidden>[\s\S]*<input type="checkbox" checked> Use these keys/,
    )
    doesNotMatch((await contributor.get('/desk/inbox')).body, /Use these keys/)
  })

  test('of two reviewers the second is told who was faster', async () => {
    const { id } = await send('Twice')
    const other = await sitAtDesk(service, 'admin')
    const answers = await Promise.all(
      [editor, other].map((one) => one.post(`/desk/inbox/event/${id}/publish`, {})),
    )
    const places = answers.map(({ status, headers }) => `${status} ${headers.get('location')}`).sort()
    match(places[0] ?? '', /^303 \/desk\/inbox\?by=(editor|admin)$/)
    match(places[1] ?? '', /^303 \/desk\/inbox\?done=publish/)
    match((await other.get('/desk/inbox?by=editor')).body, /Somebody else was faster: editor/)
  })

  test('the history says who changed what, and puts a version back', async () => {
    const made = await service.event({ title: 'First title', ...day, description: '<p>One</p>' })
    await service.update(`/events/${made.id}`, { title: 'Second <title>', cost: '5' }, 'editor')
    const page = await editor.get(`/desk/events/${made.id}/history`)
    equal(page.status, 200)
    match(page.body, /Changed<\/strong> <span dir="auto">editor/)
    match(
      page.body,
      /<td class="former" dir="auto">First title<.*<\/td><td dir="auto">Second &lt;title&gt;<\/td>/,
    )
    const [, version = ''] = /name="version" value="(\d+)"/.exec(page.body) ?? []
    await editor.save(`/desk/events/${made.id}/history`, { version })
    equal((await service.get(`/events/${made.id}`)).body.title, 'First title')
    equal((await editor.post(`/desk/events/${made.id}/history`, { version: '1' })).status, 404)
    equal((await contributor.get(`/desk/events/${made.id}/history`)).status, 403)
    equal((await contributor.post(`/desk/events/${made.id}/history`, { version })).status, 403)
  })

  test('one field is put back alone, with those that belong together with it', async () => {
    const made = await service.event({ title: 'One field', ...day, cost: '5' })
    const moved = onDay('2031-05-01', '18:30:00', '19:30:00')
    await service.update(`/events/${made.id}`, { ...moved, cost: '9', title: 'All fields' }, 'editor')
    const at = `/desk/events/${made.id}/history`
    const page = await editor.get(at)
    const [, sequence = '', version = ''] =
      /id="before-(\d+)"[^>]*><input type="hidden" name="version" value="(\d+)"/.exec(page.body) ?? []
    ok(page.body.includes(`form="before-${sequence}" name="member" value="cost"`))
    const back = await editor.post(at, { version, member: 'cost' })
    match((await editor.get(back.headers.get('location') ?? '')).body, /Put back: Cost/)
    const cost = (await service.get(`/events/${made.id}`)).body
    deepEqual([cost.cost, cost.title, cost.start_date], ['$5', 'All fields', moved.start_date])
    await editor.post(at, { version, member: 'end_date' })
    const times = (await service.get(`/events/${made.id}`)).body
    deepEqual([times.start_date, times.end_date, times.title], [made.start_date, made.end_date, 'All fields'])
    equal((await editor.post(at, { version, member: 'nonsense' })).status, 400)
    equal((await contributor.post(at, { version, member: 'cost' })).status, 403)
  })

  test('what has changed is told by names and dates, and proposals beside what stands there', async () => {
    const hall = await service.create('/venues', { venue: 'Hall &amp; Yard' })
    const barn = await service.create('/venues', { venue: 'The Barn' })
    const made = await service.create(
      '/events',
      { title: 'Moving about', ...day, venue: hall.id, status: 'pending' },
      'contributor',
    )
    await service.update(`/events/${made.id}`, { status: 'publish' }, 'editor')
    await service.update(
      `/events/${made.id}`,
      { venue: barn.id, ...onDay('2031-05-01', '18:30:00', '19:30:00') },
      'editor',
    )
    const { body } = await editor.get(`/desk/events/${made.id}/history`)
    match(body, /<td class="former" dir="auto">Hall &amp; Yard<.*<\/td><td dir="auto">The Barn<\/td>/)
    match(body, /<td dir="auto">May 1, 2031, 6:30\sPM<\/td>/)
    doesNotMatch(body, /utc_start_date/)
    const form = `/desk/events/${made.id}`
    const [, version = ''] = /name="version" value="(\d+)"/.exec((await contributor.get(form)).body) ?? []
    await contributor.save(form, { version, venue: String(hall.id), venue_name: 'Hall & Yard' })
    let inbox = (await editor.get('/desk/inbox')).body
    for (let next = newer(inbox); next !== undefined && !inbox.includes('Moving about'); next = newer(inbox))
      inbox = (await editor.get(next)).body
    match(inbox, /<td class="former" dir="auto">The Barn<\/td><td dir="auto">Hall &amp; Yard<\/td>/)
  })

  test('a contributor reads the history of their records, and restores what they may change', async () => {
    const { id } = await service.create(
      '/events',
      { title: 'Theirs', ...day, status: 'pending' },
      'contributor',
    )
    await service.update(`/events/${id}`, { title: 'Theirs, changed' }, 'contributor')
    const { body, status } = await contributor.get(`/desk/events/${id}/history`)
    equal(status, 200)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(body) ?? []
    await contributor.save(`/desk/events/${id}/history`, { version })
    equal((await service.get(`/events/${id}`, 'contributor')).body.title, 'Theirs')
    await service.update(`/events/${id}`, { status: 'publish' }, 'editor')
    equal((await contributor.post(`/desk/events/${id}/history`, { version })).status, 403)
  })

  test('Today shows what is on, in the words of the day, and drafts as drafts', async () => {
    const now = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
    await service.create(
      '/events',
      { title: 'Almost now', start_date: now, end_date: now, timezone: 'UTC', status: 'draft' },
      'editor',
    )
    const { body } = await editor.get('/desk/')
    match(body, /Good (morning|day|evening), editor/)
    match(body, /Almost now<\/a><span class="state">Draft/)
  })
})

test('Today tells administrators alone what the doctor finds, and that the disk is nearly full', async () => {
  // /proc never has free room.
  const media = temporaryFolder()
  await using service = await startService({ data: '/proc', media: `file:${media}` })
  const today = async (login: string) => (await (await sitAtDesk(service, login)).get('/desk/')).body
  match(await today('admin'), /Problems[\s\S]*Only 0 MB are free on the disk/)
  doesNotMatch(await today('editor'), /free on the disk/)
  await service.app.database.write(async (tx) => {
    await sql`update editions set held = 1`.execute(tx)
    await sql`insert into import_schedules (id, name, words, every_seconds, next_utc, leased_utc, paused,
        failures, outcome)
        values (1, 'Paused', '[]', 60, '2030-01-01 00:00:00', '', 1, 0, '')`.execute(tx)
    await sql`insert into history (id, time_utc, "user", login, action, kind, record, name, address,
        client, request)
        values (99999, '2026-01-01 00:00:00', 0, '', 'create', 'backup', 0, '', '', '', '')`.execute(tx)
  })
  match(await today('admin'), /Backups[\s\S]*Stopped[\s\S]*The last one that is known was taken \d+ days ago/)
  match(await today('admin'), /until “kalends resume”[\s\S]*Import “(?:&#8296;|\u2068)?Paused.*Stopped/)
})
