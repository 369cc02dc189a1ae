import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

// Reads spreadsheets in a thread, with bounds of time and memory.

const LONGEST_MS = 15_000
const MOST_MEMORY_MB = 256

/** Texts of the first sheet; undefined for what cannot be read as one. */
export function readSpreadsheet(bytes: Buffer): Promise<string[][] | undefined> {
  const workerData = new Uint8Array(bytes)
  const worker = new Worker(new URL(`spreadsheet-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData,
    transferList: [workerData.buffer],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const { promise, resolve } = Promise.withResolvers<string[][] | undefined>()
  const late = setTimeout(() => resolve(undefined), LONGEST_MS)
  worker
    .once('message', resolve)
    .once('error', () => resolve(undefined))
    .once('exit', () => resolve(undefined))
  return promise.finally(() => {
    clearTimeout(late)
    void worker.terminate()
  })
}
