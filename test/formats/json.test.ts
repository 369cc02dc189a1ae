import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { jsonParts } from '../../src/http/json.ts'

const written = async (body: unknown, isIndented?: boolean) =>
  Buffer.concat(await jsonParts(body, isIndented)).toString()

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
    equal(await written(body), JSON.stringify(body))
    equal(await written(body, true), JSON.stringify(body, null, 4))
  }
})

test('a list of ten million characters holds the event loop for a part of it at a time', async () => {
  const body = {
    events: Array.from({ length: 50 }, (_, id) => ({ id, description: `${id} "word" `.repeat(20_000) })),
  }
  let [turns, isOver] = [0, false]
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const text = await written(body, true)
  isOver = true
  equal(text, JSON.stringify(body))
  ok(turns >= 10, `${turns} turns`)
})
