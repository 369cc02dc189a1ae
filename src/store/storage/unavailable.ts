import { codeOf } from '../../base/errors.ts'

// Tells failures of the database apart: what the database lacks, and whether trying again may help.
/**
 * The thing that the database lacks: an answer, room, or the permission to write. Without room or permission,
 * reads go on.
 */
export type Lack = 'answer' | 'room' | 'permission'

/**
 * The error of a database that cannot be reached, is overloaded, takes too long, or cannot write. Trying
 * again may succeed, soon where it lacks an answer. A write that fails like this has changed nothing, unless
 * the connection was lost during the commit itself.
 */
export class DatabaseUnavailable extends Error {
  readonly lack: Lack

  constructor(message: string, cause?: unknown, lack: Lack = 'answer') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
    this.lack = lack
  }
}

/** Returns the reason of a failure, as the end of a sentence, with its full stop. */
export function reason(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable && error.cause ? error.cause : error
  const text =
    cause instanceof Error
      ? cause.message || ('code' in cause ? String(cause.code) : cause.name)
      : String(cause)
  return text.endsWith('.') ? text : `${text}.`
}

/** The lack behind each error code of a file system that cannot be written to, or cannot open more files. */
const FILE_LACKS: Readonly<Record<string, Lack>> = {
  ENOSPC: 'room',
  EDQUOT: 'room',
  EFBIG: 'room',
  EROFS: 'permission',
  EACCES: 'permission',
  EPERM: 'permission',
  EIO: 'answer',
  EMFILE: 'answer',
  ENFILE: 'answer',
}

/** Returns what the database lacked when an error of it or of a file came; undefined for any other error. */
export function lackBehind(error: unknown): Lack | undefined {
  if (error instanceof DatabaseUnavailable) return error.lack
  return FILE_LACKS[codeOf(error)]
}

/**
 * Returns true when a write failed because another row already holds a value that must be unique, on either
 * database.
 */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codeOf(error) === '23505' || /UNIQUE constraint failed/.test(error.message)
}

/** The code for a prepared statement that no longer fits the tables. */
const OUTDATED = '0A000'

/**
 * The codes for a serialization failure, a deadlock, a row that another transaction removed while this one
 * referred to it, and changed tables.
 */
const RACES = new Set(['40001', '40P01', '23503', OUTDATED])

/** Returns true when a transaction failed because of another one and may succeed when run again. */
export function isRace(error: unknown): boolean {
  return isConflict(error) || RACES.has(codeOf(error))
}

/** The code for a wait for another transaction's lock that took too long. */
const OVERDUE_LOCK = '55P03'

/**
 * Returns true when a write failed because of other transactions, however often it was tried. It has then
 * changed nothing.
 */
export function isHindered(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return isRace(cause) || codeOf(cause) === OVERDUE_LOCK
}

/** Returns true when a statement failed because tables have changed since PostgreSQL first received it. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}
