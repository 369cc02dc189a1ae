import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

// Reads spreadsheets in a process: a thread out of memory would end the whole service.

const LONGEST_MS = 15_000
const MOST_MEMORY_MB = 256

/** @returns cells of the first sheet as texts; undefined for an unreadable file */
export function readSpreadsheet(bytes: Buffer): Promise<string[][] | undefined> {
  const program = fileURLToPath(new URL(`spreadsheet-process${extname(import.meta.url)}`, import.meta.url))
  const reader = fork(program, {
    execArgv: [`--max-old-space-size=${MOST_MEMORY_MB}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const { promise, resolve } = Promise.withResolvers<string[][] | undefined>()
  const late = setTimeout(() => resolve(undefined), LONGEST_MS)
  reader
    .once('message', (rows) => resolve(isTable(rows) ? rows : undefined))
    .once('error', () => resolve(undefined))
    .once('exit', () => resolve(undefined))
  reader.send(bytes, (error) => error && resolve(undefined))
  return promise.finally(() => {
    clearTimeout(late)
    reader.kill('SIGKILL')
  })
}

const isTable = (rows: unknown): rows is string[][] => Array.isArray(rows) && rows.every(Array.isArray)
