import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EventMemory, mayBeBehind } from '../memory/event-memory.ts'
import type { Db } from '../storage/database.ts'
import { hashOf } from '../text/characters.ts'
import { listOldPages, listPathsOf, oldPath } from './origins.ts'

// Which paths may be old addresses of a source that has moved here, so that looking for a page that never was asks nothing of the database.

/** The old paths that this process has loaded. */
export interface OldPaths {
  /** Hashes of the paths of pages and of lists of events, in order: two paths may have the same, and the database decides then. Undefined until they were read. */
  hashes: Uint32Array | undefined
  /** `memory.sources` as of when they were read. */
  asOf: number
  isReading: boolean
  /** When reading them ended, in milliseconds of `performance.now`. */
  readAt: number
}

export const noOldPaths = (): OldPaths => ({ hashes: undefined, asOf: -1, isReading: false, readAt: -RESTS_MS })

/** Milliseconds between two readings: an import of a large site changes them again and again, and the database is asked meanwhile. */
const RESTS_MS = 10_000

const PAGES_AT_ONCE = 1000

/** The most paths of lists that are remembered; a site has a few. */
const MOST_LISTS = 1000

/** False when no moved source had a page or a list at this path; true when one had, or when the paths are not loaded at the moment. */
export function mayBeOldPath(paths: OldPaths, memory: EventMemory, db: () => Db, path: string): boolean {
  if (isBehindNow(memory)) return true
  const { hashes, asOf } = paths
  if (hashes && asOf === memory.sources) return hasHash(hashes, hashOf(oldPath(path)))
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
    const lists = new Set<string>()
    for (let last = ''; ; ) {
      const pages = await listOldPages(db, last, PAGES_AT_ONCE)
      parts.push(pages.map(({ page }) => hashOf(page)))
      for (const page of pages) for (const list of listPathsOf(page)) if (lists.size < MOST_LISTS) lists.add(list)
      if (pages.length < PAGES_AT_ONCE) break
      last = pages.at(-1)?.page ?? last
      await nextTurn()
    }
    paths.hashes = Uint32Array.from([...parts.flat(), ...[...lists].map(hashOf)]).sort()
    paths.asOf = asOf
  } catch {
    paths.hashes = undefined
  } finally {
    paths.isReading = false
    paths.readAt = performance.now()
  }
}

function hasHash(sorted: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}
