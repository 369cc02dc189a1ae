import {
  clockChanges,
  DAY_MS,
  formatUtc,
  isTimezone,
  utcOfWall,
  utcToMs,
  utcToWall,
} from '../../base/text/zones.ts'
import { isUtc } from '../feeds/zone-rules.ts'
import { type Component, decodeText, propertiesOf, propertyOf } from './component-reader.ts'
import { type EveryRule, everyDate, readEveryRule, type Steps } from './every-rule.ts'
import { type Message, message } from './import-messages.ts'
import { WINDOWS_ZONES, windowsZone } from './windows-zones.ts'

interface Definition {
  text: string
  named: readonly string[]
  observances: readonly Observance[]
  readings: Map<string, { clock: Clock; zone: string | undefined }>
}

export interface CalendarZones {
  /** The zone of the file, for times without a zone; `site` is the zone of the site. */
  zone: string
  site: string
  definitions: Map<string, Definition>
  steps: Steps
  meanings: Map<string, string | undefined>
  told: Set<string>
  faults: Message[]
  today: string
}

export interface EventSpan {
  first: string
  last: string
}

/** A zone known here, or the file's own clock if no zone shows the same times. */
type ZoneReading = { zone: string } | { clock: Clock }

const MOST_DEFINITIONS = 2000
const MOST_STEPS = 5_000_000
const STEPS_AT_ONCE = 100_000
const MOST_TOLD = 1000
const MOST_MEANINGS = 1000

export function noZones(zone: string, now: number): CalendarZones {
  const today = formatUtc(now).slice(0, 10)
  const steps = { left: MOST_STEPS }
  return {
    zone,
    site: zone,
    definitions: new Map(),
    steps,
    meanings: new Map(),
    told: new Set(),
    faults: [],
    today,
  }
}

export const yearOf = (wall: string) => Number(wall.slice(0, 4))

/** Adds a VTIMEZONE; replaces one of the same name. */
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
 * Finds the zone of a TZID: by the VTIMEZONE in the file, then the name, then a guess. Definitions become
 * outdated, so for a coming event a TZID that names a place (`Europe/Berlin`) means that place.
 */
export function zoneOf(tzid: string, span: EventSpan, zones: CalendarZones): ZoneReading {
  const name = zoneName(tzid)
  if (name === '') return { zone: zones.zone }
  const named = meaningOf(name, zones, () => zoneNamed(name))
  if (named !== undefined && isPlace(named, name) && span.last >= zones.today) return { zone: named }
  const definition = zones.definitions.get(name.toLowerCase())
  const defined = definition && readingOf(definition, span, zones)
  return defined ?? { zone: named ?? guessed(name, zones) }
}

function meaningOf(
  key: string,
  { meanings }: CalendarZones,
  find: () => string | undefined,
): string | undefined {
  if (meanings.has(key)) return meanings.get(key)
  if (meanings.size >= MOST_MEANINGS) meanings.clear()
  const found = find()
  meanings.set(key, found)
  return found
}

export function calendarZone(name: string, zones: CalendarZones): string {
  const reading = zoneOf(name, { first: `${zones.today} 00:00:00`, last: `${zones.today} 00:00:00` }, zones)
  return 'zone' in reading ? reading.zone : zones.zone
}

export function zonesOfFile({ zone, site, definitions }: CalendarZones): string[] {
  const defined = [...definitions.values().take(MOST_LOOKED_AT)].flatMap(({ named }) => named.slice(0, 1))
  return [...new Set([zone, site, ...defined])]
}

const MOST_LOOKED_AT = 20

function guessed(name: string, zones: CalendarZones): string {
  const offsets = offsetsNamed(name)
  const fixed = offsets.length === 1 ? fixedZone(offsets[0] ?? 0) : undefined
  if (fixed !== undefined) {
    // A mere offset such as `GMT+0100` loses nothing, so it needs no remark.
    if (/[a-z]{4}/i.test(name))
      note(
        zones,
        name,
        message('The time zone {name} is unknown here, so its times are at {offset} all year.', {
          name,
          offset: fixed,
        }),
      )
    return fixed
  }
  const pair = offsets.length === 2 ? zoneOfPair(offsets, zones) : undefined
  if (pair === undefined)
    note(
      zones,
      name,
      message('The time zone {name} is unknown here, so its times are in {zone}, the zone of the calendar.', {
        name,
        zone: zones.zone,
      }),
    )
  return pair ?? zones.zone
}

function note({ told, faults }: CalendarZones, name: string, fault: Message): void {
  if (told.has(name) || told.size >= MOST_TOLD) return
  told.add(name)
  faults.push(fault)
}

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

/** Zones that definitions are compared with: the most common ones, then those of Windows. */
const WELL_KNOWN = [
  ...['UTC', 'Europe/London', 'Europe/Berlin', 'Europe/Athens'],
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  ...WINDOWS_ZONES,
]

/** Clock changes are followed for this many years; later rules are unknown. */
const YEARS_AHEAD = 10
const MOST_YEARS = 50

function readingOf(
  definition: Definition,
  { first, last }: EventSpan,
  zones: CalendarZones,
): ZoneReading | undefined {
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
  const near = [...definition.named, zones.zone].find((one) =>
    isClockOf(one, clock, start, Math.max(start, end)),
  )
  if (near !== undefined) return { zone: near }
  const fixed = clock.steps.length === 0 ? fixedZone(clock.offset / 60_000) : undefined
  return fixed === undefined ? { clock } : { zone: fixed }
}

export function withSteps<Result>({ steps }: CalendarZones, work: (steps: Steps) => Result) {
  const share = { left: Math.min(STEPS_AT_ONCE, steps.left) }
  steps.left -= share.left
  const result = work(share)
  steps.left += Math.max(0, share.left)
  return { result, isCut: share.left < 0 }
}

function wholeYears(definition: Definition, from: number, to: number, zones: CalendarZones, steps: Steps) {
  const { named, observances, readings } = definition
  const known = readings.get(`${from} ${to}`)
  if (known) return known
  const clock = clockOf(observances, from, to, steps)
  const [begin, end] = [Date.UTC(from, 0, 1), Date.UTC(to + 1, 0, 1)]
  // A constant offset does not tell which of many zones is meant.
  const candidates = [...named, zones.zone, ...(clock.steps.length > 0 ? WELL_KNOWN : [])]
  steps.left -= candidates.length * COMPARISON
  const zone = candidates.find((one) => isClockOf(one, clock, begin, end))
  const reading = { clock, zone }
  if (readings.size < MOST_READINGS && steps.left >= 0) readings.set(`${from} ${to}`, reading)
  return reading
}

/** Steps charged for comparing a zone with a clock. */
const COMPARISON = 100
const MOST_READINGS = 200

/** Converts local time of the clock to UTC in ms since the epoch. */
export function utcOf(clock: Clock, wall: string): number {
  return utcOfWall(utcToMs(wall), (utc) => offsetAt(clock, utc))
}

export function wallAt(clock: Clock, utc: string): string {
  return formatUtc(utcToMs(utc) + offsetAt(clock, utcToMs(utc)))
}

/** UTC offsets in ms: `offset` holds until the first of `steps`. `since` and `at` are ms since the epoch. */
export interface Clock {
  since: number
  offset: number
  steps: readonly { at: number; offset: number }[]
}

/** A STANDARD or DAYLIGHT part of a VTIMEZONE; offsets are in ms. */
interface Observance {
  before: number
  offset: number
  /** The first start, `YYYY-MM-DD HH:MM:SS`, by the clock valid until then. */
  start: string
  rules: readonly EveryRule[]
  dates: readonly string[]
}

const LONGEST_DATES = 20_000
const MOST_RULES = 10

function readObservances({ parts }: Component, steps: Steps): Observance[] {
  return parts.flatMap((part) => {
    const offset = offsetIn(part, 'TZOFFSETTO')
    const start = wallOf(propertyOf(part, 'DTSTART')?.value ?? '19700101T000000')
    if (offset === undefined || start === undefined || steps.left < 0) return []
    const before = offsetIn(part, 'TZOFFSETFROM') ?? offset
    const lines = propertiesOf(part, 'RRULE').slice(0, MOST_RULES)
    const rules = lines.flatMap(({ value }) => readEveryRule(value) ?? [])
    const texts = propertiesOf(part, 'RDATE').flatMap(({ value }) => value.slice(0, LONGEST_DATES).split(','))
    steps.left -= texts.length + 1
    const dates = steps.left < 0 ? [] : texts.flatMap((text) => beginning(text, start, before) ?? [])
    return [{ before, offset, start, rules, dates }]
  })
}

function offsetIn(part: Component, name: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] =
    /^\s*([+-]?)(\d\d):?(\d\d)(?::?(\d\d))?\s*$/.exec(propertyOf(part, name)?.value ?? '') ?? []
  if (hours === undefined) return undefined
  return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

function beginning(text: string, start: string, before: number): string | undefined {
  const [value = ''] = text.trim().split('/', 1)
  const wall = wallOf(value)
  if (wall === undefined || value.length > 8)
    return wall && /z$/i.test(value) ? formatUtc(utcToMs(wall) + before) : wall
  return wall.slice(0, 11) + start.slice(11)
}

/** @returns `YYYY-MM-DD HH:MM:SS`; undefined for no DATE or DATE-TIME */
export function wallOf(value: string): string | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?Z?)?$/i.exec(value.trim()) ?? []
  if (year === undefined) return undefined
  const wall = `${year}-${month}-${day} ${hour}:${minute}:${second === '60' ? '59' : second}`
  const ms = Date.parse(`${wall.replace(' ', 'T')}Z`)
  return Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day) ? undefined : wall
}

/** The local end of the rule, at the latest the horizon. */
export function endOfRule({ until }: EveryRule, horizon: string, wallOfUtc: (utc: string) => string): string {
  const wall = until === undefined ? undefined : wallOf(until)
  if (until === undefined || wall === undefined) return horizon
  const end =
    until.length === 8 ? `${wall.slice(0, 10)} 23:59:59` : /z$/i.test(until) ? wallOfUtc(wall) : wall
  return end < horizon ? end : horizon
}

function clockOf(observances: readonly Observance[], from: number, to: number, steps: Steps): Clock {
  const begun = observances
    .flatMap((observance) =>
      beginningsOf(observance, from, to, steps).map((wall) => ({
        at: utcToMs(wall) - observance.before,
        before: observance.before,
        offset: observance.offset,
      })),
    )
    .sort((one, other) => one.at - other.at)
  const since = Date.UTC(from, 0, 1) - DAYS_MS
  const first = begun.findLast(({ at }) => at < since)?.offset ?? begun[0]?.before ?? 0
  const later = begun.filter(({ at }) => at >= since)
  return { since: begun[0]?.at ?? since, offset: first, steps: withoutRepetition(first, later) }
}

/** Margin in ms: a year of the clock begins earlier or later than in UTC. */
const DAYS_MS = 2 * DAY_MS

function beginningsOf(
  { start, rules, dates, before }: Observance,
  from: number,
  to: number,
  steps: Steps,
): string[] {
  const horizon = `${to + 1}-01-03 00:00:00`
  const all = [start, ...dates]
  for (const rule of rules) {
    const end = endOfRule(rule, horizon, (utc) => formatUtc(utcToMs(utc) + before))
    const since = yearly(rule) ? Math.min(from, Number(end.slice(0, 4))) - 2 : 0
    const begin =
      since > Number(start.slice(0, 4)) ? `${String(since).padStart(4, '0')}${start.slice(4)}` : start
    for (const wall of everyDate(rule, begin.replace('-02-29', '-02-28'), end, steps)) all.push(wall)
  }
  return all.filter((wall) => wall < horizon)
}

function yearly({ days, unit, interval, count }: EveryRule): boolean {
  return days.frequency === 'yearly' && unit === undefined && interval === 1 && count === undefined
}

function withoutRepetition(offset: number, steps: Clock['steps']): Clock['steps'] {
  return steps.filter((step, at) => step.offset !== (at === 0 ? offset : steps[at - 1]?.offset))
}

/** The offset in ms at `utc` (ms since the epoch). */
export function offsetAt({ offset, steps }: Pick<Clock, 'offset' | 'steps'>, utc: number): number {
  return steps.findLast(({ at }) => at <= utc)?.offset ?? offset
}

function isClockOf(zone: string, clock: Pick<Clock, 'offset' | 'steps'>, from: number, to: number): boolean {
  // Cheap test first, of both ends and a time half a year later.
  const half = Math.min(to, from + 182 * DAY_MS)
  if ([from, half, to].some((utc) => offsetOf(zone, utc) !== offsetAt(clock, utc))) return false
  const changes = clockChanges(zone, from, to)?.steps ?? []
  const own = clock.steps.filter(({ at }) => at > from && at < to)
  const theirs = changes.filter(({ at }) => at > from)
  return own.length === theirs.length && own.every((step, at) => isSame(step, theirs[at]))
}

const isSame = (one: Clock['steps'][number], other: Clock['steps'][number] | undefined) =>
  one.at === other?.at && one.offset === other.offset

function offsetOf(zone: string, utc: number): number {
  return utcToMs(utcToWall(formatUtc(utc), zone)) - utc
}

const LONGEST = 200

/** Removes quotes and escapes, as in `Kuala Lumpur\, Singapore`. */
function zoneName(tzid: string): string {
  return decodeText(tzid.slice(0, LONGEST)).replaceAll('"', '').trim()
}

function zoneNamed(name: string): string | undefined {
  if (name === '') return undefined
  const tail = name.split('/')
  const spellings = [name, ...[3, 2].map((last) => tail.slice(-last).join('/')), name.replace(/[-\\]/, '/')]
  const found = spellings.map((one) => one.replaceAll(' ', '_')).find(isTimezone)
  if (found !== undefined)
    return isUtc(found) ? 'UTC' : (clockChanges(found, 0, 0)?.id ?? found.toUpperCase())
  return windowsZone(name) ?? (UTC.test(name) ? 'UTC' : undefined)
}

/** Names of UTC: Microsoft's, `UTC` or `GMT` without an offset or with 0, or `Z`. */
const UTC = /^(?:tzone:\/\/microsoft\/utc|\(?(?:utc|gmt)\)?(?:[+-]00:?00)?|z|zulu)$/i

/** False for a name of possibly several zones, such as `EST` or `Eastern`. */
function isPlace(zone: string, name: string): boolean {
  const isLast = name.replaceAll(' ', '_').toLowerCase().endsWith(zone.toLowerCase())
  return isLast && zone.includes('/') && !/^etc\//i.test(zone)
}

/**
 * Offsets in a name, in minutes: `(UTC+01:00) Somewhere` or `GMT +0100 (Standard) / GMT +0200 (Daylight)`.
 */
function offsetsNamed(name: string): number[] {
  const found = [...name.matchAll(/(?:UTC|GMT)\s*([+-])(\d{1,2})(?:[:.]?(\d\d))?/gi)]
  return found.map(
    ([, sign, hours, minutes = '0']) => (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)),
  )
}

export function fixedZone(minutes: number): string | undefined {
  if (!Number.isInteger(minutes) || Math.abs(minutes) > 14 * 60) return undefined
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const part =
    rest === 0 ? '' : rest % 15 === 0 ? String(rest / 60).slice(1) : `:${String(rest).padStart(2, '0')}`
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${part}`
}
