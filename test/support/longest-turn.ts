import { ok } from 'node:assert/strict'

/**
 * A turn below this processor time, in ms, counts as waiting. After `QUIET_LOOKS` such turns, a timer
 * measures instead of every turn.
 */
const QUIET_MS = 0.3
const QUIET_LOOKS = 10

/**
 * Returns the longest time, in ms of processor time, for which `work` kept this thread busy without a break.
 */
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
  // Measures after every turn of the event loop. That alone would keep a waiting thread busy, so then a timer
  // measures.
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
  ok(Math.min(...turns) < most, `${name}: ${turns.join(', ')} ms`)
}
