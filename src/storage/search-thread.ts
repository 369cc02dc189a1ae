// The thread that searches go through: it reads over a connection of its own, so that a long search holds up nothing else.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { SearchAnswer, SearchRequest } from './searcher.ts'
import { makeWordSearch } from './word-search.ts'

const connection = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5000 })
connection.exec('pragma cache_size = -8192')
const find = makeWordSearch(connection)

parentPort?.on('message', ({ number, search }: SearchRequest) => {
  try {
    const ids = find(search)
    parentPort?.postMessage({ number, ids } satisfies SearchAnswer, [ids.buffer])
  } catch (error) {
    parentPort?.postMessage({ number, error } satisfies SearchAnswer)
  }
})
