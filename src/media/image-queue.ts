import { Problem } from '../problems.ts'

/** The expected work of an image: `slow` ones may take seconds and never hold all places. */
export type Pace = 'quick' | 'slow'

interface Waiting {
  pace: Pace
  begin: () => void
}

/** The images being prepared and the waiting ones, in the order of arrival. */
export interface ImageQueue {
  running: Record<Pace, number>
  waiting: Waiting[]
}

/** Images prepared at the same time. Each holds a thread of the pool that file and DNS lookups use as well. */
const PLACES = 2
/** The places that slow images may take. */
const SLOW_PLACES = 1
/** The most images that may wait. */
const MOST_WAITING: Readonly<Record<Pace, number>> = { quick: 32, slow: 4 }
/** Seconds after which a refused upload may be tried again. */
const RETRY_AFTER = 5

export function makeImageQueue(): ImageQueue {
  return { running: { quick: 0, slow: 0 }, waiting: [] }
}

/**
 * Does the work when its turn comes: in order, except that slow work waits for other slow work and quick work does not.
 * @throws Problem rest_unavailable at once, when too many wait already
 */
export async function takeTurn<T>(queue: ImageQueue, pace: Pace, work: () => Promise<T>): Promise<T> {
  const { waiting, running } = queue
  if (waiting.filter((other) => other.pace === pace).length >= MOST_WAITING[pace])
    throw new Problem('rest_unavailable', { retryAfter: RETRY_AFTER })
  await new Promise<void>((begin) => {
    waiting.push({ pace, begin })
    beginNext(queue)
  })
  try {
    return await work()
  } finally {
    running[pace] -= 1
    beginNext(queue)
  }
}

/** Begins the first waiting image that has a place. */
function beginNext({ running, waiting }: ImageQueue): void {
  if (running.quick + running.slow >= PLACES) return
  const next = waiting.findIndex(({ pace }) => pace === 'quick' || running.slow < SLOW_PLACES)
  const [begun] = next === -1 ? [] : waiting.splice(next, 1)
  if (!begun) return
  running[begun.pace] += 1
  begun.begin()
}
