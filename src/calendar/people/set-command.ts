import type { Command } from 'commander'
import { type Config, environmentName } from '../../base/config.ts'
import { table } from '../../base/run-command.ts'
import type { Database } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import {
  faultOfSetting,
  isOwnerSetting,
  OWNER_SETTINGS,
  readOwnerSettings,
  setOwnerSettings,
} from '../../store/storage/owner-settings.ts'
import type { Writer } from '../../store/storage/recording.ts'
import { runOnDatabase } from './user-commands.ts'

/** Puts the command `set` on the command line; it opens the database, and closes it when done. */
export function registerSetCommand(program: Command, open: () => Promise<Database>, configure: () => Config): void {
  program
    .command('set')
    .description(
      'Set the name or the look of the calendar while the service runs; without a name, list what can be set.',
    )
    .argument('[name]', OWNER_SETTINGS.join(', '))
    .argument('[value]', 'the value from now on')
    .option('--reset', 'take the value that the service is started with again')
    .action((name: string | undefined, value: string | undefined, asked: { reset?: true }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        if (asked.reset && (name === undefined || value !== undefined)) throw new Error('--reset takes a name alone.')
        if (name !== undefined) await change(database, name, asked.reset ? null : value, by)
        const [set, start] = [await readOwnerSettings(database.read), configure()]
        const rows = OWNER_SETTINGS.map((known) => [
          known,
          set[known] ?? start[known],
          known in set ? 'set' : environmentName(known),
        ])
        print(table([['NAME', 'VALUE', 'FROM'], ...rows]))
      }),
    )
}

async function change(database: Database, name: string, value: string | null | undefined, by: Writer): Promise<void> {
  if (!isOwnerSetting(name))
    throw new Error(`${name} is not set while the service runs; these are: ${OWNER_SETTINGS.join(', ')}.`)
  if (value === undefined) throw new Error(`${name} needs a value, or --reset.`)
  const fault = value === null ? undefined : faultOfSetting(name, value)
  if (fault !== undefined) throw new Error(`${name} ${fault}.`)
  await database.write(async (tx) => {
    await holdName(tx, 'settings')
    await setOwnerSettings(tx, { [name]: value })
  }, by)
}
