import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  addSlot,
  boundAt,
  eachRun,
  type emptySlots,
  lowerBound,
  removeSlot,
  sliceSlots,
  slotsInOrder,
} from '../../src/store/memory/sorted-slots.ts'
import { fc } from '../support/rounds.ts'

const ascending = (a: number, b: number) => a - b
const keys = Float64Array.from({ length: 20_000 }, (_, slot) => slot)

function filled(size: number, step: number) {
  return slotsInOrder(Int32Array.from({ length: size }, (_, i) => i * step))
}

function everything(list: ReturnType<typeof emptySlots>): number[] {
  const slots: number[] = []
  eachRun(list, 0, list.size, (run, from, to) => slots.push(...run.subarray(from, to)))
  return slots
}

test('a list keeps its order through any additions and removals, also where its blocks are full', () => {
  const changes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9000 })), { maxLength: 400 })
  fc.assert(
    fc.property(fc.constantFrom(0, 3, 1023, 1024, 1025, 3072), changes, (size, moves) => {
      const list = filled(size, 3)
      const model = new Set(Array.from({ length: size }, (_, i) => i * 3))
      for (const [isAddition, slot] of moves) {
        if (isAddition && !model.has(slot)) addSlot(list, slot, ascending)
        if (!isAddition && model.has(slot)) removeSlot(list, slot, ascending)
        if (isAddition) model.add(slot)
        else model.delete(slot)
      }
      const sorted = [...model].sort(ascending)
      equal(list.size, sorted.length)
      deepEqual(everything(list), sorted)
      for (const bound of [0, 500, 3073, 9001]) {
        const [closed, open] = [boundAt(keys, 0, bound, false), boundAt(keys, keys.length, bound, true)]
        equal(lowerBound(list, closed), sorted.filter((slot) => slot < bound).length)
        equal(lowerBound(list, open), sorted.filter((slot) => slot <= bound).length)
      }
      deepEqual(sliceSlots(list, 1000, 1100), sorted.slice(1000, 1100))
    }),
    { numRuns: 60 },
  )
})

test('a bound is the same whether many slots, few or none are in order themselves', () => {
  const list = filled(3000, 1)
  const pairs = Float64Array.from({ length: 3000 }, (_, slot) => slot >>> 1)
  for (const key of [-1, 0, 7.5, 8, 1023, 1499, 1500, Number.POSITIVE_INFINITY]) {
    for (const isOpen of [false, true]) {
      const expected = pairs.filter((other) => (isOpen ? other <= key : other < key)).length
      for (const ordered of [0, 1, 9, 1500, 3000])
        equal(lowerBound(list, boundAt(pairs, ordered, key, isOpen)), expected)
    }
  }
})
