import type { SendHandle, Serializable } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { type App, type Ground, openDoors, prepareGround } from './app.ts'
import type { Config } from './base/config.ts'
import { type Family, mergeFamilies } from './operate/watching/metrics-server.ts'
import { openStorage } from './store/storage/open-database.ts'

// Runs the service in several processes on one port, replaces those that die, and reads the metrics of all.

/** The processes that answer side by side, as the first process, which started them, sees them. */
export interface Workers {
  /** The port that all of them listen on. */
  port: number
  firstAdministrator: App['firstAdministrator']
  deskEntry: App['deskEntry']
  demo: Ground['demo']
  readMetrics: () => Promise<Family[]>
  /** Makes every worker finish the requests in flight and end, with the signal in its log. */
  stopBy: (signal: NodeJS.Signals) => Promise<void>
}

/** Milliseconds before a worker that died is replaced: one that cannot start would otherwise take up the machine. */
const RESTART_AFTER = 500

/** Milliseconds that a worker has to close its database after the last answer. */
const ENDS_WITHIN = 5000

/** Whether this process was started as a worker. */
export const isWorker = cluster.isWorker

/**
 * Starts as many workers as configured on one port and one database. Each of them is the whole service, and sees what the others write in the log of
 * changes. A worker that dies is replaced.
 * @throws Error with one sentence when a worker cannot start.
 */
export async function startWorkers(config: Config, options: { demo?: boolean }): Promise<Workers> {
  const { database, demo } = await prepareGround(config, console.error, { ...options, tell: console.error })
  await database.close()
  const first = forkWorker()
  const port = await listening(first)
  for (let i = 1; i < config.workers; i++) await listening(forkWorker())
  let isStopping = false
  cluster.on('exit', () => {
    if (!isStopping) setTimeout(() => isStopping || forkWorker(), RESTART_AFTER)
  })
  return {
    port,
    ...(await doorsOf(config, options)),
    demo,
    readMetrics: readMetricsOfAll,
    stopBy: async (signal) => {
      isStopping = true
      const longestMs = config.drain_ms + config.stop_ms + ENDS_WITHIN
      const workers = Object.values(cluster.workers ?? {})
      await Promise.all(workers.map((worker) => worker && stopped(worker, signal, longestMs)))
    },
  }
}

/** Makes the first password and the link to the desk, on a database that is opened for that alone. */
async function doorsOf(config: Config, options: { demo?: boolean }): ReturnType<typeof openDoors> {
  const database = await openStorage(config)
  try {
    return await openDoors(database, config, options)
  } finally {
    await database.close()
  }
}

/**
 * Starts a worker. When it ends, closes the connection that was handed to it last: Node keeps a connection open that a worker did not take before its
 * end, and the client would wait for ever.
 */
function forkWorker(): Worker {
  const worker = cluster.fork()
  const { process } = worker
  const send: typeof process.send = process.send.bind(process)
  let given: unknown
  const drop = () => {
    if (given && typeof given === 'object' && 'close' in given && typeof given.close === 'function') given.close()
  }
  process.send = (message: Serializable, handle?: unknown) => {
    given = handle ?? given
    const isRoomLeft = send(message, handle as SendHandle)
    if (worker.isDead()) drop()
    return isRoomLeft
  }
  worker.once('exit', drop)
  // A message that cannot be sent needs no report of its own: the worker has ended, and that is reported.
  worker.on('error', () => undefined)
  return worker
}

/** Waits for the end of a worker. */
async function ended(worker: Worker): Promise<void> {
  if (!worker.isDead()) await new Promise((resolve) => worker.once('exit', resolve))
}

/** Waits until a worker listens, and returns its port. @throws Error when the worker ends before. */
async function listening(worker: Worker): Promise<number> {
  const started = new Promise<number>((resolve) => worker.once('listening', ({ port }) => resolve(port)))
  const failed = ended(worker).then(() => {
    throw new Error('A worker could not start.')
  })
  return Promise.race([started, failed])
}

/** Stops a worker by a signal and waits for its end. Kills it if it still runs after `longestMs` ms. */
async function stopped(worker: Worker, signal: NodeJS.Signals, longestMs: number): Promise<void> {
  worker.process.kill(signal)
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), longestMs)
  await ended(worker)
  clearTimeout(timer)
}

/** A message about metrics between the first process and its workers. */
interface MetricsMessage {
  kalends: 'metrics'
  /** The number of the question; an answer repeats it. */
  question: number
  families?: Family[]
}

/** The most milliseconds that a worker may take to tell its metrics. One that takes longer is left out. */
const TELL_WITHIN_MS = 2000

let questions = 0

function isMetricsMessage(message: unknown): message is MetricsMessage {
  return message !== null && typeof message === 'object' && 'kalends' in message && message.kalends === 'metrics'
}

/** Makes a worker answer the first process whenever that asks for metrics. */
export function tellMetrics({ readMetrics }: Pick<App, 'readMetrics'>): void {
  if (!readMetrics) return
  process.on('message', (message) => {
    if (!isMetricsMessage(message)) return
    readMetrics().then(
      // The first process may have ended meanwhile.
      (families) => process.connected && process.send?.({ ...message, families }),
      () => undefined,
    )
  })
}

/** Returns the metrics of all workers that answer in time. */
async function readMetricsOfAll(): Promise<Family[]> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  const told = await Promise.all(workers.map((worker) => worker && askMetrics(worker)))
  return mergeFamilies(told.flatMap((each) => each ?? []))
}

function askMetrics(worker: Worker): Promise<{ worker: string; families: Family[] } | undefined> {
  questions += 1
  const question = questions
  return new Promise((resolve) => {
    const hear = (message: unknown) => {
      if (!isMetricsMessage(message) || message.question !== question) return
      finish(message.families && { worker: String(worker.id), families: message.families })
    }
    const finish = (told: { worker: string; families: Family[] } | undefined) => {
      clearTimeout(timer)
      worker.off('message', hear)
      resolve(told)
    }
    const timer = setTimeout(finish, TELL_WITHIN_MS, undefined)
    worker.on('message', hear)
    worker.send({ kalends: 'metrics', question } satisfies MetricsMessage)
  })
}
