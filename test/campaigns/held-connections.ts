import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const HOLDS = ['idle', 'slow heads', 'slow bodies', 'slow readers', 'half-open uploads'] as const
export type Hold = (typeof HOLDS)[number]

export interface HoldOrder {
  hold: Hold
  port: number
  connections: number
  patienceMs: number
  longPath: string
  root: string
  authorization: string
}

export interface HoldFigures {
  opened: number
  refused: number
  closed: number
  answers: Record<string, number>
  firstClosedMs: number
  lastClosedMs: number
}

export interface Held {
  look: () => Promise<HoldFigures>
  read: () => Promise<HoldFigures>
  release: () => Promise<void>
}

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
