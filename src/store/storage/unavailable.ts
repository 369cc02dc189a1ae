import { codeOf } from '../../base/errors.ts'

// Failures of the database: what it lacks, and whether trying again may help.
/** An answer, room, or permission to write. Without the latter two, reads go on. */
export type Lack = 'answer' | 'room' | 'permission'

/**
 * Trying again may succeed, soon where it lacks an answer. The write has changed nothing, unless the
 * connection was lost during the commit.
 */
export class DatabaseUnavailable extends Error {
  readonly lack: Lack

  constructor(message: string, cause?: unknown, lack: Lack = 'answer') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
    this.lack = lack
  }
}

/** The end of a sentence, with its full stop. */
export function reason(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable && error.cause ? error.cause : error
  const text =
    cause instanceof Error
      ? cause.message || ('code' in cause ? String(cause.code) : cause.name)
      : String(cause)
  return text.endsWith('.') ? text : `${text}.`
}

/** A file system that cannot be written to, or cannot open more files. */
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

/** Undefined for any other error. */
export function lackBehind(error: unknown): Lack | undefined {
  if (error instanceof DatabaseUnavailable) return error.lack
  return FILE_LACKS[codeOf(error)]
}

/** On either database: another row holds a value that must be unique. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codeOf(error) === '23505' || /UNIQUE constraint failed/.test(error.message)
}

/** A prepared statement no longer fits the tables. */
const OUTDATED = '0A000'

/** Serialization failure, deadlock, a row removed while referred to, changed tables. */
const RACES = new Set(['40001', '40P01', '23503', OUTDATED])

/** It may succeed when run again. */
export function isRace(error: unknown): boolean {
  return isConflict(error) || RACES.has(codeOf(error))
}

/** The wait for a lock took too long. */
const OVERDUE_LOCK = '55P03'

/** Because of other transactions, however often it was tried; nothing has changed. */
export function isHindered(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return isRace(cause) || codeOf(cause) === OVERDUE_LOCK
}

/** Tables have changed since PostgreSQL first received the statement. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}
