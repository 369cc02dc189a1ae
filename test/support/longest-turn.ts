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
