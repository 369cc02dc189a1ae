import type { Command } from 'commander'
import { type Config, environmentName } from '../../base/config.ts'
import { readTexts } from '../../base/look-settings.ts'
import { table } from '../../base/run-command.ts'
import type { Database } from '../../store/storage/database.ts'
import {
  isGiven,
  isOwnerSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerFiles,
  readOwnerSettings,
  setOwnerSettings,
} from '../../store/storage/owner-settings.ts'
import { checkedValue, readLookFolder, writeLookFolder } from './look-folder.ts'
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
    .option('--from <folder>', 'take a whole look from a folder with look.json and its files')
    .option('--to <folder>', 'write the look that is set into a folder')
    .action((name: string | undefined, value: string | undefined, asked: Asked, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const changes = changesAsked(name, value, asked)
        if (Object.keys(changes).length > 0) await database.write((tx) => setOwnerSettings(tx, changes), by)
        if (asked.to !== undefined) await writeLook(database, asked.to)
        const start = configure()
        print(table([['NAME', 'VALUE', 'FROM'], ...rowsOf(start, await readOwnerSettings(database.read))]))
      }),
    )
}

interface Asked {
  reset?: true
  from?: string
  to?: string
}

/** The settings that a call changes.
@throws Error with one sentence for a call that means nothing, or a value that is not taken */
function changesAsked(name: string | undefined, value: string | undefined, { reset, from, to }: Asked): OwnerValues {
  if ((from ?? to) !== undefined && (reset || name !== undefined || (from ?? to) !== (to ?? from)))
    throw new Error('--from and --to stand alone.')
  if (from !== undefined) return readLookFolder(from)
  if (reset && value !== undefined) throw new Error('--reset takes no value.')
  if (name === undefined) return reset ? Object.fromEntries(OWNER_SETTINGS.map((known) => [known, null])) : {}
  const known = settingCalled(name)
  if (reset) return { [known]: null }
  if (value === undefined) throw new Error(`${known} needs a value, or --reset.`)
  return { [known]: checkedValue(known, value) }
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
    return [name, inShort(name, value), isSet ? 'set' : environmentName(name)]
  })
}

/** A value in one line. */
function inShort(name: OwnerSetting, value: string): string {
  const pages =
    name === 'pages_texts' && value.startsWith('[') ? readTexts(value).map(({ slug }) => `/${slug}/`) : undefined
  const line = pages?.join(' ') ?? value.replaceAll('\n', ' / ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

async function writeLook({ read }: Database, folder: string): Promise<void> {
  writeLookFolder(folder, await readOwnerSettings(read), await readOwnerFiles(read))
}
