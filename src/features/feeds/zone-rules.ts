import { emptyCache, entryBytes, findCached, processBudget, setCached } from '../../base/cache.ts'
import { clockChanges, DAY_MS, getZone, lastUtcMsOf, utcMsOf, utcToMs } from '../../base/text/zones.ts'
import { contentLine } from './content-lines.ts'

// Writes VTIMEZONE.
//
// Outlook understands one STANDARD and one DAYLIGHT, each with a yearly rule, and is wrong by hours for other
// zones. So a zone is such a pair, found from its coming clock changes. Times that the pair gives wrongly
// (`isReadRight`: past times, irregular zones) are written in UTC.

interface YearlyChange {
  /** January is 1. */
  month: number
  /** Which `weekday` of the month: 1 to 4, or -1 for the last. */
  nth: number
  weekday: number
  /** Local time before the change, in ms after midnight. */
  time: number
}

/** UTC offsets in ms: `standard` all year, or in turns with that of `daylight`. */
export interface ZoneRules {
  id: string
  standard: number
  daylight: { offset: number; begins: YearlyChange; ends: YearlyChange } | undefined
}

const YEARS = 5

const known = emptyCache<string, { year: number; rules: ZoneRules | undefined }>(processBudget)

/** Rules from the year of `now` (in ms) on; undefined for UTC, or a zone unknown or of irregular changes. */
export function zoneRulesOf(zone: string, now: number): ZoneRules | undefined {
  const year = new Date(now).getUTCFullYear()
  const found = findCached(known, zone)
  if (found?.year === year) return found.rules
  const rules = readRules(zone, year)
  setCached(known, zone, { year, rules }, entryBytes(zone, JSON.stringify(rules ?? '')))
  return rules
}

function readRules(zone: string, year: number): ZoneRules | undefined {
  const changes = clockChanges(zone, Date.UTC(year, 0, 1), Date.UTC(year + YEARS, 0, 1))
  if (!changes || isUtc(changes.id)) return undefined
  const { id, offset, steps } = changes
  const thisYear = Date.UTC(year + 1, 0, 1)
  const lasting = steps.filter(({ at }) => at >= thisYear)
  // A zone whose clocks no longer change keeps its last offset; `isReadRight` checks times before that.
  if (lasting.length === 0) return { id, standard: steps.at(-1)?.offset ?? offset, daylight: undefined }
  const offsets = [...new Set(steps.map((step) => step.offset))].sort((a, b) => a - b)
  const [standard, summer, more] = offsets
  if (standard === undefined || summer === undefined || more !== undefined || steps.length !== YEARS * 2)
    return undefined
  const begins = commonChange(steps.filter((step) => step.offset === summer).map(({ at }) => at + standard))
  const ends = commonChange(steps.filter((step) => step.offset === standard).map(({ at }) => at + summer))
  return begins && ends && { id, standard, daylight: { offset: summer, begins, ends } }
}

export function isZoneName(zone: string): boolean {
  return clockChanges(zone, 0, 0) !== undefined || isUtc(zone)
}

/**
 * Rules for UTC times that need a TZID. Programs that know X-WR-TIMEZONE expand a rule in that zone if
 * DTSTART is in UTC or has a usual name of UTC as TZID, but not with `Etc/GMT`.
 */
export const UTC_RULES: ZoneRules = { id: 'Etc/GMT', standard: 0, daylight: undefined }

export function isUtc(id: string): boolean {
  return /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu|greenwich)$/i.test(id)
}

/** The yearly change that yields all `walls` (local ms before the change); undefined if there is none. */
function commonChange(walls: readonly number[]): YearlyChange | undefined {
  const [first, ...others] = walls.map(describeChange)
  if (!first) return undefined
  const isSame = others.every(
    ({ month, weekday, time }) => month === first.month && weekday === first.weekday && time === first.time,
  )
  const nth = first.nths.find((one) => others.every(({ nths }) => nths.includes(one)))
  return isSame && nth !== undefined
    ? { month: first.month, nth, weekday: first.weekday, time: first.time }
    : undefined
}

function describeChange(wall: number) {
  const date = new Date(wall)
  const day = date.getUTCDate()
  const isLast = new Date(wall + 7 * DAY_MS).getUTCMonth() !== date.getUTCMonth()
  const nth = Math.ceil(day / 7)
  return {
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
    time: wall % DAY_MS,
    nths: [...(nth <= 4 ? [nth] : []), ...(isLast ? [-1] : [])],
  }
}

function changeIn(year: number, { month, nth, weekday, time }: YearlyChange): number {
  if (nth > 0) {
    const first = Date.UTC(year, month - 1, 1)
    return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (nth - 1) * 7) * DAY_MS + time
  }
  const last = Date.UTC(year, month, 0)
  return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * DAY_MS + time
}

function offsetBy({ standard, daylight }: ZoneRules, utc: number): number {
  if (!daylight) return standard
  const year = new Date(utc + standard).getUTCFullYear()
  const begins = changeIn(year, daylight.begins) - standard
  const ends = changeIn(year, daylight.ends) - daylight.offset
  const isSummer = begins < ends ? utc >= begins && utc < ends : utc >= begins || utc < ends
  return isSummer ? daylight.offset : standard
}

/** True if every program computes this UTC time from the local time by `rules`; false before 1970. */
export function isReadRight(rules: ZoneRules, wall: string, utc: string): boolean {
  const utcMs = utcToMs(utc)
  if (Number.isNaN(utcMs) || utcMs < 0 || utcToMs(wall) - utcMs !== offsetBy(rules, utcMs)) return false
  // A local time that occurs twice as clocks go back may be read as either.
  return isOnlyUtcOf(wall, utc, rules.id)
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

export function writeZone(rules: ZoneRules): string {
  const { id, standard, daylight } = rules
  const lines = [
    contentLine('BEGIN', 'VTIMEZONE'),
    contentLine('TZID', id),
    contentLine('X-LIC-LOCATION', id),
  ]
  if (daylight) {
    lines.push(observance('DAYLIGHT', standard, daylight.offset, daylight.begins))
    lines.push(observance('STANDARD', daylight.offset, standard, daylight.ends))
  } else lines.push(observance('STANDARD', standard, standard, undefined))
  lines.push(contentLine('END', 'VTIMEZONE'))
  return lines.join('')
}

function observance(kind: string, before: number, after: number, change: YearlyChange | undefined): string {
  const start = change ? changeIn(1970, change) : 0
  return [
    contentLine('BEGIN', kind),
    contentLine('TZOFFSETFROM', writeOffset(before)),
    contentLine('TZOFFSETTO', writeOffset(after)),
    contentLine('DTSTART', new Date(start).toISOString().slice(0, 19).replace(/[-:]/g, '')),
    ...(change ? [contentLine('RRULE', `FREQ=YEARLY;BYMONTH=${change.month};BYDAY=${dayOf(change)}`)] : []),
    contentLine('END', kind),
  ].join('')
}

function dayOf({ nth, weekday }: YearlyChange): string {
  return `${nth}${WEEKDAYS[weekday]}`
}

function writeOffset(ms: number): string {
  const minutes = Math.abs(ms) / 60_000
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  return `${ms < 0 ? '-' : '+'}${two(minutes / 60)}${two(minutes % 60)}`
}

/** True if the local time occurs only once, at this UTC time. */
export function isOnlyUtcOf(wall: string, utc: string, zone: string): boolean {
  const known = getZone(zone)
  const [wallMs, utcMs] = [utcToMs(wall), utcToMs(utc)]
  return utcMsOf(wallMs, known) === utcMs && lastUtcMsOf(wallMs, known) === utcMs
}
