import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../database.ts'
import type { Recording } from '../recording.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { saveRecordings } from './sqlite-changes.ts'
import { asUnavailable, isBusy, LOCK_MS, type Prepare, pauseAfter, runPrepared } from './sqlite-connection.ts'
import { queryBuilder } from './sqlite-queries.ts'

// The writes of a SQLite connection, several in one commit.

/** The most writes in one commit. They wait for each other, and requests wait for them. */
const GROUP_LIMIT = 64
/** No write joins after so many milliseconds, and so many commits more: commits take a fifth of the time at the most, and requests wait little on a fast disk. */
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

/** Does this work once no transaction is open; writes wait until it has ended. One work at a time. */
export function betweenWrites(writes: Writes, work: () => Promise<unknown>): Promise<void> {
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
