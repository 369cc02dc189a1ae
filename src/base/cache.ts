// Caches bounded in bytes, which share the budget of a process.

/** A number of bytes that several caches share; a cache that is used more takes more of it. */
export interface CacheBudget {
  /** Bytes the young generations of all caches hold, and the most they may hold. */
  youngBytes: number
  limit: number
  caches: { young: Map<unknown, unknown>; old: Map<unknown, unknown>; youngBytes: number }[]
}

/**
 * A cache bounded in bytes. It has two generations: a used value moves into the young one; when the young ones of all caches with the same budget
 * are full, the old ones are dropped. Finding costs one or two map lookups.
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

/** Returns a budget of this many bytes for all generations together. */
export function cacheBudget(bytes: number): CacheBudget {
  return { youngBytes: 0, limit: bytes / 2, caches: [] }
}

/** The bytes that the caches of a process may take together unless a setting says otherwise. */
export const CACHE_BYTES = 64_000_000

/** The one budget of a process: the caches of modules and those of the service share it. */
export const processBudget = cacheBudget(CACHE_BYTES)

/** Sets what all caches of the process may take together. */
export function limitCaches(bytes: number): CacheBudget {
  processBudget.limit = bytes / 2
  return processBudget
}

/** Returns the bytes of an entry with these texts as its key and value. */
export function entryBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length * 2, ENTRY)
}

/** Bytes that an entry costs beside its key and value. */
const ENTRY = 120

/** Makes a cache without entries. */
export function emptyCache<Key, Value>(budget: CacheBudget): Cache<Key, Value> {
  const cache: Cache<Key, Value> = { budget, young: new Map(), old: new Map(), youngBytes: 0 }
  budget.caches.push(cache)
  return cache
}

export function findCached<Key, Value>(cache: Cache<Key, Value>, key: Key): Value | undefined {
  const young = cache.young.get(key)
  if (young) return young.value
  const old = cache.old.get(key)
  if (old) keepCached(cache, key, old.value, old.bytes)
  return old?.value
}

/** Caches a value of this many bytes in place of the former one. A value larger than a generation is not cached. */
export function keepCached<Key, Value>(cache: Cache<Key, Value>, key: Key, value: Value, bytes: number): void {
  drop(cache, key)
  if (bytes > cache.budget.limit) return
  if (cache.budget.youngBytes + bytes > cache.budget.limit) grow(cache.budget)
  cache.young.set(key, { value, bytes })
  take(cache, bytes)
}

/** The young generations become the old ones. */
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

/** Finds the text of a key, or makes and caches it. */
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
