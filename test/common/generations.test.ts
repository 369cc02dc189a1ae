import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheBudget, drop, dropAll, emptyGenerations, findKept, keep } from '../../src/common/generations.ts'

test('what is asked for stays while what nobody asks for is forgotten', () => {
  const cache = emptyGenerations<number, string>(cacheBudget(100))
  keep(cache, 0, 'asked for', 10)
  for (let key = 1; key < 50; key++) {
    keep(cache, key, 'not', 10)
    assert.equal(findKept(cache, 0), 'asked for')
  }
  assert.equal(findKept(cache, 1), undefined)
  assert.ok(cache.young.size + cache.old.size <= 10)
})

test('a cache that is used takes the room of one that is not, and all together keep to their budget', () => {
  const budget = cacheBudget(100)
  const [busy, idle] = [emptyGenerations<number, number>(budget), emptyGenerations<number, number>(budget)]
  keep(idle, 0, 0, 40)
  for (let key = 0; key < 21; key++) keep(busy, key, key, 10)
  assert.equal(findKept(idle, 0), undefined)
  assert.deepEqual([busy.old.size, busy.young.size], [5, 5])
  keep(idle, 1, 1, 10)
  assert.deepEqual([busy.old.size, busy.young.size, idle.young.size], [5, 0, 1])
})

test('what is dropped or kept anew gives its room back', () => {
  const budget = cacheBudget(100)
  const cache = emptyGenerations<string, number>(budget)
  keep(cache, 'a', 1, 30)
  keep(cache, 'a', 2, 20)
  assert.equal(budget.youngBytes, 20)
  drop(cache, 'a')
  drop(cache, 'a')
  assert.equal(findKept(cache, 'a'), undefined)
  assert.equal(budget.youngBytes, 0)
  const other = emptyGenerations<string, number>(budget)
  keep(cache, 'b', 1, 30)
  keep(other, 'b', 1, 5)
  dropAll(cache)
  assert.equal(findKept(cache, 'b'), undefined)
  assert.equal(budget.youngBytes, 5)
})
