import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonBytes } from '../../src/serve/formats/json.ts'

const few = [{ a: 1 }, { text: '"events":[] \\ "body":[]' }, null, undefined, 5]
const items = [...few, ...few]

test('a body is written as JSON.stringify writes it, wherever its list is', async () => {
  const bodies: unknown[] = [
    {},
    [],
    'text',
    5,
    null,
    items,
    { body: few, few, events: items },
    { events: items, total: 3, rest_url: 'x' },
    { rest_url: '"events":[]', total: undefined, events: items },
    { body: { rest_url: 'x', venues: items, total: 1 }, status: 200, headers: { Allow: 'GET' } },
    { body: items, status: 200 },
    { body: null, status: 404 },
    { events: [], none: [] },
  ]
  for (const body of bodies) {
    assert.equal((await jsonBytes(body)).toString(), JSON.stringify(body))
    assert.equal((await jsonBytes(body, true)).toString(), JSON.stringify(body, null, 4))
  }
})

test('a list of ten million characters holds the event loop for a part of it at a time', async (t) => {
  const body = { events: Array.from({ length: 50 }, (_, id) => ({ id, description: `${id} "word" `.repeat(20_000) })) }
  let longest = 0
  let before = process.threadCpuUsage()
  let isOver = false
  const turn = () => {
    const used = process.threadCpuUsage(before)
    longest = Math.max(longest, (used.user + used.system) / 1000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const bytes = await jsonBytes(body, true)
  isOver = true
  t.diagnostic(`${bytes.length} bytes, the longest turn took ${longest.toFixed(1)} ms of the processor`)
  assert.equal(bytes.toString(), JSON.stringify(body))
  assert.ok(longest < 50, `a turn took ${longest} ms`)
})
