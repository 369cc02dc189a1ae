import { extname } from 'node:path'
import { DATABASE_FILE_START } from '../storage/database-file.ts'
import { openToRead, realPath } from '../unreadable.ts'
import { type ColumnMeaning, readMapping } from './csv-columns.ts'
import { csvSource } from './csv-source.ts'
import { icsSource } from './ics-source.ts'
import { hasLines, jsonSource } from './json-source.ts'
import type { Source } from './source-item.ts'
import type { DateOrder } from './table-dates.ts'
import { markedEncoding } from './text-encoding.ts'
import { describeMarkup } from './web-page.ts'

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
