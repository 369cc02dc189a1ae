/**
 * A cache bounded in bytes. It keeps two generations: what is used moves into the young one, and when that is full the old one is
 * forgotten. Finding costs no more than a look into a map or two.
 */
export interface Generations<Key, Value> {
  young: Map<Key, Sized<Value>>
  old: Map<Key, Sized<Value>>
  youngBytes: number
  /** Bytes each generation may hold. */
  limit: number
}

interface Sized<Value> {
  value: Value
  bytes: number
}

export function emptyGenerations<Key, Value>(bytes: number): Generations<Key, Value> {
  return { young: new Map(), old: new Map(), youngBytes: 0, limit: bytes / 2 }
}

export function findKept<Key, Value>(cache: Generations<Key, Value>, key: Key): Value | undefined {
  const young = cache.young.get(key)
  if (young) return young.value
  const old = cache.old.get(key)
  if (old) {
    cache.old.delete(key)
    keep(cache, key, old.value, old.bytes)
  }
  return old?.value
}

/** Keeps a value that holds so many bytes, in place of the one before. */
export function keep<Key, Value>(cache: Generations<Key, Value>, key: Key, value: Value, bytes: number): void {
  drop(cache, key)
  if (cache.youngBytes + bytes > cache.limit) {
    cache.old = cache.young
    cache.young = new Map()
    cache.youngBytes = 0
  }
  cache.young.set(key, { value, bytes })
  cache.youngBytes += bytes
}

export function drop<Key, Value>(cache: Generations<Key, Value>, key: Key): void {
  const young = cache.young.get(key)
  if (young) {
    cache.youngBytes -= young.bytes
    cache.young.delete(key)
  }
  cache.old.delete(key)
}

export function dropAll<Key, Value>(cache: Generations<Key, Value>): void {
  cache.young.clear()
  cache.old.clear()
  cache.youngBytes = 0
}
