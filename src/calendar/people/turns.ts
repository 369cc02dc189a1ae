import { Problem, type ProblemCode } from '../../base/problems.ts'

// Limits how much work runs at once under one name, and delays those who guess passwords.

/** For each name, `atOnce` tasks run at once, `waiting` more wait, and others are refused. */
export interface Turns extends TurnLimits {
  underWay: Map<string, Turn>
}

export interface TurnLimits {
  atOnce: number
  waiting: number
  code: ProblemCode
  /** In seconds. */
  retryAfter: number
}

interface Turn {
  count: number
  /** Waiters by rank; all of one rank are served before the next. */
  queues: readonly [Waiter[], Waiter[], Waiter[]]
}

interface Waiter {
  go: () => void
  turnAway: (problem: Problem) => void
}

/**
 * Rank 0 is served first. If no more may wait, a new waiter displaces the longest-waiting one of the last
 * rank that has waiters, provided that this rank is later than its own or is `LAST`; otherwise it is refused.
 */
export type Rank = 0 | 1 | 2
const LAST = 2

export function makeTurns(limits: TurnLimits): Turns {
  return { ...limits, underWay: new Map() }
}

/**
 * Runs `work`, after waiting if too much runs under the name.
 * @throws Problem with `code` of the limits when too much waits, and whatever `work` throws
 */
export async function inTurn<T>(
  turns: Turns,
  name: string,
  work: () => Promise<T>,
  rank: Rank = 0,
): Promise<T> {
  const turn = turns.underWay.get(name) ?? { count: 0, queues: [[], [], []] }
  turns.underWay.set(name, turn)
  if (turn.count >= turns.atOnce) await turnOf(turns, turn, rank)
  else turn.count += 1
  try {
    return await work()
  } finally {
    leave(turns, name, turn)
  }
}

async function turnOf(
  { waiting: most, code, retryAfter }: Turns,
  { queues }: Turn,
  rank: Rank,
): Promise<void> {
  if (queues.flat().length >= most) {
    const full = new Problem(code, { retryAfter })
    const behind = queues.findLast((queue, at) => at > Math.min(rank, LAST - 1) && queue.length > 0)?.shift()
    if (!behind) throw full
    behind.turnAway(full)
  }
  await new Promise<void>((go, turnAway) => queues[rank].push({ go, turnAway }))
}

function leave({ underWay }: Turns, name: string, turn: Turn): void {
  const next = turn.queues.find((queue) => queue.length > 0)?.shift()
  // `count` stays: the next waiter gets the place, so that no newcomer takes it.
  if (next) next.go()
  else turn.count -= 1
  if (turn.count === 0) underWay.delete(name)
}

/** Failed sign-ins by address or login, counted for a minute from the first. */
export type Guesses = Map<string, { failures: number; since: number }>

export const WINDOW_MS = 60_000
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 4000
const MOST_COUNTED = 10_000
/** In characters. Longer names are cut and counted together, which bounds memory. */
const LONGEST_COUNTED = 100

export function makeGuesses(): Guesses {
  return new Map()
}

export const countedName = (name: string) => name.slice(0, LONGEST_COUNTED).toLowerCase()

/**
 * Counts a failure and returns the delay in ms: 0 for the first five within a minute, then 250, doubling up
 * to 4000.
 */
export function noteGuess(guesses: Guesses, name: string, now: number): number {
  const key = countedName(name)
  const before = guesses.get(key)
  const entry = before && now - before.since < WINDOW_MS ? before : { failures: 0, since: now }
  entry.failures += 1
  guesses.delete(key)
  const [oldest = ''] = guesses.keys()
  if (guesses.size >= MOST_COUNTED) guesses.delete(oldest)
  guesses.set(key, entry)
  const late = entry.failures - FREE_FAILURES - 1
  return late < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** late, LONGEST_DELAY_MS)
}
