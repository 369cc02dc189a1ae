import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodedText } from '../../src/base/text/html.ts'
import { addDays } from '../../src/base/text/moments.ts'
import { onSqlite } from '../support/database.ts'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { drawPng, uploadPicture } from '../support/pictures.ts'
import { day, onDay, serviceForTests, startService } from '../support/service.ts'

function controlsIn(body: string): Record<string, string | string[]> {
  const [, form = ''] = /<form class="edit[^>]*>(.*?)<\/form>/s.exec(body) ?? []
  const fields: Record<string, string | string[]> = {}
  const add = (name: string, value: string) => {
    const text = decodedText(value)
    if (!name.endsWith('[]')) fields[name] = text
    else fields[name.slice(0, -2)] = [...(fields[name.slice(0, -2)] ?? []), text]
  }
  const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const type = attribute(tag, 'type') ?? 'text'
    const isBox = type === 'checkbox' || type === 'radio'
    if (type !== 'file' && (!isBox || / checked/.test(tag)))
      add(attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '')
  }
  for (const [, name = '', text = ''] of form.matchAll(
    /<textarea[^>]* name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs,
  ))
    add(name, text)
  for (const [, name = '', options = ''] of form.matchAll(
    /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  ))
    add(name, /value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? '')
  return fields
}

const idIn = (location: string | null) => Number(/\/desk\/events\/(\d+)/.exec(location ?? '')?.[1])
const versionIn = (body: string) => /name="version" value="(\d+)"/.exec(body)?.[1] ?? ''

describe('the form of an event', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  const postWithFile = (path: string, fields: Record<string, string>, file: Blob, name: string) => {
    const body = new FormData()
    for (const [field, value] of Object.entries(fields)) body.append(field, value)
    body.append('picture', file, name)
    const headers = { cookie: editor.cookie, origin: new URL(service.origin).origin }
    return fetch(new URL(path, service.origin), { method: 'POST', body, redirect: 'manual', headers })
  }
  const pictureOf = async (background: string, width: number, height: number) =>
    new Blob([await drawPng(width, height, background)], { type: 'image/png' })

  test('one post makes an event, with no more than a title, a date and a time', async () => {
    const made = await editor.save('/desk/events/new', {
      title: 'Thursday Jazz',
      start_date: '2030-11-28',
      start_time: '20:30',
    })
    const { body } = await service.get(`/events/${made}`)
    equal(body.title, 'Thursday Jazz')
    equal(body.start_date, '2030-11-28 20:30:00')
    equal(body.end_date, '2030-11-28 22:30:00')
    equal((await editor.get('/desk/events/new')).status, 200)
  })

  test('an event is published later: its date is typed, has to lie ahead; “Published” is now', async () => {
    const fresh = (await editor.get('/desk/events/new')).body
    match(fresh, /<option value="future">Scheduled/)
    match(fresh, /<label for="date">Publication date<\/label>/)
    match(fresh, /<label for="date_time">Time<\/label>/)
    const form = { title: 'Told later', start_date: '2030-11-28', start_time: '20:30', status: 'future' }
    for (const [date, date_time, wrong, says] of [
      ['', '', 'date', 'Is needed.'],
      ['28 nov 2029', '', 'date_time', 'Is needed.'],
      ['31 feb', '9:00', 'date', 'There is no day “31 feb”.'],
      ['28 nov 2029', '25:99', 'date_time', 'There is no time “25:99”.'],
      ['1 jan 2020', '9:00', 'date', 'That is in the past.'],
    ] as const) {
      const { status, body } = await editor.post('/desk/events/new', { ...form, date, date_time })
      equal(status, 422)
      match(body, new RegExp(`id="${wrong}-error">${says}`))
    }
    const made = await editor.post('/desk/events/new', { ...form, date: '28 nov 2029', date_time: '9:00' })
    equal(made.status, 303)
    const path = made.headers.get('location') ?? ''
    const id = idIn(path)
    const kept = async () => (await service.get(`/events/${id}`, 'editor')).body
    deepEqual([(await kept()).status, (await kept()).date], ['future', '2029-11-28 09:00:00'])
    const shown = (await editor.get(path)).body
    match(shown, /Scheduled/)
    const own = { ...controlsIn(shown) }
    deepEqual([own.status, own.date, own.date_time], ['future', 'Wed Nov 28 2029', '09:00'])
    await editor.save(`/desk/events/${id}`, { ...own, title: 'Told then' })
    deepEqual([(await kept()).title, (await kept()).date], ['Told then', '2029-11-28 09:00:00'])
    const moved = { version: versionIn((await editor.get(path)).body), status: 'future', date_time: '10:15' }
    await editor.save(`/desk/events/${id}`, moved)
    deepEqual([(await kept()).status, (await kept()).date], ['future', '2029-11-28 10:15:00'])
    const now = { version: versionIn((await editor.get(path)).body), status: 'publish' }
    await editor.save(`/desk/events/${id}`, now)
    equal((await kept()).status, 'publish')
    equal((await service.get(`/events/${id}`)).status, 200)
    doesNotMatch((await (await sitAtDesk(service, 'contributor')).get('/desk/events/new')).body, /for="date"/)
  })

  test('a failed save is 422 with what was typed, and says why at its control and above', async () => {
    const { status, body } = await editor.post('/desk/events/new', {
      title: '<b>Typed</b>',
      start_date: '31 feb',
      start_time: '25:99',
      website: 'nowhere',
      description: 'First line\nSecond <em>line</em>',
    })
    equal(status, 422)
    match(body, /value="&lt;b&gt;Typed&lt;\/b&gt;"/)
    match(body, /Second &lt;em&gt;line&lt;\/em&gt;/)
    for (const name of ['start_date', 'start_time', 'website']) {
      match(body, new RegExp(`<a href="#${name}">`), name)
      match(body, new RegExp(`id="${name}"[^>]*aria-invalid="true" aria-describedby="${name}-error"`), name)
    }
    match(body, /value="31 feb"/)
    match(body, />Website or tickets: Write it as https:\/\/example\.org, for example\.</)
    match(body, /<title>Error: /)
  })

  test('faults name fields as labels do, and repeat the beginning of what was typed at most', async () => {
    const { status, body } = await editor.post('/desk/events/new', {
      title: 'x'.repeat(600),
      start_date: 'y'.repeat(600),
      new_tags: 'z'.repeat(2000),
    })
    equal(status, 422)
    match(body, /The value of Title is longer than 500 characters/)
    match(body, /The value of Tags is longer than 1000 characters/)
    match(body, /There is no day “y{60}…”/)
  })

  test('a form that is sent twice at once makes one event', async () => {
    const form = { title: 'Pressed twice', start_date: '2030-11-28', start_time: '20:30', key: 'a-key' }
    const answers = await Promise.all([1, 2].map(() => editor.post('/desk/events/new', form)))
    deepEqual(pluck(answers, 'status'), [303, 303])
    equal(answers[0]?.headers.get('location'), answers[1]?.headers.get('location'))
  })

  test('what two editors change in different fields is merged; in one both sides are shown', async () => {
    const { id } = await service.event({
      title: 'Choir',
      description: 'As it was',
      ...onDay('2030-05-02', '19:00:00', '21:00:00'),
      cost: '5',
    })
    const version = versionIn((await editor.get(`/desk/events/${id}`)).body)
    await service.update(`/events/${id}`, { description: 'Theirs', website: 'https://example.org/theirs' })
    const merged = await editor.post(`/desk/events/${id}`, {
      title: 'Choir, by me',
      description: 'As it was',
      version,
    })
    equal(merged.status, 303)
    const told = await editor.get(merged.headers.get('location') ?? '')
    match(told.body, /Meanwhile somebody else has changed: Description/)
    const refused = await editor.post(`/desk/events/${id}`, {
      title: 'Choir, by me',
      description: 'Mine & kept',
      website: '',
      cost: '7',
      version,
    })
    equal(refused.status, 412)
    match(refused.body, /Mine &amp; kept<\/textarea>/)
    match(
      refused.body,
      /<th scope="row">Description<\/th><td dir="auto">Mine &amp; kept<\/td><td dir="auto">Theirs<\/td>/,
    )
    match(refused.body, /name="website"[^>]*value="https:\/\/example\.org\/theirs"/)
    await editor.save(`/desk/events/${id}`, {
      title: 'Choir, by me',
      description: 'Mine & kept',
      website: 'https://example.org/theirs',
      version: versionIn(refused.body),
    })
    const { body } = await service.get(`/events/${id}`)
    match(body.description, /Mine &amp; kept/)
    equal(body.website, 'https://example.org/theirs')
  })

  /** Returns the fields that a browser would post of an unchanged form. */
  async function untouched(path: string, desk = editor): Promise<Record<string, string | string[]>> {
    const { body } = await desk.get(path)
    return controlsIn(body)
  }

  test('a form that nobody has touched changes nothing', async () => {
    const { id } = await service.event({
      title: 'Late <em>night</em>',
      description: '<!-- wp:paragraph -->\n<p>Kept  as it is</p>\n<!-- /wp:paragraph -->',
      start_date: '2030-05-02 22:00:00',
      end_date: '2030-05-03 02:15:30',
      timezone: 'America/New_York',
      cost: ['5', '7 reduced'],
      venue: [{ venue: 'Tom &amp; <em>Mill</em> Yard' }, { venue: 'Quay' }],
      organizer: [{ organizer: 'Choir' }],
      categories: ['music'],
      tags: ['late', 'loud, very'],
      captions: 'yes',
      event_status: 'postponed',
      event_status_reason: 'Rain',
    })
    const before = (await service.get(`/events/${id}`, 'admin')).body
    await editor.save(`/desk/events/${id}`, await untouched(`/desk/events/${id}`))
    deepEqual((await service.get(`/events/${id}`, 'admin')).body, before)
  })

  test('no line end of a title, a name or a text that nobody has touched is changed', async () => {
    const times = onDay('2030-05-02', '22:00:00', '23:00:00')
    for (const [room, naming, more] of [
      ['events', 'title', times],
      ['venues', 'venue', {}],
      ['organizers', 'organizer', {}],
    ] as const)
      for (const lines of ['Late\n\nnight', 'Late\r\nnight', 'Late\rnight', 'Late night\n']) {
        const sent = { ...more, [naming]: `${lines} ${room}`, description: lines }
        const { id } = await service.create(`/${room}`, sent, 'editor')
        const before = (await service.get(`/${room}/${id}`, 'admin')).body
        const form = await untouched(`/desk/${room}/${id}`)
        // Browsers drop the line ends of a line.
        form[naming] = String(form[naming]).replaceAll(/[\r\n]/g, '')
        form.description = String(form.description).replaceAll(/\r\n?|\n/g, '\r\n')
        await editor.save(`/desk/${room}/${id}`, form)
        deepEqual((await service.get(`/${room}/${id}`, 'admin')).body, before)
        equal(versionIn((await editor.get(`/desk/${room}/${id}`)).body), form.version)
        await editor.post(`/desk/${room}/${id}`, { ...form, [naming]: `${form[naming]}!` })
        match((await service.get(`/${room}/${id}`, 'admin')).body[naming], /^Late +night.*!$/)
      }
  })

  test('a venue and an organizer are made from what was typed, and known ones are taken', async () => {
    const form = { title: 'Two', start_date: '2030-06-01', start_time: '10:00', status: 'publish' }
    const first = await editor.post('/desk/events/new', {
      ...form,
      venue_name: 'St Brigid’s Hall',
      organizer_name: 'Mothers’ Union',
    })
    const second = await editor.post('/desk/events/new', {
      ...form,
      start_date: 'Sun 2 June 2030',
      venue_name: 'st brigid’s hall',
      organizer_name: 'Mothers’ Union',
    })
    const [one, two] = await Promise.all(
      [first, second].map(
        async ({ headers }) => (await service.get(`/events/${idIn(headers.get('location'))}`)).body,
      ),
    )
    equal(one.venue.venue, 'St Brigid’s Hall')
    equal(two.venue.id, one.venue.id)
    equal(two.organizer[0].id, one.organizer[0].id)
    equal(two.start_date, '2030-06-02 10:00:00')
    const names = await editor.get('/desk/names?kind=venue&starts=st%20bri')
    equal(names.body.names[0].name, 'St Brigid’s Hall')
    equal(names.body.create, 'Create “st bri”')
  })

  test('what was typed is said in words, with what clashes with it and what may be the same', async () => {
    const { id } = await service.create('/venues', { venue: 'Narrow Room' })
    await service.event({
      title: 'Mending Circle',
      ...onDay('2030-07-19', '19:00:00', '21:00:00'),
      venue: id,
    })
    const { body } = await editor.post('/desk/events/words', {
      title: 'mending circle',
      start_date: 'Fri 19 July 2030',
      start_time: '8pm',
      end_time: '1am',
      venue: [String(id)],
      venue_name: 'Narrow Room',
      repeats: 'weekly',
      repeat_count: '3',
    })
    match(
      body.text,
      /Friday, July 19, 2030 · in 4 years · 5 hours · ends the next morning · America\/New York/,
    )
    match(body.clashes, /Mending Circle/)
    match(body.doubles, /Mending Circle/)
    equal(body.dates.match(/left_out\[\]" value="2030/g)?.length, 3)
    const past = await editor.post('/desk/events/words', { start_date: '2001-01-01', start_time: '10:00' })
    match(past.body.warnings.join(), /past/)
  })

  test('each form of one event keeps its own text, and saving one leaves the text of the other', async () => {
    const times = onDay('2030-05-03', '19:00:00', '21:00:00')
    const { id } = await service.event({ title: 'In two tabs', ...times })
    const path = `/desk/events/${id}`
    const [one, other] = [await untouched(path), await untouched(path)]
    for (const [fields, title] of [
      [one, 'From one tab'],
      [other, 'From the other tab'],
    ] as const) {
      const kept = await editor.post('/desk/events/unsaved', {
        ...fields,
        id: String(id),
        title,
        is_last: '1',
      })
      equal(kept.body.state, 'kept')
    }
    equal((await untouched(`${path}?unsaved=${one.form}`)).title, 'From one tab')
    equal((await untouched(`${path}?unsaved=${other.form}`)).title, 'From the other tab')
    await editor.save(path, { ...other, title: 'From the other tab' })
    match((await editor.get(path)).body, /You typed something here that was not saved/)
    const taken = await untouched(`${path}?unsaved`)
    equal(taken.title, 'From one tab')
    await editor.save(path, { ...taken, version: versionIn((await editor.get(path)).body) })
    doesNotMatch((await editor.get(path)).body, /You typed something here/)
  })

  for (const [kind, control] of [
    ['categories', 'categories'],
    ['tags', 'new_tags'],
  ] as const)
    test(`${kind} deleted while a form chose them are told; the next save goes without`, async () => {
      const [stays, goes] = [
        await service.create(`/${kind}`, { name: `Stays in ${kind}` }),
        await service.create(`/${kind}`, { name: `Goes from ${kind}` }),
      ]
      await service.remove(`/${kind}/${goes.id}?force=true`)
      const times = { start_date: '2030-06-05', start_time: '19:00' }
      const chosen = { [kind]: ['', String(stays.id), String(goes.id)] }
      const refused = await editor.post('/desk/events/new', { title: `Chosen ${kind}`, ...times, ...chosen })
      equal(refused.status, 422, refused.body)
      match(refused.body, new RegExp(`id="${control}-error">Some of what was chosen here has been deleted`))
      const saved = await editor.save('/desk/events/new', controlsIn(refused.body))
      const { body } = await service.get(`/events/${saved}`)
      deepEqual(pluck(body[kind], 'id'), [stays.id])
    })

  for (const [name, value, fault] of [
    ['new_tags', 'loud, <b>', 'The value is invalid.'],
    ['new_categories', '<i></i>', 'The value is invalid.'],
    ['start_time', '24:00', 'Midnight at the end of a day is 0:00 on the next day.'],
    ['repeat_until', '2030-05-05', 'The end lies before the start.'],
    ['repeat_count', '99999', 'has to lie between 1 and 750'],
    ['repeat_every', '0', 'This is a whole number, as 2.'],
    ['author', '99999', 'The value is invalid.'],
  ] as const)
    test(`the form keeps what was typed, and says what is wrong with ${name} “${value}”`, async () => {
      const times = { start_date: '2030-06-05', start_time: '19:00', repeats: 'weekly' }
      const { status, body } = await editor.post('/desk/events/new', {
        title: 'Odd',
        ...times,
        [name]: value,
      })
      equal(status, 422, body)
      match(body, / name="title" value="Odd"/)
      const id = name === 'repeat_count' ? 'repeats' : name
      const [, said = ''] = new RegExp(`<p class="error" id="${id}-error">(.*?)</p>`).exec(body) ?? []
      ok(said.includes(fault), said)
    })

  test('an hour that the clocks skip is explained, and one that comes twice is told', async () => {
    const form = { title: 'Night', timezone: 'Europe/Oslo', start_time: '02:30', end_time: '04:00' }
    const skipped = await editor.post('/desk/events/new', { ...form, start_date: '2027-03-28' })
    equal(skipped.status, 422)
    match(skipped.body, /There is no 02:30 on this day/)
    const twice = await editor.post('/desk/events/words', { ...form, start_date: '2027-10-31' })
    match(twice.body.warnings.join(), /02:30 comes twice.*The first one is meant/)
    match(twice.body.again, /name="start_again"/)
  })

  test('of an hour that comes twice the form chooses the second, and the first again', async () => {
    const day = { start_date: '2027-10-31', start_time: '02:30', end_time: '02:45' }
    const form = { title: 'Clocks go back', timezone: 'Europe/Oslo', ...day }
    const utcOf = async (id: number) => {
      const { utc_start_date, utc_end_date } = (await service.get(`/events/${id}`)).body
      return [utc_start_date, utc_end_date].map((utc: string) => utc.slice(11, 16))
    }
    const id = await editor.save('/desk/events/new', { ...form, start_again: '1', status: 'publish' })
    deepEqual(await utcOf(id), ['01:30', '01:45'])
    const shown = await editor.get(`/desk/events/${id}`)
    match(shown.body, /name="start_again" value="1" checked/)
    match(shown.body, /The second one is meant/)
    doesNotMatch(shown.body, /type="checkbox" id="end_again"/, 'the end follows')
    await editor.post(`/desk/events/${id}`, { ...form, start_again: '1', end_again: '1' })
    deepEqual(await utcOf(id), ['01:30', '01:45'])
    equal(
      versionIn((await editor.get(`/desk/events/${id}`)).body),
      versionIn(shown.body),
      'nothing was written',
    )
    await editor.post(`/desk/events/${id}`, { ...form, start_again: '0', end_again: '1' })
    deepEqual(await utcOf(id), ['00:30', '01:45'])
    await editor.post(`/desk/events/${id}`, { ...form, start_again: '0', end_again: '0' })
    deepEqual(await utcOf(id), ['00:30', '00:45'])
  })

  test('dates of a rule are shown and left out without a script; the series has the others', async () => {
    const form = {
      title: 'Weekly',
      start_date: '2027-01-07',
      start_time: '19:00',
      end_time: '20:00',
      repeats: 'weekly',
      repeat_days: ['th'],
      repeat_count: '4',
    }
    const shown = await editor.post('/desk/events/new', { ...form, show: 'dates' })
    equal(shown.status, 200)
    equal(shown.body.match(/name="left_out\[\]" value="2027-01-\d\d"/g)?.length, 4)
    const id = await editor.save('/desk/events/new', { ...form, left_out: ['', '2027-01-14'] })
    const { body } = await service.get(
      '/events?search=Weekly&start_date=2027-01-01&end_date=2027-03-01&per_page=50',
    )
    deepEqual(
      body.events.map(({ start_date }: { start_date: string }) => start_date.slice(0, 10)),
      ['2027-01-07', '2027-01-21', '2027-01-28'],
    )
    const fields = await untouched(`/desk/events/${id}`)
    equal(fields.recurrence_scope, 'this')
    const one = await editor.post(`/desk/events/${id}`, { ...fields, title: 'Weekly, this one' })
    equal(one.status, 303)
    const again = await untouched(`/desk/events/${id}`)
    await editor.save(`/desk/events/${id}`, { ...again, recurrence_scope: 'all', cost: '3' })
    const after = (
      await service.get('/events?search=Weekly&start_date=2027-01-01&end_date=2027-03-01&per_page=50')
    ).body.events
    deepEqual(
      after.map(({ title, cost }: { title: string; cost: string }) => `${title} ${cost}`),
      ['Weekly, this one $3', 'Weekly $3', 'Weekly $3'],
    )
  })

  test('the form says where dates of a rule overlap, and where they end at another time of day', async () => {
    const said = async (typed: Record<string, unknown>) => {
      const form = { title: 'Often', several_days: '1', timezone: 'UTC', ...typed, show: 'dates' }
      const { body } = await editor.post('/desk/events/new', form)
      const [, shown = ''] = /id="next-dates">(.*?)<button/s.exec(body) ?? []
      return [...shown.matchAll(/<p class="warning">(.*?)<\/p>/g)].map(([, text]) => text)
    }
    const overlap = 'An event of this length is not over when the next date begins.'
    const retreat = { start_date: '2027-01-04', end_date: '2027-01-12', repeats: 'weekly' }
    const times = { start_time: '10:00', end_time: '09:00' }
    deepEqual(await said({ ...retreat, ...times }), [overlap])
    deepEqual(await said({ ...retreat, all_day: '1' }), [overlap])
    deepEqual(await said({ ...retreat, ...times, repeat_every: '2' }), [])
    deepEqual(await said({ ...retreat, ...times, end_date: '2027-01-11', end_time: '10:00' }), [])
    deepEqual(await said({ ...retreat, all_day: '1', end_date: '2027-01-10' }), [])
    const changing = (start: string) => ({
      ...{ start_date: start, start_time: '23:30', end_date: addDays(start, 1), end_time: '04:00' },
      ...{ repeats: 'weekly', timezone: 'Europe/Berlin' },
    })
    const hour = (day: string, time: string) =>
      `Since the clocks change, the date on ${day} ends at ${time}: all dates last equally long.`
    deepEqual(await said(changing('2027-10-23')), [hour('Saturday, October 30, 2027', '3:00 AM')])
    deepEqual(await said(changing('2027-10-30')), [hour('Saturday, November 6, 2027', '5:00 AM')])
    deepEqual(await said({ ...changing('2027-10-23'), repeat_count: '1' }), [])
    deepEqual(await said({ ...changing('2027-10-23'), timezone: 'UTC' }), [])
  })

  test('a date of a series is left out and back by its form, and what follows changes alone', async () => {
    const first = await editor.save('/desk/events/new', {
      title: 'Fortnight',
      start_date: '2027-02-01',
      start_time: '19:00',
      end_time: '20:00',
      repeats: 'weekly',
      repeat_every: '2',
      repeat_until: '30 March 2027',
    })
    const listed = async () =>
      (await service.get('/events?search=Fortnight&start_date=2027-01-01&end_date=2027-12-31&per_page=50'))
        .body.events
    const days = async () =>
      (await listed()).map((one: { start_date: string }) => one.start_date.slice(5, 10))
    deepEqual(await days(), ['02-01', '02-15', '03-01', '03-15', '03-29'])
    const fields = await untouched(`/desk/events/${first}`)
    await editor.save(`/desk/events/${first}`, {
      ...fields,
      recurrence_scope: 'all',
      left_out: ['', '2027-02-15'],
    })
    deepEqual(await days(), ['02-01', '03-01', '03-15', '03-29'])
    const third = (await listed())[2].id
    const later = await untouched(`/desk/events/${third}`)
    deepEqual(later.left_out, ['', '2027-02-15'])
    await editor.save(`/desk/events/${third}`, {
      ...later,
      recurrence_scope: 'following',
      start_time: '20:15',
      end_time: '21:15',
    })
    deepEqual(
      (await listed()).map((one: { start_date: string }) => one.start_date.slice(5, 16)),
      ['02-01 19:00', '03-01 19:00', '03-15 20:15', '03-29 20:15'],
    )
    const refused = await editor.post(`/desk/events/${first}`, {
      ...(await untouched(`/desk/events/${first}`)),
      repeat_every: '3',
    })
    equal(refused.status, 422)
    match(refused.body, /<a href="#recurrence_scope">/)
  })

  test('a new title of all or the following leaves a series of whole days on its days', async () => {
    const days = { start_date: '2027-06-19', end_date: '2027-06-22', all_day: true }
    const recurrence = 'RRULE:FREQ=WEEKLY;COUNT=3'
    const { id } = await service.event({ title: 'Camp', ...days, recurrence })
    const listed = async () =>
      (await service.get('/events?search=Camp&start_date=2027-01-01&end_date=2027-12-31')).body.events
    const second = (await listed())[1].id
    for (const [date, scope] of [
      [id, 'all'],
      [second, 'following'],
    ]) {
      const fields = await untouched(`/desk/events/${date}`)
      await editor.save(`/desk/events/${date}`, {
        ...fields,
        title: `Camp of ${scope}`,
        recurrence_scope: scope,
      })
    }
    deepEqual(
      (await listed()).map((one: Record<string, unknown>) => `${one.title} ${one.all_day} ${one.end_date}`),
      [
        'Camp of all true 2027-06-22 23:59:59',
        'Camp of following true 2027-06-29 23:59:59',
        'Camp of following true 2027-07-06 23:59:59',
      ],
    )
  })

  test('a copy is not saved yet, lies on a later day and has neither slug nor UID of the event', async () => {
    const { id } = await service.event({
      title: 'Copied',
      slug: 'copied',
      ...onDay('2030-10-03', '20:30:00', '23:00:00'),
      categories: ['music'],
    })
    const fields = await untouched(`/desk/events/${id}/duplicate`)
    equal(fields.slug, '')
    equal(fields.status, 'draft')
    match(String(fields.start_date), /Oct 10/)
    const copy = await editor.save('/desk/events/new', fields)
    notEqual(copy, id)
    const { body } = await service.get(`/events/${copy}`, 'admin')
    deepEqual(
      [body.title, body.start_date, body.end_date, body.status],
      ['Copied', '2030-10-10 20:30:00', '2030-10-10 23:00:00', 'draft'],
    )
    equal(body.categories[0].name, 'music')
  })

  test('a preview is the page as visitors would see it, and nothing of it is saved', async () => {
    const counted = async () =>
      (await service.get('/events?status=publish,draft&start_date=2000-01-01&per_page=1', 'admin')).body.total
    const [events, venues] = [
      await counted(),
      (await service.get('/venues?status=publish,draft', 'admin')).body.total,
    ]
    const { status, body, headers } = await editor.post('/desk/events/preview', {
      title: 'Not there yet',
      start_date: '2030-11-01',
      start_time: '19:00',
      venue_name: 'A venue that is new',
      description: '<p>Soon <script>alert(1)</script></p>',
    })
    equal(status, 200)
    match(body, /This is a preview/)
    match(body, /<h1[^>]*>(<bdi>)?Not there yet</)
    match(body, /A venue that is new/)
    doesNotMatch(body, /alert\(1\)/)
    match(headers.get('cache-control') ?? '', /no-store/)
    equal(await counted(), events)
    equal((await service.get('/venues?status=publish,draft', 'admin')).body.total, venues)
    const weekly = { repeats: 'weekly', repeat_days: ['fr'], repeat_count: '3' }
    const times = { start_date: '2030-11-01', start_time: '19:00', end_time: '20:00' }
    const repeated = await editor.post('/desk/events/preview', { title: 'Each week', ...times, ...weekly })
    equal(repeated.status, 200)
    match(repeated.body, /Every Friday, 3 times/)
    const fields = { title: 'Pictured', ...times, key: 'preview-key', image_alt: 'A boat' }
    const picture = await pictureOf('blue', 44, 33)
    const pictured = await postWithFile('/desk/events/preview', fields, picture, 'boat.png')
    match(await pictured.text(), /<img[^>]*width="44"[^>]*alt="A boat"/)
    equal(await counted(), events)
    const wrong = await editor.post('/desk/events/preview', {
      title: '',
      start_date: '2030-11-01',
      start_time: '19:00',
    })
    equal(wrong.status, 422)
  })

  test('what was typed in two new forms is kept for each, until it is saved or thrown away', async () => {
    const author = await sitAtDesk(service, 'author')
    const titles = ['Begun first', 'Begun second']
    for (const title of titles) {
      const fields = await untouched('/desk/events/new', author)
      const kept = await author.post('/desk/events/unsaved', { ...fields, title, is_last: '1' })
      equal(kept.body.state, 'kept')
    }
    const begun = async () =>
      [...String((await author.get('/desk/')).body).matchAll(/new\?unsaved=([\w-]+)"[^>]*>([^<]+)</g)].map(
        ([, form = '', title = '']) => ({ form, title }),
      )
    const [first, second] = (await begun()).toSorted((one, other) => one.title.localeCompare(other.title))
    deepEqual([first?.title, second?.title], titles)
    const taken = await untouched(`/desk/events/new?unsaved=${first?.form}`, author)
    equal(taken.title, 'Begun first')
    await author.save('/desk/events/new', { ...taken, start_date: '2030-12-05', start_time: '18:00' })
    deepEqual(await begun(), [second])
    match((await author.get('/desk/events/new')).body, /not saved, .*<b dir="auto">Begun second<\/b>/)
    await author.post('/desk/events/0/discard', { form: second?.form ?? '' })
    deepEqual(await begun(), [])
  })

  test('contributors see no button they may not press, send for review, and propose changes', async () => {
    const contributor = await sitAtDesk(service, 'contributor')
    const blank = await contributor.get('/desk/events/new')
    match(blank.body, />Send for review<\/button>/)
    match(blank.body, />Save draft<\/button>/)
    doesNotMatch(blank.body, />Publish<\/button>|name="author"/)
    const id = await contributor.save('/desk/events/new', {
      title: 'By a contributor',
      start_date: '2030-12-01',
      start_time: '18:00',
      status: 'publish',
    })
    equal((await service.get(`/events/${id}`, 'admin')).body.status, 'pending')
    await service.update(`/events/${id}`, { status: 'publish' })
    const fields = await untouched(`/desk/events/${id}`, contributor)
    await contributor.save(`/desk/events/${id}`, { ...fields, title: 'Better by a contributor' })
    equal((await service.get(`/events/${id}`)).body.title, 'By a contributor')
    const { id: other } = await service.event({
      title: 'Not theirs',
      ...onDay('2030-12-02', '10:00', '11:00'),
    })
    for (const path of [`/desk/events/${other}`, `/desk/events/${other}/trash`])
      equal((await contributor.post(path, { title: 'Taken' })).status, 403, path)
    equal((await contributor.get(`/desk/events/${other}`)).status, 403)
    const subscriber = await sitAtDesk(service, 'subscriber')
    for (const path of [
      '/desk/events/new',
      '/desk/events/preview',
      '/desk/events/words',
      '/desk/events/unsaved',
    ])
      equal(
        (await subscriber.post(path, { title: 'No', start_date: '2030-12-02', start_time: '10' })).status,
        403,
        path,
      )
  })

  test('a form of few controls changes them: ends go with starts, a rule makes a series', async () => {
    const { id } = await service.event({ title: 'Rehearsal', ...onDay('2027-05-02', '19:30:00', '21:30:00') })
    const at = `/desk/events/${id}`
    await editor.save(at, { start_time: '23:00' })
    const moved = (await service.get(`/events/${id}`)).body
    deepEqual([moved.start_date, moved.end_date], ['2027-05-02 23:00:00', '2027-05-03 01:00:00'])
    await editor.save(at, { start_date: '10 May 2027', end_time: '23:30' })
    equal((await service.get(`/events/${id}`)).body.end_date, '2027-05-10 23:30:00')
    await editor.save(at, { repeats: 'weekly', repeat_count: '3' })
    const series = await service.get('/events?search=Rehearsal&start_date=2027-05-01')
    deepEqual(
      series.body.events.map((one: { start_date: string }) => one.start_date.slice(0, 10)),
      ['2027-05-10', '2027-05-17', '2027-05-24'],
    )
  })

  test('venues and organizers are taken by their names in the fields that have their numbers', async () => {
    const made = await editor.save('/desk/events/new', {
      title: 'Named in the fields',
      start_date: '2030-05-03',
      start_time: '19:00',
      venue: 'Reading room',
      organizer: 'Readers',
    })
    const { body } = await service.get(`/events/${made}`)
    deepEqual([body.venue.venue, body.organizer[0].organizer], ['Reading room', 'Readers'])
  })

  test('new organizers and tags that were picked stay in a form that is refused', async () => {
    const { status, body } = await editor.post('/desk/events/new', {
      title: '',
      organizer_name: ['Ann', 'Bob', ''],
      new_tags: ['choir', 'folk', ''],
    })
    equal(status, 422)
    for (const [control, name] of Object.entries({ organizer_name: 'Bob', new_tags: 'choir' }))
      ok(body.includes(`name="${control}[]" value="${name}" checked`), control)
  })

  test('choices are said in words, and one that the form does not offer stays', async () => {
    const { id } = await service.event({
      title: 'Online',
      ...onDay('2030-05-02', '19:30:00', '21:30:00'),
      attendance: 'mixed',
      online_url: 'https://meet.example/1',
      online_shown: 'before:45',
    })
    const { body } = await editor.get(`/desk/events/${id}`)
    match(body, /<option value="mixed" selected>In person and online<\/option>/)
    match(body, /<option value="never">Never<\/option>/)
    match(body, /<option value="before:45" selected>/)
  })

  test('an event goes to the trash and comes back', async () => {
    const { id } = await service.event({ title: 'Thrown away', ...onDay('2030-12-02', '10:00', '11:00') })
    await editor.save(`/desk/events/${id}/trash`, {})
    match((await editor.get(`/desk/events/${id}`)).body, /This event is in the trash/)
    await editor.save(`/desk/events/${id}/restore`, {})
    equal((await service.get(`/events/${id}`)).body.status, 'publish')
  })

  test('a picture comes with the form, and its text is asked for', async () => {
    const fields = {
      title: 'With a picture',
      start_date: '2030-12-05',
      start_time: '18:00',
      image_alt: 'Two notes',
      key: 'picture-form',
    }
    const picture = await pictureOf('red', 40, 30)
    const post = (file: Blob) => postWithFile('/desk/events/new', fields, file, 'notes.png')
    const [first, second] = [await post(picture), await post(picture)]
    equal(first.status, 303, await first.text())
    equal(second.headers.get('location'), first.headers.get('location'))
    const { body } = await service.get(`/events/${idIn(first.headers.get('location'))}`)
    equal(body.image.width, 40)
    equal((await service.get(`wp:/wp/v2/media/${body.image.id}`)).body?.alt_text ?? 'Two notes', 'Two notes')
    const refused = await post(new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/png' }))
    equal(refused.status, 422)
    match(await refused.text(), /<a href="#image">/)
  })

  for (const [how, path, more] of [
    ['saved with a fault', 'new', { title: '' }],
    ['previewed with a fault', 'preview', { title: '' }],
    ['shown with its dates', 'new', { title: 'Dated', repeats: 'weekly', show: 'dates' }],
  ] as const)
    test(`a form that is ${how} keeps its new picture`, async () => {
      const fields = { start_date: '2030-12-06', start_time: '18:00', image_alt: 'A harp', key: how, ...more }
      const again = await postWithFile(
        `/desk/events/${path}`,
        fields,
        await pictureOf('green', 42, 30),
        'harp.png',
      )
      const { show: _show, ...controls } = controlsIn(await again.text())
      const saved = await editor.save('/desk/events/new', { ...controls, title: `Pictured, ${how}` })
      equal((await service.get(`/events/${saved}`)).body.image.width, 42)
    })

  test('what a picture shows is asked for at each event, and pages have the text of that event', async () => {
    const image = await uploadPicture(service, 60, 40)
    const make = async (title: string) => {
      const { id } = await service.event({ title, ...onDay('2030-06-01', '10:00', '11:00'), image })
      return `/desk/events/${id}`
    }
    const change = async (form: string, more: Record<string, string | string[]>) => {
      await editor.save(form, { ...controlsIn((await editor.get(form)).body), ...more })
    }
    const [first, second] = [await make('Use of a picture'), await make('Another use of it')]
    match((await editor.get(first)).body, /Nobody who does not see the picture knows what it shows/)
    await change(first, { image_alt: 'The choir' })
    const shown = async (form: string) => controlsIn((await editor.get(form)).body).image_alt
    deepEqual(
      [await shown(first), await shown(second)],
      ['The choir', 'The choir'],
      'the first text is proposed',
    )
    await change(second, { image_alt: 'The choir in its new gowns' })
    deepEqual([await shown(first), await shown(second)], ['The choir', 'The choir in its new gowns'])
    const own = await service.get(`/events/${idIn(second)}`)
    equal(own.body.image_alt, 'The choir in its new gowns')
    equal((await service.get(`/events/${idIn(first)}`)).body.image_alt, undefined)
    const page = await service.get(`~${new URL(own.body.url).pathname}`)
    match(page.body, /<img[^>]*alt="The choir in its new gowns"/)
    // An event may say that its picture needs no text.
    await change(second, { image_decorative: ['0', '1'] })
    const silent = await service.get(`/events/${idIn(second)}`)
    deepEqual([silent.body.image_decorative, silent.body.image_alt], [true, undefined])
    const form = (await editor.get(second)).body
    deepEqual([controlsIn(form).image_decorative, controlsIn(form).image_alt], ['1', ''])
    doesNotMatch(form, /Nobody who does not see the picture knows/)
    const quiet = (await service.get(`~${new URL(own.body.url).pathname}`)).body
    match(quiet, /<img[^>]*alt=""/)
    doesNotMatch(quiet, /The choir/)
    await change(second, { image_decorative: '0' })
    equal(await shown(second), 'The choir', 'the text of the picture is said again')
  })

  test('an unreadable picture of a phone is told in a clear sentence; what was typed stays', async () => {
    const fields = { title: 'From a phone', start_date: '2030-06-02', start_time: '10:00' }
    const bytes = new Blob(['\0\0\0\x18ftypheic\0\0\0\0mif1heic', new Uint8Array(500)])
    const refused = await postWithFile('/desk/events/new', fields, bytes, 'IMG_1.HEIC')
    equal(refused.status, 422)
    const body = await refused.text()
    match(body, /HEIC cannot be read here: send this one as JPEG or PNG/)
    match(body, /value="From a phone"/)
  })

  test('the zone stands beside the times, and the end moves with the start', async () => {
    const times = {
      start_date: '2030-06-05',
      start_time: '19:00',
      end_time: '21:30',
      timezone: 'Europe/Oslo',
    }
    const { body } = await editor.post('/desk/events/words', {
      ...times,
      start_time: '20:00',
      moved_from: '2030-06-05 19:00:00|2030-06-05 21:30:00',
    })
    match(body.text, /Europe\/Oslo/)
    deepEqual([body.start, body.end], ['2030-06-05 20:00:00', '2030-06-05 22:30:00'])
    match((await editor.get('/desk/events/new')).body, /Time zone: <span>/)
  })

  test('what is said of a picture is not said of the one that takes its place', async () => {
    const [one, other] = [await uploadPicture(service, 60, 40), await uploadPicture(service, 50, 40)]
    const times = onDay('2030-06-02', '10:00', '11:00')
    const { id } = await service.event({ title: 'Changed picture', ...times, image: one })
    const form = `/desk/events/${id}`
    const change = async (more: Record<string, string>) =>
      editor.post(form, { ...controlsIn((await editor.get(form)).body), ...more })
    await change({ image_alt: 'A tree', image_focus: '0 0' })
    await change({ image: String(other) })
    const { image, image_alt, image_focus } = controlsIn((await editor.get(form)).body)
    deepEqual([image, image_alt, image_focus], [String(other), '', ''])
  })

  test('saving a form changes nothing of a picture, venue or rule that nobody touched', async () => {
    const times = onDay('2030-06-02', '10:00', '11:00')
    const image = await uploadPicture(service, 60, 40)
    const other = await service.event({ title: 'Beside', ...times, image })
    const save = async (form: Record<string, string | string[]>, id: number, more = {}) => {
      await editor.save(`/desk/events/${id}`, { ...form, ...more })
    }
    const open = async (id: number) => controlsIn((await editor.get(`/desk/events/${id}`)).body)
    const read = async (id: number) => (await service.get(`/events/${id}`, 'editor')).body
    for (const said of [
      { image, image_alt: 'hello' },
      { image, image_alt: 'hello', image_decorative: true },
      { image_alt: 'hello' },
      { image_decorative: true },
    ]) {
      const { id } = await service.event({ title: 'Said', ...times, ...said })
      const before = await read(id)
      await save(await open(id), id)
      deepEqual(await read(id), before)
      await save(await open(id), id, { title: 'Another title' })
      const { image_alt, image_decorative } = await read(id)
      deepEqual([image_alt, image_decorative], [before.image_alt, before.image_decorative])
    }
    equal((await open(other.id)).image_alt, '')

    const { id: venue } = await service.create('/venues', { venue: 'The Mill' })
    const { id } = await service.event({
      title: 'Opened',
      ...times,
      image,
      venue,
      recurrence: 'FREQ=WEEKLY;COUNT=4',
    })
    const opened = await open(id)
    await service.update(`/venues/${venue}`, { venue: 'The Old Mill' })
    await service.update(`/events/${id}`, { recurrence: 'FREQ=WEEKLY;COUNT=3', recurrence_scope: 'all' })
    await save(await open(other.id), other.id, { image_alt: 'By another', image_focus: '0 0' })
    await save(opened, id, { title: 'Opened before' })
    const { title, recurrence, ...now } = await read(id)
    deepEqual([title, now.venue.id, now.image_alt], ['Opened before', venue, undefined])
    match(JSON.stringify(recurrence), /COUNT=3/)
    const { image_alt, image_focus } = await open(other.id)
    deepEqual([image_alt, image_focus], ['By another', '0 0'])
  })

  test('a contributor sends a picture, too, and is asked what it shows', async () => {
    const contributor = await sitAtDesk(service, 'contributor')
    for (const path of ['/desk/events/new', '/desk/venues/new'])
      match((await contributor.get(path)).body, /type="file"[\s\S]*name="image_alt"/, path)
  })

  test('an event has several prices, each in a place of its own', async () => {
    const { id } = await service.event({
      title: 'Prices',
      ...onDay('2030-06-03', '10:00', '11:00'),
      cost: '12',
    })
    const form = `/desk/events/${id}`
    const change = async (more: Record<string, string | string[]>) => {
      await editor.save(form, { ...controlsIn((await editor.get(form)).body), ...more })
      return (await service.get(`/events/${id}`)).body.cost_details.values
    }
    deepEqual(await change({ another_cost: '8' }), ['8', '12'])
    deepEqual(await change({ another_cost: '5' }), ['5', '8', '12'])
    deepEqual(await change({ title: 'Prices stay' }), ['5', '8', '12'])
    deepEqual(await change({ cost: ['12', '', ''] }), ['12'])
  })

  test('categories beyond those that the form offers stay chosen, and are found by their names', async () => {
    const own = await startService()
    const somebody = await sitAtDesk(own, 'editor')
    const many = Array.from({ length: 501 }, (_, at) => `Category ${String(at).padStart(3, '0')}`)
    for (let at = 0; at < many.length; at += 100)
      await own.event({ title: 'Some', ...day, categories: many.slice(at, at + 100) })
    const last = await own.create('/categories', { name: 'Zither' })
    const { id } = await own.event({
      title: 'Many',
      ...onDay('2030-06-03', '10:00', '11:00'),
      categories: last.id,
    })
    const form = await somebody.get(`/desk/events/${id}`)
    match(form.body, /There are more categories/)
    match(form.body, new RegExp(`value="${last.id}" checked`))
    await somebody.post(`/desk/events/${id}`, { ...controlsIn(form.body), new_categories: 'category 500' })
    const names = (await own.get(`/events/${id}`)).body.categories.map(({ name }: { name: string }) => name)
    await own.close()
    deepEqual(names.toSorted(), ['Category 500', 'Zither'])
  })

  // Typed texts are checked before any statement is sent, so one database is enough.
  test('a third of a megabyte in any control is told at it', onSqlite, async () => {
    const fields = controlsIn((await editor.get('/desk/events/new')).body)
    const rest = { title: 'Long', start_date: '2030-12-05', start_time: '18:00', repeats: 'weekly' }
    for (const name of Object.keys(fields).filter(
      (known) => !['key', 'status', 'all_day', 'several_days'].includes(known),
    )) {
      const { status } = await editor.post('/desk/events/new', { ...rest, [name]: 'a, '.repeat(110_000) })
      ok([422, 303, 400, 413].includes(status), `${name}: ${status}`)
    }
  })

  test('the focal point of a picture is chosen in the form, told by REST and kept by pages', async () => {
    const image = await uploadPicture(service, 60, 40)
    const { id } = await service.event({ title: 'Cropped', ...onDay('2026-12-24', '10:00', '11:00'), image })
    const before = await service.get(`/events/${id}`)
    ok(!('focal_x' in before.body.image))
    const page = new URL(before.body.url).pathname
    doesNotMatch((await editor.get(page)).body, /class="fx/)
    const fields = await untouched(`/desk/events/${id}`)
    equal(fields.image_focus, '')
    await editor.save(`/desk/events/${id}`, { ...fields, image_focus: '0.5 0' })
    const { body } = await service.get(`/events/${id}`)
    deepEqual([body.image.focal_x, body.image.focal_y], [0.5, 0])
    match((await editor.get(page)).body, /<img class="fx5 fy0"/)
    match((await editor.get('/events/?search=Cropped')).body, /class="thumb fx5 fy0"/)
    equal((await untouched(`/desk/events/${id}`)).image_focus, '0.5 0')
    await editor.save(`/desk/events/${id}`, { ...fields, image_focus: '7 NaN' })
    ok(!('focal_x' in (await service.get(`/events/${id}`)).body.image))
  })
})
