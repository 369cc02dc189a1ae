import { hasWallForm } from '../text/moments.ts'
import {
  clockChanges,
  dayNumber,
  formatUtc,
  isTimezone,
  utcToMs,
  utcToWall,
  wallToUtc,
} from '../text/zones.ts'
import {
  endOfLastDay,
  type Fault,
  FREQUENCIES,
  type Frequency,
  hasMatch,
  isPlainScale,
  LIST_PARTS,
  occurrenceStarts,
  type Recurrence,
  type Rule,
  type Start,
  searchedUntil,
  settled,
  Unreadable,
  WEEKDAYS,
  type Weekday,
  wallOfDay,
} from './recurrence.ts'

export interface RecurrenceObject {
  frequency?: string
  interval?: number
  count?: number
  until?: string
  weekdays?: string[]
  month_days?: number[]
  months?: number[]
  positions?: number[]
  week_start?: string
  added?: string[]
  left?: string[]
}

/** Returns the lines RRULE, RDATE and EXDATE, except empty ones; equal recurrences have equal lines. */
export function recurrenceLines({ rule, added, left }: Recurrence, start: Start): string[] {
  return [
    ...(rule ? [`RRULE:${ruleText(rule, start)}`] : []),
    ...datesLine('RDATE', added, start),
    ...datesLine('EXDATE', left, start),
  ]
}

/** Returns the value of RRULE. UNTIL is a date for all-day events, else a time in UTC (RFC 5545). */
export function ruleText(rule: Rule, start: Start): string {
  const { frequency, interval, count, until, months, monthdays, weekdays, positions, weekStart } = rule
  const list = (name: string, entries: readonly (string | number)[]) =>
    entries.length === 0 ? [] : [`${name}=${entries.join(',')}`]
  return [
    `FREQ=${frequency.toUpperCase()}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined ? [] : [`UNTIL=${start.allDay ? compact(until, start) : utc(until, start)}`]),
    ...list('BYMONTH', months),
    ...list('BYMONTHDAY', monthdays),
    ...list('BYDAY', weekdays),
    ...list('BYSETPOS', positions),
    ...(weekStart === 'MO' ? [] : [`WKST=${weekStart}`]),
  ].join(';')
}

function utc(wall: string, start: Start): string {
  return `${compact(wallToUtc(wall, start.zone), start)}Z`
}

function datesLine(name: string, walls: readonly string[], start: Start): string[] {
  if (walls.length === 0) return []
  const { zone, allDay } = start
  if (allDay) return [`${name};VALUE=DATE:${walls.map((wall) => compact(wall, start)).join(',')}`]
  if (!isNamedZone(zone)) return [`${name}:${walls.map((wall) => utc(wall, start)).join(',')}`]
  const id = clockChanges(zone, 0, 0)?.id ?? zone
  return [`${name};TZID=${id}:${walls.map((wall) => compact(wall, start)).join(',')}`]
}

export function recurrenceObject({ rule, added, left }: Recurrence, { allDay }: Start): RecurrenceObject {
  const date = (wall: string) => (allDay ? wall.slice(0, 10) : wall)
  return {
    ...(rule ? ruleObject(rule) : {}),
    ...(added.length === 0 ? {} : { added: added.map(date) }),
    ...(left.length === 0 ? {} : { left: left.map(date) }),
  }
}

function ruleObject(rule: Rule): RecurrenceObject {
  const { frequency, interval, count, until, weekdays, monthdays, months, positions, weekStart } = rule
  return {
    frequency,
    interval,
    ...(count === undefined ? {} : { count }),
    ...(until === undefined ? {} : { until: until.slice(0, 10) }),
    ...(weekdays.length === 0 ? {} : { weekdays: weekdays.map((day) => day.toLowerCase()) }),
    ...(monthdays.length === 0 ? {} : { month_days: [...monthdays] }),
    ...(months.length === 0 ? {} : { months: [...months] }),
    ...(positions.length === 0 ? {} : { positions: [...positions] }),
    ...(weekStart === 'MO' ? {} : { week_start: weekStart.toLowerCase() }),
  }
}

function compact(wall: string, { allDay }: Pick<Start, 'allDay'>): string {
  const text = wall.replace(' ', 'T').replace(/[-:]/g, '')
  return allDay ? text.slice(0, 8) : text
}

/** False for UTC, fixed offsets and unknown zones, whose dates are written in UTC. */
function isNamedZone(zone: string): boolean {
  return isTimezone(zone) && zone.toUpperCase() !== 'UTC' && clockChanges(zone, 0, 0) !== undefined
}

/**
 * Adds an empty EXDATE line unless there is one, so that a request which replaces a recurrence also removes
 * its exceptions.
 */
export function withExceptions(lines: readonly unknown[]): readonly unknown[] {
  return lines.some((line) => String(line).startsWith('EXDATE')) ? lines : [...lines, 'EXDATE:']
}

/** Maximum characters of a recurrence: room for a rule and `MOST_DATES` added dates and exceptions. */
const LONGEST_INPUT = 40_000

const PARTS: Readonly<Record<string, keyof RuleParts>> = {
  FREQ: 'frequency',
  INTERVAL: 'interval',
  COUNT: 'count',
  UNTIL: 'until',
  BYDAY: 'weekdays',
  BYMONTHDAY: 'monthdays',
  BYMONTH: 'months',
  BYSETPOS: 'positions',
  WKST: 'weekStart',
}

const MEMBERS: Readonly<Record<string, keyof RuleParts>> = {
  frequency: 'frequency',
  interval: 'interval',
  count: 'count',
  until: 'until',
  weekdays: 'weekdays',
  month_days: 'monthdays',
  months: 'months',
  positions: 'positions',
  week_start: 'weekStart',
}

interface RecurrenceRead {
  parts: RuleParts | undefined
  names: Partial<Record<keyof RuleParts, string>>
  added: string[]
  left: string[]
}

/**
 * Parses the lines (a text or list) or object of a client (docs/series.md). Undefined for `""`, null and
 * `[]`, which mean no recurrence; a `Fault` if it is unreadable or has no date. Sizes are checked first, so
 * that no input takes long.
 */
export function readRecurrence(sent: unknown, start: Start): Recurrence | undefined | Fault {
  try {
    const input = withoutShown(sent)
    if (input === undefined || input === null) return undefined
    const reading =
      Array.isArray(input) || typeof input === 'string' ? readLines(input, start) : readObject(input, start)
    return reading && settleReading(reading, start)
  } catch (error) {
    if (error instanceof Unreadable) return error.fault
    throw error
  }
}

export function withoutShown(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || !SHOWN.some((member) => member in sent)) return sent
  const { rrule, rule, lines }: { rrule?: unknown; rule?: unknown; lines?: unknown } = sent
  return (
    lines ??
    (typeof rrule === 'string' ? rrule && `RRULE:${rrule.replace(/^RRULE:/i, '')}` : (rrule ?? rule ?? ''))
  )
}

const SHOWN = ['rrule', 'rule', 'lines', 'series']

function settleReading({ parts, names, added, left }: RecurrenceRead, start: Start): Recurrence {
  const rule = parts && ruleOf(parts, start, (part) => names[part] ?? names.frequency ?? 'RRULE')
  const recurrence = recurrenceWith(rule, added, left)
  if (left.length > 0 && occurrenceStarts(recurrence, start, searchedUntil(start), 1).length === 0)
    throw new Unreadable('EXDATE', 'The exceptions leave no date.')
  return recurrence
}

function recurrenceWith(
  rule: Rule | undefined,
  added: readonly string[],
  left: readonly string[],
): Recurrence {
  return { ...(rule ? { rule } : {}), added: inOrder(added), left: inOrder(left) }
}

function inOrder(walls: readonly string[]): string[] {
  return [...new Set(walls)].sort()
}

function unsupported(part: string): Unreadable {
  return new Unreadable(part, 'The part {part} of a recurrence is not supported.', { part })
}

function unreadable(): Unreadable {
  return new Unreadable(
    'recurrence',
    'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.',
  )
}

function readLines(input: string | readonly unknown[], start: Start): RecurrenceRead | undefined {
  const lines = linesOf(input)
  if (lines.length === 0) return undefined
  const reading: RecurrenceRead = { parts: undefined, names: {}, added: [], left: [] }
  for (const line of lines) readLine(line, reading, start)
  if (!reading.parts && reading.added.length === 0) throw invalid('RRULE')
  return reading
}

/** Splits the input into lines and joins folded ones (RFC 5545, 3.1). */
function linesOf(input: string | readonly unknown[]): string[] {
  const texts = typeof input === 'string' ? [input] : input
  let size = 0
  const lines: string[] = []
  for (const text of texts) {
    if (typeof text !== 'string') throw unreadable()
    size += text.length + 1
    if (size > LONGEST_INPUT)
      throw new Unreadable('recurrence', 'The value of {part} has more than {limit} entries.', {
        part: 'recurrence',
        limit: String(MOST_DATES),
      })
    for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/))
      if (line.trim() !== '') lines.push(line.trim())
  }
  return lines
}

function readLine(line: string, reading: RecurrenceRead, start: Start): void {
  const [, name = '', params = '', value = ''] = /^(?:([A-Za-z-]+)((?:;[^:]*)?):)?(.*)$/.exec(line) ?? []
  const property = name === '' && value.includes('=') ? 'RRULE' : name.toUpperCase()
  if (property === 'RRULE') readRule(value, params, reading, start)
  else if (property === 'RDATE') readDates(value, params, property, reading.added, start)
  else if (property === 'EXDATE') readDates(value, params, property, reading.left, start)
  else if (property === 'DTSTART') readStart(value, params, start)
  else throw property === '' ? unreadable() : unsupported(property.slice(0, 40))
}

function readRule(value: string, params: string, reading: RecurrenceRead, start: Start): void {
  if (reading.parts)
    throw new Unreadable('RRULE', 'The part {part} of a recurrence is given more than once.', {
      part: 'RRULE',
    })
  if (params !== '') throw invalid('RRULE')
  const parts: RuleParts = { weekdays: [], monthdays: [], months: [], positions: [] }
  const names: RecurrenceRead['names'] = { frequency: 'RRULE:FREQ' }
  for (const pair of value.split(';')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const key = pair.slice(0, Math.max(at, 0)).trim().toUpperCase()
    if (isPlainScale(key, pair.slice(at + 1).trim())) continue
    const name = `RRULE:${key.slice(0, 40)}`
    const part = Object.hasOwn(PARTS, key) ? PARTS[key] : undefined
    if (at < 1) throw invalid('RRULE')
    if (part === undefined) throw unsupported(name)
    if (part !== 'frequency' && names[part] !== undefined) throw twice(name)
    if (part === 'frequency' && parts.frequency !== undefined) throw twice(name)
    names[part] = name
    setPart(parts, part, pair.slice(at + 1).trim(), start, name)
  }
  reading.parts = parts
  reading.names = names
}

function twice(part: string): Unreadable {
  return new Unreadable(part, 'The part {part} of a recurrence is given more than once.', { part })
}

function setPart(parts: RuleParts, part: keyof RuleParts, value: string, start: Start, name: string): void {
  if (part === 'weekdays' || part === 'monthdays' || part === 'months' || part === 'positions')
    parts[part] = value.split(',').map((entry) => entry.trim())
  else if (part === 'until') parts.until = untilOf(value, start, name)
  else parts[part] = value
}

function readDates(value: string, params: string, property: string, into: string[], start: Start): void {
  const zone = zoneOf(params, property, start)
  // An empty EXDATE means that there are no exceptions.
  if (value === '' && property === 'EXDATE') return
  addDates(value.split(','), zone, property, into, start)
}

function addDates(texts: readonly string[], zone: string, part: string, into: string[], start: Start): void {
  if (into.length + texts.length > MOST_DATES)
    throw new Unreadable(part, 'The value of {part} has more than {limit} entries.', {
      part,
      limit: String(MOST_DATES),
    })
  for (const text of texts) {
    const date = dateOf(text.trim(), start, zone, part)
    if (date < start.local)
      throw new Unreadable(part, 'The date of {part} lies before the start of the event.', { part })
    into.push(date)
  }
}

function readStart(value: string, params: string, start: Start): void {
  const date = dateOf(value, start, zoneOf(params, 'DTSTART', start), 'DTSTART')
  if (date !== start.local)
    throw new Unreadable('DTSTART', 'The date of {part} is not the start of the event.', { part: 'DTSTART' })
}

function zoneOf(params: string, property: string, start: Start): string {
  let zone = start.zone
  for (const param of params.split(';')) {
    const [key = '', text = ''] = param.split('=')
    const name = `${property}:${key.toUpperCase().slice(0, 40)}`
    if (key === '') continue
    if (name === `${property}:TZID`) zone = text.replace(/^"(.*)"$/, '$1')
    else if (name !== `${property}:VALUE` || !/^date(-time)?$/i.test(text)) throw unsupported(name)
  }
  if (isTimezone(zone)) return zone
  throw new Unreadable(`${property}:TZID`, 'The time zone of {part} does not exist.', { part: property })
}

function readObject(input: unknown, start: Start): RecurrenceRead {
  if (typeof input !== 'object' || input === null) throw unreadable()
  const parts: RuleParts = { weekdays: [], monthdays: [], months: [], positions: [] }
  const reading: RecurrenceRead = { parts, names: { ...swapped }, added: [], left: [] }
  let isRule = false
  for (const [member, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue
    if (member === 'added' || member === 'left') {
      addDates(textsOf(value, member), start.zone, member, reading[member], start)
      continue
    }
    const part = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined
    if (part === undefined) throw unsupported(member.slice(0, 40))
    isRule = true
    setPart(parts, part, textsOf(value, member).join(','), start, member)
  }
  if (!isRule && reading.added.length > 0) reading.parts = undefined
  return reading
}

const swapped: Partial<Record<keyof RuleParts, string>> = Object.fromEntries(
  Object.entries(MEMBERS).map(([member, part]) => [part, member]),
)

function textsOf(value: unknown, member: string): string[] {
  const values = Array.isArray(value) ? value : [value]
  if (values.length > MOST_DATES)
    throw new Unreadable(member, 'The value of {part} has more than {limit} entries.', {
      part: member,
      limit: String(MOST_DATES),
    })
  return values.map((entry) => {
    if (typeof entry !== 'string' && typeof entry !== 'number') throw invalid(member)
    return String(entry).slice(0, LONGEST_INPUT)
  })
}

/**
 * The parts of a rule as sent, but with `until` parsed and lists split; undefined or an empty list if not
 * sent.
 */
interface RuleParts {
  frequency?: string
  interval?: string
  count?: string
  until?: string
  weekStart?: string
  weekdays: readonly string[]
  monthdays: readonly string[]
  months: readonly string[]
  positions: readonly string[]
}

type NameOf = (part: keyof RuleParts) => string

export const MOST_DATES = 750
const LARGEST_INTERVAL = 1000
const LONGEST_LIST = 62
/** Maximum product of the numbers of months, days and weekdays in a rule; a year has only 366 days. */
const MOST_COMBINED = 400

/** @throws Unreadable if a part of the rule is invalid */
function ruleOf(parts: RuleParts, start: Start, nameOf: NameOf): Rule {
  for (const list of LIST_PARTS)
    if (parts[list].length > LONGEST_LIST)
      throw new Unreadable(nameOf(list), 'The value of {part} has more than {limit} entries.', {
        part: nameOf(list),
        limit: String(LONGEST_LIST),
      })
  const rule: Rule = {
    frequency: frequencyOf(parts, nameOf),
    interval:
      parts.interval === undefined ? 1 : numberIn(parts.interval, nameOf('interval'), 1, LARGEST_INTERVAL),
    ...(parts.count === undefined ? {} : { count: numberIn(parts.count, nameOf('count'), 1, MOST_DATES) }),
    ...(parts.until === undefined ? {} : { until: parts.until }),
    weekdays: weekdaysOf(parts.weekdays, nameOf('weekdays')),
    monthdays: placesOf(parts.monthdays, nameOf('monthdays'), 31),
    months: numbersOf(parts.months, nameOf('months'), 1, 12),
    positions: placesOf(parts.positions, nameOf('positions'), 366),
    weekStart: weekStartOf(parts.weekStart, nameOf('weekStart')),
  }
  refuseContradictions(rule, start, nameOf)
  return rule
}

function frequencyOf({ frequency }: RuleParts, nameOf: NameOf): Frequency {
  const known = FREQUENCIES.find((name) => name === frequency?.toLowerCase())
  if (known === undefined)
    throw new Unreadable(nameOf('frequency'), 'A rule repeats daily, weekly, monthly or yearly.')
  return known
}

function weekStartOf(text: string | undefined, part: string): Weekday {
  if (text === undefined) return 'MO'
  const day = WEEKDAYS.find((name) => name === text.toUpperCase())
  if (day === undefined) throw invalid(part)
  return day
}

const WEEK: readonly string[] = WEEKDAYS

function weekdaysOf(texts: readonly string[], part: string): string[] {
  const days = texts.map((text) => {
    const [, nth = '', day = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text.toUpperCase()) ?? []
    if (day === '' || Number(nth || 1) === 0) throw invalid(part)
    return { nth: Number(nth), day, at: WEEK.indexOf(day) }
  })
  days.sort((one, other) => one.at - other.at || one.nth - other.nth)
  return [...new Set(days.map(({ nth, day }) => (nth === 0 ? day : `${nth}${day}`)))]
}

function numbersOf(texts: readonly string[], part: string, from: number, to: number): number[] {
  const numbers = texts.map((text) => numberIn(text, part, from, to))
  return [...new Set(numbers)].sort((one, other) => one - other)
}

function placesOf(texts: readonly string[], part: string, most: number): number[] {
  const places = numbersOf(texts, part, -most, most)
  if (places.includes(0)) throw invalid(part)
  return places
}

function numberIn(text: string, part: string, from: number, to: number): number {
  if (!/^[+-]?\d{1,9}$/.test(text)) throw invalid(part)
  const number = Number(text)
  if (number >= from && number <= to) return number
  throw new Unreadable(part, 'The value of {part} has to lie between {from} and {to}.', {
    part,
    from: String(from),
    to: String(to),
  })
}

function invalid(part: string): Unreadable {
  return new Unreadable(part, 'The value of {part} is invalid.', { part })
}

/** @throws Unreadable if parts contradict each other, or the rule has no date */
function refuseContradictions(rule: Rule, start: Start, nameOf: NameOf): void {
  const { frequency, weekdays, monthdays, months, positions, until } = rule
  const refuse = (part: keyof RuleParts): never => {
    const name = nameOf(part)
    throw new Unreadable(name, 'The part {part} does not go with a rule that repeats like this.', {
      part: name,
    })
  }
  if (rule.count !== undefined && until !== undefined)
    throw new Unreadable(nameOf('count'), 'A rule has either a count or an end.')
  if (until !== undefined && until < start.local)
    throw new Unreadable(nameOf('until'), 'The date of {part} lies before the start of the event.', {
      part: nameOf('until'),
    })
  if (frequency === 'weekly' && monthdays.length > 0) refuse('monthdays')
  if (!weekdays.every((day) => Math.abs(Number(day.slice(0, -2))) <= largestPlace(rule))) refuse('weekdays')
  if (positions.length > 0 && weekdays.length + monthdays.length + months.length === 0)
    throw new Unreadable(nameOf('positions'), 'Positions need weekdays, days or months to choose from.')
  const combined = [months, monthdays, weekdays].reduce(
    (product, { length }) => product * Math.max(length, 1),
    1,
  )
  if (combined > MOST_COMBINED)
    throw new Unreadable(nameOf('frequency'), 'The rule combines more than {limit} days.', {
      limit: String(MOST_COMBINED),
    })
  if (!hasMatch(rule, start)) throw new Unreadable(nameOf('frequency'), 'The rule has no date at all.')
}

function largestPlace({ frequency, months }: Rule): number {
  if (frequency === 'yearly') return months.length === 0 ? 53 : 5
  return frequency === 'monthly' ? 5 : 0
}

/** Forms of RFC 5545: `20270630`, `20270630T190000`, `20270630T170000Z`. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/i
/** Forms with separators: `2027-06-30`, `2027-06-30 19:00`. */
const SPACED = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z)?)?$/i

interface DateRead {
  wall: string
  isDay: boolean
  isUtc: boolean
}

/**
 * Parses a date as local time in the zone of the start. A date without time gets the time of the start.
 * @throws Unreadable
 */
function dateOf(text: string, start: Start, zone: string, part: string): string {
  const { wall, isDay, isUtc } = readDate(text, part)
  if (start.allDay) return `${wall.slice(0, 10)} 00:00:00`
  if (isDay) return settled(wall.slice(0, 11) + start.local.slice(11), start)
  if (isUtc) return utcToWall(wall, start.zone)
  return zone === start.zone ? settled(wall, start) : utcToWall(wallToUtc(wall, zone), start.zone)
}

/**
 * Parses UNTIL as the end of the last day that may have a date: the day of UNTIL, or the day before if UNTIL
 * has a time at which that day's occurrence has not begun. A whole day means the same however a program
 * handles clock changes.
 * @throws Unreadable
 */
function untilOf(text: string, start: Start, part: string): string {
  const { wall, isDay, isUtc } = readDate(text, part)
  const day = dayNumber(isUtc && !start.allDay ? utcToWall(wall, start.zone) : wall)
  if (start.allDay || isDay) return endOfLastDay(day, start)
  const end = isUtc ? wall : wallToUtc(wall, start.zone)
  return endOfLastDay(wallToUtc(wallOfDay(day, start.local), start.zone) <= end ? day : day - 1, start)
}

function readDate(text: string, part: string): DateRead {
  const found = COMPACT.exec(text) ?? SPACED.exec(text)
  if (!found) throw invalid(part)
  const [, year, month, day, hour, minute = '00', second = '00', utc] = found
  const wall = `${year}-${month}-${day} ${hour ?? '00'}:${minute}:${second}`
  // 31 June and 24:00, which would roll over, are refused.
  if (!hasWallForm(wall) || formatUtc(utcToMs(wall)) !== wall) throw invalid(part)
  return { wall, isDay: hour === undefined, isUtc: utc !== undefined }
}
