import type { Database } from '../storage/database.ts'
import { noteUses } from './credentials.ts'

/** Uses of credentials that wait to be stored. */
export interface Uses {
  database: Database
  /** By the id of the credential, milliseconds since the epoch. */
  waiting: Map<number, number>
  timer: NodeJS.Timeout | undefined
}

/** The least milliseconds between two writes; all uses meanwhile share one write. */
const WRITE_EVERY = 60_000

export function makeUses(database: Database): Uses {
  return { database, waiting: new Map(), timer: undefined }
}

/** Notes the use of a credential. It is stored within a minute; no request waits for that. */
export function noteUse(uses: Uses, id: number, now: number): void {
  uses.waiting.set(id, now)
  uses.timer ??= setTimeout(() => void writeUses(uses), WRITE_EVERY).unref()
}

/** Stores the waiting times. A time that cannot be stored is lost; the next use has another. */
export async function writeUses(uses: Uses): Promise<void> {
  clearTimeout(uses.timer)
  uses.timer = undefined
  const used = [...uses.waiting]
  uses.waiting.clear()
  if (used.length > 0) await uses.database.write((tx) => noteUses(tx, used)).catch(() => undefined)
}
