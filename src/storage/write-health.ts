import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/**
 * Adds failed writes to the `ping` of a database: after a write failed for lack of room or permission, it looks for room and tries a write until
 * that succeeds. `file` is that of a SQLite database.
 */
export function watchWrites(database: Database, file: string | undefined): Database {
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
