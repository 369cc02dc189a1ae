import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { parse } from 'csv-parse'
import { type ColumnMeaning, readHeader } from './csv-columns.ts'
import { type CsvRow, eventOfRow, linkedOfRow } from './csv-events.ts'
import type { Source, SourceCut, SourceEntry } from './source-item.ts'
import { type DateOrder, noDates, noteDate, orderOf } from './table-dates.ts'
import { markedEncoding } from './text-encoding.ts'

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
  /** The line that the header stands on: spreadsheets may name the separator on a line before it. */
  from: number
}

/** The most bytes of one row, and of the beginning that is examined. */
const LONGEST_ROW = 5_000_000
const HEAD = 1 << 16

/** A table of events, or of venues or organizers (RFC 4180), read twice: first the dates of all rows, then its records. */
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
  const names = new Set<string>()
  for await (const row of rowsOf(task, shape, done)) {
    if (!('cells' in row)) yield row
    else if (row.cells.has('start_date')) yield* eventOfRow(row, order)
    else yield* linkedOfRow(row, names)
  }
}

async function dateOrder(task: CsvTask, shape: CsvShape, done: { bytes: number }): Promise<DateOrder> {
  const seen = noDates()
  for await (const row of rowsOf(task, shape, done)) {
    if (!('cells' in row)) continue
    for (const column of ['start_date', 'end_date'] as const) noteDate(seen, row.cells.get(column) ?? '')
  }
  return orderOf(seen)
}

/** The rows after the header, by the meanings of their columns. */
async function* rowsOf(
  { file, mapping }: CsvTask,
  { encoding, delimiter, from }: CsvShape,
  done: { bytes: number },
): AsyncGenerator<CsvRow | SourceCut> {
  const parser = parse({
    delimiter,
    from_line: from,
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
  const rows = { whole: 0, short: 0 }
  // The one row with too few cells so far: where it is the last one, the file may end in it.
  let short: CsvRow | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (!columns) {
        columns = readHeader(
          record.map((name) => name.trim()),
          mapping,
        )
        continue
      }
      if (short) yield short
      const row = { at: `line ${info.lines}`, cells: cellsOf(columns, record) }
      const isShort = record.length < columns.length
      short = isShort && rows.whole > 0 && rows.short === 0 ? row : undefined
      if (!short) yield row
      rows[isShort ? 'short' : 'whole'] += 1
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) throw error
    yield { cutOff: `The table cannot be read any further: ${error.message}` }
  }
  if (short && (await endsLine(file))) yield short
  else if (short) yield { cutOff: `The table breaks off: its last row, ${short.at}, has too few cells.` }
  if (!columns) throw new Error('The table is empty.')
}

/** Whether a file ends with a line end, in any encoding. */
async function endsLine(file: string): Promise<boolean> {
  const { size } = await stat(file)
  const handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2)).finally(() => handle.close())
  return buffer.includes('\n') || buffer.includes('\r')
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

/** The encoding: by its first bytes, else UTF-8 if the whole file is valid, else the encoding of Windows. And the separator in the header. */
async function shapeOf(file: string, done: { bytes: number }): Promise<CsvShape> {
  const handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0).finally(() => handle.close())
  const head = buffer.subarray(0, bytesRead)
  const encoding = markedEncoding(head) ?? ((await isUtf8(file, done)) ? 'utf-8' : 'windows-1252')
  const [line = ''] = new TextDecoder(encoding).decode(head).split(/\r?\n/, 1)
  const [, named] = /^\ufeff?"?sep=(.)"?$/i.exec(line.trimEnd()) ?? []
  if (named !== undefined) return { encoding, delimiter: named, from: 2 }
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((sign) => [sign, names.split(sign).length] as const).sort((a, b) => b[1] - a[1])
  return { encoding, delimiter: counts[0]?.[0] ?? ',', from: 1 }
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
