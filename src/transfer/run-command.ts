import type { Command } from 'commander'
import type { CopyProgress } from './copy.ts'

/** Prints a line of a command's output. */
export type Print = (line: string) => void

/** Runs a command. An error ends it with one sentence and exit code 1. */
export async function run(command: Command, work: (print: Print) => Promise<void>): Promise<void> {
  try {
    await work((line) => command.configureOutput().writeOut?.(`${line}\n`))
  } catch (error) {
    command.showHelpAfterError(false).error(error instanceof Error ? error.message : String(error), { exitCode: 1 })
  }
}

/** A bar for each piece of work on a terminal, else a line for logs. */
export async function showProgress(stream: NodeJS.WriteStream, print: Print): Promise<CopyProgress> {
  return stream.isTTY ? barProgress(stream) : lineProgress(print)
}

async function barProgress(stream: NodeJS.WriteStream): Promise<CopyProgress> {
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{what} [{bar}] {value}/{total} {eta_formatted}',
    stream,
    hideCursor: true,
    autopadding: true,
  })
  return {
    start: (what, total) => bar.start(total, 0, { what: what.padEnd(WIDEST) }),
    advance: (done) => bar.increment(done),
    finish: () => bar.stop(),
  }
}

const WIDEST = 'comparing event_organizers'.length

function lineProgress(print: Print): CopyProgress {
  return {
    start: (what, total) => print(`${what}: ${total} …`),
    advance: () => undefined,
    finish: () => undefined,
  }
}
