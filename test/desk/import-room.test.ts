import { deepEqual, doesNotMatch, equal, fail, match, ok } from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { type AtDesk, deskHere, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { isWhole } from '../support/rounds.ts'
import { onDay, serviceForTests, type TestService } from '../support/service.ts'
import { spreadsheetOf, zipOf } from '../support/spreadsheet.ts'
import { until } from '../support/waiting.ts'

const SEASON = [
  ['Date', 'Time', 'Title', 'Hall', 'Price'],
  ['12.12.2027', '19:30', 'Brahms Quartet', 'Main hall', '€12'],
  ['13.12.2027', '20:00', 'Jazz night', 'Bar', '€8'],
  ['31.02.2027', '20:00', 'Late show', 'Mian hall', '€8'],
]
const pasted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join('\t')).join('\n')

/** The value of a control of a form. */
const shownAt = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? fail(`${name} is not asked`)
const addressIn = (page: string) => /<form class="staged"[^>]* action="([^"]+)"/.exec(page)?.[1] ?? fail(page)

/** What this person sends to be imported is in, or taken back, before the answer. */
function importerHere(service: TestService, login = 'editor'): AtDesk {
  const desk = deskHere(service, login)
  const post: AtDesk['post'] = async (...asked) => {
    const answer = await desk.post(...asked)
    const imports = service.app.database.read.selectFrom('desk_imports').select('id')
    const under = imports.where('state', 'in', ['waiting', 'leaving'])
    await until(async () => (await under.execute()).length === 0, 'an import goes on')
    return answer
  }
  return new Proxy(desk, { get: (_, name) => (name === 'post' ? post : Reflect.get(desk, name)) })
}

describe('a pasted table', () => {
  const service = serviceForTests()
  const editor = importerHere(service)
  const contributor = importerHere(service, 'contributor')

  const titles = async () => {
    const { body } = await service.get(
      '/events?per_page=50&status=draft,publish,pending&start_date=2027-01-01',
      'editor',
    )
    ok(body.events, JSON.stringify(body))
    return body.events.map(({ title }: { title: string }) => title)
  }

  test('is shown as its rows would be, mended, brought in as drafts and taken back', async () => {
    await service.create('/venues', { venue: 'Main hall' }, 'editor')
    const shown = await editor.post('/desk/import', { text: pasted(SEASON) })
    equal(shown.status, 200, shown.body)
    match(shown.body, /value="import"[^>]*>Import 2 as drafts</)
    match(shown.body, /There is no day “31.02.2027”/)
    match(shown.body, /new venue/)
    match(shown.body, /value="take 3 3 Main hall"/)
    deepEqual(await titles(), [])
    const address = addressIn(shown.body).replace(service.origin, '')
    equal(shownAt(shown.body, 'cell_3_0'), '31.02.2027')

    equal((await editor.post(address, { cell_3_0: '30.02.2027', action: 'import' })).status, 422)
    deepEqual(await titles(), [])

    const untouched = await editor.post('/desk/import', {
      text: pasted([...SEASON.slice(0, 1), ['', '', 'Dateless', '', '']]),
    })
    const refused = await editor.post(addressIn(untouched.body), { cell_1_0: '', action: 'import' })
    match(refused.body, /No row can come in as it is/)

    const taken = await editor.post(address, { action: 'take 3 3 Main hall' })
    doesNotMatch(taken.body, /Mian hall/)
    const sent = await editor.post(address, { cell_3_0: '28.02.2027', action: 'import', status: 'draft' })
    equal(sent.status, 303, sent.body)
    match((await editor.get(sent.headers.get('location') ?? '')).body, /3 events are in as drafts/)
    deepEqual((await titles()).toSorted(), ['Brahms Quartet', 'Jazz night', 'Late show'])
    const { body } = await service.get('/events?search=Brahms&status=draft', 'editor')
    const [brahms] = body.events
    deepEqual(
      [brahms.status, brahms.start_date, brahms.end_date, brahms.venue.venue, brahms.cost],
      ['draft', '2027-12-12 19:30:00', '2027-12-12 21:30:00', 'Main hall', '€12'],
    )

    equal((await editor.post(address, { action: 'undo' })).status, 303)
    deepEqual(await titles(), [])
    match((await editor.get(address)).body, /were taken back/)
  })

  test('comes in but for rows that are left to mend, which come in later', async () => {
    const text = pasted([
      ['Date', 'Title'],
      ['2030-02-31', 'Faulty'],
      ['2030-03-01', 'Whole'],
    ])
    const address = addressIn((await editor.post('/desk/import', { text })).body)
    equal((await editor.post(address, { cell_1_0: '2030-02-31', action: 'import' })).status, 303)
    const left = await editor.get(address)
    match(left.body, /One event is in as a draft/)
    equal(shownAt(left.body, 'cell_1_0'), '2030-02-31')
    equal((await editor.post(address, { cell_1_0: '2030-02-28', action: 'import' })).status, 303)
    match((await editor.get(address)).body, /2 events are in as drafts/)
  })

  test('keeps what was chosen at its row when the first row turns out to be no heading', async () => {
    const text = pasted([
      ['Title', 'Date'],
      ['Kept', '2027-05-01'],
      ['Dropped', '2027-05-02'],
      ['Last', '2027-05-03'],
    ])
    const address = addressIn((await editor.post('/desk/import', { text })).body)
    const sent = { heading: '0', act_2: 'leave', action: 'import', status: 'publish' }
    equal((await editor.post(address, sent)).status, 303)
    const { body } = await service.get('/events?start_date=2027-05-01&end_date=2027-05-04')
    deepEqual(pluck(body.events, 'title'), ['Kept', 'Last'])
    await editor.post(address, { action: 'undo' })
  })

  test('has the same fates after a change of some rows as after a check of all', async () => {
    const text = pasted([
      ['Title', 'Date', 'Venue'],
      ['Choir', '2027-09-01', 'Hall'],
      ['Choir', '2027-09-01', 'Hall'],
      ['Choir', '2027-09-01', 'Hall'],
      ['Other', '2027-09-02', 'Hall'],
    ])
    const address = addressIn((await editor.post('/desk/import', { text })).body)
    const read = service.app.database.read.selectFrom('desk_imports').select('checked').orderBy('id', 'desc')
    const lettersAfter = async (fields: Record<string, string>) => {
      await editor.post(address, { ...fields, action: 'look' })
      const { checked } = await read.executeTakeFirstOrThrow()
      return JSON.parse(checked).letters
    }
    equal(await lettersAfter({}), 'nLLn')
    equal(await lettersAfter({ cell_1_0: 'Solo' }), 'nnLn')
    equal(await lettersAfter({ cell_4_0: 'Solo', cell_4_1: '2027-09-01' }), 'nnLL')
    equal(await lettersAfter({ cell_2_1: 'soon-ish', act_3: 'leave' }), 'nmlL')
    equal(await lettersAfter({ column_2: '' }), 'nmlL')
  })

  test('keeps no more of mended cells than of a table, and none of rows that are not there', async () => {
    const rows = Array.from({ length: 300 }, () => ['Same', '2027-05-01', 'Hall'])
    const address = addressIn(
      (await editor.post('/desk/import', { text: pasted([['Title', 'Date', 'Venue'], ...rows]) })).body,
    )
    const beyond = await editor.post(address, { cell_5000_0: 'beyond', action: 'look' })
    doesNotMatch(beyond.body, /beyond/)
    const kept = async () => {
      const row = await service.app.database.read
        .selectFrom('desk_imports')
        .select('choices')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      return row.choices.length
    }
    ok((await kept()) < 10_000)
    await editor.post(address, { action: `take 2 1 ${'X'.repeat(19_000)}` })
    ok((await kept()) < 400_000)
    const most = Object.fromEntries(rows.map((_, at) => [`cell_${at + 1}_0`, 'y'.repeat(8000)]))
    doesNotMatch((await editor.post(address, { ...most, action: 'look' })).body, /yyyy/)
  })

  test('brings in the rows that are new; one that is here is updated, or left out', async () => {
    const here = await service.create(
      '/events',
      { title: 'Harbour ball', ...onDay('2027-03-04', '20:00:00', '23:30:00'), cost: '5' },
      'editor',
    )
    const text = pasted([
      ['When', 'Title', 'Price'],
      ['4 March 2027, 20:00', 'Harbour Ball', '€9'],
      ['5 March 2027', 'Open day', ''],
      ['5 March 2027', 'Open day', ''],
    ])
    const shown = await editor.post('/desk/import', { text })
    match(shown.body, /value="import"[^>]*>Import 1 as a draft</)
    match(shown.body, /Same as row 2/)
    equal((await editor.post(addressIn(shown.body), { act_1: 'update', action: 'import' })).status, 303)
    const { body } = await service.get(`/events/${here.id}`, 'editor')
    deepEqual(
      [body.title, body.cost, body.status, body.end_date],
      ['Harbour Ball', '€9', 'publish', '2027-03-04 23:30:00'],
    )
    const days = (await service.get('/events?search=Open+day&status=draft', 'editor')).body.events
    deepEqual([days.length, days[0].all_day], [1, true])
    await editor.post(addressIn(shown.body), { action: 'undo' })
    equal((await service.get(`/events/${here.id}`, 'editor')).body.cost, '$5')
  })

  test('of a contributor waits for review, without categories that are not here', async () => {
    const text = pasted([
      ['Date', 'Title', 'Venue', 'Category'],
      ['2027-05-01', 'May fire', 'Meadow', 'Bonfires'],
    ])
    const sent = await contributor.post('/desk/import', { text, action: 'import', status: 'publish' })
    equal(sent.status, 303, sent.body)
    const [fire] = (await service.get('/events?search=May+fire&status=pending', 'editor')).body.events
    deepEqual([fire.status, fire.venue.venue, fire.categories], ['pending', 'Meadow', []])
    const { id } = (await service.get('/venues?search=Meadow&status=pending', 'editor')).body.venues[0]
    equal((await service.get(`/venues/${id}`)).status, 403)
    const other = await sitAtDesk(service, 'author')
    equal((await other.get(sent.headers.get('location') ?? '')).status, 404)
    equal((await (await sitAtDesk(service, 'subscriber')).get('/desk/import')).status, 403)
  })

  test('goes on by itself when it is long, and every row comes in once', async () => {
    const rows = Array.from(
      { length: 300 },
      (_, at) => `2029-01-0${(at % 9) + 1}\tEvening ${at}\tHall ${at % 5}`,
    )
    const text = ['Date\tTitle\tVenue', ...rows].join('\n')
    const sent = await editor.post('/desk/import', { text, action: 'import' })
    const address = sent.headers.get('location') ?? ''
    await until(
      async () => (await editor.get(address)).body.includes('300 events are in as drafts'),
      'it is not in',
    )
    const { body } = await service.get(
      '/events?start_date=2029-01-01&end_date=2030-01-01&status=draft&per_page=1',
      'editor',
    )
    equal(body.total, 300)
  })

  test('of a megabyte is read, and what looks like a formula stays a text', async () => {
    const formula = "=cmd|' /C calc'!A0"
    const rows = [
      ['Date', 'Title', 'Venue', 'Description'],
      ['2031-05-01', formula, '+44 Hall', '@SUM(1)'],
      ...Array.from({ length: 400 }, (_, at) => ['2031-05-02', `Long ${at}`, 'Hall', 'x'.repeat(2500)]),
    ]
    const shown = await editor.post('/desk/import', { text: pasted(rows) })
    equal(shown.status, 200)
    match(shown.body, /401 rows/)
    const address = addressIn(shown.body)
    await editor.post(address, { action: 'import' })
    await until(
      async () => (await editor.get(address)).body.includes('401 events are in as drafts'),
      'it is not in',
    )
    const { body } = await service.get(
      '/events?start_date=2031-05-01&end_date=2031-05-01&status=draft',
      'editor',
    )
    const [{ title, venue, description }] = body.events
    deepEqual([title, venue.venue, description], [formula, '+44 Hall', '<p>@SUM(1)</p>'])
    const table = await service.get(
      '/events?format=csv&start_date=2031-05-01&end_date=2031-05-01&status=draft',
      'editor',
    )
    match(String(table.body), /"?'=cmd/)
  })
})

describe('a file at the desk', () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const editor = importerHere(service)
  const send = (desk: AtDesk, name: string, bytes: Buffer | string) => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), name)
    const headers = { cookie: desk.cookie, origin: new URL(service.origin).origin, accept: 'text/html' }
    return service.post('~/desk/import', form, 'anonymous', headers)
  }

  test('is read by what is in it: a spreadsheet, a table in Windows-1252, a calendar', async () => {
    const sheet = spreadsheetOf([
      ['Date', 'Starts', 'Title', 'Price'],
      [46733, 0.8125, 'Brahms & more', '=cmd()'],
    ])
    const shown = await send(editor, 'season.csv', sheet)
    match(shown.body, /Brahms &amp; more/)
    match(shown.body, /Sun 12 Dec 2027/)
    await editor.post(addressIn(shown.body), { action: 'import', status: 'publish' })
    const [brahms] = (await service.get('/events?search=Brahms&start_date=2027-01-01')).body.events
    deepEqual([brahms.start_date, brahms.cost], ['2027-12-12 19:30:00', '=cmd()'])

    const german = Buffer.from(
      'Datum;Beginn;Titel;Saal\n12.3.2027;19.30 Uhr;Sch\u00f6ne M\u00fcllerin;Gro\u00dfer Saal',
      'latin1',
    )
    match((await send(editor, 'liste.xlsx', german)).body, /Schöne Müllerin/)

    const calendar = (
      'BEGIN:VCALENDAR|BEGIN:VEVENT|UID:walk@example.org|SUMMARY:Night walk|LOCATION:Old mill|' +
      'DTSTART;TZID=Europe/Dublin:20271001T210000|DTEND;TZID=Europe/Dublin:20271001T230000|' +
      'RRULE:FREQ=WEEKLY;COUNT=3|END:VEVENT|END:VCALENDAR'
    )
      .split('|')
      .join('\r\n')
    const walk = await send(editor, 'calendar.txt', calendar)
    match(walk.body, /Night walk/)
    equal((await editor.post(addressIn(walk.body), { action: 'import', status: 'publish' })).status, 303)
    const walks = (await service.get('/events?search=Night+walk&start_date=2027-01-01')).body.events
    deepEqual(
      walks.map(({ start_date: start }: { start_date: string }) => start.slice(0, 10)),
      ['2027-10-01', '2027-10-08', '2027-10-15'],
    )
    match((await send(editor, 'again.ics', calendar)).body, /there\?/)
    await editor.post(addressIn(walk.body), { action: 'undo' })
    equal((await service.get('/events?search=Night+walk&start_date=2027-01-01')).body.total, 0)
  })

  test('lists what cannot be read with its line and UID, to fill in or leave out', async () => {
    const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
    const calendar = [
      'BEGIN:VCALENDAR',
      ...event('UID:good@x', 'SUMMARY:Good', 'DTSTART:20280601T180000', 'GEO:1;200'),
      ...event('UID:undated@x', 'SUMMARY:Undated'),
      ...event('UID:spoilt@x', 'SUMMARY:Spoilt', 'DTSTART:2028-13-41'),
      ...event('UID:good@x', 'SUMMARY:Good again', 'DTSTART:20280602T180000'),
      'END:VCALENDAR',
    ].join('\r\n')
    const shown = await send(editor, 'town.ics', Buffer.from(calendar))
    match(shown.body, /Import 1 as a draft/)
    match(shown.body, /<small>It is in the file 2 times, and comes in once, as it is there first\./)
    match(shown.body, /line 8, UID undated@x: The event Undated has no start that can be read\./)
    match(shown.body, /Good: Its coordinates are none, so it is in without them: 1;200/)
    const address = addressIn(shown.body).replace(service.origin, '')
    equal(shownAt(shown.body, 'cell_2_2'), 'Undated')
    equal((await editor.post(address, { cell_2_2: 'Still', action: 'import' })).status, 422)
    const filled = { cell_2_0: '2028-06-02', cell_2_1: '19:00', cell_2_2: 'Dated now', act_3: 'leave' }
    const sent = await editor.post(address, { ...filled, action: 'import', status: 'publish' })
    equal(sent.status, 303, sent.body)
    const { body } = await service.get('/events?start_date=2028-06-01&end_date=2028-06-30')
    deepEqual(
      body.events.map(({ title, start_date: start }: Record<string, string>) => `${title} ${start}`),
      ['Good 2028-06-01 18:00:00', 'Dated now 2028-06-02 19:00:00'],
    )
  })

  test('shows dates of a series that is not in the file, or cannot be read', async () => {
    const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
    const calendar = [
      'BEGIN:VCALENDAR',
      ...event('UID:alone@x', 'SUMMARY:Alone', 'RECURRENCE-ID:20290601T180000', 'DTSTART:20290602T180000'),
      ...event('UID:torn@x', 'SUMMARY:Torn', 'RRULE:FREQ=DAILY', 'DTSTART:2029-13-41'),
      ...event(
        'UID:torn@x',
        'SUMMARY:Torn later',
        'RECURRENCE-ID:20290603T180000',
        'DTSTART:20290604T180000',
      ),
      'END:VCALENDAR',
    ].join('\r\n')
    const shown = await send(editor, 'dates.ics', Buffer.from(calendar))
    match(shown.body, /Alone/)
    match(shown.body, /Torn later/)
    match(shown.body, /The event Torn has no start that can be read\./)
    await editor.post(addressIn(shown.body).replace(service.origin, ''), {
      action: 'import',
      status: 'publish',
    })
    const { body } = await service.get('/events?start_date=2029-06-01&end_date=2029-06-30')
    deepEqual(
      body.events.map(({ title, start_date: start }: Record<string, string>) => `${title} ${start}`),
      ['Alone 2029-06-02 18:00:00', 'Torn later 2029-06-04 18:00:00'],
    )
  })

  test('says in the language of its reader which record of a list cannot be read', async (t) => {
    const speak = (language: string) =>
      service.app.database.write((tx) =>
        tx.updateTable('users').set({ language }).where('login', '=', 'editor').execute(),
      )
    await speak('de')
    t.after(() => speak(''))
    const file = JSON.stringify({ events: [{ title: 'Undated' }] })
    match((await send(editor, 'list.json', Buffer.from(file))).body, /Veranstaltung 1[:,]/)
  })

  test('whose upload stops midway leaves nothing, and nobody waits for it', async () => {
    const held = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).includes('.upload-')
        } catch {
          return false
        }
      }).length
    const count = async () =>
      (await service.app.database.read.selectFrom('desk_imports').select('id').execute()).length
    const before = await count()
    const { hostname, port } = new URL(service.origin)
    const head = [
      `POST ${new URL(`${service.origin}/desk/import`).pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Cookie: ${editor.cookie}`,
      `Origin: ${new URL(service.origin).origin}`,
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Length: 1000000',
    ].join('\r\n')
    const part =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="season.csv"\r\n\r\nDate,Title\r\n'
    const sockets = Array.from({ length: 8 }, () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write(`${head}\r\n\r\n${part}${'2028-07-01,Half\r\n'.repeat(2000)}`)
      return socket
    })
    await until(async () => held() >= 8, 'the uploads have not begun')
    match((await send(editor, 'whole.csv', 'Date,Title\n2028-07-02,Whole')).body, /Import 1 as a draft/)
    for (const socket of sockets) socket.destroy()
    await until(async () => held() === 0, 'files are held')
    equal(await count(), before + 1)
  })

  test('gets a picture for all of its events, sent in the same form', async () => {
    const shown = await send(editor, 'season.csv', 'Date,Title\n2028-08-01,Tide\n2028-08-02,Ebb')
    const form = new FormData()
    form.append('picture', new Blob([await drawPng(40, 30, '#246')]), 'season.png')
    for (const [name, value] of Object.entries({ key: 'once', status: 'publish', action: 'import' }))
      form.append(name, value)
    const headers = { cookie: editor.cookie, origin: new URL(service.origin).origin, accept: 'text/html' }
    const address = addressIn(shown.body).replace(service.origin, '')
    equal((await service.post(`~${address}`, form, 'anonymous', headers)).status, 303)
    const { body } = await service.get('/events?start_date=2028-08-01&end_date=2028-08-02')
    const files = body.events.map(({ image }: { image: { url: string } }) => image.url.replace(/.*\//, ''))
    deepEqual(files, ['season.png', 'season.png'])

    const no = new FormData()
    no.append('picture', new Blob(['not a picture']), 'season.png')
    equal((await service.post(`~${address}`, no, 'anonymous', headers)).status, 422)
  })

  test('that cannot be read says so at its field, and nothing is kept', async () => {
    const bomb = zipOf([{ name: 'xl/workbook.xml', bytes: Buffer.alloc(70_000_000, ' ') }])
    const far: string[][] = [['Date', 'Title']]
    far[1_048_575] = Array.from({ length: 26 }, () => 'x')
    const long = `Date,Title\n${'2027-01-01,x\n'.repeat(10_001)}`
    const hall = { id: 7, venue: 'Hall', description: 'x'.repeat(1_000_000) }
    const inHall = Array.from({ length: 25 }, (_, id) => ({
      id,
      title: 'x',
      ...onDay('2027-01-01', '10:00:00', '11:00:00'),
      venue: { id: 7 },
    }))
    const sameHall = [...inHall, hall].map((record) => JSON.stringify(record)).join('\n')
    const wide = Array.from({ length: 61 }, (_, at) => `c${at}`).join(',')
    for (const [name, bytes, fault] of [
      ['season.csv', '%PDF-1.7 \u0000\u0001', /neither a table nor a calendar/],
      ['old.xls', Buffer.from('\u00d0\u00cf\u0011\u00e0\u0000', 'latin1'), /neither a table nor a calendar/],
      ['season.xlsx', bomb, /no spreadsheet that can be read/],
      ...(isWhole ? [['far.xlsx', spreadsheetOf(far), /no spreadsheet that can be read/] as const] : []),
      ['season.xlsx', Buffer.from('PK\u0003\u0004', 'latin1'), /no spreadsheet that can be read/],
      ['page.ics', '<!doctype html><title>Hello</title>', /a web page/],
      ['empty.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', /no components/],
      ['records.json', '{"events": 7', /not JSON/],
      ['long.csv', long, /may have 10000 rows/],
      ['wide.csv', `${wide}\n${wide}`, /may have 60 columns/],
      ['blank.csv', ' \n\n', /no event in it/],
      ['same-hall.json', sameHall, /rows are too long to be kept/],
    ] as const) {
      const { status, body } = await send(editor, name, Buffer.from(bytes))
      equal(status, 422, name)
      match(body, fault, name)
      match(body, /id="file-error"/, name)
    }
    const { status, body } = await editor.post('/desk/import', { text: 'x'.repeat(2_100_000) })
    equal(status, 413, body)
  })
})

describe('an address at the desk', () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const editor = deskHere(service, 'editor')
  const source = createServer((_request, response) => {
    const event = ['BEGIN:VEVENT', 'UID:a@b', 'SUMMARY:Far away', 'DTSTART:20270401T100000Z', 'END:VEVENT']
    response.setHeader('Content-Type', 'text/calendar')
    response.end(['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR'].join('\r\n'))
  })
  after(() => source.close())

  const seen = async (address: string) => {
    const sent = await editor.post('/desk/import', { address })
    equal(sent.status, 303, sent.body)
    const at = sent.headers.get('location') ?? ''
    let page = await editor.get(at)
    await until(async () => {
      page = await editor.get(at)
      return !page.body.includes('data-under-way')
    }, 'it is still looked at')
    return { at, ...page }
  }

  const speak = (language: string) =>
    service.app.database.write((tx) =>
      tx.updateTable('users').set({ language }).where('login', '=', 'editor').execute(),
    )

  test('is looked at before it is kept up to date, and its schedule is stopped and removed', async () => {
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
    const { port } = source.address() as AddressInfo
    const { at, body } = await seen(`http://127.0.0.1:${port}/events.ics`)
    match(body, /One event would come in/)
    match(body, /Far away/)
    equal(
      (await editor.post(at, { action: 'import', every: '86400' })).headers.get('location'),
      '/desk/imports?kept',
    )
    match((await editor.get('/desk/imports')).body, /127\.0\.0\.1/)
    const act = (action: string) => editor.post('/desk/imports', { action, name: '127.0.0.1' })
    await act('pause')
    match((await editor.get('/desk/imports')).body, /value="resume"/)
    for (const action of ['run', 'resume', 'remove']) equal((await act(action)).status, 303)
    doesNotMatch((await editor.get('/desk/imports')).body, /127\.0\.0\.1/)
    equal((await act('run')).status, 404)
  })

  test('where nothing is found is kept only where that is ticked', async (t) => {
    const empty = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/calendar')
      response.end('BEGIN:VCALENDAR\r\nX-WR-CALNAME:Empty\r\nEND:VCALENDAR\r\n')
    })
    await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve))
    t.after(() => empty.close())
    const { port } = empty.address() as AddressInfo
    const { at, body } = await seen(`http://127.0.0.1:${port}/soon.ics`)
    match(body, /No event was found there/)
    const asked = await editor.post(at, { action: 'import' })
    equal(asked.status, 422)
    match(asked.body, /id="anyway-error"/)
    doesNotMatch((await editor.get('/desk/imports')).body, /value="pause"/)
    equal(
      (await editor.post(at, { action: 'import', anyway: '1' })).headers.get('location'),
      '/desk/imports?kept',
    )
    await editor.post('/desk/imports', { action: 'remove', name: '127.0.0.1' })
  })

  test('on a private network is not asked, and nobody who may not publish gives one', async () => {
    for (const address of [
      'http://10.1.2.3/events.ics',
      'http://[::1]:9/a.ics',
      'http://localhost:9/a.ics',
    ]) {
      const { at, status, body } = await seen(address)
      equal(status, 422)
      match(body, /no public address/, address)
      equal((await editor.post(at, { action: 'import', anyway: '1' })).status, 422)
      await speak('de')
      match((await editor.get(at)).body, /wird nicht angefragt: .*die Adresse ist nicht öffentlich\./)
      await speak('')
    }
    for (const address of [
      'ftp://example.org/a',
      'file:///etc/passwd',
      'https://me:secret@example.org/',
      'x',
    ])
      equal((await editor.post('/desk/import', { address })).status, 422, address)
    const author = await sitAtDesk(service, 'author')
    equal((await author.post('/desk/import', { address: 'https://example.org/a.ics' })).status, 403)
    equal((await author.post('/desk/imports', { action: 'run', name: 'x' })).status, 403)
  })
})
