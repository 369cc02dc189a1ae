import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { parse } from 'csv-parse'
import { type ColumnMeaning, readHeader } from './csv-columns.ts'
import { type CsvRow, eventOfRow } from './csv-events.ts'
import type { Source, SourceEntry } from './source-item.ts'
import { type DateOrder, noDates, noteDate, orderOf } from './table-dates.ts'

/** Options for reading a table. */
export interface CsvTask {
  file: string
  mapping: ReadonlyMap<string, ColumnMeaning>
  /** The order of day and month in its dates; inferred from all of them unless given. */
  dates: DateOrder | undefined
}

/** The encoding and separator of a table. */
interface CsvShape {
  encoding: string
  delimiter: string
}

/** The most bytes of one row, and of the beginning that is examined. */
const LONGEST_ROW = 5_000_000
const HEAD = 1 << 16

/** A table of events (RFC 4180), read twice: first the dates of all rows, then its events. */
export async function csvSource(task: CsvTask, address: string): Promise<Source> {
  const { size } = await stat(task.file)
  const done = { bytes: 0 }
  return {
    address,
    total: () => size * 3,
    progress: () => done.bytes,
    isWhole: () => true,
    entries: () => readTable(task, done),
  }
}

async function* readTable(task: CsvTask, done: { bytes: number }): AsyncGenerator<SourceEntry> {
  const shape = await shapeOf(task.file, done)
  const order = task.dates ?? (await dateOrder(task, shape, done))
  for await (const row of rowsOf(task, shape, done)) {
    if ('reason' in row) yield row
    else yield* eventOfRow(row, order)
  }
}

async function dateOrder(task: CsvTask, shape: CsvShape, done: { bytes: number }): Promise<DateOrder> {
  const seen = noDates()
  for await (const row of rowsOf(task, shape, done)) {
    if ('reason' in row) continue
    for (const column of ['start_date', 'end_date'] as const) noteDate(seen, row.cells.get(column) ?? '')
  }
  return orderOf(seen)
}

/** The rows after the header, by the meanings of their columns. */
async function* rowsOf(
  { file, mapping }: CsvTask,
  { encoding, delimiter }: CsvShape,
  done: { bytes: number },
): AsyncGenerator<CsvRow | { at: string; reason: string }> {
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
  })
  const feeding = feed(file, encoding, parser, done)
  // The error ends the reading below, which reports it.
  feeding.catch((error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error))))
  let columns: (ColumnMeaning | undefined)[] | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) yield { at: `line ${info.lines}`, cells: cellsOf(columns, record) }
      else
        columns = readHeader(
          record.map((name) => name.trim()),
          mapping,
        )
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) throw error
    yield { at: 'the table', reason: `It cannot be read any further: ${error.message}` }
  }
  if (!columns) throw new Error('The table is empty.')
}

async function feed(
  file: string,
  encoding: string,
  parser: ReturnType<typeof parse>,
  done: { bytes: number },
): Promise<void> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of createReadStream(file, { highWaterMark: HEAD })) {
    done.bytes += chunk.length
    if (parser.destroyed) return
    if (!parser.write(decoder.decode(chunk, { stream: true }))) await drained(parser)
  }
  parser.end(decoder.decode())
}

function drained(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise((go) => {
    parser.once('drain', go)
    parser.once('close', go)
  })
}

/** Cells by meaning, without the `'` that keeps spreadsheets from running a formula. */
function cellsOf(
  columns: readonly (ColumnMeaning | undefined)[],
  record: readonly string[],
): Map<ColumnMeaning, string> {
  const cells = new Map<ColumnMeaning, string>()
  for (const [index, meaning] of columns.entries())
    if (meaning !== undefined) cells.set(meaning, (record[index] ?? '').trim().replace(/^'(?=[=+\-@\t\r'])/, ''))
  return cells
}

/** The encoding: by its byte order mark, else UTF-8 if the whole file is valid, else the encoding of Windows. And the separator in the header. */
async function shapeOf(file: string, done: { bytes: number }): Promise<CsvShape> {
  const handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0).finally(() => handle.close())
  const head = buffer.subarray(0, bytesRead)
  const encoding = markOf(head) ?? ((await isUtf8(file, done)) ? 'utf-8' : 'windows-1252')
  const [line = ''] = new TextDecoder(encoding).decode(head).split(/\r?\n/, 1)
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((sign) => [sign, names.split(sign).length] as const).sort((a, b) => b[1] - a[1])
  return { encoding, delimiter: counts[0]?.[0] ?? ',' }
}

function markOf(head: Buffer): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined
}

async function isUtf8(file: string, done: { bytes: number }): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: HEAD })) {
      done.bytes += chunk.length
      decoder.decode(chunk, { stream: true })
    }
    decoder.decode()
    return true
  } catch {
    return false
  }
}
