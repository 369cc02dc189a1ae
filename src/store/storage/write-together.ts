import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Db, isPostgres } from './database.ts'
import type { Tx, Writer } from './recording.ts'
import { DatabaseUnavailable, isHindered } from './unavailable.ts'

// Writes of one kind, several in one transaction.

/** One of several writes that share a transaction, and in whose name it is done. */
export interface Sharing<Item> {
  item: Item
  by: Writer
}

/** Does all of these writes, and returns their results in the same order. As with every write, it may be called again. */
export type SharedWork<Item, Result> = (tx: Tx, asked: readonly Sharing<Item>[]) => Promise<Result[]>

/** Does a write, perhaps in one transaction with others of the same work. It fails or succeeds as if it were alone. */
export type WriteTogether = <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) => Promise<Result>

const MOST = { sqlite: 8, postgres: 32 }

/** The most writes in one transaction. On SQLite the thread of all requests does them, and other requests wait meanwhile. */
export const mostTogether = (db: Db): number => (isPostgres(db) ? MOST.postgres : MOST.sqlite)
/** Milliseconds for which others wait for a transaction under way: it may wait itself, for a lock that they do not need. */
const LONG_MS = 50

interface Waiting extends Sharing<unknown> {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type AnyWork = SharedWork<unknown, unknown>

/** The writes of one work that wait, and the last of its transactions. */
interface Line {
  queue: Waiting[]
  isDraining: boolean
  /** How many shared the last transaction, and the milliseconds that it took. */
  writes: number
  ms: number
}

/** Lets writes of the same work that come while one is being done share the next transaction. */
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

/** The most milliseconds that writes wait for others, and the part of the time of the last transaction. */
const GATHER_MS = 5
const GATHER_PART = 1 / 2
const PAUSE_MS = 1

/** Waits until as many writes have come as shared the last transaction, since clients that were answered together write again at about the same time. */
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
 * Does the writes that have come when the transaction begins. Where one of them fails, each is done again by itself. Resolves when they
 * are done, or take long, to how many there were.
 */
async function writeNext(write: Database['write'], work: AnyWork, queue: Waiting[], most: number): Promise<number> {
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
      // What the database did with a commit that it did not answer is not known, so nothing is written a second time.
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

/** What follows from several of the writes together is the doing of the first. */
function doAll(tx: Tx, work: AnyWork, asked: readonly Sharing<unknown>[]): Promise<unknown[]> {
  const [first] = asked
  if (first) tx.recording.writer = first.by
  return work(tx, asked)
}
