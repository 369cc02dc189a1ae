export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns a code such as `ENOENT` or a SQLSTATE; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
