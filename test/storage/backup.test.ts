import { deepEqual, doesNotMatch, equal, fail, match, notEqual, ok, rejects } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chown,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type App, startApp } from '../../src/app.ts'
import { formatUtc } from '../../src/base/text/zones.ts'
import type { ServiceStart } from '../../src/feature.ts'
import { runDueImports, saveSchedule } from '../../src/features/imports/import-schedule.ts'
import { imports as scheduled } from '../../src/features/imports/imports-feature.ts'
import { serveImports } from '../../src/features/imports/serve-imports.ts'
import { registerBackupCommand } from '../../src/features/transfer/backup.ts'
import { type Manifest, writeBackupTables } from '../../src/features/transfer/backup-file.ts'
import { noteMove } from '../../src/features/transfer/database-moves.ts'
import { registerRestoreCommand } from '../../src/features/transfer/restore.ts'
import { sealFile } from '../../src/features/transfer/seal.ts'
import { listTables, secretTables } from '../../src/features/transfer/tables.ts'
import { addWebhook, findDue } from '../../src/features/webhooks/webhook-store.ts'
import { features } from '../../src/features.ts'
import { localMediaStore } from '../../src/store/media/media-store.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'
import type { Db } from '../../src/store/storage/database.ts'
import { findMove } from '../../src/store/storage/database-address.ts'
import { readEdition } from '../../src/store/storage/edition.ts'
import { migrate, stepNames } from '../../src/store/storage/migrate.ts'
import { LAST_CARRIED } from '../../src/store/storage/migrations/carry-over.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { smallDisk } from '../campaigns/failing-disks.ts'
import { type CommandResult, kalends, runCommand } from '../support/commands.ts'
import { databaseName, onSqlite, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { readEveryAnswer, withoutBlanks } from '../support/every-answer.ts'
import { featureTables } from '../support/feature-tables.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertNone } from '../support/lists.ts'
import { startProcess } from '../support/processes.ts'
import { startS3 } from '../support/s3.ts'
import { countEvents, fillCalendar } from '../support/sample-calendar.ts'
import { credentialsOf, onDay, type Reader, startService, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { makeFormer } from './open.ts'

const kernelSteps = stepNames([])

const folder = temporaryFolder()

const SITE = 'http://calendar.example'
const path = (name: string) => join(folder, name)

interface Places {
  database: string
  media: string
}

const flags = ({ database, media }: Places) => ['--database', database, '--media', media]

function command(words: readonly string[], { database, media }: Places): Promise<CommandResult> {
  return runCommand((program) => {
    const open = async () => {
      let last: Error | undefined
      const store = await openMediaStore(media, (error) => {
        last = error
      })
      return {
        database,
        tables: await featureTables(),
        media: store,
        mediaPlace: media,
        failure: () => last,
        assumed: undefined,
      }
    }
    registerBackupCommand(program, open)
    registerRestoreCommand(program, open)
  }, words)
}

async function succeed(words: readonly string[], places: Places): Promise<string> {
  const { out, err, code } = await command(words, places)
  equal(code, 0, err)
  return out
}

async function printedBy(words: readonly string[], at: Places): Promise<string> {
  const { lines, ended } = startProcess(MAIN, [...flags(at), ...words])
  let printed = ''
  for await (const line of lines) printed += `${line}\n`
  equal(await ended, 0, printed)
  return printed
}

async function printed(words: readonly string[], at: Places): Promise<string> {
  const { out, err, code } = await kalends([...flags(at), ...words])
  equal(code, 0, err)
  return out
}

function serve({ database, media }: Places): Promise<App> {
  return startApp(testConfig(folder, { database, media, site_url: SITE }))
}

async function ask(
  { port }: Pick<App, 'port'>,
  as: Reader,
  address: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/wp-json${address}`, { headers: credentialsOf(as) })
  return { status: response.status, text: await response.text() }
}

async function titlesOf(places: Places): Promise<string[]> {
  const app = await serve(places)
  const { text } = await ask(app, 'admin', '/tribe/events/v1/events?start_date=2020-01-01&per_page=50')
  await app.stop()
  return (JSON.parse(text).events as { title: string }[]).map(({ title }) => title)
}

interface Made {
  id: number
  categories: { id: number }[]
}

async function addEvent({ port }: Pick<App, 'port'>, title: string, more = {}): Promise<Made> {
  const response = await fetch(`http://127.0.0.1:${port}/wp-json/tribe/events/v1/events`, {
    method: 'POST',
    headers: { ...credentialsOf('admin'), 'content-type': 'application/json' },
    body: JSON.stringify({
      title,
      start_date: '2026-12-01',
      end_date: '2026-12-01',
      status: 'publish',
      ...more,
    }),
  })
  equal(response.status, 201)
  return (await response.json()) as Made
}

async function readAt<T>(address: string, work: (read: Db) => Promise<T>): Promise<T> {
  const database = await openDatabase(address)
  await migrate(database)
  try {
    return await work(database.read)
  } finally {
    await database.close()
  }
}

const editionOf = (address: string) => readAt(address, readEdition)
const eventsOf = (address: string) => readAt(address, countEvents)

type Change = (manifest: Manifest, connection: DatabaseSync) => void

async function changedBackup(of: string, change: Change): Promise<string> {
  const file = path('changed.backup')
  await copyFile(of, file)
  await truncate(file, (await stat(file)).size - 88)
  const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const manifest: Manifest = JSON.parse(
    String(connection.prepare('select manifest from backup').get()?.manifest),
  )
  change(manifest, connection)
  connection.prepare('update backup set manifest = ?').run(JSON.stringify(manifest))
  connection.close()
  await sealFile(file)
  return file
}

describe('a backup of a whole calendar', () => {
  let scratch: ScratchDatabase
  let source: Places
  let expected: Map<string, string>
  let edition: string
  let events: Awaited<ReturnType<typeof countEvents>>
  const backup = () => path('whole.backup')

  before(async () => {
    scratch = await scratchDatabase()
    source = { database: scratch.address, media: `file:${path('media')}` }
    const service = await startService(source)
    await fillCalendar(service)
    await service.close()
    const app = await serve(source)
    expected = await readEveryAnswer(app.port)
    // The service is still running.
    await printedBy(['backup', backup()], source)
    await app.stop()
    edition = await editionOf(source.database)
    events = await eventsOf(source.database)
  })
  after(() => scratch.remove())

  async function otherCalendar(name: string): Promise<Places & { remove: () => Promise<void> }> {
    const other = await scratchDatabase()
    const places = { database: other.address, media: `file:${path(name)}` }
    const service = await startService(places)
    await service.event({ title: 'Former', start_date: '2026-12-01', end_date: '2026-12-01' })
    await service.close()
    return { ...places, remove: other.remove }
  }

  test('belongs to its user alone, and nothing lies beside it', async () => {
    equal((await stat(backup())).mode & 0o777, 0o600)
    const names = await readdir(folder)
    assertNone(names, (name) => name.includes('.part'))
  })

  test('gives the same answers on a new file', async () => {
    const target = { database: `sqlite:${path('new/kalends.sqlite')}`, media: `file:${path('new/media')}` }
    await printed(['restore', backup()], target)
    const app = await serve(target)
    deepEqual(await readEveryAnswer(app.port), expected)
    await app.stop()
    const files = async (name: string) =>
      (await readdir(path(name), { recursive: true })).filter((at) => at.includes('.'))
    const kept = (await files('media')).filter((at) => !at.includes('gone'))
    deepEqual((await files('new/media')).sort(), kept.sort())
    for (const at of kept)
      deepEqual(await readFile(path(`new/media/${at}`)), await readFile(path(`media/${at}`)))
    notEqual(await editionOf(target.database), edition)
  })

  test('without secrets has everything but what opens the calendar, and says so', async (t) => {
    const file = path('handed-on.backup')
    match(await succeed(['backup', '--without-secrets', file], source), /but no hashes of passwords/)
    const bytes = await readFile(file, 'latin1')
    equal(bytes.includes('$scrypt$') || bytes.includes('$argon2'), false)
    const target = {
      database: `sqlite:${path('handed-on.sqlite')}`,
      media: `file:${path('handed-on-media')}`,
    }
    match(await succeed(['restore', file], target), /nobody can sign in before kalends password add/)
    const app = await serve(target)
    t.after(() => app.stop())
    for (const [name, text] of expected)
      if (name.startsWith('anonymous'))
        ok(withoutBlanks((await ask(app, 'anonymous', name.slice(10))).text) === text, name)
    equal((await ask(app, 'admin', '/wp/v2/users/me')).status, 401)
    const { count } = await app.database.read
      .selectFrom('credentials')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    equal(Number(count), 0)
  })

  test('takes the place of another calendar of the same kind, which is kept', async () => {
    const target = await otherCalendar('other-media')
    const former = await editionOf(target.database)
    const printed = await succeed(['restore', backup()], target)
    match(printed, new RegExp(`^Restored ${events.all} events and 6 files of images, as of `, 'm'))
    match(printed, /^What was there before is kept as .*before.restore/m)
    const app = await serve(target)
    deepEqual(await readEveryAnswer(app.port), expected)
    await app.stop()
    ok(![former, edition].includes(await editionOf(target.database)))
    // Once more, replacing itself.
    await succeed(['restore', backup()], target)
    equal((await titlesOf(target)).length, events.kept)
    await target.remove()
  })

  test('of a calendar that went through each former step by itself is restored', async () => {
    const target = { database: `sqlite:${path('stepwise.sqlite')}`, media: `file:${path('stepwise-media')}` }
    const stepwise = await withManifest((manifest) => {
      manifest.migrations = ['0001-first', '0033-sequences', ...kernelSteps]
    })
    match(await succeed(['restore', stepwise], target), new RegExp(`Restored ${events.all} events`))
  })

  test('of commit 34ed6c85 is restored, and carried over', async () => {
    const target = { database: `sqlite:${path('former.sqlite')}`, media: `file:${path('former-restored')}` }
    const later = stepNames(await featureTables()).slice(1)
    const former = await withManifest((manifest) => {
      manifest.migrations = ['0034-messages-as-of-now', LAST_CARRIED, ...later]
    })
    match(await succeed(['restore', former], target), new RegExp(`Restored ${events.all} events`))
    const app = await serve(target)
    equal((await titlesOf(target)).length, events.kept)
    await app.stop()
  })

  test('goes on with ids that were never given', async () => {
    const target = { database: `sqlite:${path('ids.sqlite')}`, media: `file:${path('ids-media')}` }
    await succeed(['restore', backup()], target)
    const ids: number[] = []
    for (const places of [source, target]) {
      const app = await serve(places)
      const { id, categories } = await addEvent(app, 'Next', { categories: ['Next'] })
      ids.push(id, categories[0]?.id ?? 0)
      await app.stop()
    }
    deepEqual(ids.slice(0, 2), ids.slice(2))
  })

  test('is refused when it was cut off or altered anywhere, before anything is touched', async () => {
    const target = await otherCalendar('untouched-media')
    const { size } = await stat(backup())
    const broken = path('broken.backup')
    for (const at of [0, 20, Math.floor(size / 3), Math.floor(size / 2), size - 100, size - 40]) {
      const bytes = await readFile(backup())
      bytes[at] = (bytes[at] ?? 0) ^ 1
      await writeFile(broken, bytes)
      const { err, code } = await command(['restore', broken], target)
      match(err, /altered or damaged|no backup of Kalends/)
      equal(code, 1)
    }
    for (const bytes of [0, 10, 4096, Math.floor(size / 2), size - 1]) {
      await copyFile(backup(), broken)
      await truncate(broken, bytes)
      const { err, code } = await command(['restore', broken], target)
      match(err, /no backup of Kalends, or its end was cut off/)
      equal(code, 1)
    }
    deepEqual(await titlesOf(target), ['Former'])
    deepEqual(await readdir(path('untouched-media')).catch(() => []), [])
    await target.remove()
  })

  const withManifest = (change: Change) => changedBackup(backup(), change)

  test('of a newer version is refused, and so is one that lacks rows', async () => {
    const target = await otherCalendar('newer-media')
    const newer = await withManifest((manifest) => {
      manifest.migrations = [...kernelSteps, '9999-of-tomorrow']
    })
    match((await command(['restore', newer], target)).err, /newer version of Kalends .*9999-of-tomorrow/)
    const between = await withManifest((manifest) => {
      manifest.migrations = ['0001-first', '0019-fewer-pages']
    })
    match((await command(['restore', between], target)).err, /taken by a version of development/)
    const other = await withManifest((manifest) => {
      manifest.format = 2
    })
    match((await command(['restore', other], target)).err, /newer than this one/)
    const fewer = await withManifest((_manifest, connection) => connection.exec('delete from event_terms'))
    match((await command(['restore', fewer], target)).err, /its table event_terms does not have the \d+ rows/)
    deepEqual(await titlesOf(target), ['Former'])
    await target.remove()
  })

  test('is not restored under a running service', async () => {
    const target = await otherCalendar('running-media')
    const app = await serve(target)
    const { err, code } = await command(['restore', backup()], target)
    match(err, /in use.*stop/)
    equal(code, 1)
    equal((await ask(app, 'anonymous', '/tribe/events/v1/events?start_date=2020-01-01')).status, 200)
    await app.stop()
    deepEqual(await titlesOf(target), ['Former'])
    await target.remove()
  })

  test('does not write over another file of images, and touches nothing then', onSqlite, async () => {
    const target = await otherCalendar('conflict-media')
    const key =
      (await readdir(path('media'), { recursive: true })).find((at) => at.endsWith('lantern.png')) ?? ''
    await localMediaStore(path('conflict-media')).put(key, Buffer.from('another'), 'image/png')
    const { err } = await command(['restore', backup()], target)
    match(err, /has another file \d{4}\/\d\d\/lantern\.png, of another calendar/)
    deepEqual(await titlesOf(target), ['Former'])
    await target.remove()
  })

  test(
    'puts its files over others when the calendar is the ' +
      'same, and over those of another where that is asked for',
    onSqlite,
    async () => {
      const target = await otherCalendar('replaced-media')
      const key =
        (await readdir(path('media'), { recursive: true })).find((at) => at.endsWith('lantern.png')) ?? ''
      const bytes = await readFile(path(`media/${key}`))
      const store = localMediaStore(path('replaced-media'))
      await store.restore(key, Buffer.from('another'), 'image/png')
      match((await command(['restore', backup()], target)).err, /--replace-images/)
      await printedBy(['restore', '--replace-images', backup()], target)
      deepEqual(await readFile(path(`replaced-media/${key}`)), bytes)
      await store.restore(key, Buffer.from('another'), 'image/png')
      match(await printedBy(['restore', backup()], target), /1 other files? of the same names? gave way/)
      deepEqual(await readFile(path(`replaced-media/${key}`)), bytes)
      await target.remove()
    },
  )

  test('replaces an older backup, but no other file', async () => {
    const other = path('letter.txt')
    await writeFile(other, 'Dear Ann')
    const { err, code } = await command(['backup', other], source)
    match(err, /is there already and is no backup; it is left as it is/)
    equal(code, 1)
    equal(await readFile(other, 'utf8'), 'Dear Ann')
    await copyFile(backup(), path('older.backup'))
    const { all } = await eventsOf(source.database)
    match(await succeed(['backup', path('older.backup')], source), new RegExp(`is whole: ${all} events`))
  })

  test('that is not there, or has no folder to go to, is said in a sentence', async () => {
    match((await command(['restore', path('no.backup')], source)).err, /^There is no file .*no\.backup\.$/m)
    match(
      (await command(['restore', path('')], source)).err,
      /^\S+ is a folder: name one of the backups in it\.$/m,
    )
    match(
      (await command(['backup', path('no/x.backup')], source)).err,
      /^There is no folder .*no: make it first\.$/m,
    )
  })

  test('is named after its time in a folder, where only the newest are kept', onSqlite, async (t) => {
    const kept = await mkdtemp(path('kept-'))
    await writeFile(join(kept, 'kalends-2020-01-01T000000Z.backup'), 'somebody else')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    for (let round = 0; round < 4; round++) {
      await succeed(['backup', kept, '--keep', '2'], source)
      t.mock.timers.tick(1000)
    }
    const names = (await readdir(kept)).sort()
    equal(names.length, 3, names.join())
    ok(names.slice(1).every((name) => /^kalends-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/.test(name)))
    match((await command(['backup', path('x.backup'), '--keep', '2'], source)).err, /need a folder/)
    match((await command(['backup', kept, '--every', 'day'], source)).err, /30m, 24h or 7d/)
  })

  test('is taken by a command that stays, at once and no more until its time', onSqlite, async () => {
    const kept = await mkdtemp(path('every-'))
    const words = [...flags(source), 'backup', kept, '--every', '24h', '--keep', '7']
    const backUp = async (clock: Record<string, string>) => {
      const { lines, end } = startProcess(MAIN, words, clock)
      for await (const line of lines) if (line.includes('is whole')) break
      await end()
    }
    await backUp({})
    // The other process begins three seconds before the time of the next backup.
    const day = 86_400_000
    await backUp({ TEST_CLOCK_AHEAD: String(Number(process.env.TEST_CLOCK_AHEAD) + day - 3000) })
    const times = (await readdir(kept))
      .sort()
      .map((name) => name.replace(/.*-(\d+-\d+-\d+T\d\d)(\d\d)(\d\d)Z.*/, '$1:$2:$3Z'))
    const [first = 0, second = 0, ...more] = times.map((time) => Date.parse(time))
    ok(second >= first + day && more.length === 0, times.join())
  })

  test('names files that the store lacks', async () => {
    const printed = await succeed(['backup', path('lacking.backup')], {
      ...source,
      media: `file:${path('none')}`,
    })
    match(printed, /^Not in the store, though an image names it: \d{4}\/\d\d\/lantern\.png$/m)
    const { all } = await eventsOf(source.database)
    match(printed, new RegExp(`${all} events, \\d+ rows in all, 0 files of images`))
  })

  test('takes files from a bucket, puts them into one, and names a failure', onSqlite, async () => {
    const s3 = await startS3()
    const bucket = { database: `sqlite:${path('bucket.sqlite')}`, media: s3.place('calendar') }
    await succeed(['restore', backup()], bucket)
    equal((await s3.names()).length, 6)
    match(await succeed(['backup', path('bucket.backup')], bucket), /6 files of images/)
    await s3.halt()
    const { err, code } = await command(['backup', path('failing.backup')], bucket)
    match(err, /media store s3:\/\/images fails/)
    equal(code, 1)
    assertNone(await readdir(folder), (name) => name.startsWith('failing'))
    await s3.close()
  })

  test('leaves out every table with a column that sounds like a secret, when asked', async () => {
    const database = await openDatabase(source.database)
    const tables = await listTables(database.read, await featureTables())
    await database.close()
    // The position in another calendar's feed gives no access, and the hash of a text is only its key.
    const harmless = ['former_texts', 'import_sources']
    const secret = tables.filter(
      ({ name, columns }) =>
        !harmless.includes(name) && columns.some((column) => /hash|secret|password|token/.test(column)),
    )
    const leftOut = secretTables(await featureTables())
    ok(secret.length > 5)
    assertNone(
      secret.map(({ name }) => name),
      (name) => !leftOut.includes(name),
    )
  })

  test('is not begun where the disk surely has too little room', async () => {
    const scarce = { withSecrets: true, free: 10_000 }
    await rejects(
      writeBackupTables(source.database, path('tight.backup'), await featureTables(), scarce),
      /^Error: The disk has 10000 bytes left, and the backup needs \d+ at the least: make room first\.$/,
    )
    equal(existsSync(path('tight.backup')), false)
  })

  test('whose file may not grow leaves nothing behind', onSqlite, async () => {
    const alone = await mkdtemp(path('limited-'))
    const words = [...flags(source), 'backup', join(alone, 'limited.backup')]
    const { child, ended } = startProcess(MAIN, words, {}, 'trap "" XFSZ; ulimit -f 150')
    child.stdout?.resume()
    equal(await ended, 1)
    deepEqual(await readdir(alone), [])
  })

  test('that finds no room leaves nothing behind', onSqlite, async (t) => {
    const disk = smallDisk(1)
    if (typeof disk === 'string') return t.skip(disk)
    const { err, code } = await command(['backup', join(disk.folder, 'full.backup')], {
      ...source,
      media: `file:${await largeMedia()}`,
    })
    equal(code, 1)
    match(err, /full|space/i)
    deepEqual(await readdir(disk.folder), [])
    disk.remove()
  })

  async function largeMedia(): Promise<string> {
    for (const at of await readdir(path('media'), { recursive: true }))
      if (at.endsWith('.png'))
        await localMediaStore(path('large-media')).restore(at, Buffer.alloc(500_000, 'x'), 'image/png')
    return path('large-media')
  }
})

test('a calendar of an earlier commit is not backed up before it was brought up to date', async (t) => {
  const address = await makeFormer(t)
  const { err, code } = await command(['backup', path('of-former.backup')], {
    database: address,
    media: `file:${path('former-media')}`,
  })
  match(err, /The database is of an earlier version; serve it once with this one/)
  equal(code, 1)
})

test('of a calendar that a newer version has had no backup is taken', async () => {
  const newer = await scratchDatabase()
  const database = await openDatabase(newer.address)
  await migrate(database)
  await database.write(async (tx) => {
    await sql`insert into migrations (name) values ('9999-later')`.execute(tx)
  })
  await database.close()
  const words = ['backup', path('of-newer.backup')]
  const { err, code } = await command(words, {
    database: newer.address,
    media: `file:${path('newer-media')}`,
  })
  match(err, /^The database is of a newer version of Kalends, which made the steps 9999-later; start that/)
  equal(code, 1)
  equal(existsSync(path('of-newer.backup')), false)
  await newer.remove()
})

describe('what a restore replaces', () => {
  let scratch: ScratchDatabase
  let places: Places
  const backup = () => path('of-first.backup')

  const titles = async () => (await titlesOf(places)).join()

  async function restoreAndAdd(title: string): Promise<string> {
    const printed = await succeed(['restore', backup()], places)
    const app = await serve(places)
    await addEvent(app, title)
    await app.stop()
    return printed
  }

  before(async () => {
    scratch = await scratchDatabase()
    places = { database: scratch.address, media: `file:${path('kept-media')}` }
    const service = await startService(places)
    await addEvent(service.app, 'First')
    await service.close()
    await succeed(['backup', backup()], places)
  })
  after(() => scratch.remove())

  test('is kept under a name of its own each time, is listed, and comes back', async () => {
    match(await succeed(['restore', '--list'], places), /^No restore has replaced a calendar here/)
    match((await command(['restore', '--undo'], places)).err, /^There is nothing to put back/)
    await restoreAndAdd('Second')
    await restoreAndAdd('Third')
    await succeed(['restore', backup()], places)
    equal(await titles(), 'First')

    const copies = (await succeed(['restore', '--list'], places))
      .split('\n')
      .filter((line) => line.endsWith(' bytes'))
    equal(copies.length, 3, copies.join())
    const [, second = '', third] = copies.map((line) => line.split(' ')[0])
    notEqual(second, third)

    const edition = await editionOf(places.database)
    await succeed(['restore', '--undo'], places)
    equal(await titles(), 'First,Third')
    notEqual(await editionOf(places.database), edition)
    await succeed(['restore', '--undo', second], places)
    equal(await titles(), 'First,Second')
    await succeed(['restore', '--undo'], places)
    equal(await titles(), 'First,Third')
    match((await command(['restore', '--undo', 'nothing'], places)).err, /^No restore has kept nothing;/)
  })

  test('is named, with every place that is written to, before anything is written', async (t) => {
    const printed = await succeed(['restore', backup()], places)
    const [files, database = '', restored] = printed.split('\n')
    match(files ?? '', /^0 files of images go into .*kept-media\.$/)
    match(database, /^The database .* is replaced; what is there now is kept .*before.restore.\d{4}/)
    match(restored ?? '', /^Restored 1 events/)
    doesNotMatch(printed, /kalends resume/)
    const app = await serve(places)
    t.after(() => app.stop())
    doesNotMatch((await command(['restore', backup()], places)).out, /is kept/)
  })

  test('is not put back under a running service', async () => {
    const app = await serve(places)
    match((await command(['restore', '--undo'], places)).err, /in use.*stop/)
    await app.stop()
  })
})

test('a second run after a kill at the last step keeps what the first one has kept', onSqlite, async () => {
  const places = { database: `sqlite:${path('twice.sqlite')}`, media: `file:${path('twice-media')}` }
  const service = await startService(places)
  await service.close()
  await succeed(['backup', path('twice.backup')], places)
  // A restore that is killed before its last step leaves a second name of the calendar.
  await link(path('twice.sqlite'), path('twice.sqlite.before-restore-2026-01-01T000000Z'))
  await writeFile(path('twice.sqlite.before-restore'), 'of an earlier version')
  doesNotMatch(await succeed(['restore', '--list'], places), /2026-01-01/)
  await succeed(['restore', path('twice.backup')], places)
  const kept = (await readdir(folder)).filter((name) => name.startsWith('twice.sqlite.before')).sort()
  equal(kept.length, 2, kept.join())
  equal(await readFile(path(kept[0] ?? ''), 'utf8'), 'of an earlier version')
  match((await command(['restore', '--undo', kept[0] ?? ''], places)).err, /cannot be put back, since/)
})

test('a restore by root leaves folders and files to those who had them', {
  skip: (databaseName() === 'postgres' || process.getuid?.() !== 0) && 'root, on SQLite',
}, async () => {
  const service = await startService({ media: `file:${path('root-media')}` })
  await fillCalendar(service)
  const from = { database: service.config.database, media: `file:${path('root-media')}` }
  await succeed(['backup', path('root.backup')], from)
  await service.close()
  const target = {
    database: `sqlite:${path('owned/deep/kalends.sqlite')}`,
    media: `file:${path('owned/media')}`,
  }
  await mkdir(path('owned'))
  await chown(path('owned'), 4711, 4712)
  for (const _ of ['new', 'in place of another']) {
    await succeed(['restore', path('root.backup')], target)
    const names = await readdir(path('owned'), { recursive: true })
    ok(names.some((name) => name.endsWith('.png')))
    for (const name of names) {
      const { uid, gid } = await stat(path(`owned/${name}`))
      deepEqual([uid, gid], [4711, 4712], name)
    }
  }
})

test('a restore makes no data folder that nobody has named', onSqlite, async () => {
  const elsewhere = await mkdtemp(path('elsewhere-'))
  const program = fileURLToPath(new URL('../../bin/kalends.js', import.meta.url))
  const places = { database: `sqlite:${path('meant.sqlite')}`, media: `file:${path('meant-media')}` }
  const service = await startService(places)
  await service.close()
  await succeed(['backup', path('meant.backup')], places)
  const restoreIn = (...flags: string[]) =>
    spawnSync(process.execPath, [program, ...flags, 'restore', path('meant.backup')], {
      cwd: elsewhere,
      encoding: 'utf8',
      env: programEnvironment(),
    })
  const { stderr, status } = restoreIn()
  equal(status, 1)
  match(stderr, /^There is no \S+elsewhere-\w+\/data\/kalends\.sqlite, and no setting names another place/)
  deepEqual(await readdir(elsewhere), [])
  const named = restoreIn('--data', './data')
  equal(named.status, 0, named.stderr)
  ok(existsSync(join(elsewhere, 'data/kalends.sqlite')))
})

test('a backup with a file that is no image of its calendar is refused untouched', onSqlite, async () => {
  const places = { database: `sqlite:${path('hostile.sqlite')}`, media: `file:${path('hostile-media')}` }
  const service = await startService(places)
  await service.close()
  await succeed(['backup', path('hostile.backup')], places)
  for (const [key, isNamed] of [
    ['2026/11/page.html', true],
    ['kalends.sqlite', true],
    ['../../kalends.sqlite', true],
    ['2026/11/unnamed.png', false],
  ] as const) {
    const file = await changedBackup(path('hostile.backup'), (manifest, connection) => {
      connection.prepare("insert into sqlar values (?, 33152, 0, 1, 'x')").run(key)
      manifest.files = 1
      if (!isNamed) return
      const author = connection.prepare('select id from users').get()
      const names = connection.prepare("select name from pragma_table_info('images')").all()
      const values = names.map(
        ({ name }) => ({ id: 9999, author: author?.id, file: key, sizes: '{}' })[String(name)] ?? '',
      )
      connection.prepare(`insert into images values (${values.map(() => '?').join()})`).run(...values)
      connection.exec("insert into records (id, kind) values (9999, 'image')")
      for (const table of ['images', 'records']) manifest.rows[table] = (manifest.rows[table] ?? 0) + 1
    })
    const { err, code } = await command(['restore', file], places)
    match(err, /^The backup has a file ".*", which is no image of its calendar: do not trust it\.$/m)
    equal(code, 1)
  }
  equal(existsSync(path('hostile-media')), false)
})

describe('a calendar with a webhook and an import on a schedule', () => {
  let receiver: Server
  let scratch: ScratchDatabase
  let places: Places
  const heard: string[] = []

  before(async () => {
    receiver = createServer((request, response) => {
      heard.push(String(request.url))
      request.resume()
      response.end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    scratch = await scratchDatabase()
    places = { database: scratch.address, media: `file:${path('held-media')}` }
    const service = await startService(places)
    const { database } = service.app
    const told = { url: `http://127.0.0.1:${port}/`, events: '*', is_private: 0 }
    await database.write((tx) => addWebhook(tx, told, Date.now()))
    await saveSchedule(database, { name: 'there', words: ['x.ics'], every_seconds: 3600 }, Date.now())
    await service.close()
    await succeed(['backup', path('held.backup')], places)
  })
  after(async () => {
    receiver.close()
    await scratch.remove()
  })

  /** Serves the calendar while it gets an event, until both have gone out, or until both have nothing due. */
  async function lookOn(at: Places, goesOut: boolean): Promise<void> {
    heard.length = 0
    let imports = 0
    const startImport = async () => {
      imports += 1
      return { code: 0, said: '' }
    }
    const serve = async (start: ServiceStart) => serveImports(start, startImport)
    const app = await startApp(testConfig(folder, { ...at, webhook_hosts: '127.0.0.1' }), {
      features: features.map((feature) => (feature === scheduled ? { ...feature, serve } : feature)),
    })
    await addEvent(app, 'Told')
    if (goesOut) await until(() => imports > 0 && heard.length > 0, 'the calendar stays silent')
    else {
      await runDueImports(app.database, startImport, Date.now, fail)
      deepEqual(await findDue(app.database.read, formatUtc(Date.now())), [])
    }
    await app.stop()
    deepEqual([imports > 0, heard.length > 0], [goesOut, goesOut])
  }

  test('restored in its own place goes on with both, and elsewhere only once it is resumed', async () => {
    doesNotMatch(await succeed(['restore', path('held.backup')], places), /resume/)
    await lookOn(places, true)

    const other = await scratchDatabase()
    const elsewhere = { database: other.address, media: `file:${path('held-elsewhere')}` }
    match(await succeed(['restore', path('held.backup')], elsewhere), /are off until kalends resume\.$/m)
    await lookOn(elsewhere, false)
    const lists = [
      ['webhook', 'list'],
      ['imports', 'schedules'],
    ]
    for (const list of lists)
      match(await printed(list, elsewhere), /are held, since .* kalends resume lets them/)
    match(await printed(['resume'], elsewhere), /are on again/)
    for (const list of lists) doesNotMatch(await printed(list, elsewhere), /held/)
    await lookOn(elsewhere, true)
    match(await printed(['hold'], elsewhere), /are off until kalends resume\.$/m)
    await lookOn(elsewhere, false)
    await printed(['resume'], elsewhere)
    // After `resume`, this database counts as the calendar's own place.
    doesNotMatch(await succeed(['restore', path('held.backup')], elsewhere), /resume/)
    await other.remove()
  })
})

test('a damaged file is no hindrance to a restore, and is kept', onSqlite, async () => {
  const from = { database: `sqlite:${path('sound.sqlite')}`, media: `file:${path('sound-media')}` }
  const service = await startService(from)
  await service.close()
  await succeed(['backup', path('sound.backup')], from)
  const damaged = { database: `sqlite:${path('damaged.sqlite')}`, media: `file:${path('sound-media')}` }
  await writeFile(path('damaged.sqlite'), 'no database')
  await succeed(['restore', path('sound.backup')], damaged)
  const kept = (await readdir(folder)).filter((name) => name.startsWith('damaged.sqlite.before-restore-'))
  equal(await readFile(path(kept.join()), 'utf8'), 'no database')
  const app = await serve(damaged)
  await app.stop()
})

test('what a former database has left beside it is no part of the restored one', onSqlite, async () => {
  const from = { database: `sqlite:${path('beside.sqlite')}`, media: `file:${path('beside-media')}` }
  const service = await startService(from)
  await service.event({ title: 'Backed up', start_date: '2026-12-01', end_date: '2026-12-01' })
  await succeed(['backup', path('beside.backup')], from)
  await service.event({ title: 'Since then', start_date: '2026-12-02', end_date: '2026-12-02' })
  // A killed process leaves the log of SQLite with the last writes.
  for (const end of ['', '-wal', '-shm'])
    await copyFile(path(`beside.sqlite${end}`), path(`killed.sqlite${end}`))
  await service.close()
  const killed = { database: `sqlite:${path('killed.sqlite')}`, media: from.media }
  await succeed(['restore', path('beside.backup')], killed)
  deepEqual(await titlesOf(killed), ['Backed up'])
})

test('a log without its file is moved aside by a restore, and by its undo', onSqlite, async () => {
  const from = { database: `sqlite:${path('whose.sqlite')}`, media: `file:${path('lone-media')}` }
  await using service = await startService(from)
  await service.event({ title: 'Backed up', start_date: '2026-12-01', end_date: '2026-12-01' })
  await succeed(['backup', path('lone.backup')], from)
  await service.event({ title: 'Since then', start_date: '2026-12-02', end_date: '2026-12-02' })
  const lone = { database: `sqlite:${path('lone.sqlite')}`, media: from.media }
  // A copy, since the service may still write derived rows.
  await copyFile(path('whose.sqlite-wal'), path('whose.log'))
  const leaveLog = () => copyFile(path('whose.log'), path('lone.sqlite-wal'))
  const { size } = await stat(path('whose.log'))
  const logsAside = async () => {
    const names = (await readdir(folder)).filter((name) => /^lone\.sqlite\.before-restore-.*-wal$/.test(name))
    for (const name of names) equal((await stat(path(name))).size, size)
    return names.length
  }
  await leaveLog()
  match(await succeed(['restore', path('lone.backup')], lone), /lone\.sqlite-wal.* is kept as .*-wal\./)
  equal(await logsAside(), 1)
  deepEqual(await titlesOf(lone), ['Backed up'])
  match(await succeed(['restore', '--list'], lone), /^No restore has replaced a calendar here/)

  await succeed(['restore', path('lone.backup')], lone)
  await rm(path('lone.sqlite'))
  await leaveLog()
  await succeed(['restore', '--undo'], lone)
  equal(await logsAside(), 2)
  deepEqual(await titlesOf(lone), ['Backed up'])
})

test('a backup of a calendar copied elsewhere warns, and removes no older one', onSqlite, async (t) => {
  const places = { database: `sqlite:${path('stale.sqlite')}`, media: `file:${path('stale-media')}` }
  await (await startService(places)).close()
  const kept = await mkdtemp(path('stale-'))
  await succeed(['backup', kept, '--keep', '1'], places)
  noteMove(places.database, 'postgres://elsewhere/kalends', Date.now())
  const said = t.mock.method(console, 'error', () => undefined)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1000 })
  await succeed(['backup', kept, '--keep', '1'], places)
  equal((await readdir(kept)).length, 2)
  match(String(said.mock.calls[0]?.arguments), /copied to postgres:\/\/elsewhere.* Set KALENDS_DATABASE/)
})

test(
  'a calendar that was copied to another database is still said ' +
    'to be there when a restore that replaced it is taken back',
  onSqlite,
  async (t) => {
    const places = { database: `sqlite:${path('left.sqlite')}`, media: `file:${path('left-media')}` }
    const service = await startService(places)
    await service.close()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    await succeed(['backup', path('left.backup')], places)
    noteMove(places.database, 'postgres://elsewhere/kalends', Date.now())
    const whereItIs = () => findMove(places.database)?.told.match(/postgres:\S+/)?.[0]
    await succeed(['restore', path('left.backup')], places)
    equal(whereItIs(), undefined)
    match(await succeed(['restore', '--undo'], places), /was copied to postgres:.* to go on with .*remove/)
    equal(whereItIs(), 'postgres://elsewhere/kalends')
    await rejects(serve(places), /was copied to postgres:\/\/elsewhere/)

    // The calendar that comes back now is one that a restore had put here. It was never copied elsewhere.
    // The copies of these restores are of one second, and differ in their numbers alone.
    t.mock.timers.tick(1000)
    await succeed(['restore', path('left.backup')], places)
    await succeed(['restore', path('left.backup')], places)
    await succeed(['restore', '--undo'], places)
    equal(whereItIs(), undefined)
  },
)

test('the removal of a kept calendar removes all its files, whatever signs they have', onSqlite, async () => {
  const name = `of O'Brien & Sons.sqlite`
  const kept = `${name}.before-restore-2026-01-01T000000Z`
  for (const end of ['', '-wal', '-shm', '-moved']) await writeFile(path(kept + end), 'bytes')
  const places = { database: `sqlite:${path(name)}`, media: `file:${path('signs-media')}` }
  const listed = await succeed(['restore', '--list'], places)
  match(listed, / 20 bytes\n/)
  const [, removal = ''] = /is removed by: (.*)/.exec(listed) ?? []
  equal(spawnSync('sh', ['-c', removal]).status, 0)
  assertNone(await readdir(folder), (one) => one.startsWith(name))
})

describe('a calendar that goes back to a state that knows less', () => {
  const ways: Record<string, (places: Places) => Promise<unknown>> = {
    'kalends restore': (places) => succeed(['restore', path('less.backup')], places),
    'other means and kalends restored': async (places) => {
      const database = await openDatabase(places.database)
      await database.write((tx) => sql`update changes set sequence = sequence - 9`.execute(tx))
      await database.close()
      await printed(['restored'], places)
    },
  }
  for (const [way, goBack] of Object.entries(ways))
    test(`by ${way} shows no SEQUENCE in its calendar file that is below an earlier one`, async (t) => {
      const scratch = await scratchDatabase()
      t.after(() => scratch.remove())
      const places = { database: scratch.address, media: `file:${path('media-of-less')}` }
      const shown = await writeMuch(places)
      await goBack(places)
      const app = await serve(places)
      const restored = await sequenceOf(app).finally(() => app.stop())
      ok(restored > shown, `${restored} after ${shown}`)
    })

  async function writeMuch(places: Places): Promise<number> {
    await using service = await startService(places)
    const day = '2027-05-01'
    const times = onDay(day, '20:00:00', '22:00:00')
    const { id } = await service.event({ title: 'Moth', ...times })
    await succeed(['backup', path('less.backup')], places)
    for (let change = 0; change < 9; change++) await service.update(`/events/${id}`, { excerpt: `${change}` })
    return await sequenceOf(service.app)
  }

  async function sequenceOf({ port }: App): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/events.ics`)).text()
    const [, sequence] = /SEQUENCE:(\d+)/.exec(text) ?? []
    ok(sequence, text)
    return Number(sequence)
  }
})
