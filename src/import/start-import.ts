import { spawn } from 'node:child_process'
import type { StartImport } from './import-schedule.ts'

/** The most characters kept of the output of an import; the last ones tell how it ended. */
const MOST_HELD = 2000

/**
 * Starts imports as the command line does, with these command-line words for the settings. Each runs in its own process, so it takes no time from
 * requests, and ends when this process does.
 */
export function importStarter(settings: readonly string[]): StartImport {
  return (words) =>
    new Promise((resolve, reject) => {
      const [, program = ''] = process.argv
      const args = [...process.execArgv, program, ...settings, 'import', '--for-service', ...words]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part) => {
          said = `${said}${part}`.slice(-MOST_HELD)
        })
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, said: said.trim().split('\n').at(-1) ?? '' }))
    })
}
