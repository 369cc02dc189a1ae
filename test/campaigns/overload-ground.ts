import type { Plan } from '../../bench/data-set.ts'
import { copyForWriting, prepareDataStore } from '../../bench/data-store.ts'
import { findCores } from '../../bench/processes.ts'
import { listAnywhere, readLines } from '../../bench/requests.ts'
import { type RunningService, startService } from '../../bench/service.ts'

/** The service and the parameters of the overload campaign. */
export interface OverloadGround {
  service: RunningService
  plan: Plan
  /** Increased for every load, so that none repeats another. */
  seed: number
  /** The path of a list that is requested repeatedly. */
  list: string
  /** The seconds of a load. */
  seconds: number
  /** True for the whole campaign, false for its short form. */
  isFull: boolean
  /** The factor by which times may exceed the promises: 1, or more on a busy machine. */
  slack: number
  /** The ms that the service waits for a slow client. */
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
  /** The address of an empty PostgreSQL database; undefined for SQLite. */
  database: string | undefined
  say: (text: string) => void
}

/** Starts a service with a data set of so many events, on a separate core if there are two. */
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
