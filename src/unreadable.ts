import { realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** Opens a file to read it. @throws Error with one sentence when it cannot be read */
export function openToRead(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
}

/** The path of a file that is there, without links. @throws Error with one sentence when it cannot be found */
export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** An error with one sentence for a file that could not be read; `error` is what the system said. */
function unreadable(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EPERM') return new Error(`The user ${userName()} may not read ${file}.`)
  return new Error(`The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
}

/** Who runs this; a number where the system has no name for it. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
