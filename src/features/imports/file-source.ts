import { on } from 'node:events'
import { realpathSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { openToRead, unreadable } from '../../base/files.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { DATABASE_FILE_START } from '../../store/storage/database-address.ts'
import { type ColumnMeaning, type DateOrder, readMapping } from './csv-cells.ts'
import { csvSource } from './csv-source.ts'
import { icsSource } from './ics-source.ts'
import { ImportError, type Message, message } from './import-messages.ts'
import {
  itemsOf,
  LISTS,
  type ListedKind,
  MOST_OCCURRENCES,
  type ShownBefore,
  type ShownRecord,
  seriesEntries,
  seriesIn,
} from './shown-records.ts'
import type { Reading, Source, SourceEntry } from './source-item.ts'
import { countedBytes, describeMarkup, linesOf, markedEncoding, textIn } from './source-text.ts'

// Reads JSON and NDJSON, and has a thread read long files of any format.

// JSON and NDJSON records have the form that the interface shows.

const LONGEST_LINE = 10_000_000
/** In bytes: a JSON value is parsed in memory. */
const LARGEST_VALUE = 200_000_000

async function jsonSource(file: string, address: string, isLines: boolean): Promise<Source> {
  const { size } = await stat(file)
  const { bytes, progress } = countedBytes(file)
  const entries = () => (isLines ? lineEntries(file, bytes) : valueEntries(bytes(), size))
  return {
    address,
    total: () => (isLines ? size * 2 : size),
    progress,
    isWhole: () => true,
    entries,
    beginsSoon: isLines,
  }
}

async function hasLines(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer: head, bytesRead } = await handle.read(Buffer.alloc(1 << 20), 0, 1 << 20, 0)
    const text = head
      .toString('utf8', 0, bytesRead)
      .replace(/^\ufeff/, '')
      .trimStart()
    if (!text.startsWith('{')) return false
    const end = text.indexOf('\n')
    return isWholeRecord(end === -1 ? text : text.slice(0, end))
  } finally {
    await handle.close()
  }
}

function isWholeRecord(text: string): boolean {
  const value = parsedJson(text)
  return isRecord(value) && ('id' in value || typeof value.title === 'string')
}

/** Reads the file twice: for lines that are occurrences of a series, then for all records. */
async function* lineEntries(
  file: string,
  bytes: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceEntry> {
  const series = await findOccurrences(bytes())
  const handle = await open(file)
  const before: ShownBefore = new Map()
  let broken: string | undefined
  try {
    for await (const line of linesOf(bytes(), LONGEST_LINE)) {
      const at = `line ${line.number}`
      if (broken) yield { at: broken, reason: message('It is not JSON.') }
      broken = undefined
      if ('tooLong' in line) {
        yield {
          at,
          reason: message('It has {bytes} bytes; the longest line that is read has {most}.', {
            bytes: `${line.tooLong}`,
            most: `${LONGEST_LINE}`,
          }),
        }
        continue
      }
      const record = parsedJson(textIn(line.bytes))
      const number = seriesIn(record)
      const known = number === undefined ? undefined : series.get(number)
      if (record === undefined) broken = at
      else if (number === undefined) yield* itemsOf(listedKindOf(record), record, at, before)
      else if (!known || line.at > known.end) yield* itemsOf('event', record, at)
      else if (known.places.length > 0)
        yield* seriesEntries(await recordsAt(handle, known.places.splice(0)), number, at)
    }
    if (broken)
      yield {
        cutOff: message('The file breaks off: its last record, {record}, is not JSON.', { record: broken }),
      }
  } finally {
    await handle.close()
  }
}

type LinePlace = readonly [at: number, length: number]

/** At most this many occurrences are collected as series; further ones become single events. */
const MOST_SPANS = 5_000_000
const MARKED = Buffer.from('"recurrence"')

interface SeriesLines {
  places: LinePlace[]
  end: number
}

async function findOccurrences(bytes: AsyncIterable<Uint8Array>): Promise<Map<string, SeriesLines>> {
  const series = new Map<string, SeriesLines>()
  let count = 0
  for await (const line of linesOf(bytes, LONGEST_LINE)) {
    if (
      'tooLong' in line ||
      !Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength).includes(MARKED)
    )
      continue
    const number = seriesIn(parsedJson(textIn(line.bytes)))
    if (number === undefined || count >= MOST_SPANS) continue
    const known = series.get(number) ?? { places: [], end: 0 }
    if (known.places.length >= MOST_OCCURRENCES) continue
    known.places.push([line.at, line.bytes.length])
    known.end = line.at
    series.set(number, known)
    count += 1
  }
  return series
}

async function recordsAt(handle: FileHandle, spans: readonly LinePlace[]): Promise<unknown[]> {
  const records: unknown[] = []
  for (const [at, length] of spans) {
    const { buffer: line } = await handle.read(Buffer.alloc(length), 0, length, at)
    records.push(parsedJson(line.toString('utf8')))
  }
  return records
}

async function* valueEntries(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<SourceEntry> {
  if (size > LARGEST_VALUE)
    throw new ImportError([
      message('The file has {bytes} bytes; one JSON value may have {most}.', {
        bytes: `${size}`,
        most: `${LARGEST_VALUE}`,
      }),
      message('Save it as one record a line (NDJSON).'),
    ])
  const value = parsedJson((await buffer(bytes)).toString('utf8').replace(/^\ufeff/, ''))
  if (value === undefined) throw new ImportError(message('The file is not JSON, or is cut off.'))
  yield* entriesOf(value)
}

function* entriesOf(value: unknown): Generator<SourceEntry> {
  if (Array.isArray(value)) {
    yield* listEntries(listedKindOf, 'record', value)
    return
  }
  if (!isRecord(value)) throw new ImportError(message('The file has no records in it.'))
  const lists = LISTS.filter(([list]) => Array.isArray(value[list]) && !('start_date' in value))
  if (lists.length === 0 && value.id === undefined && value.title === undefined)
    throw new ImportError(
      message('The file is not a list of events, venues, organizers, categories or tags.'),
    )
  if (lists.length === 0) yield* itemsOf(listedKindOf(value), value, 'record 1')
  for (const [list, kind] of lists) yield* listEntries(() => kind, list, value[list])
  const has = lists.flatMap(([list]) => value[list] ?? []).length
  if (has < Number(value.total))
    yield {
      cutOff: message('The file has {has} of {total} records.', {
        has: `${has}`,
        total: String(value.total),
      }),
      isPage: Number(value.total_pages) > 1,
    }
}

function* listEntries(
  kind: (record: unknown) => ListedKind,
  list: string,
  records: unknown,
): Generator<SourceEntry> {
  if (!Array.isArray(records)) return
  const series = Map.groupBy(records, seriesIn)
  for (const [index, record] of records.entries()) {
    const at = `${list} ${index + 1}`
    const number = seriesIn(record)
    if (number === undefined) yield* itemsOf(kind(record), record, at)
    else if (series.get(number)?.[0] === record) yield* seriesEntries(series.get(number) ?? [], number, at)
  }
}

function listedKindOf(record: unknown): ListedKind {
  if (!isRecord(record) || 'title' in record || 'start_date' in record) return 'event'
  if (typeof record.venue === 'string') return 'venue'
  if (typeof record.organizer === 'string') return 'organizer'
  return isCategory(record) ? 'category' : 'tag'
}

function isCategory({ taxonomy, parent }: ShownRecord): boolean {
  return typeof taxonomy === 'string' ? taxonomy !== 'post_tag' : parent !== undefined
}

export interface FileTask {
  file: string
  name: string | undefined
  title?: Message
  map: readonly string[]
  dates: DateOrder | undefined
  zone: string
}

/**
 * Recognises a calendar by content, other formats by name, else by content.
 * @throws ImportError for a web page, and for a file that is not text
 */
export async function fileSource({ file: path, name, title, map, dates, zone }: FileTask): Promise<Source> {
  const file = realPath(path)
  const address = name ?? `file:${file}`
  const kind = kindOf(await beginningOf(file), file, title ?? message('The file {path}', { path: file }))
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

function kindOf(beginning: Buffer, file: string, title: Message): 'ics' | 'csv' | 'json' | 'lines' {
  const known = KINDS[extname(file).toLowerCase()]
  const bytes = beginning.subarray(0, 512).toString('latin1')
  const encoding = markedEncoding(beginning)
  const isText = known !== undefined || encoding?.startsWith('utf-16') || !NO_TEXT.test(bytes)
  if (BINARY.some((start) => bytes.startsWith(start)) || !isText)
    throw new ImportError([
      message('{file} is not a text file: save a spreadsheet as CSV, unpack an archive,', { file: title }),
      message('restore a backup with kalends restore.'),
    ])
  const head = new TextDecoder(encoding).decode(beginning)
  const markup = describeMarkup(head)
  if (markup !== undefined)
    throw new ImportError(message('{file} is {markup}, and not a calendar.', { file: title, markup }))
  // Some programs write warnings before a calendar.
  if (/^[^\S\r\n\u2028\u2029]*BEGIN:VCALENDAR/im.test(head)) return 'ics'
  return known ?? (/^\s*[{[]/.test(head) ? 'json' : 'csv')
}

/** First bytes of ZIP, OLE, gzip, SQLite and PDF, as Latin-1. */
const BINARY = ['PK\u0003\u0004', '\u00d0\u00cf\u0011\u00e0', '\u001f\u008b', DATABASE_FILE_START, '%PDF']

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const NO_TEXT = /[\x01-\x08\x0e-\x1a]/

const BEGINNING = 1 << 16

async function beginningOf(file: string): Promise<Buffer> {
  const handle = await openToRead(file)
  try {
    if ((await handle.stat()).isDirectory())
      throw new ImportError(message('{file} is a folder: name a file in it.', { file }))
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

export interface ReadTask {
  file: FileTask
  reading: Omit<Reading, 'expectsNew'>
}

export interface ReadGrant {
  expectsNew: boolean
  /** Entries that the main thread read before, which the worker skips. */
  passOver: number
}

export type ThreadAnswer =
  | { entries: SourceEntry[]; read: number; isLast: boolean }
  | { failure: Message }
  | 'started'

/** In bytes. A smaller file is read before a thread has started. */
const WORTH_A_THREAD = 2_000_000

/** In bytes. Searching a longer file for series first would delay the main thread. */
const WORTH_BEGINNING = 100_000_000

/** At most this many batches are read ahead of the writing, to bound memory. */
const AHEAD = 3

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
      if ('failure' in answer) throw new ImportError(answer.failure)
      grant()
      noteRead(answer.read)
      yield* answer.entries
      if (answer.isLast) return
    }
    throw new ImportError(message('The thread that reads the file has ended.'))
  } finally {
    await worker.terminate()
  }
}

function startThread(file: FileTask, { context: { site, caller, now }, images, addresses }: Reading): Worker {
  const workerData: ReadTask = { file, reading: { context: { site, caller, now }, images, addresses } }
  // `.ts` in the source, `.js` after `npm run build`.
  return new Worker(new URL(`read-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData,
    execArgv: [],
  })
}

/** Resolves symbolic links. @throws Error if the file cannot be read */
export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}
