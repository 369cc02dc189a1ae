import {
  isFault,
  occurrenceStarts,
  type Recurrence,
  type Start,
  WEEKDAYS,
} from '../../src/base/recurrence/recurrence.ts'
import { readRecurrence } from '../../src/base/recurrence/recurrence-text.ts'
import { formatUtc, settledWall, utcToMs } from '../../src/base/text/zones.ts'
import { fc } from '../support/rounds.ts'

export interface Sent {
  readonly start: Start
  readonly lines: readonly string[]
}

const ZONES = {
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  // Its clocks stopped changing in 2026, which the other programs may not know yet.
  'Africa/Casablanca': ['2021-04-11', '2022-05-08'],
  'Europe/Dublin': ['2026-03-29', '2026-10-25'],
  'Pacific/Apia': ['2011-12-30', '2012-04-01'],
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'America/New_York': ['2026-03-08', '2026-11-01'],
  UTC: ['2028-02-29', '2026-12-31'],
} as const

const DAY_MS = 86_400_000

const day = fc
  .tuple(
    fc.constantFrom(...(Object.keys(ZONES) as (keyof typeof ZONES)[])),
    fc.nat(1),
    fc.integer({ min: -400, max: 5 }),
  )
  .map(([zone, at, days]) => ({
    zone,
    day: formatUtc(utcToMs(`${ZONES[zone][at]} 00:00:00`) + days * DAY_MS).slice(0, 10),
  }))

const start: fc.Arbitrary<Start> = fc
  .tuple(day, fc.constantFrom('02:30:00', '01:45:00', '19:00:00', '00:00:00', '09:15:30', ''))
  .map(([{ zone, day }, time]) => {
    const local = `${day} ${time || '00:00:00'}`
    return { zone, allDay: time === '', local: time === '' ? local : settledWall(local, zone) }
  })

const listOf = (entry: fc.Arbitrary<string>, most: number) =>
  fc.uniqueArray(entry, { minLength: 1, maxLength: most }).map((entries) => entries.join(','))
const weekday = fc.constantFrom(...WEEKDAYS)
const placed = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 5, -1, -2, -5), weekday)
  .map(([nth, name]) => `${nth}${name}`)
const monthday = fc.constantFrom(1, 2, 7, 13, 15, 28, 29, 30, 31, -1, -2, -28, -31).map(String)
const month = fc.integer({ min: 1, max: 12 }).map(String)
const position = fc.constantFrom(1, 2, 3, -1, -2, 10).map(String)

const rarely = <T>(part: fc.Arbitrary<T>) => fc.option(part, { nil: undefined, freq: 2 })

const parts = fc.record({
  FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
  INTERVAL: fc.oneof({ weight: 3, arbitrary: fc.constant('1') }, fc.constantFrom('2', '3', '5', '13')),
  BYDAY: rarely(
    fc.oneof(
      { weight: 2, arbitrary: listOf(weekday, 4) },
      listOf(placed, 3),
      listOf(fc.oneof(weekday, placed), 4),
    ),
  ),
  BYMONTHDAY: rarely(listOf(monthday, 3)),
  BYMONTH: rarely(listOf(month, 4)),
  BYSETPOS: fc.option(listOf(position, 2), { nil: undefined, freq: 4 }),
  WKST: rarely(weekday),
  end: fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: 1, max: 60 }).map((count) => ['COUNT', String(count)] as const),
    fc.integer({ min: 0, max: 800 }).map((days) => ['UNTIL', days] as const),
  ),
})

function ruleLine(
  { end, ...others }: typeof parts extends fc.Arbitrary<infer Parts> ? Parts : never,
  from: Start,
): string {
  const pairs = Object.entries(others).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  if (end?.[0] === 'COUNT') pairs.push(`COUNT=${end[1]}`)
  if (end?.[0] === 'UNTIL') {
    const last = formatUtc(utcToMs(from.local) + end[1] * DAY_MS)
      .replace(' ', 'T')
      .replace(/[-:]/g, '')
    pairs.push(`UNTIL=${from.allDay ? last.slice(0, 8) : last}`)
  }
  return `RRULE:${pairs.join(';')}`
}

const dates = rarely(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 4 }))

function datesLine(name: string, days: readonly number[] | undefined, from: Start): string[] {
  if (!days) return []
  const walls = days.map((day) =>
    formatUtc(utcToMs(from.local) + day * DAY_MS)
      .slice(0, 10)
      .replaceAll('-', ''),
  )
  if (from.allDay) return [`${name};VALUE=DATE:${walls.join(',')}`]
  return [`${name}:${walls.map((wall) => `${wall}T${from.local.slice(11).replaceAll(':', '')}`).join(',')}`]
}

export const sentRules: fc.Arbitrary<Sent> = fc
  .tuple(start, parts, dates, dates)
  .map(([from, made, added, left]) => ({
    start: from,
    lines: [ruleLine(made, from), ...datesLine('RDATE', added, from), ...datesLine('EXDATE', left, from)],
  }))

export interface Expanded {
  readonly start: Start
  readonly recurrence: Recurrence
  readonly horizon: string
  readonly starts: readonly string[]
}

export function expandedRules(seed: number, count: number): Expanded[] {
  const found: Expanded[] = []
  for (let round = 0; found.length < count; round += 1)
    for (const { start, lines } of fc.sample(sentRules, { seed: seed + round, numRuns: count })) {
      const recurrence = readRecurrence(lines, start)
      if (!recurrence || isFault(recurrence) || found.length >= count) continue
      const horizon = formatUtc(utcToMs(start.local) + 760 * DAY_MS)
      found.push({ start, recurrence, horizon, starts: occurrenceStarts(recurrence, start, horizon, 750) })
    }
  return found
}
