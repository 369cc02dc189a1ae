import { type FileHandle, open, stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  isShownRecord,
  itemsOf,
  LISTS,
  type ListedKind,
  MOST_OCCURRENCES,
  type ShownBefore,
  type ShownRecord,
  seriesEntries,
  seriesIn,
} from './shown-records.ts'
import type { Source, SourceEntry } from './source-item.ts'
import { countedBytes, linesOf, textIn } from './source-text.ts'

// Reads files with records as the interface shows them, as JSON or NDJSON.

/** The most bytes of one line of NDJSON, and of a file that is a single JSON value and has to be held whole. */
const LONGEST_LINE = 10_000_000
const LARGEST_VALUE = 200_000_000

/** A file with records as the interface shows them: a page of a list, a list, or one record a line. */
export async function jsonSource(file: string, address: string, isLines: boolean): Promise<Source> {
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

/** Whether a file has one record a line: then its first line is a whole record. */
export async function hasLines(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer: head, bytesRead } = await handle.read(Buffer.alloc(1 << 20), 0, 1 << 20, 0)
    const text = head
      .toString('utf8', 0, bytesRead)
      .replace(/^\ufeff/, '')
      .trimStart()
    if (!text.startsWith('{')) return false
    const end = text.indexOf('\n')
    return isRecord(end === -1 ? text : text.slice(0, end))
  } finally {
    await handle.close()
  }
}

/** Whether a text is a whole record and not a page of a list. */
function isRecord(text: string): boolean {
  const value = parsed(text)
  return isShownRecord(value) && ('id' in value || typeof value.title === 'string')
}

/** The file is read twice: first for the places of the occurrences of series, then for all records. */
async function* lineEntries(file: string, bytes: () => AsyncIterable<Uint8Array>): AsyncGenerator<SourceEntry> {
  const series = await findOccurrences(bytes())
  const handle = await open(file)
  const before: ShownBefore = new Map()
  let broken: string | undefined
  try {
    for await (const line of linesOf(bytes(), LONGEST_LINE)) {
      const at = `line ${line.number}`
      if (broken) yield { at: broken, reason: 'It is not JSON.' }
      broken = undefined
      if ('tooLong' in line) {
        yield { at, reason: `It has ${line.tooLong} bytes; the longest line that is read has ${LONGEST_LINE}.` }
        continue
      }
      const record = parsed(textIn(line.bytes))
      const number = seriesIn(record)
      const spans = number === undefined ? undefined : series.get(number)
      if (record === undefined) broken = at
      else if (number === undefined) yield* itemsOf(listedKindOf(record), record, at, before)
      else if (spans && spans.length > 0) yield* seriesEntries(await recordsAt(handle, spans.splice(0)), number, at)
      else if (!spans) yield* itemsOf('event', record, at)
    }
    if (broken) yield { cutOff: `The file breaks off: its last record, ${broken}, is not JSON.` }
  } finally {
    await handle.close()
  }
}

/** The place of a line: its first byte and its length. */
type LinePlace = readonly [at: number, length: number]

/** The most occurrences that are remembered; those of further series are imported as single events. */
const MOST_SPANS = 5_000_000
const MARKED = Buffer.from('"recurrence"')

async function findOccurrences(bytes: AsyncIterable<Uint8Array>): Promise<Map<string, LinePlace[]>> {
  const series = new Map<string, LinePlace[]>()
  let count = 0
  for await (const line of linesOf(bytes, LONGEST_LINE)) {
    if (
      'tooLong' in line ||
      !Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength).includes(MARKED)
    )
      continue
    const number = seriesIn(parsed(textIn(line.bytes)))
    const spans = number === undefined ? undefined : (series.get(number) ?? [])
    if (number === undefined || !spans || count >= MOST_SPANS || spans.length >= MOST_OCCURRENCES) continue
    spans.push([line.at, line.bytes.length])
    series.set(number, spans)
    count += 1
  }
  return series
}

async function recordsAt(handle: FileHandle, spans: readonly LinePlace[]): Promise<unknown[]> {
  const records: unknown[] = []
  for (const [at, length] of spans) {
    const { buffer: line } = await handle.read(Buffer.alloc(length), 0, length, at)
    records.push(parsed(line.toString('utf8')))
  }
  return records
}

async function* valueEntries(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<SourceEntry> {
  if (size > LARGEST_VALUE)
    throw new Error(
      `The file has ${size} bytes; one JSON value may have ${LARGEST_VALUE}. Save it as one record a line (NDJSON).`,
    )
  const value = parsed((await buffer(bytes)).toString('utf8').replace(/^\ufeff/, ''))
  if (value === undefined) throw new Error('The file is not JSON, or is cut off.')
  yield* entriesOf(value)
}

/** The records of a page of a list, of a list, or of a single record. */
function* entriesOf(value: unknown): Generator<SourceEntry> {
  if (Array.isArray(value)) {
    yield* listEntries(listedKindOf, 'record', value)
    return
  }
  if (!isShownRecord(value)) throw new Error('The file has no records in it.')
  const lists = LISTS.filter(([list]) => Array.isArray(value[list]) && !('start_date' in value))
  if (lists.length === 0 && value.id === undefined && value.title === undefined)
    throw new Error('The file is not a list of events, venues, organizers, categories or tags.')
  if (lists.length === 0) yield* itemsOf(listedKindOf(value), value, 'record 1')
  for (const [list, kind] of lists) yield* listEntries(() => kind, list, value[list])
  const has = lists.flatMap(([list]) => value[list] ?? []).length
  if (has < Number(value.total))
    yield { cutOff: `The file has ${has} of ${String(value.total)} records.`, isPage: Number(value.total_pages) > 1 }
}

function* listEntries(kind: (record: unknown) => ListedKind, list: string, records: unknown): Generator<SourceEntry> {
  if (!Array.isArray(records)) return
  const series = Map.groupBy(records, seriesIn)
  for (const [index, record] of records.entries()) {
    const at = `${list} ${index + 1}`
    const number = seriesIn(record)
    if (number === undefined) yield* itemsOf(kind(record), record, at)
    else if (series.get(number)?.[0] === record) yield* seriesEntries(series.get(number) ?? [], number, at)
  }
}

/** The kind of a record, recognized by members that only this kind has. */
function listedKindOf(record: unknown): ListedKind {
  if (!isShownRecord(record) || 'title' in record || 'start_date' in record) return 'event'
  if (typeof record.venue === 'string') return 'venue'
  if (typeof record.organizer === 'string') return 'organizer'
  return isCategory(record) ? 'category' : 'tag'
}

function isCategory({ taxonomy, parent }: ShownRecord): boolean {
  return typeof taxonomy === 'string' ? taxonomy !== 'post_tag' : parent !== undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
