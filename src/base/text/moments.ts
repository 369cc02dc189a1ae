import {
  DAY_MS,
  dayAtMs,
  FIRST_MS,
  formatUtc,
  isTimezone,
  LAST_MS,
  utcToMs,
  utcToWall,
  wallToUtc,
} from './zones.ts'

export { formatUtc, utcToMs }

interface DateParts {
  /** `month` counts from 1. A `day` after the end of the month rolls over into the next month. */
  date: { year: number | undefined; month: number; day: number } | undefined
  time: number | undefined
  /** True after a word such as `today` or `friday`: the time is then midnight unless the text has one. */
  dayNamed: boolean
  weekday: { day: number; toward: WeekdayOf } | undefined
  /** True after words such as `next week`: a weekday is then the one of that week, which begins on Monday. */
  weekNamed: boolean
  /**
   * `second monday of` is the `nth` such `weekday` of a month; `first day of` has no `weekday`. `nth` is -1
   * for the last.
   */
  within: { nth: number; weekday: number | undefined } | undefined
  shift: { months: number; days: number; seconds: number }
  zone: string | undefined
}

/**
 * `next` is the first such weekday after a day, `last` the latest before it, `this` the first from the day
 * on.
 */
type WeekdayOf = 'next' | 'last' | 'this'

interface DateToken {
  pattern: RegExp
  read(reading: DateParts, groups: Groups): boolean
}

type Groups = (index: number) => string

const LONGEST_TEXT = 100
const DAY_LENGTH = 10
const WALL_LENGTH = 19

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?' +
  '|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const WEEKDAY =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?' +
  '|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
const UNIT = '(sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|fortnights?|months?|years?)'
const TOWARD = '(next|last|previous|this)'
const ORDINAL = '(first|second|third|fourth|fifth|last)'
const HALF_OF_DAY = '([ap])\\.?m\\.?'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const ORDINALS: Record<string, number> = { first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 }

const PLAIN_DAY = /(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31/
const PLAIN_TIME = /(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?/
/** The formats that nearly all clients send; this test costs far less than trying `RULES`. */
const PLAIN = new RegExp(`^(?!0000)\\d{4}-(?:${PLAIN_DAY.source})(?:[ T]${PLAIN_TIME.source})?$`)

/**
 * The patterns of tokens, tried in this order at each position of the text, which is in lower case with
 * single spaces. Repetitions are bounded, or end at a character that they cannot contain, so that hostile
 * text causes no long backtracking.
 */
const RULES: readonly DateToken[] = [
  // Digits: 2027-04-05, 2027/4/5, 20270405t..., 2027-04, 04/05/2027 (month first), 05.04.2027.
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
  // Names of months: 5 april 2027, 5th april, april 5 2027, april 2027, april.
  rule(`(\\d{1,2})(?:st|nd|rd|th)?[ -]?${MONTH}(?:[ -](\\d{4}))?(?= |$)`, (reading, at) =>
    readDate(reading, at(3), monthOf(at(2)), at(1)),
  ),
  rule(`${MONTH} (\\d{1,2})(?:st|nd|rd|th)?(?: (\\d{4}))?(?= |$)`, (reading, at) =>
    readDate(reading, at(3), monthOf(at(1)), at(2)),
  ),
  rule(`${MONTH}(?:[ -](\\d{4}))?(?= |$)`, (reading, at) => readDate(reading, at(2), monthOf(at(1)), '1')),
  // Times: 9:00, 10:00:00.5, t10:00, 1:15 pm, 10.30am, 10am, t1000, noon.
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
  // Relative to the present time: now, tomorrow, first monday of, next friday, last week, 3 days ago.
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
  // Time zones: z, +02:00, +0200, gmt+2, utc, est, europe/paris.
  rule('z(?= |$)', (reading) => readZone(reading, 'utc')),
  rule('(?:gmt|utc)?([+-])(\\d\\d):?(\\d\\d)(?= |$)', (reading, at) =>
    readZone(reading, `${at(1)}${at(2)}:${at(3)}`),
  ),
  rule('(?:gmt|utc)?([+-])(\\d{1,2})(?= |$)', (reading, at) => readZone(reading, `utc${at(1)}${at(2)}`)),
  rule('([a-z]{3,5}|[a-z_]+(?:/[a-z0-9_+-]+)+)(?= |$)', (reading, at) => readZone(reading, at(1))),
]

/**
 * Parses a time in many formats as a local time in `zone`; undefined if it is none (rules 2.9, 18.2, 18.3).
 * `now` is in ms. Never throws; an unknown zone counts as UTC.
 *
 * - Takes ISO 8601, US `MM/DD/YYYY`, `DD.MM.YYYY`, English month names, 12 and 24 hours, noon, midnight; a
 * date alone is 00:00:00.
 * - Converts seconds since the epoch, and values with a UTC offset or zone, to `zone`.
 * - Takes now, today, tomorrow, yesterday, weekdays, `next|last|this` weekday or unit, `±N units`, `N units
 * ago`, `first monday of april 2027`, `last day of next month`, in any order. Days are added before the time
 * of day is set; hours, minutes and seconds are elapsed time, whatever clocks do. Units keep the time of day
 * of `now`; names of days set it to midnight.
 * - Rolls over a day after the end of its month, and 24:00. Keeps a local time that a clock change skips.
 * - Refuses 0, '0', over 100 characters, years outside 0001 to 9999, offsets beyond 14 hours.
 */
export function parseMoment(value: string | number, zone: string, now: number): string | undefined {
  return readMoment(value, zone, now)?.wall
}

export interface Moment {
  /** Local time in the zone of the caller, as 'YYYY-MM-DD HH:MM:SS'. */
  wall: string
  /** Set if the text has an offset or a zone, is seconds since the epoch, or adds hours, minutes, seconds. */
  utc: string | undefined
}

/**
 * Like `parseMoment`, with the UTC time if the text settles it: a local time occurs twice when clocks go
 * back.
 */
export function readMoment(value: string | number, zone: string, now: number): Moment | undefined {
  if (typeof value === 'number') return readTimestamp(value, zone)
  const wall = parsePlain(value)
  if (wall !== undefined) return { wall, utc: undefined }
  return readInstant(value, zone) ?? readText(value, zone, now)
}

/** Returns UTC; of a local time that occurs twice, the first. @throws RangeError for an unknown zone */
export function parseInstant(value: string | number, zone: string, now: number): string | undefined {
  const moment = readMoment(value, zone, now)
  return moment && (moment.utc ?? wallToUtc(moment.wall, zone))
}

export function parseUtcMoment(value: string | number, now: number): string | undefined {
  return parseMoment(value, 'UTC', now)
}

/** True for 'YYYY-MM-DD HH:MM:SS' in the years 1 to 9999, even with a day after the end of its month. */
export function hasWallForm(text: unknown): text is string {
  return typeof text === 'string' && WALL.test(text) && inRange(utcToMs(text))
}

const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The zero-padded parts of a local time, as events show them (rule 5.2). */
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

/** Caches the last result of `wallNow`, since one request asks for the same time repeatedly. */
let latest = { zone: '', now: Number.NaN, wall: '' }

/**
 * Returns the local time in `zone`; `now` is in ms since the epoch.
 * @throws RangeError for an unknown zone
 */
export function wallNow(zone: string, now: number): string {
  if (latest.zone !== zone || latest.now !== now)
    latest = { zone, now, wall: utcToWall(formatUtc(now), zone) }
  return latest.wall
}

export function dayOf(wall: string): string {
  return wall.slice(0, 10)
}

export function startOfDay(wall: string): string {
  return `${dayOf(wall)} 00:00:00`
}

export function endOfDay(wall: string): string {
  return `${dayOf(wall)} 23:59:59`
}

export function addDays(day: string, days: number): string {
  return dayAtMs(utcToMs(startOfDay(day)) + days * DAY_MS)
}

/** Adds months to a date. A day after the month's end rolls over: a month after 31 January is in March. */
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
 * Lower case, single spaces, no commas but those of fractions, and no comment in brackets, as browsers put
 * after a zone.
 */
function normalised(value: string): string {
  const text = value
    .toLowerCase()
    .replace(/(?<!:\d\d),|,(?!\d)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ \([^()]*\)$/, '')
  // In a query string, an unescaped plus sign of a UTC offset is decoded as a space.
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
  return tokens > zones ? reading : undefined
}

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
  // Second 60 is a leap second; hour 24 is the end of the day.
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
  // A local time equal to the present one means `now`, even if that local time occurs twice.
  const utcMs = (wallMs === nowMs ? now : utcToMs(wallToUtc(wall, frame))) + reading.shift.seconds * 1000
  return inRange(utcMs) ? momentAt(formatUtc(utcMs), zone) : undefined
}

/** Returns midnight of the named day in ms, computed as if local time were UTC, like `today`. */
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
 * Returns midnight of the `nth` weekday or day of a month, in ms; `nth` is -1 for the last. A day that the
 * month lacks rolls over into the next month.
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

function dayMs(year: number, month: number, day: number): number {
  // `Date.UTC` would read years below 100 as years of the 20th century.
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

function inRange(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
