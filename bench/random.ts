/** Random numbers that are the same for the same seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next: () => number
  /** Returns a whole number from `least` to `most`, both inclusive. */
  whole: (least: number, most: number) => number
  /** Returns true with this probability. */
  chance: (probability: number) => boolean
  pick: <T>(list: readonly T[]) => T
  /**
   * Returns a position in a list of `length`, early ones far more often: position 0 of 100 about every tenth
   * time.
   */
  skewed: (length: number) => number
}

/** Makes a generator for a seed (mulberry32). Seeds are mixed, so that neighbours give unrelated numbers. */
export function makeRandom(seed: number): Random {
  let state = mix(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
  const pick = <T>(list: readonly T[]): T => {
    const entry = list[Math.floor(next() * list.length)]
    if (entry === undefined) throw new RangeError('nothing to pick from')
    return entry
  }
  return {
    next,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick,
    skewed: (length) => Math.floor(length * next() ** 2),
  }
}

function mix(seed: number): number {
  let value = seed ^ 0x9e3779b9
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
