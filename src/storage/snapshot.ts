import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { isPostgres } from './dialect.ts'
import { openDatabase } from './open-database.ts'

/**
 * Opens a database that is there already.
 * @throws Error with one sentence when it cannot be opened, or there is none.
 */
export async function openExisting(address: string): Promise<Database> {
  const file = address.startsWith('sqlite:') ? address.slice('sqlite:'.length) : undefined
  if (file !== undefined && !existsSync(file)) throw new Error(`There is no database ${file}.`)
  return openDatabase(address)
}

/** Runs `work` on a snapshot of the database. */
export function readSnapshot<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return database.read.transaction().execute(async (tx) => {
    if (isPostgres(tx)) await sql`set transaction isolation level repeatable read, read only`.execute(tx)
    return work(tx)
  })
}
