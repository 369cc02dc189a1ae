import type { Database } from '../storage/database.ts'
import { noteUses } from './credentials.ts'

/** Uses of credentials that are still to be written down. */
export interface Uses {
  database: Database
  /** By the id of the credential, milliseconds since the epoch. */
  waiting: Map<number, number>
  timer: NodeJS.Timeout | undefined
}

/** Milliseconds between two writes at the least: all that was used meanwhile shares one. */
const WRITE_EVERY = 60_000

export function makeUses(database: Database): Uses {
  return { database, waiting: new Map(), timer: undefined }
}

/** Notes that a credential was used just now. It is written down within a minute; nobody waits for that. */
export function noteUse(uses: Uses, id: number, now: number): void {
  uses.waiting.set(id, now)
  uses.timer ??= setTimeout(() => void writeUses(uses), WRITE_EVERY).unref()
}

/** Writes the waiting times. A time that cannot be written is lost, and the next use has another. */
export async function writeUses(uses: Uses): Promise<void> {
  clearTimeout(uses.timer)
  uses.timer = undefined
  const used = [...uses.waiting]
  uses.waiting.clear()
  if (used.length > 0) await uses.database.write((tx) => noteUses(tx, used)).catch(() => undefined)
}
