import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FileTask } from './file-source.ts'
import type { Reading, Source, SourceEntry } from './source-item.ts'

/** What the thread is started with. */
export interface ReadTask {
  file: FileTask
  reading: Omit<Reading, 'expectsNew'>
}

/** Has the thread read one more batch. */
export interface ReadGrant {
  /** Whether events are prepared as new ones. */
  expectsNew: boolean
}

/** A batch of entries, or why there are no more. */
export type ReadAnswer = { entries: SourceEntry[]; read: number; isLast: boolean } | { failure: string }

/** Bytes to read from which on a thread reads them beside the writing: starting it takes as long as reading some of them. */
const WORTH_A_THREAD = 2_000_000

/** Batches that the thread may be ahead of the writing: they bound what is held. */
const AHEAD = 3

/** A source that reads a long file in a thread, which also does what follows from each entry alone. */
export function besideWriting(source: Source, file: FileTask): Source {
  if (source.total() < WORTH_A_THREAD) return source
  let read = 0
  const entries = (reading: Reading) => readInThread(file, reading, (bytes) => (read = bytes))
  return { ...source, progress: () => read, entries }
}

async function* readInThread(
  file: FileTask,
  { asking, images, expectsNew }: Reading,
  noteRead: (bytes: number) => void,
): AsyncGenerator<SourceEntry> {
  const { site, caller, now } = asking
  const workerData: ReadTask = { file, reading: { asking: { site, caller, now }, images } }
  // The sources, or what `npm run build` makes of them.
  const worker = new Worker(new URL(`read-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData,
    execArgv: [],
  })
  const answers: AsyncIterable<ReadAnswer[]> = on(worker, 'message', { close: ['exit'] })
  const grant = () => worker.postMessage({ expectsNew: expectsNew() } satisfies ReadGrant)
  try {
    for (let ahead = 0; ahead < AHEAD; ahead++) grant()
    for await (const [answer] of answers) {
      if (!answer) continue
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
