import type { Command } from 'commander'

/** Adds the command `list` to a group of commands, which the name of the group alone stands for as well; any other word behind it is unknown. */
export function addList(group: Command): Command {
  return group
    .command('list', { isDefault: true })
    .allowExcessArguments()
    .hook('preAction', (_group, list) => {
      const [word] = list.args
      if (word === undefined) return
      if (group.args[0] === 'list') list.error(`error: too many arguments for 'list': it takes none.`)
      const names = group.commands.map((command) => command.name()).join(', ')
      group.error(`error: unknown command '${word}': kalends ${group.name()} takes ${names}.`)
    })
}
