import { type Fault, isFault, type Recurrence } from '../../base/recurrence/recurrence.ts'
import { MOST_DATES, readRecurrence } from '../../base/recurrence/recurrence-text.ts'
import { utcToWall, wallToUtc } from '../../base/text/zones.ts'
import { type CalendarTime, dateMeant, dayMeant, shownAt, timeOf } from './calendar-times.ts'
import {
  type CalendarZones,
  type EventSpan,
  endOfRule,
  wallAt,
  wallOf,
  withSteps,
  yearOf,
} from './calendar-zones.ts'
import { type Component, propertiesOf, propertyOf, textOf } from './component-reader.ts'
import { type EveryRule, everyDate, readEveryRule, type Steps } from './every-rule.ts'
import { type Message, message } from './import-messages.ts'

/** A rule without an end is expanded for this many years. */
const YEARS_AHEAD = 5
const STEPS_TO_COUNT = 2000

function horizonOf({ today }: CalendarZones, start: string): string {
  return `${Math.min(9999, Math.max(yearOf(today), yearOf(start)) + YEARS_AHEAD)}-12-31 23:59:59`
}

const MOST_RULES = 10

export function spanOf(component: Component, zones: CalendarZones): EventSpan {
  const lists = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE'].flatMap((name) =>
    propertiesOf(component, name),
  )
  const walls = lists.flatMap(({ value }) => value.split(/[,/]/).flatMap((text) => wallOf(text) ?? [])).sort()
  const start = wallOf(propertyOf(component, 'DTSTART')?.value ?? '') ?? walls[0] ?? '1970-01-01 00:00:00'
  const rules = propertiesOf(component, 'RRULE').slice(0, MOST_RULES)
  const ends = rules.map(({ value }) => lastOf(value, start, horizonOf(zones, start)))
  return { first: walls[0] ?? start, last: [walls.at(-1) ?? start, ...ends].sort().at(-1) ?? start }
}

function lastOf(value: string, start: string, horizon: string): string {
  const rule = readEveryRule(value)
  if (!rule) return start
  const end = endOfRule(rule, horizon, (utc) => utc)
  let last = start
  if (rule.count === undefined) return end
  const steps = { left: STEPS_TO_COUNT }
  for (const wall of everyDate(rule, start, end, steps)) last = wall
  return steps.left < 0 ? end : last
}

export const RULES = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE'])

/**
 * How an event repeats: by a rule that events here can have, or on single dates. `left` are the wall times of
 * exceptions; `isDate` is true for wall times of dates; all are in the zone of the start.
 */
export type CalendarRecurrence = { left: readonly string[]; isDate: (wall: string) => boolean } & (
  | { rule: Recurrence }
  | { dates: readonly string[]; note: Message | undefined }
)

export function componentRecurrence(
  component: Component,
  start: CalendarTime,
  span: EventSpan,
  zones: CalendarZones,
): CalendarRecurrence | { unread: Message } | undefined {
  const rules = component.properties
    .filter(({ name }) => name.endsWith('RULE'))
    .map(({ name, value }) => `${name}:${withDayAtEnd(value, start, zones)}`)
  const added = furtherDates(component, start, span, zones)
  const isDate = isDateOf(start, added)
  const left = exceptionsOf(component, start, { span, zones, dates: added, isDate })
  // An exception before the start has no effect.
  const lists = { RDATE: added, EXDATE: left.filter((wall) => wall >= start.wall) }
  const lines = [...rules, ...Object.entries(lists).map(([name, walls]) => lineOf(name, walls, start))]
  const given = lines.filter((line) => !line.endsWith(':'))
  if (given.length === 0) return undefined
  const fault = start.own ? undefined : readRule(given, start)
  if (fault && !isFault(fault)) return { rule: fault, left, isDate }
  const reason = fault ? faultText(fault) : message('its time zone has clocks like no other')
  return datesOf(component, start, { span, zones, reason }) ?? { unread: reason }
}

/** Makes a test: true for a wall time in `dates`, or at the time of day of the start. */
function isDateOf({ wall: first }: CalendarTime, dates: readonly string[]): (wall: string) => boolean {
  const known = new Set(dates)
  return (wall) => wall.slice(10) === first.slice(10) || known.has(wall)
}

function readRule(lines: readonly string[], start: CalendarTime): Recurrence | Fault | undefined {
  return readRecurrence(lines, { local: start.wall, zone: start.zone, allDay: start.isDay })
}

function faultText({ part, message: fault, values = {} }: Fault): Message {
  return message('{part}: {fault}', { part, fault: { text: fault, values } })
}

function withDayAtEnd(value: string, start: CalendarTime, zones: CalendarZones): string {
  if (!start.isDay) return value
  return value.replace(/(?<=\bUNTIL=)\d{8}T\d{6}Z/i, (end) => {
    const wall = wallOf(end)
    return wall ? dayMeant({ written: wall, isUtc: true }, zones).slice(0, 10).replaceAll('-', '') : end
  })
}

function lineOf(name: string, walls: readonly string[], { isDay }: CalendarTime): string {
  const texts = walls.map((wall) => (isDay ? wall.slice(0, 10) : wall).replace(' ', 'T').replace(/[-:]/g, ''))
  return `${name}${isDay ? ';VALUE=DATE' : ''}:${texts.join(',')}`
}

function timesIn(component: Component, name: string, span: EventSpan, zones: CalendarZones): CalendarTime[] {
  return propertiesOf(component, name).flatMap((property) =>
    property.value
      .split(',')
      .flatMap((one) => timeOf({ ...property, value: one.split('/')[0] ?? '' }, zones, span) ?? []),
  )
}

function furtherDates(
  component: Component,
  start: CalendarTime,
  span: EventSpan,
  zones: CalendarZones,
): string[] {
  return timesIn(component, 'RDATE', span, zones).map((time) => dateMeant(time, start, zones, () => true))
}

/** Wall times of EXDATE; a day without a time removes all its dates. */
function exceptionsOf(
  component: Component,
  start: CalendarTime,
  {
    span,
    zones,
    dates,
    isDate,
  }: { span: EventSpan; zones: CalendarZones; dates: Iterable<string>; isDate: (wall: string) => boolean },
): string[] {
  const times = timesIn(component, 'EXDATE', span, zones)
  const isOfDays = !start.isDay && times.some(({ isDay }) => isDay)
  const byDay = Map.groupBy(isOfDays ? dates : [], (wall) => ownWall(wall, start).slice(0, 10))
  return times.flatMap((time) => {
    const date = dateMeant(time, start, zones, isDate)
    return time.isDay ? [date, ...(byDay.get(time.wall.slice(0, 10)) ?? [])] : date
  })
}

function ownWall(wall: string, { zone, own }: CalendarTime): string {
  return own ? wallAt(own.clock, wallToUtc(wall, zone)) : wall
}

function datesOf(
  component: Component,
  start: CalendarTime,
  { span, zones, reason }: { span: EventSpan; zones: CalendarZones; reason: Message },
): CalendarRecurrence | undefined {
  const rules = rulesOf(component, 'RRULE', start, zones)
  const exceptions = rulesOf(component, 'EXRULE', start, zones)
  if (!rules || !exceptions) return undefined
  const { result, isCut } = withSteps(zones, (steps) => {
    const made = (rule: EveryRule) => madeBy(rule, start, zones, steps)
    const first = hasEnded(rules, start, zones) ? [] : [start.wall]
    const all = new Set([...first, ...furtherDates(component, start, span, zones), ...rules.flatMap(made)])
    const isDate = (wall: string) => all.has(wall)
    const left = exceptionsOf(component, start, { span, zones, dates: all, isDate })
    const gone = new Set([...left, ...exceptions.flatMap(made)])
    return { found: [...all].filter((wall) => !gone.has(wall)).sort(), left, isDate }
  })
  const { found, ...read } = result
  const dates = kept(found, zones.today)
  const isEndless = rules.some(({ count, until }) => count === undefined && until === undefined)
  const lacksSome = isCut || isEndless || dates.length < found.length
  if (dates.length === 0 || (dates.length === 1 && !lacksSome)) return { ...read, dates, note: undefined }
  const title = textOf(component, 'SUMMARY')
  const how = message('{title} repeats in a way that events here do not ({reason}), so', { title, reason })
  if (dates.length === 1) return { ...read, dates, note: [how, message('only its first date is in.')] }
  const [from = '', to = ''] = [dates[0]?.slice(0, 10), dates.at(-1)?.slice(0, 10)]
  const extent = { dates: `${dates.length}`, from, to }
  const which = lacksSome
    ? message('it is in on {dates} dates from {from} to {to}; others are left out.', extent)
    : message('it is in on {dates} dates from {from} to {to}.', extent)
  return { ...read, dates, note: [how, which] }
}

function rulesOf(
  component: Component,
  name: string,
  start: CalendarTime,
  zones: CalendarZones,
): EveryRule[] | undefined {
  const lines = propertiesOf(component, name)
  const texts = lines.slice(0, MOST_RULES).map(({ value }) => withDayAtEnd(value, start, zones))
  const rules = texts.flatMap((text) => readEveryRule(text) ?? [])
  return rules.length === lines.length ? rules : undefined
}

/** True if every rule ends before the start, which is then no date of the event. */
function hasEnded(rules: readonly EveryRule[], start: CalendarTime, zones: CalendarZones): boolean {
  return rules.length > 0 && rules.every((rule) => endOf(rule, start, zones) < ownStart(start))
}

function madeBy(rule: EveryRule, start: CalendarTime, zones: CalendarZones, steps: Steps): string[] {
  return [...everyDate(rule, ownStart(start), endOf(rule, start, zones), steps)].map((one) =>
    shownAt(one, start),
  )
}

const ownStart = ({ wall, own }: CalendarTime) => own?.wall ?? wall

function endOf(rule: EveryRule, start: CalendarTime, zones: CalendarZones): string {
  return endOfRule(rule, horizonOf(zones, ownStart(start)), (utc) =>
    ownWall(utcToWall(utc, start.zone), start),
  )
}

/** Keeps at most `MOST_DATES`: half of them past, or more if fewer are to come. */
function kept(dates: readonly string[], today: string): readonly string[] {
  const coming = dates.findIndex((wall) => wall >= today)
  const from = Math.min((coming === -1 ? dates.length : coming) - MOST_DATES / 2, dates.length - MOST_DATES)
  return dates.slice(Math.max(0, from)).slice(0, MOST_DATES)
}
