import type { Plan } from '../../bench/data-set.ts'
import { copyForWriting, prepareDataStore } from '../../bench/data-store.ts'
import { findCores } from '../../bench/processes.ts'
import { listAnywhere, readLines } from '../../bench/requests.ts'
import { type RunningService, startService } from '../../bench/service.ts'

/** The tools of the scenarios of the overload campaign. */
export interface OverloadGround {
  service: RunningService
  plan: Plan
  /** Grows with every load, so that none repeats another. */
  seed: number
  /** Path of a list that is asked for again and again. */
  list: string
  /** Seconds of a load. */
  seconds: number
  /** The whole campaign, or a short form of it. */
  isFull: boolean
  /** How many times longer everything may take than promised: 1, or more where other work goes on beside. */
  slack: number
  /** Milliseconds that the service waits for a slow client. */
  patienceMs: number
  /** ms: what 99 of 100 lists take that nobody has asked for, with nobody else there. */
  normalP99: number
  say: (text: string) => void
}

export interface GroundOptions {
  events: number
  isFull: boolean
  seed: number
  slack: number
  /** Address of an empty PostgreSQL database; undefined for SQLite. */
  database: string | undefined
  say: (text: string) => void
}

/** Starts a service with a data set of so many events, on a core of its own where there are two. */
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
