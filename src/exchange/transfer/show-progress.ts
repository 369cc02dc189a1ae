import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Print } from '../../base/run-command.ts'

// Shows the progress of a copy on a terminal or in a log, and looks at the paths of files to write.

/** The display of the progress of a copy: one piece of work after the other, each of so many rows or files. */
export interface CopyProgress {
  start: (what: string, total: number) => void
  advance: (done: number) => void
  finish: () => void
}

/** Returns a bar for each piece of work on a terminal, else a line for logs. */
export async function showProgress(stream: NodeJS.WriteStream, print: Print): Promise<CopyProgress> {
  return stream.isTTY ? barProgress(stream) : lineProgress(print)
}

async function barProgress(stream: NodeJS.WriteStream): Promise<CopyProgress> {
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar({
    format: '{what} [{bar}] {value}/{total} {eta_formatted}',
    stream,
    hideCursor: true,
    autopadding: true,
    gracefulExit: false,
  })
  let release: () => void
  return {
    start: (what, total) => {
      release = stopOnSignal(() => bar.stop())
      bar.start(total, 0, { what: what.padEnd(WIDEST) })
    },
    advance: (done) => bar.increment(done),
    finish: () => {
      bar.stop()
      release()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Calls `stop` when the program is told to end, so that a bar gives the terminal its cursor back, and then ends the program by the same signal. Returns a
 * function that lets go of the signals.
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

const WIDEST = 'comparing event_organizers'.length

function lineProgress(print: Print): CopyProgress {
  return {
    start: (what, total) => print(`${what}: ${total} …`),
    advance: () => undefined,
    finish: () => undefined,
  }
}

/** Requires the folder of a file that is to be written. @throws Error with one sentence when the folder is not there */
export function requireFolderOf(file: string): void {
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}: make it first.`)
}

/** Tells whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
