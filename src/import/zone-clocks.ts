import { type EveryRule, everyDate, readEveryRule, type Steps } from '../recurrence/every-rule.ts'
import { clockChanges, formatUtc, utcToMs, utcToWall } from '../text/zones.ts'
import { type Component, propertiesOf, propertyOf } from './component-reader.ts'

/** What clocks show during some years: an offset, and the UTC times from which they have another one. All in ms. */
export interface Clock {
  /** The earliest time that the clock is known at. */
  since: number
  offset: number
  steps: readonly { at: number; offset: number }[]
}

/** A part of a VTIMEZONE: the offset that clocks have from each of some times on. Offsets in ms. */
export interface Observance {
  before: number
  offset: number
  /** Wall time, `YYYY-MM-DD HH:MM:SS`, of its first beginning, on the clock before. */
  start: string
  rules: readonly EveryRule[]
  /** Wall times of further beginnings. */
  dates: readonly string[]
}

/** The most characters of the dates on one line, and rules of one observance, that are read. */
const LONGEST_DATES = 20_000
const MOST_RULES = 10

/** The observances of a VTIMEZONE that can be read, until the steps are used up. */
export function readObservances({ parts }: Component, steps: Steps): Observance[] {
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

/** A day, time or period of RDATE as a wall time on the clock before it. */
function beginning(text: string, start: string, before: number): string | undefined {
  const [value = ''] = text.trim().split('/', 1)
  const wall = wallOf(value)
  if (wall === undefined || value.length > 8)
    return wall && /z$/i.test(value) ? formatUtc(utcToMs(wall) + before) : wall
  return wall.slice(0, 11) + start.slice(11)
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

/**
 * The end of a rule as a wall time, at the latest the horizon. `wallOfUtc` gives the wall time of an end in UTC.
 */
export function endOfRule({ until }: EveryRule, horizon: string, wallOfUtc: (utc: string) => string): string {
  const wall = until === undefined ? undefined : wallOf(until)
  if (until === undefined || wall === undefined) return horizon
  const end = until.length === 8 ? `${wall.slice(0, 10)} 23:59:59` : /z$/i.test(until) ? wallOfUtc(wall) : wall
  return end < horizon ? end : horizon
}

/** The clocks of observances in the years from one to another, both among them. */
export function clockOf(observances: readonly Observance[], from: number, to: number, steps: Steps): Clock {
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

/** Two days on both sides of the years, since years of UTC begin at another time. */
const DAYS_MS = 2 * 86_400_000

/** The beginnings of an observance that tell of these years: all in them, and the last ones before. */
function beginningsOf({ start, rules, dates, before }: Observance, from: number, to: number, steps: Steps): string[] {
  const horizon = `${to + 1}-01-03 00:00:00`
  const all = [start, ...dates]
  for (const rule of rules) {
    const end = endOfRule(rule, horizon, (utc) => formatUtc(utcToMs(utc) + before))
    const since = yearly(rule) ? Math.min(from, Number(end.slice(0, 4))) - 2 : 0
    const begin = since > Number(start.slice(0, 4)) ? `${String(since).padStart(4, '0')}${start.slice(4)}` : start
    for (const wall of everyDate(rule, begin.replace('-02-29', '-02-28'), end, steps)) all.push(wall)
  }
  return all.filter((wall) => wall < horizon)
}

/** Whether a rule is the same in every year, so that earlier years need not be gone through. */
function yearly({ days, unit, interval, count }: EveryRule): boolean {
  return days.frequency === 'yearly' && unit === undefined && interval === 1 && count === undefined
}

function withoutRepetition(offset: number, steps: Clock['steps']): Clock['steps'] {
  return steps.filter((step, at) => step.offset !== (at === 0 ? offset : steps[at - 1]?.offset))
}

/** The offset of a clock at a UTC time, both in ms. */
export function offsetAt({ offset, steps }: Pick<Clock, 'offset' | 'steps'>, utc: number): number {
  return steps.findLast(({ at }) => at <= utc)?.offset ?? offset
}

/** Whether the clocks of a zone show the same from one UTC time to another, both in ms. */
export function isClockOf(zone: string, clock: Pick<Clock, 'offset' | 'steps'>, from: number, to: number): boolean {
  // Most zones are told apart by one summer and one winter.
  const half = Math.min(to, from + 182 * 86_400_000)
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
