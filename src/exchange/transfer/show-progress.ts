import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Print } from '../../base/run-command.ts'

/** Shows the progress of a copy: one piece of work after the other, each of so many rows or files. */
export interface CopyProgress {
  start: (what: string, total: number) => void
  advance: (done: number) => void
  finish: () => void
}

/** A bar for each piece of work on a terminal, else a line for logs. */
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
 * Stops a bar, which gives the terminal its cursor back, when the program is told to end, and then ends it as it would have ended. Returns what lets go of
 * the signals.
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

/** @throws Error with one sentence when the folder of a file to write is not there */
export function requireFolderOf(file: string): void {
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}: make it first.`)
}

/** Whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
