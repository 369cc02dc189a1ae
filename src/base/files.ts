import { chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { codeOf, messageOf } from './errors.ts'

// Folders and files of the service: made, flushed, given to their owner.

/**
 * Makes a folder with those above it, for this user alone, where it is missing. Node's own way never ends where the system makes no
 * folders, such as in `/proc`.
 * @throws Error with one sentence when it cannot be made, or something else has its place
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

/** Returns the path of the file that keeps a folder from being made: the path of the folder itself, or one above it. Undefined where there is none. */
export function fileAt(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found) return found.isDirectory() ? undefined : folder
  const above = dirname(folder)
  return above === folder ? undefined : fileAt(above)
}

/** The user and the group that a file belongs to. */
export interface Owner {
  uid: number
  gid: number
}

/** Returns the owner of the file or folder at a path. Where nothing is there, the nearest existing folder above it counts. */
export function ownerAt(path: string): Owner {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? (found ?? { uid: 0, gid: 0 }) : ownerAt(dirname(path))
}

const isRoot = () => process.getuid?.() === 0

/** Gives a path to an owner. Only root may: files that other users make are their own. */
export function giveTo(path: string, { uid, gid }: Owner): void {
  if (isRoot() && (uid !== 0 || gid !== 0)) chownSync(path, uid, gid)
}

/** @throws Error with one sentence when a file that is to be replaced belongs to somebody whom this user cannot give the new one to. */
export function requireOwnerKept(path: string): void {
  const own = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (own === undefined || own === 0 || !found || found.uid === own) return
  throw new Error(`${path} belongs to the user ${found.uid}: run this as that user, or as root.`)
}

/** Makes new names in a folder durable. Windows cannot. */
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
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EPERM') return new Error(`The user ${userName()} may not read ${file}.`)
  return new Error(`The file ${file} cannot be read: ${messageOf(error)}.`)
}

/** The name of the user who runs this; a number where the system has no name for it. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
