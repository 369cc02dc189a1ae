/** Limits the bytes of several caches together, so that a cache used more may hold more. */
export interface CacheBudget {
  youngBytes: number
  /** Maximum bytes of all young generations. The old ones may hold as many again. */
  limit: number
  caches: { young: Map<unknown, unknown>; old: Map<unknown, unknown>; youngBytes: number }[]
}

/**
 * A cache of two generations. `findCached` moves a value into `young`. When the `young` maps of a budget
 * would exceed its `limit`, they replace the `old` maps.
 */
export interface Cache<Key, Value> {
  budget: CacheBudget
  young: Map<Key, Sized<Value>>
  old: Map<Key, Sized<Value>>
  youngBytes: number
}

interface Sized<Value> {
  value: Value
  bytes: number
}

/** `bytes` is the maximum of all caches of the budget, both generations together. */
export function cacheBudget(bytes: number): CacheBudget {
  return { youngBytes: 0, limit: bytes / 2, caches: [] }
}

export const CACHE_BYTES = 64_000_000

export const processBudget = cacheBudget(CACHE_BYTES)

export function limitCaches(bytes: number): CacheBudget {
  processBudget.limit = bytes / 2
  return processBudget
}

export function entryBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length * 2, ENTRY)
}

/** Estimated bytes of a cache entry besides the characters of its key and value. */
const ENTRY = 120

export function emptyCache<Key, Value>(budget: CacheBudget): Cache<Key, Value> {
  const cache: Cache<Key, Value> = { budget, young: new Map(), old: new Map(), youngBytes: 0 }
  budget.caches.push(cache)
  return cache
}

/** Returns the value for `key`. A value found in `old` moves to `young`, so it is kept for longer. */
export function findCached<Key, Value>(cache: Cache<Key, Value>, key: Key): Value | undefined {
  const young = cache.young.get(key)
  if (young) return young.value
  const old = cache.old.get(key)
  if (old) setCached(cache, key, old.value, old.bytes)
  return old?.value
}

/** Stores a value of `bytes` bytes, unless it is larger than a whole generation. */
export function setCached<Key, Value>(cache: Cache<Key, Value>, key: Key, value: Value, bytes: number): void {
  drop(cache, key)
  if (bytes > cache.budget.limit) return
  if (cache.budget.youngBytes + bytes > cache.budget.limit) grow(cache.budget)
  cache.young.set(key, { value, bytes })
  take(cache, bytes)
}

function grow(budget: CacheBudget): void {
  for (const cache of budget.caches) {
    cache.old = cache.young
    cache.young = new Map()
    cache.youngBytes = 0
  }
  budget.youngBytes = 0
}

function take<Key, Value>(cache: Cache<Key, Value>, bytes: number): void {
  cache.youngBytes += bytes
  cache.budget.youngBytes += bytes
}

export function drop<Key, Value>(cache: Cache<Key, Value>, key: Key): void {
  const young = cache.young.get(key)
  if (young) take(cache, -young.bytes)
  cache.young.delete(key)
  cache.old.delete(key)
}

export function dropAll<Key, Value>(cache: Cache<Key, Value>): void {
  take(cache, -cache.youngBytes)
  cache.young.clear()
  cache.old.clear()
}

export function cachedText<Key extends string | number>(
  cache: Cache<Key, string>,
  key: Key,
  make: () => string,
): string {
  const known = findCached(cache, key)
  if (known !== undefined) return known
  const made = make()
  setCached(cache, key, made, entryBytes(String(key), made))
  return made
}

/**
 * Memoizes `make` for good, so there must be few keys, such as languages. A result of undefined is not kept:
 * otherwise clients could fill the memory with unknown keys.
 */
export function madeOnce<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    if (value !== undefined) made.set(key, value)
    return value
  }
}
