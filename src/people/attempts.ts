import { Problem } from '../problems.ts'

/** Sign-ins under way by key, such as a login from an address: a few at once, the others in turn. */
export interface Attempts {
  underWay: Map<string, Trying>
}

interface Trying {
  count: number
  /** The waiting ones, the first first. */
  waiting: (() => void)[]
}

/** Concurrent sign-ins of one name: each occupies its place while its refusal waits, so parallel guesses gain nothing. */
const MOST_AT_ONCE = 4
/** Waiting sign-ins of one name; more are refused without a look-up. */
const MOST_WAITING = 50
/** Seconds after which a client that was refused without a look-up may try again. */
const RETRY_AFTER = 4

export function makeAttempts(): Attempts {
  return { underWay: new Map() }
}

/**
 * Runs a sign-in once it is its turn.
 * @throws Problem too_many_attempts when too many wait already, and whatever `work` throws
 */
export async function inTurn<T>(attempts: Attempts, name: string, work: () => Promise<T>): Promise<T> {
  const trying = attempts.underWay.get(name) ?? { count: 0, waiting: [] }
  attempts.underWay.set(name, trying)
  if (trying.count >= MOST_AT_ONCE) await turnOf(trying)
  else trying.count += 1
  try {
    return await work()
  } finally {
    leave(attempts, name, trying)
  }
}

/** Resolves when an earlier sign-in leaves its place. */
async function turnOf({ waiting }: Trying): Promise<void> {
  if (waiting.length >= MOST_WAITING) throw new Problem('too_many_attempts', { retryAfter: RETRY_AFTER })
  await new Promise<void>((resolve) => waiting.push(resolve))
}

function leave(attempts: Attempts, name: string, trying: Trying): void {
  const next = trying.waiting.shift()
  // The place goes to the next waiter, so that no newcomer takes it.
  if (next) next()
  else trying.count -= 1
  if (trying.count === 0) attempts.underWay.delete(name)
}
