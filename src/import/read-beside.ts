import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FileTask } from './file-source.ts'
import type { Reading, Source, SourceEntry } from './source-item.ts'

/** The options that the thread starts with. */
export interface ReadTask {
  file: FileTask
  reading: Omit<Reading, 'expectsNew'>
}

/** Grants the thread one more batch to read. */
export interface ReadGrant {
  /** Whether events are prepared as new ones. */
  expectsNew: boolean
  /** Entries to skip: they were read while the thread started. */
  passOver: number
}

/** A batch of entries, the end of the file or a failure, or the message that the thread has started. */
export type ReadAnswer = { entries: SourceEntry[]; read: number; isLast: boolean } | { failure: string } | 'started'

/** Files from this many bytes on are read in a thread beside the writing: starting it takes as long as reading a part of them. */
const WORTH_A_THREAD = 2_000_000

/** Bytes to read up to which reading begins here while the thread starts: a file of lines is looked through as a whole first. */
const WORTH_BEGINNING = 100_000_000

/** Batches that the thread may read ahead of the writing, which bounds the memory in use. */
const AHEAD = 3

/** A source that reads a long file in a thread, which also does what follows from each entry alone. */
export function besideWriting(source: Source, file: FileTask): Source {
  if (source.total() < WORTH_A_THREAD) return source
  let read = 0
  const entries = (reading: Reading) => readInThread(source, file, reading, (bytes) => (read = bytes))
  return { ...source, progress: () => Math.max(read, source.progress()), entries }
}

async function* readInThread(
  source: Source,
  file: FileTask,
  reading: Reading,
  noteRead: (bytes: number) => void,
): AsyncGenerator<SourceEntry> {
  const worker = startThread(file, reading)
  const answers: AsyncIterable<ReadAnswer[]> = on(worker, 'message', { close: ['exit'] })
  let passOver = 0
  const grant = () => worker.postMessage({ expectsNew: reading.expectsNew(), passOver } satisfies ReadGrant)
  try {
    if (source.beginsSoon && source.total() <= WORTH_BEGINNING) {
      let hasStarted = false
      worker.once('message', () => (hasStarted = true))
      for await (const entry of source.entries(reading)) {
        yield entry
        passOver += 1
        if (hasStarted) break
      }
      if (!hasStarted) return
    }
    for (let ahead = 0; ahead < AHEAD; ahead++) grant()
    for await (const [answer] of answers) {
      if (!answer || answer === 'started') continue
      if ('failure' in answer) throw new Error(answer.failure)
      grant()
      noteRead(answer.read)
      yield* answer.entries
      if (answer.isLast) return
    }
    throw new Error('The thread that reads the file has ended.')
  } finally {
    await worker.terminate()
  }
}

function startThread(file: FileTask, { context: { site, caller, now }, images }: Reading): Worker {
  const workerData: ReadTask = { file, reading: { context: { site, caller, now }, images } }
  // The TypeScript source, or the JavaScript that `npm run build` makes of it.
  return new Worker(new URL(`read-thread${extname(import.meta.url)}`, import.meta.url), { workerData, execArgv: [] })
}
