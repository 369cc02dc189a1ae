import type { Command } from 'commander'
import { settingsPage } from './base/config.ts'
import { runCommand } from './base/run-command.ts'
import type { CommandGround, CommandGroup, Feature } from './feature.ts'

// All commands but `serve` of `command-line.ts`, in groups that are loaded on demand.

const ownGroup: CommandGroup = {
  names: ['settings'],
  register: (program, { features }) => {
    program
      .command('settings')
      .description('Print docs/configuration.md, the page of all settings; kalends serve --help is shorter.')
      .action((_, command: Command) => runCommand(command, async (print) => print(settingsPage(features))))
  },
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
