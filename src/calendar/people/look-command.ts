import type { Command } from 'commander'
import { type Config, environmentName } from '../../base/config.ts'
import { table } from '../../base/run-command.ts'
import type { Database } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import {
  faultOfSetting,
  isGiven,
  isOwnerSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerSettings,
  setOwnerSettings,
} from '../../store/storage/owner-settings.ts'
import type { Writer } from '../../store/storage/recording.ts'
import { runOnDatabase } from './user-commands.ts'

/** Puts the command `look` on the command line, which `set` is another name of; it opens the database, and closes it when done. */
export function registerLookCommand(program: Command, open: () => Promise<Database>, configure: () => Config): void {
  program
    .command('look')
    .alias('set')
    .description('Set the name or the look of the calendar while the service runs; without a name, list what is set.')
    .argument('[name]', OWNER_SETTINGS.join(', '))
    .argument('[value]', 'the value from now on')
    .option('--reset', 'take back what was set: of one name, or the whole look without a name')
    .action((name: string | undefined, value: string | undefined, asked: Asked, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const changes = changesAsked(name, value, asked)
        if (Object.keys(changes).length > 0) await setLook(database, changes, by)
        const start = configure()
        print(table([['NAME', 'VALUE', 'FROM'], ...rowsOf(start, await readOwnerSettings(database.read))]))
      }),
    )
}

interface Asked {
  reset?: true
}

/** What a call changes. @throws Error with one sentence for a call that means nothing, or a value that is not taken */
function changesAsked(name: string | undefined, value: string | undefined, { reset }: Asked): OwnerValues {
  if (reset && value !== undefined) throw new Error('--reset takes no value.')
  if (name === undefined) return reset ? Object.fromEntries(OWNER_SETTINGS.map((known) => [known, null])) : {}
  const known = settingCalled(name)
  if (reset) return { [known]: null }
  if (value === undefined) throw new Error(`${known} needs a value, or --reset.`)
  const fault = faultOfSetting(known, value)
  if (fault !== undefined) throw new Error(`${known} ${fault}.`)
  return { [known]: value }
}

/** The setting of a name, which may be without `pages_`. */
function settingCalled(name: string): OwnerSetting {
  const known = [name, `pages_${name}`].find(isOwnerSetting)
  if (known === undefined)
    throw new Error(`${name} is not set while the service runs; these are: ${OWNER_SETTINGS.join(', ')}.`)
  return known
}

/** The settings with the values in effect for a service that is started as this command was. */
function rowsOf(start: Config, set: OwnerTexts): string[][] {
  return OWNER_SETTINGS.map((name) => {
    const isSet = name in set && !isGiven(start, name)
    const value = isSet ? (set[name] ?? '') : start[name]
    return [name, value.replaceAll('\n', ' / '), isSet ? 'set' : environmentName(name)]
  })
}

async function setLook(database: Database, values: OwnerValues, by: Writer): Promise<void> {
  await database.write(async (tx) => {
    await holdName(tx, 'settings')
    await setOwnerSettings(tx, values)
  }, by)
}
