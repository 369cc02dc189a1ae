import type { Command } from 'commander'
import { messageOf } from './errors.ts'

export type Print = (line: string) => void

/** Thrown if only part of the work was done; the exit code is then 2. */
export class Incomplete extends Error {
  override name = 'Incomplete'
}

const exitCode = (error: unknown): number => (error instanceof Incomplete ? 2 : 1)

/**
 * Runs a command. If `work` throws, prints the message and ends the process with `codeFor(error)`: by default
 * 2 for `Incomplete`, else 1.
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

/** Replaces control characters by spaces, so that texts of other people cannot control the terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Adds `list` as the default command of the group; an unknown command is an error. */
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

// Parsers of options; `takes` is the beginning of the error sentence.

/** Parses a positive whole number of at most nine digits. @throws Error with one sentence */
export function askedCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${option} takes a whole number from 1 on, not "${text}".`)
}

/**
 * Parses a duration such as `30m`, `2h` or `7d`; returns ms.
 * @throws Error with one sentence, also for a duration shorter than `least` ms
 */
export function askedSpan(text: string, takes: string, least = 1): number {
  const ms = spanMs(text, 'mhd')
  if (ms >= least) return ms
  throw new Error(`${takes}, not "${text}".`)
}

/**
 * Parses a date, or a date with a time, in UTC; returns ms since the epoch. With `now`, also takes hours,
 * days or weeks, such as `7d`, counted from `now` in `direction`.
 * @throws Error with one sentence
 */
export function askedMoment(text: string, takes: string, now = Number.NaN, direction: 1 | -1 = 1): number {
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? []
  const ms = day === undefined ? now + direction * spanMs(text, 'hdw') : Date.parse(`${day}T${time}Z`)
  // `Date.parse` reads 30 February as a day of March.
  if (!Number.isNaN(ms) && (day === undefined || new Date(ms).toISOString().startsWith(day))) return ms
  throw new Error(`${takes}, not "${text}".`)
}

export const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

function spanMs(text: string, units: string): number {
  const [, amount, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  return units.includes(unit) ? Number(amount) * (UNIT_MS[unit] ?? Number.NaN) : Number.NaN
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * On SIGINT or SIGTERM, calls `stop`, such as to restore the cursor, then ends the process by the same
 * signal. The returned function removes the listeners.
 */
export function stopOnSignal(stop: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    stop()
    release()
    process.kill(process.pid, signal)
  }
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, end)
  }
  for (const signal of SIGNALS) process.on(signal, end)
  return release
}
