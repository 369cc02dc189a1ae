import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  isPressed,
  noPressure,
  type Pressure,
  type RequestHandlers,
  serveOrQueue,
  turnAway,
} from '../../src/http/admission.ts'

function stopClock(t: TestContext) {
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const work = (ms: number) => {
    now += ms
  }
  const pass = (ms: number) => {
    work(ms)
    t.mock.timers.tick(ms)
  }
  return { work, pass }
}

interface Seen {
  served: number[]
  refused: number[]
  pressed: number[]
}

function working(
  t: TestContext,
  pressure: Pressure<number>,
  ms: number,
  clientOf = (_request: number) => 'one',
): Seen & RequestHandlers<number> & { pass: (ms: number) => void } {
  const { work, pass } = stopClock(t)
  const seen: Seen = { served: [], refused: [], pressed: [] }
  return {
    ...seen,
    serve: (request) => {
      seen.served.push(request)
      if (isPressed(pressure)) seen.pressed.push(request)
      work(ms)
    },
    refuse: (request) => void seen.refused.push(request),
    clientOf,
    pass,
  }
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)

function arrive(
  pressure: Pressure<number>,
  requests: readonly number[],
  handling: RequestHandlers<number>,
): void {
  for (const request of requests) serveOrQueue(pressure, request, performance.now(), handling)
}

async function serveAll(pressure: Pressure<number>): Promise<void> {
  while (pressure.waiting.size > 0) await nextTurn()
}

test('in one turn of the event loop requests are served for 10 ms, others later, in order', async (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 5)
  arrive(pressure, numbers(12), handling)
  assert.deepEqual(handling.served, [0, 1])
  for (let turn = 2; turn <= 6; turn++) {
    await nextTurn()
    assert.deepEqual(handling.served, numbers(2 * turn))
  }
  assert.deepEqual([pressure.waiting.size, pressure.waitedMs], [0, 0])
})

test('one long wait of the thread makes nobody wait for another turn', (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 0)
  serveOrQueue(pressure, 0, performance.now() - 3000, handling)
  arrive(pressure, numbers(10, 1), handling)
  assert.equal(handling.served.length, 11)
})

test('what has waited for long gets a finished answer or none, and in the end none', async (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 5)
  arrive(pressure, numbers(100), handling)
  // A later request is not served before the waiting ones.
  arrive(pressure, [100], handling)
  await serveAll(pressure)
  handling.pass(500)
  // After 150 ms of waiting answers are finished ones, after 250 ms there are none; the last 25 requests are
  // few.
  assert.deepEqual(handling.pressed, numbers(20, 33))
  assert.deepEqual(handling.refused, numbers(23, 53))
  assert.deepEqual(handling.served, [...numbers(53), ...numbers(25, 76)])
  await nextTurn()
  arrive(pressure, [101], handling)
  assert.equal(handling.served.at(-1), 101)
})

test('a few requests are served however long they have waited', async (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 20)
  arrive(pressure, numbers(24), handling)
  await serveAll(pressure)
  assert.deepEqual([handling.served, handling.refused, handling.pressed], [numbers(24), [], []])
})

test('who comes when two turns of work are waiting is turned away', async (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 5)
  // These requests tell `pressure` that a turn serves few requests.
  arrive(pressure, numbers(60), handling)
  await serveAll(pressure)
  arrive(pressure, numbers(200, 100), handling)
  assert.equal(pressure.waiting.size, 50)
  assert.deepEqual(handling.refused, [])
  handling.pass(500)
  assert.deepEqual(handling.refused, numbers(148, 152))
  await serveAll(pressure)
})

test('clients are served in turn, and the one with most requests loses some to those with few', async (t) => {
  const pressure = noPressure<number>()
  const handling = working(t, pressure, 5, (request) => (request < 1000 ? 'many' : `few ${request % 2}`))
  // These requests tell `pressure` that a turn serves few requests.
  arrive(pressure, numbers(60), handling)
  await serveAll(pressure)
  arrive(pressure, numbers(300, 100), handling)
  const before = handling.served.length
  arrive(pressure, numbers(6, 1000), handling)
  await serveAll(pressure)
  handling.pass(500)
  const late = handling.served.slice(before)
  assert.deepEqual(late.slice(0, 9), [102, 1000, 1001, 103, 1002, 1003, 104, 1004, 1005])
  assert.equal(handling.refused.length, 254)
  assert.ok(handling.refused.every((request) => request < 1000))
})

function refusing(t: TestContext, count: number, ms: number) {
  const { work, pass } = stopClock(t)
  const setTurn = t.mock.method(globalThis, 'setTimeout')
  const pressure = noPressure<number>()
  const told: number[] = []
  const turns: number[] = []
  const refuse = (request: number) => {
    told.push(request)
    turns.push(setTurn.mock.callCount())
    work(ms)
  }
  for (const i of numbers(count)) turnAway(pressure, i, refuse)
  return { told, turns, pass }
}

test('refusals wait for half a second and take 3 ms of a turn, which leaves the thread to others', (t) => {
  const { told, turns, pass } = refusing(t, 40, 1)
  pass(499)
  assert.deepEqual(told, [])
  pass(1)
  assert.deepEqual(told, numbers(40))
  assert.deepEqual(
    turns,
    numbers(40).map((i) => 1 + Math.floor(i / 4)),
  )
})

test('no more than five thousand requests wait for their refusal', async (t) => {
  const { told, pass } = refusing(t, 5300, 0)
  await nextTurn()
  assert.deepEqual(told, numbers(300, 5000))
  pass(500)
  assert.equal(told.length, 5300)
})
