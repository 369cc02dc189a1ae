import { once } from 'node:events'
import { join } from 'node:path'
import { type Cores, freePort, startOn, stopProcess } from './processes.ts'
import type { Answer } from './service.ts'

/** The bare `node:http` server that the service is compared with. */
export interface Baseline {
  port: number
  pid: number
  /** Sends these answers from now on, one after the other. */
  serve: (answers: readonly Answer[]) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the bare server in a process of its own, or in several with one more that watches over them, on the core of the service. */
export async function startBaseline(cores: Cores, processes = 1): Promise<Baseline> {
  const port = await freePort()
  const file = join(import.meta.dirname, 'baseline-server.ts')
  const args = [file, String(port), String(processes)]
  const child = startOn(cores.server, process.execPath, args, ['ignore', 'inherit', 'inherit', 'ipc'])
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
