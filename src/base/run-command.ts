import type { Command } from 'commander'
import { messageOf } from './errors.ts'

// How commands of the command line run, fail and print.

/** Prints a line of a command's output. */
export type Print = (line: string) => void

/** Thrown by a command that could not do everything. */
export class Incomplete extends Error {
  override name = 'Incomplete'
}

const exitCode = (error: unknown): number => (error instanceof Incomplete ? 2 : 1)

/** Runs a command. An error ends it with one sentence and, unless `codeFor` has another, exit code 1, or 2 for what is incomplete. */
export async function runCommand(
  command: Command,
  work: (print: Print) => Promise<void>,
  codeFor = exitCode,
): Promise<void> {
  try {
    await work((line) => command.configureOutput().writeOut?.(`${line}\n`))
  } catch (error) {
    command.showHelpAfterError(false).error(messageOf(error), { exitCode: codeFor(error) })
  }
}

/** Opens the calendar, runs a command on it, and closes the database when done. */
export function runOnOpened<Opened extends { database: { close: () => Promise<void> } }>(
  command: Command,
  open: () => Promise<Opened>,
  work: (opened: Opened, print: Print) => Promise<void>,
  codeFor = exitCode,
): Promise<void> {
  const opening = async (print: Print) => {
    const opened = await open()
    try {
      await work(opened, print)
    } finally {
      await opened.database.close()
    }
  }
  return runCommand(command, opening, codeFor)
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

/** Adds the command `list` to a group of commands. The name of the group alone means `list` as well; any other word behind it is unknown. */
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
