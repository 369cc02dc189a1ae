import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Ways in which clients keep a service waiting. */
export const HOLDS = ['idle', 'slow heads', 'slow bodies', 'slow readers', 'half-open uploads'] as const
export type Hold = (typeof HOLDS)[number]

/** Connections to open and hold. */
export interface HoldOrder {
  hold: Hold
  port: number
  connections: number
  /** The ms that the service waits for a slow client. */
  patienceMs: number
  /** The path of a long answer, for slow readers. */
  longPath: string
  /** The path of the REST root, for uploads. */
  root: string
  /** The header for requests with bodies; empty for anonymous ones. */
  authorization: string
}

/** The state of the connections. */
export interface HoldFigures {
  opened: number
  /** Connections that could not be opened. */
  refused: number
  /** Closed by the service. */
  closed: number
  /** Answers that arrived, by status. */
  answers: Record<string, number>
  /** The ms from opening a connection until the first and the last one were closed; 0 before that. */
  firstClosedMs: number
  lastClosedMs: number
}

/** Connections held by another process. */
export interface Held {
  look: () => Promise<HoldFigures>
  /** Lets slow readers read what they were sent, and returns the figures. */
  read: () => Promise<HoldFigures>
  /** Closes all connections. */
  release: () => Promise<void>
}

/** Opens the connections. Resolves when each is open or refused. */
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
