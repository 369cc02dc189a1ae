import { type EveryRule, everyDate, readEveryRule, type Steps } from '../recurrence/every-rule.ts'
import { MOST_DATES, readRecurrence } from '../recurrence/read-recurrence.ts'
import { type Fault, isFault, type Recurrence } from '../recurrence/recurrence.ts'
import { formatUtc, settledWall, utcToWall } from '../text/zones.ts'
import { type CalendarTime, horizonOf, MOST_RULES, timeOf, utcOfTime } from './calendar-times.ts'
import { type CalendarZones, type Span, utcOf, wallAt, withSteps } from './calendar-zones.ts'
import { type Component, type Property, propertiesOf } from './component-reader.ts'
import { endOfRule } from './zone-clocks.ts'

/** The properties of a recurrence. */
export const RULES = new Set(['RRULE', 'RDATE', 'EXDATE', 'EXRULE'])

/** How an event repeats: by a rule as events here do, or on dates. Wall times are in the zone of its start. */
export type CalendarRecurrence =
  | { rule: Recurrence }
  /** `note` says what the report has to tell, if anything. */
  | { dates: readonly string[]; note: string | undefined }

/** The recurrence of an event; undefined for one that does not repeat, and a sentence for one that repeats in a way that cannot be read. */
export function recurrenceOf(
  component: Component,
  start: CalendarTime,
  span: Span,
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
function lineOf(property: Property, start: CalendarTime, span: Span, zones: CalendarZones): string {
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
function timesIn(property: Property, start: CalendarTime, span: Span, zones: CalendarZones): string[] {
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
  { span, zones, reason }: { span: Span; zones: CalendarZones; reason: string },
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
