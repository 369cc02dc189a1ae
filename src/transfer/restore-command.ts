import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { withoutPassword } from '../storage/database-address.ts'
import { findMove } from '../storage/moved-calendar.ts'
import { listCopies, putBack, type Replacing } from '../storage/replace-database.ts'
import { type CalendarPlaces, withReason } from './backup-command.ts'
import { type Restored, restore } from './restore.ts'
import { type Print, run, showProgress } from './run-command.ts'

/** The calendar of the settings, and where its images lie. */
export interface RestorePlaces extends CalendarPlaces {
  mediaPlace: string
  /** What has to be there already, because no setting names it: a calendar in the working folder, say. */
  assumed: string | undefined
}

interface RestoreOptions {
  undo?: string | true
  list?: true
}

/** Puts the command `restore` on the command line. */
export function registerRestoreCommand(program: Command, open: () => Promise<RestorePlaces>): void {
  program
    .command('restore')
    .description(
      'Restore the calendar from a backup, into a SQLite file or a PostgreSQL database. Stop the service first.',
    )
    .argument('[file]', 'the backup')
    .option(
      '--undo [copy]',
      'put back the calendar that the last restore replaced, or another one of those that --list shows',
    )
    .option('--list', 'list the calendars that restores have replaced; all of them are kept')
    .action((file: string | undefined, options: RestoreOptions, command: Command) =>
      run(command, async (print) => {
        requireOneWish(file, options)
        const places = await open()
        const replacing = { now: Date.now(), tell: print }
        if (options.list) return showCopies(places, print)
        if (options.undo !== undefined) return undo(places, options.undo, replacing, print)
        requireMeant(places)
        const progress = await showProgress(process.stderr, () => undefined)
        const restored = await withReason(places, () => restore(file ?? '', places, replacing, progress))
        describeRestored(restored).forEach(print)
      }),
    )
}

/** @throws Error with one sentence unless a backup, --undo or --list is given, and only one of them */
function requireOneWish(file: string | undefined, { undo, list }: RestoreOptions): void {
  if ([file, undo, list].filter((wish) => wish !== undefined).length !== 1)
    throw new Error('Name one backup to restore, or give --undo or --list.')
}

/** @throws Error with one sentence where a calendar would be made that nobody has asked for: in whatever folder the command was typed */
function requireMeant({ assumed }: RestorePlaces): void {
  if (assumed === undefined || existsSync(assumed)) return
  throw new Error(
    `There is no ${assumed}, and no setting names another place: name the data folder of the service, such as --data /var/lib/kalends, or --data ./data to make one here.`,
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
  print(`The calendar of ${copy} is that of ${withoutPassword(database)} again; files of images are as they were.`)
  const move = findMove(database)
  const next = move ? `${move.told} ${move.todo}` : 'The service can be started.'
  print(`Entity tags and sync tokens given so far name nothing any more. ${next}`)
}

function describeRestored({ manifest, kept, isHeld, remarks }: Restored): string[] {
  const former =
    kept === undefined ? [] : [`What was there before is kept as ${kept}; kalends restore --undo puts it back.`]
  return [
    ...remarks,
    `Restored ${manifest.rows.events} events and ${manifest.files} files of images, as of ${manifest.made_utc} UTC.`,
    ...former,
    ...(manifest.withoutSecrets
      ? ['It has no passwords and tokens: nobody can sign in before kalends password add has given users new ones.']
      : []),
    ...(isHeld
      ? [
          'This is another place than that of the backup: webhooks and imports on a schedule are off until kalends resume.',
        ]
      : []),
    'Entity tags and sync tokens given so far name nothing any more. The service can be started.',
  ]
}
