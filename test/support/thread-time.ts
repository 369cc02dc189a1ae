/** Returns the processor time of this thread for some work, in ms. Other processes do not change it. */
export async function threadMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
