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
  return isConflict(error) || (error instanceof Error && RACES.has(codeOf(error)))
}

/** True when a statement failed because tables have changed since PostgreSQL was first sent it. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === OUTDATED
}

/** The SQLSTATE of an error of PostgreSQL, or the code of one of the operating system; empty for any other. */
export function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}
