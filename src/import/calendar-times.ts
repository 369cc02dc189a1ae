import { everyDate, readEveryRule } from '../recurrence/every-rule.ts'
import { formatUtc, utcToWall, wallToUtc } from '../text/zones.ts'
import { type CalendarZones, type Span, utcOf, yearOf, zoneOf } from './calendar-zones.ts'
import { type Component, type Property, propertiesOf, propertyOf } from './component-reader.ts'
import { type Clock, endOfRule, offsetAt, wallOf } from './zone-clocks.ts'
import { fixedZone } from './zone-names.ts'

/** A time of a component. */
export interface CalendarTime {
  wall: string
  zone: string
  isDay: boolean
  /** Where the zone is only an offset that the file has at this time: the clock of the file and what it shows. */
  own?: { clock: Clock; wall: string }
}

/** A DATE or DATE-TIME with its zone: times in UTC are converted to the zone of the file, times without a zone are read in it. */
export function timeOf(property: Property | undefined, zones: CalendarZones, span: Span): CalendarTime | undefined {
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
export function horizonOf({ today }: CalendarZones, start: string): string {
  return `${Math.min(9999, Math.max(yearOf(today), yearOf(start)) + YEARS_AHEAD)}-12-31 23:59:59`
}

/** The most rules of one event that are read. */
export const MOST_RULES = 10

/** The first and the last time of an event; of a rule that never ends some years are looked at. */
export function spanOf(component: Component, zones: CalendarZones): Span {
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
