import { codeOf } from '../../base/errors.ts'

// Failures of the database: what it lacks, and whether trying again may help.
/** Without room or permission to write, reads go on. */
export type Lack = 'answer' | 'space' | 'permission'

/**
 * Trying again may succeed, soon if it lacks an answer. The write has changed nothing, unless the connection
 * was lost during the commit.
 */
export class DatabaseUnavailable extends Error {
  readonly lack: Lack

  constructor(message: string, cause?: unknown, lack: Lack = 'answer') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
    this.lack = lack
  }
}

/** Returns the end of a sentence, with its full stop. */
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
  ENOSPC: 'space',
  EDQUOT: 'space',
  EFBIG: 'space',
  EROFS: 'permission',
  EACCES: 'permission',
  EPERM: 'permission',
  EIO: 'answer',
  EMFILE: 'answer',
  ENFILE: 'answer',
}

export function lackBehind(error: unknown): Lack | undefined {
  if (error instanceof DatabaseUnavailable) return error.lack
  return FILE_LACKS[codeOf(error)]
}

/** Another row has a value that must be unique, on either database. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codeOf(error) === '23505' || /UNIQUE constraint failed/.test(error.message)
}

const OUTDATED = '0A000'

/** Serialization failure, deadlock, a row removed while referred to, changed tables. */
const RACES = new Set(['40001', '40P01', '23503', OUTDATED])

export function isRace(error: unknown): boolean {
  return isConflict(error) || RACES.has(codeOf(error))
}

const OVERDUE_LOCK = '55P03'

/** Whether other transactions made it fail, however often it was tried; nothing has changed. */
export function isHindered(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return isRace(cause) || codeOf(cause) === OVERDUE_LOCK
}

export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}
