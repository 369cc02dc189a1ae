import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import sharp from 'sharp'
import {
  inMemory,
  makeImageQueue,
  type Pace,
  prepareImage,
  takeTurn,
} from '../../src/store/media/image-sizes.ts'
import { drawPng } from '../support/pictures.ts'
import { PATIENCE_MS } from '../support/waiting.ts'

function workIn(queue = makeImageQueue()) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, pace: Pace) =>
    takeTurn(queue, pace, async () => {
      begun.push(name)
      await new Promise<void>((end) => ends.set(name, end))
      return name
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { begun, ask, end }
}

const BUSY = { code: 'rest_unavailable', details: { retryAfter: 5 } }

describe('images take turns', () => {
  test('two at a time, of which one may be slow, in the order in which they came', async () => {
    const { begun, ask, end } = workIn()
    const all = [
      ask('slow 1', 'slow'),
      ask('slow 2', 'slow'),
      ask('quick 1', 'quick'),
      ask('quick 2', 'quick'),
    ]
    await turn()
    deepEqual(begun, ['slow 1', 'quick 1'])
    await end('quick 1')
    deepEqual(begun.slice(2), ['quick 2'])
    await end('slow 1')
    deepEqual(begun.slice(3), ['slow 2'])
    await end('quick 2')
    await end('slow 2')
    deepEqual(await Promise.all(all), ['slow 1', 'slow 2', 'quick 1', 'quick 2'])
  })

  test('and those that find too many waiting are told so at once, quick and slow by themselves', async () => {
    const { ask, begun, end } = workIn()
    const slow = Array.from({ length: 5 }, (_, i) => ask(`slow ${i}`, 'slow'))
    await rejects(ask('one too many', 'slow'), BUSY)
    const quick = Array.from({ length: 33 }, (_, i) => ask(`quick ${i}`, 'quick'))
    await rejects(ask('one too many', 'quick'), BUSY)
    await turn()
    for (let i = 0; i < 38; i++) await end(begun[i] ?? '')
    equal((await Promise.all([...slow, ...quick])).length, 38)
  })

  test('and one that fails gives up its place', async () => {
    const queue = makeImageQueue()
    for (let i = 0; i < 5; i++) {
      const failing = takeTurn(queue, 'slow', () => Promise.reject(new Error('no image')))
      await rejects(failing, /no image/)
    }
    equal(await takeTurn(queue, 'slow', async () => 'done'), 'done')
  })
})

test('a small image does not wait for a large one, of many bytes or of few', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const many = await sharp({ create: { width: 2000, height: 2000, channels: 3, background: '#888', noise } })
    .gif({ effort: 1 })
    .toBuffer()
  const few = await drawPng(5000, 5000, '#888')
  ok(many.length > 4_000_000 && few.length < 4_000_000)
  const small = await drawPng(300, 200, '#888')
  const ended: string[] = []
  const prepare = async (name: string, bytes: Buffer) => {
    ok(await prepareImage(inMemory(bytes), name))
    ended.push(name)
  }
  const large = [prepare('many', many), prepare('few', few)]
  for (let i = 0; i < 6; i++) await prepare(`small ${i}`, small)
  deepEqual(ended, ['small 0', 'small 1', 'small 2', 'small 3', 'small 4', 'small 5'])
  // A busy machine may refuse the large images, since they are given up after some seconds.
  await Promise.allSettled(large)
})

test('images that come one after the other are all prepared: none is refused for others', async () => {
  const picture = await drawPng(40, 30, '#369')
  let refused = 0
  const waiting = new Set<Promise<void>>()
  for (let i = 0; i < 250; i++) {
    const preparing = prepareImage(inMemory(picture), `picture ${i}`).then((image) => {
      if (!image) refused += 1
      waiting.delete(preparing)
    })
    waiting.add(preparing)
    if (waiting.size > 16) await Promise.race(waiting)
  }
  await Promise.all(waiting)
  equal(refused, 0)
})
