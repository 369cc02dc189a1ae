import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Db, isPostgres } from './database.ts'
import type { Tx, Writer } from './recording.ts'
import { DatabaseUnavailable, isHindered } from './unavailable.ts'

// Groups writes of one kind that come at about the same time into one transaction.

/** One of several writes that share a transaction, and its writer. */
export interface Sharing<Item> {
  item: Item
  by: Writer
}

/**
 * Does all of these writes, and returns their results in the same order. Like the work of every transaction,
 * it may run again.
 */
export type SharedWork<Item, Result> = (tx: Tx, asked: readonly Sharing<Item>[]) => Promise<Result[]>

/**
 * Does a write, perhaps in one transaction with others of the same work. It succeeds or fails as if it were
 * alone.
 */
export type WriteTogether = <Item, Result>(
  work: SharedWork<Item, Result>,
  item: Item,
  by: Writer,
) => Promise<Result>

const MOST = { sqlite: 8, postgres: 32 }

/**
 * Returns the most writes in one transaction. SQLite takes few, since they run in the thread of all requests
 * and hold up the others.
 */
export const mostTogether = (db: Db): number => (isPostgres(db) ? MOST.postgres : MOST.sqlite)
/**
 * Milliseconds after which the next transaction begins although one is still under way: that one may be
 * waiting for a lock that the others do not need.
 */
const LONG_MS = 50

interface Waiting extends Sharing<unknown> {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type AnyWork = SharedWork<unknown, unknown>

/** The waiting writes of one work, and figures of its last transaction. */
interface Line {
  queue: Waiting[]
  isDraining: boolean
  /** The number of writes in the last transaction, and the milliseconds that it took. */
  writes: number
  ms: number
}

/**
 * Returns a function that gathers the writes of the same work which come while one is being done: they share
 * the next transaction, at most `most` of them.
 */
export function makeWriteTogether(write: Database['write'], most = MOST.postgres): WriteTogether {
  const lines = new Map<AnyWork, Line>()
  const drain = async (work: AnyWork, line: Line) => {
    line.isDraining = true
    while (line.queue.length > 0) {
      await awaitOthers(line, most)
      const began = performance.now()
      line.writes = await writeNext(write, work, line.queue, most)
      line.ms = performance.now() - began
    }
    line.isDraining = false
  }
  return <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) =>
    new Promise<Result>((resolve, reject) => {
      const any = work as AnyWork
      const line = lines.get(any) ?? { queue: [], isDraining: false, writes: 0, ms: 0 }
      lines.set(any, line)
      line.queue.push({ item, by, resolve: resolve as Waiting['resolve'], reject })
      if (!line.isDraining) void drain(any, line)
    })
}

/**
 * Writes wait for others at most this many milliseconds, and at most this part of the time of the last
 * transaction. `PAUSE_MS` is between looks.
 */
const GATHER_MS = 5
const GATHER_PART = 1 / 2
const PAUSE_MS = 1

/**
 * Waits, for a bounded time, for as many writes as shared the last transaction: clients answered together
 * write again at about the same time.
 */
async function awaitOthers({ queue, writes, ms }: Line, most: number): Promise<void> {
  const until = performance.now() + Math.min(GATHER_MS, ms * GATHER_PART)
  for (;;) {
    const before = queue.length
    await nextTurn()
    if (queue.length >= most || performance.now() >= until) return
    if (queue.length > before) continue
    if (queue.length >= writes) return
    await sleep(PAUSE_MS)
  }
}

/**
 * Does the writes that have come when the transaction begins. Where one of them fails, each is done again in
 * a transaction of its own. Resolves to how many there were, once they are done or have taken 50 ms.
 */
async function writeNext(
  write: Database['write'],
  work: AnyWork,
  queue: Waiting[],
  most: number,
): Promise<number> {
  const long = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  let taken: Waiting[] | undefined
  const take = () => {
    timer = setTimeout(long.resolve, LONG_MS)
    return queue.splice(0, most)
  }
  const writing = async () => {
    try {
      const results = await write((tx) => {
        taken ??= take()
        return doAll(tx, work, taken)
      })
      for (const [at, { resolve }] of taken?.entries() ?? []) resolve(results[at])
    } catch (error) {
      const failed = taken ?? queue.splice(0)
      // Nobody knows whether a commit that the database did not answer was done, so nothing is written a
      // second time.
      const mayBeWritten = error instanceof DatabaseUnavailable && !isHindered(error)
      if (failed.length === 1 || mayBeWritten) for (const { reject } of failed) reject(error)
      else await Promise.all(failed.map((one) => writeAlone(write, work, one)))
    } finally {
      clearTimeout(timer)
    }
  }
  await Promise.race([writing(), long.promise])
  return taken?.length ?? 0
}

async function writeAlone(write: Database['write'], work: AnyWork, one: Waiting): Promise<void> {
  try {
    const [result] = await write((tx) => doAll(tx, work, [one]))
    one.resolve(result)
  } catch (error) {
    one.reject(error)
  }
}

/**
 * Does these writes in one transaction. Changes that name no writer of their own (`by`) are recorded under
 * the first writer.
 */
function doAll(tx: Tx, work: AnyWork, asked: readonly Sharing<unknown>[]): Promise<unknown[]> {
  const [first] = asked
  if (first) tx.recording.writer = first.by
  return work(tx, asked)
}
