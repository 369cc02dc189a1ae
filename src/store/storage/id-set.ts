/** Ids as bits: id n is bit `n % 32` of entry `floor(n / 32)`. */
export type IdSet = Uint32Array<ArrayBuffer>

export function makeIdSet(largest: number, content: 'none' | 'all' = 'none'): IdSet {
  const ids: IdSet = new Uint32Array((largest >>> 5) + 1)
  return content === 'all' ? ids.fill(0xffffffff) : ids
}

export function addId(ids: IdSet, id: number): void {
  ids[id >>> 5] = (ids[id >>> 5] as number) | (1 << (id & 31))
}

/** Adds the id and returns the set, or a larger copy if the id does not fit. */
export function withId(ids: IdSet, id: number): IdSet {
  const at = id >>> 5
  const wide = at < ids.length ? ids : roomier(ids, Math.max(at + 1, ids.length * 2))
  addId(wide, id)
  return wide
}

/** A set with at least `length` entries of 32 ids: `ids` itself if it is large enough, else a copy. */
export function roomier(ids: IdSet, length: number): IdSet {
  if (ids.length >= length) return ids
  const wide: IdSet = new Uint32Array(length)
  wide.set(ids)
  return wide
}

export function dropId(ids: IdSet, id: number): void {
  ids[id >>> 5] = (ids[id >>> 5] as number) & ~(1 << (id & 31))
}

export function hasId(ids: IdSet, id: number): boolean {
  return (((ids[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1
}

export function countIds(ids: IdSet): number {
  let count = 0
  for (let i = 0; i < ids.length; i++) {
    let bits = ids[i] as number
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** Lists the ids from `first` to before `end`, in order; both bounds must be multiples of 32. */
export function listIds(ids: IdSet, first = 0, end = ids.length * 32): number[] {
  const listed: number[] = []
  for (let i = first >>> 5; i < Math.min(end >>> 5, ids.length); i++) {
    for (let bits = ids[i] as number; bits !== 0; bits &= bits - 1)
      listed.push(i * 32 + 31 - Math.clz32(bits & -bits))
  }
  return listed
}

/** Returns the ids that are in both sets, which must have the same length. */
export function inBoth(a: IdSet, b: IdSet): IdSet {
  const ids = a.slice()
  for (let i = 0; i < ids.length; i++) ids[i] = (ids[i] as number) & (b[i] as number)
  return ids
}

export function onlyInFirst(a: IdSet, b: IdSet): IdSet {
  const ids = a.slice()
  for (let i = 0; i < ids.length; i++) ids[i] = (ids[i] as number) & ~(b[i] as number)
  return ids
}

export function inEither(a: IdSet, b: IdSet): IdSet {
  const ids = a.slice()
  for (let i = 0; i < ids.length; i++) ids[i] = (ids[i] as number) | (b[i] as number)
  return ids
}

/** Like `inBoth`, but the sets may differ in length. */
export function idsInBoth(a: IdSet, b: IdSet): IdSet {
  const length = Math.max(a.length, b.length)
  return inBoth(roomier(a, length), roomier(b, length))
}
