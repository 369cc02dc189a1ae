import type { Command } from 'commander'

/** Prints a line of a command's output. */
export type Print = (line: string) => void

/** Runs a command. An error ends it with one sentence and exit code 1. */
export async function runCommand(command: Command, work: (print: Print) => Promise<void>): Promise<void> {
  try {
    await work((line) => command.configureOutput().writeOut?.(`${line}\n`))
  } catch (error) {
    command.showHelpAfterError(false).error(error instanceof Error ? error.message : String(error), { exitCode: 1 })
  }
}

/** Rows in aligned columns, each of one line. */
export function table(texts: readonly string[][]): string {
  const rows = texts.map((row) => row.map(oneLine))
  const width = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A text without control characters: what clients and other calendars send is not to steer the terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

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
