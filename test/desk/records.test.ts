import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowsOf } from '../import/calendar-command.ts'
import { type AtDesk, deskHere, sitAtDesk } from '../support/desk.ts'
import { drawPng } from '../support/pictures.ts'
import { serviceForTests } from '../support/service.ts'

describe('rooms of records, which follow from their declarations', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  const rooms = [
    { room: 'venues', naming: 'venue', more: { city: 'Galway', phone: '+353 91 1', step_free: 'yes' } },
    {
      room: 'organizers',
      naming: 'organizer',
      more: { email: 'choir@example.org', website: 'https://example.org/' },
    },
    { room: 'categories', naming: 'name', more: { description: 'What one hears', slug: 'heard' } },
    { room: 'tags', naming: 'name', more: { description: 'What one sees', slug: 'seen' } },
  ] as const

  for (const { room, naming, more } of rooms)
    test(`a form without a script makes and changes one of the ${room} as REST would`, async () => {
      const made = await editor.post(`/desk/${room}/new`, { [naming]: 'St Brigid’s', ...more })
      equal(made.status, 303, JSON.stringify(made.body))
      const [, id] = /\/(\d+)\?saved$/.exec(made.headers.get('location') ?? '') ?? []
      const { body } = await service.get(`/${room}/${id}`)
      const expected: Record<string, unknown> = { ...more, ...('step_free' in more && { step_free: true }) }
      for (const [name, value] of Object.entries(expected))
        equal(String(body[name]).replace(/<\/?p>|\n/g, ''), String(value), name)
      const form = await editor.get(`/desk/${room}/${id}`)
      equal(form.status, 200)
      for (const value of Object.values(more)) ok(form.body.includes(value), value)
      const [, version = ''] = /name="version" value="(\d+)"/.exec(form.body) ?? []
      await editor.save(`/desk/${room}/${id}`, { [naming]: 'The Blue Kettle', version })
      equal((await service.get(`/${room}/${id}`)).body[naming], 'The Blue Kettle')
      match((await editor.get(`/desk/${room}?search=Kettle`)).body, /The Blue Kettle/)
    })

  test('the position of a venue is one field for figures, a link of a map or a plus code', async () => {
    const shown = async (id: number) => {
      const { geo_lat, geo_lng } = (await service.get(`/venues/${id}`)).body
      return [geo_lat, geo_lng]
    }
    const link = 'https://www.google.com/maps/place/Kettle/@53.1,-9.3,17z/data=!3m1!8m2!3d53.27!4d-9.05'
    const id = await editor.save('/desk/venues/new', { venue: 'Placed', status: 'publish', position: link })
    deepEqual(await shown(id), [53.27, -9.05])
    const { body } = await editor.get(`/desk/venues/${id}`)
    match(body, /name="position" value="53\.27, -9\.05"/)
    doesNotMatch(body, /name="geo_lat"/)
    const first = { shown_position: '53.27, -9.05' }
    await editor.save(`/desk/venues/${id}`, { ...first, position: '53.27, -9.05', city: 'Galway' })
    deepEqual(await shown(id), [53.27, -9.05])
    await editor.save(`/desk/venues/${id}`, { ...first, position: '7WCX+2X Galway' })
    equal((await shown(id)).map((one) => Number(one).toFixed(3)).join(), '53.270,-9.050')
    const wrong = await editor.post(`/desk/venues/${id}`, {
      ...first,
      position: 'https://maps.app.goo.gl/abc',
    })
    equal(wrong.status, 422)
    match(wrong.body, /copy the long address/)
    match(wrong.body, /name="position" value="https:\/\/maps\.app/)
    await editor.save(`/desk/venues/${id}`, { geo_lat: '48.1', geo_lng: '11.5' })
    deepEqual(await shown(id), [48.1, 11.5])
    await editor.save(`/desk/venues/${id}`, { ...first, position: '' })
    deepEqual(await shown(id), [undefined, undefined])
  })

  test('texts of every form end their lines as those of REST do', async () => {
    const text = 'One\r\n\r\nTwo\r\nthree'
    const [admin, contributor] = [await sitAtDesk(service, 'admin'), await sitAtDesk(service, 'contributor')]
    const saved = async (desk: AtDesk, path: string, fields: Record<string, string>) => {
      const { status, headers, body } = await desk.post(path, fields)
      equal(status, 303, `${path} ${JSON.stringify(body)}`)
      return /\/(\d+)\?/.exec(headers.get('location') ?? '')?.[1] ?? ''
    }
    for (const { room, naming } of rooms) {
      const id = await saved(editor, `/desk/${room}/new`, { [naming]: 'With lines', description: text })
      const { description } = (await service.get(`/${room}/${id}`)).body
      if (naming === 'name') equal(description, 'One\n\nTwo\nthree')
    }
    const event = {
      title: 'Lines',
      start_date: '2027-05-04',
      start_time: '20:00',
      description: text,
      excerpt: text,
    }
    await saved(editor, '/desk/events/new', { ...event, status: 'publish', access_note: text })
    const sent = await service.create(
      '/events',
      { title: 'Sent', start_date: '2027-05-04', end_date: '2027-05-04' },
      'contributor',
    )
    await saved(editor, `/desk/inbox/event/${sent.id}/send-back`, { note: text })
    await saved(contributor, '/desk/events/new', { ...event, note: text })
    await saved(admin, '/desk/look', { version: '', slug_0: 'lines', text_0: `# ${text}`, pages_intro: text })
    doesNotMatch(await rowsOf(service.app.database), /\\r/)
  })

  test('a venue and an organizer have a picture, sent, described, replaced, removed there', async () => {
    const send = (path: string, fields: Record<string, string>, bytes: Uint8Array<ArrayBuffer> | string) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(fields)) body.append(name, value)
      body.append('picture', new Blob([bytes], { type: 'image/png' }), 'a.png')
      const headers = { cookie: editor.cookie, origin: new URL(service.origin).origin }
      return fetch(new URL(path, service.origin), { method: 'POST', body, redirect: 'manual', headers })
    }
    const plain = (background: string) => drawPng(40, 30, background)
    for (const [room, naming] of Object.entries({ venues: 'venue', organizers: 'organizer' })) {
      const made = await send(
        `/desk/${room}/new`,
        { [naming]: 'With a face', image_alt: 'The door' },
        await plain('red'),
      )
      equal(made.status, 303, await made.text())
      const at = made.headers.get('location')?.replace('?saved', '') ?? ''
      const shown = async () => (await service.get(at.replace('/desk', ''))).body.image
      const first = await shown()
      match(
        (await editor.get(at)).body,
        /name="image_alt" aria-describedby="image_alt-hint" value="The door"/,
      )
      const other = await send(at, { image: String(first.id), image_alt: 'The door' }, await plain('blue'))
      equal(other.status, 303, await other.text())
      const second = await shown()
      notEqual(second.id, first.id)
      doesNotMatch((await editor.get(at)).body, /value="The door"/, 'was said of another picture')
      await editor.save(at, { [naming]: 'With another' })
      equal((await shown()).id, second.id)
      await editor.save(at, { image: String(first.id) })
      equal((await shown()).id, first.id)
      await editor.save(at, { image: '0' })
      ok(!(await shown()))
      const wrong = await send(at, {}, '<svg xmlns="http://www.w3.org/2000/svg"/>')
      equal(wrong.status, 422)
      match(await wrong.text(), /<a href="#image">/)
    }
  })

  test('a category shows its parent by name, among many, and offers none below it', async () => {
    for (let i = 100; i < 210; i++) await service.create('/categories', { name: `Among ${i}` })
    const parent = await service.create('/categories', { name: 'Zither' })
    const { id } = await service.create('/categories', { name: 'Zither for two', parent: parent.id })
    const below = await service.create('/categories', { name: 'Zither duets', parent: id })
    const { body } = await editor.get(`/desk/categories/${id}`)
    const [, choices = ''] = /<select[^>]*name="parent"[^>]*>(.*?)<\/select>/s.exec(body) ?? []
    match(choices, new RegExp(`<option value="${parent.id}" selected>Zither<`))
    for (const other of [id, below.id]) ok(!choices.includes(`value="${other}"`), choices)
  })

  test('a form without a version changes what it names', async () => {
    const { id } = await service.create('/venues', { venue: 'Barn', city: 'Cork' })
    await editor.save(`/desk/venues/${id}`, { city: 'Sligo' })
    const { body } = await service.get(`/venues/${id}`)
    deepEqual([body.venue, body.city], ['Barn', 'Sligo'])
  })

  test('a failed save is 422 with what was typed, and says why at its field and above', async () => {
    const { status, body } = await editor.post('/desk/venues/new', {
      venue: '',
      city: 'Typed <b>',
      website: 'nowhere',
    })
    equal(status, 422)
    match(body, /value="Typed &lt;b&gt;"/)
    match(body, /<a href="#venue">/)
    match(body, /id="venue"[^>]*aria-invalid="true" aria-describedby="venue-error"/)
    match(body, /<title>Error: /)
  })

  test('a form that is sent twice makes one record', async () => {
    const form = { venue: 'Pressed twice', key: 'a-key-of-the-form' }
    const [first, second] = await Promise.all([
      editor.post('/desk/venues/new', form),
      editor.post('/desk/venues/new', form),
    ])
    deepEqual([first.status, second.status], [303, 303])
    equal(first.headers.get('location'), second.headers.get('location'))
  })

  test('what two editors change in two fields is merged, and in the same field 412', async () => {
    const { id } = await service.create('/venues', { venue: 'Mill', city: 'Cork' })
    const form = await editor.get(`/desk/venues/${id}`)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(form.body) ?? []
    await service.update(`/venues/${id}`, { city: 'Limerick' })
    await editor.save(`/desk/venues/${id}`, { venue: 'Old Mill', city: 'Cork', version })
    const { body } = await service.get(`/venues/${id}`)
    deepEqual([body.venue, body.city], ['Old Mill', 'Limerick'])
    const refused = await editor.post(`/desk/venues/${id}`, { venue: 'Old Mill', city: 'Dublin', version })
    equal(refused.status, 412)
    match(refused.body, /value="Dublin"/)
    match(refused.body, /Somebody else has written: Limerick/)
  })

  test('pages of the desk are kept by nobody, indexed by nobody and framed by nobody', async () => {
    const { headers } = await editor.get('/desk/venues')
    equal(headers.get('cache-control'), 'no-store')
    equal(headers.get('x-robots-tag'), 'noindex')
    match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    equal(headers.get('referrer-policy'), 'same-origin')
    equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  })
})
