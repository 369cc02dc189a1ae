import { isTimezone } from '../text/zones.ts'
import { type Component, propertiesOf, propertyOf } from './component-reader.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'

/** An observance of a VTIMEZONE: the offset that clocks show from a day of the year on. */
interface Observance {
  /** Minutes ahead of UTC. */
  offset: number
  /** Wall time, `YYYY-MM-DD HH:MM:SS`, of its first beginning. */
  start: string
  month: number | undefined
  /** 1 to 5, or -1 for the last; the weekday, 0 for Sunday. */
  nth: number
  weekday: number
}

/** The zones that a file defines under names of its own, by name. */
export type FileZones = ReadonlyMap<string, { named: string | undefined; observances: readonly Observance[] }>

/** The zone of a TZID: a zone of the tz database, or an offset at that time; undefined for an unknown one. */
export function zoneOf(tzid: string, wall: string, zones: FileZones): string | undefined {
  const known = knownZone(tzid)
  if (known !== undefined) return known
  const own = zones.get(tzid)
  if (!own) return undefined
  return own.named ?? zoneOfOffset(offsetAt(own.observances, wall))
}

/** Reads names of the tz database, perhaps after a path or before a remark, names of Windows, and names that state an offset. */
function knownZone(tzid: string): string | undefined {
  const trimmed = tzid.trim().replace(/^"|"$/g, '')
  if (trimmed !== '' && isTimezone(trimmed)) return trimmed
  const windows = WINDOWS_ZONES[trimmed]
  if (windows !== undefined) return windows
  const parts = trimmed.split('/')
  const behindPath = [3, 2].map((last) => parts.slice(-last).join('/')).find(isTimezone)
  if (behindPath !== undefined && parts.length > 2) return behindPath
  const [, sign, hours, minutes = '00'] = /^\(?(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?(\d\d))?\)?/.exec(trimmed) ?? []
  if (hours === undefined) return undefined
  return zoneOfOffset((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)))
}

function zoneOfOffset(minutes: number | undefined): string | undefined {
  if (minutes === undefined || Math.abs(minutes) > 14 * 60) return undefined
  const hours = Math.abs(minutes) / 60
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '-' : '+'}${hours}`
}

/** The content of a VTIMEZONE. */
export function readZone(
  component: Component,
): readonly [tzid: string, zone: FileZones extends ReadonlyMap<string, infer Zone> ? Zone : never] {
  const location = propertyOf(component, 'X-LIC-LOCATION')?.value ?? ''
  const observances = component.parts.flatMap((part) => readObservance(part) ?? [])
  const named = knownZone(location)
  return [propertyOf(component, 'TZID')?.value ?? '', { named, observances }]
}

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

function readObservance(part: Component): Observance | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(propertyOf(part, 'TZOFFSETTO')?.value ?? '') ?? []
  const start = wallOf(propertyOf(part, 'DTSTART')?.value ?? '19700101T000000')
  if (hours === undefined || start === undefined) return undefined
  const rule = propertiesOf(part, 'RRULE')[0]?.value ?? ''
  const [, month] = /BYMONTH=(\d{1,2})/i.exec(rule) ?? []
  const [, nth = '1', day = 'SU'] = /BYDAY=(-?\d)?([A-Z]{2})/i.exec(rule) ?? []
  return {
    offset: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)),
    start,
    month: month === undefined ? undefined : Number(month),
    nth: Number(nth),
    weekday: DAYS.indexOf(day.toUpperCase()),
  }
}

/** A DATE or DATE-TIME as wall time; undefined for anything else. */
export function wallOf(value: string): string | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?Z?)?$/i.exec(value.trim()) ?? []
  if (year === undefined) return undefined
  const wall = `${year}-${month}-${day} ${hour}:${minute}:${second === '60' ? '59' : second}`
  const ms = Date.parse(`${wall.replace(' ', 'T')}Z`)
  return Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day) ? undefined : wall
}

/** The offset of the observance that began last before a wall time. */
function offsetAt(observances: readonly Observance[], wall: string): number | undefined {
  const begun = observances
    .map(({ offset, ...observance }) => ({ offset, since: lastStart({ offset, ...observance }, wall) }))
    .filter(({ since }) => since <= wall)
    .sort((a, b) => (a.since < b.since ? 1 : -1))
  return (begun[0] ?? observances[0])?.offset
}

/** The last beginning of an observance before a wall time, or its first beginning. */
function lastStart({ start, month, nth, weekday }: Observance, wall: string): string {
  if (month === undefined || weekday < 0) return start
  const year = Number(wall.slice(0, 4))
  const [found] = [year, year - 1]
    .map((one) => `${dayIn(one, month, nth, weekday)}${start.slice(10)}`)
    .filter((day) => day <= wall && day >= start)
  return found ?? start
}

function dayIn(year: number, month: number, nth: number, weekday: number): string {
  const edge = nth > 0 ? new Date(Date.UTC(year, month - 1, 1)) : new Date(Date.UTC(year, month, 0))
  const off = nth > 0 ? (weekday - edge.getUTCDay() + 7) % 7 : -((edge.getUTCDay() - weekday + 7) % 7)
  const weeks = nth > 0 ? nth - 1 : nth + 1
  edge.setUTCDate(edge.getUTCDate() + off + weeks * 7)
  return edge.toISOString().slice(0, 10)
}
