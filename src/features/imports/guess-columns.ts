import type { Site } from '../../base/config.ts'
import { fold } from '../../base/text/characters.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { readSpokenDate } from '../desk/spoken/spoken-dates.ts'
import { type ColumnMeaning, meaningsOf, readTableDate, readTableTime } from './csv-cells.ts'
import type { Table } from './read-table.ts'

// Guesses the columns of a pasted table by their names, else by their cells.

export interface GuessedColumns {
  hasHeading: boolean
  columns: (ColumnMeaning | undefined)[]
}

const SAMPLE = 60
/** A column has a meaning if this share of its filled cells matches. */
const MOST_OF = 0.6

interface Sampled {
  filled: readonly string[]
  isDate: boolean
  isTime: boolean
}

/** Guesses whether a table has a heading, and what columns mean. @param venues folded names of venues here */
export function guessColumns(
  table: Table,
  site: Site,
  venues: ReadonlySet<string>,
  now: string,
): GuessedColumns {
  const here = { language: localeOf(site), now }
  const names = table[0] ?? []
  const named = meaningsOf(names, new Map())
  const hasDate = names.some((cell) => isDate(cell, here) || isClock(cell))
  const hasHeading = table.length > 1 && named.some((meaning) => meaning !== undefined) && !hasDate
  const rows = table.slice(hasHeading ? 1 : 0, SAMPLE)
  const sampled = names.map((_, at): Sampled => {
    const filled = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '')
    const is = (test: (cell: string) => boolean) => isMost(filled, test)
    return { filled, isTime: is(isClock), isDate: is((cell) => isDate(cell, here)) }
  })
  const columns = hasHeading ? corrected(named, sampled) : names.map(() => undefined)
  guessFromCells(columns, sampled, venues, here.language)
  return { hasHeading, columns }
}

function isMost(cells: readonly string[], test: (cell: string) => boolean): boolean {
  return cells.length > 0 && cells.filter(test).length >= MOST_OF * cells.length
}

const isDate = (cell: string, here: { language: string; now: string }) =>
  /\d/.test(cell) &&
  cell.length <= 60 &&
  !isClock(cell) &&
  (readTableDate(cell, 'european', undefined) !== undefined ||
    readTableDate(cell, 'american', undefined) !== undefined ||
    readSpokenDate(cell, here) !== undefined)

/** A time of day has a separator or a word such as `h` or `Uhr`, unlike a price. */
const isClock = (cell: string) =>
  /^\d{1,2}(?:[:.h]\d\d|\s?(?:h|uhr|am|pm|a\.m\.|p\.m\.))/i.test(cell) &&
  readTableTime(cell.split(/\s?[–—-]\s?/, 1)[0] ?? '') !== undefined

/** `Beginn` or `Ende` may name a date or a time: the cells decide. */
function corrected(
  named: readonly (ColumnMeaning | undefined)[],
  sampled: readonly Sampled[],
): (ColumnMeaning | undefined)[] {
  const columns = [...named]
  for (const [day, hour] of [
    ['start_date', 'start_time'],
    ['end_date', 'end_time'],
  ] as const) {
    for (const [at, { isTime, isDate }] of sampled.entries()) {
      if (columns[at] === day && isTime && !columns.includes(hour)) columns[at] = hour
      else if (columns[at] === hour && isDate && !columns.includes(day)) columns[at] = day
    }
  }
  return columns
}

const AMOUNT = '\\d{1,6}(?:[.,]\\d{1,2})?'
const PRICE = new RegExp(
  `^(?:\\p{Sc}|[a-z]{2,4}\\.?)?\\s?${AMOUNT}(?:\\s?[–/|-]\\s?\\p{Sc}?${AMOUNT})?` +
    '\\s?(?:\\p{Sc}|[a-z]{2,4}\\.?|,-)?$',
  'iu',
)
const FREE = /^(?:free|frei|gratis|kostenlos|gratuit|libre|eintritt frei|entrée libre)$/i
const ADDRESS = /^(?:https?:\/\/|www\.)/i
const PICTURE = /^https?:\/\/\S+\.(?:jpe?g|png|webp|gif|avif)(?:\?\S*)?$/i
const MAIL = /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i
/** Average characters of a cell above which a column is a description. */
const LONG = 80

function guessFromCells(
  columns: (ColumnMeaning | undefined)[],
  sampled: readonly Sampled[],
  venues: ReadonlySet<string>,
  language: string,
): void {
  const give = (at: number, ...meanings: readonly ColumnMeaning[]) => {
    const free = meanings.find((meaning) => !columns.includes(meaning))
    if (free !== undefined) columns[at] = free
    return free !== undefined
  }
  const texts: number[] = []
  for (const [at, { filled, isTime, isDate }] of sampled.entries()) {
    if (columns[at] !== undefined || filled.length === 0) continue
    const is = (test: (cell: string) => boolean) => isMost(filled, test)
    if (isTime) give(at, 'start_time', 'end_time')
    else if (isDate) give(at, 'start_date', 'end_date')
    else if (is((cell) => PICTURE.test(cell))) give(at, 'image')
    else if (is((cell) => ADDRESS.test(cell))) give(at, 'website')
    else if (is((cell) => MAIL.test(cell))) give(at, 'organizer_email')
    else if (is((cell) => PRICE.test(cell) || FREE.test(cell))) give(at, 'cost')
    else if (!is((cell) => isWeekday(cell, language))) texts.push(at)
  }
  const cellsOf = (at: number) => sampled[at]?.filled ?? []
  const known = texts.find((at) => cellsOf(at).some((cell) => venues.has(fold(cell))))
  if (known !== undefined && texts.length > 1) give(known, 'venue')
  const lengthOf = (at: number) => cellsOf(at).join('').length / Math.max(1, cellsOf(at).length)
  const left = texts.filter((at) => columns[at] === undefined)
  for (const at of left.filter((one) => lengthOf(one) > LONG && left.length > 1)) give(at, 'description')
  for (const at of left.filter((one) => columns[one] === undefined)) give(at, 'title', 'venue')
}

const isWeekday = (cell: string, language: string) =>
  cell.length <= 12 &&
  !/\d/.test(cell) &&
  readSpokenDate(cell, { language, now: '2026-01-01 00:00:00' }) !== undefined
