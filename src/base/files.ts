import { chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { codeOf, messageOf } from './errors.ts'

// Folders, files, owners, names flushed to disk.

/**
 * With those above it, open to this user alone. `mkdirSync` with `recursive` would never end where the system
 * makes none, such as in `/proc`.
 * @throws Error with one sentence
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

/** The file in the way of a folder or one above it. */
export function fileAt(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found) return found.isDirectory() ? undefined : folder
  const above = dirname(folder)
  return above === folder ? undefined : fileAt(above)
}

export interface Owner {
  uid: number
  gid: number
}

/** Where nothing is there, of the nearest folder above. */
export function ownerAt(path: string): Owner {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? (found ?? { uid: 0, gid: 0 }) : ownerAt(dirname(path))
}

const isRoot = () => process.getuid?.() === 0

/** Only root can give files away. */
export function giveTo(path: string, { uid, gid }: Owner): void {
  if (isRoot() && (uid !== 0 || gid !== 0)) chownSync(path, uid, gid)
}

/** @throws Error with one sentence when another user owns the file and this is not root */
export function requireOwnerKept(path: string): void {
  const own = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (own === undefined || own === 0 || !found || found.uid === own) return
  throw new Error(`${path} belongs to the user ${found.uid}: run this as that user, or as root.`)
}

/** Below the first a write may fail, below the second somebody should make room. */
export const ROOM_BYTES = 1_000_000
export const LITTLE_BYTES = 1_000_000_000

/** Of its disk. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** New names in it survive a crash. Nothing on Windows. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @throws Error with one sentence */
export function openToRead(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
}

/** Symbolic links resolved. @throws Error with one sentence */
export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): Error {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EPERM') return new Error(`The user ${userName()} may not read ${file}.`)
  return new Error(`The file ${file} cannot be read: ${messageOf(error)}.`)
}

/** Or the number where there is no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
