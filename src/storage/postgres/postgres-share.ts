import { DatabaseUnavailable } from '../unavailable.ts'

/** The share of a pool's connections that one kind of work may use at the same time. */
export interface Share {
  limit: number
  taken: number
  waiting: Turn[]
  /** The most milliseconds that work waits for its turn. */
  longestWaitMs: number
}

interface Turn {
  begin: () => void
}

/** The most waiting turns for each connection. */
const MOST_WAITING = 64

export function makeShare(limit: number, longestWaitMs: number): Share {
  return { limit: Math.max(1, Math.floor(limit)), taken: 0, waiting: [], longestWaitMs }
}

/** Does the work once a connection of the share is free. Rejects with DatabaseUnavailable when none becomes free in time, or when too many wait. */
export async function inShare<T>(share: Share, work: () => Promise<T>): Promise<T> {
  if (share.taken >= share.limit) await turnIn(share)
  else share.taken += 1
  try {
    return await work()
  } finally {
    // The next in the queue takes its place.
    const next = share.waiting.shift()
    if (next) next.begin()
    else share.taken -= 1
  }
}

function turnIn(share: Share): Promise<void> {
  if (share.waiting.length >= share.limit * MOST_WAITING)
    return Promise.reject(new DatabaseUnavailable('Too many others wait for a connection to the database.'))
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      share.waiting.splice(share.waiting.indexOf(turn), 1)
      reject(new DatabaseUnavailable(`No connection to the database was free within ${share.longestWaitMs} ms.`))
    }
    const timer = setTimeout(giveUp, share.longestWaitMs)
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    const turn: Turn = { begin }
    share.waiting.push(turn)
  })
}
