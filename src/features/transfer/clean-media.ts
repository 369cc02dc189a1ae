import type { Command } from 'commander'
import { Problem } from '../../base/problems.ts'
import { runOnOpened } from '../../base/run-command.ts'
import { filesOf } from '../../calendar/images/images.ts'
import type { OpenedMedia } from '../../calendar/open-ground.ts'
import { mimeTypeOf } from '../../store/media/image-sizes.ts'
import type { ListedFile, MediaStore } from '../../store/media/media-store.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { insertActs } from '../../store/storage/history.ts'
import { writerBy } from '../../store/storage/recording.ts'

export function registerMediaCommands(
  program: Command,
  open: () => Promise<OpenedMedia>,
  clock: () => number = Date.now,
): void {
  program
    .command('media')
    .description('Find and remove files of images that nothing uses.')
    .command('clean')
    .description('List the files that no image names and that are older than an hour, or remove them.')
    .option('--yes', 'remove them')
    .action((options: { yes?: boolean }, command: Command) =>
      runOnOpened(command, open, (opened, print) =>
        withReason(opened, async () => {
          const { database, store } = opened
          const orphans = await findOrphans(database.read, store, clock())
          for (const { key, size } of orphans) print(`${key}  ${size}`)
          if (options.yes) await removeOrphans(database, store, orphans, clock())
          print(summary(orphans, options.yes === true))
        }),
      ),
    )
}

/** Runs `work`; for a Problem, throws the error that the media store reported as its cause. */
export async function withReason<T>(
  { failure }: Pick<OpenedMedia, 'failure'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem ? (failure() ?? error) : error
  }
}

function summary(orphans: readonly ListedFile[], isDone: boolean): string {
  if (orphans.length === 0) return 'Every file that is older than an hour belongs to an image.'
  const bytes = orphans.reduce((sum, { size }) => sum + size, 0)
  const files = `${orphans.length} ${orphans.length === 1 ? 'file' : 'files'} of ${bytes} bytes`
  return isDone
    ? `Removed ${files}.`
    : `${files} that no image names; kalends media clean --yes removes them.`
}

/** In ms. The row of an image follows its file within this time: an older file without a row is an orphan. */
export const SETTLED_AFTER = 3_600_000

const IMAGES_AT_ONCE = 500

/**
 * Finds files that no image refers to: a process was killed while writing, or before inserting the row.
 * @param now in ms
 * @throws Error when no file of the store belongs to an image of the database
 */
export async function findOrphans(db: Db, store: MediaStore, now: number): Promise<ListedFile[]> {
  const settled: ListedFile[] = []
  const written = new Set<string>()
  for await (const file of store.list()) {
    if (!file.isLeftover && file.size > 0) written.add(file.key)
    if ((file.isLeftover || file.size > 0) && file.modified < now - SETTLED_AFTER) settled.push(file)
  }
  // Images are read after the listing: now each file that is old enough has its row.
  const named = await namedFiles(db)
  if (written.size > 0 && written.isDisjointFrom(named))
    throw new Error(
      'The database names none of the files in the store: one of the two belongs to another calendar.',
    )
  return settled.filter(({ key }) => !named.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1))
}

const FILES_AT_ONCE = 100

async function removeOrphans(
  database: Pick<Database, 'write'>,
  store: MediaStore,
  orphans: readonly ListedFile[],
  now: number,
): Promise<void> {
  for (let at = 0; at < orphans.length; at += FILES_AT_ONCE) {
    const some = orphans.slice(at, at + FILES_AT_ONCE).map(({ key }) => key)
    const acts = some.map((name) => ({ kind: 'image', record: 0, act: { action: 'delete', name } }) as const)
    await database.write((tx) => insertActs(tx, acts, now), writerBy('kalends media clean'))
    for (const key of some) await store.remove(key)
  }
}

export async function namedFiles(db: Db): Promise<Set<string>> {
  const named = new Set<string>()
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('images')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(IMAGES_AT_ONCE)
      .execute()
    for (const row of rows) for (const key of filesOf(row)) named.add(key)
    const end = rows.at(-1)
    if (!end) return named
    last = end.id
  }
}

/** True for `YYYY/MM/name`, with the extension of an accepted format. */
export function isImageKey(key: string): boolean {
  return /^\d{4}\/\d\d\/\w[\w.-]{0,199}$/.test(key) && mimeTypeOf(key) !== 'application/octet-stream'
}
