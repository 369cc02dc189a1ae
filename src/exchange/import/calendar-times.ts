import { addDays } from '../../base/text/moments.ts'
import { DAY_MS, dayNumber, formatUtc, utcToMs, utcToWall, wallToUtc } from '../../base/text/zones.ts'
import {
  type CalendarZones,
  type Clock,
  type EventSpan,
  fixedZone,
  offsetAt,
  utcOf,
  wallOf,
  zoneOf,
} from './calendar-zones.ts'
import { type Component, type Property, propertyOf, textOf } from './component-reader.ts'

// Reads the times and the duration of an event in a calendar file.

/** A time of a component. */
export interface CalendarTime {
  wall: string
  zone: string
  isDay: boolean
  /** The clock that the file defines, and the wall time on it; set where no zone here shows the same, and `zone` is only the offset of that clock. */
  own?: { clock: Clock; wall: string }
}

/** Reads a DATE or DATE-TIME with its zone. Times in UTC are converted to the zone of the file; times without a zone are read in it. */
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

const utcMs = (time: CalendarTime) => utcToMs(utcOfTime(time))

/** The properties by which other programs mark events of whole days whose times are those of midnight. */
const MARKS = ['X-MICROSOFT-CDO-ALLDAYEVENT', 'X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT', 'X-FUNAMBOL-ALLDAY']

/** Returns the time of a property, which is a day where the event is marked as one of whole days. */
function markedTime(name: string, component: Component, zones: CalendarZones, span: EventSpan) {
  const time = timeOf(propertyOf(component, name), zones, span)
  const isDay = time?.wall.endsWith(' 00:00:00') && MARKS.some((mark) => /^(?:true|1)$/i.test(textOf(component, mark)))
  return time && isDay ? { wall: time.wall, zone: time.zone, isDay } : time
}

/** The further times of an event, which some programs write without a zone. */
const FURTHER = new Set(['DTEND', 'EXDATE', 'RDATE', 'RECURRENCE-ID'])

/** Returns an event whose further times are in the zone of its start where they name none. */
export function withOneZone(component: Component): Component {
  const TZID = propertyOf(component, 'DTSTART')?.parameters.TZID
  if (TZID === undefined) return component
  const properties = component.properties.map((property) =>
    FURTHER.has(property.name) ? { ...property, parameters: { TZID, ...property.parameters } } : property,
  )
  return { ...component, properties }
}

/** Returns the start of an event. An event that repeats by a rule in UTC has the zone UTC, since its dates follow no other clock. */
export function firstStart(component: Component, zones: CalendarZones, span: EventSpan): CalendarTime | undefined {
  const isUtc = /z\s*$/i.test(propertyOf(component, 'DTSTART')?.value ?? '')
  const repeats = component.properties.some(({ name }) => name === 'RRULE')
  return markedTime('DTSTART', component, repeats && isUtc ? { ...zones, zone: 'UTC' } : zones, span)
}

/** Returns the original start of an occurrence; undefined in an event that is none. */
export const originalStart = (component: Component, zones: CalendarZones, span: EventSpan) =>
  markedTime('RECURRENCE-ID', component, zones, span)

/** Returns the duration of an event: days, or ms of an event with times; undefined where it cannot be read or is negative. */
export function lengthOfEvent(component: Component, start: CalendarTime, zones: CalendarZones, span: EventSpan) {
  const property = propertyOf(component, 'DTEND')
  const duration = propertyOf(component, 'DURATION')
  if (!property && !duration) return start.isDay ? 1 : 0
  const length = property ? untilEnd(timeOf(property, zones, span), start) : lengthOf(duration?.value ?? '', start)
  if (length === undefined || length < 0) return undefined
  return start.isDay ? Math.max(1, length) : length
}

function untilEnd(end: CalendarTime | undefined, start: CalendarTime): number | undefined {
  if (!end || !start.isDay) return end && utcMs(end) - utcMs(start)
  // Some programs end a day a second before midnight.
  return dayNumber(formatUtc(utcToMs(end.wall) + 1000)) - dayNumber(start.wall)
}

/** Reads a DURATION: its weeks and days are those of the clock, and its hours pass (RFC 5545, 3.3.6). */
function lengthOf(value: string, start: CalendarTime): number | undefined {
  const [, sign, ...parts] =
    /^([+-])?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/i.exec(value.trim()) ??
    []
  if (parts.length === 0 || parts.every((part) => part === undefined)) return undefined
  if (sign === '-') return -1
  const [weeks = 0, rest = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const days = weeks * 7 + rest
  const ms = hours * 3_600_000 + minutes * 60_000 + seconds * 1000
  if (start.isDay) return days + Math.round(ms / DAY_MS)
  const { wall } = start
  return utcMs({ ...start, wall: addDays(wall.slice(0, 10), days) + wall.slice(10) }) - utcMs(start) + ms
}
