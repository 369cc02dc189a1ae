import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Plan } from '../../bench/data-set.ts'
import type { LoadKind, Mix } from './overload-mix.ts'

/** A load for a service on this machine. */
export interface LoadOrder {
  port: number
  plan: Plan
  seed: number
  mix: Mix
  seconds: number
  /**
   * Requests per second, sent even if earlier ones are unanswered; 0 sends the next request on each
   * connection after each answer.
   */
  rate: number
  connections: number
}

/** The figures of one kind of request. Times are in ms after sending. */
export interface KindFigures {
  kind: LoadKind
  due: number
  accepted: number
  /** Answered 429, or 503 with `Retry-After`. */
  shed: number
  /** Unanswered `AFTER_MS` after the end of the load. */
  unanswered: number
  /** Other answers by status, with 0 for broken connections. */
  wrong: Record<string, number>
  p50: number
  p99: number
  worst: number
}

export interface LoadFigures {
  kinds: KindFigures[]
  /** Requests for which no connection became free. */
  unsent: number
  /** The 99th percentile of the ms that requests waited for a connection before they were sent. */
  heldP99: number
  /** The part of a core that the generator used. Above about 0.9, its own delays distort every time. */
  busy: number
}

/** The most ms to wait for answers after a load. */
export const AFTER_MS = 6000

/**
 * Puts a load on a service from another process. Calls `over` when the last request was sent, while answers
 * may be missing.
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
