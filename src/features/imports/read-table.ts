import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'
import { storableText } from '../../base/text/characters.ts'
import { markedEncoding, textOfBytes } from './source-text.ts'

/** Rows of equal length; the first may be the header. */
export type Table = readonly (readonly string[])[]

export const MOST_ROWS = 10_000
export const MOST_COLUMNS = 60

export type TableFault = 'empty' | 'rows' | 'columns'

const PIECE = 65_536

export async function tableOfText(text: string): Promise<Table | TableFault> {
  const { delimiter, from } = shapeOfText(text)
  const rows =
    (await rowsOfText(text, delimiter, from, '"')) ?? (await rowsOfText(text, delimiter, from, false))
  return rows ? wholeTable(rows) : 'empty'
}

export function wholeTable(rows: readonly (readonly string[])[]): Table | TableFault {
  const filled = rows
    .map((cells) => cells.map((cell) => storableText(cell.trim())))
    .filter((cells) => cells.some((cell) => cell !== ''))
  const width = filled.reduce((most, { length }) => Math.max(most, length), 0)
  const used = Array.from({ length: width }, (_, at) => at).filter((at) => filled.some((row) => row[at]))
  if (filled.length === 0) return 'empty'
  if (filled.length > MOST_ROWS + 1) return 'rows'
  if (used.length > MOST_COLUMNS) return 'columns'
  return filled.map((row) => used.map((at) => row[at] ?? ''))
}

function shapeOfText(text: string): { delimiter: string; from: number } {
  const lines = text.slice(0, PIECE).split(/\r?\n/, 20)
  const [, named] = /^\ufeff?"?sep=(.)"?$/i.exec((lines[0] ?? '').trimEnd()) ?? []
  if (named !== undefined) return { delimiter: named, from: 2 }
  if (lines.some((line) => line.includes('\t'))) return { delimiter: '\t', from: 1 }
  const bare = lines.join('\n').replace(/"[^"]*"/g, '')
  return { delimiter: bare.split(';').length > bare.split(',').length ? ';' : ',', from: 1 }
}

/** @returns undefined for faults such as unbalanced quotes */
async function rowsOfText(
  text: string,
  delimiter: string,
  from: number,
  quote: '"' | false,
): Promise<string[][] | undefined> {
  const parser = parse({
    delimiter,
    quote,
    from_line: from,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  })
  const rows: string[][] = []
  try {
    for await (const row of Readable.from(piecesOf(text)).pipe(parser)) {
      rows.push(row)
      if (rows.length > MOST_ROWS + 1) break
    }
    return rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) return undefined
    throw error
  }
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE) {
    yield text.slice(at, at + PIECE)
    await nextTurn()
  }
}

export function textOfFile(bytes: Buffer): string {
  const marked = markedEncoding(bytes)
  if (marked?.startsWith('utf-16')) return new TextDecoder(marked).decode(bytes)
  return isUtf8(bytes) ? bytes.toString('utf8') : textOfBytes(bytes)
}
