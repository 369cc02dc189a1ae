// Runs in a worker thread: answers requests of the main thread one at a time, over its own SQLite connection.
import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../../base/errors.ts'
import { openWordIndex, searchSubstrings, type WordIndex } from '../search/substring-search.ts'
import type { ReaderAnswer, ReaderRequest } from './reader-pool.ts'
import { checkpoint, connectReader, type Prepare, prepareKept, runTogether } from './sqlite-connection.ts'

const CACHE_KB = 8192

interface Reader {
  file: string
  connection: DatabaseSync
  prepare: Prepare
  words: WordIndex
}

if (parentPort) answerQueries(parentPort, String(workerData))

function answerQueries(port: MessagePort, file: string): void {
  const connection = connectReader(file, CACHE_KB)
  const reader: Reader = {
    file,
    connection,
    prepare: prepareKept(connection),
    words: openWordIndex(connection),
  }
  port.on('message', (request: ReaderRequest) => {
    try {
      const [result, moved] = answer(reader, request)
      port.postMessage({ result } satisfies ReaderAnswer, moved)
    } catch (error) {
      const message = messageOf(error)
      const errcode = error instanceof Error && 'errcode' in error ? error.errcode : undefined
      port.postMessage({ failure: { message, errcode } } satisfies ReaderAnswer)
    }
  })
}

function answer(reader: Reader, request: ReaderRequest): [result: unknown, moved: ArrayBuffer[]] {
  if (request === 'checkpoint') return [checkpoint(reader.file), []]
  if ('statements' in request) return [runTogether(reader.connection, reader.prepare, request.statements), []]
  const ids = searchSubstrings(reader.words, request.search)
  return [ids, [ids.buffer]]
}
