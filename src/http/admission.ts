import { Problem } from '../problems.ts'

/** The kinds of work that wait in queues of their own. Finished answers, /healthz and /readyz wait in none. */
export type Work = 'lists' | 'reads' | 'searches' | 'writes' | 'uploads'

interface Limit {
  /** How many run at the same time. */
  running: number
  /** How many more wait. */
  waiting: number
  /** Milliseconds after which a waiting request is turned away. */
  longestMs: number
}

/**
 * How much of each kind is taken on. Running: as many as keep the database busy, and no more. Waiting: as many as are answered within the longest
 * wait on a machine of two cores, so that every accepted request is answered within a second.
 */
export const LIMITS: Readonly<Record<Work, Limit>> = {
  /** Lists of events from the index in memory that wait for some of their events. */
  lists: { running: 32, waiting: 500, longestMs: 500 },
  /** All other reads of the database. */
  reads: { running: 8, waiting: 250, longestMs: 500 },
  searches: { running: 4, waiting: 100, longestMs: 500 },
  /** A commit holds as many at the most, and on SQLite it holds this thread. */
  writes: { running: 32, waiting: 250, longestMs: 750 },
  /** Each holds an image in memory, which has arrived by now; scaling takes about a second for each. */
  uploads: { running: 3, waiting: 20, longestMs: 10_000 },
}

/** A request that waits for its turn. */
interface Waiter {
  since: number
  isGone: () => boolean
  go: () => void
  turnAway: (problem: Problem) => void
}

interface Queue {
  limit: Limit
  running: number
  /** In the order in which they came. */
  waiting: Set<Waiter>
  isDispatching: boolean
}

/** The running and waiting requests of each kind. */
export interface Admission {
  queues: Readonly<Record<Work, Queue>>
  /** Looks for requests that have waited too long, while any wait. */
  looking: NodeJS.Timeout | undefined
}

const LOOK_EVERY_MS = 50

export function makeAdmission(limits: Readonly<Record<Work, Limit>> = LIMITS): Admission {
  const queue = (limit: Limit): Queue => ({ limit, running: 0, waiting: new Set(), isDispatching: false })
  const { lists, reads, searches, writes, uploads } = limits
  return {
    queues: {
      lists: queue(lists),
      reads: queue(reads),
      searches: queue(searches),
      writes: queue(writes),
      uploads: queue(uploads),
    },
    looking: undefined,
  }
}

/** Takes a free place of this kind unless others wait for one; give it back with `leave`. */
export function tryEnter(admission: Admission, work: Work): boolean {
  const queue = admission.queues[work]
  if (queue.running >= queue.limit.running || queue.waiting.size > 0) return false
  queue.running += 1
  return true
}

/** Gives a place back. The next waiter gets it in the next turn of the event loop, so that unqueued work comes between. */
export function leave(admission: Admission, work: Work): void {
  const queue = admission.queues[work]
  queue.running -= 1
  dispatch(queue)
}

/**
 * Does work of this kind when its turn comes. A request whose client has gone by then is dropped.
 * @throws Problem rest_unavailable when the queue is full
 */
export async function admitted<T>(
  admission: Admission,
  work: Work,
  isGone: () => boolean,
  run: () => Promise<T>,
): Promise<T> {
  if (!tryEnter(admission, work)) await waitForTurn(admission, work, isGone)
  try {
    return await run()
  } finally {
    leave(admission, work)
  }
}

const OVERLOADED = new Problem('rest_unavailable', { retryAfter: 1 })

/** The problem of an overloaded service, always the same one: the stack of a new one costs more than its answer. */
export function overloaded(): Problem {
  return OVERLOADED
}

/** Whether the queue of this kind is full, so that a new request would be turned away. */
export function isFull(admission: Admission, work: Work): boolean {
  const { limit, waiting } = admission.queues[work]
  return waiting.size >= limit.waiting
}

function waitForTurn(admission: Admission, work: Work, isGone: () => boolean): Promise<void> {
  const queue = admission.queues[work]
  if (isFull(admission, work)) throw overloaded()
  admission.looking ??= setInterval(() => turnAwayLate(admission), LOOK_EVERY_MS).unref()
  return new Promise((resolve, reject) => {
    queue.waiting.add({ since: performance.now(), isGone, go: resolve, turnAway: reject })
  })
}

function dispatch(queue: Queue): void {
  if (queue.isDispatching || queue.waiting.size === 0 || queue.running >= queue.limit.running) return
  queue.isDispatching = true
  setImmediate(() => {
    queue.isDispatching = false
    const next = takeNext(queue)
    if (!next) return
    queue.running += 1
    next.go()
    // One a turn: a query of SQLite may hold this thread.
    dispatch(queue)
  })
}

function takeNext(queue: Queue): Waiter | undefined {
  for (const waiter of queue.waiting) {
    queue.waiting.delete(waiter)
    if (!waiter.isGone()) return waiter
    waiter.turnAway(overloaded())
  }
  return undefined
}

function turnAwayLate(admission: Admission): void {
  const now = performance.now()
  let areWaiting = false
  for (const queue of Object.values(admission.queues)) {
    for (const waiter of queue.waiting) {
      if (now - waiter.since <= queue.limit.longestMs) break
      queue.waiting.delete(waiter)
      waiter.turnAway(overloaded())
    }
    areWaiting ||= queue.waiting.size > 0
  }
  if (areWaiting) return
  clearInterval(admission.looking)
  admission.looking = undefined
}
