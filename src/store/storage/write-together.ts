import type { Database } from './database.ts'
import type { Tx, Writer } from './recording.ts'
import { DatabaseUnavailable } from './unavailable.ts'

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

/** The most writes in one transaction. */
const MOST = 32

interface Waiting extends Sharing<unknown> {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type AnyWork = SharedWork<unknown, unknown>

/** Lets writes of the same work that come while one is being done share the next transaction. */
export function makeWriteTogether(write: Database['write']): WriteTogether {
  const queues = new Map<AnyWork, Waiting[]>()
  const drain = async (work: AnyWork, queue: Waiting[]) => {
    while (queue.length > 0) await writeNext(write, work, queue)
    queues.delete(work)
  }
  return <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) =>
    new Promise<Result>((resolve, reject) => {
      const any = work as AnyWork
      const waiting = { item, by, resolve: resolve as Waiting['resolve'], reject }
      const queue = queues.get(any)
      if (queue) queue.push(waiting)
      else {
        const made = [waiting]
        queues.set(any, made)
        void drain(any, made)
      }
    })
}

/** Does the writes that have come when the transaction begins. Where one of them fails, each is done again by itself. */
async function writeNext(write: Database['write'], work: AnyWork, queue: Waiting[]): Promise<void> {
  let taken: Waiting[] | undefined
  try {
    const results = await write((tx) => {
      taken ??= queue.splice(0, MOST)
      return doAll(tx, work, taken)
    })
    for (const [at, { resolve }] of taken?.entries() ?? []) resolve(results[at])
  } catch (error) {
    const failed = taken ?? queue.splice(0)
    // What the database did with a commit that it did not answer is not known, so nothing is written a second time.
    if (failed.length === 1 || error instanceof DatabaseUnavailable) for (const { reject } of failed) reject(error)
    else await Promise.all(failed.map((one) => writeAlone(write, work, one)))
  }
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
