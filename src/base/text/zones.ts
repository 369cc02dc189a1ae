import { Temporal } from 'temporal-polyfill'
import { madeOnce } from '../cache.ts'

/** A fixed offset in ms, or a zone of the tz database with the periods computed so far. */
type Zone =
  | { kind: 'fixed'; offset: number; abbreviation: string }
  | { kind: 'named'; id: string; periods: Period[] }

/** A time span without clock change, in ms; `to` is excluded. */
type Period = { from: number; to: number; offset: number; abbreviation: string | undefined }

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 86_400_000
const LARGEST_OFFSET = 14 * 60 * MINUTE_MS
const LONGEST_NAME = 64
/** Maximum cached periods of a zone, so that hostile dates cannot fill the memory. */
const PERIODS_KEPT = 128
/** 2100-01-01 in ms: `Intl` is asked for no later zone names. */
const LATEST_NAMED = 4_102_444_800_000

/** In ms: 0001-01-01 00:00:00 and 9999-12-31 23:59:59. */
export const FIRST_MS = -62_135_596_800_000
export const LAST_MS = 253_402_300_799_000

/**
 * Abbreviations with their offsets and the English zone names of CLDR, since `Intl` mostly gives forms such
 * as `GMT+1`, which differ between locales. An abbreviation sent as a time zone means its first row.
 */
const ABBREVIATIONS: readonly (readonly [abbreviation: string, offset: string, ...names: string[]])[] = [
  ['UTC', '+00:00', 'Coordinated Universal Time'],
  ['GMT', '+00:00', 'Greenwich Mean Time'],
  ['EST', '-05:00', 'Eastern Standard Time'],
  ['EDT', '-04:00', 'Eastern Daylight Time'],
  ['CST', '-06:00', 'Central Standard Time'],
  ['CDT', '-05:00', 'Central Daylight Time'],
  ['MST', '-07:00', 'Mountain Standard Time', 'Mexican Pacific Standard Time', 'Yukon Time'],
  ['MDT', '-06:00', 'Mountain Daylight Time', 'Mexican Pacific Daylight Time'],
  ['PST', '-08:00', 'Pacific Standard Time'],
  ['PDT', '-07:00', 'Pacific Daylight Time'],
  ['AKST', '-09:00', 'Alaska Standard Time'],
  ['AKDT', '-08:00', 'Alaska Daylight Time'],
  ['HST', '-10:00', 'Hawaii-Aleutian Standard Time'],
  ['HDT', '-09:00', 'Hawaii-Aleutian Daylight Time'],
  ['AST', '-04:00', 'Atlantic Standard Time'],
  ['ADT', '-03:00', 'Atlantic Daylight Time'],
  ['NST', '-03:30', 'Newfoundland Standard Time'],
  ['NDT', '-02:30', 'Newfoundland Daylight Time'],
  ['CST', '-05:00', 'Cuba Standard Time'],
  ['CDT', '-04:00', 'Cuba Daylight Time'],
  ['SST', '-11:00', 'American Samoa Standard Time', 'Samoa Standard Time'],
  ['ChST', '+10:00', 'Chamorro Standard Time'],
  ['WET', '+00:00', 'Western European Standard Time'],
  ['WEST', '+01:00', 'Western European Summer Time'],
  ['BST', '+01:00', 'British Summer Time'],
  ['CET', '+01:00', 'Central European Standard Time'],
  ['CEST', '+02:00', 'Central European Summer Time'],
  ['EET', '+02:00', 'Eastern European Standard Time'],
  ['EEST', '+03:00', 'Eastern European Summer Time'],
  ['MSK', '+03:00', 'Moscow Standard Time', 'Volgograd Standard Time'],
  ['MSD', '+04:00', 'Moscow Summer Time', 'Volgograd Summer Time'],
  ['MSK', '+04:00', 'Moscow Standard Time'],
  ['WAT', '+01:00', 'West Africa Time', 'West Africa Standard Time'],
  ['WAST', '+02:00', 'West Africa Summer Time'],
  ['CAT', '+02:00', 'Central Africa Time'],
  ['SAST', '+02:00', 'South Africa Standard Time'],
  ['EAT', '+03:00', 'East Africa Time'],
  ['IST', '+05:30', 'India Standard Time'],
  ['IST', '+01:00', 'Irish Standard Time'],
  ['IST', '+02:00', 'Israel Standard Time'],
  ['IDT', '+03:00', 'Israel Daylight Time'],
  ['PKT', '+05:00', 'Pakistan Standard Time'],
  ['PKST', '+06:00', 'Pakistan Summer Time'],
  ['WIB', '+07:00', 'Western Indonesia Time'],
  ['WITA', '+08:00', 'Central Indonesia Time'],
  ['WIT', '+09:00', 'Eastern Indonesia Time'],
  ['CST', '+08:00', 'China Standard Time', 'Taiwan Standard Time', 'Taipei Standard Time'],
  ['CDT', '+09:00', 'China Daylight Time', 'Taiwan Daylight Time', 'Taipei Daylight Time'],
  ['HKT', '+08:00', 'Hong Kong Standard Time'],
  ['HKST', '+09:00', 'Hong Kong Summer Time'],
  ['PST', '+08:00', 'Philippine Standard Time'],
  ['JST', '+09:00', 'Japan Standard Time'],
  ['JDT', '+10:00', 'Japan Daylight Time'],
  ['KST', '+09:00', 'Korean Standard Time'],
  ['KST', '+08:30', 'Korean Standard Time'],
  ['KDT', '+10:00', 'Korean Daylight Time'],
  ['AWST', '+08:00', 'Australian Western Standard Time'],
  ['AWDT', '+09:00', 'Australian Western Daylight Time'],
  ['ACST', '+09:30', 'Australian Central Standard Time'],
  ['ACDT', '+10:30', 'Australian Central Daylight Time'],
  ['AEST', '+10:00', 'Australian Eastern Standard Time'],
  ['AEDT', '+11:00', 'Australian Eastern Daylight Time'],
  ['NZST', '+12:00', 'New Zealand Standard Time'],
  ['NZDT', '+13:00', 'New Zealand Daylight Time'],
]

/** Zones that share an English name with a neighbour, but have numeric abbreviations in the tz database. */
const NUMERIC_ZONES = new Set([
  'africa/casablanca',
  'africa/el_aaiun',
  'antarctica/casey',
  'antarctica/troll',
  'asia/colombo',
  'europe/minsk',
])

/** Abbreviations by offset in minutes, for zones whose English name leads to a wrong one. */
const OWN_LETTERS: Record<string, Record<number, string>> = {
  met: { 60: 'MET', 120: 'MEST' },
  gmt: { 0: 'GMT' },
  gmt0: { 0: 'GMT' },
  'gmt+0': { 0: 'GMT' },
  'gmt-0': { 0: 'GMT' },
  greenwich: { 0: 'GMT' },
  'etc/gmt': { 0: 'GMT' },
  'etc/gmt0': { 0: 'GMT' },
  'etc/gmt+0': { 0: 'GMT' },
  'etc/gmt-0': { 0: 'GMT' },
  'etc/greenwich': { 0: 'GMT' },
  'europe/guernsey': { 60: 'BST' },
  'europe/isle_of_man': { 60: 'BST' },
  'europe/jersey': { 60: 'BST' },
}

const lettersByName = new Map(
  ABBREVIATIONS.flatMap(([letters, offset, ...names]) =>
    names.map((name) => [`${name} ${offsetMs(offset)}`, letters] as const),
  ),
)
const abbreviationsByWord = new Map(
  ABBREVIATIONS.toReversed().map(([letters, offset]) => [
    letters.toLowerCase(),
    { letters, offset: offsetMs(offset) },
  ]),
)

/**
 * True for a time zone that clients may send (rule 2.7): an IANA name in any letter case, an abbreviation
 * (`EST`), `±HH:MM`, `UTC`, `UTC±h`, `UTC±h:mm` or `UTC±h.5`, with offsets up to 14 hours.
 */
export function isTimezone(text: string): boolean {
  return findZone(text) !== undefined
}

/**
 * Converts a local time to UTC. A time that a clock change skips gets the offset from before the change; of a
 * repeated time, the first is meant (rule 18.3).
 * @throws RangeError for an unknown zone
 */
export function wallToUtc(wall: string, zone: string): string {
  return formatUtc(utcMsOf(utcToMs(wall), getZone(zone)))
}

/**
 * Like `wallToUtc`, but of a repeated local time, the second is meant.
 * @throws RangeError for an unknown zone
 */
export function lastWallToUtc(wall: string, zone: string): string {
  return formatUtc(lastUtcMsOf(utcToMs(wall), getZone(zone)))
}

export function lastUtcMsOf(wallMs: number, known: Zone): number {
  if (known.kind === 'fixed') return wallMs - known.offset
  const last = wallMs - offsetAt(known, wallMs + DAY_MS)
  return last + offsetAt(known, last) === wallMs ? last : utcMsOf(wallMs, known)
}

/** @throws RangeError for an unknown zone */
export function utcToWall(utc: string, zone: string): string {
  const utcMs = utcToMs(utc)
  return formatUtc(utcMs + offsetAt(getZone(zone), utcMs))
}

/**
 * Moves a local time that a clock change skips forward by the length of the gap, as from 02:30 to 03:30.
 * @throws RangeError for an unknown zone
 */
export function settledWall(wall: string, zone: string): string {
  const known = getZone(zone)
  if (known.kind === 'fixed') return wall
  const wallMs = utcToMs(wall)
  const utc = utcMsOf(wallMs, known)
  const settled = utc + offsetAt(known, utc)
  return settled === wallMs ? wall : formatUtc(settled)
}

/**
 * Returns the UTC offset as in ISO 8601, such as `+02:00`, without the seconds of historical offsets.
 * @throws RangeError for an unknown zone
 */
export function utcOffset(utc: string, zone: string): string {
  const { sign, hours, minutes } = offsetParts(offsetAt(getZone(zone), utcToMs(utc)))
  return `${sign}${hours}:${minutes}`
}

/**
 * Returns the abbreviation of the tz database at this time: letters (`EST`, `CET`) or digits (`+03`). For a
 * zone `UTC±x`, returns its name; for `+02:00`, `GMT+0200` (rule 5.3).
 * @throws RangeError for an unknown zone
 */
export function timezoneAbbreviation(zone: string, utc: string): string {
  const known = getZone(zone)
  if (known.kind === 'fixed') return known.abbreviation === '' ? zone : known.abbreviation
  const period = periodAt(known.id, known.periods, utcToMs(utc))
  period.abbreviation ??= lettersOf(known.id, period)
  return period.abbreviation
}

/** Returns 'YYYY-MM-DD HH:MM:SS' in UTC, without fractions of seconds, clamped to the years 1 to 9999. */
export function formatUtc(ms: number): string {
  const iso = isoTime(ms)
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
}

/** Returns 'YYYY-MM-DD' in UTC, clamped to the years 1 to 9999. */
export const dayAtMs = (ms: number): string => isoTime(ms).slice(0, 10)

const isoTime = (ms: number) => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString()

/** Parses 'YYYY-MM-DD HH:MM:SS' as UTC; returns ms. Other text gives NaN or a meaningless number. */
export function utcToMs(utc: string): number {
  const number = (from: number, to: number) => {
    let value = 0
    for (let i = from; i < to; i++) value = value * 10 + utc.charCodeAt(i) - 48
    return value
  }
  const year = number(0, 4)
  // `Date.UTC` would read years below 100 as years of the 20th century.
  if (year < 100) return Date.parse(`${utc.slice(0, 10)}T${utc.slice(11)}Z`)
  return Date.UTC(year, number(5, 7) - 1, number(8, 10), number(11, 13), number(14, 16), number(17, 19))
}

/** Days from 1 January 1970 to a day, or to the day of a local time. */
export function dayNumber(day: string): number {
  return utcToMs(`${day.slice(0, 10)} 00:00:00`) / DAY_MS
}

export interface ClockChanges {
  id: string
  offset: number
  /** In chronological order; `offset` applies from `at` on. Both are in ms, `at` since the epoch. */
  steps: { at: number; offset: number }[]
}

/** The clock changes between two UTC times in ms; undefined for a fixed offset and an unknown zone. */
export function clockChanges(zone: string, from: number, to: number): ClockChanges | undefined {
  const known = findZone(zone)
  if (known?.kind !== 'named') return undefined
  const first = periodAt(known.id, known.periods, from)
  const steps: ClockChanges['steps'] = []
  for (let at = first.to; at < to; ) {
    const period = periodAt(known.id, known.periods, at)
    steps.push({ at, offset: period.offset })
    at = period.to
  }
  return { id: known.id, offset: first.offset, steps }
}

export function getZone(text: string): Zone {
  const zone = findZone(text)
  if (!zone) throw new RangeError(`unknown time zone: ${text.slice(0, LONGEST_NAME)}`)
  return zone
}

function findZone(text: string): Zone | undefined {
  return text.length > LONGEST_NAME ? undefined : zoneNamed(text.toLowerCase())
}

/** Caches zones by name in lower case. Only existing zones are kept, so their number is bounded. */
const zoneNamed = madeOnce(readZone)

/**
 * IANA names take precedence over abbreviations: `CET` is a zone with summer time, while `CEST` is +02:00 all
 * year.
 */
function readZone(key: string): Zone | undefined {
  if (key === 'utc') return { kind: 'fixed', offset: 0, abbreviation: 'UTC' }
  const offset = /^(utc)?([+-]\d{1,2})(?:(:[0-5]\d)|(\.\d{1,2}))?$/.exec(key)
  if (offset) return readOffsetZone(key, offset[1] !== undefined)
  const id = findZoneId(key)
  if (id !== undefined) return { kind: 'named', id, periods: [] }
  const word = abbreviationsByWord.get(key)
  return word && { kind: 'fixed', offset: word.offset, abbreviation: word.letters }
}

function readOffsetZone(key: string, isUtc: boolean): Zone | undefined {
  if (!isUtc && !/^[+-]\d\d:\d\d$/.test(key)) return undefined
  const text = isUtc ? key.slice(3) : key
  const offset = offsetMs(text)
  if (Math.abs(offset) > LARGEST_OFFSET || offset % MINUTE_MS !== 0) return undefined
  return { kind: 'fixed', offset, abbreviation: isUtc ? '' : `GMT${text.replace(':', '')}` }
}

function offsetMs(text: string): number {
  const [, sign, hours, minutes, fraction] = /^([+-])(\d{1,2})(?::(\d\d))?(\.\d{1,2})?$/.exec(text) ?? []
  const size = Number(hours) * 60 + Number(minutes ?? 0) + Number(fraction ?? 0) * 60
  return (sign === '-' ? -size : size) * MINUTE_MS
}

function findZoneId(key: string): string | undefined {
  // Without this test, Temporal would also accept UTC offsets and whole timestamps.
  if (!/^[a-z][a-z0-9_+-]*(?:\/[a-z0-9_+-]+)*$/.test(key)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(key).timeZoneId
  } catch {
    return undefined
  }
}

export function utcMsOf(wall: number, zone: Zone): number {
  return zone.kind === 'fixed' ? wall - zone.offset : utcOfWall(wall, (utc) => offsetAt(zone, utc))
}

/**
 * Converts a local time to UTC by the given offsets, all in ms. Skipped and repeated times are treated as by
 * `wallToUtc`.
 */
export function utcOfWall(wall: number, offsetAtUtc: (utc: number) => number): number {
  // No zone changes its clocks twice within two days, so the local time has one of these two offsets.
  const before = offsetAtUtc(wall - DAY_MS)
  const after = offsetAtUtc(wall + DAY_MS)
  const first = wall - before
  if (before === after || offsetAtUtc(first) === before) return first
  const second = wall - after
  return offsetAtUtc(second) === after ? second : first
}

function offsetAt(zone: Zone, utc: number): number {
  return zone.kind === 'fixed' ? zone.offset : periodAt(zone.id, zone.periods, utc).offset
}

function periodAt(id: string, periods: Period[], utc: number): Period {
  for (let i = 0; i < periods.length; i++) {
    const period = periods[i] as Period
    if (period.from <= utc && utc < period.to) return period
  }
  const period = readPeriod(id, utc)
  if (periods.length >= PERIODS_KEPT) periods.length = 0
  periods.push(period)
  return period
}

function readPeriod(id: string, utc: number): Period {
  const moment = Temporal.Instant.fromEpochMilliseconds(utc).toZonedDateTimeISO(id)
  // `getTimeZoneTransition('previous')` finds only earlier transitions, so it is asked one ms later to find
  // one at this instant too.
  const from = moment.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const to = moment.getTimeZoneTransition('next')
  return {
    from: from?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    to: to?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: moment.offsetNanoseconds / 1_000_000,
    abbreviation: undefined,
  }
}

function lettersOf(id: string, period: Period): string {
  const key = id.toLowerCase()
  const own = OWN_LETTERS[key]?.[period.offset / MINUTE_MS]
  if (own !== undefined) return own
  if (period.offset % MINUTE_MS !== 0) return 'LMT'
  if (NUMERIC_ZONES.has(key)) return digitsOf(period.offset)
  const moment = Math.max(period.from, Math.min(period.to - 1, LATEST_NAMED))
  return lettersByName.get(`${englishName(id, moment)} ${period.offset}`) ?? digitsOf(period.offset)
}

function englishName(id: string, ms: number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'long' })
  return format.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? ''
}

function digitsOf(offset: number): string {
  const { sign, hours, minutes } = offsetParts(offset)
  return minutes === '00' ? `${sign}${hours}` : `${sign}${hours}${minutes}`
}

function offsetParts(offset: number): { sign: string; hours: string; minutes: string } {
  const size = Math.floor(Math.abs(offset) / MINUTE_MS)
  const two = (part: number) => String(part).padStart(2, '0')
  return { sign: offset < 0 ? '-' : '+', hours: two(Math.floor(size / 60)), minutes: two(size % 60) }
}

/** Texts that locales translate; `{name}` is a placeholder. */
export const unclearTimes = {
  skipped: 'There is no {time} on this day, since clocks go forward: it is {first} or {second}.',
  repeated: '{time} comes twice on this day, since clocks go back: as {first} and again as {second}.',
} as const
