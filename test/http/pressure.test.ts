import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  isPressed,
  noPressure,
  type Pressure,
  type RequestHandlers,
  serveOrQueue,
  turnAway,
} from '../../src/serve/http/admission.ts'
import { until } from '../support/waiting.ts'

interface Seen {
  served: number[]
  refused: number[]
  /** Requests served while only finished answers are given. */
  pressed: number[]
}

/** Returns handlers that work for this many milliseconds on each request, and record the requests. */
function working(
  pressure: Pressure<number>,
  ms: number,
  clientOf = (_request: number) => 'one',
): Seen & RequestHandlers<number> {
  const seen: Seen = { served: [], refused: [], pressed: [] }
  return {
    ...seen,
    serve: (request) => {
      seen.served.push(request)
      if (isPressed(pressure)) seen.pressed.push(request)
      for (const until = performance.now() + ms; performance.now() < until; );
    },
    refuse: (request) => void seen.refused.push(request),
    clientOf,
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

test('in one turn of the event loop requests are served for 10 ms, the others after it, all in order', async () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 5)
  for (const i of numbers(12)) serveOrQueue(pressure, i, performance.now(), handling)
  // Other programs may use the processor meanwhile, so fewer may be served.
  assert.ok(handling.served.length >= 1 && handling.served.length <= 3, `${handling.served.length}`)
  while (handling.served.length < 12) await nextTurn()
  assert.deepEqual(handling.served, numbers(12))
  assert.deepEqual([pressure.waiting.size, pressure.waitedMs], [0, 0])
})

test('one long wait of the thread makes nobody wait for another turn', () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 0)
  serveOrQueue(pressure, 0, performance.now() - 3000, handling)
  for (const i of numbers(10)) serveOrQueue(pressure, i + 1, performance.now(), handling)
  assert.equal(handling.served.length, 11)
})

test('what has waited for long gets a finished answer or none, and in the end none', async () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 5)
  for (const i of numbers(100)) serveOrQueue(pressure, i, performance.now(), handling)
  // A later request is not served before the waiting ones.
  serveOrQueue(pressure, 100, performance.now(), handling)
  while (handling.served.length + handling.refused.length < 101) await nextTurn()
  const { served, refused, pressed } = handling
  assert.deepEqual(
    [...served, ...refused].sort((a, b) => a - b),
    numbers(101),
  )
  assert.ok(refused.length > 0)
  assert.ok(pressed.length > 0 && pressed.length < served.length)
  await nextTurn()
  serveOrQueue(pressure, 101, performance.now(), handling)
  assert.equal(handling.served.at(-1), 101)
})

test('a few requests are served however long they have waited', async () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 20)
  for (const i of numbers(24)) serveOrQueue(pressure, i, performance.now(), handling)
  while (handling.served.length < 24) await nextTurn()
  assert.deepEqual([handling.refused, handling.pressed], [[], []])
})

test('who comes when two turns of work are waiting is turned away', async () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 5)
  // These requests tell `pressure` how many requests a turn serves.
  for (const i of numbers(60)) serveOrQueue(pressure, i, performance.now(), handling)
  while (handling.served.length + handling.refused.length < 60) await nextTurn()
  const before = handling.refused.length
  for (const i of numbers(200)) serveOrQueue(pressure, 100 + i, performance.now(), handling)
  assert.equal(handling.refused.length, before)
  await until(() => handling.refused.length - before > 100, 'they were not turned away')
  while (pressure.waiting.size > 0) await nextTurn()
})

test('clients are served in turn, and the one with most requests loses some to those with few', async () => {
  const pressure = noPressure<number>()
  const handling = working(pressure, 5, (request) => (request < 1000 ? 'many' : `few ${request % 2}`))
  // These requests tell `pressure` that a turn serves few requests.
  for (const i of numbers(60)) serveOrQueue(pressure, i, performance.now(), handling)
  while (handling.served.length + handling.refused.length < 60) await nextTurn()
  for (const i of numbers(300)) serveOrQueue(pressure, 100 + i, performance.now(), handling)
  const before = handling.served.length
  for (const i of numbers(6)) serveOrQueue(pressure, 1000 + i, performance.now(), handling)
  while (pressure.waiting.size > 0) await nextTurn()
  const late = handling.served.slice(before)
  const few = late.filter((request) => request >= 1000)
  assert.deepEqual(few, [1000, 1001, 1002, 1003, 1004, 1005])
  assert.ok(late.indexOf(1005) <= 9, `they were served among ${late.slice(0, 20).join()}`)
  await until(() => handling.refused.length >= 250, 'the many were not turned away')
  assert.ok(handling.refused.every((request) => request < 1000))
})

/** Refuses this many requests, each for some milliseconds. Returns the refused requests in order, the time of each in ms, and the number in each turn. */
function refusing(count: number, ms: number): { told: number[]; after: number[]; turns: number[] } {
  const pressure = noPressure<number>()
  const told: number[] = []
  const after: number[] = []
  const turns: number[] = []
  const began = performance.now()
  let ofTurn = 0
  const endTurn = () => {
    turns.push(ofTurn)
    ofTurn = 0
  }
  const refuse = (request: number) => {
    told.push(request)
    after.push(performance.now() - began)
    if (ofTurn === 0) queueMicrotask(endTurn)
    ofTurn += 1
    for (const until = performance.now() + ms; performance.now() < until; );
  }
  for (const i of numbers(count)) turnAway(pressure, i, refuse)
  return { told, after, turns }
}

test('refusals wait for half a second and take 3 ms of a turn, so that the thread is left to what has been accepted', async () => {
  const { told, after, turns } = refusing(40, 1)
  await until(() => told.length === 40, 'some are never told')
  assert.ok(Math.min(...after) >= 500, after.join())
  assert.ok(Math.max(...turns) <= 4, turns.join())
  assert.deepEqual(told, numbers(40))
})

test('no more than five thousand requests wait for their refusal', async () => {
  const { told } = refusing(5300, 0)
  await nextTurn()
  assert.equal(told.length, 300)
  await until(() => told.length === 5300, 'some are never told')
})
