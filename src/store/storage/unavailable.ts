import { codeOf } from '../../base/errors.ts'

/**
 * What an unavailable database lacks: an `answer`, disk `space`, or `permission` to write. If `space` or
 * `permission` is lacking, reads still work.
 */
export type Lack = 'answer' | 'space' | 'permission'

/**
 * The database does not answer or cannot be written to. A retry may succeed, soon if `lack` is `'answer'`. A
 * write that fails by this error has changed nothing, unless the connection was lost during the commit.
 */
export class DatabaseUnavailable extends Error {
  readonly lack: Lack

  constructor(message: string, cause?: unknown, lack: Lack = 'answer') {
    super(message, { cause })
    this.name = 'DatabaseUnavailable'
    this.lack = lack
  }
}

/** Returns the message of the underlying error, with a full stop, to end a sentence. */
export function reason(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable && error.cause ? error.cause : error
  const text =
    cause instanceof Error
      ? cause.message || ('code' in cause ? String(cause.code) : cause.name)
      : String(cause)
  return text.endsWith('.') ? text : `${text}.`
}

/** By error code of a file system that cannot be written to, or cannot open more files. */
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

/** True if a unique constraint was violated. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codeOf(error) === '23505' || /UNIQUE constraint failed/.test(error.message)
}

const OUTDATED = '0A000'

/** PostgreSQL: serialization failure, deadlock, foreign key violation, table changed by a migration. */
const RACES = new Set(['40001', '40P01', '23503', OUTDATED])

export function isRace(error: unknown): boolean {
  return isConflict(error) || RACES.has(codeOf(error))
}

const OVERDUE_LOCK = '55P03'

/** True if a write failed, even after retries, only because of other transactions; it has changed nothing. */
export function isHindered(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return isRace(cause) || codeOf(cause) === OVERDUE_LOCK
}

export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}
