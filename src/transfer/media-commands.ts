import type { Command } from 'commander'
import type { ListedFile, MediaStore } from '../media/media-store.ts'
import { Problem } from '../problems.ts'
import type { Database } from '../storage/database.ts'
import { findOrphans, removeOrphans } from './clean-media.ts'
import { run } from './run-command.ts'

/** The database and the store of the commands; `failure` is the reason of the store's last failure, which says more than its rejections. */
export interface OpenedMedia {
  database: Database
  store: MediaStore
  failure: () => Error | undefined
}

/** Puts the command `media` on the command line; it opens the database and the store, and closes the database when done. */
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
      run(command, async (print) => {
        const { database, store, failure } = await open()
        try {
          const orphans = await findOrphans(database.read, store, clock())
          for (const { key, size } of orphans) print(`${key}  ${size}`)
          if (options.yes) await removeOrphans(database, store, orphans, clock())
          print(summary(orphans, options.yes === true))
        } catch (error) {
          throw error instanceof Problem ? (failure() ?? error) : error
        } finally {
          await database.close()
        }
      }),
    )
}

function summary(orphans: readonly ListedFile[], isDone: boolean): string {
  if (orphans.length === 0) return 'Every file that is older than an hour belongs to an image.'
  const bytes = orphans.reduce((sum, { size }) => sum + size, 0)
  const files = `${orphans.length} ${orphans.length === 1 ? 'file' : 'files'} of ${bytes} bytes`
  return isDone ? `Removed ${files}.` : `${files} that no image names; kalends media clean --yes removes them.`
}
