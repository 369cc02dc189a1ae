import type { Steps } from '../recurrence/every-rule.ts'
import { formatUtc, utcOfWall, utcToMs } from '../text/zones.ts'
import { type Component, propertyOf } from './component-reader.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { type Clock, clockOf, isClockOf, type Observance, offsetAt, readObservances } from './zone-clocks.ts'
import { fixedZone, isPlace, offsetsNamed, zoneName, zoneNamed } from './zone-names.ts'

/** A VTIMEZONE: the zones that it may mean by its names, and the offsets that it defines. */
interface Definition {
  /** Its observances as they are written. */
  text: string
  named: readonly string[]
  observances: readonly Observance[]
  /** What was made of it, by years. */
  readings: Map<string, { clock: Clock; zone: string | undefined }>
}

/** The time zones of a calendar file, and the faults of their names that its report has to tell. */
export interface CalendarZones {
  /** The zone of times without one. */
  zone: string
  definitions: Map<string, Definition>
  /** What may still be done to read definitions. */
  steps: Steps
  /** The zones that were found for names and for pairs of offsets. */
  meanings: Map<string, string | undefined>
  /** Names that faults were told of, and the faults that were not told yet. */
  told: Set<string>
  faults: string[]
  /** As `YYYY-MM-DD`. */
  today: string
}

/** The first and the last wall time of an event, which its zone is looked up for. */
export interface Span {
  first: string
  last: string
}

/** Time zone of an event: a zone that is known here, or the clock of the file where none here shows the same. */
export type ZoneReading = { zone: string } | { clock: Clock }

/** The most definitions of a file, steps to read them, and names that faults are told of. */
const MOST_DEFINITIONS = 2000
const MOST_STEPS = 5_000_000
/** Steps for one event. */
const STEPS_AT_ONCE = 100_000
const MOST_TOLD = 1000
const MOST_MEANINGS = 1000

export function noZones(zone: string, now: number): CalendarZones {
  const today = formatUtc(now).slice(0, 10)
  const steps = { left: MOST_STEPS }
  return { zone, definitions: new Map(), steps, meanings: new Map(), told: new Set(), faults: [], today }
}

export const yearOf = (wall: string) => Number(wall.slice(0, 4))

/** Notes what a VTIMEZONE defines; a later one takes the place of an earlier one of its name. */
export function define({ definitions, steps }: CalendarZones, component: Component): void {
  const name = zoneName(propertyOf(component, 'TZID')?.value ?? '')
  const key = name.toLowerCase()
  const text = JSON.stringify(component.parts)
  const known = definitions.get(key)
  if (name === '' || known?.text === text || (!known && definitions.size >= MOST_DEFINITIONS)) return
  const location = zoneName(propertyOf(component, 'X-LIC-LOCATION')?.value ?? '')
  const named = [zoneNamed(name) ?? [], zoneNamed(location) ?? []].flat()
  const observances = readObservances(component, steps)
  if (observances.length > 0) definitions.set(key, { text, named, observances, readings: new Map() })
}

/**
 * The zone of a TZID in an event. A name means what the file defines it to be; but to an event that is still to come, a place of the tz database is
 * that place, since definitions grow old and its visitors go by its clocks.
 */
export function zoneOf(tzid: string, span: Span, zones: CalendarZones): ZoneReading {
  const name = zoneName(tzid)
  if (name === '') return { zone: zones.zone }
  const named = meaningOf(name, zones, () => zoneNamed(name))
  if (named !== undefined && isPlace(named, name) && span.last >= zones.today) return { zone: named }
  const definition = zones.definitions.get(name.toLowerCase())
  const defined = definition && readingOf(definition, span, zones)
  return defined ?? { zone: named ?? guessed(name, zones) }
}

function meaningOf(key: string, { meanings }: CalendarZones, find: () => string | undefined): string | undefined {
  if (meanings.has(key)) return meanings.get(key)
  if (meanings.size >= MOST_MEANINGS) meanings.clear()
  const found = find()
  meanings.set(key, found)
  return found
}

/** The zone of times without one, by the name that the calendar gives it. */
export function calendarZone(name: string, zones: CalendarZones): string {
  const reading = zoneOf(name, { first: `${zones.today} 00:00:00`, last: `${zones.today} 00:00:00` }, zones)
  return 'zone' in reading ? reading.zone : zones.zone
}

/** The zone that a name without a definition may mean; the report tells of it. */
function guessed(name: string, zones: CalendarZones): string {
  const offsets = offsetsNamed(name)
  const fixed = offsets.length === 1 ? fixedZone(offsets[0] ?? 0) : undefined
  if (fixed !== undefined) {
    // The offset is all there is to such a name.
    if (/[a-z]{4}/i.test(name)) tell(zones, name, `is unknown here, so its times are at ${fixed} all year`)
    return fixed
  }
  const pair = offsets.length === 2 ? zoneOfPair(offsets, zones) : undefined
  if (pair === undefined)
    tell(zones, name, `is unknown here, so its times are in ${zones.zone}, the zone of the calendar`)
  return pair ?? zones.zone
}

function tell({ told, faults }: CalendarZones, name: string, what: string): void {
  if (told.has(name) || told.size >= MOST_TOLD) return
  told.add(name)
  faults.push(`The time zone ${name} ${what}.`)
}

/** A zone with these offsets, in minutes, in winter and summer of this year. */
function zoneOfPair(offsets: readonly number[], zones: CalendarZones): string | undefined {
  const { zone, today } = zones
  const halves = [Date.UTC(yearOf(today), 0, 15), Date.UTC(yearOf(today), 6, 15)]
  const shows = (one: string, order: readonly number[]) =>
    halves.every((utc, at) => isClockOf(one, { offset: (order[at] ?? 0) * 60_000, steps: [] }, utc, utc))
  const find = (steps: Steps) => {
    steps.left -= WELL_KNOWN.length * COMPARISON
    if (steps.left < 0) return undefined
    return [zone, ...WELL_KNOWN].find((one) => shows(one, offsets) || shows(one, offsets.toReversed()))
  }
  return meaningOf(`${zone} ${offsets.join(' ')}`, zones, () => withSteps(zones, find).result)
}

/** Zones that are tried first, and those of Windows, which are all that many people use. */
const WELL_KNOWN = [
  ...['UTC', 'Europe/London', 'Europe/Berlin', 'Europe/Athens'],
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  ...WINDOWS_ZONES,
]

/** Later years are not compared: nobody knows their clocks. */
const YEARS_AHEAD = 10
const MOST_YEARS = 50

function readingOf(definition: Definition, { first, last }: Span, zones: CalendarZones): ZoneReading | undefined {
  const from = yearOf(first)
  const ahead = Math.max(from + 1, yearOf(zones.today) + YEARS_AHEAD)
  const to = Math.min(Math.max(from, yearOf(last)), ahead, from + MOST_YEARS)
  const { result, isCut } = withSteps(zones, (steps) => wholeYears(definition, from, to, zones, steps))
  if (isCut) return undefined
  const { clock, zone } = result
  if (zone !== undefined) return { zone }
  const [start, end] = [utcOf(clock, first), utcOf(clock, last)]
  const [claimed] = definition.named
  if (claimed !== undefined && start < clock.since) return { zone: claimed }
  const near = [...definition.named, zones.zone].find((one) => isClockOf(one, clock, start, Math.max(start, end)))
  if (near !== undefined) return { zone: near }
  const fixed = clock.steps.length === 0 ? fixedZone(clock.offset / 60_000) : undefined
  return fixed === undefined ? { clock } : { zone: fixed }
}

/** The result of work for one event, and whether it was cut off since it took more steps than one event may. */
export function withSteps<Result>({ steps }: CalendarZones, work: (steps: Steps) => Result) {
  const share = { left: Math.min(STEPS_AT_ONCE, steps.left) }
  steps.left -= share.left
  const result = work(share)
  steps.left += Math.max(0, share.left)
  return { result, isCut: share.left < 0 }
}

/** The clock of a definition in some years, and the zone that shows the same from their beginning to their end. */
function wholeYears(definition: Definition, from: number, to: number, zones: CalendarZones, steps: Steps) {
  const { named, observances, readings } = definition
  const known = readings.get(`${from} ${to}`)
  if (known) return known
  const clock = clockOf(observances, from, to, steps)
  const [begin, end] = [Date.UTC(from, 0, 1), Date.UTC(to + 1, 0, 1)]
  // Many zones never change their clocks; such an offset is nobody's in particular.
  const candidates = [...named, zones.zone, ...(clock.steps.length > 0 ? WELL_KNOWN : [])]
  steps.left -= candidates.length * COMPARISON
  const zone = candidates.find((one) => isClockOf(one, clock, begin, end))
  const reading = { clock, zone }
  if (readings.size < MOST_READINGS && steps.left >= 0) readings.set(`${from} ${to}`, reading)
  return reading
}

/** Steps that one comparison counts for. */
const COMPARISON = 100
const MOST_READINGS = 200

/** The UTC time of a wall time on a clock, in ms. */
export function utcOf(clock: Clock, wall: string): number {
  return utcOfWall(utcToMs(wall), (utc) => offsetAt(clock, utc))
}

/** The wall time of a clock at a UTC time. */
export function wallAt(clock: Clock, utc: string): string {
  return formatUtc(utcToMs(utc) + offsetAt(clock, utcToMs(utc)))
}
