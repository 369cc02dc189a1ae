// Reads what was thrown, which may be an error or any other value.

/** Returns the message of an error; of any other value that was thrown, the value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns the code of an error, such as `ENOENT` of the operating system or a SQLSTATE of PostgreSQL; empty
 * for an error without a code.
 */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
