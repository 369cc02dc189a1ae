import { Problem } from '../base/problems.ts'
import { clientOf } from '../base/text/urls.ts'
import type { IncomingRequest } from './incoming.ts'

// Decides which requests wait and which are refused: each kind of work has a short queue.

/** Cached answers, /healthz and /readyz are in no queue. */
export type QueueName = 'lists' | 'reads' | 'searches' | 'suggestions' | 'writes' | 'uploads' | 'streams'

interface Limit {
  running: number
  waiting: number
  longestMs: number
}

/**
 * `running` is enough to keep a quick database busy, and bounds the work of one event loop turn; `waiting` is
 * about what two cores answer within `longestMs`. `npm run overload` shows whether the limits are right.
 */
export const LIMITS: Readonly<Record<QueueName, Limit>> = {
  /** Even lists from the in-memory index may read events from the database. */
  lists: { running: 32, waiting: 500, longestMs: 300 },
  reads: { running: 8, waiting: 250, longestMs: 300 },
  searches: { running: 4, waiting: 100, longestMs: 120 },
  /** A queue of its own, so that somebody who types waits for no other reads. */
  suggestions: { running: 4, waiting: 100, longestMs: 120 },
  /** Half as many as the largest commit holds, since on SQLite each write waits for its whole commit. */
  writes: { running: 32, waiting: 250, longestMs: 200 },
  /**
   * Each upload holds an image in memory, and scaling takes about a second. Routes that wait for another
   * server are queued here too.
   */
  uploads: { running: 3, waiting: 20, longestMs: 10_000 },
  /** Streams last as long as their readers take, so no request waits for one. */
  streams: { running: 4, waiting: 0, longestMs: 0 },
}

/** Who sends a request. Waiting clients are served in turn, and passed over once they have gone. */
export type Asker = Pick<IncomingRequest, 'address' | 'isGone'>

interface Waiter {
  client: string
  /** Requests are served in rounds of one per client; the lowest number is next. */
  turn: number
  isGone: () => boolean
  go: () => void
  refuse: () => void
}

interface Queue {
  limit: Limit
  running: number
  /** Sorted by turn, then by arrival. */
  waiting: Waiter[]
  /** The turn that was served last. */
  turn: number
}

export interface Admission {
  queues: Readonly<Record<QueueName, Queue>>
  /** The client of each running stream. */
  streaming: string[]
}

export function makeAdmission(limits: Readonly<Record<QueueName, Limit>> = LIMITS): Admission {
  const queue = (limit: Limit): Queue => ({ limit, running: 0, waiting: [], turn: 0 })
  const queues = Object.entries(limits).map(([work, limit]) => [work, queue(limit)])
  return { queues: Object.fromEntries(queues), streaming: [] }
}

const OVERLOADED = new Problem('rest_unavailable', { retryAfter: 1 })

/** Returns the same Problem every time: each new one would cost a stack trace. */
export function overloaded(): Problem {
  return OVERLOADED
}

/**
 * Runs the work when its queue has a place.
 * @throws Problem rest_unavailable if the queue is full, if the request has lost its place to another
 * client or waited too long, or if its client has gone
 */
export async function admitted<T>(
  { queues }: Admission,
  work: QueueName,
  asker: Asker,
  run: () => T | Promise<T>,
): Promise<T> {
  const queue = queues[work]
  if (queue.waiting.length === 0 && queue.running < queue.limit.running) queue.running += 1
  else await waitForTurn(queue, asker)
  try {
    return await run()
  } finally {
    // In the next turn of the event loop, so that requests that need no place come in between.
    setImmediate(leave, queue)
  }
}

/** True if a request would be refused: its body is then not read. */
export function isFull({ queues }: Admission, work: QueueName, address: string): boolean {
  return hasNoRoom(queues[work], address)
}

function turnOf({ waiting, turn }: Queue, client: string): number {
  return Math.max(turn, waiting.findLast((other) => other.client === client)?.turn ?? 0) + 1
}

function hasNoRoom(queue: Queue, address: string): boolean {
  const { waiting, limit } = queue
  return waiting.length >= limit.waiting && turnOf(queue, clientOf(address)) >= (waiting.at(-1)?.turn ?? 0)
}

function waitForTurn(queue: Queue, { address, isGone }: Asker): Promise<void> {
  const { waiting, limit } = queue
  const client = clientOf(address)
  if (hasNoRoom(queue, address)) return Promise.reject(OVERLOADED)
  if (waiting.length >= limit.waiting) waiting.at(-1)?.refuse()
  const turn = turnOf(queue, client)
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      waiting.splice(waiting.indexOf(waiter), 1)
    }
    const go = () => {
      end()
      resolve()
    }
    const refuse = () => {
      end()
      reject(OVERLOADED)
    }
    const waiter = { client, turn, isGone, go, refuse }
    const timer = setTimeout(refuse, limit.longestMs)
    waiting.splice(waiting.findLastIndex((other) => other.turn <= turn) + 1, 0, waiter)
  })
}

function leave(queue: Queue): void {
  queue.running -= 1
  while (queue.running < queue.limit.running) {
    const [next] = queue.waiting
    if (!next) return
    queue.turn = next.turn
    if (next.isGone()) next.refuse()
    else {
      queue.running += 1
      next.go()
    }
  }
}

/** The maximum of streams that one client gets: one place stays free for others. */
const STREAMS_OF_ONE = LIMITS.streams.running - 1

export function tryStream({ queues, streaming }: Admission, address: string): boolean {
  const client = clientOf(address)
  const own = streaming.filter((other) => other === client).length
  if (own >= STREAMS_OF_ONE || streaming.length >= queues.streams.limit.running) return false
  queues.streams.running = streaming.push(client)
  return true
}

export function leaveStream({ queues, streaming }: Admission, address: string): void {
  streaming.splice(streaming.indexOf(clientOf(address)), 1)
  queues.streams.running = streaming.length
}
