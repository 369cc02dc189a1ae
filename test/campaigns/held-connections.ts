import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The habits of clients that a service must not wait for. */
export const HOLDS = ['idle', 'slow heads', 'slow bodies', 'slow readers', 'half-open uploads'] as const
export type Hold = (typeof HOLDS)[number]

/** Connections that are opened and held. */
export interface HoldOrder {
  hold: Hold
  port: number
  connections: number
  /** Milliseconds after which the service is to drop a client that keeps it waiting. */
  patienceMs: number
  /** Path of a long answer, for slow readers. */
  longPath: string
  /** Of the REST root, where uploads go. */
  root: string
  /** Sent with bodies, or empty for strangers. */
  authorization: string
}

/** What became of them so far. */
export interface HoldFigures {
  opened: number
  /** Never got a connection. */
  refused: number
  /** Closed by the service. */
  closed: number
  /** Answers that arrived, by status. */
  answers: Record<string, number>
  /** Milliseconds from opening until the first and the last was closed; 0 while none was. */
  firstClosedMs: number
  lastClosedMs: number
}

/** Connections of a process of its own. */
export interface Held {
  look: () => Promise<HoldFigures>
  /** The same once those who read nothing have read what they were sent. */
  read: () => Promise<HoldFigures>
  /** Lets all of them go at once. */
  release: () => Promise<void>
}

/** Opens the connections; resolves once each is open or refused. */
export async function holdConnections(order: HoldOrder): Promise<Held> {
  const worker = fork(join(import.meta.dirname, 'held-connections-worker.ts'), { serialization: 'advanced' })
  const gone = once(worker, 'exit')
  const ended = gone.then(([code]) => {
    throw new Error(`the process of the held connections ended with ${code}`)
  })
  ended.catch(() => undefined)
  const answer = Promise.withResolvers<HoldFigures>()
  const answers = [answer]
  worker.on('message', (figures: HoldFigures) => answers.shift()?.resolve(figures))
  worker.send(order)
  await Promise.race([answer.promise, ended])
  const tell = (what: 'look' | 'read') => {
    const next = Promise.withResolvers<HoldFigures>()
    answers.push(next)
    worker.send(what)
    return Promise.race([next.promise, ended])
  }
  return {
    look: () => tell('look'),
    read: () => tell('read'),
    release: async () => {
      worker.kill('SIGKILL')
      await gone
    },
  }
}
