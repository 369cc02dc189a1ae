import { DAY_MS, FIRST_MS, formatUtc, isTimezone, LAST_MS, utcToMs, utcToWall, wallToUtc } from './zones.ts'

// Reads dates and times as clients send them, and counts days and months of wall times.

export { formatUtc, utcToMs }

/**
 * The parts of a date and time, collected from a text piece by piece. A part that the text does not name
 * stays undefined.
 */
interface DateParts {
  /** The month counts from 1; a day past the end of its month rolls over. */
  date: { year: number | undefined; month: number; day: number } | undefined
  /** Seconds since midnight. */
  time: number | undefined
  /**
   * Whether a word names the day (`today`, `friday`); the time is then midnight unless the text names one.
   */
  dayNamed: boolean
  weekday: { day: number; toward: WeekdayOf } | undefined
  /**
   * Whether a week is named (`next week`, `this week`); a weekday beside it is then that of the week, which
   * begins on Monday.
   */
  weekNamed: boolean
  /**
   * A day counted within the month: `first day of`, `last day of`, `second monday of`. `nth` is -1 for the
   * last.
   */
  within: { nth: number; weekday: number | undefined } | undefined
  shift: { months: number; days: number; seconds: number }
  zone: string | undefined
}

/** Where a weekday is searched: after the current day, before it, or from it on. */
type WeekdayOf = 'next' | 'last' | 'this'

/**
 * A pattern of text, and the function that adds its meaning to a reading. The function returns false when
 * that part is impossible or was read before.
 */
interface DateToken {
  pattern: RegExp
  read(reading: DateParts, groups: Groups): boolean
}

/** Returns a group of a match by its number; '' for a group that took no part. */
type Groups = (index: number) => string

const LONGEST_TEXT = 100
/** Characters of 'YYYY-MM-DD', and of a wall time. */
const DAY_LENGTH = 10
const WALL_LENGTH = 19

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const WEEKDAY =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
const UNIT = '(sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|fortnights?|months?|years?)'
const TOWARD = '(next|last|previous|this)'
const ORDINAL = '(first|second|third|fourth|fifth|last)'
const HALF_OF_DAY = '([ap])\\.?m\\.?'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** The weekdays in the order of `Date.getUTCDay`. */
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const ORDINALS: Record<string, number> = { first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 }

/**
 * A date that exists, with or without a time of day: nearly every client sends one of these forms, and this
 * test costs far less than `RULES`.
 */
const PLAIN =
  /^(?!0000)\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)(?:[ T](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?$/

/**
 * The patterns of dates and times. At each place of a text, which is in lower case with single blanks, they
 * are tried in this order. Their repetitions are bounded or end at a sign that they cannot contain, so no
 * text causes backtracking.
 */
const RULES: readonly DateToken[] = [
  // Dates in digits: 2027-04-05, 2027/4/5, 20270405t..., 2027-04, 04/05/2027, 05.04.2027
  rule('(\\d{4})-(\\d{1,2})-(\\d{1,2})(?=[ t]|$)', (reading, at) =>
    readDate(reading, at(1), Number(at(2)), at(3)),
  ),
  rule('(\\d{4})/(\\d{1,2})/(\\d{1,2})(?=[ t]|$)', (reading, at) =>
    readDate(reading, at(1), Number(at(2)), at(3)),
  ),
  rule('(\\d{4})(\\d\\d)(\\d\\d)(?=t)', (reading, at) => readDate(reading, at(1), Number(at(2)), at(3))),
  rule('(\\d{4})-(\\d\\d)(?= |$)', (reading, at) => readDate(reading, at(1), Number(at(2)), '1')),
  rule('(\\d{1,2})/(\\d{1,2})/(\\d{4})(?=[ t]|$)', (reading, at) =>
    readDate(reading, at(3), Number(at(1)), at(2)),
  ),
  rule('(\\d{1,2})([.-])(\\d{1,2})\\2(\\d{4})(?=[ t]|$)', (reading, at) =>
    readDate(reading, at(4), Number(at(3)), at(1)),
  ),
  // Dates with the name of the month: 5 april 2027, 5th april, april 5 2027, april 2027, april
  rule(`(\\d{1,2})(?:st|nd|rd|th)?[ -]?${MONTH}(?:[ -](\\d{4}))?(?= |$)`, (reading, at) =>
    readDate(reading, at(3), monthOf(at(2)), at(1)),
  ),
  rule(`${MONTH} (\\d{1,2})(?:st|nd|rd|th)?(?: (\\d{4}))?(?= |$)`, (reading, at) =>
    readDate(reading, at(3), monthOf(at(1)), at(2)),
  ),
  rule(`${MONTH}(?:[ -](\\d{4}))?(?= |$)`, (reading, at) => readDate(reading, at(2), monthOf(at(1)), '1')),
  // Times: 9:00, 10:00:00.5, t10:00, 1:15 pm, 10.30am, 10am, t1000, noon
  rule(`t?(\\d{1,2})[:.](\\d\\d)(?:[:.](\\d\\d))? ?${HALF_OF_DAY}(?= |$)`, (reading, at) =>
    readHalfDayTime(reading, at(1), at(2), at(3), at(4)),
  ),
  rule('t?(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:[.,]\\d{1,9})?)?(?=[ a-z+-]|$)', (reading, at) =>
    readTime(reading, at(1), at(2), at(3)),
  ),
  rule(`(\\d{1,2}) ?${HALF_OF_DAY}(?= |$)`, (reading, at) => readHalfDayTime(reading, at(1), '', '', at(2))),
  rule('t(\\d\\d)(?:(\\d\\d)(\\d\\d)?)?(?=[ z+-]|$)', (reading, at) =>
    readTime(reading, at(1), at(2), at(3)),
  ),
  rule('(?:noon|midday)(?= |$)', (reading) => readTime(reading, '12', '', '')),
  rule('midnight(?= |$)', (reading) => readTime(reading, '0', '', '')),
  rule('at(?= \\d| noon| mid)', () => true),
  // Words whose meaning depends on the present time.
  rule('now(?= |$)', () => true),
  rule('today(?= |$)', (reading) => nameDay(reading, 0)),
  rule('tomorrow(?= |$)', (reading) => nameDay(reading, 1)),
  rule('yesterday(?= |$)', (reading) => nameDay(reading, -1)),
  rule(`${ORDINAL} ${WEEKDAY} of(?= )`, (reading, at) =>
    readWithin(reading, ORDINALS[at(1)] ?? 1, WEEKDAYS.indexOf(at(2).slice(0, 3))),
  ),
  rule('(first|last) day of(?= )', (reading, at) => readWithin(reading, ORDINALS[at(1)] ?? 1, undefined)),
  rule(`${TOWARD} ${WEEKDAY}(?= |$)`, (reading, at) => readWeekday(reading, at(2), directionOf(at(1)))),
  rule(`${WEEKDAY}(?= |$)`, (reading, at) => readWeekday(reading, at(1), 'this')),
  rule(`${TOWARD} ${UNIT}(?= |$)`, (reading, at) => readNeighbour(reading, directionOf(at(1)), at(2))),
  rule(`([+-]?) ?(\\d{1,6}) ?${UNIT}( ago)?(?= |$)`, (reading, at) =>
    addUnits(reading, (at(1) === '-') === (at(4) === '') ? -Number(at(2)) : Number(at(2)), at(3)),
  ),
  // Zones: z, +02:00, +0200, gmt+2, utc, est, europe/paris
  rule('z(?= |$)', (reading) => readZone(reading, 'utc')),
  rule('(?:gmt|utc)?([+-])(\\d\\d):?(\\d\\d)(?= |$)', (reading, at) =>
    readZone(reading, `${at(1)}${at(2)}:${at(3)}`),
  ),
  rule('(?:gmt|utc)?([+-])(\\d{1,2})(?= |$)', (reading, at) => readZone(reading, `utc${at(1)}${at(2)}`)),
  rule('([a-z]{3,5}|[a-z_]+(?:/[a-z0-9_+-]+)+)(?= |$)', (reading, at) => readZone(reading, at(1))),
]

/**
 * Reads a date and time as a client sends it, and returns a wall time 'YYYY-MM-DD HH:MM:SS' in `zone`;
 * undefined for a value that is none (rules 2.9, 18.2 and 18.3). `now` is in ms since the epoch. Never
 * throws; an unknown zone counts as UTC.
 *
 * - Dates and times: ISO 8601, US `MM/DD/YYYY`, `DD.MM.YYYY`, an English month name, clocks of 24 and 12
 *   hours, noon, midnight. A date without a time is
 *   00:00:00.
 * - Seconds since the epoch, as a number or its digits. These, and values with an offset or a zone, are
 *   converted to `zone`.
 * - Words: now, today, tomorrow, yesterday, weekdays, `next|last|this` weekday or unit, `±N units` (also `N
 *   units ago`), `first monday of april 2027`,
 *   `last day of next month`, in any sequence. Days are counted before the time is set; hours, minutes and
 * seconds are time that really passes, whatever
 *   the clocks do. Units alone keep the time of day of `now`, names of days do not.
 * - A day past the end of its month rolls over into the next one, and 24:00 into the next day. A wall time
 *   that a clock change skips stays as it is.
 * - Refused: 0 and '0', text of more than 100 characters, years outside 0001 to 9999, offsets beyond 14
 *   hours.
 */
export function parseMoment(value: string | number, zone: string, now: number): string | undefined {
  return readMoment(value, zone, now)?.wall
}

/** A date and time as a client sent it. */
export interface Moment {
  /** The wall time 'YYYY-MM-DD HH:MM:SS' in the zone that the reader asked for. */
  wall: string
  /**
   * The UTC time, if the value itself determines it by an offset, a zone, seconds since the epoch or a
   * distance from now; else undefined.
   */
  utc: string | undefined
}

/**
 * Reads a date and time like `parseMoment`, and returns also the UTC time if the value determines it: when
 * clocks go back, one wall time comes twice.
 */
export function readMoment(value: string | number, zone: string, now: number): Moment | undefined {
  if (typeof value === 'number') return readTimestamp(value, zone)
  const wall = parsePlain(value)
  if (wall !== undefined) return { wall, utc: undefined }
  return readInstant(value, zone) ?? readText(value, zone, now)
}

/**
 * Reads a date and time, and returns its UTC time; undefined for one that cannot be read. Of a wall time that
 * comes twice the first counts.
 */
export function parseInstant(value: string | number, zone: string, now: number): string | undefined {
  const moment = readMoment(value, zone, now)
  return moment && (moment.utc ?? wallToUtc(moment.wall, zone))
}

/**
 * Reads a date and time like `parseMoment` for a field in UTC, such as `date_utc`: a value without an offset
 * is UTC, any other is converted to UTC.
 */
export function parseUtcMoment(value: string | number, now: number): string | undefined {
  return parseMoment(value, 'UTC', now)
}

/**
 * Decides whether a value has the form of a stored time, 'YYYY-MM-DD HH:MM:SS', within the years 1 to 9999.
 * Days past the end of a month pass.
 */
export function hasWallForm(text: unknown): text is string {
  return typeof text === 'string' && WALL.test(text) && inRange(utcToMs(text))
}

const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** Returns the parts of a wall time as events show them, zero-padded and in this order (rule 5.2). */
export function wallParts(wall: string) {
  return {
    year: wall.slice(0, 4),
    month: wall.slice(5, 7),
    day: wall.slice(8, 10),
    hour: wall.slice(11, 13),
    minutes: wall.slice(14, 16),
    seconds: wall.slice(17, 19),
  }
}

/** Returns the wall time of `now` (ms since the epoch) in a zone. @throws RangeError for an unknown zone */
export function wallNow(zone: string, now: number): string {
  return utcToWall(formatUtc(now), zone)
}

/** Returns the day 'YYYY-MM-DD' of a wall time. */
export function dayOf(wall: string): string {
  return wall.slice(0, 10)
}

/** Returns 00:00:00 of the day of a wall time, or of a day 'YYYY-MM-DD'. */
export function startOfDay(wall: string): string {
  return `${dayOf(wall)} 00:00:00`
}

/** Returns 23:59:59 of the day of a wall time, or of a day 'YYYY-MM-DD'. */
export function endOfDay(wall: string): string {
  return `${dayOf(wall)} 23:59:59`
}

/** Returns the day 'YYYY-MM-DD' that lies `days` after a day, or before it for a negative number. */
export function addDays(day: string, days: number): string {
  return dayOf(formatUtc(utcToMs(startOfDay(day)) + days * DAY_MS))
}

/**
 * Returns the same day of the month `months` later. A day that this month does not have rolls over: a month
 * after 31 January is 3 March.
 */
export function addMonths(day: string, months: number): string {
  const { year, month, day: dayOfMonth } = wallParts(startOfDay(day))
  return dayOf(formatUtc(dayMs(Number(year), Number(month) + months, Number(dayOfMonth))))
}

function readTimestamp(seconds: number, zone: string): Moment | undefined {
  const ms = Math.floor(seconds) * 1000
  return ms !== 0 && inRange(ms) ? momentAt(formatUtc(ms), zone) : undefined
}

function momentAt(utc: string, zone: string): Moment {
  return { wall: utcToWall(utc, knownZone(zone)), utc }
}

function parsePlain(text: string): string | undefined {
  if (!PLAIN.test(text)) return undefined
  if (text.length === DAY_LENGTH) return `${text} 00:00:00`
  const wall = text[DAY_LENGTH] === ' ' ? text : `${text.slice(0, DAY_LENGTH)} ${text.slice(DAY_LENGTH + 1)}`
  return wall.length === WALL_LENGTH ? wall : `${wall}:00`
}

/**
 * Reads a date and time with an offset as programs write it: RFC 3339 and `Date.toJSON`. Undefined for other
 * text.
 */
function readInstant(text: string, zone: string): Moment | undefined {
  const match = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.exec(text)
  if (!match) return undefined
  const [, plain = '', offset = ''] = match
  const wall = parsePlain(plain)
  const frame = offset === 'Z' ? 'UTC' : offset
  return wall !== undefined && isTimezone(frame) ? momentAt(wallToUtc(wall, frame), zone) : undefined
}

function readText(value: string, zone: string, now: number): Moment | undefined {
  if (value.length > LONGEST_TEXT) return undefined
  const text = normalised(value)
  const digits = /^@?(-?\d{1,12}(?:\.\d{1,9})?)$/.exec(text)
  if (digits) return readTimestamp(Number(digits[1]), zone)
  const reading = readTokens(text)
  return reading && resolve(reading, knownZone(zone), now)
}

/**
 * Makes a text lower case with single blanks, without commas between words and without the comment in
 * brackets that browsers put behind a zone.
 */
function normalised(value: string): string {
  const text = value
    .toLowerCase()
    .replace(/(?<!:\d\d),|,(?!\d)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ \([^()]*\)$/, '')
  // The plus sign of an offset in a query that was not escaped arrives as a blank.
  return text.replace(/(t\d\d:\d\d(?::\d\d(?:\.\d+)?)?) (\d\d:\d\d)$/, '$1+$2')
}

function rule(source: string, read: DateToken['read']): DateToken {
  return { pattern: new RegExp(source, 'y'), read }
}

function readTokens(text: string): DateParts | undefined {
  const reading: DateParts = {
    date: undefined,
    time: undefined,
    dayNamed: false,
    weekday: undefined,
    weekNamed: false,
    within: undefined,
    shift: { months: 0, days: 0, seconds: 0 },
    zone: undefined,
  }
  let zones = 0
  let tokens = 0
  for (let at = 0; at < text.length; tokens += 1) {
    const end = readToken(reading, text, at)
    if (end === undefined) return undefined
    if (reading.zone !== undefined) zones = 1
    at = text[end] === ' ' ? end + 1 : end
  }
  // A zone by itself is no moment.
  return tokens > zones ? reading : undefined
}

/**
 * Reads the piece of the text at a place into the reading, and returns where the piece ends; undefined for
 * text that cannot be read.
 */
function readToken(reading: DateParts, text: string, at: number): number | undefined {
  for (const { pattern, read } of RULES) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return read(reading, (index) => match[index] ?? '') ? pattern.lastIndex : undefined
  }
  return undefined
}

function readDate(reading: DateParts, yearText: string, month: number, dayText: string): boolean {
  const day = Number(dayText)
  const year = yearText === '' ? undefined : Number(yearText)
  if (reading.date || year === 0 || month < 1 || month > 12 || day < 1 || day > 31) return false
  reading.date = { year, month, day }
  return true
}

function readTime(reading: DateParts, hours: string, minutes: string, seconds: string): boolean {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  // Second 60 is a leap second; hour 24 is the end of a day.
  if (reading.time !== undefined || hour > 24 || minute > 59 || second > 60) return false
  reading.time = (hour * 60 + minute) * 60 + second
  return true
}

function readHalfDayTime(
  reading: DateParts,
  hours: string,
  minutes: string,
  seconds: string,
  half: string,
): boolean {
  const hour = Number(hours)
  if (hour < 1 || hour > 12) return false
  return readTime(reading, String((hour % 12) + (half === 'p' ? 12 : 0)), minutes, seconds)
}

function nameDay(reading: DateParts, days: number): boolean {
  reading.dayNamed = true
  reading.shift.days += days
  return true
}

function readWithin(reading: DateParts, nth: number, weekday: number | undefined): boolean {
  if (reading.within) return false
  reading.within = { nth, weekday }
  if (weekday !== undefined) reading.dayNamed = true
  return true
}

function readWeekday(reading: DateParts, name: string, toward: WeekdayOf): boolean {
  if (reading.weekday) return false
  reading.weekday = { day: WEEKDAYS.indexOf(name.slice(0, 3)), toward }
  reading.dayNamed = true
  return true
}

function readNeighbour(reading: DateParts, toward: WeekdayOf, unit: string): boolean {
  if (unit.startsWith('week')) reading.weekNamed = true
  return addUnits(reading, { next: 1, last: -1, this: 0 }[toward], unit)
}

function addUnits(reading: DateParts, count: number, unit: string): boolean {
  const { shift } = reading
  if (unit.startsWith('sec')) shift.seconds += count
  else if (unit.startsWith('min')) shift.seconds += count * 60
  else if (unit.startsWith('hour')) shift.seconds += count * 3600
  else if (unit.startsWith('day')) shift.days += count
  else if (unit.startsWith('week')) shift.days += count * 7
  else if (unit.startsWith('fortnight')) shift.days += count * 14
  else if (unit.startsWith('month')) shift.months += count
  else shift.months += count * 12
  return true
}

function readZone(reading: DateParts, zone: string): boolean {
  if (reading.zone !== undefined || !isTimezone(zone)) return false
  reading.zone = zone
  return true
}

/**
 * Returns the moment of a reading, with its wall time in `zone`. The reading itself is in the zone that it
 * names, else in `zone`.
 */
function resolve(reading: DateParts, zone: string, now: number): Moment | undefined {
  const frame = reading.zone ?? zone
  const nowMs = utcToMs(wallNow(frame, now))
  const today = nowMs - modulo(nowMs, DAY_MS)
  const startsAtMidnight = reading.date !== undefined || reading.dayNamed
  const seconds = reading.time ?? (startsAtMidnight ? 0 : (nowMs - today) / 1000)
  const wallMs = resolveDay(reading, today) + seconds * 1000
  if (!inRange(wallMs)) return undefined
  const wall = formatUtc(wallMs)
  if (reading.zone === undefined && reading.shift.seconds === 0) return { wall, utc: undefined }
  // The wall time of `now` may occur twice; `now` tells which of the two it is.
  const utcMs = (wallMs === nowMs ? now : utcToMs(wallToUtc(wall, frame))) + reading.shift.seconds * 1000
  return inRange(utcMs) ? momentAt(formatUtc(utcMs), zone) : undefined
}

/** Returns the day of a reading, in ms as if it were UTC. `today` is the present day, in the same form. */
function resolveDay(reading: DateParts, today: number): number {
  const { date, shift, within } = reading
  const clock = new Date(today)
  const named = date ? dayMs(date.year ?? clock.getUTCFullYear(), date.month, date.day) : today
  const day = new Date(resolveWeekday(reading, named))
  const month = day.getUTCMonth() + 1 + shift.months
  const shifted = within
    ? resolveWithin(within.nth, within.weekday, day.getUTCFullYear(), month)
    : dayMs(day.getUTCFullYear(), month, day.getUTCDate())
  return shifted + shift.days * DAY_MS
}

function resolveWeekday({ weekday, weekNamed }: DateParts, day: number): number {
  if (!weekday) return day
  const today = new Date(day).getUTCDay()
  if (weekNamed) return day + (modulo(weekday.day - 1, 7) - modulo(today - 1, 7)) * DAY_MS
  const ahead = modulo(weekday.day - today, 7)
  if (weekday.toward === 'next') return day + (ahead || 7) * DAY_MS
  if (weekday.toward === 'last') return day + (ahead - 7) * DAY_MS
  return day + ahead * DAY_MS
}

/**
 * Returns the nth day or weekday of a month in ms; -1 is the last. A number that the month does not have
 * leads into the next month.
 */
function resolveWithin(nth: number, weekday: number | undefined, year: number, month: number): number {
  if (nth < 0) {
    const last = dayMs(year, month + 1, 0)
    return weekday === undefined ? last : last - modulo(new Date(last).getUTCDay() - weekday, 7) * DAY_MS
  }
  const first = dayMs(year, month, 1)
  const ahead = weekday === undefined ? 0 : modulo(weekday - new Date(first).getUTCDay(), 7)
  return first + (ahead + (nth - 1) * 7) * DAY_MS
}

/**
 * Returns the ms of a day. The month counts from 1; a month beyond the year and a day beyond the month roll
 * over.
 */
function dayMs(year: number, month: number, day: number): number {
  // Date.UTC takes the years before 100 for those of the 20th century.
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3)) + 1
}

function directionOf(word: string): WeekdayOf {
  if (word === 'next' || word === 'this') return word
  return 'last'
}

function knownZone(zone: string): string {
  return isTimezone(zone) ? zone : 'UTC'
}

/** Decides whether ms lie within the years 1 to 9999; false for NaN as well. */
function inRange(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS
}

/** Returns the remainder of a division, which is never negative. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
