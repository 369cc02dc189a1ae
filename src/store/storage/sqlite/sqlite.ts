import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import { type Database, type Db, type Lane, type ReadQuery, runQueries } from '../database.ts'
import type { IdSet } from '../id-set.ts'
import { type Recording, recordingOf, type Tx, type Writer, writerBy } from '../recording.ts'
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

// Implements the interface of the database on a SQLite file: its query builders, its writes and its
// background work.

// The query builders. Threads that read do not load this file, since a query builder takes 11 MB and they
// need none.

/** Makes the query builder of a connection. `prepare` compiles its statements. */
export function queryBuilder(prepare: Prepare): Db {
  return new Kysely<Tables>({ dialect: dialectOf(prepare) })
}

/**
 * Makes the query builder of a connection that reads. Its queries wait for locks, and reject with
 * DatabaseUnavailable where the database fails.
 */
function readingBuilder(prepare: Prepare): Db {
  const dialect = dialectOf(prepare)
  return new Kysely<Tables>({
    dialect: { ...dialect, createDriver: () => waitingDriver(dialect.createDriver()) },
  })
}

/**
 * The compiler that all query builders share: it keeps no state, and takes longer to make than the rest of a
 * builder.
 */
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

/** Runs a read at once, or as soon as its lock is free. */
function runRead<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw asUnavailable(error)
    return whenFree(attempt)
  }
}

// The writes, several in one commit.

/** The most writes in one commit: they wait for each other, and requests wait for them. */
const GROUP_LIMIT = 64
/**
 * No write joins a commit after `GROUP_MS` ms and the time of four commits: so commits take at most a fifth
 * of the time, and requests wait little.
 */
const GROUP_MS = 4
const GROUP_COMMITS = 4
/**
 * The most milliseconds that writes wait for others to share their commit (no longer than a commit takes, so
 * hardly on a fast disk), and between two looks.
 */
const GATHER_MS = 3
const PAUSE_MS = 1
/** The most writes that may wait; others are refused. */
const MOST_WAITING = 2000

/** The state of the writes of a connection, which runs one transaction at a time. */
export interface Writes {
  connection: DatabaseSync
  prepare: Prepare
  transaction: Transaction
  queue: Job[]
  /** The work that waits for a moment without a transaction (`betweenWrites`). */
  between: (() => Promise<void>) | undefined
  /** Resolves when the queue is empty; undefined while it is. */
  draining: Promise<void> | undefined
  /** True when the connection is to be closed: then no write begins any more. */
  isClosing: boolean
  /** The number of writes in the last commit. */
  together: number
  /**
   * The average milliseconds of recent commits, at most `GATHER_MS`: writes wait no longer than that for
   * others.
   */
  commitMs: number
  /** The changes of the jobs that have succeeded in the present transaction. */
  recordings: Recording[]
  /** Looked at before each commit. */
  file: FileWatch
  /** Called after each commit, before its writers go on. */
  committed: () => void
}

interface Job {
  work: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  /**
   * The time at which the job is refused if another process still locks the database, in ms of
   * `performance.now()`.
   */
  deadline: number
}

export function makeWrites(
  connection: DatabaseSync,
  prepare: Prepare,
  file: FileWatch,
  committed: () => void,
): Writes {
  const transaction = prepareTransaction(connection)
  return {
    connection,
    prepare,
    transaction,
    queue: [],
    between: undefined,
    draining: undefined,
    isClosing: false,
    together: 0,
    commitMs: 0,
    recordings: [],
    file,
    committed,
  }
}

/**
 * Runs the work in a transaction, which it may share with others, and resolves once the commit is durable.
 * While another process locks the database, the write waits for `patience` ms without blocking other
 * requests. Rejects with DatabaseUnavailable after that, and when too many writes wait.
 */
export function enqueueWrite<T>(
  writes: Writes,
  work: (tx: Db) => Promise<T>,
  patience = LOCK_MS,
): Promise<T> {
  if (writes.isClosing) return Promise.reject(new DatabaseUnavailable('The database is being closed.'))
  if (writes.queue.length >= MOST_WAITING)
    return Promise.reject(new DatabaseUnavailable('Too many writes are waiting.'))
  return new Promise<T>((resolve, reject) => {
    writes.queue.push({
      work: () => runJob(writes, work),
      resolve: resolve as (value: unknown) => void,
      reject: (error) => reject(asUnavailable(error)),
      deadline: performance.now() + patience,
    })
    writes.draining ??= drain(writes)
  })
}

/** Finishes the writes that have come, and refuses all later ones. */
async function endWrites(writes: Writes): Promise<void> {
  writes.isClosing = true
  await writes.draining
}

/**
 * Does this work as soon as no transaction is open, and lets writes wait until it has ended. One work at a
 * time.
 */
function betweenWrites(writes: Writes, work: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    writes.between = () => work().then(() => resolve(), reject)
    writes.draining ??= drain(writes)
  })
}

async function drain(writes: Writes): Promise<void> {
  while (writes.queue.length > 0 || writes.between) {
    const { between } = writes
    writes.between = undefined
    await between?.()
    await gather(writes)
    if (await begin(writes)) await commitTogether(writes)
  }
  writes.draining = undefined
}

/**
 * Waits for the writes that will share the next commit: as long as each turn of the event loop brings more of
 * them, and then until there are as many as in the last commit, since clients answered together write again
 * at about the same time. A single writer waits for nobody. Clients of the last commit get their answers
 * meanwhile.
 */
async function gather(writes: Writes): Promise<void> {
  const began = performance.now()
  for (;;) {
    const before = writes.queue.length
    await nextTurn()
    const { length } = writes.queue
    const waited = performance.now() - began
    if (length >= GROUP_LIMIT || waited > GATHER_MS) return
    if (length > before) continue
    if (length >= writes.together || waited + PAUSE_MS > writes.commitMs) return
    await sleep(PAUSE_MS)
  }
}

/**
 * Begins a transaction as soon as no other process has one, and refuses jobs that waited too long. Returns
 * false when no job is left.
 */
async function begin(writes: Writes): Promise<boolean> {
  for (let attempts = 1; writes.queue.length > 0; attempts++) {
    try {
      if (writes.file.isLost()) writes.file.require()
      writes.transaction.begin()
      writes.recordings = []
      return true
    } catch (error) {
      refuseOverdue(writes, error)
    }
    await pauseAfter(attempts)
  }
  return false
}

/** Refuses the jobs that have waited too long for a lock; after any other error, all of them. */
function refuseOverdue(writes: Writes, error: unknown): void {
  const now = performance.now()
  const [refused, left]: [Job[], Job[]] = [[], []]
  for (const job of writes.queue) (isBusy(error) && job.deadline > now ? left : refused).push(job)
  writes.queue = left
  for (const job of refused) job.reject(error)
}

/**
 * Runs the work of a job. A statement that the work begins after its end is refused, since the transaction
 * may belong to another job by then.
 */
async function runJob<T>({ connection, prepare }: Writes, work: (tx: Db) => Promise<T>): Promise<T> {
  let isOver = false
  const prepareOpen: Prepare = (text) => {
    if (isOver) throw new Error('The transaction is over.')
    // On a full disk SQLite rolls back by itself, and would then commit each later statement by itself.
    if (!connection.isTransaction) throw new DatabaseUnavailable('The transaction was undone.')
    return prepare(text)
  }
  const tx = queryBuilder(prepareOpen)
  runDirectly(tx, 'sqlite', (text, parameters) => runPrepared(prepareOpen(text), parameters))
  try {
    return await work(tx)
  } finally {
    isOver = true
  }
}

/** Prepares the statements around jobs: begin, commit, rollback and savepoints. */
function prepareTransaction(connection: DatabaseSync) {
  const prepared = (text: string) => {
    const statement = connection.prepare(text)
    return () => statement.run()
  }
  const rollbackJob = prepared('rollback to job')
  const releaseJob = prepared('release job')
  return {
    begin: prepared('begin immediate'),
    commit: prepared('commit'),
    /** Rolls the transaction back, if there is one. */
    rollback: () => {
      if (connection.isTransaction) connection.exec('rollback')
    },
    beginJob: prepared('savepoint job'),
    releaseJob,
    undoJob: () => {
      rollbackJob()
      releaseJob()
    },
  }
}

type Transaction = ReturnType<typeof prepareTransaction>

/**
 * Runs jobs one after the other in the transaction that has begun, and commits them with one flush to disk. A
 * job that fails is undone alone. Jobs that are left when the time is over wait for the next commit.
 */
async function commitTogether(writes: Writes): Promise<void> {
  const { transaction, queue } = writes
  const jobs: Job[] = []
  const done: (() => void)[] = []
  try {
    const until = performance.now() + GROUP_MS + GROUP_COMMITS * writes.commitMs
    do {
      const job = queue.shift()
      if (!job) break
      // If the commit fails, this job is rejected with the others.
      jobs.push(job)
      if (jobs.length === 1 && queue.length === 0) return await commitOne(writes, job)
      done.push(await attemptJob(writes, job))
    } while (jobs.length < GROUP_LIMIT && performance.now() < until)
    await saveRecordings(writes.prepare, writes.recordings)
    commit(writes)
  } catch (error) {
    transaction.rollback()
    for (const job of jobs) job.reject(error)
    return
  } finally {
    writes.together = jobs.length
  }
  writes.committed()
  for (const settle of done) settle()
}

/** Runs and commits a single job. It needs no savepoint: when it fails, there is nothing else to keep. */
async function commitOne(writes: Writes, job: Job): Promise<void> {
  const { transaction, prepare, recordings, committed } = writes
  let value: unknown
  try {
    value = await job.work()
  } catch (error) {
    transaction.rollback()
    return job.reject(error)
  }
  await saveRecordings(prepare, recordings)
  commit(writes)
  committed()
  job.resolve(value)
}

/** Commits, and updates the average time of commits, which a single slow commit changes little. */
function commit(writes: Writes): void {
  writes.file.require()
  const began = performance.now()
  writes.transaction.commit()
  const took = Math.min(performance.now() - began, GATHER_MS)
  writes.commitMs += (took - writes.commitMs) / 4
}

async function attemptJob({ connection, transaction }: Writes, job: Job): Promise<() => void> {
  transaction.beginJob()
  try {
    const value = await job.work()
    transaction.releaseJob()
    return () => job.resolve(value)
  } catch (error) {
    // SQLite has rolled back the writes of the other jobs as well.
    if (!connection.isTransaction) throw error
    transaction.undoJob()
    return () => job.reject(error)
  }
}

// The interface of the database.

const CACHE_KB = 16_384
const READER_CACHE_KB = 2048

/** The watch over a database in memory, which has no file. */
export const NO_FILE: FileWatch = { require: () => undefined, isLost: () => false }

/** The most milliseconds that a migration waits for another process that is migrating. */
const MIGRATION_MS = 60_000

/**
 * Opens a SQLite file in WAL mode with two connections: one writes, the other reads committed data meanwhile.
 * Between transactions the writing connection reads too, since its commits empty the page caches of all other
 * connections. Reads that may take long go to threads (`reader-pool.ts`) with connections of their own. No
 * wait for a lock blocks other requests.
 * @throws Error with one sentence when the file cannot be opened.
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
  const write: Database['write'] = (work, by) =>
    enqueueWrite(writes, (db) => workRecording(writes, db, work, by))
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
 * Runs a migration with temporary data on disk: a step that changes every row would need a gigabyte of memory
 * for them at a million events.
 */
async function migrateOnDisk(
  writer: DatabaseSync,
  writes: Writes,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  writer.exec('pragma temp_store = file')
  try {
    return await enqueueWrite(writes, work, MIGRATION_MS)
  } finally {
    writer.exec('pragma temp_store = memory')
  }
}

/** Runs work in a transaction that has begun. The commit writes the changes that the work records. */
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

/** Milliseconds between two long reads below which the second starts a thread. */
const RARELY_MS = 1000

/**
 * Makes the function that runs long reads in threads, and those inside a transaction on its connection. A
 * thread takes longer to start than a list to read, and some 20 MB, so while none has started, lists asked
 * for rarely are read here.
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

/** Searches in this thread, for a database in memory: it has no file that another thread could open. */
function searchHere(connection: DatabaseSync): Database['findMatching'] {
  let words: WordIndex | undefined
  return async (search) => {
    words ??= openWordIndex(connection)
    return searchSubstrings(words, search)
  }
}

/** Commits between two checks of the length of the log. */
const LOOK_AT_LOG_EVERY = 16
/**
 * The most milliseconds that writes wait for the end of a checkpoint: few beside the `longestMs` of `LIMITS`,
 * after which requests are turned away.
 */
const LONGEST_PAUSE_MS = 60

/**
 * Returns a function to be called after each commit: it has a thread checkpoint the log when the log has
 * become long. Writes go on meanwhile, but wait while the thread writes the last pages, since only a log that
 * is completely in the file starts over.
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
  const writeRest = () => betweenWrites(writes, () => Promise.race([checkpoint(), sleep(LONGEST_PAUSE_MS)]))
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

/**
 * The number of events indexed at once, which takes a few milliseconds. Every search reads up to as many
 * unindexed events whole.
 */
const EVENTS_AT_ONCE = 64

/** Commits between two counts of the waiting events, since counting takes time as well. */
const LOOK_EVERY_COMMITS = 4

/**
 * Returns a function to be called after each commit: it indexes the waiting events once there are enough of
 * them.
 */
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
      // Events that are not indexed now are indexed next time.
      .catch(() => undefined)
      .finally(() => {
        isIndexing = false
        // There may be more.
        unseen = LOOK_EVERY_COMMITS
      })
  }
}

/** Prepares a statement; undefined where its tables do not exist, as before the migrations have run. */
function prepareIfThere(prepare: Prepare, statement: string): SqliteStatement | undefined {
  try {
    return prepare(statement)
  } catch {
    return undefined
  }
}

/**
 * Milliseconds for which the data version is not asked again: to ask takes longer than to answer most
 * requests.
 */
const LOOK_EVERY = 5

/**
 * Returns a function that tells, up to `LOOK_EVERY` ms late, whether another connection has written since its
 * last call, and then calls the listeners.
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
