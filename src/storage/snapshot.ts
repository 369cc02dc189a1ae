import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { databaseFile } from './database-address.ts'
import { isPostgres } from './dialect.ts'
import { openDatabase } from './open-database.ts'

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
export async function requireContent(address: string): Promise<void> {
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
