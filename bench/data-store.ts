import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/base/config.ts'
import { findUserByLogin } from '../src/calendar/people/users.ts'
import { openStorage } from '../src/store/storage/open-database.ts'
import { generateEvent, organizerRow, type Plan, planOf, termRows, venueRow } from './data-set.ts'
import { readPlan, WRITER, writeDataSet } from './write-data-set.ts'

/** A data set that can be served. */
export interface DataStore {
  /** The value of `--database`. */
  address: string
  /** The SQLite file; undefined on PostgreSQL. */
  file: string | undefined
  plan: Plan
}

/** The folder of the data sets and of copies to write to. */
export const FOLDER = join(tmpdir(), 'kalends-bench')

/** The files that generate and write the rows, and the migrations that make the tables. */
const GENERATOR = ['data-set.ts', 'places.ts', 'random.ts', 'texts.ts', 'write-data-set.ts']
const MIGRATIONS = join(import.meta.dirname, '..', 'src', 'store', 'storage', 'migrations')
/** The events compared to notice changes of the service's rules for slugs, times or folded texts. */
const SAMPLE = 300

/**
 * Returns the data set with so many events: that of an earlier run, or a new one.
 * @param database address of an empty PostgreSQL database to use instead of a file
 * @throws Error with one sentence when the database holds something else.
 */
export async function prepareDataStore(
  events: number,
  database: string | undefined,
  say: (text: string) => void,
): Promise<DataStore> {
  const name = `${events}-${await hashDataSet()}`
  if (database) {
    return { address: database, file: undefined, plan: await fill(database, events, name, say) }
  }
  const file = join(FOLDER, `${name}.sqlite`)
  await mkdir(FOLDER, { recursive: true })
  await removeLeftovers()
  if (!(await exists(file))) {
    const unfinished = join(FOLDER, `${name}.${process.pid}.unfinished`)
    await removeSqlite(unfinished)
    await fill(`sqlite:${unfinished}`, events, name, say)
    await rename(unfinished, file)
  }
  return { address: `sqlite:${file}`, file, plan: await fill(`sqlite:${file}`, events, name, say) }
}

/** Makes a copy to write to. On PostgreSQL there is none, and the data set itself is written to. */
export async function copyForWriting(store: DataStore): Promise<DataStore & { remove: () => Promise<void> }> {
  if (!store.file) return { ...store, remove: async () => {} }
  const file = `${store.file}.${process.pid}.copy`
  await removeSqlite(file)
  await copyFile(store.file, file, constants.COPYFILE_FICLONE)
  // Flushed now, so that the disk is idle during the measurement.
  const copy = await open(file, 'r+')
  await copy.sync()
  await copy.close()
  return { ...store, address: `sqlite:${file}`, file, remove: () => removeSqlite(file) }
}

/** Returns the bytes of the SQLite file; undefined on PostgreSQL. */
export async function databaseBytes(store: DataStore): Promise<number | undefined> {
  return store.file ? (await stat(store.file)).size : undefined
}

/** Fills the database unless it holds this data set. */
async function fill(
  address: string,
  events: number,
  name: string,
  say: (text: string) => void,
): Promise<Plan> {
  const database = await openStorage(readConfig({ database: address }, {}, []), [])
  try {
    const writer = await findUserByLogin(database.read, WRITER.login)
    if (writer?.name === name) return await readPlan(database.read, events)
    const began = Date.now()
    await writeDataSet(database, events, name, (done) => {
      if (done % 100_000 === 0)
        say(`  ${done.toLocaleString('en')} of ${events.toLocaleString('en')} events written`)
    })
    say(
      `Data set of ${events.toLocaleString('en')} events ` +
        `written in ${((Date.now() - began) / 1000).toFixed(1)} s.`,
    )
    return await readPlan(database.read, events)
  } finally {
    await database.close()
  }
}

/** Returns a short hash of the generator, a sample of its rows, and the migrations. */
async function hashDataSet(): Promise<string> {
  const plan = planOf(SAMPLE, 1, 1)
  const rows = Array.from({ length: SAMPLE }, (_, number) => generateEvent(plan, number))
  const migrations = (await readdir(MIGRATIONS)).sort().map((file) => join(MIGRATIONS, file))
  const files = [...GENERATOR.map((file) => join(import.meta.dirname, file)), ...migrations]
  const hash = createHash('sha256').update(
    JSON.stringify([termRows(1), venueRow(plan, 1), organizerRow(plan, 1), rows]),
  )
  for (const file of files) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 12)
}

/** Removes files of runs that were interrupted. */
async function removeLeftovers(): Promise<void> {
  for (const file of await readdir(FOLDER)) {
    const owner = file.match(/\.(\d+)\.(?:unfinished|copy)/)?.[1]
    if (owner && !isRunning(Number(owner))) await rm(join(FOLDER, file), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

async function removeSqlite(file: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true })
}
