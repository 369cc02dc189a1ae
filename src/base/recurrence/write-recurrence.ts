import { clockChanges, isTimezone, wallToUtc } from '../text/zones.ts'
import { endWith, LAST_WALL, matchingDates, type Recurrence, type Rule, ruleDates, type Start } from './recurrence.ts'

// Writes a recurrence as lines of RFC 5545, and as the object that clients send.

/** A recurrence as an object with the members that clients send (docs/series.md); what was not given is left out. */
export interface RecurrenceObject {
  frequency?: string
  interval?: number
  count?: number
  /** The last day. */
  until?: string
  weekdays?: string[]
  month_days?: number[]
  months?: number[]
  positions?: number[]
  week_start?: string
  added?: string[]
  left?: string[]
}

/** The lines of a recurrence as RFC 5545 writes them, in one form for each recurrence: RRULE, RDATE and EXDATE, each only if it has a value. */
export function recurrenceLines({ rule, added, left }: Recurrence, start: Start): string[] {
  return [
    ...(rule ? [`RRULE:${ruleText(rule, start)}`] : []),
    ...datesLine('RDATE', added, start),
    ...datesLine('EXDATE', left, start),
  ]
}

/**
 * Returns the lines for calendar files. Readers differ where a rule does not make its own start: some leave the start out, others do not count it.
 * So the start becomes an added date there, and a count becomes an end.
 */
export function calendarLines(recurrence: Recurrence, start: Start): string[] {
  const { rule, added, left } = recurrence
  if (!rule || matchingDates(rule, start, start.local).next().done === false) return recurrenceLines(recurrence, start)
  const written = { added: [start.local, ...added.filter((wall) => wall !== start.local)], left }
  if (rule.count === undefined) return recurrenceLines({ ...written, rule }, start)
  const last = lastDate(rule, start)
  const { count: _count, ...endless } = rule
  return recurrenceLines(
    last === start.local ? written : { ...written, rule: { ...endless, until: endWith(last, start) } },
    start,
  )
}

function lastDate(rule: Rule, start: Start): string {
  let last = start.local
  for (const wall of ruleDates(rule, start, LAST_WALL)) last = wall
  return last
}

/** The value of RRULE. The end is in UTC as RFC 5545 asks, save for days. */
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

/** A recurrence as the object that clients may send in place of lines. */
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

/** A wall time of a series as iCalendar writes it: a day, or a time with or without `Z`. */
function compact(wall: string, { allDay }: Pick<Start, 'allDay'>): string {
  const text = wall.replace(' ', 'T').replace(/[-:]/g, '')
  return allDay ? text.slice(0, 8) : text
}

/** Whether readers of calendar files know a zone by its name; times of other zones are written in UTC. */
function isNamedZone(zone: string): boolean {
  return isTimezone(zone) && zone.toUpperCase() !== 'UTC' && clockChanges(zone, 0, 0) !== undefined
}

/** The lines of a rule with its exceptions, even if there are none: without such a line, dates that were left out before would stay so. */
export function withExceptions(lines: readonly unknown[]): readonly unknown[] {
  return lines.some((line) => String(line).startsWith('EXDATE')) ? lines : [...lines, 'EXDATE:']
}
