import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { type App, startApp } from '../../src/app.ts'
import { copyByAddress } from '../../src/features/transfer/copy.ts'
import { localMediaStore } from '../../src/store/media/media-store.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { readEdition } from '../../src/store/storage/edition.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { FIRST_STEP } from '../../src/store/storage/migration.ts'
import { openCalendar, openDatabase } from '../../src/store/storage/open-database.ts'
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { readEveryAnswer } from '../support/every-answer.ts'
import { featureTables } from '../support/feature-tables.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startProcess } from '../support/processes.ts'
import { startS3 } from '../support/s3.ts'
import { countEvents, fillCalendar } from '../support/sample-calendar.ts'
import { credentialsOf, type Reader, startService, testConfig } from '../support/service.ts'

const folder = temporaryFolder()

async function copy(
  from: string,
  to: string,
  media: { mediaFrom?: string; mediaTo?: string } = {},
): Promise<string> {
  const lines: string[] = []
  await copyByAddress({ from, to, ...media }, await featureTables(), (line) => lines.push(line))
  return lines.join('\n')
}

const SITE = 'http://calendar.example'

const fileStore = (name: string) => `file:${join(folder, name)}`
const fileAddress = (name: string) => `sqlite:${join(folder, `${name}.sqlite`)}`

async function openMigrated(address: string): Promise<Database> {
  const database = await openDatabase(address)
  await migrate(database, await featureTables())
  return database
}

async function countTerms(address: string): Promise<number> {
  const database = await openMigrated(address)
  const rows = await database.read.selectFrom('terms').select('id').execute()
  await database.close()
  return rows.length
}

async function makeLarge(address: string, terms: number): Promise<void> {
  const database = await openMigrated(address)
  await database.write(async (tx) => {
    for (let at = 0; at < terms; at += 500) {
      const rows = Array.from({ length: 500 }, (_, i) => `term-${at + i}`)
      const values = rows.map((slug) => ({ name: slug, slug, folded: slug, description: slug.repeat(20) }))
      await tx
        .insertInto('terms')
        .values(values.map((value) => ({ ...value, taxonomy: 'category' as const, parent: 0, count: 0 })))
        .execute()
    }
  })
  await database.close()
}

describe('a copied calendar', () => {
  let middle: ScratchDatabase
  let source: App
  const copies: App[] = []

  before(async () => {
    const service = await startService({ database: fileAddress('source'), media: fileStore('media-source') })
    await fillCalendar(service)
    const { all } = await countEvents(service.app.database.read)
    await service.close()
    middle = await scratchDatabase()
    const hops = [
      { from: fileAddress('source'), to: middle.address, mediaFrom: 'media-source', mediaTo: 'media-middle' },
      { from: middle.address, to: fileAddress('back'), mediaFrom: 'media-middle', mediaTo: 'media-back' },
    ]
    source = await serve(fileAddress('source'), 'media-source')
    for (const { from, to, mediaFrom, mediaTo } of hops) {
      const printed = await copy(from, to, { mediaFrom: fileStore(mediaFrom), mediaTo: fileStore(mediaTo) })
      match(printed, new RegExp(`^events {2,}${all} {2,}${all}$`, 'm'))
      match(printed, /^Files of images: 6 copied, 0 there already, 0 missing\.$/m)
      match(printed, /^Copied \d+ rows; the counts of all tables agree\.$/m)
      copies.push(await serve(to, mediaTo))
    }
  })
  after(async () => {
    for (const app of [source, ...copies]) await app.stop()
    await middle.remove()
  })

  function serve(database: string, media: string): Promise<App> {
    const settings = { database, media: fileStore(media), site_url: SITE }
    return startApp(testConfig(folder, settings))
  }

  async function ask(app: App, as: Reader, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${app.port}/wp-json${path}`, {
      headers: { ...credentialsOf(as), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  test('gives the same answers', async () => {
    const expected = await readEveryAnswer(source.port)
    for (const app of copies) deepEqual(await readEveryAnswer(app.port), expected)
  })

  test('sends the same files', async () => {
    const { body } = (await ask(source, 'anonymous', '/wp/v2/media')) as { body: Shown[] }
    const paths = body.flatMap(({ media_details }) =>
      Object.values(media_details.sizes).map(({ source_url }) => source_url.slice(SITE.length)),
    )
    equal(paths.length, 6)
    for (const path of paths) {
      const [expected, ...others] = await Promise.all(
        [source, ...copies].map(async ({ port }) => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`)
          equal(response.status, 200)
          return Buffer.from(await response.arrayBuffer())
        }),
      )
      for (const other of others) deepEqual(other, expected)
    }
  })

  test('goes on with ids that were never given', async () => {
    const create = { title: 'Next', start_date: '2027-01-01', end_date: '2027-01-01', categories: ['Next'] }
    const expected = await ask(source, 'admin', '/tribe/events/v1/events', create)
    const { body } = expected as { body: { id: number; categories: { id: number }[] } }
    for (const app of copies) {
      const made = (await ask(app, 'admin', '/tribe/events/v1/events', create)) as typeof expected & {
        body: typeof body
      }
      deepEqual([made.body.id, made.body.categories[0]?.id], [body.id, body.categories[0]?.id])
    }
  })
})

interface Shown {
  media_details: { sizes: Record<string, { source_url: string }> }
}

test('a copy killed on its way leaves an empty target, and the same command makes it whole', async () => {
  const from = fileAddress('interrupted-source')
  await makeLarge(from, 10_000)
  const target = await scratchDatabase()
  const { lines, end } = startProcess(MAIN, ['copy', from, target.address])
  let code: number | null | undefined
  for await (const line of lines) {
    // The rows of the first large table are being copied.
    if (line.startsWith('terms:')) code = await end('SIGKILL')
  }
  equal(code, null)
  equal(await countTerms(target.address), 0)
  match(await copy(from, target.address), /^terms {2,}10000 {2,}10000$/m)
  equal(await countTerms(target.address), 10_000)
  match(await copy(from, target.address), /^The target held all 10000 rows already\.$/m)
  await target.remove()
})

test('files that are there are not sent again, but those that a killed copy left half done', async () => {
  const media = { mediaFrom: fileStore('media-source'), mediaTo: fileStore('media-again') }
  await copy(fileAddress('source'), fileAddress('again'), media)
  const paths = await readdir(join(folder, 'media-again'), { recursive: true })
  const files = paths.filter((path) => path.endsWith('.png')).map((path) => join(folder, 'media-again', path))
  const [lost = '', empty = ''] = files
  await rm(lost)
  await truncate(empty)
  const printed = await copy(fileAddress('source'), fileAddress('again'), media)
  match(printed, /^Files of images: 2 copied, 4 there already, 0 missing\.$/m)
})

test('files that the source lacks are named; another of the name in the target is not replaced', async () => {
  const mediaTo = fileStore('media-other')
  const printed = await copy(fileAddress('source'), fileAddress('again'), {
    mediaFrom: fileStore('media-none'),
    mediaTo,
  })
  match(printed, /^Not in the source, though an image names it: \d{4}\/\d\d\/lantern\.png$/m)
  match(printed, /^Files of images: 0 copied, 0 there already, 6 missing\.$/m)
  const [key = ''] = printed.match(/\d{4}\/\d\d\/lantern\.png/) ?? []
  await localMediaStore(join(folder, 'media-other')).put(key, Buffer.from('another'), 'image/png')
  await rejects(
    copy(fileAddress('source'), fileAddress('again'), { mediaFrom: fileStore('media-source'), mediaTo }),
    { message: `The target store has another file ${key}.` },
  )
})

test('files are carried into a bucket, and a bucket that fails is named', async () => {
  const s3 = await startS3()
  const media = { mediaFrom: fileStore('media-source'), mediaTo: s3.place('calendar') }
  const printed = await copy(fileAddress('source'), fileAddress('again'), media)
  match(printed, /^Files of images: 6 copied, 0 there already, 0 missing\.$/m)
  equal((await s3.names()).length, 6)
  await s3.halt()
  await rejects(
    copy(fileAddress('source'), fileAddress('again'), media),
    /media store s3:\/\/images fails: ECONNREFUSED/,
  )
  await s3.close()
  await rejects(copy(fileAddress('source'), fileAddress('again'), { mediaTo: s3.place() }), /give both/)
})

test('a target with other data is refused in one sentence and stays as it is', async () => {
  const from = fileAddress('refused-source')
  await makeLarge(from, 500)
  const other = await scratchDatabase()
  const database = await openMigrated(other.address)
  await database.write(async (tx) => {
    await sql`insert into terms (taxonomy, name, slug, description, parent, folded) values ('tag', 'x', 'x',
      '', 0, 'x')`.execute(tx)
  })
  await database.close()
  await rejects(copy(from, other.address), {
    message: 'The target already holds other rows (1 in terms); copy into an empty database.',
  })
  equal(await countTerms(other.address), 1)
  await other.remove()
})

test('rows that differ are not the same copy, however many there are', async () => {
  const [from, to] = [fileAddress('differing-source'), fileAddress('differing-target')]
  await makeLarge(from, 500)
  await copy(from, to)
  const database = await openMigrated(to)
  await database.write(async (tx) => {
    await tx.updateTable('terms').set({ description: 'changed' }).where('slug', '=', 'term-250').execute()
  })
  await database.close()
  await rejects(copy(from, to), {
    message: 'The target already holds other rows (500 in terms); copy into an empty database.',
  })
})

test('a file whose calendar was copied elsewhere is served no more, and can be taken back', async () => {
  const address = fileAddress('moved')
  await makeLarge(address, 500)
  const target = await scratchDatabase('bare')
  const config = testConfig(folder, { database: address })
  const note = join(folder, 'moved.sqlite-moved')
  const printed = await copy(address, target.address)
  ok(
    printed.endsWith(
      `The service is not started on ${join(folder, 'moved.sqlite')} any more, unless ${note} is removed.`,
    ),
  )
  const said = `The calendar in ${join(folder, 'moved.sqlite')} was copied to ${target.address} at `
  const refused = ({ message }: Error) => message.startsWith(said) && message.endsWith(`remove ${note}.`)
  await rejects(
    startApp(config).then((app) => app.stop()),
    refused,
  )
  match(await copy(address, target.address), /^The target held all 500 rows already\.$/m)
  await (await openCalendar(config, [])).close()
  await rm(note)
  await (await startApp(config)).stop()
  await target.remove()
})

test('imports into a file whose calendar was copied elsewhere are refused, exports are not', async () => {
  const [from, to] = [fileAddress('moved-too'), fileAddress('moved-there')]
  await makeLarge(from, 500)
  await copy(from, to)
  const program = (words: string[]) =>
    promisify(execFile)(process.execPath, [MAIN, '--database', from, '--data', folder, ...words]).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
  match(await program(['import', join(folder, 'events.csv')]), /^The calendar in .* was copied to sqlite:.*/)
  equal(await program(['export', '--format', 'json', '--output', join(folder, 'moved.json')]), '')
})

test('a file that a calendar is copied into is served, wherever its own calendar had gone', async () => {
  const [here, there] = [fileAddress('here'), fileAddress('there')]
  await makeLarge(here, 500)
  await copy(here, there)
  await rm(join(folder, 'here.sqlite'))
  await copy(there, here)
  await (await startApp(testConfig(folder, { database: here }))).stop()
  await rejects(
    startApp(testConfig(folder, { database: there })).then((app) => app.stop()),
    /was copied to sqlite:.*here\.sqlite/,
  )
})

test('a copy begins an edition of its own, since it may go on otherwise than its source', async () => {
  const [from, to] = [fileAddress('edition-source'), fileAddress('edition-target')]
  const source = await openMigrated(from)
  await copy(from, to)
  const target = await openMigrated(to)
  notEqual(await readEdition(target.read), await readEdition(source.read))
  await source.close()
  await target.close()
})

test('a source that is not there, or is no calendar, is refused in one sentence', async () => {
  const target = fileAddress('nothing-target')
  await rejects(copy(fileAddress('nowhere'), target), {
    message:
      `There is no database ${join(folder, 'nowhere.sqlite')}. ` +
      'Start the service once (kalends serve), which makes it.',
  })
  const bare = await openDatabase(fileAddress('bare'))
  await bare.close()
  await rejects(copy(fileAddress('bare'), target), { message: 'The source holds no calendar.' })
})

test('a source of another version is refused by what it lacks or has beyond this one', async () => {
  const [from, to] = [fileAddress('other-version'), fileAddress('this-version')]
  const database = await openMigrated(from)
  await database.write(async (tx) => {
    await sql`insert into migrations (name) values ('0001-first'), ('9999-later')`.execute(tx)
  })
  await rejects(copy(from, to), { message: 'The source is of a newer version (with 9999-later).' })
  await database.write(async (tx) => {
    await sql`delete from migrations where name in (${FIRST_STEP}, '9999-later')`.execute(tx)
  })
  await rejects(copy(from, to), {
    message: `The source is of an older version (without ${FIRST_STEP}); serve it once with this one.`,
  })
  await database.close()
})
