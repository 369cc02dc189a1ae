import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Search } from '../../../base/text/search.ts'
import type { Lane } from '../database.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { asUnavailable, type BoundStatement } from './sqlite-connection.ts'

export type ReaderRequest = { statements: readonly BoundStatement[] } | { search: Search } | 'checkpoint'

export type ReaderAnswer = { result: unknown } | { failure: { message: string; errcode: unknown } }

/**
 * Threads, each with its own connection, so that long reads of a SQLite file block nothing else; and the
 * requests that wait for a thread. A request sees everything committed before it was sent.
 */
export interface ReaderPool {
  file: string
  threads: ReaderThread[]
  waiting: Record<Lane, Asked[]>
  isClosed: boolean
}

interface ReaderThread {
  worker: Worker
  asked: Asked | undefined
}

interface Asked {
  lane: Lane
  request: ReaderRequest
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  timer: NodeJS.Timeout
}

/** All threads but one may run searches, so lists never have to wait for searches. */
const THREADS = 2
/** Maximum requests that wait, each for at most `LONGEST_WAIT_MS` ms. */
const MOST_WAITING: Record<Lane, number> = { list: 128, search: 32 }
const LONGEST_WAIT_MS = 2000

const LIMITS = { maxYoungGenerationSizeMb: 4 }

/** Threads start when first needed, and again after they have died. */
export function makeReaderPool(file: string): ReaderPool {
  return { file, threads: [], waiting: { list: [], search: [] }, isClosed: false }
}

/**
 * Has a thread answer the request. Rejects with DatabaseUnavailable if too many requests wait, no thread
 * becomes free in time, or the database fails.
 */
export function askReaders(pool: ReaderPool, lane: Lane, request: ReaderRequest): Promise<unknown> {
  if (pool.isClosed) return Promise.reject(new Error('The database is closed.'))
  const queue = pool.waiting[lane]
  if (queue.length >= MOST_WAITING[lane])
    return Promise.reject(
      new DatabaseUnavailable(`${queue.length} reads wait already that take as long as this one.`),
    )
  return new Promise((resolve, reject) => {
    const asked: Asked = {
      lane,
      request,
      resolve,
      reject,
      timer: setTimeout(() => turnAway(queue, asked), LONGEST_WAIT_MS),
    }
    queue.push(asked)
    dispatch(pool)
  })
}

export async function closeReaders(pool: ReaderPool): Promise<void> {
  pool.isClosed = true
  for (const queue of Object.values(pool.waiting))
    for (const asked of queue.splice(0)) refuse(asked, 'The database is closed.')
  await Promise.all(
    pool.threads.map(({ worker }) => {
      // Keeps the process alive until the threads have ended.
      worker.ref()
      return worker.terminate()
    }),
  )
}

function turnAway(queue: Asked[], asked: Asked): void {
  const at = queue.indexOf(asked)
  if (at !== -1) queue.splice(at, 1)
  refuse(asked, `No thread was free for this read within ${LONGEST_WAIT_MS} ms.`)
}

function refuse(asked: Asked, why: string): void {
  clearTimeout(asked.timer)
  asked.reject(new DatabaseUnavailable(why))
}

function dispatch(pool: ReaderPool): void {
  for (;;) {
    const queue = nextQueue(pool)
    const thread = queue && freeThread(pool)
    const asked = thread && queue?.shift()
    if (!asked) return
    clearTimeout(asked.timer)
    thread.asked = asked
    thread.worker.ref()
    thread.worker.postMessage(asked.request)
  }
}

/** Lists go before searches, which leave one thread to lists. Undefined if no request may be served now. */
function nextQueue({ waiting, threads }: ReaderPool): Asked[] | undefined {
  if (waiting.list.length > 0) return waiting.list
  const searching = threads.filter(({ asked }) => asked?.lane === 'search').length
  return waiting.search.length > 0 && searching < THREADS - 1 ? waiting.search : undefined
}

function freeThread(pool: ReaderPool): ReaderThread | undefined {
  const free = pool.threads.find(({ asked }) => asked === undefined)
  return free ?? (pool.threads.length < THREADS ? startThread(pool) : undefined)
}

function startThread(pool: ReaderPool): ReaderThread {
  const code = new URL(`reader-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(code, { workerData: pool.file, execArgv: [], resourceLimits: LIMITS })
  const thread: ReaderThread = { worker, asked: undefined }
  pool.threads.push(thread)
  worker.on('message', (answer: ReaderAnswer) => settle(pool, thread, answer))
  worker.on('error', (error) => giveUp(pool, thread, error))
  worker.on('exit', () => giveUp(pool, thread, undefined))
  return thread
}

function settle(pool: ReaderPool, thread: ReaderThread, answer: ReaderAnswer): void {
  const { asked } = thread
  thread.asked = undefined
  thread.worker.unref()
  dispatch(pool)
  if ('result' in answer) asked?.resolve(answer.result)
  else
    asked?.reject(
      asUnavailable(Object.assign(new Error(answer.failure.message), { errcode: answer.failure.errcode })),
    )
}

function giveUp(pool: ReaderPool, thread: ReaderThread, error: unknown): void {
  const at = pool.threads.indexOf(thread)
  if (at === -1) return
  pool.threads.splice(at, 1)
  thread.asked?.reject(new DatabaseUnavailable('The thread that was reading has ended.', error))
  if (!pool.isClosed) dispatch(pool)
}
