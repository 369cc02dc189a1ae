import type { Plan } from '../../bench/data-set.ts'
import { copyForWriting, prepareDataStore } from '../../bench/data-store.ts'
import { findCores } from '../../bench/processes.ts'
import { listAnywhere, readLines } from '../../bench/requests.ts'
import { type RunningService, startService } from '../../bench/service.ts'

export interface OverloadGround {
  service: RunningService
  plan: Plan
  /** Increased for every load, so that none repeats another. */
  seed: number
  list: string
  seconds: number
  isFull: boolean
  slack: number
  patienceMs: number
  /** The 99th percentile in ms of lists not requested before, without load. */
  normalP99: number
  say: (text: string) => void
}

export interface GroundOptions {
  events: number
  isFull: boolean
  seed: number
  slack: number
  database: string | undefined
  say: (text: string) => void
}

export async function openGround(
  options: GroundOptions,
): Promise<Omit<OverloadGround, 'normalP99'> & { close: () => Promise<void> }> {
  const { events, isFull, seed, slack, say } = options
  const store = await copyForWriting(await prepareDataStore(events, options.database, say))
  const patienceMs = isFull ? 30_000 : 1500
  const flags = ['--patience-ms', String(patienceMs)]
  const service = await startService({ address: store.address, cores: findCores(), flags })
  const [line = ''] = readLines(listAnywhere, store.plan, seed, 1)
  return {
    service,
    plan: store.plan,
    seed: seed * 1000,
    list: line.split('\t')[1] ?? '/',
    seconds: isFull ? 20 : 0.8,
    isFull,
    slack,
    patienceMs,
    say,
    close: async () => {
      await service.stop()
      await store.remove()
    },
  }
}
