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
  return error instanceof Error && 'code' in error ? FILE_LACKS[String(error.code)] : undefined
}
