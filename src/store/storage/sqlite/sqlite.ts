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
import { openWordIndex, searchWords, type WordIndex } from '../search/word-search.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { askReaders, closeReaders, makeReaderPool, type ReaderPool } from './reader-pool.ts'
import { findChanges, presentCursor, saveRecordings } from './sqlite-changes.ts'
import {
  asUnavailable,
  connect,
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

// SQLite as the database: its query builder, its writes, and the interface that stores see.

// The query builders on connections to a SQLite file. Threads that read have no need of them, and load none: 11 MB.

/** Makes the query builder of a connection, whose statements `prepare` compiles. */
export function queryBuilder(prepare: Prepare): Db {
  return new Kysely<Tables>({ dialect: dialectOf(prepare) })
}

/** Makes the query builder of a connection for reading. It waits for locks, and throws DatabaseUnavailable where the database fails. */
function readingBuilder(prepare: Prepare): Db {
  const dialect = dialectOf(prepare)
  return new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => waitingDriver(dialect.createDriver()) } })
}

/** All query builders share one compiler: it keeps no state, and takes longer to make than the rest of a builder. */
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

// The writes of a SQLite connection, several in one commit.

/** The most writes in one commit. They wait for each other, and requests wait for them. */
const GROUP_LIMIT = 64
/** No write joins after so many milliseconds and so many commits more: commits take a fifth of the time at most, and requests wait little. */
const GROUP_MS = 4
const GROUP_COMMITS = 4
/**
 * The most milliseconds that writes wait for others to share their commit. They wait no longer than a commit takes, so on a fast disk they hardly
 * wait.
 */
const GATHER_MS = 3
const PAUSE_MS = 1
/** The most writes that wait. */
const MOST_WAITING = 2000

/** The writes of a connection, one transaction at a time. */
export interface Writes {
  connection: DatabaseSync
  prepare: Prepare
  transaction: Transaction
  queue: Job[]
  /** See `betweenWrites`. */
  between: (() => Promise<void>) | undefined
  /** Resolves when the queue is empty. */
  draining: Promise<void> | undefined
  /** Whether the connection is to be closed: then no write begins any more. */
  isClosing: boolean
  /** The number of writes in the last commit. */
  together: number
  /** Milliseconds that recent commits took, `GATHER_MS` at the most: so long do writes wait for others. */
  commitMs: number
  /** The changes of the jobs that have succeeded in the present transaction. */
  recordings: Recording[]
  /** Throws when the file is no longer where it was: called before each commit. */
  requireFile: () => void
  /** Called after each commit, before the writers that wait for it go on. */
  committed: () => void
}

interface Job {
  work: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  /** The time at which it is refused if another process still has the database locked. */
  deadline: number
}

export function makeWrites(
  connection: DatabaseSync,
  prepare: Prepare,
  requireFile: () => void,
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
    requireFile,
    committed,
  }
}

/**
 * Runs the work in a transaction, which it may share with others; resolves once it is durable. While another process has the database locked, it
 * waits for `patience` ms without blocking other requests.
 */
export function enqueueWrite<T>(writes: Writes, work: (tx: Db) => Promise<T>, patience = LOCK_MS): Promise<T> {
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

/** Lets the writes that have come be done, and refuses all others. */
async function endWrites(writes: Writes): Promise<void> {
  writes.isClosing = true
  await writes.draining
}

/** Does this work once no transaction is open; writes wait until it has ended. One work at a time. */
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
 * Waits for the writes that will share the next commit: as long as each turn of the event loop brings more of them, and then until there are as many
 * as in the last commit, since clients answered together write again at about the same time. A single writer waits for nobody. Clients whose commit
 * is done are answered meanwhile.
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

/** Begins a transaction as soon as no other process has one. Refuses jobs that waited too long; false when none is left. */
async function begin(writes: Writes): Promise<boolean> {
  for (let attempts = 1; writes.queue.length > 0; attempts++) {
    try {
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

/** Runs the work of a job. Statements that it begins after its end are refused, since the transaction may belong to another job by then. */
async function runJob<T>({ connection, prepare }: Writes, work: (tx: Db) => Promise<T>): Promise<T> {
  let isOver = false
  const prepareOpen: Prepare = (text) => {
    if (isOver) throw new Error('The transaction is over.')
    // On a full disk SQLite rolls back by itself, and later statements would be committed one by one.
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

/** The statements around jobs: begin, commit, savepoints. */
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
    /** Rolls everything back, if anything has begun. */
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
 * Runs jobs one after the other in the transaction that has begun, each undone alone if it fails, and commits them with one flush to disk. Jobs that
 * are left when the time is over are for the next one.
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
      // If the commit fails, this promise is rejected with the others.
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

/** Runs and commits a single job. It needs no savepoint: if it fails, there is nothing else to keep. */
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

/** Commits, and updates the average time of commits; a single slow one changes it little. */
function commit(writes: Writes): void {
  writes.requireFile()
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
      await endWrites(writes)
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
