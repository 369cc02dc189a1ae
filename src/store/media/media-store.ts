import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../../base/errors.ts'
import { freeBytesOf, giveTo, LEAST_FREE_BYTES, type Owner, ownerAt, syncFolder } from '../../base/files.ts'
import { diskProblem, Problem } from '../../base/problems.ts'
import { mimeTypeOf } from './image-sizes.ts'

export interface ImageService {
  store: MediaStore
  /** Hosts that images are fetched from; empty: every public host. */
  hosts: readonly string[]
  maxBytes: number
  /** The URL of the store's files, such as `https://example.org/media`, without a slash at the end. */
  mediaUrl: string
}

interface StoredFile {
  /** Must be read to the end or destroyed. */
  stream: Readable
  mimeType: string
  size: number
}

export interface ListedFile {
  key: string
  size: number
  /** Ms since the epoch. */
  modified: number
  /** True for a file that an unfinished write left behind; nobody can read it. */
  isLeftover: boolean
}

/** A key such as `2026/11/poster.png` always stands for the same bytes, so answers may be cached for ever. */
export interface MediaStore {
  /**
   * Stores the file durably. Returns false and changes nothing if the key is taken; of several callers, on
   * any node, one wins (but see `s3MediaStore`).
   * @throws Error if the store fails or the key is malformed
   */
  put: (key: string, bytes: Uint8Array, mimeType: string) => Promise<boolean>
  read: (key: string) => Promise<StoredFile | undefined>
  /**
   * Removes the file. Its key stays taken, unless `list` called the file a leftover.
   * @throws Error if the store fails or the key is malformed
   */
  remove: (key: string) => Promise<void>
  /**
   * Writes a file, even over one that an interrupted copy of a store left behind. For new files, use `put`.
   * @throws Error if the store fails or the key is malformed
   */
  restore: (key: string, bytes: Uint8Array, mimeType: string) => Promise<void>
  /** Yields files, leftovers and removed files (of size 0), in any order. */
  list: () => AsyncIterable<ListedFile>
  /** Rejects if files cannot be written, as far as this process knows. */
  check: () => Promise<void>
}

export const MEDIA_CACHE_CONTROL = 'public, max-age=31536000, immutable'

/**
 * Returns a store in a folder, made with the first file. On a full or read-only disk, writes reject with a
 * Problem.
 */
export function localMediaStore(folder: string): MediaStore {
  const health: FolderHealth = { folder, isFailing: false, device: deviceOf(folder) }
  return {
    put: async (key, bytes) => writingFiles(health, () => putFile(pathOf(folder, key), bytes)),
    read: async (key) => (isKey(key) ? readFile(join(folder, key)) : undefined),
    remove: async (key) =>
      LEFTOVER.test(key) ? rm(join(folder, key), { force: true }) : emptyFile(pathOf(folder, key)),
    list: () => listFiles(folder),
    restore: async (key, bytes) =>
      writingFiles(health, () => replaceFile(folder, pathOf(folder, key), bytes)),
    check: () => checkFolder(health),
  }
}

/**
 * True for plain names between slashes. No name may start with a dot, so no key leads out of the folder or
 * to an unfinished file.
 */
export const isKey = (key: string) => /^\w[\w.-]{0,199}(\/\w[\w.-]{0,199})*$/.test(key)

const LEFTOVER = /^(\w[\w.-]{0,199}\/)*\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Skips names that this service never makes. */
async function* listFiles(folder: string): AsyncGenerator<ListedFile> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  for (const name of names) {
    const key = name.split(sep).join('/')
    const isLeftover = LEFTOVER.test(key)
    const found = isLeftover || isKey(key) ? await stat(join(folder, name)).catch(() => undefined) : undefined
    if (found?.isFile()) yield { key, size: found.size, modified: found.mtimeMs, isLeftover }
  }
}

function pathOf(folder: string, key: string): string {
  if (!isKey(key)) throw new Error(`"${key}" is no key of a media file.`)
  return join(folder, key)
}

/** Claims the name with an empty file, then moves the complete file there. False if the name is taken. */
async function putFile(path: string, bytes: Uint8Array): Promise<boolean> {
  const firstMade = await mkdir(dirname(path), { recursive: true })
  if (!(await claim(path))) return false
  try {
    await moveIn(path, bytes, firstMade)
    return true
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function replaceFile(store: string, path: string, bytes: Uint8Array): Promise<void> {
  const owner = ownerAt(store)
  const firstMade = await mkdir(dirname(path), { recursive: true })
  for (let folder = dirname(path); folder.length >= store.length; folder = dirname(folder))
    giveTo(folder, owner)
  await moveIn(path, bytes, firstMade, owner)
}

/** Writes to `path` atomically and durably. `firstMade` is the topmost folder that was made for the file. */
async function moveIn(
  path: string,
  bytes: Uint8Array,
  firstMade: string | undefined,
  owner?: Owner,
): Promise<void> {
  const folder = dirname(path)
  const partial = join(folder, `.${randomUUID()}`)
  try {
    await writeThrough(partial, bytes)
    if (owner) giveTo(partial, owner)
    await rename(partial, path)
    await syncFolders(folder, firstMade === undefined ? folder : dirname(firstMade))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function claim(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function writeThrough(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolders(folder: string, top: string): Promise<void> {
  await syncFolder(folder)
  if (folder !== top && dirname(folder) !== folder) await syncFolders(dirname(folder), top)
}

async function emptyFile(path: string): Promise<void> {
  try {
    await truncate(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Opens a file; undefined if it is missing, or empty because `put` is writing it or it was removed. */
async function readFile(path: string): Promise<StoredFile | undefined> {
  const file = await openExisting(path)
  const stat = await file?.stat()
  if (file && stat?.isFile() && stat.size > 0)
    return { stream: file.createReadStream(), mimeType: mimeTypeOf(path), size: stat.size }
  await file?.close()
  return undefined
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))
}

const FULL = ['ENOSPC', 'EDQUOT']
const UNWRITABLE = ['EROFS', 'EACCES', 'EPERM']

interface FolderHealth {
  folder: string
  isFailing: boolean
  device: number | undefined
}

const deviceOf = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.dev

/** @throws Problem rest_unavailable if the disk of the images is not mounted */
function requireMounted(health: FolderHealth): void {
  const device = deviceOf(health.folder)
  health.device ??= device
  if (device !== undefined && device !== health.device)
    throw new Problem('rest_unavailable', { retryAfter: 30 })
}

/** @throws Problem rest_insufficient_storage or rest_read_only if `work` fails by a full or read-only disk */
async function writingFiles<T>(health: FolderHealth, work: () => Promise<T>): Promise<T> {
  requireMounted(health)
  try {
    return await work()
  } catch (error) {
    const problem = problemOf(error)
    if (problem !== undefined) health.isFailing = true
    throw problem ?? error
  }
}

async function checkFolder(health: FolderHealth): Promise<void> {
  requireMounted(health)
  if (!health.isFailing) return
  await writingFiles(health, () => tryToWrite(health.folder))
  health.isFailing = false
}

async function tryToWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  // The test file may fit where an image does not.
  if ((await freeBytesOf(folder)) < LEAST_FREE_BYTES) throw diskProblem('rest_insufficient_storage')
  const file = join(folder, `.${randomUUID()}`)
  try {
    await writeFile(file, 'x')
  } finally {
    await rm(file, { force: true })
  }
}

function problemOf(error: unknown): Problem | undefined {
  const code = codeOf(error)
  if (FULL.includes(code)) return diskProblem('rest_insufficient_storage')
  if (UNWRITABLE.includes(code)) return diskProblem('rest_read_only')
  return undefined
}
