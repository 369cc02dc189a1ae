import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { test } from 'node:test'

const module = new URL('../../src/import/give-way.ts', import.meta.url).href
const SCRIPT = `import('${module}').then(({ giveWay }) => { giveWay(); console.log(os.getPriority()) })`

/** The lowest priority that there is. */
const LOWEST = 19

test('an import gives way to the service, and further where it was started so', () => {
  for (const lower of [0, 15]) {
    const { stdout } = spawnSync('nice', ['-n', String(lower), process.execPath, '-e', SCRIPT], { encoding: 'utf8' })
    const started = Math.min(getPriority() + lower, LOWEST)
    assert.equal(Number(stdout), Math.max(started, 10))
  }
})
