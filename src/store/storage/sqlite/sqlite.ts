import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SqliteStatement } from 'kysely'
import { type Lane, type ReadQuery, runQueries } from '../aside.ts'
import type { Database, Db } from '../database.ts'
import type { IdSet } from '../id-set.ts'
import { recordingOf, type Tx, type Writer, writerBy } from '../recording.ts'
import { indexWaiting } from '../search/search-index.ts'
import { makeStemmer, stemNames } from '../search/stem-index.ts'
import { openWordIndex, searchWords, type WordIndex } from '../search/word-search.ts'
import { runDirectly } from '../statement.ts'
import { askReaders, closeReaders, makeReaderPool, type ReaderPool } from './reader-pool.ts'
import { findChanges, presentCursor } from './sqlite-changes.ts'
import {
  connect,
  LOG_PAGES,
  type Prepare,
  prepareKept,
  runPrepared,
  runTogether,
  watchFile,
  whenFree,
} from './sqlite-connection.ts'
import { readingBuilder, runRead } from './sqlite-queries.ts'
import { betweenWrites, enqueueWrite, makeWrites, type Writes } from './sqlite-writes.ts'

// The database interface on a SQLite file.

const CACHE_KB = 16_384
const READER_CACHE_KB = 2048

/** The most milliseconds that a migration waits for another process that is migrating. */
const MIGRATION_MS = 60_000

/**
 * Opens a SQLite file in WAL mode with two connections: one writes, the other reads committed data meanwhile. Between transactions the first one
 * reads as well, since every commit empties the page caches of all other connections. Reads that may take long go to threads (`reader-pool.ts`),
 * which have their own connections. Waiting for a lock never blocks other requests.
 * @throws Error with one sentence when the file cannot be opened.
 */
export function openSqlite(file: string): Database {
  const writer = connect(file, CACHE_KB)
  // It reads little, and the next commit empties its cache.
  const reader = file === ':memory:' ? writer : connect(file, READER_CACHE_KB)
  const requireFile = reader === writer ? () => undefined : watchFile(file, reader)
  const written = prepareKept(writer)
  const readable = reader === writer ? written : prepareKept(reader)
  const committedOnly: Prepare = (text) => (writer.isTransaction ? readable : written)(text)
  const listeners = new Set<() => void>()
  const look = makeLook(writer, listeners)
  const pool = reader === writer ? undefined : makeReaderPool(file)

  const writes = makeWrites(writer, written, requireFile, () => {
    for (const listener of listeners) listener()
    index()
    stemmer.wake()
    empty()
  })
  const write: Database['write'] = (work, by) => enqueueWrite(writes, (db) => workRecording(writes, db, work, by))
  const index = makeIndexer(committedOnly, (most) => indexWaiting(write, most))
  const isAnyUnstemmed = () =>
    Boolean(prepareIfThere(committedOnly, 'select doc from unstemmed limit 1')?.all([]).length)
  const stemmer = makeStemmer(write, isAnyUnstemmed)
  const empty = pool ? makeEmptier(writer, pool, writes) : () => undefined
  const read = readingBuilder(readable)
  // A transaction of the query builder has the connection to itself.
  runDirectly(read, 'sqlite', (text, parameters) =>
    reader.isTransaction ? undefined : runRead(() => runPrepared(committedOnly(text), parameters)),
  )
  return {
    read,
    readPublic: () => read,
    aside: pool
      ? makeAside(read, reader, readable, pool)
      : (((db, _lane, queries) => runQueries(db, queries)) as Database['aside']),
    write,
    migrate: (work) => migrateOnDisk(writer, writes, work),
    cursor: () => whenFree(() => presentCursor(committedOnly)),
    readChanges: (since) => whenFree(() => findChanges(committedOnly, since)),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    // A commit and its announcement happen within one turn of the event loop.
    commitsUnderWay: () => undefined,
    findMatching: pool ? (search) => askReaders(pool, 'search', { search }) as Promise<IdSet> : searchHere(reader),
    ping: async () => {
      requireFile()
      await runRead(() => runPrepared(readable('select count(*) from sqlite_schema'), []))
    },
    close: async () => {
      stemmer.stop()
      await writes.draining
      if (pool) await closeReaders(pool)
      if (reader !== writer) reader.close()
      writer.close()
    },
  }
}

/** Runs a migration. A step may change every row: its rollback journal and its sorting would take a gigabyte of memory at a million events. */
async function migrateOnDisk(writer: DatabaseSync, writes: Writes, work: (tx: Db) => Promise<void>): Promise<void> {
  writer.exec('pragma temp_store = file')
  try {
    return await enqueueWrite(writes, work, MIGRATION_MS)
  } finally {
    writer.exec('pragma temp_store = memory')
  }
}

/** Runs work in a transaction that has begun. What it records is written with the commit. */
async function workRecording<T>(
  writes: Writes,
  db: Db,
  work: (tx: Tx) => Promise<T>,
  by: Writer = writerBy(''),
): Promise<T> {
  const tx = recordingOf(db, by, writes.recordings)
  const result = await work(tx)
  await stemNames(tx, tx.recording)
  writes.recordings.push(tx.recording)
  return result
}

/** Milliseconds after a read in which the next one starts a thread. */
const RARELY_MS = 1000

/**
 * Runs reads outside transactions in threads. A thread takes longer to start than a list to be read, and some 20 MB: lists that are asked for rarely are read
 * here until there is one.
 */
function makeAside(read: Db, reader: DatabaseSync, prepare: Prepare, pool: ReaderPool): Database['aside'] {
  let last = Number.NEGATIVE_INFINITY
  const isRare = () => {
    const before = last
    last = performance.now()
    return last - before > RARELY_MS
  }
  const aside = async (db: Db, lane: Lane, queries: readonly ReadQuery<unknown>[]) => {
    if (db !== read) return runQueries(db, queries)
    const statements = queries.map((query) => query.compile()).map(({ sql, parameters }) => ({ sql, parameters }))
    const isHere = lane === 'list' && pool.threads.length === 0 && isRare() && !reader.isTransaction
    return isHere ? runRead(() => runTogether(reader, prepare, statements)) : askReaders(pool, lane, { statements })
  }
  return aside as Database['aside']
}

/** Searches in this thread: a database in memory has no file that a thread could open. */
function searchHere(connection: DatabaseSync): Database['findMatching'] {
  let words: WordIndex | undefined
  return async (search) => {
    words ??= openWordIndex(connection)
    return searchWords(words, search)
  }
}

/** Commits between two checks of the length of the log. */
const LOOK_AT_LOG_EVERY = 16
/** The most milliseconds that writes wait for the end of a checkpoint: few beside the `longestMs` of `LIMITS` after which they are turned away. */
const LONGEST_PAUSE_MS = 60

/**
 * Has a thread checkpoint the log when it has become long; the returned function is called after each commit. Writes go on meanwhile, and wait while
 * the thread writes the last pages, since only a log that is completely in the file starts over.
 */
function makeEmptier(writer: DatabaseSync, pool: ReaderPool, writes: Writes): () => void {
  // This only checks.
  const length = writer.prepare('pragma wal_checkpoint(noop)')
  const unwritten = () => {
    const { log, checkpointed } = length.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
  let commits = 0
  let isEmptying = false
  const checkpoint = () => askReaders(pool, 'search', 'checkpoint')
  const writeRest = () => betweenWrites(writes, () => Promise.race([checkpoint(), sleep(LONGEST_PAUSE_MS)]))
  return () => {
    commits += 1
    if (isEmptying || commits % LOOK_AT_LOG_EVERY !== 0 || unwritten() < LOG_PAGES) return
    isEmptying = true
    checkpoint()
      .then(writeRest)
      // Pages that are not checkpointed now are checkpointed later, by a commit at the latest.
      .catch(() => undefined)
      .finally(() => {
        isEmptying = false
      })
  }
}

/** The number of events indexed at once, which takes a few milliseconds; up to as many unindexed ones are read whole by every search. */
const EVENTS_AT_ONCE = 64

/** Commits between two counts of the events to be indexed, since counting takes time as well. */
const LOOK_EVERY_COMMITS = 4

/** Indexes events once there are enough of them; the returned function is called after each commit. */
function makeIndexer(prepare: Prepare, index: (most: number) => Promise<void>): () => void {
  let isIndexing = false
  let unseen = LOOK_EVERY_COMMITS
  return () => {
    unseen += 1
    if (isIndexing || unseen < LOOK_EVERY_COMMITS) return
    unseen = 0
    const waiting = prepareIfThere(prepare, `select id from unindexed_events limit 1 offset ${EVENTS_AT_ONCE - 1}`)
    if (!waiting || waiting.all([]).length === 0) return
    isIndexing = true
    index(EVENTS_AT_ONCE)
      // Events that are not indexed now are indexed next time.
      .catch(() => undefined)
      .finally(() => {
        isIndexing = false
        // There may be more.
        unseen = LOOK_EVERY_COMMITS
      })
  }
}

/** A statement over tables that do not exist before the migrations have run. */
function prepareIfThere(prepare: Prepare, statement: string): SqliteStatement | undefined {
  try {
    return prepare(statement)
  } catch {
    return undefined
  }
}

/** The milliseconds for which the data version is not asked again: asking takes longer than answering most requests. */
const LOOK_EVERY = 5

/** Makes a function that tells whether another connection has written since it was last called, at most `LOOK_EVERY` ms late. */
function makeLook(writer: DatabaseSync, listeners: ReadonlySet<() => void>): () => boolean {
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
      // The version cannot be read, so it may have changed.
      current = Number.NaN
    }
    if (current === version) return false
    version = current
    for (const listener of listeners) listener()
    return true
  }
}
