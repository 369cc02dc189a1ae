import { LANGUAGES } from '../config.ts'
import { fold } from '../text/fold.ts'

/** Which number of a date such as 3/4/2026 is the day. */
export const DATE_ORDERS = ['european', 'american'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** The evidence of all dates for their order. */
export interface SeenDates {
  /** Rows whose first, or second, number can only be a day. */
  dayFirst: number
  monthFirst: number
  ambiguous: number
}

const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?!\d)/

export function noDates(): SeenDates {
  return { dayFirst: 0, monthFirst: 0, ambiguous: 0 }
}

/** Notes the evidence of one date. */
export function noteDate(seen: SeenDates, text: string): void {
  const [, first = '', second = ''] = SLASHED.exec(text.trim()) ?? []
  if (first === '') return
  if (Number(first) > 12) seen.dayFirst += 1
  else if (Number(second) > 12) seen.monthFirst += 1
  else seen.ambiguous += 1
}

/** The order of all dates. @throws Error with one sentence when they leave it open, or contradict each other */
export function orderOf({ dayFirst, monthFirst, ambiguous }: SeenDates): DateOrder {
  if (dayFirst > 0 && monthFirst > 0)
    throw new Error(
      'Some dates have the day first and some the month; say with --dates european or --dates american how to read them.',
    )
  if (dayFirst === 0 && monthFirst === 0 && ambiguous > 0)
    throw new Error(
      'The dates may have the day or the month first; say which with --dates european or --dates american.',
    )
  return monthFirst > 0 ? 'american' : 'european'
}

/** The numbers of months by their names and short names in every language, in lower case and without accents. */
const MONTHS = new Map(
  LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, at) => [plainMonth(format(Date.UTC(2027, at))), at + 1] as const)
    }),
  ),
)

function plainMonth(name: string): string {
  return fold(name).replace('.', '')
}

/** A date with or without a time as `YYYY-MM-DD` and `HH:MM:SS`; undefined for other text. */
export function readTableDate(text: string, order: DateOrder): { day: string; time: string | undefined } | undefined {
  const trimmed = text.trim()
  for (const { pattern, parts } of FORMS) {
    const found = pattern.exec(trimmed)
    if (!found) continue
    const { year, month, day } = parts(found, order)
    const date = dayOf(year, month, day)
    const rest = trimmed.slice(found[0].length).replace(/^(?:[T,\s]|at\b)+/i, '')
    const time = rest === '' ? undefined : readTableTime(rest)
    return date === undefined || (rest !== '' && time === undefined) ? undefined : { day: date, time }
  }
  return undefined
}

type Parts = (found: RegExpExecArray, order: DateOrder) => { year: number; month: number; day: number }

const monthOf = (name = '') => MONTHS.get(plainMonth(name)) ?? MONTHS.get(plainMonth(name).slice(0, 3)) ?? 0
/** A year of two digits is one from 1970 to 2069. */
const yearOf = (year = '') => Number(year) + (year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900)
const dayFirst: Parts = ([, day, month, year]) => ({ year: yearOf(year), month: Number(month), day: Number(day) })
const dayAndName: Parts = ([, day, month, year]) => ({ year: yearOf(year), month: monthOf(month), day: Number(day) })

/** Slashes are read in the order of the table; dots and dashes always have the day first. */
const FORMS: readonly { pattern: RegExp; parts: Parts }[] = [
  {
    pattern: /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/,
    parts: ([, year, month, day]) => ({ year: Number(year), month: Number(month), day: Number(day) }),
  },
  {
    pattern: SLASHED,
    parts: ([, first, second, year], order) =>
      order === 'european'
        ? { year: yearOf(year), month: Number(second), day: Number(first) }
        : { year: yearOf(year), month: Number(first), day: Number(second) },
  },
  { pattern: /^(\d{1,2})[-.](\d{1,2})[-.](\d{4}|\d{2})(?!\d)/, parts: dayFirst },
  { pattern: /^(\d{1,2})-(\p{L}{3,12})\.?-(\d{4}|\d{2})(?!\d)/u, parts: dayAndName },
  {
    pattern:
      /^(?:\p{L}{2,10}\.?,?\s+)?(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+)?(\p{L}{3,12})\.?,?\s+(?:de\s+)?(\d{4}|\d{2})(?!\d)/iu,
    parts: dayAndName,
  },
  {
    pattern: /^(?:[a-z]{3,9},?\s+)??([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/i,
    parts: ([, month, day, year]) => ({ year: Number(year), month: monthOf(month), day: Number(day) }),
  },
]

function dayOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = month >= 1 && month <= 12 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : undefined
}

/** A time such as `19:30`, `19.30`, `19h30`, `19 Uhr`, `7:30 PM` or `7pm` as `HH:MM:SS`; undefined for other text. */
export function readTableTime(text: string): string | undefined {
  const [, hour, minute = '00', second = '00', half] =
    /^(\d{1,2})(?:[:.h](\d\d))?(?::(\d\d))?\s*(?:uhr|h|([ap])?\.?\s?(?:m\.?)?)$/i.exec(text.trim()) ?? []
  if (hour === undefined) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  return `${String(hours).padStart(2, '0')}:${minute}:${second}`
}
