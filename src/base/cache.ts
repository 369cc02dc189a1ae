// Caches bounded in bytes, which share the budget of a process, and values made once for each of a few keys.

/** A number of bytes that several caches share. A cache that is used more takes more of them. */
export interface CacheBudget {
  /** Bytes that the young generations of all caches hold. */
  youngBytes: number
  /**
   * The most bytes that the young generations of all caches may hold. The old ones may hold as many again.
   */
  limit: number
  caches: { young: Map<unknown, unknown>; old: Map<unknown, unknown>; youngBytes: number }[]
}

/**
 * A cache bounded in bytes. It has two generations, and a value that is used moves into the young one. When
 * the young generations of all caches with this budget are full, the old generations are dropped and the
 * young ones become old. Finding a value costs one or two look-ups in a map.
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

/** Makes a budget of this many bytes for both generations together. */
export function cacheBudget(bytes: number): CacheBudget {
  return { youngBytes: 0, limit: bytes / 2, caches: [] }
}

/**
 * The bytes that the caches of a process may take together, unless the setting `cache_bytes` says otherwise.
 */
export const CACHE_BYTES = 64_000_000

/** The budget of the process, which all of its caches share. */
export const processBudget = cacheBudget(CACHE_BYTES)

/** Sets how many bytes all caches of the process may take together, and returns their budget. */
export function limitCaches(bytes: number): CacheBudget {
  processBudget.limit = bytes / 2
  return processBudget
}

/** Returns how many bytes an entry takes whose key and value are these texts. */
export function entryBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length * 2, ENTRY)
}

/** Bytes that an entry of a cache takes beside its key and value. */
const ENTRY = 120

/** Makes an empty cache within a budget. */
export function emptyCache<Key, Value>(budget: CacheBudget): Cache<Key, Value> {
  const cache: Cache<Key, Value> = { budget, young: new Map(), old: new Map(), youngBytes: 0 }
  budget.caches.push(cache)
  return cache
}

/** Finds the value of a key, and moves it into the young generation; undefined where there is none. */
export function findCached<Key, Value>(cache: Cache<Key, Value>, key: Key): Value | undefined {
  const young = cache.young.get(key)
  if (young) return young.value
  const old = cache.old.get(key)
  if (old) keepCached(cache, key, old.value, old.bytes)
  return old?.value
}

/**
 * Caches a value of this many bytes under a key, in place of its former value. A value larger than a whole
 * generation is not cached.
 */
export function keepCached<Key, Value>(
  cache: Cache<Key, Value>,
  key: Key,
  value: Value,
  bytes: number,
): void {
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

/** Removes the value of a key, if there is one. */
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

/** Returns the cached text of a key; makes and caches the text where there is none. */
export function cachedText<Key extends string | number>(
  cache: Cache<Key, string>,
  key: Key,
  make: () => string,
): string {
  const known = findCached(cache, key)
  if (known !== undefined) return known
  const made = make()
  keepCached(cache, key, made, entryBytes(String(key), made))
  return made
}

/**
 * Returns a function that makes a value once for each key and keeps it for good. It is for few keys, such as
 * languages. Undefined values are not kept, so that strangers cannot fill it with keys that mean nothing.
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
