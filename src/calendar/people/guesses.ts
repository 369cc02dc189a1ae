/** Failed attempts to sign in, counted by name within a minute: an address, a login. */
export type Guesses = Map<string, { failures: number; since: number }>

const WINDOW_MS = 60_000
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 4000
const MOST_COUNTED = 10_000
/** A longer name counts together with all names with the same start, which bounds memory. */
const LONGEST_COUNTED = 100

export function makeGuesses(): Guesses {
  return new Map()
}

export const countedName = (name: string) => name.slice(0, LONGEST_COUNTED).toLowerCase()

/** Counts a failure, and says for how many milliseconds its refusal waits: 0 for the first five within a minute, then 250 doubling to 4000. */
export function noteGuess(guesses: Guesses, name: string, now: number): number {
  const key = countedName(name)
  const before = guesses.get(key)
  const entry = before && now - before.since < WINDOW_MS ? before : { failures: 0, since: now }
  entry.failures += 1
  guesses.delete(key)
  if (guesses.size >= MOST_COUNTED) dropOldest(guesses)
  guesses.set(key, entry)
  const late = entry.failures - FREE_FAILURES - 1
  return late < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** late, LONGEST_DELAY_MS)
}

/** The failures of a name within the minute, and the milliseconds until they are forgotten. */
export function guessesOf(guesses: Guesses, name: string, now: number): { failures: number; msLeft: number } {
  const known = guesses.get(countedName(name))
  const msLeft = known ? known.since + WINDOW_MS - now : 0
  return known && msLeft > 0 ? { failures: known.failures, msLeft } : { failures: 0, msLeft: 0 }
}

/** Makes room in a map for another entry. */
export function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
