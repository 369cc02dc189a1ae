import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { formatUtc } from '../../src/base/text/moments.ts'
import { readKeptMessage, showMessage } from '../../src/features/imports/import-messages.ts'
import {
  importStarter,
  listSchedules,
  makeRunningImports,
  runDueImports,
  runSoon,
  type ScheduledRun,
} from '../../src/features/imports/import-schedule.ts'
import { onSqlite } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const HOUR = 3_600_000
const unheard = () => undefined

function flagsOf({ service }: Calendar): string[] {
  const { database, data, timezone } = service.config
  return [
    '--database',
    database,
    '--data',
    data,
    '--timezone',
    timezone,
    '--port',
    '0',
    '--log-level',
    'silent',
  ]
}

describe('an import on a schedule', () => {
  test('is done by one process at a time, again after its time, and sooner when it fails', async () => {
    await using calendar = await startCalendar()
    const { database } = calendar.service.app
    const source = await calendar.file('town.ndjson', '')
    const { out } = await calendar.kalends('import', '--every', '6h', '--name', 'town', '--mirror', source)
    match(out, /The import town runs every 6h from now on/)
    const begun: (readonly string[])[] = []
    const reported: string[] = []
    let [now, end]: [number, ScheduledRun] = [Date.now() + 1000, { code: 0, said: 'Run 1' }]
    const look = () =>
      runDueImports(
        database,
        async (words) => {
          begun.push(words)
          return end
        },
        () => now,
        ({ message }) => reported.push(message),
      )
    await Promise.all([look(), look(), look()])
    deepEqual(begun, [[source, '--conflicts', 'keep', '--mirror', '--name', 'town']])
    now += 5 * HOUR
    await look()
    equal(begun.length, 1)
    now += HOUR + 1000
    end = { code: 1, said: 'The site does not answer.' }
    await look()
    deepEqual(reported, ['The import town failed: The site does not answer.'])
    const [failed] = await listSchedules(database.read)
    deepEqual([failed?.failures, failed?.next_utc], [1, formatUtc(now + 300_000)])
    now += 301_000
    await look()
    const [again] = await listSchedules(database.read)
    deepEqual([again?.failures, again?.next_utc], [2, formatUtc(now + 600_000)])
    match((await calendar.kalends('imports', 'schedules')).out, /town +6h .* 2 +The site does not answer/)
    await calendar.kalends('imports', 'pause', 'town')
    now += 24 * HOUR
    await look()
    equal(begun.length, 3)
    await calendar.kalends('imports', 'resume', 'town')
    end = { code: 2, said: 'Some records are missing or incomplete.' }
    await look()
    equal(begun.length, 4)
    equal((await listSchedules(database.read))[0]?.failures, 0)
    await calendar.kalends('imports', 'remove', 'town')
    match((await calendar.kalends('imports', 'schedules')).out, /No import is on a schedule/)
    match((await calendar.kalends('imports', 'pause', 'town')).err, /There is no import town on a schedule/)
  })

  test('goes to another process when the one that had it in hand is gone', async () => {
    await using calendar = await startCalendar()
    const { database } = calendar.service.app
    await calendar.kalends('import', '--every', '1d', '--name', 'town', 'https://town.example')
    let now = Date.now() + 1000
    // This run never ends.
    const clock = () => now
    void runDueImports(database, () => new Promise(() => undefined), clock, unheard)
    await until(
      async () => (await listSchedules(database.read))[0]?.leased_utc !== '',
      'nobody has it in hand',
    )
    let count = 0
    const look = () =>
      runDueImports(database, async () => ({ code: 0, said: String(++count) }), clock, unheard)
    await look()
    equal(count, 0)
    now += 301_000
    await look()
    equal(count, 1)
  })

  test('that is asked for while it runs runs again afterwards', async () => {
    await using calendar = await startCalendar()
    const { database } = calendar.service.app
    await calendar.kalends('import', '--every', '1d', '--name', 'town', 'https://town.example')
    const now = Date.now() + 5000
    let count = 0
    const run = async () => {
      if (++count === 1) await runSoon(database, 'town', now)
      return { code: 0, said: '' }
    }
    for (let look = 0; look < 3; look++) await runDueImports(database, run, () => now, unheard)
    equal(count, 2)
  })

  test('is done by the running service, in a process of its own', async (t) => {
    await using calendar = await startCalendar()
    const event = { id: 1, title: 'Ball', ...onDay('2027-05-01', '20:00:00', '22:00:00'), timezone: 'UTC' }
    const source = await calendar.file('town.ndjson', JSON.stringify(event))
    await calendar.kalends('import', '--every', '6h', '--name', 'town', '--user', 'admin', source)
    const { child, ended } = startProcess(MAIN, [...flagsOf(calendar), 'serve'])
    t.after(async () => {
      child.kill()
      await ended
    })
    const schedules = () => listSchedules(calendar.service.app.database.read)
    await until(async () => (await schedules())[0]?.outcome !== '', 'nothing was imported', 100)
    const said = readKeptMessage((await schedules())[0]?.outcome ?? '')
    match(showMessage({ language: 'en' }, said), /^Run 1: 1 made/)
    match(showMessage({ language: 'fr' }, said), /^Exécution 1\u00a0: 1 créés/)
    equal((await calendar.service.get('/events?start_date=2027-01-01')).body.total, 1)
  })

  test('holds up no other, be its source dead or slow', async () => {
    await using calendar = await startCalendar()
    const { database } = calendar.service.app
    const name = (at: number) => `town ${at}`
    for (let at = 1; at <= 5; at++)
      await calendar.kalends('import', '--every', '1d', '--name', name(at), `https://${at}.example`)
    let now = Date.now() + 1000
    const begun: string[] = []
    const running = makeRunningImports()
    const { promise: never, reject: end } = Promise.withResolvers<ScheduledRun>()
    const start = async ([source = '']: readonly string[]) => {
      begun.push(source)
      return begun.length <= 4 ? never : { code: 0, said: 'Run 1' }
    }
    const clock = () => now
    const looks = () => runDueImports(database, start, clock, unheard, running)
    const first = looks()
    await until(() => begun.length === 3, 'three are not begun together')
    now += 61_000
    const second = looks()
    await until(
      async () => (await listSchedules(database.read)).some(({ outcome }) => outcome === 'Run 1'),
      'all wait',
    )
    deepEqual(
      begun.toSorted(),
      [1, 2, 3, 4, 5].map((at) => `https://${at}.example`),
    )
    end(new Error('gone'))
    await Promise.all([first, second])
    equal(running.begun.size, 0)
  })

  test('is one of twelve at most, however slow the others are', async () => {
    await using calendar = await startCalendar()
    const { database } = calendar.service.app
    for (let at = 1; at <= 14; at++)
      await calendar.kalends('import', '--every', '1d', '--name', `town ${at}`, `https://${at}.example`)
    let now = Date.now() + 1000
    const clock = () => now
    let begun = 0
    const running = makeRunningImports()
    const { promise: never, reject: end } = Promise.withResolvers<ScheduledRun>()
    const looks: Promise<void>[] = []
    const look = () => {
      const start = () => {
        begun += 1
        return never
      }
      looks.push(runDueImports(database, start, clock, unheard, running))
    }
    for (const most of [3, 6, 9, 12]) {
      look()
      await until(() => begun === most, `${begun} run in place of ${most}`)
      now += 61_000
    }
    look()
    // The answer to this later statement shows that the last look has leased nothing.
    const leased = async () =>
      (await listSchedules(database.read)).filter(({ leased_utc }) => leased_utc !== '').length
    deepEqual([await leased(), begun, running.begun.size], [12, 12, 12])
    end(new Error('gone'))
    await Promise.all(looks)
    equal(running.begun.size, 0)
  })

  test('is ended when it takes too long, and says so', onSqlite, async (t) => {
    await using calendar = await startCalendar()
    const silent = await serverHere(() => undefined)
    const [, program = ''] = process.argv
    process.argv[1] = MAIN
    t.after(() => {
      process.argv[1] = program
    })
    const words = ['--user', 'admin', `${silent}/town.ics`]
    const { signal } = new AbortController()
    const { code, said } = await importStarter(flagsOf(calendar), 3000)(words, signal)
    equal(code, null)
    match(showMessage({ language: 'en' }, said), /^It was ended \(SIGTERM\)\./)
  })

  for (const [signal, isLeft] of [
    ['SIGKILL', 'is left to its lease'],
    ['SIGTERM', 'is due again at once'],
  ] as const)
    test(`ends with the service that does it, at ${signal}, and ${isLeft}`, onSqlite, async (t) => {
      await using calendar = await startCalendar()
      let asked = 0
      const silent = createServer(() => {
        asked += 1
      }).listen(0, '127.0.0.1')
      t.after(() => silent.close())
      await once(silent, 'listening')
      const source = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/town.ics`
      await calendar.kalends('import', '--every', '6h', '--name', 'town', '--user', 'admin', source)
      const { end } = startProcess(MAIN, [...flagsOf(calendar), 'serve'])
      const connections = () =>
        new Promise<number>((go) => silent.getConnections((_error, count) => go(count)))
      await until(() => asked > 0, 'the source is not asked', 50)
      await end(signal)
      await until(async () => (await connections()) === 0, 'the import goes on', 50)
      const [{ leased_utc, failures } = { leased_utc: '', failures: 0 }] = await listSchedules(
        calendar.service.app.database.read,
      )
      deepEqual([leased_utc === '', failures], [signal === 'SIGTERM', 0])
    })

  test('does not begin when the service is gone before it is up', onSqlite, async () => {
    await using calendar = await startCalendar()
    const source = await calendar.file('town.csv', 'Title,Start\nBall,2027-05-01 20:00\n')
    const words = [MAIN, ...flagsOf(calendar), 'import', '--for-service', '--user', 'admin', source]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    child.disconnect()
    deepEqual(await once(child, 'exit'), [1, null])
    equal((await calendar.service.get('/events?start_date=2027-01-01')).body.total, 0)
  })

  test('says what it cannot be done with', async () => {
    await using calendar = await startCalendar()
    const source = await calendar.file('town.ndjson', '')
    const secret = await calendar.file('secret', 'abcd')
    await chmod(secret, 0o644)
    const said = async (...words: string[]) => (await calendar.kalends('import', ...words)).err
    const town = ['--name', 'town', 'https://town.example']
    match(await said('--every', '6h', source), /needs a name: give it with --name/)
    match(await said('--every', '1m', ...town), /a time of 5m and more/)
    match(await said('--every', '6h', '--dry-run', ...town), /neither with --dry-run/)
    match(await said('--every', '6h', '--login', 'anna', ...town), /name that file with --password-file/)
    match(await said('--every', '6h', '--password-file', secret, ...town), /Other users can see/)
    match(await said('--every', '6h', '--name', 'x', 'nowhere.ics'), /There is no file nowhere.ics/)
    await chmod(secret, 0o600)
    match(
      (
        await calendar.kalends(
          'import',
          '--every',
          '6h',
          '--login',
          'anna',
          '--password-file',
          secret,
          ...town,
        )
      ).out,
      /town runs every/,
    )
    const [kept] = await listSchedules(calendar.service.app.database.read)
    ok(kept && !kept.words.includes('abcd') && kept.words.includes(secret))
  })
})
