import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashOf } from '../../base/text/characters.ts'
import type { SlugKind, SlugPlace } from '../../calendar/records/old-slugs.ts'
import { type EventMemory, mayBeBehind } from '../../store/memory/event-memory.ts'
import type { Db } from '../../store/storage/database.ts'
import { statement } from '../../store/storage/statement.ts'
import { listOldPages, listPathsOf, oldPath } from './origins.ts'

const selectRecord = statement<SlugPlace>()((db, value) =>
  db
    .selectFrom('old_slugs')
    .select('record')
    .where('kind', '=', value('kind'))
    .where('slug', '=', value('slug')),
)

/** Finds the record that last had this slug in public; another may have the slug now. */
export async function findByOldSlug(db: Db, kind: SlugKind, slug: string): Promise<number | undefined> {
  const [row] = await selectRecord(db, { kind, slug })
  return row?.record
}

export interface OldPaths {
  /** Sorted hashes of old paths; undefined until read. Paths may share one, so the database checks hits. */
  hashes: Uint32Array | undefined
  asOf: number
  isReading: boolean
  /** When last read, in ms of `performance.now`. */
  readAt: number
}

export const noOldPaths = (): OldPaths => ({
  hashes: undefined,
  asOf: -1,
  isReading: false,
  readAt: -RESTS_MS,
})

/** Minimum ms between two readings, since a large import changes paths again and again. */
const RESTS_MS = 10_000

const PAGES_AT_ONCE = 1000

/** At most this many list paths are collected; further ones do not count as old. */
const MOST_LISTS = 1000

/** True if the path may be one of the collected old paths; false is certain. */
export function mayBeOldPath(paths: OldPaths, memory: EventMemory, db: Db, path: string): boolean {
  if (isBehindNow(memory)) return true
  const { hashes, asOf } = paths
  if (hashes && asOf === memory.sources) return hasHash(hashes, hashOf(oldPath(path)))
  if (!paths.isReading && performance.now() - paths.readAt >= RESTS_MS)
    void readPaths(paths, memory.sources, db)
  return true
}

function isBehindNow(memory: EventMemory): boolean {
  try {
    return memory.version === '' || mayBeBehind(memory)
  } catch {
    return true
  }
}

/** Reads the old paths' hashes. If that fails, requests keep asking the database. */
async function readPaths(paths: OldPaths, asOf: number, db: Db): Promise<void> {
  paths.isReading = true
  try {
    const parts: number[][] = []
    const lists = new Set<string>()
    for (let last = ''; ; ) {
      const pages = await listOldPages(db, last, PAGES_AT_ONCE)
      parts.push(pages.map(({ page }) => hashOf(page)))
      for (const page of pages)
        for (const list of listPathsOf(page)) if (lists.size < MOST_LISTS) lists.add(list)
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
