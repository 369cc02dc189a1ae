import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { openToRead } from '../../base/files.ts'
import { type Print, runCommand } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { RestorePlaces } from '../../calendar/open-ground.ts'
import { mimeTypeOf } from '../../store/media/image-sizes.ts'
import type { MediaStore } from '../../store/media/media-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { findMove, withoutPassword } from '../../store/storage/database-address.ts'
import { raiseSequences } from '../../store/storage/history.ts'
import { findUnknown, finishMigration, migrateWithin, stepNames } from '../../store/storage/migrate.ts'
import { type FeatureTables, FIRST_STEP } from '../../store/storage/migration.ts'
import { foldMarks, LAST_CARRIED } from '../../store/storage/migrations/carry-over.ts'
import type { Tables } from '../../store/storage/schema.ts'
import { readWhole } from './backup.ts'
import { type Manifest, type OpenBackup, openBackup } from './backup-file.ts'
import { isImageKey, namedFiles, withReason } from './clean-media.ts'
import { copyTables, listCommonTables } from './copy.ts'
import {
  type Fill,
  type Former,
  listCopies,
  putBack,
  type Replacing,
  replaceDatabase,
} from './replace-database.ts'
import { requireSealed } from './seal.ts'
import { type CopyProgress, isFolder, showProgress } from './show-progress.ts'

interface RestoreOptions {
  undo?: string | true
  list?: true
  replaceImages?: true
}

export function registerRestoreCommand(program: Command, open: () => Promise<RestorePlaces>): void {
  program
    .command('restore')
    .description(
      'Restore the calendar from a backup, into a SQLite file or a PostgreSQL database. Stop the ' +
        'service first.',
    )
    .argument('[file]', 'the backup')
    .option(
      '--undo [copy]',
      'put back the calendar that the last restore replaced, or another one of those that --list shows',
    )
    .option(
      '--replace-images',
      'put files of the backup over others of the same names, also those of another calendar',
    )
    .option('--list', 'list the calendars that restores have replaced; all of them are kept')
    .action((file: string | undefined, options: RestoreOptions, command: Command) =>
      runCommand(command, async (print) => {
        requireOneWish(file, options)
        const places = await open()
        const replacing = { now: Date.now(), tell: print }
        if (options.list) return showCopies(places, print)
        if (options.undo !== undefined) return undo(places, options.undo, replacing, print)
        requireMeant(places)
        const progress = await showProgress(process.stderr, () => undefined)
        const restored = await withReason(places, () =>
          restore(file ?? '', places, replacing, progress, options.replaceImages === true),
        )
        describeRestored(restored).forEach(print)
      }),
    )
}

function requireOneWish(file: string | undefined, { undo, list }: RestoreOptions): void {
  if ([file, undo, list].filter((wish) => wish !== undefined).length !== 1)
    throw new Error('Name one backup to restore, or give --undo or --list.')
}

/**
 * Refuses an assumed data folder that does not exist: probably another place was meant.
 * @throws Error if `assumed` does not exist
 */
function requireMeant({ assumed }: RestorePlaces): void {
  if (assumed === undefined || existsSync(assumed)) return
  throw new Error(
    `There is no ${assumed}, and no setting names another place: name the data folder of the ` +
      'service, such as --data /var/lib/kalends, or --data ./data to make one here.',
  )
}

async function showCopies({ database }: RestorePlaces, print: Print): Promise<void> {
  const copies = await listCopies(database)
  const [oldest] = copies
  if (!oldest) return print('No restore has replaced a calendar here.')
  for (const { name, bytes } of copies) print(`${name}  ${bytes} bytes`)
  print(`kalends restore --undo NAME puts one of them back. The oldest is removed by: ${oldest.removal}`)
}

async function undo({ database }: RestorePlaces, wanted: string | true, replacing: Replacing, print: Print) {
  const copy = await putBack(database, wanted === true ? undefined : wanted, replacing)
  print(
    `The calendar of ${copy} is that of ${withoutPassword(database)} again; files of images are as ` +
      'they were.',
  )
  const move = findMove(database)
  const next = move ? `${move.told} ${move.todo}` : 'The service can be started.'
  print(`Entity tags and sync tokens given so far name nothing any more. ${next}`)
}

function describeRestored({ manifest, kept, isHeld, remarks }: RestoredCalendar): string[] {
  const former =
    kept === undefined
      ? []
      : [`What was there before is kept as ${kept}; kalends restore --undo puts it back.`]
  return [
    ...remarks,
    `Restored ${manifest.rows.events} events and ${manifest.files} files of images, as of ` +
      `${manifest.made_utc} UTC.`,
    ...former,
    ...(manifest.withoutSecrets
      ? [
          'It has no passwords and tokens: nobody can sign in before kalends password add has given ' +
            'users new ones.',
        ]
      : []),
    ...(isHeld
      ? [
          'This is another place than that of the backup: webhooks, e-mail and imports on a ' +
            'schedule are off until kalends resume.',
        ]
      : []),
    'Entity tags and sync tokens given so far name nothing any more. The service can be started.',
  ]
}

interface RestoredCalendar {
  manifest: Manifest
  kept: string | undefined
  isHeld: boolean
  remarks: string[]
}

/**
 * Adds the image files, then replaces the database by the backup in one step, with a new edition. Files of
 * other content are overwritten if they belong to the same calendar, or `replacesImages` is set.
 * @throws Error when the backup is incomplete or of a newer version, or the target is in use; the database
 * has not changed then
 */
export async function restore(
  file: string,
  target: Omit<RestorePlaces, 'failure' | 'assumed'>,
  replacing: Replacing,
  progress: CopyProgress,
  replacesImages = false,
): Promise<RestoredCalendar> {
  await (await openToRead(file)).close()
  if (isFolder(file)) throw new Error(`${file} is a folder: name one of the backups in it.`)
  await requireSealed(file)
  const backup = openBackup(file)
  try {
    const { manifest } = backup
    requireKnownVersion(manifest, target.tables)
    await requireImages(backup)
    const { lacking, others } = await compareFiles(backup, target.media)
    replacing.tell(`${lacking.length} files of images go into ${target.mediaPlace}.`)
    const remarks: string[] = []
    let isHeld = false
    const fill: Fill = async (tx, former) => {
      if (former?.calendar !== manifest.calendar && !replacesImages) refuseOthers(others)
      if (others.length > 0)
        remarks.push(`${others.length} other files of the same names gave way to those of the backup.`)
      const remark = await fillDatabase(backup, tx, target.tables, replacing.now, progress)
      if (remark) remarks.push(remark)
      const named = standingOf(manifest, former, target.tables)
      isHeld = named.held === 1
      await setIdentity(tx, named)
      await addFiles(backup, [...lacking, ...others], target.media, progress)
    }
    const kept = await replaceDatabase(target.database, fill, replacing)
    return { manifest, kept, isHeld, remarks }
  } finally {
    backup.close()
  }
}

/**
 * The name of the restored calendar, and whether it is held: a held calendar sends and imports nothing until
 * `kalends resume`. Restored over itself, a calendar keeps its state; elsewhere it is held if it would act
 * unasked.
 */
function standingOf(
  { calendar, rows }: Manifest,
  former: Former,
  features: readonly FeatureTables[],
): NonNullable<Former> {
  if (former?.calendar === calendar) return former
  const acting = features.flatMap(({ unasked = [] }) => unasked)
  return { calendar, held: Number(acting.some((table) => (rows[table] ?? 0) > 0)) }
}

/**
 * Refuses files that are no images of the calendar, because everything in the store can be downloaded.
 * @throws Error that names the file
 */
async function requireImages({ db, listFiles }: OpenBackup): Promise<void> {
  const named = await namedFiles(db)
  const other = listFiles().find((key) => !named.has(key) || !isImageKey(key))
  if (other !== undefined)
    throw new Error(
      `The backup has a file ${JSON.stringify(other)}, which is no image of its calendar: do not trust it.`,
    )
}

function requireKnownVersion({ version, migrations }: Manifest, features: readonly FeatureTables[]): void {
  const unknown = findUnknown(migrations, features)
  if (unknown.length > 0)
    throw new Error(
      `The backup was taken by a newer version of Kalends (${version}, with ${unknown.join(', ')}); ` +
        'restore it with that one.',
    )
  if (!migrations.includes(FIRST_STEP) && !migrations.includes(LAST_CARRIED))
    throw new Error(
      `The backup was taken by a version of development (${version}); restore it with commit ` +
        '34ed6c85, and serve it once with this one.',
    )
}

/** Creates tables in the backup's version, copies rows, then migrates. @returns a remark for the operator */
async function fillDatabase(
  backup: OpenBackup,
  tx: Db,
  features: readonly FeatureTables[],
  now: number,
  progress: CopyProgress,
): Promise<string | undefined> {
  const { migrations } = backup.manifest
  const isCarried = !migrations.includes(FIRST_STEP)
  await migrateWithin(tx, isCarried ? [FIRST_STEP, ...migrations] : migrations, features)
  await copyTables(backup.db, tx, await listCommonTables(backup.db, tx, features), progress)
  if (isCarried) await foldMarks(tx)
  await migrateWithin(tx, stepNames(features), features)
  await raiseSequences(tx, formatUtc(now))
  return finishMigration(tx)
}

async function compareFiles(
  backup: OpenBackup,
  media: MediaStore,
): Promise<{ lacking: string[]; others: string[] }> {
  const lacking: string[] = []
  const others: string[] = []
  for (const key of backup.listFiles()) {
    const there = await readWhole(media, key)
    if (!there) lacking.push(key)
    else if (Buffer.compare(there, backup.readFile(key)) !== 0) others.push(key)
  }
  return { lacking, others }
}

function refuseOthers([key]: readonly string[]): void {
  if (key === undefined) return
  throw new Error(
    `The store of images has another file ${key}, of another calendar: name an empty folder with ` +
      '--media, or move that one away; --replace-images puts those of the backup in their place.',
  )
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

export async function setIdentity(tx: Db, named: Omit<Tables['editions'], 'edition'>): Promise<void> {
  await tx.updateTable('editions').set(named).execute()
}
