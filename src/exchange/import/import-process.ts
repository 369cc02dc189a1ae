import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import type { StartImport } from './import-schedule.ts'

// Runs imports on a schedule, each in a process of its own that gives way to the service.

/** The most characters kept of the output of an import; the last ones tell how it ended. */
const MOST_HELD = 2000

/** The ms after which an import is ended; its next run goes on where it was. */
const LONGEST_RUN = 6 * 3_600_000

/**
 * Starts imports as the command line does, with these command-line words for the settings. Each runs in its own process, so it takes no time from
 * requests, and ends when this process does, and after six hours in any case.
 */
export function importStarter(settings: readonly string[], longest = LONGEST_RUN): StartImport {
  return (words, signal) =>
    new Promise((resolve, reject) => {
      const [, program = ''] = process.argv
      const args = [...process.execArgv, program, ...settings, 'import', '--for-service', ...words]
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        timeout: longest,
        signal,
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part) => {
          said = `${said}${part}`.slice(-MOST_HELD)
        })
      // An import that the signal ends is waited for as well.
      child.once('error', (error) => signal.aborted || reject(error))
      child.once('close', (code, by) => {
        const last = said.trim().split('\n').at(-1) ?? ''
        resolve({ code, said: by === null ? last : `It was ended (${by}). ${last}` })
      })
    })
}

/** The threads of this process, as Linux lists them. */
const THREADS = '/proc/self/task'

/** Lowers the priority of this process, so that the service and other programs go first on a busy machine: an import takes all the time it gets. */
export function giveWay(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  // A priority that is lower already stays: only root may raise it.
  if (getPriority() >= wanted) return
  // On Linux each thread has its own priority: the threads for garbage collection and compiling take a quarter of the time of an import.
  for (const thread of threadsHere()) lower(thread, wanted)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // The thread has ended meanwhile.
  }
}

/** The ids of the threads; on other systems 0, which means the whole process. */
function threadsHere(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    return [0]
  }
}
