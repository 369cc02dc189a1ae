import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { codeOf, messageOf } from './errors.ts'

/**
 * Creates the folder and its missing parents, accessible to this user alone. The option `recursive` of
 * `mkdirSync` is not used: it never returns where the system refuses folders, as in `/proc`.
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
    if (!existsSync(folder)) throw new Error(`the folder ${folder} cannot be made (${messageOf(error)})`)
  }
}

/** Returns the path of a file in place of `folder` or of one of its parents; undefined if there is none. */
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

/** The owner of the file or folder at `path`, or of the nearest existing parent. */
export function ownerAt(path: string): Owner {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? (found ?? { uid: 0, gid: 0 }) : ownerAt(dirname(path))
}

const isRoot = () => process.getuid?.() === 0

/** Changes the owner of `path` if this process runs as root; other users may not. */
export function giveTo(path: string, { uid, gid }: Owner): void {
  if (isRoot() && (uid !== 0 || gid !== 0)) chownSync(path, uid, gid)
}

/**
 * Free disk space: below `LEAST_FREE_BYTES` a write may fail, below `LOW_FREE_BYTES` an operator should make
 * room.
 */
export const LEAST_FREE_BYTES = 1_000_000
export const LOW_FREE_BYTES = 1_000_000_000

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Flushes the entries of `folder` to disk, so that new and renamed files survive a crash; not on Windows. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @throws Error with one sentence that says why the file cannot be read */
export function openToRead(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
}

export function unreadable(file: string, error: unknown): Error {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EPERM') return new Error(`The user ${userName()} may not read ${file}.`)
  return new Error(`The file ${file} cannot be read: ${messageOf(error)}.`)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
