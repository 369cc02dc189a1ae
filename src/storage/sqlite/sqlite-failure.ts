import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, type Lack } from '../unavailable.ts'

/**
 * The meaning of primary result codes of SQLite: PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN and PROTOCOL. All other codes are our own
 * faults.
 */
const LACKS: Record<number, Lack> = {
  3: 'permission',
  5: 'answer',
  6: 'answer',
  8: 'permission',
  10: 'answer',
  13: 'room',
  14: 'answer',
  15: 'answer',
}

/** The meaning of extended result codes: IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC, IOERR_TRUNCATE and IOERR_SHMSIZE. Reads go on after them. */
const WRITE_LACKS: Record<number, Lack> = {
  778: 'permission',
  1034: 'permission',
  1290: 'permission',
  1546: 'permission',
  4874: 'permission',
}

const BUSY = 5

const extendedCodeOf = (error: unknown) =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined

const codeOf = (error: unknown) => {
  const code = extendedCodeOf(error)
  return code === undefined ? undefined : code & 0xff
}

/** DatabaseUnavailable for an error of SQLite that means it; any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  const code = extendedCodeOf(error)
  const lack = code === undefined ? undefined : (WRITE_LACKS[code] ?? LACKS[code & 0xff])
  if (lack === undefined || !(error instanceof Error)) return error
  return new DatabaseUnavailable(`The database ${WORDS[lack]}: ${error.message}.`, error, lack)
}

const WORDS: Record<Lack, string> = {
  answer: 'does not answer',
  room: 'has no room left',
  permission: 'may not be written',
}

/** True when another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY
}

/** The most milliseconds to wait for a lock. */
export const LOCK_MS = 5000

/** Milliseconds between attempts: they grow up to the last entry. */
const PAUSES_MS = [1, 2, 5, 10] as const
const LAST_PAUSE_MS = 20

/** Waits before the next attempt at a lock; `attempts` have failed. */
export function pauseAfter(attempts: number): Promise<void> {
  return sleep(PAUSES_MS[attempts - 1] ?? LAST_PAUSE_MS)
}

/** Tries until the lock is free, without blocking the event loop. Rejects with DatabaseUnavailable after `LOCK_MS`. */
export async function whenFree<T>(attempt: () => T | Promise<T>): Promise<T> {
  const since = performance.now()
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > LOCK_MS) throw asUnavailable(error)
    }
    await pauseAfter(attempts)
  }
}
