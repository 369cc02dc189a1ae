import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { countLive } from '../../src/features/imports/import-store.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ALL = '/events?start_date=1990-01-01&end_date=2100-01-01&per_page=50'

const at = (day: number) => onDay(`2027-05-${String(day).padStart(2, '0')}`, '20:00:00', '22:00:00')

async function pair(t: TestContext) {
  const [other, calendar] = [await startCalendar(), await startCalendar()]
  t.after(calendar.close)
  t.after(other.close)
  const asked: string[] = []
  const front = await serverHere(async (request, response) => {
    asked.push(request.url ?? '')
    const answer = await fetch(`${other.service.origin}${request.url}`, {
      headers: { accept: request.headers.accept ?? '' },
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  const source = front + new URL(other.service.base).pathname
  const lists = () => asked.filter((url) => /\/events\/v1\/(events|venues)/.test(url)).length
  return { other: other.service, calendar, source, asked, lists }
}

const titles = async ({ service }: Calendar) =>
  (await service.get(ALL)).body.events?.map(({ title }: { title: string }) => title) ?? []

describe('an import of another calendar of this kind', () => {
  test('asks for what has changed since the last run alone', async (t) => {
    const { other, calendar, source, asked, lists } = await pair(t)
    for (let i = 1; i <= 5; i++)
      await other.event({ title: `Evening ${i}`, ...at(i), venue: { venue: 'Hall' } })
    await calendar.run(0, 'import', source)
    equal((await titles(calendar)).length, 5)
    equal(lists(), 0)
    asked.length = 0
    const before = await calendar.rows()
    match((await calendar.kalends('import', source)).out, /0 made, 0 changed, 0 unchanged/)
    equal(await calendar.rows(), before)
    equal(asked.length, 1)
    const [first, second] = (await other.get(ALL)).body.events
    await other.update(`/events/${first.id}`, { title: 'Changed' })
    await other.remove(`/events/${second.id}`, 'admin')
    await other.event({ title: 'New', ...at(20) })
    const { out } = await calendar.kalends('import', source)
    match(out, /event \d+ \(Evening 2\) is gone from the source\./)
    match(out, /1 made, 1 changed, 1 unchanged/)
    deepEqual(await titles(calendar), ['Changed', 'Evening 2', 'Evening 3', 'Evening 4', 'Evening 5', 'New'])
    // With other options, the report names every record again.
    match(
      (await calendar.kalends('import', '--mirror', source)).out,
      /Evening 2\) is gone from the source; it goes to the trash/,
    )
    await other.remove(`/events/${first.id}`, 'admin')
    await calendar.kalends('import', '--mirror', source)
    deepEqual(await titles(calendar), ['Evening 3', 'Evening 4', 'Evening 5', 'New'])
  })

  test('makes an event whose venue is in the trash here, without the venue', async (t) => {
    const { other, calendar, source } = await pair(t)
    const { venue } = await other.event({ title: 'First', ...at(1), venue: { venue: 'Hall' } })
    await calendar.run(0, 'import', source)
    const [hall] = (await calendar.service.get('/venues')).body.venues
    await calendar.service.remove(`/venues/${hall.id}`, 'admin')
    await other.event({ title: 'Second', ...at(2), venue: venue.id })
    await calendar.run(0, 'import', source)
    const { events } = (await calendar.service.get(ALL)).body
    deepEqual(
      events.map(({ title, venue }: { title: string; venue: unknown }) => [title, venue]),
      [
        ['First', []],
        ['Second', []],
      ],
    )
  })

  test('brings what has changed since a time alone with --since, and takes nothing for gone', async (t) => {
    const { other, calendar, source } = await pair(t)
    for (let i = 1; i <= 2; i++) await other.event({ title: `Evening ${i}`, ...at(i) })
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    match((await calendar.kalends('import', '--mirror', '--since', `${day(1)} 12:30`, source)).out, /0 made/)
    await calendar.run(0, 'import', '--since', day(-1), source)
    deepEqual(await titles(calendar), ['Evening 1', 'Evening 2'])
    match(
      (await calendar.kalends('import', '--mirror', '--since', day(1), source)).out,
      /0 moved to the trash/,
    )
    equal((await titles(calendar)).length, 2)
    for (const wrong of ['yesterday', '2026-13-01', '2026-11-20 9', '2026-11-20 25:00', '12h']) {
      const { err, code } = await calendar.kalends('import', '--since', wrong, source)
      equal(code, 1)
      match(err, /^--since takes a time in UTC such as/)
    }
  })

  test('reads everything again after an undo, a refused token, and when something was missing', async (t) => {
    const { other, calendar, source, asked } = await pair(t)
    await other.event({ title: 'Evening', ...at(1) })
    await calendar.kalends('import', source)
    await calendar.kalends('imports', 'undo', '1')
    deepEqual(await titles(calendar), [])
    match((await calendar.kalends('import', source)).out, /1 made/)
    await calendar.service.app.database.write((tx) =>
      tx.updateTable('import_sources').set({ token: 'WyJ6bm8iXQ' }).execute(),
    )
    asked.length = 0
    match((await calendar.kalends('import', source)).out, /1 unchanged/)
    equal(asked.length, 2)
    await other.event({ title: 'Pictured', ...at(2), image: undefined })
    match((await calendar.kalends('import', source)).out, /1 made/)
  })

  test('follows occurrences and whole series that are removed there', async (t) => {
    const { other, calendar, source } = await pair(t)
    const made = await other.event({ title: 'Weekly', ...at(4), recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
    await other.event({ title: 'Once', ...at(5) })
    await calendar.kalends('import', '--mirror', source)
    deepEqual(await titles(calendar), ['Weekly', 'Once', 'Weekly', 'Weekly'])
    const { events } = (await other.get(`/events?post_parent=${made.post_parent}&start_date=2027-01-01`)).body
    await other.remove(`/events/${events[1].id}`, 'admin')
    await calendar.kalends('import', '--mirror', source)
    deepEqual(await titles(calendar), ['Weekly', 'Once', 'Weekly'])
    await other.remove(`/events/${events[0].id}?recurrence_scope=all`, 'admin')
    await calendar.kalends('import', '--mirror', source)
    deepEqual(await titles(calendar), ['Once'])
  })

  test('counts and tells each event once, where a lost occurrence has all read again', async (t) => {
    const { other, calendar, source } = await pair(t)
    const made = await other.event({ title: 'Weekly', ...at(4), recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
    const [once, both] = [
      await other.event({ title: 'Once', ...at(5) }),
      await other.event({ title: 'Both', ...at(6) }),
    ]
    await other.event({ title: 'Still', ...at(7) })
    await calendar.kalends('import', source)
    const here = (await calendar.service.get(`${ALL}&search=Both`)).body.events[0]
    await calendar.service.update(`/events/${here.id}`, { title: 'Both here' })
    const { events } = (await other.get(`/events?post_parent=${made.post_parent}&start_date=2027-01-01`)).body
    await other.remove(`/events/${events[1].id}`, 'admin')
    await other.update(`/events/${once.id}`, { title: 'Once there' })
    await other.update(`/events/${both.id}`, { title: 'Both there' })
    const foreseen = (await calendar.kalends('import', '--dry-run', source)).out
    match(foreseen, /A run would have: 0 made, 2 changed, 1 unchanged/)
    equal(foreseen.match(/^ {2}Once there · /gm)?.length, 1, foreseen)
    const { out } = await calendar.kalends('import', source)
    match(out, /0 made, 2 changed, 1 unchanged, 1 left as they are here/)
    equal(out.match(/changed here as well/g)?.length, 1, out)
  })

  test('is read from its beginning under another address, also where the last run was cut off', async (t) => {
    const { other, calendar, source } = await pair(t)
    await other.event({ title: 'First', ...at(1) })
    await calendar.kalends('import', '--name', 'town', source)
    const cutOff = { state: 'failed', position: '[4,2,50]' } as const
    await calendar.service.app.database.write((tx) => tx.updateTable('imports').set(cutOff).execute())
    await other.event({ title: 'Second', ...at(2) })
    match(
      (await calendar.kalends('import', '--same-as', 'town', source)).out,
      /1 made, 0 changed, 1 unchanged/,
    )
  })

  test('counts the events of a source that are still here, however many it has lost at once', async (t) => {
    const { other, calendar, source } = await pair(t)
    await other.event({ title: 'Evening', ...at(1) })
    await calendar.kalends('import', source)
    const records = Array.from({ length: 70_000 }, (_, id) => id)
    equal(await countLive(calendar.service.app.database.read, 1, 'event', records), 1)
  })
})
