import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Kysely, SqliteDialect, type SqliteStatement, sql } from 'kysely'
import { MOST_CHANGES, makePruner, RETENTION, type Retention } from './changes.ts'
import type { Change, Cursor, Database, Db } from './database.ts'
import { indexEvents } from './event-words.ts'
import { distanceKm } from './geo.ts'
import type { Tables } from './schema.ts'
import { makeSearcher, type Searcher } from './searcher.ts'
import { runDirectly } from './statement.ts'
import { lineContainsAll } from './text.ts'
import { DatabaseUnavailable } from './unavailable.ts'
import { makeWordSearch } from './word-search.ts'

/** Writes that share one commit at the most, so that no reader of the results waits for a long queue. */
const GROUP_LIMIT = 64

/**
 * Opens a SQLite file in WAL mode with two connections: one writes, the other reads what is committed while it does. Between transactions
 * the first one reads as well, since every commit empties the page caches of all other connections.
 * @throws Error with one sentence when the file cannot be opened.
 */
export function openSqlite(file: string, retention: Retention = RETENTION): Database {
  const writer = connect(file)
  // It reads little, and what it has read the next commit makes it forget.
  const reader = file === ':memory:' ? writer : connect(file, READER_CACHE_KB)
  const written = prepareKept(writer)
  const readable = reader === writer ? written : prepareKept(reader)
  const committedOnly: Prepare = (text) => (writer.isTransaction ? readable : written)(text)
  const transaction = prepareTransaction(writer)
  const queue: Job[] = []
  let draining: Promise<void> | undefined

  const listeners = new Set<() => void>()
  const look = makeLook(writer, listeners)
  const searcher = reader === writer ? searchHere(reader) : makeSearcher(file)

  const write = <T>(work: (tx: Db) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work: () => runJob(written, work), resolve: resolve as (value: unknown) => void, reject })
      draining ??= drain()
    })
  const log = readLog(committedOnly)
  const prune = makePruner(
    retention,
    async () => log.lastVersion(),
    (before, rows) => write((tx) => dropChanges(tx, before, rows)),
  )
  const index = makeIndexer(committedOnly, (most) => write((tx) => indexEvents(tx, most)))
  const committed = () => {
    for (const listener of listeners) listener()
    prune()
    index()
  }
  const drain = async () => {
    while (queue.length > 0) {
      // Requests that have arrived by now get to write in the same commit, and those that waited for the last one are answered before it.
      await nextTurn()
      await commitTogether(transaction, queue.splice(0, GROUP_LIMIT), committed)
    }
    draining = undefined
  }
  const read = queryBuilder(readable)
  // A transaction of the query builder has the connection to itself.
  runDirectly(read, 'sqlite', (text, parameters) =>
    reader.isTransaction ? undefined : runPrepared(committedOnly(text), parameters),
  )
  return {
    read,
    readPublic: () => read,
    write,
    migrate: write,
    cursor: async () => log.lastVersion(),
    readChanges: async (since) => log.readChanges(since),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    findMatching: searcher.find,
    ping: async () => {
      reader.prepare('select 1').get()
    },
    close: async () => {
      await draining
      await searcher.close()
      if (reader !== writer) reader.close()
      writer.close()
    },
  }
}

/** Searches in this thread, where there is no file that another could open. */
function searchHere(connection: DatabaseSync): Searcher {
  let find: ReturnType<typeof makeWordSearch> | undefined
  return {
    find: async (search) => {
      find ??= makeWordSearch(connection)
      return find(search)
    },
    close: async () => {},
  }
}

/** So many events are indexed at once, for a few milliseconds; up to as many are read whole by every search. */
const EVENTS_AT_ONCE = 64

/** Commits between two looks at how many events have gathered, since looking takes a while as well. */
const LOOK_EVERY_COMMITS = 4

/** Indexes events once enough have gathered: a function to be called after each commit. */
function makeIndexer(prepare: Prepare, index: (most: number) => Promise<number>): () => void {
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
      // What is not indexed this time is the next.
      .catch(() => undefined)
      .finally(() => {
        isIndexing = false
        // There may be more.
        unseen = LOOK_EVERY_COMMITS
      })
  }
}

/** A statement over tables that are not there before the migrations have run. */
function prepareIfThere(prepare: Prepare, statement: string): SqliteStatement | undefined {
  try {
    return prepare(statement)
  } catch {
    return undefined
  }
}

/** Milliseconds that a look at the version of the data holds: asking takes longer than answering most requests. */
const LOOK_EVERY = 5

/** Looks whether anybody else has written than this connection, which they are seen by `LOOK_EVERY` ms late at the most. */
function makeLook(writer: DatabaseSync, listeners: ReadonlySet<() => void>): () => boolean {
  const statement = writer.prepare('pragma data_version')
  const read = () => Number(statement.get()?.data_version)
  let version = read()
  let lookedAt = performance.now()
  return () => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY) return false
    lookedAt = now
    const current = read()
    if (current === version) return false
    version = current
    for (const listener of listeners) listener()
    return true
  }
}

/** Reads the log of changes. Versions are in the order of commit, since one transaction writes at a time. */
function readLog(prepare: Prepare) {
  const all = <Row>(text: string, ...values: number[]) => prepare(text).all(values) as Row[]
  const lastVersion = (): Cursor => {
    const [last] = all<{ seq: number }>(`select seq from sqlite_sequence where name = 'changes'`)
    return String(last?.seq ?? 0)
  }
  const readChanges = (since: Cursor): { changes: Change[]; cursor: Cursor } | 'too old' => {
    const cursor = lastVersion()
    if (cursor === since) return { changes: [], cursor }
    const [oldest] = all<{ version: number | null }>('select min(version) as version from changes')
    const rows = all<Change>(
      'select distinct kind, record from changes where version > ? and version <= ? limit ?',
      Number(since),
      Number(cursor),
      MOST_CHANGES + 1,
    )
    const first = oldest?.version ?? undefined
    const isKnown = Number(since) < Number(cursor) && first !== undefined && first <= Number(since) + 1
    if (!isKnown || rows.length > MOST_CHANGES) return 'too old'
    return { changes: rows.map(({ kind, record }) => ({ kind, record })), cursor }
  }
  return { lastVersion, readChanges }
}

/** So many at once that a writer waits a few milliseconds. */
const MOST_DROPPED = 5000

/** Drops changes up to a cursor, but for the newest `rows`; what is left of them goes the next time. */
async function dropChanges(tx: Db, before: Cursor, rows: number): Promise<void> {
  await sql`
    delete from changes where version <= ${Number(before)}
      and version <= (select max(version) - ${rows} from changes) and version < (select min(version) + ${MOST_DROPPED} from changes)
  `.execute(tx)
}

interface Job {
  work: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Runs the work of a job. What it goes on to do afterwards is refused, since the transaction may be another job's by then. */
async function runJob<T>(prepare: Prepare, work: (tx: Db) => Promise<T>): Promise<T> {
  let isOver = false
  const prepareOpen: Prepare = (text) => {
    if (isOver) throw new Error('The transaction is over.')
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

/** The statements around what jobs do. */
function prepareTransaction(writer: DatabaseSync) {
  const prepared = (text: string) => {
    const statement = writer.prepare(text)
    return () => statement.run()
  }
  const rollbackJob = prepared('rollback to job')
  const releaseJob = prepared('release job')
  return {
    begin: prepared('begin immediate'),
    commit: prepared('commit'),
    /** Undoes everything, if anything has begun. */
    rollback: () => {
      if (writer.isTransaction) writer.exec('rollback')
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
 * Runs the jobs one after the other, each undone alone if it fails, and commits them with one flush to disk. Says so before anybody who
 * waits for them goes on.
 */
async function commitTogether(transaction: Transaction, jobs: Job[], committed: () => void): Promise<void> {
  const done: (() => void)[] = []
  try {
    transaction.begin()
    const [only] = jobs
    if (only && jobs.length === 1) return await commitOne(transaction, only, committed)
    for (const job of jobs) done.push(await attempt(transaction, job))
    transaction.commit()
  } catch (error) {
    transaction.rollback()
    for (const job of jobs) job.reject(asUnavailable(error))
    return
  }
  committed()
  for (const settle of done) settle()
}

/** The same for one job, which needs no savepoint: when it fails, there is nothing to keep. */
async function commitOne(transaction: Transaction, job: Job, committed: () => void): Promise<void> {
  let value: unknown
  try {
    value = await job.work()
  } catch (error) {
    transaction.rollback()
    return job.reject(error)
  }
  transaction.commit()
  committed()
  job.resolve(value)
}

async function attempt(transaction: Transaction, job: Job): Promise<() => void> {
  transaction.beginJob()
  try {
    const value = await job.work()
    transaction.releaseJob()
    return () => job.resolve(value)
  } catch (error) {
    transaction.undoJob()
    return () => job.reject(error)
  }
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR and SQLITE_FULL. */
const UNAVAILABLE = [5, 6, 10, 13]

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const isLost = UNAVAILABLE.includes(Number(error.errcode) & 0xff)
  return isLost ? new DatabaseUnavailable(`The database does not answer: ${error.message}.`, error) : error
}

/**
 * Pages of 4 kB in the write-ahead log before they go to the file. New events change the same pages of the indexes again and again, and
 * each goes to the file once, so a long log saves writes. Reading it after a crash takes a moment.
 */
const LOG_PAGES = 16_000

const CACHE_KB = 16_384
const READER_CACHE_KB = 2048

function connect(file: string, cacheKb = CACHE_KB): DatabaseSync {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
    const connection = new DatabaseSync(file, { timeout: 5000 })
    connection.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${cacheKb};
      pragma wal_autocheckpoint = ${LOG_PAGES};
      pragma temp_store = memory;
    `)
    connection.function('distance_km', { deterministic: true, varargs: true }, (...points) =>
      distanceKm(...(points as [number, number, number, number])),
    )
    connection.function('line_contains_all', { deterministic: true, varargs: true }, (text, words) =>
      Number(lineContainsAll(String(text), JSON.parse(String(words)))),
    )
    return connection
  } catch (error) {
    throw new Error(`The database ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Statements a connection keeps prepared. */
const MOST_PREPARED = 500

/** Prepares a statement, or finds it prepared. */
type Prepare = (sql: string) => SqliteStatement

/** Prepares the statements of a connection, each once. */
function prepareKept(connection: DatabaseSync): Prepare {
  const prepared = new Map<string, SqliteStatement>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    if (prepared.size >= MOST_PREPARED) prepared.clear()
    const statement = adapted(connection.prepare(sql))
    prepared.set(sql, statement)
    return statement
  }
}

function queryBuilder(prepare: Prepare): Db {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: { close: () => {}, prepare } }) })
}

function runPrepared(statement: SqliteStatement, parameters: readonly unknown[]): unknown[] {
  if (statement.reader) return statement.all(parameters)
  statement.run(parameters)
  return []
}

/** A statement as the query builder drives it. */
function adapted(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  }
}
