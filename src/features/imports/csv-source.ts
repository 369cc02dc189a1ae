import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { NEVER } from '../../base/fields/kinds.ts'
import type { Tabled } from '../../base/fields/member.ts'
import { Problem } from '../../base/problems.ts'
import { beginningOf, fold } from '../../base/text/characters.ts'
import { addDays, hasWallForm } from '../../base/text/moments.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import type { Fields } from '../../calendar/declare/resource.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { readSpokenTime } from '../desk/spoken/spoken-times.ts'
import {
  type ColumnMeaning,
  type DateOrder,
  isUnread,
  noDates,
  noteDate,
  orderOf,
  otherCells,
  readHeader,
  readTableDate,
  readTableTime,
} from './csv-cells.ts'
import { ImportError, type Message, message } from './import-messages.ts'
import { partsOfPlace } from './place-text.ts'
import {
  type ItemKind,
  linkedItem,
  numberedIdentity,
  type Reading,
  type Source,
  type SourceEntry,
  type SourceFault,
  type SourceItem,
  scheduled,
} from './source-item.ts'
import { markedEncoding } from './source-text.ts'

interface CsvTask {
  file: string
  mapping: ReadonlyMap<string, ColumnMeaning>
  dates: DateOrder | undefined
}

interface CsvShape {
  encoding: string
  delimiter: string
  /** Line of the header: 2 after a line such as `sep=;`. */
  from: number
}

const LONGEST_ROW = 5_000_000
const HEAD = 1 << 16

/** Reads a table (RFC 4180) up to three times: for encoding, for the order of day and month, for records. */
export async function csvSource(task: CsvTask, address: string): Promise<Source> {
  const { size } = await stat(task.file)
  const done = { bytes: 0 }
  return {
    address,
    total: () => size * 3,
    progress: () => done.bytes,
    isWhole: () => true,
    entries: ({ context }) => readTable(task, done, context),
  }
}

async function* readTable(
  task: CsvTask,
  done: { bytes: number },
  context: Reading['context'],
): AsyncGenerator<SourceEntry> {
  const shape = await shapeOf(task.file, done)
  const order = task.dates ?? (await dateOrder(task, shape, done))
  const names = new Set<string>()
  for await (const row of rowsOf(task, shape, done)) {
    if (!('cells' in row)) yield row
    else if (row.cells.has('start_date')) yield* eventOfRow(row, order, context)
    else yield* linkedOfRow(row, names, context)
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

async function* rowsOf(
  { file, mapping }: CsvTask,
  { encoding, delimiter, from }: CsvShape,
  done: { bytes: number },
): AsyncGenerator<CsvRow | Exclude<SourceEntry, SourceItem>> {
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
  // An error of the file destroys the parser, so the loop below throws it.
  feeding.catch((error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error))))
  let columns: (ColumnMeaning | undefined)[] | undefined
  let headings: CsvRow['headings'] = new Map()
  const rows = { whole: 0, short: 0 }
  const unread = { at: '', columns: new Map<number, string>(), filled: new Set<string>() }
  // First row with too few cells: if no other row follows, the file may be cut off.
  let short: CsvRow | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      if (!columns) {
        const names = record.map((name) => name.trim())
        columns = readHeader(names, mapping)
        headings = new Map(columns.flatMap((meaning, at) => (meaning ? [[meaning, names[at] ?? '']] : [])))
        const isOfEvents = columns.includes('start_date')
        unread.at = `line ${info.lines}`
        for (const [at, name] of names.entries())
          if (isUnread(name, columns[at], isOfEvents)) unread.columns.set(at, name)
        continue
      }
      for (const [at, name] of unread.columns) if (record[at]?.trim()) unread.filled.add(name)
      if (short) yield short
      const row = { at: `line ${info.lines}`, cells: cellsOf(columns, record), headings }
      const isShort = record.length < columns.length
      short = isShort && rows.whole > 0 && rows.short === 0 ? row : undefined
      if (!short) yield row
      rows[isShort ? 'short' : 'whole'] += 1
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) throw error
    const reason = error.message
    yield { cutOff: message('The table cannot be read any further: {reason}', { reason }) }
  }
  if (short && (await endsLine(file))) yield short
  else if (short)
    yield {
      cutOff: message('The table breaks off: its last row, {row}, has too few cells.', { row: short.at }),
    }
  if (!columns) throw new ImportError(message('The table is empty.'))
  const { at, filled } = unread
  if (filled.size > 0) yield { at, unread: describeUnread([...filled]) }
}

const MOST_COLUMNS = 50

function describeUnread(names: readonly string[]): Message {
  const columns = names.slice(0, MOST_COLUMNS).join(', ')
  const more = names.length - MOST_COLUMNS
  return [
    more > 0
      ? message('Columns that mean nothing here: {columns}, and {more} more.', { columns, more: `${more}` })
      : message('Columns that mean nothing here: {columns}.', { columns }),
    message('--map "Column=field" says what one means.'),
  ]
}

async function endsLine(file: string): Promise<boolean> {
  const { size } = await stat(file)
  const handle = await open(file)
  const { buffer } = await handle
    .read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2))
    .finally(() => handle.close())
  return buffer.includes('\n') || buffer.includes('\r')
}

async function feed(
  file: string,
  encoding: string,
  parser: ReturnType<typeof parse>,
  done: { bytes: number },
): Promise<void> {
  const decoder = new TextDecoder(encoding)
  const decoded = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      done.bytes += chunk.length
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  }
  await pipeline(createReadStream(file, { highWaterMark: HEAD }), decoded, parser)
}

/** Trimmed cells by meaning, without the `'` that prevents formulas. */
function cellsOf(
  columns: readonly (ColumnMeaning | undefined)[],
  record: readonly string[],
): Map<ColumnMeaning, string> {
  const cells = new Map<ColumnMeaning, string>()
  for (const [index, meaning] of columns.entries())
    if (meaning !== undefined)
      cells.set(meaning, (record[index] ?? '').trim().replace(/^'(?=[=+\-@\t\r'])/, ''))
  return cells
}

/**
 * Finds the delimiter and the encoding: that of a byte order mark, else UTF-8 if the whole file is valid,
 * else Windows-1252.
 */
async function shapeOf(file: string, done: { bytes: number }): Promise<CsvShape> {
  const handle = await open(file)
  const { buffer, bytesRead } = await handle
    .read(Buffer.alloc(HEAD), 0, HEAD, 0)
    .finally(() => handle.close())
  const head = buffer.subarray(0, bytesRead)
  const encoding = markedEncoding(head) ?? ((await isUtf8(file, done)) ? 'utf-8' : 'windows-1252')
  const [line = ''] = new TextDecoder(encoding).decode(head).split(/\r?\n/, 1)
  const [, named] = /^\ufeff?"?sep=(.)"?$/i.exec(line.trimEnd()) ?? []
  if (named !== undefined) return { encoding, delimiter: named, from: 2 }
  const names = line.replace(/"[^"]*"/g, '')
  const counts = [',', ';', '\t']
    .map((sign) => [sign, names.split(sign).length] as const)
    .sort((a, b) => b[1] - a[1])
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

export interface CsvRow {
  at: string
  cells: ReadonlyMap<ColumnMeaning, string>
  headings: ReadonlyMap<ColumnMeaning, string>
}

const PLAIN = ['description', 'excerpt', 'website', 'slug', 'timezone'] as const
const FLAGS = [
  'featured',
  'sticky',
  'hide_from_listings',
  'show_map',
  'show_map_link',
  'image_decorative',
] as const

const YES = /^(?:1|y|yes|true|on|x|ja|wahr|ein|oui|vrai|activé|sí|si|verdadero|activado)$/i
const NO = /^(?:|0|n|no|false|off|nein|falsch|aus|non|faux|désactivé|falso|desactivado)$/i

const isYes = (cell: string | undefined) => YES.test(cell ?? '')

/** The field that checks a column. Each cell is parsed alone, so a refused one affects no other. */
const takers: ReadonlyMap<ColumnMeaning, Fields> = new Map([
  ...otherCells.event.map(({ name }) => takerOf(name, 'event')),
  ...otherCells.venue.map(({ name }) => takerOf(name, 'venue')),
  ...otherCells.organizer.map(({ name }) => takerOf(name, 'organizer')),
  takerOf('website', 'event'),
  takerOf('latitude', 'venue', 'geo_lat'),
  takerOf('longitude', 'venue', 'geo_lng'),
  takerOf('venue_website', 'venue', 'website'),
  takerOf('organizer_website', 'organizer', 'website'),
])

function takerOf(meaning: ColumnMeaning, kind: ItemKind, name: string = meaning): [ColumnMeaning, Fields] {
  const field = resourceNamed(kind).resource.fields[name]
  if (!field) throw new Error(`No field takes the column ${meaning}.`)
  return [meaning, { [meaning]: field }]
}

export function isReadableCell(meaning: ColumnMeaning, cell: string, context: Reading['context']): boolean {
  if (meaning === 'all_day' || FLAGS.some((flag) => flag === meaning)) return YES.test(cell) || NO.test(cell)
  const taker = takers.get(meaning)
  if (!taker) return true
  try {
    parseNew(taker, { [meaning]: cell }, context)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

const MOST_TOLD = 100

function readableRow(
  row: CsvRow,
  name: string,
  context: Reading['context'],
): { readable: CsvRow; faults: SourceFault[] } {
  const unread = [...row.cells].filter(([meaning, cell]) => !isReadableCell(meaning, cell, context))
  if (unread.length === 0) return { readable: row, faults: [] }
  const cells = new Map(row.cells)
  for (const [meaning] of unread) cells.delete(meaning)
  const faults = unread.map(([meaning, cell]) => {
    const told = cell.length > MOST_TOLD ? `${beginningOf(cell, MOST_TOLD)}…` : cell
    const column = row.headings.get(meaning) ?? meaning
    const values = { name, cell: told, column }
    const reason = message(
      '{name}: "{cell}" in the column {column} cannot be read, so it is in without it.',
      values,
    )
    return { at: row.at, reason, isPart: true as const }
  })
  return { readable: { ...row, cells }, faults }
}

/** Yields venue, organizers and terms, then the event; without title or start, a fault. */
export function* eventOfRow(
  written: CsvRow,
  order: DateOrder,
  context: Reading['context'],
): Generator<SourceEntry> {
  const { at } = written
  const title = written.cells.get('title') ?? ''
  const { readable: row, faults } = readableRow(written, title, context)
  const times = rowTimes(row.cells, order, context)
  if (title === '') yield { at, reason: message('It has no title.') }
  else if ('fault' in times)
    yield { at, reason: message('{title}: {reason}', { title, reason: times.fault }) }
  else {
    yield* faults
    const { unread, ...read } = times
    if (unread !== undefined)
      yield {
        at,
        reason: message(
          '{title}: The end "{end}" cannot be read or lies before its start, so only its start is in.',
          { title, end: unread },
        ),
        isPart: true,
      }
    const linked = linkedOf(row)
    yield* linked
    yield eventItem(row, title, read, linked)
  }
}

interface RowTimes {
  all_day: boolean
  start_date: string
  end_date: string
}

function rowTimes(
  cells: CsvRow['cells'],
  order: DateOrder,
  { site }: Reading['context'],
): (RowTimes & { unread?: string }) | { fault: Message } {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  const zone = isYes(cells.get('all_day')) ? undefined : cell('timezone') || site.timezone
  const [written, from, ending, to] = [
    cell('start_date'),
    cell('start_time'),
    cell('end_date'),
    cell('end_time'),
  ]
  const start = readTableDate(withOffsetOf(written, from), order, zone)
  if (!start && written === '') return { fault: message('It has no start.') }
  if (!start) return { fault: message('The start "{start}" is not a date.', { start: written }) }
  const startTime = start.time ?? timeIn(from, site.language)
  if (from !== '' && startTime === undefined)
    return { fault: message('The time "{time}" is not a time of day.', { time: from }) }
  const isDated = ending !== '' || hasOffset(to)
  const end = isDated ? readTableDate(withOffsetOf(ending || written, to), order, zone) : { day: start.day }
  const endTime = end?.time ?? timeIn(to, site.language)
  const isAllDay = cells.has('all_day') ? isYes(cells.get('all_day')) : startTime === undefined
  const first = startTime ?? '00:00:00'
  const last = endTime ?? first
  // An end time before the start time, without a date, is on the next day.
  const isNextDay = !isAllDay && !isDated && last < first
  const lastDay = addDays(end?.day ?? start.day, isNextDay ? 1 : 0)
  const [begins, ends] = [wallOf(start.day, first), wallOf(lastDay, last)]
  const isTimeBefore = start.utc && end?.utc ? end.utc < start.utc : ends < begins
  const isRead =
    end !== undefined &&
    (to === '' || endTime !== undefined) &&
    !(isAllDay ? lastDay < start.day : isTimeBefore)
  const unread = isRead ? {} : { unread: `${ending} ${to}`.trim() }
  if (!isAllDay) {
    const start_date = start.utc ?? begins
    const given = end?.utc ?? (ends === begins ? start_date : ends)
    return { all_day: false, start_date, end_date: isRead ? given : start_date, ...unread }
  }
  // Outlook ends an all-day event at the next midnight.
  const isMidnight = startTime === '00:00:00' && endTime === '00:00:00' && lastDay > start.day
  const end_date = isRead ? addDays(lastDay, isMidnight ? -1 : 0) : start.day
  return { all_day: true, start_date: start.day, end_date, ...unread }
}

const hasOffset = (time: string) => /^\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i.test(time)
const withOffsetOf = (date: string, time: string) => (hasOffset(time) ? `${date}T${time}` : date)
const wallOf = (day: string, time: string) =>
  time === '24:00:00' ? `${addDays(day, 1)} 00:00:00` : `${day} ${time}`

function timeIn(cell: string, language: string): string | undefined {
  const time = readTableTime(cell)
  const spoken = time === undefined && cell !== '' ? readSpokenTime(cell, language) : undefined
  return spoken && spoken.end === undefined ? `${spoken.start}:00`.slice(0, 8) : time
}

function* linkedOfRow(
  written: CsvRow,
  names: Set<string>,
  context: Reading['context'],
): Generator<SourceEntry> {
  const { at } = written
  const name = written.cells.get('venue') || written.cells.get('organizer') || ''
  const {
    readable: { cells },
    faults,
  } = readableRow(written, name, context)
  yield* faults
  const kinds = (['venue', 'organizer'] as const).filter((kind) => cells.get(kind))
  if (kinds.length === 0) yield { at, reason: message('It has no name.') }
  for (const kind of kinds) {
    const cell = (meaning: ColumnMeaning, plain: ColumnMeaning) =>
      cells.get(meaning) || cells.get(plain) || ''
    const details = {
      ...(kind === 'venue' ? placeOf(cells) : personOf(cells)),
      description: cell(`${kind}_description`, 'description'),
      website: cell(`${kind}_website`, 'website'),
    }
    const item = linkedItem(kind, cells.get(kind) ?? '', details, at)
    if (!item) continue
    const [name = ''] = item.identity.split('\n')
    const places = fold([cells.get('address'), cells.get('zip'), cells.get('city')].join(' '))
    const identity = cells.get('identity') || (names.has(`${kind} ${name}`) ? `${name}\n${places}` : name)
    names.add(`${kind} ${name}`)
    yield { ...item, identity, image: cell(`${kind}_image`, 'image') }
  }
}

function othersOf(cells: CsvRow['cells'], kind: keyof typeof otherCells): Record<string, unknown> {
  const others: readonly Tabled<ColumnMeaning>[] = otherCells[kind]
  return Object.fromEntries(
    others.flatMap(({ name, read }) => (cells.has(name) ? [[name, read(cells.get(name))]] : [])),
  )
}

function eventItem(
  { at, cells, headings }: CsvRow,
  title: string,
  times: RowTimes,
  linked: readonly SourceItem[],
): SourceItem {
  const values: Record<string, unknown> = { title, ...times }
  for (const name of PLAIN) if (cells.has(name)) values[name] = cells.get(name)
  for (const name of FLAGS) if (cells.has(name)) values[name] = isYes(cells.get(name))
  Object.assign(values, othersOf(cells, 'event'))
  if (!headings.has('website') && cells.has('url')) values.website = cells.get('url')
  const { place, link, isOnline } = partsOfPlace(cells.get('venue') ?? '')
  if (isOnline && !headings.has('attendance')) values.attendance = place === '' ? 'online' : 'mixed'
  if (link !== '' && !values.website) values.website = link
  Object.assign(values, publicationOf(cells))
  if (cells.has('cost')) values.cost = costOf(cells)
  const of = (kind: SourceItem['kind']) =>
    linked.flatMap((item) => (item.kind === kind ? [item.identity] : []))
  const links = {
    ...(cells.has('venue') && { venue: of('venue') }),
    ...((cells.has('organizer') || cells.has('organizer_ids')) && {
      organizer: [...of('organizer'), ...idsIn(cells.get('organizer_ids') ?? '').map(numberedIdentity)],
    }),
    ...(cells.has('categories') && { categories: of('category') }),
    ...(cells.has('tags') && { tags: of('tag') }),
  }
  const uid = cells.get('uid') || undefined
  const identity = uid ?? (cells.get('identity') || `${title}\n${times.start_date}`)
  const image = cells.get('image')
  return {
    kind: 'event',
    identity,
    occurrence: '',
    at,
    name: title,
    values,
    links,
    image,
    ...(uid !== undefined && { uid }),
    ...unpublishedDateOf(cells),
    page: cells.get('url') ?? '',
  }
}

/** Words for public events, beside those of `NO`; any other word means private. */
const OPEN = /^(?:|normal|public|publique|público|öffentlich|default|standard)$/i

const NUMBERED_STATUSES: Readonly<Record<string, string>> = { 1: 'publish', 0: 'pending' }

function publicationOf(cells: CsvRow['cells']): Readonly<Record<string, string>> {
  const given = cells.get('status')?.toLowerCase() ?? ''
  const status = NUMBERED_STATUSES[given] ?? given
  const date = cells.get('date_utc') ?? ''
  const dated = date === '' || date === NEVER ? undefined : date
  if (status !== '') return { ...(dated !== undefined && { date_utc: dated }), ...scheduled(status, dated) }
  if (!cells.has('private') && !cells.has('sensitivity')) return {}
  const isOpen = [cells.get('private') ?? '', cells.get('sensitivity') ?? ''].every(
    (cell) => NO.test(cell) || OPEN.test(cell),
  )
  return { status: isOpen ? 'publish' : 'private' }
}

function unpublishedDateOf(cells: CsvRow['cells']): Pick<SourceItem, 'unpublishedDate'> {
  const date = cells.get('date_local')
  return cells.get('date_utc') === NEVER && hasWallForm(date) ? { unpublishedDate: date } : {}
}

function costOf(cells: CsvRow['cells']): string[] {
  const sign = cells.get('currency') ?? ''
  const prices = splitCell(cells.get('cost'), /\|/)
  return prices.map((price) => (sign !== '' && /^[\d.,]+$/.test(price) ? `${sign}${price}` : price))
}

const BAR = /(?<!\\)\|/

function splitCell(cell = '', between: RegExp): string[] {
  return cell
    .split(between)
    .map((entry) => entry.replaceAll('\\|', '|').trim())
    .filter(Boolean)
}

function linkedOf({ at, cells }: CsvRow): SourceItem[] {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  const [first, ...others] = splitCell(partsOfPlace(cell('venue')).place, BAR)
  const organizers = splitCell(cell('organizer') || namesAmong(cell('organizer_ids')), BAR)
  const terms = (meaning: 'categories' | 'tags') =>
    splitCell(cell(meaning), cell(meaning).includes('|') ? BAR : /[,;]/)
  return [
    linkedItem('venue', first ?? '', placeOf(cells), at),
    ...others.map((name) => linkedItem('venue', name, {}, at)),
    ...organizers.map((name, index) => linkedItem('organizer', name, index === 0 ? personOf(cells) : {}, at)),
    ...terms('categories').map((name) => linkedItem('category', name, {}, at)),
    ...terms('tags').map((name) => linkedItem('tag', name, {}, at)),
  ].filter((item) => item !== undefined)
}

function idsIn(cell: string): string[] {
  return /^\d{1,9}(?:[\s,;|]{1,5}\d{1,9}){0,100}$/.test(cell) ? cell.split(/[\s,;|]{1,5}/) : []
}

const namesAmong = (cell: string) => (idsIn(cell).length > 0 ? '' : cell)

const NOUGHT = /^[+-]?0+(?:[.,]0*)?$/

/** Fields of the venue. Coordinates count only as a pair; two zeros mean unknown. */
function placeOf(cells: CsvRow['cells']): Record<string, unknown> {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  const [latitude, longitude] = [cell('latitude'), cell('longitude')]
  const isPlace = latitude !== '' && longitude !== '' && !(NOUGHT.test(latitude) && NOUGHT.test(longitude))
  return {
    address: [cell('address'), cell('address_more')].filter(Boolean).join(', '),
    city: cell('city'),
    country: cell('country'),
    state: cell('state'),
    province: cell('province'),
    zip: cell('zip'),
    phone: cell('venue_phone'),
    website: cell('venue_website'),
    ...(isPlace && { geo_lat: latitude, geo_lng: longitude }),
    ...othersOf(cells, 'venue'),
  }
}

function personOf(cells: CsvRow['cells']): Record<string, unknown> {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  return {
    email: cell('organizer_email'),
    phone: cell('organizer_phone'),
    website: cell('organizer_website'),
    ...othersOf(cells, 'organizer'),
  }
}
