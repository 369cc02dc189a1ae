export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the `code` of an error, such as `ENOENT` or a SQLSTATE; the empty text if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
