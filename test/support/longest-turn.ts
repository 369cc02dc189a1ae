/** The longest, in ms of its processor time, that this thread was busy during `work` without letting anything else go on. */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let [longest, isOver] = [0, false]
  let last = process.threadCpuUsage()
  const watch = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  try {
    await work()
  } finally {
    isOver = true
  }
  return longest
}
