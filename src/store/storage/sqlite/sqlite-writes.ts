import type { DatabaseSync } from 'node:sqlite'
import {
  doAlike,
  type Groups,
  makeGroups,
  resolveWrites,
  type SharedWork,
  type Sharing,
  takeAlike,
  type WaitingWrite,
  waitingWrite,
} from '../commit-groups.ts'
import { type Recording, recordingOf, writerBy } from '../recording.ts'
import { stemNames } from '../search/search-index.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { queryBuilder } from './sqlite-builders.ts'
import { saveRecordings } from './sqlite-changes.ts'
import {
  asUnavailable,
  type FileWatch,
  isBusy,
  LOCK_MS,
  type Prepare,
  pauseAfter,
  runPrepared,
} from './sqlite-connection.ts'

/** Maximum writes in a commit, since they wait for each other, and other requests wait for them. */
const GROUP_LIMIT = 64
/** Maximum writes of the same kind done at once, since no other request is served meanwhile. */
const MOST_ALIKE = 8
/**
 * Writes join a commit only during its first `GROUP_MS` ms plus `GROUP_COMMITS` times the average commit
 * time, so that commits take at most a fifth of the time, and requests wait little.
 */
const GROUP_MS = 4
const GROUP_COMMITS = 4
/** In ms: a longer commit counts as this long in the average. */
const LONGEST_COMMIT_MS = 3
/** While this many writes wait, further writes are refused. */
const MOST_WAITING = 2000

export interface Writes {
  connection: DatabaseSync
  prepare: Prepare
  transaction: Transaction
  groups: Groups
  /** True once no further write is accepted. */
  isClosing: boolean
  /** Average ms of recent commits: a group waits no longer while no writes arrive. */
  commitMs: number
  recordings: Recording[]
  file: FileWatch
  /** Called after each commit, before the promises of its writes resolve. */
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
 * Does a write, which may share a commit, and resolves once it is durable. While another process locks the
 * database, waits up to `patience` ms without blocking other requests. Rejects with DatabaseUnavailable after
 * that, or if too many writes wait already.
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

export async function endWrites(writes: Writes): Promise<void> {
  writes.isClosing = true
  await writes.groups.ended()
}

/**
 * Begins a transaction once no other process has one; until then, refuses writes past their deadline. An
 * error other than SQLITE_BUSY refuses all waiting writes. Returns false if no writes remain.
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

function refuseOverdue(queue: WaitingWrite[], error: unknown): void {
  const now = performance.now()
  for (const write of queue.splice(0))
    if (isBusy(error) && write.deadline > now) queue.push(write)
    else write.reject(error)
}

/**
 * Does writes of the same kind. Statements that their work begins after it has ended are refused, since the
 * transaction may belong to other writes by then.
 */
async function doWrites(writes: Writes, alike: readonly WaitingWrite[]): Promise<unknown[]> {
  const { connection, prepare, recordings } = writes
  let isOver = false
  const prepareOpen: Prepare = (text) => {
    if (isOver) throw new Error('The transaction is over.')
    // On a full disk SQLite rolls back the transaction, and would commit each later statement on its own.
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
 * Does waiting writes in the current transaction, those of the same kind together, with one flush to disk. A
 * failed write is undone alone. Writes left when the time is up wait for the next commit. Returns the number
 * of writes done.
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
      // If the commit fails, these writes are rejected with the others.
      for (const write of alike) written.push(write)
      // Writes alone in the transaction need no savepoint: after a failure all of it is rolled back.
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
 * Does writes of the same kind together, and returns a function that settles them. `'again'` means that they
 * failed together, so each must be done alone.
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
    return () => resolveWrites(alike, results)
  } catch (error) {
    // SQLite has rolled back the whole transaction, with the other writes.
    if (!isAll && !connection.isTransaction) throw error
    if (isAll) transaction.rollback()
    else transaction.undoWrites()
    return alike.length > 1 ? 'again' : () => alike[0]?.reject(error)
  }
}

function commit(writes: Writes): void {
  writes.file.require()
  const began = performance.now()
  writes.transaction.commit()
  const took = Math.min(performance.now() - began, LONGEST_COMMIT_MS)
  writes.commitMs += (took - writes.commitMs) / 4
}
