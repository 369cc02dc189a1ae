import { isTimezone } from '../text/zones.ts'
import { occurrenceStarts } from './occurrences.ts'
import { type Fault, type Recurrence, type Rule, type Start, Unreadable } from './recurrence.ts'
import { searchedUntil } from './rule-dates.ts'
import { invalid, MOST_DATES, type RuleParts, ruleOf } from './rule-parts.ts'
import { dateOf, untilOf } from './rule-times.ts'

/** Room for a rule and as many added dates and exceptions as there may be. */
const LONGEST_INPUT = 40_000

/** The parts of RFC 5545 that are supported, by the members of a rule. */
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

/** The members of the object, by those of a rule. */
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

/** What was read of an input: the parts of a rule, if there is one, and both lists of dates. */
interface Reading {
  parts: RuleParts | undefined
  names: Partial<Record<keyof RuleParts, string>>
  added: string[]
  left: string[]
}

/**
 * Reads the recurrence of an event from RFC 5545 lines, as a text or a list, or from the object that `recurrenceObject`
 * answers (docs/series.md). Undefined for what means none: `""`, null, `[]`. What cannot be read, or has no date, is a Fault.
 * Never throws, and looks at sizes first, so that no input costs more than a moment.
 */
export function readRecurrence(input: unknown, start: Start): Recurrence | undefined | Fault {
  try {
    if (input === undefined || input === null) return undefined
    const reading =
      Array.isArray(input) || typeof input === 'string' ? readLines(input, start) : readObject(input, start)
    return reading && recurrenceOf(reading, start)
  } catch (error) {
    if (error instanceof Unreadable) return error.fault
    throw error
  }
}

function recurrenceOf({ parts, names, added, left }: Reading, start: Start): Recurrence {
  const rule = parts && ruleOf(parts, start, (part) => names[part] ?? names.frequency ?? 'RRULE')
  const recurrence = recurrenceWith(rule, added, left)
  if (left.length > 0 && occurrenceStarts(recurrence, start, searchedUntil(start), 1).length === 0)
    throw new Unreadable('EXDATE', 'The exceptions leave no date.')
  return recurrence
}

/** A recurrence whose lists are in order, without what they hold twice. */
function recurrenceWith(rule: Rule | undefined, added: readonly string[], left: readonly string[]): Recurrence {
  return { ...(rule ? { rule } : {}), added: inOrder(added), left: inOrder(left) }
}

function inOrder(walls: readonly string[]): string[] {
  return [...new Set(walls)].sort()
}

function unsupported(part: string): Unreadable {
  return new Unreadable(part, 'The part {part} of a recurrence is not supported.', { part })
}

function unreadable(): Unreadable {
  return new Unreadable('recurrence', 'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.')
}

function readLines(input: string | readonly unknown[], start: Start): Reading | undefined {
  const lines = linesOf(input)
  if (lines.length === 0) return undefined
  const reading: Reading = { parts: undefined, names: {}, added: [], left: [] }
  for (const line of lines) readLine(line, reading, start)
  if (!reading.parts && reading.added.length === 0) throw invalid('RRULE')
  return reading
}

/** The lines of a text or a list of texts, folded ones joined (RFC 5545, 3.1). */
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
    for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) if (line.trim() !== '') lines.push(line.trim())
  }
  return lines
}

function readLine(line: string, reading: Reading, start: Start): void {
  const [, name = '', params = '', value = ''] = /^(?:([A-Za-z-]+)((?:;[^:]*)?):)?(.*)$/.exec(line) ?? []
  const property = name === '' && value.includes('=') ? 'RRULE' : name.toUpperCase()
  if (property === 'RRULE') readRule(value, params, reading, start)
  else if (property === 'RDATE') readDates(value, params, property, reading.added, start)
  else if (property === 'EXDATE') readDates(value, params, property, reading.left, start)
  else if (property === 'DTSTART') readStart(value, params, start)
  else throw property === '' ? unreadable() : unsupported(property.slice(0, 40))
}

function readRule(value: string, params: string, reading: Reading, start: Start): void {
  if (reading.parts)
    throw new Unreadable('RRULE', 'The part {part} of a recurrence is given more than once.', { part: 'RRULE' })
  if (params !== '') throw invalid('RRULE')
  const parts: RuleParts = { weekdays: [], monthdays: [], months: [], positions: [] }
  const names: Reading['names'] = { frequency: 'RRULE:FREQ' }
  for (const pair of value.split(';')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const key = pair.slice(0, Math.max(at, 0)).trim().toUpperCase()
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

/** The dates of an RDATE or EXDATE line, which may be in any zone. */
function readDates(value: string, params: string, property: string, into: string[], start: Start): void {
  const zone = zoneOf(params, property, start)
  // Without a value it says that there are none.
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

/** A DTSTART beside the rule is what other programs write; it has to be the start of the event. */
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

function readObject(input: unknown, start: Start): Reading {
  if (typeof input !== 'object' || input === null) throw unreadable()
  const parts: RuleParts = { weekdays: [], monthdays: [], months: [], positions: [] }
  const reading: Reading = { parts, names: { ...swapped }, added: [], left: [] }
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

/** The texts of a member: one text or number, or a list of them. */
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
