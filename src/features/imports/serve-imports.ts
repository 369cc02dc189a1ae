import type { ServiceStart, Serving } from '../../feature.ts'
import {
  importStarter,
  makeRunningImports,
  runDueImports,
  type StartImport,
  stopImports,
} from './import-schedule.ts'
import { stagedWorkOf } from './run-staged.ts'

const EVERY_MS = 30_000
/** In ms: how often imports are looked for that another process stored but did not run. */
const STAGED_EVERY_MS = 10_000

/**
 * Runs imports from the desk and scheduled ones. Without `start`, scheduled imports do not run: other
 * processes could not be given the settings of this one.
 */
export function serveImports(
  service: ServiceStart,
  start: StartImport | undefined = service.settingWords && importStarter(service.settingWords),
): Serving {
  const { report } = service
  const running = makeRunningImports()
  const staged = stagedWorkOf(service)
  return {
    works: (ground) => {
      staged.begin(ground)
      const tables = { every: STAGED_EVERY_MS, isAtOnce: true, look: staged.look } as const
      if (!start) return [tables]
      const look = () => void runDueImports(ground.database, start, Date.now, report, running).catch(report)
      return [tables, { every: EVERY_MS, isAtOnce: true, look }]
    },
    stop: () => Promise.all([stopImports(running), staged.stop()]),
  }
}
