import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SqliteStatement } from 'kysely'
import { askReaders, type ReaderPool } from './reader-pool.ts'
import { LOG_PAGES, type Prepare } from './sqlite-connection.ts'
import type { Writes } from './sqlite-writes.ts'

const LOOK_AT_LOG_EVERY = 16
/** Maximum ms that writes wait for a checkpoint, far below `longestMs` of `LIMITS`. */
const LONGEST_PAUSE_MS = 60

/**
 * Returns a function, to be called after each commit, that has a thread checkpoint a WAL that has become
 * long. Writes wait only while the thread copies the last pages, since the WAL starts over only once all of
 * it has been copied to the file.
 */
export function makeCheckpointer(writer: DatabaseSync, pool: ReaderPool, writes: Writes): () => void {
  // `noop` only counts the pages.
  const length = writer.prepare('pragma wal_checkpoint(noop)')
  const unwritten = () => {
    const { log, checkpointed } = length.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
  let commits = 0
  let isCheckpointing = false
  const checkpoint = () => askReaders(pool, 'search', 'checkpoint')
  const writeRest = () => writes.groups.between(() => Promise.race([checkpoint(), sleep(LONGEST_PAUSE_MS)]))
  return () => {
    commits += 1
    if (isCheckpointing || commits % LOOK_AT_LOG_EVERY !== 0 || unwritten() < LOG_PAGES) return
    isCheckpointing = true
    checkpoint()
      .then(writeRest)
      // A later checkpoint, at the latest that of a commit, copies the remaining pages.
      .catch(() => undefined)
      .finally(() => {
        isCheckpointing = false
      })
  }
}

/** Events indexed at once, in a few ms. Every search reads the texts of events not indexed yet. */
const EVENTS_AT_ONCE = 64

const LOOK_EVERY_COMMITS = 4

/** Returns a function, to be called after each commit, that indexes written events once enough wait. */
export function makeIndexer(prepare: Prepare, index: (most: number) => Promise<void>): () => void {
  let isIndexing = false
  let unseen = LOOK_EVERY_COMMITS
  return () => {
    unseen += 1
    if (isIndexing || unseen < LOOK_EVERY_COMMITS) return
    unseen = 0
    const waiting = prepareIfThere(
      prepare,
      `select id from unindexed_events limit 1 offset ${EVENTS_AT_ONCE - 1}`,
    )
    if (!waiting || waiting.all([]).length === 0) return
    isIndexing = true
    index(EVENTS_AT_ONCE)
      .catch(() => undefined)
      .finally(() => {
        isIndexing = false
        unseen = LOOK_EVERY_COMMITS
      })
  }
}

export function prepareIfThere(prepare: Prepare, statement: string): SqliteStatement | undefined {
  try {
    return prepare(statement)
  } catch {
    return undefined
  }
}

/** In ms: `data_version` is read no more often, since that takes longer than answering most requests. */
const LOOK_EVERY = 5

/**
 * Returns a function that tells whether another connection has written since the last call, and if so, calls
 * the listeners. It may notice a write up to `LOOK_EVERY` ms late.
 */
export function makeLook(writer: DatabaseSync, listeners: ReadonlySet<() => void>): () => boolean {
  const statement = writer.prepare('pragma data_version')
  const read = () => Number(statement.get()?.data_version)
  let version = read()
  let lookedAt = performance.now()
  return () => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY) return false
    lookedAt = now
    let current: number
    try {
      current = read()
    } catch {
      // A version that cannot be read may have changed.
      current = Number.NaN
    }
    if (current === version) return false
    version = current
    for (const listener of listeners) listener()
    return true
  }
}
