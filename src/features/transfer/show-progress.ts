import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../base/errors.ts'
import { type Print, stopOnSignal } from '../../base/run-command.ts'

export interface CopyProgress {
  start: (what: string, total: number) => void
  advance: (done: number) => void
  finish: () => void
}

/** For each step, shows a progress bar on a terminal, elsewhere prints a line. */
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

const WIDEST = 'comparing event_organizers'.length

function lineProgress(print: Print): CopyProgress {
  return {
    start: (what, total) => print(`${what}: ${total} …`),
    advance: () => undefined,
    finish: () => undefined,
  }
}

/** @throws Error if the folder of the file does not exist */
export function requireFolderOf(file: string): void {
  const folder = file.endsWith('/') ? file : dirname(file)
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}: make it first.`)
}

/**
 * Turns an error of permissions into a sentence for the operator, who may have meant `file` as a folder;
 * returns other errors unchanged.
 */
export function asRefusal(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return error
  return new Error(
    [
      `This user may make no file in ${dirname(file)} (${code}).`,
      `If ${file} is to be a folder, make it first, and give it to this user.`,
    ].join(' '),
  )
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
