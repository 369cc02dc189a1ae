import type { SendHandle, Serializable } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { type Ground, prepareGround } from './app.ts'
import type { Config } from './config.ts'

/** Processes that answer side by side, and the one that watches over them. */
export interface Workers {
  /** Port they all listen on. */
  port: number
  firstAdministrator: Ground['firstAdministrator']
  demo: Ground['demo']
  /** Lets every worker finish the requests in flight. */
  stop: () => Promise<void>
}

/** Milliseconds before a worker that died is replaced, so that one that cannot start does not take up the machine. */
const RESTART_AFTER = 500

/** True in a process that was started as a worker. */
export const isWorker = cluster.isWorker

/**
 * Starts as many processes as configured on one port and one database, each of which is the whole service. What one writes the others
 * see through the log of changes. A worker that dies is replaced.
 * @throws Error with one sentence when the first worker cannot start.
 */
export async function startWorkers(config: Config, options: { demo?: boolean }): Promise<Workers> {
  const { database, firstAdministrator, demo } = await prepareGround(config, console.error, options)
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
    firstAdministrator,
    demo,
    stop: async () => {
      isStopping = true
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopped(worker)))
    },
  }
}

/**
 * Starts a worker whose end, whenever it comes, harms nobody else. Node hands it a connection and waits to hear that it was taken; when
 * the worker is gone before that, Node keeps the connection open, and whoever is at its other end would wait forever.
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
  // It could not be told something that it had asked for; its exit says all there is to say.
  worker.on('error', () => undefined)
  return worker
}

/** Resolves once the worker has ended. */
async function ended(worker: Worker): Promise<void> {
  if (!worker.isDead()) await new Promise((resolve) => worker.once('exit', resolve))
}

/** The port that the worker listens on, once it does. @throws Error when it ends before. */
async function listening(worker: Worker): Promise<number> {
  const started = new Promise<number>((resolve) => worker.once('listening', ({ port }) => resolve(port)))
  const failed = ended(worker).then(() => {
    throw new Error('A worker could not start.')
  })
  return Promise.race([started, failed])
}

async function stopped(worker: Worker): Promise<void> {
  worker.process.kill('SIGTERM')
  await ended(worker)
}
