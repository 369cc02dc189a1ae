import { spawn } from 'node:child_process'
import type { StartImport } from './import-schedule.ts'

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
