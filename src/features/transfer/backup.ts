import { existsSync, statSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { codeOf, messageOf } from '../../base/errors.ts'
import { freeBytesOf, syncFolder } from '../../base/files.ts'
import { askedCount, askedSpan, type Print, runCommand } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { CalendarPlaces } from '../../calendar/open-ground.ts'
import type { MediaStore } from '../../store/media/media-store.ts'
import { insertActs } from '../../store/storage/history.ts'
import { openExisting } from '../../store/storage/open-database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import {
  BACKUP_FORMAT,
  type BackupWriter,
  type Manifest,
  openBackup,
  writeBackupTables,
} from './backup-file.ts'
import { namedFiles, withReason } from './clean-media.ts'
import { warnOfMove } from './database-moves.ts'
import { isSealed, sealFile } from './seal.ts'
import { asRefusal, type CopyProgress, requireFolderOf, showProgress } from './show-progress.ts'

interface BackupOptions {
  every?: string
  keep?: string
  withoutSecrets?: true
}

export function registerBackupCommand(program: Command, open: () => Promise<CalendarPlaces>): void {
  program
    .command('backup')
    .description(
      'Write the calendar with its images into one file, and read the file back to check it. The ' +
        'service may run meanwhile.',
    )
    .argument(
      '<target>',
      'the file, which may be an older backup to replace; or a folder, in which the file is named ' +
        'after the time',
    )
    .option('--every <time>', 'keep running, and take a backup at this interval: 30m, 24h or 7d')
    .option('--keep <number>', 'keep this many backups in the folder, and remove older ones')
    .option(
      '--without-secrets',
      'leave out hashes of passwords and tokens, and webhooks, so that the file can be handed on; ' +
        'nobody can sign in to a calendar restored from it',
    )
    .action((target: string, options: BackupOptions, command: Command) =>
      runCommand(command, async (print) => {
        const plan = readPlan(target, options)
        const places = await open()
        if (plan.everyMs === undefined) return backUpOnce(places, plan, print)
        return backUpAgainAndAgain(places, plan, print)
      }),
    )
}

interface BackupPlan {
  target: string
  isFolder: boolean
  everyMs: number | undefined
  keep: number | undefined
  withSecrets: boolean
}

function readPlan(target: string, { every, keep, withoutSecrets }: BackupOptions): BackupPlan {
  const isFolder = existsSync(target) && statSync(target).isDirectory()
  if (!isFolder && (every !== undefined || keep !== undefined))
    throw new Error(`--every and --keep need a folder, and ${target} is none: make it first.`)
  const everyMs =
    every === undefined ? undefined : askedSpan(every, '--every takes a time such as 30m, 24h or 7d')
  const kept = keep === undefined ? undefined : askedCount('--keep', keep)
  return { target, isFolder, everyMs, keep: kept, withSecrets: withoutSecrets === undefined }
}

async function backUpOnce(places: CalendarPlaces, plan: BackupPlan, print: Print): Promise<void> {
  const { target, isFolder, keep, withSecrets } = plan
  const now = Date.now()
  const file = isFolder ? join(target, nameAt(now)) : target
  const progress = await showProgress(process.stderr, () => undefined)
  const manifest = await withReason(places, () => backUp(places, file, withSecrets, now, progress))
  describeBackup(file, (await stat(file)).size, manifest).forEach(print)
  if (withSecrets) await noteBackup(places.database, file, now, print)
  // After a copy to another database, earlier backups may be the last good ones: none is removed.
  if (warnOfMove(places.database) || keep === undefined) return
  for (const old of (await listBackups(target)).slice(keep)) {
    await rm(join(target, old))
    print(`Removed ${old}.`)
  }
}

/**
 * Records the backup for `kalends doctor`. If the database cannot be written (a standby, a full disk), prints
 * the reason.
 */
async function noteBackup(address: string, file: string, now: number, print: Print): Promise<void> {
  try {
    const database = await openExisting(address)
    const acts = [{ kind: 'backup', record: 0, act: { action: 'create', name: file } }] as const
    await database
      .write((tx) => insertActs(tx, acts, now), writerBy('kalends backup'))
      .finally(database.close)
  } catch (error) {
    const reason = messageOf(error)
    print(`It is not in the history, so kalends doctor does not know of it: ${reason}`)
  }
}

/** Ms until the retry of a failed backup; `everyMs` if that is less. */
const AGAIN_MS = 900_000

async function backUpAgainAndAgain(places: CalendarPlaces, plan: BackupPlan, print: Print): Promise<never> {
  const everyMs = plan.everyMs ?? 0
  for (;;) {
    const [last] = await listBackups(plan.target)
    const due = last === undefined ? 0 : timeOf(last) + everyMs
    await sleepUntil(due)
    try {
      await backUpOnce(places, plan, print)
    } catch (error) {
      console.error(messageOf(error))
      await sleep(Math.min(everyMs, AGAIN_MS))
    }
  }
}

const LONGEST_SLEEP = 86_400_000

async function sleepUntil(due: number): Promise<void> {
  for (let left = due - Date.now(); left > 0; left = due - Date.now())
    await sleep(Math.min(left, LONGEST_SLEEP))
}

const NAME = /^kalends-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/

function nameAt(now: number): string {
  return `kalends-${formatUtc(now).replace(' ', 'T').replaceAll(':', '')}Z.backup`
}

function timeOf(name: string): number {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? []
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
}

/** Complete backups in the folder, newest first by the time in the name. */
async function listBackups(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  const finished: string[] = []
  for (const name of names.reverse()) if (await isSealed(join(folder, name))) finished.push(name)
  return finished
}

function describeBackup(
  file: string,
  size: number,
  { rows, files, missing, withoutSecrets }: Manifest,
): string[] {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  return [
    ...missing.map((key) => `Not in the store, though an image names it: ${key}`),
    `The backup ${file} is whole: ${rows.events} events, ${total} rows in all, ${files} files of ` +
      `images, ${size} bytes.`,
    withoutSecrets
      ? 'It holds everything, also records that are not public, but no hashes of passwords and tokens ' +
        'and no webhooks.'
      : 'It holds the hashes of passwords and tokens, and the secrets of webhooks: keep it as safe as ' +
        'the database.',
  ]
}

type BackupSource = Pick<CalendarPlaces, 'database' | 'media' | 'tables'>

const FILES_AT_ONCE = 8

/**
 * Writes and checks a backup while the service may run. Only a complete file, safe on disk, gets the final
 * name and replaces an older one.
 * @throws Error, after removing the partial file
 */
async function backUp(
  source: BackupSource,
  file: string,
  withSecrets: boolean,
  now: number,
  progress: CopyProgress,
): Promise<Manifest> {
  await requireReplaceable(file)
  await removeLeftovers(file)
  const partial = `${file}.${process.pid}.part`
  try {
    const manifest = await writeBackup(source, partial, withSecrets, now, progress)
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

/** Adds the file to an error of SQLite, which does not name it. */
function withPlace(error: unknown, file: string): unknown {
  const isOfFile = error instanceof Error && 'errcode' in error
  if (!isOfFile) return asRefusal(error, file)
  return new Error(`The backup cannot be written to ${file}: ${error.message}.`, { cause: error })
}

async function requireReplaceable(file: string): Promise<void> {
  requireFolderOf(file)
  const isBackup = await isSealed(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return true
    throw new Error(`No backup can be written to ${file}: ${error.message}.`)
  })
  if (!isBackup) throw new Error(`The file ${file} is there already and is no backup; it is left as it is.`)
}

const LEFTOVER = /^\.(\d{1,10})\.part(?:-journal|-wal|-shm)?$/

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
    return codeOf(error) === 'EPERM'
  }
}

async function writeBackup(
  { database, media, tables: ofFeatures }: BackupSource,
  file: string,
  withSecrets: boolean,
  now: number,
  progress: CopyProgress,
): Promise<Manifest> {
  const free = await freeBytesOf(dirname(file))
  const { writer, tables } = await writeBackupTables(database, file, ofFeatures, { withSecrets, free })
  try {
    const files = await addFiles(writer, media, progress)
    const made = { format: BACKUP_FORMAT, made_utc: formatUtc(now), version: packageJson.version }
    const manifest: Manifest = {
      ...made,
      ...tables,
      ...files,
      ...(withSecrets ? {} : { withoutSecrets: true }),
    }
    writer.finish(manifest)
    return manifest
  } catch (error) {
    writer.close()
    throw error
  }
}

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

/** Returns the bytes of a file; undefined if there is none. */
export async function readWhole(media: MediaStore, key: string): Promise<Uint8Array | undefined> {
  const file = await media.read(key)
  return file && buffer(file.stream)
}
