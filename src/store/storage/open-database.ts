import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Config, databaseAddress } from '../../base/config.ts'
import { type Database, type Db, isPostgres } from './database.ts'
import { databaseFile, refuseMoved } from './database-address.ts'
import { migrate } from './migrate.ts'
import type { Tx } from './recording.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { findMigrations } from './tables.ts'
import { DatabaseUnavailable } from './unavailable.ts'

// Opens databases, and watches whether they can be written.

/**
 * Opens the database at `sqlite:FILE`, creating the file when it is not there, or at `postgres://…`. Its functions reject with
 * DatabaseUnavailable while the database cannot be reached or is overloaded.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openDatabase(address: string): Promise<Database> {
  const file = databaseFile(address)
  if (file !== undefined) return watchWrites(openSqlite(file), file)
  const [, scheme = ''] = address.match(/^([a-z][a-z0-9+.-]{0,30}):/i) ?? []
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // Nobody else needs its driver in memory.
    const { openPostgres } = await import('./postgres/postgres.ts')
    return watchWrites(await openPostgres(address), undefined)
  }
  // A text that is no address may be a secret as a whole.
  const named = scheme === '' ? 'this address' : `${scheme}:…`
  throw new Error(`No database can be opened at ${named}: sqlite:FILE and postgres://… are understood.`)
}

/**
 * Opens the database that is configured, brought up to date. `tell` gets sentences for the operator.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openStorage(config: Config, tell?: (sentence: string) => void): Promise<Database> {
  refuseMoved(databaseAddress(config))
  await requireContent(databaseAddress(config))
  const database = keepingAsAsked(await openDatabase(databaseAddress(config)), config)
  const { remarks } = await migrate(database, tell)
  if (tell) for (const sentence of remarks) tell(sentence)
  return database
}

/**
 * Opens the database that is configured as `openStorage` does, but never makes one.
 * @throws Error with one sentence when there is none, or it holds no calendar
 */
export async function openCalendar(config: Config): Promise<Database> {
  const database = keepingAsAsked(await openExisting(databaseAddress(config)), config)
  try {
    if (!(await findMigrations(database.read)))
      throw new Error('The database holds no calendar; kalends serve makes a new one in it.')
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Where former values may take no room, none are written. */
function keepingAsAsked(database: Database, { history_bytes }: Config): Database {
  if (history_bytes > 0) return database
  const write: Database['write'] = (work, by) => {
    const forgetting = (tx: Tx) => {
      tx.recording.keepsFormer = false
      return work(tx)
    }
    return database.write(forgetting, by)
  }
  return { ...database, write }
}

/**
 * Opens a database that is there already.
 * @throws Error with one sentence when it cannot be opened, or there is none.
 */
export async function openExisting(address: string): Promise<Database> {
  const file = databaseFile(address)
  if (file !== undefined && !existsSync(file)) throw noDatabase(file)
  await requireContent(address)
  return openDatabase(address)
}

/** The error of whatever needs a calendar that is there already. */
export const noDatabase = (file: string) =>
  new Error(`There is no database ${file}. Start the service once (kalends serve), which makes it.`)

/** Milliseconds after which a file that another process has just made is not empty any more. */
const BEGINNING_MS = 500

/**
 * Refuses a SQLite file that has lost its content: SQLite would take it for a new database.
 * @throws Error with one sentence
 */
async function requireContent(address: string): Promise<void> {
  const file = databaseFile(address)
  if (file === undefined || file === ':memory:') return
  const log = `${file}-wal`
  if (!existsSync(file)) {
    if (bytesOf(log) === 0) return
    throw new Error(
      `There is no database ${file}, but its log ${log} is there: put the file back, or restore a backup.`,
    )
  }
  if (bytesOf(file) > 0) return
  await sleep(BEGINNING_MS)
  if (bytesOf(file) > 0) return
  throw new Error(`The database ${file} is empty: restore a backup, or remove the file to begin a new calendar.`)
}

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Runs `work` on a snapshot of the database. */
export function readSnapshot<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return database.read.transaction().execute(async (tx) => {
    if (isPostgres(tx)) await sql`set transaction isolation level repeatable read, read only`.execute(tx)
    return work(tx)
  })
}

/**
 * Adds failed writes to the `ping` of a database: after a write failed for lack of room or permission, it looks for room and tries a write until
 * that succeeds. `file` is that of a SQLite database.
 */
function watchWrites(database: Database, file: string | undefined): Database {
  let isFailing = false
  const write: Database['write'] = async (work, by) => {
    try {
      return await database.write(work, by)
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.lack !== 'answer') isFailing = true
      throw error
    }
  }
  const ping = async () => {
    await database.ping()
    if (!isFailing) return
    if (file !== undefined) await needRoom(file)
    await database.write(writeAgain)
    isFailing = false
  }
  return { ...database, write, ping }
}

/** Milliseconds between two looks at a database. */
const LOOK_EVERY = 2000

/** Looks at a database again and again, one look at a time, and tells once that it fails, and once that it answers again. */
export function tellFailures(database: Database, report: (error: unknown) => void, tell: (sentence: string) => void) {
  let [isFailing, isLooking] = [false, false]
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      await database.ping()
      if (isFailing) tell('The database answers again.')
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    } finally {
      isLooking = false
    }
  }
  return setInterval(look, LOOK_EVERY).unref()
}

/** Free bytes below which a write may fail. */
const ROOM_BYTES = 1_000_000

async function needRoom(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file))
  if (bavail * bsize < ROOM_BYTES) throw new DatabaseUnavailable(`The disk of ${file} is full.`, undefined, 'room')
}

/** Writes a value that is there already. */
async function writeAgain(tx: Db): Promise<void> {
  await sql`update editions set edition = edition`.execute(tx)
}
