import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { sql } from 'kysely'
import { type Config, databaseAddress, mediaAddress } from '../../base/config.ts'
import { freeBytesOf, LEAST_FREE_BYTES } from '../../base/files.ts'
import { type Print, runOnOpened } from '../../base/run-command.ts'
import { type Database, type Db, isPostgres } from './database.ts'
import { databaseFile, refuseMoved } from './database-address.ts'
import { findMigrations, migrate } from './migrate.ts'
import { type KeepsTables, listFeatureTables } from './migration.ts'
import { type Tx, type Writer, writerBy } from './recording.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/**
 * Opens `sqlite:FILE`, created if missing, or `postgres://…`. Functions of the database reject with
 * DatabaseUnavailable while it cannot be reached or is overloaded.
 * @throws Error with one sentence if the database cannot be opened
 */
export async function openDatabase(address: string): Promise<Database> {
  const file = databaseFile(address)
  if (file !== undefined) return watchWrites(openSqlite(file), file)
  const [, scheme = ''] = address.match(/^([a-z][a-z0-9+.-]{0,30}):/i) ?? []
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // Imported on demand, so that the PostgreSQL driver takes no memory with SQLite.
    const { openPostgres } = await import('./postgres/postgres.ts')
    return watchWrites(await openPostgres(address), undefined)
  }
  // A text without a scheme may be a secret, so it is not repeated.
  const named = scheme === '' ? 'this address' : `${scheme}:…`
  throw new Error(`No database can be opened at ${named}: sqlite:FILE and postgres://… are understood.`)
}

/**
 * Opens the configured database, created if missing, and migrates it. `tell` gets sentences for the operator.
 * @throws Error with one sentence if the calendar was copied away or lost, or cannot be opened or migrated
 */
export async function openStorage(
  config: Config,
  features: readonly KeepsTables[],
  tell?: (sentence: string) => void,
): Promise<Database> {
  refuseMoved(databaseAddress(config))
  await refuseLost(config)
  const database = keepingAsAsked(await openDatabase(databaseAddress(config)), config)
  const { remarks } = await migrate(database, await listFeatureTables(features), tell)
  if (tell) for (const sentence of remarks) tell(sentence)
  return database
}

/**
 * Opens and migrates the configured database, which must hold a calendar already.
 * @throws Error with one sentence if there is no calendar, or it cannot be opened or migrated
 */
export async function openCalendar(config: Config, features: readonly KeepsTables[]): Promise<Database> {
  await refuseLost(config)
  const database = keepingAsAsked(await openExisting(databaseAddress(config)), config)
  try {
    if (!(await findMigrations(database.read)))
      throw new Error('The database holds no calendar; kalends serve makes a new one in it.')
    await migrate(database, await listFeatureTables(features))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

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
 * Opens a database without creating it.
 * @throws Error with one sentence if there is none, or it cannot be opened
 */
export async function openExisting(address: string): Promise<Database> {
  await requireFile(address)
  return openDatabase(address)
}

/**
 * Refuses to start where a calendar was lost, since a new database in its place would hide the loss.
 * @throws Error with one sentence if the SQLite file is empty, or missing while other files of a calendar are
 * there
 */
export async function refuseLost(config: Config): Promise<void> {
  const address = databaseAddress(config)
  await requireContent(address)
  const file = databaseFile(address)
  if (file === undefined || file === ':memory:' || existsSync(file)) return
  const left = leftOf(resolve(file), config)
  if (left === undefined) return
  throw new Error(
    [
      `There is no database ${file}, but ${left} of a calendar: put the file back, or restore a backup.`,
      'To begin a new calendar, move that away.',
    ].join(' '),
  )
}

function leftOf(file: string, config: Config): string | undefined {
  const copy = namesIn(dirname(file)).find((name) => name.startsWith(`${basename(file)}.before-restore-`))
  if (copy !== undefined) return `there is the copy ${join(dirname(file), copy)}`
  if (file !== resolve(config.data, 'kalends.sqlite')) return undefined
  const media = mediaAddress(config)
  const folder = media.startsWith('file:') ? media.slice('file:'.length) : undefined
  if (folder !== undefined && namesIn(folder).some((name) => /^\d{4}$/.test(name)))
    return `${folder} has the images`
  const password = join(config.data, 'first-password.txt')
  return existsSync(password) ? `there is the first password ${password}` : undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** @throws Error with one sentence if the SQLite file is missing or empty; never for PostgreSQL */
export async function requireFile(address: string): Promise<void> {
  await requireContent(address)
  const file = databaseFile(address)
  if (file === undefined || existsSync(file)) return
  throw new Error(`There is no database ${file}. Start the service once (kalends serve), which makes it.`)
}

/** Ms after which an empty file counts as damaged; before, another process may just be creating it. */
const BEGINNING_MS = 500

/**
 * @throws Error with one sentence for an empty file, which SQLite would take for a new database, and for a
 * missing one whose WAL is there
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
  throw new Error(
    `The database ${file} is empty: restore a backup, or remove the file to begin a new calendar.`,
  )
}

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

export function readSnapshot<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return database.read.transaction().execute(async (tx) => {
    if (isPostgres(tx)) await sql`set transaction isolation level repeatable read, read only`.execute(tx)
    return work(tx)
  })
}

/**
 * Makes `ping` reject after a write failed for lack of disk space or permission, until a trial write
 * succeeds. `file` is undefined for PostgreSQL.
 */
function watchWrites(database: Database, file: string | undefined): Database {
  let isFailing = false
  const watched = async <Result>(written: Promise<Result>): Promise<Result> => {
    try {
      return await written
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.lack !== 'answer') isFailing = true
      throw error
    }
  }
  const ping = async () => {
    await database.ping()
    if (!isFailing) return
    if (file !== undefined) await needRoom(file)
    await database.write((tx) => sql`update editions set edition = edition`.execute(tx))
    isFailing = false
  }
  return {
    ...database,
    write: (work, by) => watched(database.write(work, by)),
    writeShared: (work, item, by) => watched(database.writeShared(work, item, by)),
    ping,
  }
}

const LOOK_EVERY = 2000

/** Pings the database every two seconds; reports the first failure, and tells when it answers again. */
export function tellFailures(
  database: Database,
  report: (error: unknown) => void,
  tell: (sentence: string) => void,
) {
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

async function needRoom(file: string): Promise<void> {
  if ((await freeBytesOf(dirname(file))) < LEAST_FREE_BYTES)
    throw new DatabaseUnavailable(`The disk of ${file} is full.`, undefined, 'space')
}

/** Runs `work` with the command as writer (see `runCommand`). */
export function runOnDatabase(
  command: Command,
  open: () => Promise<Database>,
  work: (database: Database, print: Print, by: Writer) => Promise<void>,
): Promise<void> {
  const opening = async () => ({ database: await open() })
  return runOnOpened(command, opening, ({ database }, print) =>
    work(database, print, writerBy(['kalends', command.parent?.name(), command.name()].join(' '))),
  )
}
