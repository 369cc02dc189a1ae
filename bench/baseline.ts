import { once } from 'node:events'
import { join } from 'node:path'
import { type Cores, freePort, startOn, stopProcess } from './processes.ts'
import type { Answer } from './service.ts'

/** The bare `node:http` server with which the service is compared. */
export interface Baseline {
  port: number
  pid: number
  /** Sends these answers in turn from now on. */
  serve: (answers: readonly Answer[]) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the bare server on the core of the service. */
export async function startBaseline(cores: Cores): Promise<Baseline> {
  const port = await freePort()
  const file = join(import.meta.dirname, 'baseline-server.ts')
  const child = startOn(
    cores.server,
    process.execPath,
    [file, String(port)],
    ['ignore', 'inherit', 'inherit', 'ipc'],
  )
  await once(child, 'message')
  return {
    port,
    pid: child.pid ?? 0,
    serve: async (answers) => {
      const ready = once(child, 'message')
      child.send([...answers])
      await ready
    },
    stop: () => stopProcess(child),
  }
}
