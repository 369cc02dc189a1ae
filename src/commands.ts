import type { Command } from 'commander'
import { settingsPage } from './base/config.ts'
import { type Print, runCommand } from './base/run-command.ts'
import type { CommandGround, CommandGroup, Feature } from './feature.ts'
import type { Database } from './store/storage/database.ts'
import { openCalendar } from './store/storage/open-database.ts'

// All commands but `serve` of `command-line.ts`, in groups that are loaded on demand.

const ownGroup: CommandGroup = {
  names: ['settings', 'invalidate-etags', 'restored', 'hold', 'resume'],
  register: registerOwn,
}

export const commandGroups = (features: readonly Feature[]): readonly CommandGroup[] => [
  ownGroup,
  ...features.flatMap(({ commands = [] }) => commands),
]

/**
 * Registers only the group of the command `asked`, since loading all groups takes long. If no group has this
 * command, registers all, for the help page and suggestions.
 */
export async function registerCommands(
  program: Command,
  ground: CommandGround,
  asked: string | undefined,
): Promise<void> {
  const groups = commandGroups(ground.features)
  const found = groups.filter(({ names }) => asked !== undefined && names.includes(asked))
  for (const { register } of found.length > 0 ? found : groups) await register(program, ground)
}

function registerOwn(program: Command, { configure, features }: CommandGround): void {
  const open = () => openCalendar(configure(), features)
  const add = (name: string, about: string, work: (print: Print) => Promise<void>) =>
    program
      .command(name)
      .description(about)
      .action((_, command: Command) => runCommand(command, work))

  add(
    'settings',
    'Print docs/configuration.md, the page of all settings; kalends serve --help is shorter.',
    async (print) => print(settingsPage(features)),
  )
  add(
    'invalidate-etags',
    'Make clients fetch everything anew. Run it on a database ' +
      'that was restored by other means than kalends restore.',
    (print) => invalidateTags(open, print),
  ).alias('restored')
  add(
    'hold',
    'Turn webhooks, e-mail and scheduled imports off. Run it on a copy before it is started.',
    (print) => holdOrResume(open, 'hold', print),
  )
  add(
    'resume',
    'Turn webhooks, e-mail and scheduled imports on again. A restore in another place turns them off.',
    (print) => holdOrResume(open, 'resume', print),
  )
}

async function invalidateTags(open: () => Promise<Database>, print: Print): Promise<void> {
  const { renewEdition } = await import('./store/storage/edition.ts')
  const { raiseSequences } = await import('./store/storage/history.ts')
  const { formatUtc } = await import('./base/text/zones.ts')
  const database = await open()
  try {
    await database.write(async (tx) => {
      await renewEdition(tx)
      await raiseSequences(tx, formatUtc(Date.now()))
    })
  } finally {
    await database.close()
  }
  print('All ETags that clients hold are invalid now.')
}

async function holdOrResume(
  open: () => Promise<Database>,
  command: 'hold' | 'resume',
  print: Print,
): Promise<void> {
  const { setHeld } = await import('./store/storage/edition.ts')
  const database = await open()
  try {
    const isChanged = await database.write((tx) => setHeld(tx, command === 'hold'))
    if (command === 'hold') print('Webhooks, e-mail and scheduled imports are off until kalends resume.')
    else print(isChanged ? 'Webhooks, e-mail and scheduled imports are on again.' : 'Nothing was turned off.')
  } finally {
    await database.close()
  }
}
