import { randomUUID } from 'node:crypto'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../problems.ts'

/** Seconds after which an operator may have mended a full or read-only disk. */
const SEEN_TO_AFTER = 30

const FULL = ['ENOSPC', 'EDQUOT']
const UNWRITABLE = ['EROFS', 'EACCES', 'EPERM']

/** A folder of stored files, and whether the last write failed. */
export interface FolderHealth {
  folder: string
  isFailing: boolean
}

/** Runs work that writes files. @throws Problem rest_insufficient_storage and rest_read_only in place of the errors of the system */
export async function writingFiles<T>(health: FolderHealth, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem = problemOf(error)
    if (problem !== undefined) health.isFailing = true
    throw problem ?? error
  }
}

/** Resolves while files can be written; after a failure it tries a write by itself until one succeeds. @throws Problem */
export async function checkFolder(health: FolderHealth): Promise<void> {
  if (!health.isFailing) return
  await writingFiles(health, () => tryToWrite(health.folder))
  health.isFailing = false
}

/** Free bytes below which a small file may fit and the next one not. */
const ROOM_BYTES = 1_000_000

async function tryToWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < ROOM_BYTES) throw new Problem('rest_insufficient_storage', { retryAfter: SEEN_TO_AFTER })
  const file = join(folder, `.${randomUUID()}`)
  try {
    await writeFile(file, 'x')
  } finally {
    await rm(file, { force: true })
  }
}

function problemOf(error: unknown): Problem | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (FULL.includes(code)) return new Problem('rest_insufficient_storage', { retryAfter: SEEN_TO_AFTER })
  if (UNWRITABLE.includes(code)) return new Problem('rest_read_only', { retryAfter: SEEN_TO_AFTER })
  return undefined
}
