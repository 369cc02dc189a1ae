import { type Config, databaseAddress } from '../config.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { refuseMoved } from './moved-calendar.ts'
import { openDatabase } from './open-database.ts'
import { openExisting, requireContent } from './snapshot.ts'
import { findMigrations } from './tables.ts'

/**
 * Opens the database that is configured, brought up to date. `tell` gets sentences for the operator.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openStorage(config: Config, tell?: (sentence: string) => void): Promise<Database> {
  refuseMoved(databaseAddress(config))
  await requireContent(databaseAddress(config))
  const database = await openDatabase(databaseAddress(config))
  const { remarks } = await migrate(database, tell)
  if (tell) for (const sentence of remarks) tell(sentence)
  return database
}

/**
 * Opens the database that is configured as `openStorage` does, but never makes one.
 * @throws Error with one sentence when there is none, or it holds no calendar
 */
export async function openCalendar(config: Config): Promise<Database> {
  const database = await openExisting(databaseAddress(config))
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
