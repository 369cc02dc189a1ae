import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Temporal } from 'temporal-polyfill'
import {
  formatUtc,
  isTimezone,
  settledWall,
  timezoneAbbreviation,
  utcOffset,
  utcToMs,
  utcToWall,
  wallToUtc,
} from '../../src/base/text/zones.ts'
import { fc, rounds } from '../support/rounds.ts'

const ZONES = (
  'Africa/Cairo Africa/Casablanca America/Asuncion America/Chicago America/Denver America/Halifax ' +
  'America/Havana America/Los_Angeles America/New_York America/Nuuk America/Santiago America/St_Johns ' +
  'America/Vancouver Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Tokyo ' +
  'Atlantic/Azores Australia/Adelaide Australia/Lord_Howe Australia/Sydney Europe/Berlin Europe/Dublin ' +
  'Europe/Lisbon Europe/London Pacific/Auckland Pacific/Chatham Pacific/Easter'
).split(' ')

const CLOCK_CHANGES = ZONES.flatMap((zone) => clockChanges(zone).map((utc) => ({ zone, utc })))

describe('the names of zones', () => {
  test('IANA names, abbreviations, offsets and UTC are zones in any letter case', () => {
    const known = 'Europe/Rome europe/rome AMERICA/NEW_YORK US/Eastern Etc/GMT+5 UTC utc GMT'.split(' ')
    const short = ['EST', 'edt', 'CET', 'cest', 'MST', 'JST', 'ist', 'AEDT', 'nzst', 'ChST']
    const offsets = '+02:00 -04:30 +14:00 -14:00 +00:00 UTC+2 UTC-8 UTC+0 UTC+14 utc+3'.split(' ')
    const parts = ['UTC+5:45', 'UTC-4.5', 'UTC+5.75', 'UTC+05:30', 'UTC-9:30']
    for (const zone of [...known, ...short, ...offsets, ...parts]) equal(isTimezone(zone), true, zone)
  })

  test('unknown names, offsets beyond 14 hours and other text are no zones', () => {
    const beyond = ['UTC+99', 'UTC+15', 'UTC-14:30', '+14:01', '+15:00', 'UTC+14.5']
    const broken = '| |UTC+|UTC+5.33|UTC+5:60|UTC+5:3|+2|+02|02:00|Z|GMT+2|+02:00:00'.split('|')
    const other =
      'Atlantis/Capital|Europe|2026-01-01T00:00:00+02:00|[Europe/Rome]|Europe/Rome |constructor'.split('|')
    for (const text of [...beyond, ...broken, ...other]) equal(isTimezone(text), false, text)
    equal(isTimezone('Europe/'.repeat(10_000)), false)
  })

  test('any text at all is answered without an error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => typeof isTimezone(text) === 'boolean'),
      { numRuns: rounds(75) },
    )
  })
})

describe('wall time and UTC', () => {
  test('a wall time has the UTC time of its zone, and back', () => {
    for (const [zone, wall, utc] of [
      ['America/New_York', '2026-12-10 10:00:00', '2026-12-10 15:00:00'],
      ['America/New_York', '2026-07-10 10:00:00', '2026-07-10 14:00:00'],
      ['europe/paris', '2027-06-19 18:00:00', '2027-06-19 16:00:00'],
      ['Asia/Kolkata', '2027-06-12 06:00:00', '2027-06-12 00:30:00'],
      ['Australia/Sydney', '2028-01-26 10:00:00', '2028-01-25 23:00:00'],
      ['Pacific/Auckland', '2028-04-10 01:00:00', '2028-04-09 13:00:00'],
      ['UTC', '2027-06-13 18:00:00', '2027-06-13 18:00:00'],
      ['Europe/Berlin', '2126-07-01 12:00:00', '2126-07-01 10:00:00'],
      ['America/New_York', '1880-01-01 00:00:00', '1880-01-01 04:56:02'],
    ] as const) {
      equal(wallToUtc(wall, zone), utc, zone)
      equal(utcToWall(utc, zone), wall, zone)
    }
  })

  test('offsets and abbreviations without a zone of that name never follow summer time', () => {
    for (const [zone, utc] of [
      ['UTC+1', '09:00:00'],
      ['UTC-5', '15:00:00'],
      ['UTC-8', '18:00:00'],
      ['UTC-5.5', '15:30:00'],
      ['UTC-4.5', '14:30:00'],
      ['UTC+5:45', '04:15:00'],
      ['UTC+5.75', '04:15:00'],
      ['+02:00', '08:00:00'],
      ['-09:30', '19:30:00'],
      ['EST', '15:00:00'],
      ['EDT', '14:00:00'],
      ['PST', '18:00:00'],
      ['JST', '01:00:00'],
    ] as const) {
      equal(wallToUtc('2027-07-10 10:00:00', zone), `2027-07-10 ${utc}`, zone)
      equal(wallToUtc('2027-01-10 10:00:00', zone), `2027-01-10 ${utc}`, zone)
    }
  })

  test('a wall time that the clocks skip moves forward by the gap', () => {
    equal(settledWall('2027-03-14 02:30:00', 'America/New_York'), '2027-03-14 03:30:00')
    equal(wallToUtc('2027-03-14 02:30:00', 'America/New_York'), '2027-03-14 07:30:00')
    equal(settledWall('2027-10-03 02:15:00', 'Australia/Lord_Howe'), '2027-10-03 02:45:00')
    equal(settledWall('2011-12-30 12:00:00', 'Pacific/Apia'), '2011-12-31 12:00:00')
    equal(settledWall('2027-03-14 02:30:00', 'EST'), '2027-03-14 02:30:00')
    equal(settledWall('2027-03-14 02:30:00', 'UTC-5'), '2027-03-14 02:30:00')
  })

  test('a wall time that occurs twice is the first of the two, and stays as written', () => {
    equal(wallToUtc('2027-11-07 01:30:00', 'America/New_York'), '2027-11-07 05:30:00')
    equal(settledWall('2027-11-07 01:30:00', 'America/New_York'), '2027-11-07 01:30:00')
    equal(utcToWall('2027-11-07 06:30:00', 'America/New_York'), '2027-11-07 01:30:00')
  })

  test('around each clock change of 2026 to 2030 a wall time that exists returns from UTC unchanged', () => {
    for (const { zone, utc } of CLOCK_CHANGES) {
      for (const wall of wallTimesAround(zone, utc)) {
        const exists = instantsOf(wall, zone).length > 0
        const back = utcToWall(wallToUtc(wall, zone), zone)
        equal(back, settledWall(wall, zone), `${wall} ${zone}`)
        if (exists) equal(back, wall, `${wall} ${zone}`)
        else ok(back > wall, `${wall} ${zone} moved to ${back}`)
      }
    }
  })

  test('around every clock change of 2026 to 2030 the first time that a wall time can be is taken', () => {
    for (const { zone, utc } of CLOCK_CHANGES) {
      for (const wall of wallTimesAround(zone, utc)) {
        const [first] = instantsOf(wall, zone)
        if (first !== undefined) equal(wallToUtc(wall, zone), first, `${wall} ${zone}`)
      }
    }
  })

  test('a wall time and its UTC time are those of Temporal at any time of two centuries', () => {
    const minute = fc.integer({
      min: utcToMs('1900-01-01 00:00:00') / 60_000,
      max: utcToMs('2100-01-01 00:00:00') / 60_000,
    })
    const property = fc.property(fc.constantFrom(...ZONES), minute, (zone, at) => {
      const wall = formatUtc(at * 60_000)
      const expected = Temporal.PlainDateTime.from(wall).toZonedDateTime(zone)
      equal(wallToUtc(wall, zone), formatUtc(expected.epochMilliseconds))
      equal(utcToWall(wall, zone), wallText(Temporal.Instant.from(`${wall}Z`).toZonedDateTimeISO(zone)))
    })
    fc.assert(property, { numRuns: rounds(37) })
  })

  test('asking first for the very second of a clock change spoils no earlier time', () => {
    equal(utcToWall('2027-03-28 01:00:00', 'Europe/Vienna'), '2027-03-28 03:00:00')
    equal(utcToWall('2027-03-28 00:59:59', 'Europe/Vienna'), '2027-03-28 01:59:59')
    equal(timezoneAbbreviation('Europe/Vienna', '2027-03-28 00:59:59'), 'CET')
  })

  test('times at the ends of the calendar stay within it', () => {
    equal(wallToUtc('9999-12-31 23:59:59', 'America/New_York'), '9999-12-31 23:59:59')
    equal(wallToUtc('0001-01-01 00:00:00', 'Asia/Tokyo'), '0001-01-01 00:00:00')
    equal(wallToUtc('0050-06-01 12:00:00', 'UTC+2'), '0050-06-01 10:00:00')
  })
})

describe('what a zone is called at a time', () => {
  test('the abbreviation is that of the tz database, winter and summer', () => {
    for (const [zone, january, july] of [
      ['America/New_York', 'EST', 'EDT'],
      ['america/chicago', 'CST', 'CDT'],
      ['America/Phoenix', 'MST', 'MST'],
      ['America/Los_Angeles', 'PST', 'PDT'],
      ['America/Anchorage', 'AKST', 'AKDT'],
      ['America/St_Johns', 'NST', 'NDT'],
      ['America/Havana', 'CST', 'CDT'],
      ['Pacific/Honolulu', 'HST', 'HST'],
      ['Pacific/Guam', 'ChST', 'ChST'],
      ['Europe/London', 'GMT', 'BST'],
      ['Europe/Jersey', 'GMT', 'BST'],
      ['Europe/Dublin', 'GMT', 'IST'],
      ['Europe/Lisbon', 'WET', 'WEST'],
      ['Europe/Berlin', 'CET', 'CEST'],
      ['europe/paris', 'CET', 'CEST'],
      ['Europe/Athens', 'EET', 'EEST'],
      ['Europe/Moscow', 'MSK', 'MSK'],
      ['Africa/Johannesburg', 'SAST', 'SAST'],
      ['Africa/Nairobi', 'EAT', 'EAT'],
      ['Asia/Jerusalem', 'IST', 'IDT'],
      ['Asia/Kolkata', 'IST', 'IST'],
      ['Asia/Shanghai', 'CST', 'CST'],
      ['Asia/Hong_Kong', 'HKT', 'HKT'],
      ['Asia/Manila', 'PST', 'PST'],
      ['Asia/Jakarta', 'WIB', 'WIB'],
      ['Asia/Tokyo', 'JST', 'JST'],
      ['Asia/Seoul', 'KST', 'KST'],
      ['Australia/Perth', 'AWST', 'AWST'],
      ['Australia/Adelaide', 'ACDT', 'ACST'],
      ['Australia/Sydney', 'AEDT', 'AEST'],
      ['Pacific/Auckland', 'NZDT', 'NZST'],
      ['MET', 'MET', 'MEST'],
    ] as const) {
      equal(timezoneAbbreviation(zone, '2028-01-15 12:00:00'), january, zone)
      equal(timezoneAbbreviation(zone, '2028-07-15 12:00:00'), july, zone)
    }
  })

  test('zones without letters in the tz database are called by their offset', () => {
    for (const [zone, digits] of [
      ['Asia/Dubai', '+04'],
      ['Asia/Singapore', '+08'],
      ['Asia/Kathmandu', '+0545'],
      ['Asia/Colombo', '+0530'],
      ['Europe/Istanbul', '+03'],
      ['Europe/Minsk', '+03'],
      ['America/Sao_Paulo', '-03'],
      ['Pacific/Marquesas', '-0930'],
      ['Antarctica/Troll', '+02'],
      ['Etc/GMT+5', '-05'],
    ] as const) {
      equal(timezoneAbbreviation(zone, '2026-07-15 12:00:00'), digits, zone)
    }
  })

  test('offsets are named as rule 5.3 says, UTC and abbreviations by themselves', () => {
    const at = '2027-07-15 12:00:00'
    for (const zone of ['UTC+3', 'UTC-8', 'UTC+5:45', 'UTC-4.5', 'UTC+0'])
      equal(timezoneAbbreviation(zone, at), zone)
    equal(timezoneAbbreviation('+02:00', at), 'GMT+0200')
    equal(timezoneAbbreviation('-04:30', at), 'GMT-0430')
    equal(timezoneAbbreviation('utc', at), 'UTC')
    equal(timezoneAbbreviation('Etc/UTC', at), 'UTC')
    equal(timezoneAbbreviation('gmt', at), 'GMT')
    equal(timezoneAbbreviation('est', at), 'EST')
    equal(timezoneAbbreviation('cest', at), 'CEST')
  })

  test('the abbreviation changes with the clocks, to the second', () => {
    equal(timezoneAbbreviation('America/New_York', '2027-03-14 06:59:59'), 'EST')
    equal(timezoneAbbreviation('America/New_York', '2027-03-14 07:00:00'), 'EDT')
    equal(timezoneAbbreviation('America/New_York', '1880-01-01 00:00:00'), 'LMT')
  })

  test('the offset is written as ISO 8601 has it', () => {
    equal(utcOffset('2027-07-01 12:00:00', 'Europe/Paris'), '+02:00')
    equal(utcOffset('2027-01-01 12:00:00', 'Europe/Paris'), '+01:00')
    equal(utcOffset('2027-01-01 12:00:00', 'America/St_Johns'), '-03:30')
    equal(utcOffset('2027-01-01 12:00:00', 'UTC'), '+00:00')
    equal(utcOffset('2027-01-01 12:00:00', 'UTC-4.5'), '-04:30')
    equal(utcOffset('1880-01-01 12:00:00', 'America/New_York'), '-04:56')
  })
})

function clockChanges(zone: string): number[] {
  const end = utcToMs('2031-01-01 00:00:00')
  const changes: number[] = []
  let next = Temporal.Instant.from('2026-01-01T00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next')
  while (next && next.epochMilliseconds < end) {
    changes.push(next.epochMilliseconds)
    next = next.getTimeZoneTransition('next')
  }
  return changes
}

function wallTimesAround(zone: string, utc: number): string[] {
  const wall = utcToMs(wallText(Temporal.Instant.fromEpochMilliseconds(utc).toZonedDateTimeISO(zone)))
  return [-7200, -3600, -3599, -1800, -1, 0, 1, 1799, 3599, 3600, 7200].map((seconds) =>
    formatUtc(wall + seconds * 1000),
  )
}

function instantsOf(wall: string, zone: string): string[] {
  const plain = Temporal.PlainDateTime.from(wall)
  const candidates = (['earlier', 'later'] as const).map((disambiguation) =>
    plain.toZonedDateTime(zone, { disambiguation }),
  )
  const exact = candidates.filter((candidate) => candidate.toPlainDateTime().equals(plain))
  return [...new Set(exact.map((candidate) => formatUtc(candidate.epochMilliseconds)))].sort()
}

function wallText(moment: Temporal.ZonedDateTime): string {
  return moment.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ')
}
