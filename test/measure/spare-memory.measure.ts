import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readAll, startProcess } from '../support/processes.ts'

const SPENDER = fileURLToPath(new URL('../support/spend-memory.ts', import.meta.url))

test('a quiet process gives back the memory of its largest hour', async () => {
  const spent = await Promise.all(
    ['0', '300'].map(async (quietMs) => {
      const [line = ''] = await readAll(startProcess(SPENDER, [quietMs]))
      const [before = 0, most = 0, after = 0] = line.split(' ').map(Number)
      return { grown: most - before, left: after - before }
    }),
  )
  const [kept, returned] = spent
  assert.ok(kept && returned)
  assert.ok(kept.left > kept.grown / 2, `V8 gives memory back by itself now: ${JSON.stringify(kept)}`)
  assert.ok(returned.left < returned.grown / 2, JSON.stringify(returned))
})
