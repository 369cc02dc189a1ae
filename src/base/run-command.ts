import type { Command } from 'commander'
import { messageOf } from './errors.ts'

// Runs the commands of the command line, gives them their exit codes, and lays out the lines they print.

/** Prints a line of a command's output. */
export type Print = (line: string) => void

/** An error of a command that did a part of its work and could not do the rest. Its exit code is 2. */
export class Incomplete extends Error {
  override name = 'Incomplete'
}

const exitCode = (error: unknown): number => (error instanceof Incomplete ? 2 : 1)

/**
 * Runs a command. An error ends the process with its message and the exit code that `codeFor` returns: by
 * default 2 for `Incomplete`, else 1.
 */
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

/**
 * Opens the calendar, runs a command on it, and closes the database. Errors end the process as in
 * `runCommand`.
 */
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

/** Returns the rows as text in aligned columns, each row on one line. */
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

/**
 * Replaces control characters and line breaks by blanks, so that texts of clients and other calendars cannot
 * steer the terminal.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/**
 * Adds the command `list` to a group of commands. The name of the group alone means `list` as well; an
 * unknown word behind it ends with an error.
 */
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

// Reads options that are numbers or times. `takes` begins the sentence of the error for any other text.

/** Reads a whole number from 1 on. @throws Error with one sentence */
export function askedCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${option} takes a whole number from 1 on, not "${text}".`)
}

/**
 * Reads minutes, hours or days, such as `30m`, as milliseconds.
 * @throws Error with one sentence for less than `least` too
 */
export function askedSpan(text: string, takes: string, least = 1): number {
  const ms = spanMs(text, 'mhd')
  if (ms >= least) return ms
  throw new Error(`${takes}, not "${text}".`)
}

/** Writes a span as `askedSpan` reads it, in the largest unit that fits. `ms` are whole minutes. */
export function spanText(ms: number): string {
  const unit = ['d', 'h'].find((name) => ms % (UNIT_MS[name] ?? ms) === 0) ?? 'm'
  return `${ms / (UNIT_MS[unit] ?? ms)}${unit}`
}

/**
 * Reads a date in UTC, with or without a time, as milliseconds since the epoch. With `now` it also reads
 * hours, days or weeks, which count from `now` in `direction`. @throws Error with one sentence
 */
export function askedMoment(text: string, takes: string, now = Number.NaN, direction: 1 | -1 = 1): number {
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? []
  const ms = day === undefined ? now + direction * spanMs(text, 'hdw') : Date.parse(`${day}T${time}Z`)
  // `Date.parse` takes 30 February for a day of March.
  if (!Number.isNaN(ms) && (day === undefined || new Date(ms).toISOString().startsWith(day))) return ms
  throw new Error(`${takes}, not "${text}".`)
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

function spanMs(text: string, units: string): number {
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  return units.includes(unit) ? Number(amount) * (UNIT_MS[unit] ?? Number.NaN) : Number.NaN
}
