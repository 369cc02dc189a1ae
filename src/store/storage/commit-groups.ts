import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Tx, Writer } from './recording.ts'
import { DatabaseUnavailable, isHindered } from './unavailable.ts'

// Groups writes that arrive at about the same time, so that they share a transaction or a commit.

export interface Sharing<Item> {
  item: Item
  by: Writer
}

/** Does writes of one kind; results are in the order of `asked`. Like any transaction, it may run again. */
export type SharedWork<Item, Result> = (tx: Tx, asked: readonly Sharing<Item>[]) => Promise<Result[]>

export interface WaitingWrite extends Sharing<unknown> {
  work: SharedWork<unknown, unknown>
  isAlone: boolean
  /** In ms of `performance.now()`: then the write is refused if it still waits for a lock. */
  deadline: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

export function waitingWrite<Item, Result>(
  work: SharedWork<Item, Result>,
  { item, by }: Sharing<Item>,
  patienceMs = Number.POSITIVE_INFINITY,
): { write: WaitingWrite; done: Promise<Result> } {
  const { promise: done, resolve, reject } = Promise.withResolvers<Result>()
  const write: WaitingWrite = {
    work: work as WaitingWrite['work'],
    item,
    by,
    isAlone: false,
    deadline: performance.now() + patienceMs,
    resolve: resolve as WaitingWrite['resolve'],
    reject,
  }
  return { write, done }
}

/** Takes the first write and others with the same `work` off the queue, at most `most` in all. */
export function takeAlike(queue: WaitingWrite[], most: number): WaitingWrite[] {
  const first = queue.shift()
  if (!first) return []
  const taken = [first]
  for (let at = 0; !first.isAlone && at < queue.length && taken.length < most; ) {
    const next = queue[at]
    if (next && next.work === first.work && !next.isAlone) {
      taken.push(next)
      queue.splice(at, 1)
    } else at += 1
  }
  return taken
}

/**
 * Runs the `work` that all writes share. Changes that name no writer are recorded under that of the first
 * write.
 */
export function doAlike(tx: Tx, writes: readonly WaitingWrite[]): Promise<unknown[]> {
  const [first] = writes
  if (!first) return Promise.resolve([])
  tx.recording.writer = first.by
  return first.work(tx, writes)
}

export function resolveWrites(writes: readonly WaitingWrite[], results: readonly unknown[]): void {
  for (const [at, { resolve }] of writes.entries()) resolve(results[at])
}

export interface Groups {
  queue: WaitingWrite[]
  add: (write: WaitingWrite) => void
  /** Runs `work` between two groups; new writes wait meanwhile. Only one `work` may wait at a time. */
  between: (work: () => Promise<unknown>) => Promise<void>
  ended: () => Promise<void>
}

interface Grouping {
  most: number
  /** Ms that a group may wait for as many writes as the last group had. */
  patienceMs: () => number
  write: (queue: WaitingWrite[]) => Promise<number>
}

/** Ms after which a group waits for no more writes. */
const GATHER_MS = 3
const PAUSE_MS = 1

export function makeGroups({ most, patienceMs, write }: Grouping): Groups {
  const queue: WaitingWrite[] = []
  let last = 0
  let between: (() => Promise<unknown>) | undefined
  let draining: Promise<void> | undefined
  /**
   * Waits while each turn of the event loop adds writes, then for as many as in the last group, since clients
   * that were answered together write again together. A single writer waits for no others.
   */
  const gather = async () => {
    const began = performance.now()
    for (;;) {
      const before = queue.length
      await nextTurn()
      const waited = performance.now() - began
      if (queue.length >= most || waited > GATHER_MS) return
      if (queue.length > before) continue
      if (queue.length >= last || waited + PAUSE_MS > patienceMs()) return
      await sleep(PAUSE_MS)
    }
  }
  const drain = async () => {
    while (queue.length > 0 || between) {
      const work = between
      between = undefined
      await work?.()
      await gather()
      if (queue.length > 0) last = await write(queue)
    }
    draining = undefined
  }
  return {
    queue,
    add: (one) => {
      queue.push(one)
      draining ??= drain()
    },
    between: (work) =>
      new Promise((resolve, reject) => {
        between = () => work().then(() => resolve(), reject)
        draining ??= drain()
      }),
    ended: async () => draining,
  }
}

const MOST_ALIKE = 32
/** Ms until the next transaction may begin although the last, which may wait for a lock, has not ended. */
const LONG_MS = 50

type Write = (work: (tx: Tx) => Promise<unknown[]>) => Promise<unknown[]>

/** Groups writes of one kind into transactions; a group waits at most half the time of the last one. */
export function groupTransactions(write: Write): Groups {
  let ms = 0
  return makeGroups({
    most: MOST_ALIKE,
    patienceMs: () => ms / 2,
    write: async (queue) => {
      const began = performance.now()
      const writes = await writeNext(write, queue)
      ms = performance.now() - began
      return writes
    },
  })
}

/**
 * Does the queued writes of one kind in one transaction; if it fails, repeats each write in a transaction of
 * its own. Resolves to the number of writes once they are done, or after `LONG_MS` ms.
 */
async function writeNext(write: Write, queue: WaitingWrite[]): Promise<number> {
  const long = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  let taken: WaitingWrite[] | undefined
  const writing = async () => {
    try {
      const results = await write((tx) => {
        timer ??= setTimeout(long.resolve, LONG_MS)
        taken ??= takeAlike(queue, MOST_ALIKE)
        return doAlike(tx, taken)
      })
      resolveWrites(taken ?? [], results)
    } catch (error) {
      const failed = taken ?? queue.splice(0)
      // If the connection was lost during the commit, the writes may be committed, so none is repeated.
      const mayBeWritten = error instanceof DatabaseUnavailable && !isHindered(error)
      if (failed.length === 1 || mayBeWritten) for (const { reject } of failed) reject(error)
      else await Promise.all(failed.map((one) => writeNext(write, [one])))
    } finally {
      clearTimeout(timer)
    }
  }
  await Promise.race([writing(), long.promise])
  return taken?.length ?? 0
}
