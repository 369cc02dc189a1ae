import { deepEqual, equal, fail, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../src/base/problems.ts'
import { admitted, isFull, LIMITS, leaveStream, makeAdmission, tryStream } from '../../src/http/admission.ts'

const at = (address: string) => ({ address, isGone: () => false })
const here = at('192.0.2.1')

function withReads(running: number, waiting: number, longestMs = 60_000) {
  return makeAdmission({ ...LIMITS, reads: { running, waiting, longestMs } })
}

function openEnded() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

const isOverload = (error: unknown) => error instanceof Problem && error.code === 'rest_unavailable'

test('so many run, so many wait in the order they came, and the rest is turned away at once', async () => {
  const admission = withReads(2, 2)
  const order: number[] = []
  const works = [0, 1, 2, 3].map(openEnded)
  const done = works.map(({ work }, i) =>
    admitted(admission, 'reads', here, () => {
      order.push(i)
      return work()
    }),
  )
  await rejects(
    admitted(admission, 'reads', here, async () => order.push(4)),
    isOverload,
  )
  deepEqual(order, [0, 1])
  works[1]?.end()
  await done[1]
  await nextTurn()
  deepEqual(order, [0, 1, 2])
  for (const { end } of works) end()
  await Promise.all(done)
  deepEqual(order, [0, 1, 2, 3])
})

test('one kind of work waits for no other', async () => {
  const admission = withReads(1, 0)
  const work = openEnded()
  const running = admitted(admission, 'reads', here, work.work)
  await rejects(
    admitted(admission, 'reads', here, async () => 1),
    isOverload,
  )
  equal(await admitted(admission, 'writes', here, async () => 2), 2)
  work.end()
  await running
})

test('a place comes back when work fails, and is given on in the next turn of the event loop', async () => {
  const admission = withReads(1, 5)
  const failing = admitted(admission, 'reads', here, async () => {
    throw new Error('no')
  })
  let isTurnOver = false
  setImmediate(() => {
    isTurnOver = true
  })
  const next = admitted(admission, 'reads', here, async () => isTurnOver)
  await rejects(failing, /no/)
  equal(await next, true)
})

test('nothing is done for a client that has gone', async () => {
  const admission = withReads(1, 5)
  const before = openEnded()
  const held = admitted(admission, 'reads', here, before.work)
  let isGone = false
  const gone = admitted(admission, 'reads', { ...here, isGone: () => isGone }, async () =>
    fail('it was done'),
  )
  const still = admitted(admission, 'reads', here, async () => 'done')
  isGone = true
  before.end()
  await rejects(gone, isOverload)
  equal(await still, 'done')
  await held
})

test('what ends at once takes no more of a turn of the event loop than places allow', async () => {
  const admission = withReads(3, 20)
  let [turn, done] = [0, 0]
  const all = Array.from({ length: 12 }, () =>
    admitted(admission, 'reads', here, async () => {
      done += 1
      ok(done <= 3 * (turn + 1), `${done} were done in turn ${turn}`)
    }),
  )
  for (; done < 12; turn++) await nextTurn()
  await Promise.all(all)
})

function contended(waiting: number) {
  const admission = withReads(1, waiting)
  const { work, end } = openEnded()
  void admitted(admission, 'reads', here, work)
  const order: string[] = []
  const ask = (name: string, address: string) =>
    admitted(admission, 'reads', at(address), async () => order.push(name)).catch((error: unknown) => {
      ok(isOverload(error))
      order.push(`not ${name}`)
    })
  return { admission, order, ask, end }
}

test('clients take turns, those of one IPv6 network together', async () => {
  const { admission, order, ask, end } = contended(20)
  const asked = [
    ...['a1', 'a2', 'a3'].map((name) => ask(name, '2001:db8:0:1::1')),
    ask('a4', '2001:db8:0:1:ffff::2'),
    ...['b1', 'b2'].map((name) => ask(name, '2001:db8:0:2::1')),
    ask('c1', '192.0.2.7'),
  ]
  end()
  await Promise.all(asked)
  deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  deepEqual(admission.queues.reads.waiting, [])
})

test('when all is full, the newest of the longest line gives way to who has fewer waiting', async () => {
  const { admission, order, ask, end } = contended(4)
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, '192.0.2.1'))
  deepEqual([isFull(admission, 'reads', '192.0.2.1'), isFull(admission, 'reads', '192.0.2.2')], [true, false])
  asked.push(ask('a5', '192.0.2.1'), ask('b1', '192.0.2.2'), ask('b2', '192.0.2.2'), ask('b3', '192.0.2.2'))
  await nextTurn()
  deepEqual(order, ['not a5', 'not a4', 'not a3', 'not b3'])
  equal(admission.queues.reads.waiting.length, 4)
  end()
  await Promise.all(asked)
  deepEqual(order.slice(4), ['a1', 'b1', 'a2', 'b2'])
})

test('who waits too long is turned away', async () => {
  const admission = withReads(1, 5, 50)
  const { work, end } = openEnded()
  const held = admitted(admission, 'reads', here, work)
  const late = ['192.0.2.1', '192.0.2.2', '192.0.2.1'].map((address) =>
    rejects(
      admitted(admission, 'reads', at(address), async () => fail('it was done')),
      isOverload,
    ),
  )
  await Promise.all(late)
  deepEqual(admission.queues.reads.waiting, [])
  end()
  await held
})

test('one client leaves the last stream to another', () => {
  const admission = makeAdmission()
  const most = LIMITS.streams.running
  for (let i = 0; i < most - 1; i++) ok(tryStream(admission, '2001:db8::1'))
  ok(!tryStream(admission, '2001:db8::2'))
  ok(tryStream(admission, '192.0.2.1'))
  ok(!tryStream(admission, '192.0.2.2'))
  leaveStream(admission, '2001:db8::1')
  ok(tryStream(admission, '192.0.2.2'))
  for (const address of ['192.0.2.1', '192.0.2.2']) leaveStream(admission, address)
  for (let i = 0; i < most - 2; i++) leaveStream(admission, '2001:db8::1')
  deepEqual([admission.streaming.length, admission.queues.streams.running], [0, 0])
})
