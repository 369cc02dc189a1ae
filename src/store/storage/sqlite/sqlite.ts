import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import {
  doAlike,
  type Groups,
  makeGroups,
  type SharedWork,
  type Sharing,
  takeAlike,
  tellResults,
  type WaitingWrite,
  waitingWrite,
} from '../commit-groups.ts'
import { type Database, type Db, type Lane, type ReadQuery, runQueries } from '../database.ts'
import type { IdSet } from '../id-set.ts'
import { type Recording, recordingOf, writerBy } from '../recording.ts'
import type { Tables } from '../schema.ts'
import { indexWaiting, makeStemmer, stemNames } from '../search/search-index.ts'
import { openWordIndex, searchSubstrings, type WordIndex } from '../search/substring-search.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { askReaders, closeReaders, makeReaderPool, type ReaderPool } from './reader-pool.ts'
import { findChanges, presentCursor, saveRecordings } from './sqlite-changes.ts'
import {
  asUnavailable,
  connect,
  type FileWatch,
  isBusy,
  LOCK_MS,
  LOG_PAGES,
  type Prepare,
  pauseAfter,
  prepareKept,
  runPrepared,
  runTogether,
  watchFile,
  whenFree,
} from './sqlite-connection.ts'

// The database on a SQLite file: its query builders, its writes and its background work.

// The query builders. Threads that read do not load this file, since a query builder takes 11 MB and they
// need none.

export function queryBuilder(prepare: Prepare): Db {
  return new Kysely<Tables>({ dialect: dialectOf(prepare) })
}

/** Queries wait for locks, and reject with DatabaseUnavailable if the database fails. */
function readingBuilder(prepare: Prepare): Db {
  const dialect = dialectOf(prepare)
  return new Kysely<Tables>({
    dialect: { ...dialect, createDriver: () => waitingDriver(dialect.createDriver()) },
  })
}

/** All query builders share it: it has no state, and takes longer to make than the rest of a builder. */
const compiler = new SqliteQueryCompiler()

function dialectOf(prepare: Prepare): Dialect {
  const dialect = new SqliteDialect({ database: { close: () => {}, prepare } })
  return {
    createDriver: () => dialect.createDriver(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => compiler,
  }
}

function waitingDriver(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: async () => waitingConnection(await driver.acquireConnection()),
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: (connection) => driver.releaseConnection(connection),
    destroy: () => driver.destroy(),
  }
}

function waitingConnection(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: async (query) => {
      try {
        return await connection.executeQuery(query)
      } catch (error) {
        if (!isBusy(error)) throw asUnavailable(error)
        return whenFree(() => connection.executeQuery(query))
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

function runRead<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw asUnavailable(error)
    return whenFree(attempt)
  }
}

// Writes, several in one commit.

/** Maximum of writes in one commit: they wait for each other, and requests wait for them. */
const GROUP_LIMIT = 64
/** Maximum of writes of one work at once: nobody is served meanwhile. */
const MOST_ALIKE = 8
/**
 * No write joins a commit after `GROUP_MS` ms and the time of four commits: so commits take at most a fifth
 * of the time, and requests wait little.
 */
const GROUP_MS = 4
const GROUP_COMMITS = 4
/** Ms; a longer commit counts as this long. */
const LONGEST_COMMIT_MS = 3
/** Maximum of waiting writes; others are refused. */
const MOST_WAITING = 2000

export interface Writes {
  connection: DatabaseSync
  prepare: Prepare
  transaction: Transaction
  groups: Groups
  /** No write begins before the connection is closed. */
  isClosing: boolean
  /** The average ms of recent commits: writes wait no longer than that for others. */
  commitMs: number
  recordings: Recording[]
  file: FileWatch
  /** Called after each commit, before its writers go on. */
  committed: () => void
}

export function makeWrites(
  connection: DatabaseSync,
  prepare: Prepare,
  file: FileWatch,
  committed: () => void,
): Writes {
  const writes: Writes = {
    connection,
    prepare,
    transaction: prepareTransaction(connection),
    groups: makeGroups({
      most: GROUP_LIMIT,
      patienceMs: () => writes.commitMs,
      write: async (queue) => ((await begin(writes, queue)) ? commitTogether(writes, queue) : 0),
    }),
    isClosing: false,
    commitMs: 0,
    recordings: [],
    file,
    committed,
  }
  return writes
}

/**
 * Resolves once the write is durable; it may share a commit with others. While another process locks the
 * database, it waits for `patience` ms without blocking other requests. Rejects with DatabaseUnavailable
 * after that, and if too many writes wait.
 */
export async function enqueueWrite<Item, Result>(
  { isClosing, groups }: Writes,
  work: SharedWork<Item, Result>,
  asked: Sharing<Item>,
  patience = LOCK_MS,
): Promise<Result> {
  if (isClosing) throw new DatabaseUnavailable('The database is being closed.')
  if (groups.queue.length >= MOST_WAITING) throw new DatabaseUnavailable('Too many writes are waiting.')
  const { write, done } = waitingWrite(work, asked, patience)
  groups.add(write)
  try {
    return await done
  } catch (error) {
    throw asUnavailable(error)
  }
}

async function endWrites(writes: Writes): Promise<void> {
  writes.isClosing = true
  await writes.groups.ended()
}

/**
 * Begins a transaction as soon as no other process has one, and refuses writes that waited too long. False if
 * none is left.
 */
async function begin(writes: Writes, queue: WaitingWrite[]): Promise<boolean> {
  for (let attempts = 1; queue.length > 0; attempts++) {
    try {
      if (writes.file.isLost()) writes.file.require()
      writes.transaction.begin()
      writes.recordings = []
      return true
    } catch (error) {
      refuseOverdue(queue, error)
    }
    await pauseAfter(attempts)
  }
  return false
}

/** After any error but a lock, all writes are refused. */
function refuseOverdue(queue: WaitingWrite[], error: unknown): void {
  const now = performance.now()
  for (const write of queue.splice(0))
    if (isBusy(error) && write.deadline > now) queue.push(write)
    else write.reject(error)
}

/**
 * A statement that the work begins after its end is refused, since the transaction may belong to others by
 * then.
 */
async function doWrites(writes: Writes, alike: readonly WaitingWrite[]): Promise<unknown[]> {
  const { connection, prepare, recordings } = writes
  let isOver = false
  const prepareOpen: Prepare = (text) => {
    if (isOver) throw new Error('The transaction is over.')
    // On a full disk SQLite rolls back by itself, and would then commit each later statement by itself.
    if (!connection.isTransaction) throw new DatabaseUnavailable('The transaction was undone.')
    return prepare(text)
  }
  const tx = recordingOf(queryBuilder(prepareOpen), writerBy(''), recordings)
  runDirectly(tx, 'sqlite', (text, parameters) => runPrepared(prepareOpen(text), parameters))
  try {
    const results = await doAlike(tx, alike)
    await stemNames(tx, tx.recording)
    recordings.push(tx.recording)
    return results
  } finally {
    isOver = true
  }
}

function prepareTransaction(connection: DatabaseSync) {
  const prepared = (text: string) => {
    const statement = connection.prepare(text)
    return () => statement.run()
  }
  const rollbackWrites = prepared('rollback to writes')
  const releaseWrites = prepared('release writes')
  return {
    begin: prepared('begin immediate'),
    commit: prepared('commit'),
    rollback: () => {
      if (connection.isTransaction) connection.exec('rollback')
    },
    beginWrites: prepared('savepoint writes'),
    releaseWrites,
    undoWrites: () => {
      rollbackWrites()
      releaseWrites()
    },
  }
}

type Transaction = ReturnType<typeof prepareTransaction>

/**
 * Does writes in the transaction that has begun, those of one work at once, and commits them with one flush
 * to disk. One that fails is undone alone. What is left when the time is over waits for the next commit.
 * Returns the number of writes.
 */
async function commitTogether(writes: Writes, queue: WaitingWrite[]): Promise<number> {
  const { transaction, prepare } = writes
  const until = performance.now() + GROUP_MS + GROUP_COMMITS * writes.commitMs
  const written: WaitingWrite[] = []
  const settled: (() => void)[] = []
  let isCommitted = false
  try {
    do {
      const alike = takeAlike(queue, MOST_ALIKE)
      if (alike.length === 0) break
      // If the commit fails, these are rejected with the others.
      for (const write of alike) written.push(write)
      // If there are no others, a failure has nothing to keep, and needs no savepoint.
      const isAll = settled.length === 0 && queue.length === 0
      const attempted = await attempt(writes, alike, isAll)
      if (attempted === 'again') {
        written.splice(-alike.length)
        for (const write of alike.reverse()) queue.unshift(Object.assign(write, { isAlone: true }))
      } else settled.push(attempted)
      if (isAll) break
    } while (written.length < GROUP_LIMIT && performance.now() < until)
    if (writes.connection.isTransaction) {
      await saveRecordings(prepare, writes.recordings)
      commit(writes)
      isCommitted = true
    }
  } catch (error) {
    transaction.rollback()
    for (const { reject } of written) reject(error)
    return written.length
  }
  if (isCommitted) writes.committed()
  for (const tell of settled) tell()
  return written.length
}

/**
 * Returns a function that gives the writers their results; `again` if they have failed together, so that each
 * has to be done by itself.
 */
async function attempt(
  writes: Writes,
  alike: WaitingWrite[],
  isAll: boolean,
): Promise<(() => void) | 'again'> {
  const { connection, transaction } = writes
  if (!isAll) transaction.beginWrites()
  try {
    const results = await doWrites(writes, alike)
    if (!isAll) transaction.releaseWrites()
    return () => tellResults(alike, results)
  } catch (error) {
    // SQLite has rolled back the other writes as well.
    if (!isAll && !connection.isTransaction) throw error
    if (isAll) transaction.rollback()
    else transaction.undoWrites()
    return alike.length > 1 ? 'again' : () => alike[0]?.reject(error)
  }
}

/** A single slow commit changes the average time of commits little. */
function commit(writes: Writes): void {
  writes.file.require()
  const began = performance.now()
  writes.transaction.commit()
  const took = Math.min(performance.now() - began, LONGEST_COMMIT_MS)
  writes.commitMs += (took - writes.commitMs) / 4
}

const CACHE_KB = 16_384
const READER_CACHE_KB = 2048

export const NO_FILE: FileWatch = { require: () => undefined, isLost: () => false }

/** Ms that a migration waits for another process that is migrating. */
const MIGRATION_MS = 60_000

/**
 * Opens a file in WAL mode with two connections: one writes, the other reads committed data meanwhile.
 * Between transactions the writing connection reads too, since its commits empty the page caches of all
 * others. Long reads go to threads (`reader-pool.ts`). No wait for a lock blocks other requests.
 * @throws Error with one sentence if the file cannot be opened
 */
export function openSqlite(file: string): Database {
  const writer = connect(file, CACHE_KB)
  // This connection reads little, and the next commit empties its cache.
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
    empty()
  })
  const write: Database['write'] = (work, by = writerBy('')) =>
    enqueueWrite(writes, async (tx) => [await work(tx)], { item: undefined, by })
  const index = makeIndexer(committedOnly, (most) => indexWaiting(write, most))
  const isAnyUnstemmed = () =>
    Boolean(prepareIfThere(committedOnly, 'select doc from unstemmed limit 1')?.all([]).length)
  const stemmer = makeStemmer(write, isAnyUnstemmed)
  const empty = pool ? makeEmptier(writer, pool, writes) : () => undefined
  const read = readingBuilder(readable)
  runDirectly(read, 'sqlite', (text, parameters) =>
    reader.isTransaction ? undefined : runRead(() => runPrepared(committedOnly(text), parameters)),
  )
  return {
    read,
    aside: pool
      ? makeAside(read, reader, readable, pool)
      : (((db, _lane, queries) => runQueries(db, queries)) as Database['aside']),
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
    // A commit and the calls of the listeners happen within one turn of the event loop.
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
 * Temporary data are on disk: a step that changes every row would need a gigabyte of memory for them at a
 * million events.
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

/** Ms; a second long read within them starts a thread. */
const RARELY_MS = 1000

/**
 * Runs long reads in threads, and those inside a transaction on its connection. A thread takes longer to
 * start than a list to read, and some 20 MB, so while none has started, rare lists are read here.
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
    const statements = queries
      .map((query) => query.compile())
      .map(({ sql, parameters }) => ({ sql, parameters }))
    const isHere = lane === 'list' && pool.threads.length === 0 && isRare() && !reader.isTransaction
    return isHere
      ? runRead(() => runTogether(reader, prepare, statements))
      : askReaders(pool, lane, { statements })
  }
  return aside as Database['aside']
}

/** A database in memory has no file that a thread could open. */
function searchHere(connection: DatabaseSync): Database['findMatching'] {
  let words: WordIndex | undefined
  return async (search) => {
    words ??= openWordIndex(connection)
    return searchSubstrings(words, search)
  }
}

const LOOK_AT_LOG_EVERY = 16
/**
 * Ms that writes wait for the end of a checkpoint: few beside the `longestMs` of `LIMITS`, after which
 * requests are refused.
 */
const LONGEST_PAUSE_MS = 60

/**
 * The result is called after each commit: it has a thread checkpoint a WAL that has become long. Writes wait
 * only while the thread writes the last pages, since only a WAL that is completely in the file starts over.
 */
function makeEmptier(writer: DatabaseSync, pool: ReaderPool, writes: Writes): () => void {
  // With `noop` the statement only counts pages.
  const length = writer.prepare('pragma wal_checkpoint(noop)')
  const unwritten = () => {
    const { log, checkpointed } = length.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
  let commits = 0
  let isEmptying = false
  const checkpoint = () => askReaders(pool, 'search', 'checkpoint')
  const writeRest = () => writes.groups.between(() => Promise.race([checkpoint(), sleep(LONGEST_PAUSE_MS)]))
  return () => {
    commits += 1
    if (isEmptying || commits % LOOK_AT_LOG_EVERY !== 0 || unwritten() < LOG_PAGES) return
    isEmptying = true
    checkpoint()
      .then(writeRest)
      // Pages that are not checkpointed now are checkpointed later, at the latest by a commit.
      .catch(() => undefined)
      .finally(() => {
        isEmptying = false
      })
  }
}

/** Events indexed at once, in a few ms. Every search reads up to as many unindexed events whole. */
const EVENTS_AT_ONCE = 64

const LOOK_EVERY_COMMITS = 4

/** The result is called after each commit: it indexes waiting events once there are enough of them. */
function makeIndexer(prepare: Prepare, index: (most: number) => Promise<void>): () => void {
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

function prepareIfThere(prepare: Prepare, statement: string): SqliteStatement | undefined {
  try {
    return prepare(statement)
  } catch {
    return undefined
  }
}

/** Ms for which the data version is not asked again: asking takes longer than answering most requests. */
const LOOK_EVERY = 5

/**
 * The result tells, up to `LOOK_EVERY` ms late, whether another connection has written since its last call,
 * and then calls the listeners.
 */
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
