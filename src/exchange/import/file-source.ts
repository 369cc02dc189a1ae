import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openToRead, realPath } from '../../base/files.ts'
import { DATABASE_FILE_START } from '../../store/storage/database-address.ts'
import { type ColumnMeaning, type DateOrder, readMapping } from './csv-cells.ts'
import { csvSource } from './csv-source.ts'
import { icsSource } from './ics-source.ts'
import { hasLines, jsonSource } from './json-source.ts'
import type { Reading, Source, SourceEntry } from './source-item.ts'
import { describeMarkup, markedEncoding } from './source-text.ts'

// Reads a file, in a thread of its own where it is long.

/** A file to read, with the options given for it. */
export interface FileTask {
  file: string
  /** Its name here; its path unless given. */
  name: string | undefined
  /** The beginning of sentences about it; `The file` and its path unless given. */
  title?: string
  map: readonly string[]
  dates: DateOrder | undefined
  /** The zone of times without one. */
  zone: string
}

/** The source in a file, by its content, and by its name where that leaves it open. @throws Error with one sentence when it cannot be read */
export async function fileSource({ file: path, name, title, map, dates, zone }: FileTask): Promise<Source> {
  const file = realPath(path)
  const address = name ?? `file:${file}`
  const kind = kindOf(await beginningOf(file), file, title ?? `The file ${file}`)
  if (kind === 'ics') return icsSource({ file, zone }, address)
  const mapping: ReadonlyMap<string, ColumnMeaning> = readMapping(map)
  if (kind === 'csv') return csvSource({ file, mapping, dates }, address)
  return jsonSource(file, address, kind === 'lines' || (await hasLines(file)))
}

const KINDS: Readonly<Record<string, 'ics' | 'csv' | 'json' | 'lines'>> = {
  '.ics': 'ics',
  '.ical': 'ics',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.json': 'json',
  '.ndjson': 'lines',
  '.jsonl': 'lines',
}

/** The format of a file with this beginning. @throws Error with a sentence that begins with the title */
function kindOf(beginning: Buffer, file: string, title: string): 'ics' | 'csv' | 'json' | 'lines' {
  const known = KINDS[extname(file).toLowerCase()]
  const bytes = beginning.subarray(0, 512).toString('latin1')
  const encoding = markedEncoding(beginning)
  const isText = known !== undefined || encoding?.startsWith('utf-16') || !NO_TEXT.test(bytes)
  if (BINARY.some((start) => bytes.startsWith(start)) || !isText)
    throw new Error(
      `${title} is not a text file: save a spreadsheet as CSV, unpack an archive, restore a backup with kalends restore.`,
    )
  const head = new TextDecoder(encoding).decode(beginning)
  const markup = describeMarkup(head)
  if (markup !== undefined) throw new Error(`${title} is ${markup}, and not a calendar.`)
  // Some programs write warnings in front of a calendar.
  if (/^[^\S\n]*BEGIN:VCALENDAR/im.test(head)) return 'ics'
  return known ?? (/^\s*[{[]/.test(head) ? 'json' : 'csv')
}

/** The first bytes of spreadsheets and archives (ZIP, OLE, gzip), databases and documents (PDF), as Latin-1. */
const BINARY = ['PK\u0003\u0004', '\u00d0\u00cf\u0011\u00e0', '\u001f\u008b', DATABASE_FILE_START, '%PDF']

/** Control characters that occur in no text file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const NO_TEXT = /[\x01-\x08\x0e-\x1a]/

/** The bytes of a beginning. */
const BEGINNING = 1 << 16

async function beginningOf(file: string): Promise<Buffer> {
  const handle = await openToRead(file)
  try {
    if ((await handle.stat()).isDirectory()) throw new Error(`${file} is a folder: name a file in it.`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

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
export type ThreadAnswer = { entries: SourceEntry[]; read: number; isLast: boolean } | { failure: string } | 'started'

/** Files from this many bytes on are read in a thread beside the writing: starting it takes as long as reading a part of them. */
const WORTH_A_THREAD = 2_000_000

/** Bytes to read up to which reading begins here while the thread starts: a file of lines is looked through as a whole first. */
const WORTH_BEGINNING = 100_000_000

/** Batches that the thread may read ahead of the writing, which bounds the memory in use. */
const AHEAD = 3

/** A source that reads a long file in a thread, which also does the work that needs one entry alone. */
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
  const answers: AsyncIterable<ThreadAnswer[]> = on(worker, 'message', { close: ['exit'] })
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
