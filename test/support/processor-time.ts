import { existsSync, readFileSync } from 'node:fs'

const TICKS = 100

const STAT = '/proc/self/stat'

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
