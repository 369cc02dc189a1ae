import { deepEqual, equal, match } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { listSchedules, runDueImports } from '../../src/features/imports/import-schedule.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'
const PATH = '/wp-json/tribe/events/v1'

const event = (id: number) => ({
  id,
  title: `Event ${id}`,
  ...onDay(`2027-07-${String((id % 28) + 1).padStart(2, '0')}`, '20:00:00', '21:00:00'),
  timezone: 'UTC',
})

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at)
const lines = (ids: readonly number[]) => ids.map((id) => `${JSON.stringify(event(id))}\n`).join('')
const calendarFile = (ids: readonly number[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...ids.flatMap((id) => [
      'BEGIN:VEVENT',
      `UID:${id}@x`,
      `SUMMARY:Event ${id}`,
      'DTSTART:20270705T200000Z',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const table = (ids: readonly number[]) =>
  ['id,title,start,venue', ...ids.map((id) => `${id},Event ${id},2027-07-05 20:00,"The Hall"`), ''].join('\n')

type Faults = Map<number, { status?: number; events?: readonly number[]; total?: number }>

async function faultySite(faults: Faults): Promise<string> {
  const all = numbers(120)
  const origin = await serverHere((request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    const list = url.pathname.split('/').at(-1) ?? ''
    const page = Number(url.searchParams.get('page'))
    const [fault, isEvents] = [list === 'events' ? faults.get(page) : undefined, list === 'events']
    const shown = isEvents ? (fault?.events ?? all.slice((page - 1) * 50, page * 50)) : []
    const total = isEvents ? (fault?.total ?? 120) : 0
    const body = { [list]: shown.map(event), total, total_pages: Math.ceil(total / 50) }
    response.writeHead(fault?.status ?? 200).end(JSON.stringify(body))
  })
  return origin + PATH
}

describe('a source that is broken', () => {
  let calendar: Calendar
  beforeEach(async () => {
    calendar = await startCalendar()
  })
  afterEach(() => calendar.close())
  const count = async () => (await calendar.service.get(ALL)).body.total

  test('empties no calendar where a site answers with fewer records than it counts', async () => {
    const faults: Faults = new Map()
    const address = await faultySite(faults)
    await calendar.run(0, 'import', '--mirror', address)
    const broken: [string, Faults, RegExp][] = [
      ['a page of 404', new Map([[2, { status: 404 }]]), /events breaks off: it gave 50 of 120 records\./],
      ['an empty page', new Map([[3, { events: [], total: 0 }]]), /it gave 100 of 120 records\./],
      ['a page that is too short', new Map([[3, { events: [101] }]]), /it gave 101 of 120 records\./],
      ['a first page without its records', new Map([[1, { events: [] }]]), /it gave 0 of 120 records\./],
      ['a list of 404', new Map([[1, { status: 404 }]]), /120 of 120 events .* gone .* --allow-mass-removal/],
      [
        'an empty list',
        new Map([[1, { events: [], total: 0 }]]),
        /120 of 120 events .* --allow-mass-removal/,
      ],
    ]
    for (const [what, said, error] of broken) {
      faults.clear()
      for (const [page, fault] of said) faults.set(page, fault)
      const { out, err, code } = await calendar.kalends('import', '--mirror', address)
      equal(code, 1, what)
      match(err, error, what)
      match(out, / 0 moved to the trash/, what)
      equal(await count(), 120, what)
    }
    faults.clear()
    const { out, code } = await calendar.kalends('import', '--mirror', address)
    match(out, /0 made, 0 changed, 120 unchanged/)
    equal(code, 0)
  })

  test('keeps what came of a first import that ends half-way, and says so by exit code 1', async () => {
    const faults: Faults = new Map([[3, { status: 404 }]])
    const address = await faultySite(faults)
    match(
      (await calendar.kalends('import', '--dry-run', address)).out,
      /Would make: 100 events\.\nOf what was read .*\nA run would have: 100 made/,
    )
    const { out, err, code } = await calendar.kalends('import', address)
    match(out, /Made: 100 events\.\nOf this source .*\nRun 1: 100 made/)
    match(err, /it gave 100 of 120 records\. What came before is in/)
    equal(code, 1)
    match((await calendar.kalends('imports')).out, / failed +100 /)
    faults.clear()
    match((await calendar.kalends('import', address)).out, /20 made, 0 changed, 100 unchanged/)
  })

  const files = [
    ['town.ics', calendarFile, /This VEVENT has no end: the file is cut off/],
    ['town.ndjson', lines, /The file breaks off: its last record, line 6, is not JSON/],
    [
      'town.json',
      (ids: readonly number[]) => JSON.stringify({ events: ids.map(event) }),
      /not JSON, or is cut off/,
    ],
    ['town.csv', table, /The table (?:breaks off: its last row, line 7,|cannot be read any further)/],
  ] as const
  for (const [name, write, error] of files)
    test(`trashes nothing for ${name} that is cut in the middle`, async () => {
      const source = await calendar.file(name, write(numbers(8)))
      await calendar.run(0, 'import', source)
      const whole = write(numbers(8))
      await calendar.file(name, whole.slice(0, whole.indexOf('Event 6') + 3))
      const { out, err, code } = await calendar.kalends('import', '--mirror', source)
      match(err, error, out)
      equal(code, 1)
      equal(await count(), 8)
    })

  test('trashes nothing for a calendar without its last line, or a table cut in a quoted cell', async () => {
    const source = await calendar.file('town.ics', calendarFile(numbers(3)))
    await calendar.kalends('import', source)
    await calendar.file('town.ics', calendarFile(numbers(2)).replace('END:VCALENDAR', ''))
    const { err, code } = await calendar.kalends('import', '--mirror', source)
    match(err, /This VCALENDAR has no end: the file is cut off/)
    equal(code, 1)
    const rows = table(numbers(3, 11))
    const sheet = await calendar.file('town.csv', rows)
    await calendar.kalends('import', sheet)
    await calendar.file('town.csv', rows.slice(0, rows.lastIndexOf('Hall')))
    const cut = await calendar.kalends('import', '--mirror', sheet)
    match(cut.err, /The table cannot be read any further/)
    equal(cut.code, 1)
    equal(await count(), 6)
  })

  test('takes in a saved page of several, and mirrors none', async () => {
    const page = { events: numbers(3).map(event), total: 90, total_pages: 30 }
    const source = await calendar.file('page.json', JSON.stringify(page))
    await calendar.run(0, 'import', source)
    await calendar.file('page.json', JSON.stringify({ ...page, events: [event(4)] }))
    const { err, code } = await calendar.kalends('import', '--mirror', source)
    match(err, /The file has 1 of 90 records\./)
    equal(code, 1)
    equal(await count(), 4)
  })

  test('reads a table whose last row is short and ends like a line', async () => {
    const source = await calendar.file(
      'town.csv',
      'id,title,start,venue\n1,One,2027-07-05,Hall\n2,Two,2027-07-05\n',
    )
    await calendar.run(0, 'import', source)
    equal(await count(), 2)
  })

  test('trashes nothing for an empty calendar, however small, without --allow-mass-removal', async () => {
    const source = await calendar.file('town.ics', calendarFile(numbers(2)))
    await calendar.kalends('import', source)
    await calendar.file('town.ics', calendarFile([]))
    const { err, code } = await calendar.kalends('import', '--mirror', source)
    match(err, /2 of 2 events from this source are gone from it at once/)
    equal(code, 1)
    equal(await count(), 2)
    match((await calendar.kalends('import', '--mirror', '--dry-run', source)).err, /2 of 2 events/)
    equal((await calendar.kalends('import', '--mirror', '--allow-mass-removal', source)).code, 0)
    equal(await count(), 0)
  })

  test('trashes a fifth of its events at once, and more only with --allow-mass-removal', async () => {
    const source = await calendar.file('town.ndjson', lines(numbers(60)))
    await calendar.kalends('import', source)
    await calendar.file('town.ndjson', lines(numbers(48)))
    match((await calendar.kalends('import', '--mirror', source)).out, /12 moved to the trash/)
    await calendar.file('town.ndjson', lines(numbers(38, 100)))
    const { out, err, code } = await calendar.kalends('import', '--mirror', source)
    equal(code, 1)
    match(err, /48 of 86 events from this source are gone from it at once/)
    match(out, /38 made/)
    equal(await count(), 86)
    const { out: runs } = await calendar.kalends('imports')
    match(runs, / TRASHED [^\n]+\n3 .* failed +38 +0 +0 .*\n2 .* done +0 +0 +12 /)
    await calendar.kalends('import', '--mirror', '--allow-mass-removal', source)
    equal(await count(), 38)
  })

  test('keeps a record that is in the source but cannot be read or written this time', async () => {
    const source = await calendar.file('town.ndjson', lines([1, 2, 3]))
    await calendar.kalends('import', source)
    const undated = JSON.stringify({ ...event(2), start_date: 'never' })
    await calendar.file('town.ndjson', `${lines([1])}${undated}\n`)
    const { out, code } = await calendar.kalends('import', '--mirror', source)
    equal(code, 2)
    match(out, /event 3 .* it goes to the trash/)
    equal(await count(), 2)
    await calendar.file('town.ndjson', `{ broken\n${lines([2])}`)
    const unclear = await calendar.kalends('import', '--mirror', source)
    equal(unclear.code, 2)
    match(unclear.out, /event 1 .* it stays, since something in the source cannot be read/)
    equal(await count(), 2)
  })

  test('keeps an event of a calendar file that has no start this time', async () => {
    const source = await calendar.file('town.ics', calendarFile([1, 2]))
    await calendar.kalends('import', source)
    await calendar.file('town.ics', calendarFile([1, 2]).replace('DTSTART:20270705T200000Z\r\n', ''))
    await calendar.run(2, 'import', '--mirror', source)
    equal(await count(), 2)
  })

  test('shows what a run moved to the trash', async () => {
    const source = await calendar.file('town.ndjson', lines([1, 2, 3]))
    await calendar.kalends('import', source)
    await calendar.file('town.ndjson', lines([2]))
    await calendar.kalends('import', '--mirror', source)
    const { out } = await calendar.kalends('imports', 'show', '2')
    match(
      out,
      new RegExp(
        'Moved to the trash:\\n {2}event \\d+: Event 3, 2027-07-04 20:00:00\\n {2}event \\d+: Event ' +
          '1, 2027-07-02 20:00:00\\n',
      ),
    )
    match((await calendar.kalends('imports', 'show', '9')).err, /There is no run 9/)
    await calendar.kalends('imports', 'undo', '2')
    match((await calendar.kalends('imports', 'show', '2')).out, / undone .*\nIt was undone\.\n/s)
  })

  test('pauses its schedule, which says how to go on, and runs once with a permission', async () => {
    const source = await calendar.file('town.ndjson', lines(numbers(3)))
    await calendar.kalends('import', '--every', '6h', '--name', 'town', '--mirror', source)
    const { database } = calendar.service.app
    const reported: string[] = []
    let now = Date.now() + 1000
    const look = () =>
      runDueImports(
        database,
        async (words) => {
          const { out, err, code } = await calendar.kalends('import', '--for-service', ...words)
          return { code, said: (out + err).trim().split('\n').at(-1) ?? '' }
        },
        () => now,
        ({ message }) => reported.push(message),
      )
    await look()
    await calendar.file('town.ndjson', '')
    now += 7 * 3_600_000
    await look()
    equal(await count(), 3)
    match(reported.join('\n'), /The import town is paused: 3 of 3 events .* kalends imports resume town/)
    match(
      (await calendar.kalends('imports', 'schedules')).out,
      /town +6h +paused .*3 of 3 events .* resume town/,
    )
    now += 7 * 3_600_000
    await look()
    equal(reported.length, 1)
    await calendar.kalends('imports', 'resume', '--allow-mass-removal', 'town')
    await look()
    equal(await count(), 0)
    const [row] = await listSchedules(database.read)
    deepEqual([row?.paused, row?.words.includes('--allow-mass-removal')], [0, false])
  })
})
