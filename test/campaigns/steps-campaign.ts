import { deepEqual, equal, ifError } from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { openBackup } from '../../src/features/transfer/backup-file.ts'
import { findOrphans } from '../../src/features/transfer/clean-media.ts'
import { requireSealed } from '../../src/features/transfer/seal.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'
import type { Database, Db } from '../../src/store/storage/database.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { rowsOf, startCalendar } from '../import/calendar-command.ts'
import { kalends } from '../support/commands.ts'
import { scratchDatabase } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'
import { addUsers } from '../support/service.ts'
import { servePictures } from './picture-server.ts'
import { exportTo, fillForRoundTrip } from './round-trip.ts'

export const WORKS = ['import', 'backup', 'restore'] as const
export type Work = (typeof WORKS)[number]

export interface StepFigures {
  work: Work
  killed: string[]
  seconds: number
}

interface Ground {
  folder: string
  database: string
  media: string
  remove: () => Promise<void>
}

const PRELOAD = fileURLToPath(new URL('../support/note-steps.ts', import.meta.url))

async function runWhole({ database, media }: Ground, words: readonly string[]): Promise<void> {
  const env = { KALENDS_IMAGE_HOSTS: '127.0.0.1' }
  const { code, err } = await kalends(['--database', database, '--media', media, ...words], env)
  equal(code, 0, `${words.join(' ')}: ${err}`)
}

/**
 * Runs a command in its own process and kills it before step `kill`; 0 lets it end. Returns the steps it
 * reached. They may be fewer than `kill`, since steps that depend on the clock do not happen every time.
 */
async function runSteps(
  { folder, database, media }: Ground,
  words: readonly string[],
  kill: number,
): Promise<string[]> {
  const [log, told] = [join(folder, 'steps.log'), join(folder, 'steps.kill')]
  await rm(log, { force: true })
  await writeFile(told, String(kill))
  const env = {
    STEPS_LOG: log,
    STEPS_KILL: told,
    NODE_OPTIONS: `--import=${PRELOAD}`,
    KALENDS_IMAGE_HOSTS: '127.0.0.1',
  }
  const { child, ended } = startProcess(MAIN, ['--database', database, '--media', media, ...words], env)
  child.stdout?.resume()
  const code = await ended
  const steps = (await readFile(log, 'utf8')).split('\n').slice(0, -1)
  const isKilled = kill > 0 && steps.length >= kill
  deepEqual([code, child.signalCode], isKilled ? [null, 'SIGKILL'] : [0, null], words.join(' '))
  return steps
}

async function emptyGround(): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-steps-'))
  const scratch = await scratchDatabase()
  await withDatabase(scratch.address, (database) => addUsers({ database }))
  const remove = async () => {
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, database: scratch.address, media: `file:${join(folder, 'media')}`, remove }
}

async function withDatabase<T>(address: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(address)
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}

async function contentOf(address: string) {
  return withDatabase(address, async ({ read }) => ({
    events: await read
      .selectFrom('events')
      .select(['slug', 'title', 'start_date', 'status', 'cost', 'own'])
      .orderBy('slug')
      .execute(),
    series: await read.selectFrom('series').select(['slug', 'title', 'rules']).orderBy('slug').execute(),
    venues: await read.selectFrom('venues').select(['slug', 'venue', 'status']).orderBy('slug').execute(),
    organizers: await read.selectFrom('organizers').select(['slug', 'organizer']).orderBy('slug').execute(),
    terms: await read
      .selectFrom('terms')
      .select(['taxonomy', 'slug', 'count'])
      .orderBy('taxonomy')
      .orderBy('slug')
      .execute(),
    links: await linksOf(read),
    images: await read
      .selectFrom('images')
      .select(['source_url', 'width', 'height', 'filesize', 'mime_type'])
      .orderBy('source_url')
      .execute(),
  }))
}

async function linksOf(db: Db): Promise<unknown> {
  const linked = db.selectFrom('events').orderBy('events.slug')
  const [venues, images, terms] = await Promise.all([
    linked
      .innerJoin('event_venues', 'event', 'events.id')
      .innerJoin('venues', 'venues.id', 'event_venues.venue')
      .select(['events.slug', 'venues.slug as venue'])
      .execute(),
    linked.innerJoin('images', 'images.id', 'events.image').select(['events.slug', 'source_url']).execute(),
    linked
      .innerJoin('event_terms', 'event', 'events.id')
      .innerJoin('terms', 'terms.id', 'event_terms.term')
      .select(['events.slug', 'terms.slug as term'])
      .orderBy('terms.slug')
      .execute(),
  ])
  return { venues, images, terms }
}

async function requireFiles({ database, media }: Ground): Promise<void> {
  const store = await openMediaStore(media, ifError)
  await withDatabase(database, async ({ read }) => {
    const named = new Map<string, number>()
    for (const row of await read.selectFrom('images').selectAll().execute()) {
      named.set(row.file, row.filesize)
      const sizes: Record<string, { file: string; filesize: number }> = JSON.parse(row.sizes)
      for (const { file, filesize } of Object.values(sizes)) named.set(file, filesize)
    }
    const found = new Map<string, number>()
    for await (const { key, size, isLeftover } of store.list())
      if (size > 0 && !isLeftover) found.set(key, size)
    for (const [key, size] of named)
      equal(found.get(key), size, `the file ${key} of an image is not there or not whole`)
    if (found.size === 0) return
    // The clock of files is not that of tests: all of them count as settled.
    const orphans = await findOrphans(read, store, Number.MAX_SAFE_INTEGER)
    for (const { key } of orphans) found.delete(key)
    deepEqual([...found.keys()].sort(), [...named.keys()].sort())
  })
}

interface Killed {
  prepare: () => Promise<Ground>
  words: (ground: Ground) => string[]
  checkKilled: (ground: Ground) => Promise<void>
  checkWhole: (ground: Ground, isThorough: boolean) => Promise<void>
}

export interface Sample {
  calendar: Ground
  content: unknown
  records: string
  remove: () => Promise<void>
}

export async function makeSample(events: number, seed: number): Promise<Sample> {
  const source = await startCalendar({ timezone: 'Europe/Oslo' })
  const calendar = await emptyGround()
  const records = join(calendar.folder, 'records.ndjson')
  await fillForRoundTrip(source, events, seed)
  await exportTo(source, 'ndjson', records)
  await source.close()
  const pictures = await servePictures()
  const count = await addPictures(records, pictures.origin)
  await runWhole(calendar, ['import', records])
  await requireFiles(calendar)
  const content = await contentOf(calendar.database)
  equal(content.images.length, count)
  const remove = async () => {
    pictures.close()
    await calendar.remove()
  }
  return { calendar, content, records, remove }
}

async function addPictures(records: string, origin: string): Promise<number> {
  const lines = (await readFile(records, 'utf8')).split('\n').filter(Boolean)
  const single = lines.flatMap((line, at) => ('recurrence' in JSON.parse(line) ? [] : [at]))
  const wanted = Math.max(3, Math.round(single.length / EVENTS_A_PICTURE))
  for (const [number, at] of single.slice(0, wanted).entries()) {
    const url = `${origin}/${Math.max(1, number)}.png`
    lines[at] = JSON.stringify({ ...JSON.parse(lines[at] ?? ''), image: { url } })
  }
  await writeFile(records, lines.join('\n'))
  return wanted - 1
}

const EVENTS_A_PICTURE = 100

const WORK: Readonly<Record<Work, (sample: Sample) => Killed>> = {
  import: imported,
  backup: backedUp,
  restore: restored,
}

function imported({ content, records }: Sample): Killed {
  const words = () => ['import', records]
  return {
    prepare: emptyGround,
    words,
    checkKilled: async () => undefined,
    checkWhole: async (ground, isThorough) => {
      deepEqual(await contentOf(ground.database), content)
      await requireFiles(ground)
      if (!isThorough) return
      const rows = () => withDatabase(ground.database, rowsOf)
      const before = await rows()
      await runWhole(ground, words())
      equal(await rows(), before, 'a run of what is in writes something')
    },
  }
}

const backupIn = ({ folder }: Ground) => join(folder, 'calendar.backup')

async function requireWhole(file: string): Promise<void> {
  await requireSealed(file)
  openBackup(file).close()
}

function backedUp({ calendar, content }: Sample): Killed {
  const older = `${backupIn(calendar)}.older`
  return {
    prepare: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kalends-steps-'))
      const ground = { ...calendar, folder, remove: () => rm(folder, { recursive: true, force: true }) }
      await copyFile(older, backupIn(ground)).catch(() => runWhole(ground, ['backup', older]))
      await copyFile(older, backupIn(ground))
      return ground
    },
    words: (ground) => ['backup', backupIn(ground)],
    checkKilled: (ground) => requireWhole(backupIn(ground)),
    checkWhole: async (ground, isThorough) => {
      await requireWhole(backupIn(ground))
      const files = (await readdir(ground.folder)).filter((name) => !name.startsWith('steps.'))
      deepEqual(files, ['calendar.backup'])
      if (!isThorough) return
      const other = await emptyGround()
      await runWhole(other, ['restore', backupIn(ground)])
      deepEqual(await contentOf(other.database), content)
      await requireFiles(other)
      await other.remove()
    },
  }
}

function restored({ calendar, content }: Sample): Killed {
  const backup = backupIn(calendar)
  let former: unknown
  return {
    prepare: async () => {
      const ground = await emptyGround()
      former ??= await contentOf(ground.database)
      await requireWhole(backup).catch(() => runWhole(calendar, ['backup', backup]))
      return ground
    },
    words: () => ['restore', backup],
    checkKilled: async (ground) => {
      const found = await contentOf(ground.database)
      if (!isDeepStrictEqual(found, content)) deepEqual(found, former)
    },
    checkWhole: async (ground) => {
      deepEqual(await contentOf(ground.database), content)
      await requireFiles(ground)
      const left = (await readdir(dirname(ground.database.replace('sqlite:', ''))).catch(() => [])).filter(
        (name) => name.includes('.restoring'),
      )
      deepEqual(left, [])
    },
  }
}

export async function killAtSteps(work: Work, sample: Sample, most: number): Promise<StepFigures> {
  const began = performance.now()
  const { prepare, words, checkKilled, checkWhole } = WORK[work](sample)
  const whole = await prepare()
  const steps = await runSteps(whole, words(whole), 0)
  await checkWhole(whole, true)
  await whole.remove()
  const killed: string[] = []
  for (const at of spread(steps.length, most)) {
    const ground = await prepare()
    const before = await runSteps(ground, words(ground), at)
    if (before.length === at) killed.push(before.at(-1) ?? '')
    await checkKilled(ground)
    await runWhole(ground, words(ground))
    await checkWhole(ground, steps.length <= most)
    await ground.remove()
  }
  return { work, killed, seconds: (performance.now() - began) / 1000 }
}

function spread(last: number, most: number): number[] {
  if (most === 1) return [Math.ceil(last / 2)]
  if (last <= most) return Array.from({ length: last }, (_, i) => i + 1)
  return [...new Set(Array.from({ length: most }, (_, i) => 1 + Math.round((i * (last - 1)) / (most - 1))))]
}
