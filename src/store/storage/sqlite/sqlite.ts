import type { DatabaseSync } from 'node:sqlite'
import { type Database, type Db, type Lane, type ReadQuery, runQueries } from '../database.ts'
import type { IdSet } from '../id-set.ts'
import { writerBy } from '../recording.ts'
import { indexWaiting, makeStemmer } from '../search/search-index.ts'
import { openWordIndex, searchSubstrings, type WordIndex } from '../search/substring-search.ts'
import { runDirectly } from '../statement.ts'
import { askReaders, closeReaders, makeReaderPool, type ReaderPool } from './reader-pool.ts'
import { readingBuilder, runRead } from './sqlite-builders.ts'
import { findChanges, presentCursor } from './sqlite-changes.ts'
import {
  connect,
  type FileWatch,
  type Prepare,
  prepareKept,
  runPrepared,
  runTogether,
  watchFile,
  whenFree,
} from './sqlite-connection.ts'
import { makeCheckpointer, makeIndexer, makeLook, prepareIfThere } from './sqlite-upkeep.ts'
import { endWrites, enqueueWrite, makeWrites, type Writes } from './sqlite-writes.ts'

const CACHE_KB = 16_384
const READER_CACHE_KB = 2048

export const NO_FILE: FileWatch = { require: () => undefined, isLost: () => false }

/** Ms that a migration waits for another process that is migrating. */
const MIGRATION_MS = 60_000

/**
 * Opens a SQLite file in WAL mode with two connections: one writes, the other reads committed data. Between
 * transactions the writing one reads too, since its commits invalidate the page caches of other connections.
 * Long reads go to threads (`reader-pool.ts`). Waiting for a lock never blocks other requests.
 * @throws Error with one sentence if the file cannot be opened
 */
export function openSqlite(file: string): Database {
  const writer = connect(file, CACHE_KB)
  // Small, since this connection reads little, and every commit invalidates its cache.
  const reader = file === ':memory:' ? writer : connect(file, READER_CACHE_KB)
  const watch = reader === writer ? NO_FILE : watchFile(file, writer, reader)
  const written = prepareKept(writer)
  const readable = reader === writer ? written : prepareKept(reader)
  const committedOnly: Prepare = (text) => (writer.isTransaction ? readable : written)(text)
  const listeners = new Set<() => void>()
  const look = makeLook(writer, listeners)
  const pool = reader === writer ? undefined : makeReaderPool(file)

  const writes = makeWrites(writer, written, watch, () => {
    for (const listener of listeners) listener()
    index()
    stemmer.wake()
    checkpointIfLong()
  })
  const write: Database['write'] = (work, by = writerBy('')) =>
    enqueueWrite(writes, async (tx) => [await work(tx)], { item: undefined, by })
  const index = makeIndexer(committedOnly, (most) => indexWaiting(write, most))
  const isAnyUnstemmed = () =>
    Boolean(prepareIfThere(committedOnly, 'select doc from unstemmed limit 1')?.all([]).length)
  const stemmer = makeStemmer(write, isAnyUnstemmed)
  const checkpointIfLong = pool ? makeCheckpointer(writer, pool, writes) : () => undefined
  const read = readingBuilder(readable)
  runDirectly(read, 'sqlite', (text, parameters) =>
    reader.isTransaction ? undefined : runRead(() => runPrepared(committedOnly(text), parameters)),
  )
  return {
    read,
    readInLane: pool
      ? makeReadInLane(read, reader, readable, pool)
      : (((db, _lane, queries) => runQueries(db, queries)) as Database['readInLane']),
    write,
    writeShared: (work, item, by) => enqueueWrite(writes, work, { item, by }),
    migrate: (work) => migrateOnDisk(writer, writes, work),
    cursor: () => whenFree(() => presentCursor(committedOnly)),
    readChanges: (since) => whenFree(() => findChanges(committedOnly, since)),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    // Never any, since listeners are called in the turn of the event loop that commits, with no read in
    // between.
    commitsUnderWay: () => undefined,
    findMatching: pool
      ? (search) => askReaders(pool, 'search', { search }) as Promise<IdSet>
      : searchHere(reader),
    ping: async () => {
      watch.require()
      await runRead(() => runPrepared(readable('select count(*) from sqlite_schema'), []))
    },
    close: async () => {
      stemmer.stop()
      await endWrites(writes)
      if (pool) await closeReaders(pool)
      if (reader !== writer) reader.close()
      writer.close()
    },
  }
}

/**
 * Runs a migration with temporary data on disk: changing a million events may take a gigabyte of such data.
 */
async function migrateOnDisk(
  writer: DatabaseSync,
  writes: Writes,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  writer.exec('pragma temp_store = file')
  try {
    const by = writerBy('')
    await enqueueWrite(writes, async (tx) => [await work(tx)], { item: undefined, by }, MIGRATION_MS)
  } finally {
    writer.exec('pragma temp_store = memory')
  }
}

/** In ms: a list read sooner after another long read starts a thread. */
const RARELY_MS = 1000

/**
 * Runs long reads in threads, but reads inside a transaction on its connection. To start a thread takes
 * longer than to read a list, and some 20 MB, so rare lists are read in the main thread until a thread has
 * been started.
 */
function makeReadInLane(
  read: Db,
  reader: DatabaseSync,
  prepare: Prepare,
  pool: ReaderPool,
): Database['readInLane'] {
  let last = Number.NEGATIVE_INFINITY
  const isRare = () => {
    const before = last
    last = performance.now()
    return last - before > RARELY_MS
  }
  const readInLane = async (db: Db, lane: Lane, queries: readonly ReadQuery<unknown>[]) => {
    if (db !== read) return runQueries(db, queries)
    const statements = queries
      .map((query) => query.compile())
      .map(({ sql, parameters }) => ({ sql, parameters }))
    const isHere = lane === 'list' && pool.threads.length === 0 && isRare() && !reader.isTransaction
    return isHere
      ? runRead(() => runTogether(reader, prepare, statements))
      : askReaders(pool, lane, { statements })
  }
  return readInLane as Database['readInLane']
}

/** Searches in the main thread, for a database in memory, which no thread could open. */
function searchHere(connection: DatabaseSync): Database['findMatching'] {
  let words: WordIndex | undefined
  return async (search) => {
    words ??= openWordIndex(connection)
    return searchSubstrings(words, search)
  }
}
