import { addDays } from '../../base/text/moments.ts'
import {
  DAY_MS,
  dayNumber,
  formatUtc,
  settledWall,
  utcToMs,
  utcToWall,
  wallToUtc,
} from '../../base/text/zones.ts'
import {
  type CalendarZones,
  type Clock,
  type EventSpan,
  fixedZone,
  offsetAt,
  utcOf,
  wallOf,
  zoneOf,
  zonesOfFile,
} from './calendar-zones.ts'
import { type Component, type Property, propertyOf, textOf } from './component-reader.ts'

export interface CalendarTime {
  wall: string
  zone: string
  isDay: boolean
  /** The wall time in the file, unconverted. */
  written: string
  isUtc?: true
  /**
   * The definition in the file and the time by it, if no zone here matches; `zone` is a fixed UTC offset
   * then.
   */
  own?: { clock: Clock; wall: string }
}

/** Reads a time. UTC is converted to the zone of the file, and a time without a zone is in that zone. */
export function timeOf(
  property: Property | undefined,
  zones: CalendarZones,
  span: EventSpan,
): CalendarTime | undefined {
  const wall = property && wallOf(property.value)
  if (!property || wall === undefined) return undefined
  const { zone } = zones
  const { TZID, VALUE = '' } = property.parameters
  const local = { wall, written: wall, zone, isDay: false }
  if (/^\d{8}$/.test(property.value.trim()) || /^date$/i.test(VALUE))
    return { ...local, wall: `${wall.slice(0, 10)} 00:00:00`, isDay: true }
  if (isUtcText(property.value)) return { ...local, wall: utcToWall(wall, zone), isUtc: true }
  if (TZID === undefined) return local
  const reading = zoneOf(TZID, span, zones)
  if ('zone' in reading) return { ...local, zone: reading.zone }
  const { clock } = reading
  const utc = utcOf(clock, wall)
  const fixed = fixedZone(Math.round(offsetAt(clock, utc) / 60_000)) ?? 'UTC'
  return { ...local, wall: utcToWall(formatUtc(utc), fixed), zone: fixed, own: { clock, wall } }
}

const isUtcText = (value: string) => /z\s*$/i.test(value)

export function utcOfTime({ wall, zone }: CalendarTime): string {
  return wallToUtc(wall, zone)
}

const utcMs = (time: CalendarTime) => utcToMs(utcOfTime(time))

/** Properties by which some programs mark an event as all-day, although it has times, both at midnight. */
const MARKS = ['X-MICROSOFT-CDO-ALLDAYEVENT', 'X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT', 'X-FUNAMBOL-ALLDAY']

function markedTime(name: string, component: Component, zones: CalendarZones, span: EventSpan) {
  const time = timeOf(propertyOf(component, name), zones, span)
  const isDay =
    time?.wall.endsWith(' 00:00:00') && MARKS.some((mark) => /^(?:true|1)$/i.test(textOf(component, mark)))
  return time && isDay ? { wall: time.wall, written: time.wall, zone: time.zone, isDay } : time
}

/** Properties that some programs write without a zone even if DTSTART has one. */
const FURTHER = new Set(['DTEND', 'EXDATE', 'RDATE', 'RECURRENCE-ID'])

/**
 * Adds a missing TZID to each of `FURTHER`: that of DTSTART, for RECURRENCE-ID that of the series.
 * @param first the DTSTART of the series
 */
export function withOneZone(component: Component, first?: Property): Component {
  const start = propertyOf(component, 'DTSTART')
  const properties = component.properties.map((property) => {
    const TZID =
      FURTHER.has(property.name) && zoneNameOf((property.name === 'RECURRENCE-ID' && first) || start)
    return TZID ? { ...property, parameters: { TZID, ...property.parameters } } : property
  })
  return { ...component, properties }
}

function zoneNameOf(property: Property | undefined): string | undefined {
  return property && isUtcText(property.value) ? 'UTC' : property?.parameters.TZID
}

/** Reads DTSTART. If it is in UTC and the event repeats, its zone is UTC: the dates ignore clock changes. */
export function firstStart(
  component: Component,
  zones: CalendarZones,
  span: EventSpan,
): CalendarTime | undefined {
  const isUtc = isUtcText(propertyOf(component, 'DTSTART')?.value ?? '')
  const repeats = component.properties.some(({ name }) => name === 'RRULE')
  return markedTime('DTSTART', component, repeats && isUtc ? { ...zones, zone: 'UTC' } : zones, span)
}

export const originalStart = (component: Component, zones: CalendarZones, span: EventSpan) =>
  markedTime('RECURRENCE-ID', component, zones, span)

/** @returns days of an all-day event, else ms; undefined if it is negative or unreadable */
export function lengthOfEvent(
  component: Component,
  start: CalendarTime,
  zones: CalendarZones,
  span: EventSpan,
) {
  const property = propertyOf(component, 'DTEND')
  const duration = propertyOf(component, 'DURATION')
  if (!property && !duration) return start.isDay ? 1 : 0
  const length = property
    ? untilEnd(timeOf(property, zones, span), start, zones)
    : lengthOf(duration?.value ?? '', start)
  if (length === undefined || length < 0) return undefined
  return start.isDay ? Math.max(1, length) : length
}

function untilEnd(
  end: CalendarTime | undefined,
  start: CalendarTime,
  zones: CalendarZones,
): number | undefined {
  if (!end || !start.isDay) return end && utcMs(end.isDay ? { ...end, zone: start.zone } : end) - utcMs(start)
  // Some programs end an all-day event one second before midnight.
  return dayNumber(formatUtc(utcToMs(dayMeant(end, zones)) + 1000)) - dayNumber(start.wall)
}

/** The day of an all-day event. UTC is converted to the zone where it is midnight; other times stay. */
export function dayMeant(
  { written, isUtc }: Pick<CalendarTime, 'written' | 'isUtc'>,
  zones: CalendarZones,
): string {
  const walls = isUtc ? zonesOfFile(zones).map((zone) => utcToWall(written, zone)) : []
  return walls.find((wall) => wall.endsWith(' 00:00:00')) ?? written
}

/**
 * The date that `time` (RDATE, EXDATE, RECURRENCE-ID) means: the one at the same instant, or else the
 * one of the same wall time, whatever its zone. Wall times are in the zone of the start.
 */
export function dateMeant(
  time: CalendarTime,
  start: CalendarTime,
  zones: CalendarZones,
  isDate: (wall: string) => boolean,
): string {
  if (start.isDay) return shownAt(dayMeant(time, zones), start)
  if (time.isDay) return shownAt(time.wall.slice(0, 10) + (start.own ?? start).wall.slice(10), start)
  const wall = time.zone === start.zone ? time.wall : utcToWall(utcOfTime(time), start.zone)
  const alike = isDate(wall) ? wall : shownAt(time.written, start)
  return isDate(alike) ? alike : wall
}

export function shownAt(wall: string, { zone, isDay, own }: CalendarTime): string {
  if (isDay) return `${wall.slice(0, 10)} 00:00:00`
  return own ? utcToWall(formatUtc(utcOf(own.clock, wall)), zone) : settledWall(wall, zone)
}

/** Reads DURATION: weeks and days as local time, hours as elapsed time (RFC 5545, 3.3.6). */
function lengthOf(value: string, start: CalendarTime): number | undefined {
  const [, sign, ...parts] =
    /^([+-])?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/i.exec(
      value.trim(),
    ) ?? []
  if (parts.length === 0 || parts.every((part) => part === undefined)) return undefined
  if (sign === '-') return -1
  const [weeks = 0, rest = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const days = weeks * 7 + rest
  const ms = hours * 3_600_000 + minutes * 60_000 + seconds * 1000
  if (start.isDay) return days + Math.round(ms / DAY_MS)
  const { wall } = start
  return utcMs({ ...start, wall: addDays(wall.slice(0, 10), days) + wall.slice(10) }) - utcMs(start) + ms
}
