import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  cacheBudget,
  drop,
  dropAll,
  emptyCache,
  findCached,
  limitCaches,
  madeOnce,
  processBudget,
  setCached,
} from '../../src/base/cache.ts'
import { prepareTexts, renderedText } from '../../src/base/text/long-texts.ts'

test('what is asked for stays while what nobody asks for is forgotten', () => {
  const cache = emptyCache<number, string>(cacheBudget(100))
  setCached(cache, 0, 'asked for', 10)
  for (let key = 1; key < 50; key++) {
    setCached(cache, key, 'not', 10)
    equal(findCached(cache, 0), 'asked for')
  }
  equal(findCached(cache, 1), undefined)
  ok(cache.young.size + cache.old.size <= 10)
})

test('a cache that is used takes the room of one that is not, and all together keep to their budget', () => {
  const budget = cacheBudget(100)
  const [busy, idle] = [emptyCache<number, number>(budget), emptyCache<number, number>(budget)]
  setCached(idle, 0, 0, 40)
  for (let key = 0; key < 21; key++) setCached(busy, key, key, 10)
  equal(findCached(idle, 0), undefined)
  deepEqual([busy.old.size, busy.young.size], [5, 5])
  setCached(idle, 1, 1, 10)
  deepEqual([busy.old.size, busy.young.size, idle.young.size], [5, 0, 1])
})

test('what is larger than a generation is not kept, and pushes nothing out', () => {
  const budget = cacheBudget(100)
  const cache = emptyCache<string, number>(budget)
  setCached(cache, 'small', 1, 10)
  setCached(cache, 'large', 2, 51)
  equal(findCached(cache, 'large'), undefined)
  equal(findCached(cache, 'small'), 1)
  setCached(cache, 'small', 3, 51)
  equal(findCached(cache, 'small'), undefined)
  equal(budget.youngBytes, 0)
})

test('what is dropped or kept anew gives its room back', () => {
  const budget = cacheBudget(100)
  const cache = emptyCache<string, number>(budget)
  setCached(cache, 'a', 1, 30)
  setCached(cache, 'a', 2, 20)
  equal(budget.youngBytes, 20)
  drop(cache, 'a')
  drop(cache, 'a')
  equal(findCached(cache, 'a'), undefined)
  equal(budget.youngBytes, 0)
  const other = emptyCache<string, number>(budget)
  setCached(cache, 'b', 1, 30)
  setCached(other, 'b', 1, 5)
  dropAll(cache)
  equal(findCached(cache, 'b'), undefined)
  equal(budget.youngBytes, 5)
})

test('long texts are kept within the budget of the process', async () => {
  limitCaches(2_000_000)
  for (let i = 0; i < 12; i++) {
    const raw = `${i} ${'<p>A text with <b>markup</b> & signs</p>'.repeat(2500)}`
    const rendered = await prepareTexts([{ work: 'html', raw }])
    equal(rendered.size, 1)
    deepEqual([...rendered.values()], [renderedText(raw, false)])
    ok(processBudget.youngBytes > 0 && processBudget.youngBytes <= 1_000_000)
  }
})

test('what is made once for a key is not made again, unless it is undefined', () => {
  const asked: string[] = []
  const lengthOf = madeOnce((text: string) => {
    asked.push(text)
    return text === '' ? undefined : text.length
  })
  deepEqual(['one', '', 'three', 'one', ''].map(lengthOf), [3, undefined, 5, 3, undefined])
  deepEqual(asked, ['one', '', 'three', ''])
})
