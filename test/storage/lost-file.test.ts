import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { copyFile, mkdtemp, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { openStorage } from '../../src/store/storage/open-database.ts'
import { onSqlite } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { day, startService, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const EXECUTE = `
  const connection = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 60_000 })
  connection.exec(process.argv[2])`

describe('the file of a database', onSqlite, () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kalends-lost-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const [what, lose] of [
    ['is deleted', (file: string) => rename(file, `${file}.away`)],
    [
      'is replaced by another',
      (file: string) => rename(file, `${file}.away`).then(() => copyFile(`${file}.away`, file)),
    ],
    ['is emptied', (file: string) => rename(file, `${file}.away`).then(() => writeFile(file, ''))],
  ] as const)
    test(`that ${what} takes no write and is not ready at once, until it is back`, async () => {
      const service = await startService(
        { database: `sqlite:${join(folder, `${what}.sqlite`)}` },
        { seesRefusals: true },
      )
      const file = join(folder, `${what}.sqlite`)
      const ready = async () => (await fetch(`${service.origin}/readyz`)).status
      await service.event({ title: 'Before', ...day })
      equal(await ready(), 200)
      await lose(file)
      const { status, headers } = await service.post('/events', { title: 'Lost', ...day }, 'admin')
      deepEqual([status, headers.get('retry-after')], [503, '1'])
      equal(await ready(), 503)
      const together = await Promise.all(
        ['A', 'B', 'C'].map((title) => service.post('/events', { title, ...day })),
      )
      deepEqual(new Set(together.map((each) => each.status)), new Set([503]))
      await rename(`${file}.away`, file)
      equal(await ready(), 200)
      await service.event({ title: 'After', ...day })
      const { body } = await service.get('/events?per_page=10&start_date=2020-01-01')
      deepEqual(pluck(body.events, 'title'), ['Before', 'After'])
      await service.close()
    })

  test('that a shorter one is copied over takes no write and readiness away, until it is back', async () => {
    const file = join(folder, 'overwritten.sqlite')
    const service = await startService({ database: `sqlite:${file}` }, { seesRefusals: true })
    const ready = async () => (await fetch(`${service.origin}/readyz`)).status
    const fill = async (title: string) => {
      for (let i = 0; i < 10; i++)
        await service.event({ title: `${title} ${i}`, description: 'x'.repeat(20_000), ...day })
      const connection = new DatabaseSync(file)
      connection.exec('pragma wal_checkpoint(passive)')
      connection.close()
    }
    await fill('Early')
    execFileSync('cp', [file, `${file}.early`])
    await fill('Late')
    execFileSync('cp', [file, `${file}.late`])
    await service.event({ title: 'In the log', ...day })
    equal(await ready(), 200)
    const { ino } = await stat(file)
    execFileSync('cp', [`${file}.early`, file])
    equal((await stat(file)).ino, ino)
    equal((await service.post('/events', { title: 'Lost', ...day })).status, 503)
    equal(await ready(), 503)
    execFileSync('cp', [`${file}.late`, file])
    await service.event({ title: 'After', ...day })
    equal(await ready(), 200)
    equal((await service.get('/events?per_page=1&start_date=2020-01-01')).body.total, 22)
    await service.close()
  })

  test('may be made shorter by SQLite itself, while it is written to', async (t) => {
    const file = join(folder, 'vacuumed.sqlite')
    const service = await startService({ database: `sqlite:${file}` }, { seesRefusals: true })
    t.after(service.close)
    const ready = async () => (await fetch(`${service.origin}/readyz`)).status
    // In another process: here it would wait for a transaction that waits for the event loop.
    const execute = (sql: string) => promisify(execFile)(process.execPath, ['-e', EXECUTE, file, sql])
    await execute(`create table filler (bytes blob); insert into filler values (zeroblob(10000000));
      pragma wal_checkpoint(passive)`)
    await service.event({ title: 'Before', ...day })
    const { size } = await stat(file)
    await execute('drop table filler; vacuum; pragma wal_checkpoint(truncate)')
    for (let i = 0; i < 20; i++)
      await service.event({ title: `After ${i}`, description: 'x'.repeat(20_000), ...day })
    ok((await stat(file)).size < size)
    equal(await ready(), 200)
  })

  test('is missed by the log within seconds, once, and so is its return', async () => {
    const file = join(folder, 'logged.sqlite')
    const service = await startLoggedService({ database: `sqlite:${file}`, data: folder, log_level: 'warn' })
    await rename(file, `${file}.away`)
    const lines = (text: string) => service.printed().split(text).length - 1
    await until(() => lines('logged.sqlite is gone') > 0, 'the log says nothing')
    await rename(`${file}.away`, file)
    await until(() => lines('The database answers again.') > 0, 'the log says nothing of the return')
    equal(lines('The database answers again.'), 1)
    await service.end()
  })

  test('that is empty, or has left its log alone, is not taken for a new calendar', async () => {
    const file = join(folder, 'emptied.sqlite')
    const config = testConfig(folder, { database: `sqlite:${file}` })
    await (await openStorage(config, [])).close()
    await truncate(file)
    await rejects(
      openStorage(config, []),
      /^Error: The database .*emptied\.sqlite is empty: restore a backup/,
    )
    equal((await stat(file)).size, 0)
    await rm(file)
    await writeFile(`${file}-wal`, 'what was written last')
    await rejects(openStorage(config, []), /^Error: There is no database .*, but its log .*-wal is there/)
    await rm(`${file}-wal`)
    await (await openStorage(config, [])).close()
  })
})
