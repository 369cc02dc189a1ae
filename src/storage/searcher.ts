import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Search } from '../text/search.ts'
import type { IdSet } from './id-set.ts'

/** Searches the texts of a SQLite file in a thread beside this one. */
export interface Searcher {
  /** The events whose folded text a search finds; see `makeWordSearch`. Sees whatever was committed before the call. */
  find: (search: Search) => Promise<IdSet>
  close: () => Promise<void>
}

export interface SearchRequest {
  number: number
  search: Search
}

export type SearchAnswer = { number: number; ids: IdSet } | { number: number; error: unknown }

interface Asked {
  resolve: (ids: IdSet) => void
  reject: (error: unknown) => void
}

/** The thread keeps nothing from one search to the next, and leaves little garbage. */
const LIMITS = { maxYoungGenerationSizeMb: 4 }

/** Starts the thread with the first search, and again when it died. */
export function makeSearcher(file: string): Searcher {
  let thread: Worker | undefined
  let isClosed = false
  let last = 0
  const waiting = new Map<number, Asked>()

  const settle = (answer: SearchAnswer) => {
    const asked = waiting.get(answer.number)
    waiting.delete(answer.number)
    if (waiting.size === 0) thread?.unref()
    if ('ids' in answer) asked?.resolve(answer.ids)
    else asked?.reject(answer.error)
  }
  const giveUp = (error: unknown) => {
    thread = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const start = () => {
    // The sources, or what `npm run build` makes of them.
    const code = new URL(`search-thread${extname(import.meta.url)}`, import.meta.url)
    const started = new Worker(code, { workerData: file, execArgv: [], resourceLimits: LIMITS })
    started.on('message', settle)
    started.on('error', giveUp)
    started.on('exit', () => started === thread && giveUp(new Error('The thread that searches has ended.')))
    return started
  }
  return {
    find: (search) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('The database is closed.'))
        thread ??= start()
        thread.ref()
        waiting.set(++last, { resolve, reject })
        thread.postMessage({ number: last, search } satisfies SearchRequest)
      }),
    close: async () => {
      isClosed = true
      await thread?.terminate()
    },
  }
}
