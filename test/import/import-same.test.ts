import { deepEqual, equal, match } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { isPostgres } from '../../src/store/storage/database.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { ics, vevent } from './calendar-file.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const titled = (uid: string, title: string, ...more: readonly string[]) =>
  vevent(uid, `SUMMARY:${title}`, 'DTSTART:20270705T200000', ...more)
const town = (title = 'Ball') =>
  ics(titled('1@x', title), titled('2@x', 'Course', 'RRULE:FREQ=WEEKLY;COUNT=3'))

describe('a calendar that was imported under another name', () => {
  let calendar: Calendar
  beforeEach(async () => {
    // In a calendar of another zone, the calendar file writes a series in UTC as single events.
    calendar = await startCalendar({ timezone: 'UTC' })
  })
  afterEach(() => calendar.close())
  const titles = async () => {
    const { events } = (await calendar.service.get(ALL)).body
    return events.map(({ title }: { title: string }) => title).sort()
  }
  const uids = async () => {
    const response = await fetch(`${calendar.service.origin}/events.ics`)
    const text = await response.text()
    const parts = text.split('BEGIN:VEVENT').slice(1)
    return parts
      .flatMap((part) => (part.includes('RECURRENCE-ID') ? [] : (/UID:(\S+)/.exec(part)?.[1] ?? [])))
      .sort()
  }

  test('is refused with what to do, and goes on with --same-as', async () => {
    const old = await calendar.file('old.ics', town())
    await calendar.kalends('import', '--name', 'town', old)
    const before = (await calendar.service.get(ALL)).body.events.map(({ id }: { id: number }) => id)
    const moved = await calendar.file('new.ics', town('Great ball'))
    for (const words of [[], ['--dry-run']]) {
      const { err, code } = await calendar.kalends('import', ...words, moved)
      match(err, /2 of the first 2 events are here already, from town\. .* --same-as 'town'/)
      equal(code, 1)
    }
    const planned = await calendar.kalends('import', '--dry-run', '--same-as', 'town', moved)
    match(planned.out, /0 made, 1 changed, 1 unchanged/)
    const { out, code } = await calendar.kalends('import', '--same-as', 'town', moved)
    equal(code, 0)
    match(out, /0 made, 1 changed, 1 unchanged/)
    deepEqual(await titles(), ['Course', 'Course', 'Course', 'Great ball'])
    const after = (await calendar.service.get(ALL)).body.events.map(({ id }: { id: number }) => id)
    deepEqual(after, before)
    match((await calendar.kalends('import', moved)).out, /0 made, 0 changed, 2 unchanged/)
    match(
      (await calendar.kalends('import', '--same-as', 'town', moved)).out,
      /0 made, 0 changed, 2 unchanged/,
    )
    match((await calendar.kalends('import', '--name', 'town', old)).err, /from file:.*new\.ics/)
    match((await calendar.kalends('import', '--same-as', 'city', old)).err, /There is no source city/)
    await calendar.run(1, 'imports', 'undo', '1')
  })

  test('is refused by its ids, titles and days where it has no UIDs', async () => {
    const event = { id: 7, title: 'Ball', ...onDay('2027-05-01', '20:00:00', '22:00:00') }
    const write = (name: string, title: string) =>
      calendar.file(name, `${JSON.stringify({ ...event, title })}\n`)
    await calendar.kalends('import', await write('a.ndjson', 'Ball'))
    const { err } = await calendar.kalends('import', await write('b.ndjson', 'Ball'))
    match(err, /1 of the first 1 events are here already, from file:.*a\.ndjson/)
    await calendar.run(0, 'import', await write('c.ndjson', 'Another'))
    deepEqual(await titles(), ['Another', 'Ball'])
  })

  test('leaves one event for a UID that two calendars share, and all with --same-as none', async () => {
    await calendar.imports('town.ics', town())
    const club = ics(titled('1@x', 'Ball'), titled('8@x', 'Training'), titled('9@x', 'Match'))
    const source = await calendar.file('club.ics', club)
    const { out, code } = await calendar.kalends('import', '--mirror', source)
    match(out, /event 1@x \(Ball\) is here already: event \d+, from file:.*town\.ics\n/)
    match(out, /2 made, 0 changed, 0 unchanged, 1 left/)
    equal(code, 0)
    const part = await calendar.file('part.ics', ics(titled('2@x', 'Course', 'RRULE:FREQ=WEEKLY;COUNT=3')))
    const shared = await calendar.kalends('import', '--same-as', 'none', part)
    match(shared.out, /0 made, 0 changed, 0 unchanged, 1 left/)
    deepEqual(await uids(), ['1@x', '2@x', '8@x', '9@x'])
  })

  test('gives an event another UID while the one with its UID is in the trash', async () => {
    await calendar.imports('town.ics', town())
    const { events } = (await calendar.service.get(ALL)).body
    const ball = events.find(({ title }: { title: string }) => title === 'Ball')
    await calendar.service.remove(`/events/${ball.id}`)
    const source = await calendar.file('club.ics', ics(titled('1@x', 'Ball')))
    match((await calendar.kalends('import', source)).out, /1 made/)
    await calendar.service.update(`/events/${ball.id}`, { status: 'publish' })
    const found = await uids()
    equal(found.length, 3)
    equal(new Set(found).size, 3)
    match((await calendar.kalends('import', source)).out, /0 made, 0 changed, 1 unchanged/)
  })

  test('brings in an event of this calendar itself no second time', async () => {
    await calendar.service.event({ title: 'Own', ...onDay('2027-05-01', '20:00', '21:00') })
    const [uid = ''] = await uids()
    const source = await calendar.file('back.ics', ics(titled(uid, 'Own'), titled('new@x', 'New')))
    match((await calendar.kalends('import', source)).out, /is here already: event \d+\n/)
    deepEqual(await titles(), ['New', 'Own'])
  })
})

describe('a name that a source spells in two ways', () => {
  const MANY = 205
  const spelled = (at: number) => (name: string) => (at === MANY ? name.toLowerCase() : name)
  const events = Array.from({ length: MANY }, (_, at) => ({
    at,
    title: `Event ${at + 1}`,
    as: spelled(at + 1),
  }))
  const shown = ({ at, title, as }: (typeof events)[number], id: object) => ({
    ...(Object.keys(id).length > 0 && { id: at + 1 }),
    title,
    ...onDay('2027-07-05', '20:00:00', '21:00:00'),
    timezone: 'UTC',
    venue: { ...id, venue: as('Town Hall'), city: 'Kilvara' },
    organizer: [{ ...id, organizer: as('Anna B') }],
    categories: [{ ...id, name: as('Jazz Night'), slug: 'jazz' }],
    tags: [{ ...id, name: as('Open Air'), slug: 'open' }],
  })
  const sources: Readonly<Record<string, string>> = {
    'a.ics': ics(
      ...events.map(({ title, as }) =>
        titled(
          title,
          title,
          `LOCATION:${as('Town Hall')}\\, Street 1`,
          `ORGANIZER;CN=${as('Anna B')}:mailto:anna@club.example`,
          `CONTACT:${as('Karl C')}`,
          `CATEGORIES:${as('Jazz Night')}`,
        ),
      ),
    ),
    'b.csv': [
      'title,start_date,venue,city,organizer,categories,tags',
      ...events.map(({ title, as }) =>
        [
          title,
          '2027-07-05',
          as('Town Hall'),
          'Kilvara',
          as('Anna B'),
          as('Jazz Night'),
          as('Open Air'),
        ].join(','),
      ),
    ].join('\n'),
    'c.json': JSON.stringify({ events: events.map((event) => shown(event, { id: 7 })) }),
    'd.ndjson': events.map((event) => `${JSON.stringify(shown(event, {}))}\n`).join(''),
  }
  const check = async (calendar: Calendar, source: string) => {
    const first = await calendar.kalends('import', source)
    equal(first.code, 0, first.out)
    const rows = await calendar.rows()
    for (let run = 2; run <= 3; run++) {
      match((await calendar.kalends('import', source)).out, /: 0 made, 0 changed/)
      equal(await calendar.rows(), rows)
    }
    const { venues } = (await calendar.service.get('/venues')).body
    deepEqual(pluck(venues, 'venue'), ['Town Hall'])
  }

  for (const [name, text] of Object.entries(sources))
    test(`keeps its first spelling, and is not written again (${name})`, async () => {
      await using calendar = await startCalendar()
      await check(calendar, await calendar.file(name, text))
    })

  test('keeps its first spelling, and is not written again (a site)', async () => {
    await using calendar = await startCalendar()
    const found = events.map((event) => shown(event, { id: 7 }))
    const site = await serverHere(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://x')
      const page = Number(searchParams.get('page'))
      const isEvents = pathname.endsWith('/events')
      const body = { events: found.slice((page - 1) * 50, page * 50), total: MANY, total_pages: 5 }
      response.writeHead(isEvents ? 200 : 404).end(isEvents ? JSON.stringify(body) : '{}')
    })
    await check(calendar, `${site}/wp-json/tribe/events/v1`)
  })
})

test('two sources first imported at one time leave one event and one series for a UID', async (t) => {
  const scratch = await scratchDatabase()
  const calendar = await startCalendar({ database: patient(scratch.address), timezone: 'UTC' })
  const { database } = calendar.service.app
  t.after(async () => {
    await calendar.close()
    await scratch.remove()
  })
  const fileOf = (name: string) => {
    const shared = [
      titled('1@x', `${name} ball`),
      titled('2@x', `${name} course`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
    ]
    const own = [1, 2, 3].map((at) => titled(`${at}@${name}`, `${name} ${at}`))
    return calendar.file(`${name}.ics`, ics(...shared, ...own))
  }
  const files = await Promise.all(['a', 'b'].map(fileOf))
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
  // On PostgreSQL, a lock lets both imports write their series before either can commit.
  const both = isLocked.then(() => Promise.all(files.map((file) => calendar.kalends('import', file))))
  if (isPostgres(database.read))
    await database.write(async (tx) => {
      await sql`lock table import_items in exclusive mode`.execute(tx)
      locked()
      const waiting = sql<{ count: number }>`select count(*)::integer as count from pg_locks l
        join pg_stat_activity a using (pid) where not granted and a.datname = current_database()`
      await until(async () => (await waiting.execute(database.read)).rows[0]?.count === 2, 'they do not wait')
    })
  locked()
  for (const { out, err, code } of await both) deepEqual([err, code], ['', 0], out)
  for (const table of ['events', 'series'] as const) {
    const rows = await database.read
      .selectFrom(table)
      .select('uid')
      .where('uid', 'in', ['1@x', '2@x'])
      .execute()
    const shared = table === 'events' ? ['1@x'] : ['2@x']
    deepEqual(pluck(rows, 'uid'), shared)
  }
})
