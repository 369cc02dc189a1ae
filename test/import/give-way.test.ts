import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { test } from 'node:test'

const module = new URL('../../src/features/imports/import-schedule.ts', import.meta.url).href
const SCRIPT = `import('${module}').then(({ lowerPriority }) => {
  lowerPriority()
  const threads = process.platform === 'linux' ? fs.readdirSync('/proc/self/task').map(Number) : [0]
  console.log(...new Set(threads.map((thread) => os.getPriority(thread))))
})`

const LOWEST = 19

test('an import gives way to the service with all threads, and further where it was started so', () => {
  for (const lower of [0, 15]) {
    const { stdout } = spawnSync('nice', ['-n', String(lower), process.execPath, '-e', SCRIPT], {
      encoding: 'utf8',
    })
    const started = Math.min(getPriority() + lower, LOWEST)
    equal(Number(stdout), Math.max(started, 10))
  }
})
