import { chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { codeOf, messageOf } from './errors.ts'

// Makes folders, opens files, flushes names to disk, and keeps the owner of files that are replaced.

/**
 * Makes a folder and all missing folders above it, open to this user alone; does nothing where it is there.
 * `mkdirSync` with `recursive` would never end where the system makes no folders, such as in `/proc`.
 * @throws Error with one sentence when the folder cannot be made, or a file stands in its place
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (fileAt(folder) !== undefined) throw new Error(`${folder} is a file, and has to be a folder`)
    return
  }
  const above = dirname(folder)
  if (above !== folder) makeFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw new Error(`the folder ${folder} cannot be made (${messageOf(error)})`)
  }
}

/**
 * Returns the path of the file that stands where a folder or one above it has to be, so that the folder
 * cannot be made; undefined where none does.
 */
export function fileAt(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found) return found.isDirectory() ? undefined : folder
  const above = dirname(folder)
  return above === folder ? undefined : fileAt(above)
}

/** The ids of the user and the group that a file belongs to. */
export interface Owner {
  uid: number
  gid: number
}

/**
 * Returns the owner of the file or folder at a path; where nothing is there, the owner of the nearest
 * existing folder above it.
 */
export function ownerAt(path: string): Owner {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? (found ?? { uid: 0, gid: 0 }) : ownerAt(dirname(path))
}

const isRoot = () => process.getuid?.() === 0

/**
 * Makes a file or folder belong to an owner. Does nothing unless root runs this: other users cannot give
 * files away.
 */
export function giveTo(path: string, { uid, gid }: Owner): void {
  if (isRoot() && (uid !== 0 || gid !== 0)) chownSync(path, uid, gid)
}

/**
 * Checks that a file can be replaced without a change of its owner.
 * @throws Error with one sentence when another user owns it and root does not run this
 */
export function requireOwnerKept(path: string): void {
  const own = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (own === undefined || own === 0 || !found || found.uid === own) return
  throw new Error(`${path} belongs to the user ${found.uid}: run this as that user, or as root.`)
}

/** Free bytes below which a write may fail, and those below which somebody should make room. */
export const ROOM_BYTES = 1_000_000
export const LITTLE_BYTES = 1_000_000_000

/** The free bytes of the disk that a folder is on. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Flushes a folder to disk, so that new names in it survive a crash. Does nothing on Windows. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens a file to read it. @throws Error with one sentence when it cannot be read */
export function openToRead(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
}

/**
 * Returns the path of a file with all symbolic links resolved.
 * @throws Error with one sentence when the file cannot be found
 */
export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Returns an error with one sentence on why a file could not be read. `error` is the error of the system. */
function unreadable(file: string, error: unknown): Error {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EPERM') return new Error(`The user ${userName()} may not read ${file}.`)
  return new Error(`The file ${file} cannot be read: ${messageOf(error)}.`)
}

/**
 * Returns the name of the user who runs this process, or the user's number where the system has no name for
 * it.
 */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
