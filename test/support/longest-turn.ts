import assert from 'node:assert/strict'

/** Milliseconds of processor time up to which the thread is taken to wait, and for how many looks before it is looked at less often. */
const QUIET_MS = 0.3
const QUIET_LOOKS = 10

/** The longest, in ms of its processor time, that this thread was busy during `work` without letting anything else go on. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, quiet, isOver] = [0, 0, false]
  let last = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    const busy = (user + system) / 1000
    longest = Math.max(longest, busy)
    quiet = busy < QUIET_MS ? quiet + 1 : 0
    last = process.threadCpuUsage()
  }
  // After each turn while there are any. A thread that waits for others would be kept busy by that, so then a timer looks.
  const watch = () => {
    look()
    if (isOver) return
    if (quiet < QUIET_LOOKS) setImmediate(watch)
    else setTimeout(watch, 1)
  }
  setImmediate(watch)
  try {
    await work()
  } finally {
    isOver = true
    look()
  }
  return longest
}

/**
 * Fails unless no turn of the work took as long as `most` ms: once of three times, as code that runs for the first time, a collection of garbage, and
 * other processes take longer. What is prepared for each time is not measured.
 */
export async function holdsUpNobody(
  name: string,
  most: number,
  work: (round: number) => Promise<unknown>,
  prepare: (round: number) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const turns: number[] = []
  for (let round = 1; round <= 3 && !turns.some((turn) => turn < most); round++) {
    await prepare(round)
    turns.push(await longestTurn(() => work(round)))
  }
  assert.ok(Math.min(...turns) < most, `${name}: ${turns.join(', ')} ms`)
}
