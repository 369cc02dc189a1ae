import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './errors.ts'
import type { Print } from './run-command.ts'

// Shows the progress of a copy on a terminal or in a log, and looks at the paths of files to write.

/**
 * The display of the progress of a copy: one piece of work after the other, each of so many rows or files.
 */
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
 * Calls `stop` when the program is told to end, so that a bar gives the terminal its cursor back, and then
 * ends the program by the same signal. Returns a function that lets go of the signals.
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

/**
 * Requires the folder of a file that is to be written.
 * @throws Error with one sentence when the folder is not there
 */
export function requireFolderOf(file: string): void {
  const folder = file.endsWith('/') ? file : dirname(file)
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}: make it first.`)
}

/**
 * Returns the error for a file that this user may not make; it may have been meant as a folder. Any other
 * error is returned unchanged.
 */
export function asRefusal(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return error
  return new Error(
    `This user may make no file in ${dirname(file)} (${code}). If ${file} is to be a folder, make it first, and give it to this user.`,
  )
}

/** Tells whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
