import { realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type ColumnMeaning, readMapping } from './csv-columns.ts'
import { csvSource } from './csv-source.ts'
import { icsSource } from './ics-source.ts'
import { hasLines, jsonSource } from './json-source.ts'
import type { Source } from './source-item.ts'
import type { DateOrder } from './table-dates.ts'

/** A file to be read, and what is said of it. */
export interface FileTask {
  file: string
  /** What it is called here; its path unless given. */
  name: string | undefined
  map: readonly string[]
  dates: DateOrder | undefined
  /** The zone of times without one. */
  zone: string
}

/** The source that a file is, by its name, else by its beginning. @throws Error with one sentence when it cannot be read */
export async function fileSource({ file: path, name, map, dates, zone }: FileTask): Promise<Source> {
  const file = existing(path)
  const address = name ?? `file:${file}`
  const kind = await kindOf(file)
  if (kind === 'ics') return icsSource({ file, zone }, address)
  const mapping: ReadonlyMap<string, ColumnMeaning> = readMapping(map)
  if (kind === 'csv') return csvSource({ file, mapping, dates }, address)
  return jsonSource(file, address, kind === 'lines' || (await hasLines(file)))
}

function existing(word: string): string {
  try {
    return realpathSync(resolve(word))
  } catch {
    throw new Error(`There is no file ${word}.`)
  }
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

/** What a file is, by its name, else by its beginning. */
async function kindOf(file: string): Promise<'ics' | 'csv' | 'json' | 'lines'> {
  const known = KINDS[extname(file).toLowerCase()]
  if (known) return known
  const handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0).finally(() => handle.close())
  const head = buffer
    .toString('utf8', 0, bytesRead)
    .replace(/^\ufeff/, '')
    .trimStart()
  if (/^BEGIN:VCALENDAR/i.test(head)) return 'ics'
  return /^[{[<]/.test(head) ? 'json' : 'csv'
}
