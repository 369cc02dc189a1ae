import { readdir, rename, rm, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { MediaStore } from '../media/media-store.ts'
import {
  BACKUP_FORMAT,
  type BackupWriter,
  type Manifest,
  openBackup,
  writeBackupTables,
} from '../storage/backup-file.ts'
import { syncFolder } from '../sync-folder.ts'
import { formatUtc } from '../text/moments.ts'
import { readVersion } from '../version.ts'
import { namedFiles } from './clean-media.ts'
import type { CopyProgress } from './copy.ts'
import { requireFolderOf } from './output-file.ts'
import { isSealed, sealFile } from './seal.ts'

/** Where a backup is taken from. */
export interface BackupSource {
  /** Address of the database, as in the setting. */
  database: string
  media: MediaStore
}

/** What a backup is to have. */
export interface BackupContent {
  /** False to leave hashes of passwords and tokens out. */
  withSecrets: boolean
}

/** Files that are fetched at the same time. */
const FILES_AT_ONCE = 8

/**
 * Takes a backup of a calendar into a file, while the service may be running and writing. The file appears under its name once it is whole, was read
 * back and is on the disk; until then it has another name beside. It takes the place of an older backup, and of nothing else.
 * @param now milliseconds since the epoch
 * @throws Error with one sentence when it cannot be taken; nothing is left behind then
 */
export async function backUp(
  source: BackupSource,
  file: string,
  content: BackupContent,
  now: number,
  progress: CopyProgress,
): Promise<Manifest> {
  await requireReplaceable(file)
  await removeLeftovers(file)
  const partial = `${file}.${process.pid}.part`
  try {
    const manifest = await writeBackup(source, partial, content, now, progress)
    // Reads everything back.
    openBackup(partial).close()
    await sealFile(partial)
    await rename(partial, file)
    await syncFolder(dirname(file))
    return manifest
  } catch (error) {
    for (const end of ['', '-journal']) await rm(partial + end, { force: true })
    throw withPlace(error, file)
  }
}

/** What SQLite says of a file that it cannot write names no file. */
function withPlace(error: unknown, file: string): unknown {
  const isOfFile = error instanceof Error && 'errcode' in error
  return isOfFile ? new Error(`The backup cannot be written to ${file}: ${error.message}.`, { cause: error }) : error
}

async function requireReplaceable(file: string): Promise<void> {
  requireFolderOf(file)
  const isBackup = await isSealed(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return true
    throw new Error(`No backup can be written to ${file}: ${error.message}.`)
  })
  if (!isBackup) throw new Error(`The file ${file} is there already and is no backup; it is left as it is.`)
}

/** The unfinished backup of a process, and the files that SQLite may have beside it. */
const LEFTOVER = /^\.(\d{1,10})\.part(?:-journal|-wal|-shm)?$/

/** Removes what processes that are no more have left behind of the same backup. */
async function removeLeftovers(file: string): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)]
  const names = await readdir(folder).catch(() => [])
  for (const found of names.filter((other) => other.startsWith(`${name}.`))) {
    const pid = Number(LEFTOVER.exec(found.slice(name.length))?.[1])
    if (pid > 0 && (pid === process.pid || !isRunning(pid))) await rm(join(folder, found), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function writeBackup(
  { database, media }: BackupSource,
  file: string,
  { withSecrets }: BackupContent,
  now: number,
  progress: CopyProgress,
): Promise<Manifest> {
  const { bavail, bsize } = await statfs(dirname(file))
  const { writer, tables } = await writeBackupTables(database, file, { withSecrets, free: bavail * bsize })
  try {
    const files = await addFiles(writer, media, progress)
    const made = { format: BACKUP_FORMAT, made_utc: formatUtc(now), version: readVersion() }
    const manifest: Manifest = { ...made, ...tables, ...files, ...(withSecrets ? {} : { withoutSecrets: true }) }
    writer.finish(manifest)
    return manifest
  } catch (error) {
    writer.close()
    throw error
  }
}

/** Adds the files of all images that the backup lists. */
async function addFiles(
  writer: BackupWriter,
  media: MediaStore,
  progress: CopyProgress,
): Promise<Pick<Manifest, 'files' | 'bytes' | 'missing'>> {
  const keys = [...(await namedFiles(writer.db))]
  const added = { files: 0, bytes: 0, missing: [] as string[] }
  progress.start('image files', keys.length)
  for (let at = 0; at < keys.length; at += FILES_AT_ONCE) {
    const some = keys.slice(at, at + FILES_AT_ONCE)
    const found = await Promise.all(some.map((key) => readWhole(media, key)))
    for (const [index, bytes] of found.entries()) {
      const key = some[index] ?? ''
      if (!bytes) {
        added.missing.push(key)
        continue
      }
      writer.addFile(key, bytes)
      added.files += 1
      added.bytes += bytes.length
    }
    progress.advance(some.length)
  }
  progress.finish()
  return added
}

/** The bytes of a file; undefined when the store has none under this key. */
export async function readWhole(media: MediaStore, key: string): Promise<Uint8Array | undefined> {
  const file = await media.read(key)
  return file && buffer(file.stream)
}
