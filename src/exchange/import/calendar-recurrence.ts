import { type EveryRule, everyDate, readEveryRule, type Steps } from '../../base/recurrence/every-rule.ts'
import { MOST_DATES, readRecurrence } from '../../base/recurrence/read-recurrence.ts'
import { type Fault, isFault, type Recurrence } from '../../base/recurrence/recurrence.ts'
import { formatUtc, settledWall, utcToWall, wallToUtc } from '../../base/text/zones.ts'
import {
  type CalendarZones,
  type Clock,
  type EventSpan,
  endOfRule,
  fixedZone,
  offsetAt,
  utcOf,
  wallAt,
  wallOf,
  withSteps,
  yearOf,
  zoneOf,
} from './calendar-zones.ts'
import { type Component, type Property, propertiesOf, propertyOf } from './component-reader.ts'

// Reads how an event of a calendar file repeats.

/** A time of a component. */
export interface CalendarTime {
  wall: string
  zone: string
  isDay: boolean
  /** The clock of the file and its wall time, where the zone here is only the offset that the file has at this time. */
  own?: { clock: Clock; wall: string }
}

/** A DATE or DATE-TIME with its zone: times in UTC are converted to the zone of the file, times without a zone are read in it. */
export function timeOf(
  property: Property | undefined,
  zones: CalendarZones,
  span: EventSpan,
): CalendarTime | undefined {
  const wall = property && wallOf(property.value)
  if (!property || wall === undefined) return undefined
  const { zone } = zones
  if (/^\d{8}$/.test(property.value.trim())) return { wall, zone, isDay: true }
  if (/z$/i.test(property.value.trim())) return { wall: utcToWall(wall, zone), zone, isDay: false }
  const { TZID } = property.parameters
  if (TZID === undefined) return { wall, zone, isDay: false }
  const reading = zoneOf(TZID, span, zones)
  if ('zone' in reading) return { wall, zone: reading.zone, isDay: false }
  const { clock } = reading
  const utc = utcOf(clock, wall)
  const fixed = fixedZone(Math.round(offsetAt(clock, utc) / 60_000)) ?? 'UTC'
  return { wall: utcToWall(formatUtc(utc), fixed), zone: fixed, isDay: false, own: { clock, wall } }
}

export function utcOfTime({ wall, zone }: CalendarTime): string {
  return wallToUtc(wall, zone)
}

/** Years that a rule without an end is looked at beyond this one. */
const YEARS_AHEAD = 5
const STEPS_TO_COUNT = 2000

/** The end of the years that are looked at, as a wall time. */
function horizonOf({ today }: CalendarZones, start: string): string {
  return `${Math.min(9999, Math.max(yearOf(today), yearOf(start)) + YEARS_AHEAD)}-12-31 23:59:59`
}

/** The most rules of one event that are read. */
const MOST_RULES = 10

/** The first and the last time of an event; of a rule that never ends some years are looked at. */
export function spanOf(component: Component, zones: CalendarZones): EventSpan {
  const lists = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE'].flatMap((name) => propertiesOf(component, name))
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

/** The properties of a recurrence. */
export const RULES = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE'])

/** How an event repeats: by a rule as events here do, or on dates. Wall times are in the zone of its start. */
type CalendarRecurrence =
  | { rule: Recurrence }
  /** `note` says what the report has to tell, if anything. */
  | { dates: readonly string[]; note: string | undefined }

/** The recurrence of an event; undefined for one that does not repeat, and a sentence for one that repeats in a way that cannot be read. */
export function componentRecurrence(
  component: Component,
  start: CalendarTime,
  span: EventSpan,
  zones: CalendarZones,
): CalendarRecurrence | string | undefined {
  const properties = component.properties.filter(({ name }) => RULES.has(name))
  const lines = properties.map((property) => lineOf(property, start, span, zones)).filter((line) => !line.endsWith(':'))
  if (lines.length === 0) return undefined
  const fault = start.own ? undefined : readRule(lines, start)
  if (fault && !isFault(fault)) return { rule: fault }
  const reason = fault ? faultText(fault) : 'its time zone has clocks like no other'
  return datesOf(component, start, { span, zones, reason }) ?? reason
}

function readRule(lines: readonly string[], start: CalendarTime): Recurrence | Fault | undefined {
  return readRecurrence(lines, { local: start.wall, zone: start.zone, allDay: start.isDay })
}

function faultText({ part, message, values = {} }: Fault): string {
  return `${part}: ${message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '').replace(/\.$/, '')}`
}

/** A line of a rule for the parser of rules: dates become wall times in the zone of the event. */
function lineOf(property: Property, start: CalendarTime, span: EventSpan, zones: CalendarZones): string {
  const { name, value } = property
  if (name.endsWith('RULE')) return `${name}:${value}`
  const dates = timesIn(property, start, span, zones).flatMap((wall) => {
    // An exception before the start has no effect.
    if (name === 'EXDATE' && wall < start.wall) return []
    return start.isDay ? wall.slice(0, 10).replaceAll('-', '') : wall.replace(' ', 'T').replace(/[-:]/g, '')
  })
  return `${name}${start.isDay ? ';VALUE=DATE' : ''}:${dates.join(',')}`
}

/** The dates of RDATE or EXDATE as wall times in the zone of the start. */
function timesIn(property: Property, start: CalendarTime, span: EventSpan, zones: CalendarZones): string[] {
  return property.value.split(',').flatMap((one) => {
    const time = timeOf({ ...property, value: one.split('/')[0] ?? '' }, zones, span)
    if (!time) return []
    // In an event with times, a day means the occurrence that starts on it.
    if (time.isDay && !start.isDay) return shownAt(time.wall.slice(0, 10) + (start.own ?? start).wall.slice(10), start)
    if (start.isDay) return shownAt(time.wall, start)
    return time.zone === start.zone ? time.wall : utcToWall(utcOfTime(time), start.zone)
  })
}

/** Converts a wall time on the clock of the event, which the file may define itself, into a wall time in the zone of its start. */
function shownAt(wall: string, { zone, isDay, own }: CalendarTime): string {
  if (isDay) return `${wall.slice(0, 10)} 00:00:00`
  return own ? utcToWall(formatUtc(utcOf(own.clock, wall)), zone) : settledWall(wall, zone)
}

/** The dates of an event one by one; undefined where a rule cannot be read. */
function datesOf(
  component: Component,
  start: CalendarTime,
  { span, zones, reason }: { span: EventSpan; zones: CalendarZones; reason: string },
): CalendarRecurrence | undefined {
  const rules = rulesOf(component, 'RRULE')
  const exceptions = rulesOf(component, 'EXRULE')
  if (!rules || !exceptions) return undefined
  const listed = (name: string) => propertiesOf(component, name).flatMap((line) => timesIn(line, start, span, zones))
  const { result: found, isCut } = withSteps(zones, (steps) => {
    const made = (rule: EveryRule) => madeBy(rule, start, zones, steps)
    const gone = new Set([...listed('EXDATE'), ...exceptions.flatMap(made)])
    const all = new Set([start.wall, ...listed('RDATE'), ...rules.flatMap(made)])
    return [...all].filter((wall) => !gone.has(wall)).sort()
  })
  const dates = kept(found, zones.today)
  const isEndless = rules.some(({ count, until }) => count === undefined && until === undefined)
  const lacksSome = isCut || isEndless || dates.length < found.length
  if (dates.length === 0 || (dates.length === 1 && !lacksSome)) return { dates, note: undefined }
  const what = `repeats in a way that events here do not (${reason}), so`
  if (dates.length === 1) return { dates, note: `${what} only its first date is in.` }
  const extent = `${dates.length} dates from ${dates[0]?.slice(0, 10)} to ${dates.at(-1)?.slice(0, 10)}`
  return { dates, note: `${what} it is in on ${extent}${lacksSome ? '; others are left out.' : '.'}` }
}

function rulesOf(component: Component, name: string): EveryRule[] | undefined {
  const lines = propertiesOf(component, name)
  const rules = lines.slice(0, MOST_RULES).flatMap(({ value }) => readEveryRule(value) ?? [])
  return rules.length === lines.length ? rules : undefined
}

function madeBy(rule: EveryRule, start: CalendarTime, zones: CalendarZones, steps: Steps): string[] {
  const { wall, zone, own } = start
  const begin = own?.wall ?? wall
  const ofUtc = (utc: string) => (own ? wallAt(own.clock, utc) : utcToWall(utc, zone))
  const end = endOfRule(rule, horizonOf(zones, begin), ofUtc)
  return [...everyDate(rule, begin, end, steps)].map((one) => shownAt(one, start))
}

/** As many dates as a series may have: those to come, and before them half as many that are over. */
function kept(dates: readonly string[], today: string): readonly string[] {
  const coming = dates.findIndex((wall) => wall >= today)
  const from = Math.min((coming === -1 ? dates.length : coming) - MOST_DATES / 2, dates.length - MOST_DATES)
  return dates.slice(Math.max(0, from)).slice(0, MOST_DATES)
}
