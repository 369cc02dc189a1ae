import { isImageKey, mimeTypeOf } from '../media/image-sizes.ts'
import type { MediaStore } from '../media/media-store.ts'
import { type Manifest, type OpenBackup, openBackup } from '../storage/backup-file.ts'
import type { Db } from '../storage/database.ts'
import { nameCalendar } from '../storage/edition.ts'
import { finishMigration, migrateWithin, migrationNames } from '../storage/migrate.ts'
import { countedSteps, FIRST_STEP } from '../storage/migration.ts'
import { type Fill, type Former, type Replacing, replaceDatabase } from '../storage/replace-database.ts'
import { raiseSequences } from '../storage/sequences.ts'
import { formatUtc } from '../text/zones.ts'
import { openToRead } from '../unreadable.ts'
import { readWhole } from './backup.ts'
import { namedFiles } from './clean-media.ts'
import { type CopyProgress, copyTables, listCommonTables } from './copy.ts'
import { isFolder } from './output-file.ts'
import { requireSealed } from './seal.ts'

/** Where a backup is restored to. */
export interface RestoreTarget {
  /** Address of the database, as in the setting. */
  database: string
  media: MediaStore
  /** Where its files lie, in words. */
  mediaPlace: string
}

/** The result of a restore. */
export interface Restored {
  manifest: Manifest
  /** Where the former state of the database is kept; undefined when there was none. */
  kept: string | undefined
  /** True when webhooks and imports on a schedule are off until somebody resumes them. */
  isHeld: boolean
  /** Sentences for the operator. */
  remarks: string[]
}

/**
 * Puts a calendar back as a backup has it, on whichever database. Files of images are added to those that are there; the database is replaced last, in
 * one step. The new one has an edition of its own, so ETags and tokens given before are no longer valid.
 * @throws Error with one sentence when the backup is not whole or of a newer version, or the target is in use; nothing has changed then
 */
export async function restore(
  file: string,
  target: RestoreTarget,
  replacing: Replacing,
  progress: CopyProgress,
): Promise<Restored> {
  await (await openToRead(file)).close()
  if (isFolder(file)) throw new Error(`${file} is a folder: name one of the backups in it.`)
  await requireSealed(file)
  const backup = openBackup(file)
  try {
    const { manifest } = backup
    requireKnownVersion(manifest)
    await requireImages(backup)
    const lacking = await findLackingFiles(backup, target.media)
    replacing.tell(`${lacking.length} files of images go into ${target.mediaPlace}.`)
    const remarks: string[] = []
    let isHeld = false
    const fill: Fill = async (tx, former) => {
      const remark = await fillDatabase(backup, tx, replacing.now, progress)
      if (remark) remarks.push(remark)
      const named = standingOf(manifest, former)
      isHeld = named.held === 1
      await nameCalendar(tx, named)
      await addFiles(backup, lacking, target.media, progress)
    }
    const kept = await replaceDatabase(target.database, fill, replacing)
    return { manifest, kept, isHeld, remarks }
  } finally {
    backup.close()
  }
}

/** The name of the calendar, and whether it is held: as it was in its own place; elsewhere when it has anything that others would notice. */
function standingOf({ calendar, rows }: Manifest, former: Former): NonNullable<Former> {
  if (former?.calendar === calendar) return former
  return { calendar, held: Number((rows.webhooks ?? 0) + (rows.import_schedules ?? 0) > 0) }
}

/** @throws Error with one sentence when the backup has a file that is not one of its images: whatever is in the store, readers are sent */
async function requireImages({ db, listFiles }: OpenBackup): Promise<void> {
  const named = await namedFiles(db)
  const other = listFiles().find((key) => !named.has(key) || !isImageKey(key))
  if (other !== undefined)
    throw new Error(
      `The backup has a file ${JSON.stringify(other)}, which is no image of its calendar: do not trust it.`,
    )
}

function requireKnownVersion({ version, migrations }: Manifest): void {
  const unknown = countedSteps(migrations).filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `The backup was taken by a newer version of Kalends (${version}, with ${unknown.join(', ')}); restore it with that one.`,
    )
  if (!migrations.includes(FIRST_STEP))
    throw new Error(
      `The backup was taken by a version of development (${version}); restore it with the version of 23 November 2026, and serve it once with this one.`,
    )
}

/** Makes the tables of the version that took the backup, copies the rows, and brings both up to date together. */
async function fillDatabase(
  backup: OpenBackup,
  tx: Db,
  now: number,
  progress: CopyProgress,
): Promise<string | undefined> {
  await migrateWithin(tx, backup.manifest.migrations)
  await copyTables(backup.db, tx, await listCommonTables(backup.db, tx), progress)
  await migrateWithin(tx, migrationNames)
  await raiseSequences(tx, formatUtc(now))
  return finishMigration(tx)
}

/** The keys whose files the store does not have. @throws Error when it has another file under one of them */
async function findLackingFiles(backup: OpenBackup, media: MediaStore): Promise<string[]> {
  const lacking: string[] = []
  for (const key of backup.listFiles()) {
    const there = await readWhole(media, key)
    if (!there) lacking.push(key)
    else if (Buffer.compare(there, backup.readFile(key)) !== 0)
      throw new Error(
        `The store of images has another file ${key}, of another calendar: name an empty folder with --media, or move that one away.`,
      )
  }
  return lacking
}

async function addFiles(
  backup: OpenBackup,
  keys: readonly string[],
  media: MediaStore,
  progress: CopyProgress,
): Promise<void> {
  progress.start('image files', keys.length)
  for (const key of keys) {
    await media.restore(key, backup.readFile(key), mimeTypeOf(key))
    progress.advance(1)
  }
  progress.finish()
}
