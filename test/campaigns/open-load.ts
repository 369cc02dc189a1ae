import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Plan } from '../../bench/data-set.ts'
import type { LoadKind, Mix } from './overload-mix.ts'

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
  shed: number
  unanswered: number
  wrong: Record<string, number>
  p50: number
  p99: number
  worst: number
}

export interface LoadFigures {
  kinds: KindFigures[]
  unsent: number
  heldP99: number
  busy: number
}

export const AFTER_MS = 6000

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
