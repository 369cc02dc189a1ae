import type { Database } from './database.ts'
import { databaseFile } from './database-address.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { watchWrites } from './write-health.ts'

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
