import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
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
  const first = cluster.fork()
  const port = await listening(first)
  for (let i = 1; i < config.workers; i++) await listening(cluster.fork())
  let isStopping = false
  cluster.on('exit', () => {
    if (!isStopping) setTimeout(() => isStopping || cluster.fork(), RESTART_AFTER)
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

async function listening(worker: Worker): Promise<number> {
  const started = once(worker, 'listening').then(([address]: { port: number }[]) => address?.port ?? 0)
  const failed = once(worker, 'exit').then(() => {
    throw new Error('A worker could not start.')
  })
  return Promise.race([started, failed])
}

async function stopped(worker: Worker): Promise<void> {
  const exit = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await exit
}
