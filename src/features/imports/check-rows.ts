import { invalidParam, Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { dayOf } from '../../base/text/moments.ts'
import { isTimezone, wallToUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { events } from '../../calendar/resources.ts'
import { type FormFaults, faultsOf } from '../desk/desk-inputs.ts'
import { sayAtDesk } from '../desk/desk-page.ts'
import { readTimes } from '../desk/event-form/event-times.ts'
import {
  type ColumnMeaning,
  type DateOrder,
  noDates,
  noteDate,
  orderOf,
  readTableDate,
  readTableTime,
} from './csv-cells.ts'
import { eventOfRow, isReadableCell } from './csv-source.ts'
import type { Message } from './import-messages.ts'
import { sayImport } from './import-texts.ts'
import type { Table } from './read-table.ts'
import type { SourceEntry, SourceItem } from './source-item.ts'

// Reads rows of a pasted table as events; reports faults by cell.

interface RowTime {
  start: string
  end: string
  isAllDay: boolean
  zone: string
  utc: string
  /** True if the row has an end; else the event lasts two hours. */
  hasEnd: boolean
}

export interface CheckedRow {
  /** From 1, without the header. */
  number: number
  identity: string
  cells: readonly string[]
  faults: ReadonlyMap<number, string>
  title: string
  venue: string
  /** Undefined for unreadable times. */
  when: RowTime | undefined
  /** Linked records, the event, then single dates of a series; empty if the row has faults. */
  items: readonly SourceItem[]
  notes: readonly Message[]
  /** True for an unreadable entry of a file: its cells are filled in by hand. */
  isBlank: boolean
}

/** The meaning of each column; undefined for one left out. */
export type RowColumns = readonly (ColumnMeaning | undefined)[]

export const IN_A_TURN = 25

export const cellKey = (row: number, column: number) => `${row} ${column}`

/** Whether day or month comes first: by the dates of all rows, else by the language of the site. */
export function guessOrder({ site }: Pick<Context, 'site'>, rows: Table, columns: RowColumns): DateOrder {
  const seen = noDates()
  for (const row of rows)
    for (const [at, meaning] of columns.entries())
      if (meaning === 'start_date' || meaning === 'end_date') noteDate(seen, row[at] ?? '')
  try {
    return orderOf(seen)
  } catch {
    return localeOf(site) === 'en-US' ? 'american' : 'european'
  }
}

export function hasUnclearDates(rows: Table, columns: RowColumns): boolean {
  const seen = noDates()
  for (const row of rows)
    for (const [at, meaning] of columns.entries())
      if (meaning === 'start_date' || meaning === 'end_date') noteDate(seen, row[at] ?? '')
  return seen.ambiguous > 0
}

export function checkRow(
  context: Context,
  number: number,
  cells: readonly string[],
  { columns, order }: { columns: RowColumns; order: DateOrder },
): CheckedRow {
  const { site } = context
  const given = new Map<ColumnMeaning, string>()
  // The `'` keeps a spreadsheet from evaluating the cell as a formula.
  for (const [at, meaning] of columns.entries())
    if (meaning !== undefined) given.set(meaning, (cells[at] ?? '').trim().replace(/^'(?=[=+\-@\t\r'])/, ''))
  const faults = new Map<number, string>()
  const note = (meaning: string, text: string) => {
    const at = columns.findIndex((column) => `${column}` === meaning)
    if (!faults.has(at)) faults.set(at, text)
  }
  const title = given.get('title') ?? ''
  if (title === '') note('title', sayAtDesk(site, 'Is needed.'))
  const times = timesOfRow(context, given, order)
  for (const [name, text] of Object.entries(times.faults)) note(columnOfTime(name, columns), text)
  for (const [meaning, cell] of given) {
    const website = meaning === 'website' && /^[\w-]+(?:\.[\w-]+)+(?:\/\S*)?$/.test(cell)
    if (website) given.set(meaning, `https://${cell}`)
    else if (!isReadableCell(meaning, cell, context)) note(meaning, unreadCell(context, meaning))
  }
  const { when } = times
  const known = { number, identity: identityOf(number), cells, notes: [], isBlank: false }
  const row = { ...known, title, venue: given.get('venue') ?? '', when }
  if (!when || title === '' || faults.size > 0) return { ...row, faults, items: [] }
  const items = itemsOfRow(context, number, given, when)
  for (const [name, text] of Object.entries(faultsOfItem(context, items.at(-1)))) note(name, text)
  return { ...row, faults, items: faults.size > 0 ? [] : items }
}

function columnOfTime(name: string, columns: RowColumns): string {
  if (columns.some((meaning) => meaning === name)) return name
  return name.startsWith('end') && columns.includes('end_date') ? 'end_date' : 'start_date'
}

function unreadCell({ site }: Context, meaning: ColumnMeaning): string {
  return meaning === 'website' || meaning.endsWith('_website')
    ? sayAtDesk(site, 'Write it as https://example.org, for example.')
    : sayImport(site, 'This cannot be read.')
}

type Given = ReadonlyMap<ColumnMeaning, string>

function timesOfRow(
  context: Context,
  given: Given,
  order: DateOrder,
): { when: CheckedRow['when']; faults: FormFaults } {
  const { site } = context
  const cell = (meaning: ColumnMeaning) => given.get(meaning) ?? ''
  const asked = cell('timezone')
  const zone = isTimezone(asked) ? asked : site.timezone
  const first = partsOf(cell('start_date'), order, zone)
  const last = partsOf(cell('end_date'), order, zone)
  const [from, to] = [clockOf(cell('start_time')) || first.time, clockOf(cell('end_time')) || last.time]
  const hasTime = from !== '' || /\d[:.h]\d\d|\b\d{1,2}\s?(?:[ap]\.?m|uhr|h)\b/i.test(first.day)
  const isAllDay = given.has('all_day') ? YES.test(cell('all_day')) : !hasTime
  const typed = {
    start_date: [first.day],
    start_time: [isAllDay ? '' : from],
    end_date: [last.day],
    end_time: [isAllDay ? '' : to],
    all_day: [isAllDay ? '1' : '0'],
    timezone: [zone],
  }
  const { start, end, faults } = readTimes(context, typed)
  const wrong = asked !== '' && asked !== zone ? { timezone: sayImport(site, 'This cannot be read.') } : {}
  const isRead = start !== undefined && end !== undefined && Object.keys(faults).length === 0
  const hasEnd = to !== '' || last.day !== '' || /\d\s*[–—-]\s*\d/.test(from)
  return {
    when: isRead ? { start, end, isAllDay, zone, utc: wallToUtc(start, zone), hasEnd } : undefined,
    faults: { ...faults, ...wrong },
  }
}

const YES = /^(?:1|y|yes|true|on|x|ja|wahr|oui|vrai|sí|si|verdadero)$/i

function partsOf(text: string, order: DateOrder, zone: string): { day: string; time: string } {
  const read = readTableDate(text, order, zone)
  return read ? { day: read.day, time: read.time?.slice(0, 5) ?? '' } : { day: text, time: '' }
}

const clockOf = (text: string) => readTableTime(text)?.slice(0, 5) ?? text

function itemsOfRow(
  context: Context,
  number: number,
  given: Given,
  { start, end, isAllDay, zone }: NonNullable<CheckedRow['when']>,
): SourceItem[] {
  const cells = new Map<ColumnMeaning, string>(given)
  cells.set('start_date', dayOf(start))
  cells.set('start_time', isAllDay ? '' : start.slice(11))
  cells.set('end_date', dayOf(end))
  cells.set('end_time', isAllDay ? '' : end.slice(11))
  cells.set('all_day', isAllDay ? 'yes' : 'no')
  cells.set('timezone', zone)
  cells.set('identity', identityOf(number))
  for (const meaning of ['uid', 'url', 'status', 'date_utc', 'date_local', 'private', 'sensitivity'] as const)
    cells.delete(meaning)
  const headings = new Map([...cells.keys()].map((meaning) => [meaning, meaning]))
  const entries = [...eventOfRow({ at: identityOf(number), cells, headings }, 'european', context)]
  return entries.filter(isItem)
}

export const identityOf = (number: number) => `row ${number}`

const isItem = (entry: SourceEntry): entry is SourceItem => 'kind' in entry

function faultsOfItem(context: Context, item: SourceItem | undefined): FormFaults {
  try {
    if (item) parseNew(events.resource.fields, item.values, context)
    else throw invalidParam('title')
    return {}
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return (
      faultsOf(context.site, error, events.resource.fields) ?? {
        title: sayImport(context.site, 'This cannot be read.'),
      }
    )
  }
}

export const nameKey = (name: string) => fold(name.replace(/\s+/g, ' ').trim())
