import { addDays, dayOf } from '../../../base/text/moments.ts'
import { formatUtc, utcToMs } from '../../../base/text/zones.ts'
import { type SpokenTime, skipFillers, timesAt } from './spoken-times.ts'
import {
  type Said,
  type SpokenWeekday,
  saidAt,
  type Token,
  tokensOf,
  type Vocabulary,
  vocabularyOf,
} from './spoken-words.ts'

export interface SpokenHere {
  language: string
  now: string
}

export interface SpokenDate {
  date: string
  last?: string
  time?: SpokenTime
}

/**
 * Reads a date such as `4.12.2026`, `3. Oktober`, `12.–14. Juni`, `nächsten Dienstag`, `mañana` or `in 3
 * Tagen`. `12/4/2026` has the month first in English, except in `en-GB`. Without a year, the next such date
 * is meant. Undefined for any other text, a day that does not exist, or more than 300 characters.
 */
export function readSpokenDate(text: string, here: SpokenHere): SpokenDate | undefined {
  const tokens = tokensOf(text)
  const words = vocabularyOf(here.language)
  const time = timesAt(tokens, 0, words)
  const whole = dateWithTime(tokens, words, here)
  if (whole) return whole
  // The time may come first: `19:30 freitag`.
  const date = time && dateAt(tokens, skipFillers(tokens, time.next, words), words, here, time.meaning)
  return date && isEnd(tokens, date.next, words) ? spokenOf(date.meaning, time.meaning) : undefined
}

function dateWithTime(tokens: readonly Token[], words: Vocabulary, here: SpokenHere): SpokenDate | undefined {
  const alone = dateAt(tokens, 0, words, here)
  if (!alone) return undefined
  if (isEnd(tokens, alone.next, words)) return spokenOf(alone.meaning)
  const time = timesAt(tokens, alone.next, words)
  if (!time || !isEnd(tokens, time.next, words)) return undefined
  return spokenOf(dateAt(tokens, 0, words, here, time.meaning)?.meaning ?? alone.meaning, time.meaning)
}

function isEnd(tokens: readonly Token[], at: number, words: Vocabulary): boolean {
  return skipFillers(tokens, at, words) === tokens.length
}

function spokenOf({ date, last }: FoundDate, time?: SpokenTime): SpokenDate {
  return { date, ...(last === undefined ? {} : { last }), ...(time ? { time } : {}) }
}

export interface FoundDate {
  date: string
  last?: string
  /**
   * How the date was written. `name`: with the name of a month or weekday, or in full digits. `word`: such as
   * `tomorrow`. `digits`: such as `19.11`, which may be a time. `short`: an abbreviated weekday such as `So`,
   * which may be another word.
   */
  by: 'name' | 'word' | 'digits' | 'short'
}

/** Reads a date or range of dates. Today's weekday means today, or next week if `time` has passed. */
export function dateAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  here: SpokenHere,
  time?: SpokenTime,
): Said<FoundDate> | undefined {
  const from = skipFillers(tokens, at, words)
  const first = daysAt(tokens, from, words, here, time)
  if (!first || first.meaning.last !== undefined) return first
  const connector = saidAt(tokens, first.next, words.to)
  const next = connector && skipFillers(tokens, connector.next, words)
  const last =
    next === undefined
      ? undefined
      : daysAt(tokens, next, words, { ...here, now: first.meaning.date }, undefined)
  // In `3.10. bis 19.11 Uhr` the second pair of digits is a time, not the last day.
  if (!last || saidAt(tokens, last.next, words.hours)) return first
  const { date } = first.meaning
  if (last.meaning.last !== undefined || last.meaning.date <= date) return first
  return { meaning: { ...first.meaning, last: last.meaning.date }, next: last.next }
}

function daysAt(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  here: SpokenHere,
  time: SpokenTime | undefined,
): Said<FoundDate> | undefined {
  const weekday = saidAt(tokens, at, words.weekdays)
  if (!weekday) return calendarDate(tokens, at, words, here) ?? relativeDate(tokens, at, words, here, time)
  const dot = tokens[weekday.next]
  const behind = dot?.text === '.' && dot.isGlued ? weekday.next + 1 : weekday.next
  const next = skipFillers(tokens, behind, words)
  const dated = calendarDate(tokens, next, words, here, weekday.meaning)
  return dated ?? weekdayAt(tokens, { ...weekday, next: behind }, words, here, time)
}

interface Parts {
  year: number | undefined
  month: number
  day: number
  lastDay: number | undefined
}

function calendarDate(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  here: SpokenHere,
  weekday?: SpokenWeekday,
): Said<FoundDate> | undefined {
  const said =
    yearFirst(tokens, at) ??
    digitsAt(tokens, at, words) ??
    dayFirst(tokens, at, words) ??
    monthFirst(tokens, at, words)
  if (!said) return undefined
  const { lastDay, isGuess, ...parts } = said.meaning
  const date = dateOf(parts, here, weekday)
  if (date === undefined) return undefined
  const by = isGuess && !weekday ? 'digits' : 'name'
  if (lastDay === undefined) return { meaning: { date, by }, next: said.next }
  const last = `${date.slice(0, 8)}${two(lastDay)}`
  return isDay(last) && last > date ? { meaning: { date, last, by }, next: said.next } : undefined
}

type SaidParts = Said<Parts & { isGuess?: boolean }>

const two = (number: number) => String(number).padStart(2, '0')
const isSign = (token: Token | undefined, signs: string) =>
  token?.kind === 'sign' && signs.includes(token.text)
const isNumber = (token: Token | undefined, most: number): token is Token =>
  token?.kind === 'number' && token.text.length <= most

/** Reads `2026-12-04` or `2026/12/4`. */
function yearFirst(tokens: readonly Token[], at: number): SaidParts | undefined {
  const [year, sign, month, again, day] = tokens.slice(at, at + 5)
  if (year?.kind !== 'number' || year.text.length !== 4 || !isSign(sign, '-/') || sign?.text !== again?.text)
    return undefined
  if (!isNumber(month, 2) || !isNumber(day, 2) || !day.isGlued) return undefined
  const parts = {
    year: Number(year.text),
    month: Number(month.text),
    day: Number(day.text),
    lastDay: undefined,
  }
  return { meaning: parts, next: at + 5 }
}

/** Reads `4.12.2026`, `4.12.`, `12/4`, `4-12-2026` or `12.-14.6.`. */
function digitsAt(tokens: readonly Token[], at: number, words: Vocabulary): SaidParts | undefined {
  const [first, sign, second, again, third] = tokens.slice(at, at + 5)
  if (
    !isNumber(first, 2) ||
    !isSign(sign, './-') ||
    !isNumber(second, 2) ||
    !sign?.isGlued ||
    !second.isGlued
  )
    return severalDigits(tokens, at, words)
  const isRepeated = again?.isGlued === true && again.text === sign.text
  const year = isRepeated && third?.isGlued ? yearOf(third) : undefined
  const parts = byOrder(Number(first.text), Number(second.text), sign.text === '/', words)
  if (!parts || (sign.text === '-' && year === undefined)) return severalDigits(tokens, at, words)
  if (year !== undefined) return { meaning: { ...parts, year, lastDay: undefined }, next: at + 5 }
  const isDotted = isRepeated && sign.text === '.'
  const isGuess = !isDotted
  // In `19.11 Uhr` and `7.10 pm` the digits are a time.
  if (isGuess && (saidAt(tokens, at + 3, words.hours) || saidAt(tokens, at + 3, words.halves)))
    return undefined
  return { meaning: { ...parts, year, lastDay: undefined, isGuess }, next: at + (isDotted ? 4 : 3) }
}

/** After dots or hyphens, the day comes first; after slashes, the language's order, if that gives a date. */
function byOrder(
  first: number,
  second: number,
  isSlashed: boolean,
  { isMonthFirst }: Vocabulary,
): Pick<Parts, 'day' | 'month'> | undefined {
  const [month, day] = isSlashed && isMonthFirst ? [first, second] : [second, first]
  if (month <= MONTHS) return { month, day }
  return isSlashed && day <= MONTHS ? { month: day, day: month } : undefined
}

const MONTHS = 12

/** Several days before a numeric month: `12.-14.6.` */
function severalDigits(tokens: readonly Token[], at: number, words: Vocabulary): SaidParts | undefined {
  const [first, dot] = tokens.slice(at, at + 2)
  if (!isNumber(first, 2)) return undefined
  const to = saidAt(tokens, at + (isSign(dot, '.') ? 2 : 1), words.to)
  const from = to && skipWeekday(tokens, to.next, words)
  const [last, sign, month] = from === undefined ? [] : tokens.slice(from, from + 3)
  if (
    from === undefined ||
    !isNumber(last, 2) ||
    !isSign(sign, '.') ||
    !sign?.isGlued ||
    !isNumber(month, 2) ||
    !month.isGlued
  )
    return undefined
  const end = digitsAt(tokens, from, words)
  if (!end || (end.meaning.isGuess && !isSign(dot, '.'))) return undefined
  return {
    meaning: { ...end.meaning, day: Number(first.text), lastDay: end.meaning.day, isGuess: false },
    next: end.next,
  }
}

function skipWeekday(tokens: readonly Token[], at: number, words: Vocabulary): number {
  const from = skipFillers(tokens, at, words)
  const weekday = saidAt(tokens, from, words.weekdays)
  if (!weekday) return from
  const isDotted = isSign(tokens[weekday.next], '.')
  return skipFillers(tokens, weekday.next + (isDotted ? 1 : 0), words)
}

function yearOf(token: Token): number | undefined {
  if (token.kind !== 'number' || (token.text.length !== 4 && token.text.length !== 2)) return undefined
  return token.text.length === 2 ? CENTURY + Number(token.text) : Number(token.text)
}

const CENTURY = 2000

/** A day before a month's name: `3. Oktober 2026`, `1er octobre`, `12.–14. Juni`. */
function dayFirst(tokens: readonly Token[], at: number, words: Vocabulary): SaidParts | undefined {
  const day = dayNumberAt(tokens, at, words)
  if (!day) return undefined
  const last = lastDayAt(tokens, day, words)
  const month = monthAt(tokens, last?.next ?? day.next, words)
  if (!month) return undefined
  const year = yearAt(tokens, month.next, words)
  // In `Top 10 Nov 24, 2026` the 10 is not the day.
  if (!year && monthFirst(tokens, last?.next ?? day.next, words)?.meaning.year !== undefined) return undefined
  const meaning = { year: year?.meaning, month: month.meaning, day: day.meaning, lastDay: last?.meaning }
  return { meaning, next: year?.next ?? month.next }
}

/** The last day of a range, `12.–14.`, or the second of two consecutive days, `12 et 13`. */
function lastDayAt(tokens: readonly Token[], day: Said<number>, words: Vocabulary): Said<number> | undefined {
  const to = saidAt(tokens, day.next, words.to)
  if (to) return dayNumberAt(tokens, skipWeekday(tokens, to.next, words), words)
  const and = tokens[day.next]?.text === ',' ? undefined : saidAt(tokens, day.next, words.and)
  const next = and && dayNumberAt(tokens, skipFillers(tokens, and.next, words), words)
  return next?.meaning === day.meaning + 1 ? next : undefined
}

/** A day after a month's name: `Oct 3`, `October 3rd, 2026`, `June 12-14`. */
function monthFirst(tokens: readonly Token[], at: number, words: Vocabulary): SaidParts | undefined {
  const month = monthAt(tokens, at, words)
  const day = month && dayNumberAt(tokens, skipFillers(tokens, month.next, words), words)
  if (!month || !day || isSign(tokens[day.next], ':') || saidAt(tokens, day.next, words.hours))
    return undefined
  const to = saidAt(tokens, day.next, words.to)
  const last = to && dayNumberAt(tokens, to.next, words)
  const isLast = last && !isSign(tokens[last.next], ':.') && !monthAt(tokens, last.next, words)
  const next = isLast ? last.next : day.next
  const year = yearAt(tokens, next, words)
  const lastDay = isLast ? last.meaning : undefined
  return {
    meaning: { year: year?.meaning, month: month.meaning, day: day.meaning, lastDay },
    next: year?.next ?? next,
  }
}

/** A day of the month: `3`, `3.`, `3rd`, `1er`. */
function dayNumberAt(
  tokens: readonly Token[],
  at: number,
  { ordinals }: Vocabulary,
): Said<number> | undefined {
  const token = tokens[at]
  if (!isNumber(token, 2)) return undefined
  const ordinal = tokens[at + 1]?.isGlued ? saidAt(tokens, at + 1, ordinals) : undefined
  return { meaning: Number(token.text), next: ordinal?.next ?? at + 1 }
}

function monthAt(tokens: readonly Token[], at: number, words: Vocabulary): Said<number> | undefined {
  const month = saidAt(tokens, skipFillers(tokens, at, words), words.months)
  if (!month) return undefined
  const dot = tokens[month.next]
  return isSign(dot, '.') && dot?.isGlued ? { ...month, next: month.next + 1 } : month
}

/** A year of four digits, after a comma or fillers such as `de`. */
function yearAt(tokens: readonly Token[], at: number, words: Vocabulary): Said<number> | undefined {
  const next = skipFillers(tokens, at, words)
  const token = tokens[next]
  return token?.kind === 'number' && token.text.length === 4
    ? { meaning: Number(token.text), next: next + 1 }
    : undefined
}

/** In years: the next 29 February may be eight years away. */
const MOST_YEARS = 8

/** Returns the date meant: without a year, the next, or the previous if only that falls on `weekday`. */
function dateOf(
  { year, month, day }: Omit<Parts, 'lastDay'>,
  { now }: SpokenHere,
  weekday: SpokenWeekday | undefined,
): string | undefined {
  const isMeant = (date: string) => isDay(date) && (weekday === undefined || weekdayOf(date) === weekday.day)
  const inYear = (number: number) => `${String(number).padStart(4, '0')}-${two(month)}-${two(day)}`
  if (year !== undefined) return isMeant(inYear(year)) ? inYear(year) : undefined
  const today = dayOf(now)
  const years = Array.from({ length: MOST_YEARS + 1 }, (_, ahead) => Number(today.slice(0, 4)) + ahead)
  const coming = years.map(inYear).find((date) => isDay(date) && date >= today)
  const past = inYear(Number(today.slice(0, 4)) - (coming?.slice(0, 4) === today.slice(0, 4) ? 1 : 0))
  return [coming, past].find((date) => date !== undefined && isMeant(date))
}

function isDay(date: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || date < '0001') return false
  const ms = utcToMs(`${date} 00:00:00`)
  return !Number.isNaN(ms) && dayOf(formatUtc(ms)) === date
}

/** 0 for Monday to 6 for Sunday. */
function weekdayOf(date: string): number {
  return (new Date(utcToMs(`${date} 00:00:00`)).getUTCDay() + 6) % 7
}

/** A date relative to today: `morgen`, `in 3 Tagen`, `next friday`, `nächste Woche Dienstag`. */
function relativeDate(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  here: SpokenHere,
  time: SpokenTime | undefined,
): Said<FoundDate> | undefined {
  const today = dayOf(here.now)
  const week = saidAt(tokens, at, words.nextWeek)
  if (week) {
    const weekday = saidAt(tokens, skipFillers(tokens, week.next, words), words.weekdays)
    const date = weekday ? inNextWeek(today, weekday.meaning.day) : addDays(today, 7)
    return { meaning: { date, by: 'word' }, next: weekday?.next ?? week.next }
  }
  const toward = saidAt(tokens, at, words.toward)
  const weekday = toward && saidAt(tokens, toward.next, words.weekdays)
  if (weekday) {
    const date = weekdayToward(today, weekday.meaning.day, toward.meaning, isOver(time, here))
    return {
      meaning: { date, by: 'word' },
      next: saidAt(tokens, weekday.next, words.dayParts)?.next ?? weekday.next,
    }
  }
  return dayByWord(tokens, at, words, today)
}

function dayByWord(
  tokens: readonly Token[],
  at: number,
  words: Vocabulary,
  today: string,
): Said<FoundDate> | undefined {
  const day = saidAt(tokens, at, words.days)
  const next = day && (saidAt(tokens, day.next, words.dayParts)?.next ?? day.next)
  if (day && next !== undefined) return { meaning: { date: addDays(today, day.meaning), by: 'word' }, next }
  const within = saidAt(tokens, at, words.within)
  const count = within && tokens[within.next]
  const unit = within && isNumber(count, 3) ? saidAt(tokens, within.next + 1, words.units) : undefined
  if (!unit) return undefined
  return {
    meaning: { date: addDays(today, Number(count?.text) * unit.meaning), by: 'word' },
    next: unit.next,
  }
}

const DAYS_A_WEEK = 7

function inNextWeek(today: string, weekday: number): string {
  return addDays(today, DAYS_A_WEEK - weekdayOf(today) + weekday)
}

/** A weekday with words after it that say which one: `vendredi prochain`, `Dienstag nächster Woche`. */
function weekdayAt(
  tokens: readonly Token[],
  { meaning: { day, isShort }, next }: Said<SpokenWeekday>,
  words: Vocabulary,
  here: SpokenHere,
  time: SpokenTime | undefined,
): Said<FoundDate> {
  const today = dayOf(here.now)
  const week = saidAt(tokens, skipFillers(tokens, next, words), words.nextWeek)
  if (week) return { meaning: { date: inNextWeek(today, day), by: 'word' }, next: week.next }
  const part = saidAt(tokens, next, words.dayParts)
  const toward = saidAt(tokens, part?.next ?? next, words.toward)
  // In `Tuesday next friday` the word `next` belongs to the second weekday.
  const isOwn = toward && !saidAt(tokens, toward.next, words.weekdays)
  const date = weekdayToward(today, day, isOwn ? toward.meaning : 'this', isOver(time, here))
  const behind = isOwn
    ? (saidAt(tokens, toward.next, words.dayParts)?.next ?? toward.next)
    : (part?.next ?? next)
  return { meaning: { date, by: isShort && behind === next ? 'short' : 'word' }, next: behind }
}

function isOver(time: SpokenTime | undefined, { now }: SpokenHere): boolean {
  return time !== undefined && time.start < now.slice(11, 11 + time.start.length)
}

function weekdayToward(
  today: string,
  weekday: number,
  toward: 'next' | 'this' | 'last',
  isTodayOver: boolean,
): string {
  const ahead = (weekday - weekdayOf(today) + DAYS_A_WEEK) % DAYS_A_WEEK
  if (toward === 'last') return addDays(today, ahead - DAYS_A_WEEK)
  const isLater = ahead === 0 && (toward === 'next' || isTodayOver)
  return addDays(today, isLater ? DAYS_A_WEEK : ahead)
}
