/** Returns the processor time of this thread for some work, in ms. Other processes do not change it. */
export async function threadMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Returns the median of the processor times of this thread for some runs of the same work, in ms. The first
 * run, which loads code, is not counted.
 */
export async function medianMs(work: () => unknown, runs = 5): Promise<number> {
  await work()
  const times: number[] = []
  for (let run = 0; run < runs; run++) times.push(await threadMs(work))
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
}
