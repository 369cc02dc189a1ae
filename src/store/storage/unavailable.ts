import { codeOf } from '../../base/errors.ts'

// Failures of the database: what it lacks, and whether trying again may help.
/** The resource that the database lacks: an answer, room, or the permission to write. Reads go on in the last two cases. */
export type Lack = 'answer' | 'room' | 'permission'

/**
 * The database fails: it cannot be reached, is overloaded, takes too long, or cannot write. Trying again may succeed,
 * soon where it lacks an answer. A write that ends like this has changed nothing, unless the connection was lost during the commit itself.
 */
export class DatabaseUnavailable extends Error {
  readonly lack: Lack

  constructor(message: string, cause?: unknown, lack: Lack = 'answer') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
    this.lack = lack
  }
}

/** The reason of a failure, as the end of a sentence. */
export function reason(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable && error.cause ? error.cause : error
  const text =
    cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause)
  return text.endsWith('.') ? text : `${text}.`
}

/** Codes of file systems that cannot be written to, or cannot open more files. */
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

/** The resource that an error of the database or of a file lacks; undefined for any other error. */
export function lackBehind(error: unknown): Lack | undefined {
  if (error instanceof DatabaseUnavailable) return error.lack
  return FILE_LACKS[codeOf(error)]
}

/** True when a write failed because another row already holds a value that must be unique, on either database. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codeOf(error) === '23505' || /UNIQUE constraint failed/.test(error.message)
}

/** A prepared statement of a session no longer fits the tables. */
const OUTDATED = '0A000'

/** Serialization failure, deadlock, a row that another transaction removed while this one referred to it, and tables that have changed. */
const RACES = new Set(['40001', '40P01', '23503', OUTDATED])

/** True when a transaction failed because of another one and may succeed when run again. */
export function isRace(error: unknown): boolean {
  return isConflict(error) || RACES.has(codeOf(error))
}

/** A wait for a lock of another transaction that took too long. */
const OVERDUE_LOCK = '55P03'

/** True when a write failed because of other transactions, however often it was tried, so that it has changed nothing. */
export function isHindered(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return isRace(cause) || codeOf(cause) === OVERDUE_LOCK
}

/** True when a statement failed because tables have changed since PostgreSQL was first sent it. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}
