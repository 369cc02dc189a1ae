import { mimeTypeOf } from '../media/image-sizes.ts'
import type { MediaStore } from '../media/media-store.ts'
import { type Manifest, type OpenBackup, openBackup } from '../storage/backup-file.ts'
import type { Db } from '../storage/database.ts'
import { finishMigration, migrateWithin, migrationNames } from '../storage/migrate.ts'
import { replaceDatabase } from '../storage/replace-database.ts'
import { openToRead } from '../unreadable.ts'
import { readWhole } from './backup.ts'
import { type CopyProgress, copyTables, listCommonTables } from './copy.ts'
import { isFolder } from './output-file.ts'
import { requireSealed } from './seal.ts'

/** Where a backup is restored to. */
export interface RestoreTarget {
  /** Address of the database, as in the setting. */
  database: string
  media: MediaStore
}

/** The result of a restore. */
export interface Restored {
  manifest: Manifest
  /** Where the former state of the database is kept; undefined when there was none. */
  kept: string | undefined
  /** Sentences for the operator. */
  remarks: string[]
}

/**
 * Puts a calendar back as a backup has it, on whichever database. Files of images are added to those that are there; the database is replaced last, in
 * one step. The new one has an edition of its own, so ETags and tokens given before are no longer valid.
 * @throws Error with one sentence when the backup is not whole or of a newer version, or the target is in use; nothing has changed then
 */
export async function restore(file: string, target: RestoreTarget, progress: CopyProgress): Promise<Restored> {
  await (await openToRead(file)).close()
  if (isFolder(file)) throw new Error(`${file} is a folder: name one of the backups in it.`)
  await requireSealed(file)
  const backup = openBackup(file)
  try {
    requireKnownVersion(backup.manifest)
    const lacking = await findLackingFiles(backup, target.media)
    const remarks: string[] = []
    const kept = await replaceDatabase(target.database, async (tx) => {
      const remark = await fillDatabase(backup, tx, progress)
      if (remark) remarks.push(remark)
      await addFiles(backup, lacking, target.media, progress)
    })
    return { manifest: backup.manifest, kept, remarks }
  } finally {
    backup.close()
  }
}

function requireKnownVersion({ version, migrations }: Manifest): void {
  const unknown = migrations.filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `The backup was taken by a newer version of Kalends (${version}, with ${unknown.join(', ')}); restore it with that one.`,
    )
}

/** Makes the tables of the version that took the backup, copies the rows, and brings both up to date together. */
async function fillDatabase(backup: OpenBackup, tx: Db, progress: CopyProgress): Promise<string | undefined> {
  await migrateWithin(tx, backup.manifest.migrations)
  await copyTables(backup.db, tx, await listCommonTables(backup.db, tx), progress)
  await migrateWithin(tx, migrationNames)
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
