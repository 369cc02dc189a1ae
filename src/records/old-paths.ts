import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EventMemory, mayBeBehind } from '../memory/event-memory.ts'
import type { Db } from '../storage/database.ts'
import { listOldPages, oldPath } from './origins.ts'

// Which paths may be old addresses of a source that has moved here, so that looking for a page that never was asks nothing of the database.

/** What is known of them in this process. */
export interface OldPaths {
  /** Numbers of the paths, in order: two paths may have the same, and the database decides then. Undefined until they were read. */
  numbers: Uint32Array | undefined
  /** `memory.sources` as of when they were read. */
  asOf: number
  isReading: boolean
  /** When reading them ended, in milliseconds of `performance.now`. */
  readAt: number
}

export const noOldPaths = (): OldPaths => ({ numbers: undefined, asOf: -1, isReading: false, readAt: -RESTS_MS })

/** Milliseconds between two readings: an import of a large site changes them again and again, and the database is asked meanwhile. */
const RESTS_MS = 10_000

const PAGES_AT_ONCE = 1000

/** False for the path of an address that was none of a moved source; true where it was, or that is not known at the moment. */
export function mayBeOldPath(paths: OldPaths, memory: EventMemory, db: () => Db, path: string): boolean {
  if (isBehindNow(memory)) return true
  const { numbers, asOf } = paths
  if (numbers && asOf === memory.sources) return hasNumber(numbers, numberOf(oldPath(path)))
  if (!paths.isReading && performance.now() - paths.readAt >= RESTS_MS) void readPaths(paths, memory.sources, db())
  return true
}

/** Looking for changes may fail, and then nothing is known. */
function isBehindNow(memory: EventMemory): boolean {
  try {
    return memory.version === '' || mayBeBehind(memory)
  } catch {
    return true
  }
}

/** Reads them in steps that let requests through. A failure leaves them unknown: whoever asks the database meanwhile is told of it. */
async function readPaths(paths: OldPaths, asOf: number, db: Db): Promise<void> {
  paths.isReading = true
  try {
    const parts: number[][] = []
    for (let last = ''; ; ) {
      const pages = await listOldPages(db, last, PAGES_AT_ONCE)
      parts.push(pages.map(numberOf))
      if (pages.length < PAGES_AT_ONCE) break
      last = pages.at(-1) ?? last
      await nextTurn()
    }
    paths.numbers = Uint32Array.from(parts.flat()).sort()
    paths.asOf = asOf
  } catch {
    paths.numbers = undefined
  } finally {
    paths.isReading = false
    paths.readAt = performance.now()
  }
}

/** The 32 bits of FNV-1a over the characters of a path. */
function numberOf(path: string): number {
  let number = 0x811c9dc5
  for (let i = 0; i < path.length; i++) number = Math.imul(number ^ path.charCodeAt(i), 0x01000193)
  return number >>> 0
}

function hasNumber(sorted: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}
