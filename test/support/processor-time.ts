import { existsSync, readFileSync } from 'node:fs'

/** Parts of a second in which Linux counts processor time. */
const TICKS = 100

const STAT = '/proc/self/stat'

/** Seconds of processor time that this process has had, and on Linux those that it started and waited for: what a busy machine changes little. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  const children = existsSync(STAT)
    ? readFileSync(STAT, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(13, 15)
    : []
  return (user + system) / 1e6 + children.reduce((sum, ticks) => sum + Number(ticks) / TICKS, 0)
}
