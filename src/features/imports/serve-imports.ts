import type { ServiceStart, Serving } from '../../feature.ts'
import {
  importStarter,
  makeRunningImports,
  runDueImports,
  type StartImport,
  stopImports,
} from './import-schedule.ts'

// Starts imports on a schedule.

const EVERY_MS = 30_000

/** Without words for the settings of another process, no imports run, unless `start` is given. */
export function serveImports(
  { settingWords, report }: ServiceStart,
  start: StartImport | undefined = settingWords && importStarter(settingWords),
): Serving {
  if (!start) return {}
  const running = makeRunningImports()
  return {
    works: ({ database }) => [
      {
        every: EVERY_MS,
        isAtOnce: true,
        look: () => void runDueImports(database, start, Date.now, report, running).catch(report),
      },
    ],
    stop: () => stopImports(running),
  }
}
