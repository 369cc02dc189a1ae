import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Plan } from '../../bench/data-set.ts'
import type { LoadKind, Mix } from './overload-mix.ts'

/** A load on a port of this machine. */
export interface LoadOrder {
  port: number
  plan: Plan
  seed: number
  mix: Mix
  seconds: number
  /** Requests a second, whether or not earlier ones were answered; 0 for one after the other on each connection. */
  rate: number
  connections: number
}

/** What came of the requests of one kind; times in ms from when a request was sent. */
export interface KindFigures {
  kind: LoadKind
  due: number
  accepted: number
  /** 503 with `Retry-After`, and 429. */
  shed: number
  /** Not answered when the load was over for `AFTER_MS`. */
  unanswered: number
  /** Other answers and broken connections, by status, 0 for a break. */
  wrong: Record<string, number>
  p50: number
  p99: number
  worst: number
}

export interface LoadFigures {
  kinds: KindFigures[]
  /** Requests that no connection was ever free for. */
  unsent: number
  /** ms: what 99 of 100 requests waited in the generator for a free connection, before they were sent. */
  heldP99: number
  /** The part of a core that the generator took: above some 0.9 its own waits count in every time. */
  busy: number
}

/** Milliseconds that answers are waited for after a load. */
export const AFTER_MS = 6000

/**
 * Puts a load on the service from a process of its own. `over` is called when no more requests come, before the last are answered.
 * @throws Error when that process ends without a result.
 */
export async function putLoad(order: LoadOrder, over: () => void = () => undefined): Promise<LoadFigures> {
  const worker = fork(join(import.meta.dirname, 'open-load-worker.ts'), { serialization: 'advanced' })
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`the load generator ended with ${code}`)
  })
  ended.catch(() => undefined)
  try {
    worker.send(order)
    await Promise.race([once(worker, 'message'), ended])
    over()
    const [figures] = await Promise.race([once(worker, 'message'), ended])
    return figures
  } finally {
    worker.kill('SIGKILL')
  }
}
