import { doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MAIN } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'
const WAITS = /^Another import of this source is running; this one begins when it has ended\.$/m

const event = (id: number) => ({
  id,
  title: `Evening ${id}`,
  slug: `evening-${id}`,
  ...onDay('2027-05-01', '20:00:00', '22:00:00'),
  timezone: 'UTC',
})

async function gated(t: TestContext) {
  const calendar = await startCalendar()
  t.after(calendar.close)
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  let asked = 0
  const site = await serverHere(async (request, response) => {
    const isEvents = request.url?.includes('/v1/events') === true
    if (isEvents) {
      asked += 1
      await opened
    }
    const page = { events: [event(1), event(2)], total: 2, total_pages: 1 }
    response.writeHead(isEvents ? 200 : 404).end(isEvents ? JSON.stringify(page) : '{}')
  })
  t.after(() => open())
  const source = `${site}/wp-json/tribe/events/v1`
  return { calendar, source, open, isAsked: () => until(async () => asked > 0, 'nobody has asked') }
}

/** Time in ms after which a run would have begun. */
const BEGUN_MS = 1500

async function refuseSecond(calendar: Calendar): Promise<void> {
  await pause(BEGUN_MS)
  equal((await calendar.service.app.database.read.selectFrom('imports').select('id').execute()).length, 1)
}

const totalOf = async ({ service }: Calendar) => (await service.get(ALL)).body.total

describe('two imports of one source at the same time', () => {
  test('are done one after the other, and the second one says that it waits', async (t) => {
    const { calendar, source, open, isAsked } = await gated(t)
    const first = calendar.kalends('import', source)
    await isAsked()
    const second = calendar.kalends('import', source)
    const dry = calendar.kalends('import', '--dry-run', source)
    await refuseSecond(calendar)
    open()
    match((await first).out, /Run 1: 2 made/)
    const { out, code } = await second
    match(out, WAITS)
    match(out, /Run 2: 0 made, 0 changed, 2 unchanged/)
    equal(code, 0)
    doesNotMatch((await dry).out, WAITS)
    equal(await totalOf(calendar), 2)
  })

  test('begin anew at once when the first one is killed', async (t) => {
    const { calendar, source, open, isAsked } = await gated(t)
    const { config } = calendar.service
    const flags = ['--database', config.database, '--data', config.data, '--timezone', config.timezone]
    const { child, ended } = startProcess(MAIN, [...flags, 'import', '--user', 'admin', source])
    await isAsked()
    const second = calendar.kalends('import', source)
    await refuseSecond(calendar)
    child.kill('SIGKILL')
    await ended
    open()
    const { out, code } = await second
    equal(code, 0, out)
    match(out, /Run 2: 2 made/)
    equal(await totalOf(calendar), 2)
  })

  test('never write both: one that is taken for gone is refused as it writes', async (t) => {
    const { calendar, source, open, isAsked } = await gated(t)
    const first = calendar.kalends('import', source)
    await isAsked()
    // Another machine has taken over, as it does after this one was silent for too long.
    const { database } = calendar.service.app
    await database.write((tx) => tx.updateTable('import_sources').set({ holder: 'other 1 x' }).execute())
    open()
    const { err, code } = await first
    equal(code, 1)
    match(err, /Another import of this source has taken over/)
    equal(await totalOf(calendar), 0)
  })

  test('do not hold up those of other sources, and an undo waits for them', async (t) => {
    const { calendar, source, open, isAsked } = await gated(t)
    const first = calendar.kalends('import', source)
    await isAsked()
    const lines = `${JSON.stringify({ ...event(7), slug: 'other' })}\n`
    match((await calendar.imports('other.ndjson', lines)).out, /1 made/)
    const undo = calendar.kalends('imports', 'undo', '1')
    await pause(BEGUN_MS)
    open()
    match((await first).out, /2 made/)
    const { out } = await undo
    match(out, /the undo begins when it has ended/)
    match(out, /Run 1 is undone: 0 put back, 2 removed/)
    equal(await totalOf(calendar), 1)
  })
})
