import { equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  addDays,
  addMonths,
  formatUtc,
  parseMoment,
  parseUtcMoment,
  utcToMs,
} from '../../src/base/text/moments.ts'
import { fc, rounds } from '../support/rounds.ts'

const NEW_YORK = 'America/New_York'
const NOW = utcToMs('2026-11-20 20:16:00')

function expectAll(
  rows: readonly (readonly [string | number, string | undefined])[],
  zone = NEW_YORK,
  now = NOW,
) {
  for (const [value, wall] of rows) equal(parseMoment(value, zone, now), wall, String(value))
}

describe('dates and times in digits', () => {
  test('ISO forms are read with a T or a blank, with or without seconds and fractions', () => {
    expectAll([
      ['2027-04-05', '2027-04-05 00:00:00'],
      ['2027-04-05 10:00', '2027-04-05 10:00:00'],
      ['2027-04-05 10:00:01', '2027-04-05 10:00:01'],
      ['2027-04-05T10:00', '2027-04-05 10:00:00'],
      ['2027-04-05T10:00:00', '2027-04-05 10:00:00'],
      ['2027-04-05t23:59:59', '2027-04-05 23:59:59'],
      ['2027-04-05T10:00:00.999', '2027-04-05 10:00:00'],
      ['2027-04-05T10', '2027-04-05 10:00:00'],
      ['20270405T101530', '2027-04-05 10:15:30'],
      ['2027-4-5 9:05', '2027-04-05 09:05:00'],
      ['2027-04', '2027-04-01 00:00:00'],
      [' 2027-04-05  10:00 ', '2027-04-05 10:00:00'],
      ['2028-02-29 10:00:00', '2028-02-29 10:00:00'],
      ['1970-01-01', '1970-01-01 00:00:00'],
      ['0001-01-01', '0001-01-01 00:00:00'],
      ['0099-02-29', '0099-03-01 00:00:00'],
      ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
    ])
  })

  test('an offset or Z is converted to the zone', () => {
    expectAll([
      ['2026-12-10T10:00:00Z', '2026-12-10 05:00:00'],
      ['2026-12-10T10:00:00.000Z', '2026-12-10 05:00:00'],
      ['2027-04-05T14:00:00z', '2027-04-05 10:00:00'],
      ['2027-04-05T14:00:00+09:00', '2027-04-05 01:00:00'],
      ['2027-04-05 14:00 +0900', '2027-04-05 01:00:00'],
      ['2027-04-05T14:00+09', '2027-04-05 01:00:00'],
      ['2027-04-05T14:00:00-05:30', '2027-04-05 15:30:00'],
      ['20270405T140000Z', '2027-04-05 10:00:00'],
      ['2027-02-30T10:00:00Z', '2027-03-02 05:00:00'],
      ['2027-04-05 14:00 UTC', '2027-04-05 10:00:00'],
      ['2027-04-05 14:00 EST', '2027-04-05 15:00:00'],
      ['2027-04-05 14:00 Europe/Paris', '2027-04-05 08:00:00'],
      ['1970-01-01T00:00:00Z', '1969-12-31 19:00:00'],
    ])
    equal(parseMoment('2026-12-10T10:00:00+05:00', 'Europe/Rome', NOW), '2026-12-10 06:00:00')
    equal(parseMoment('2026-12-10T10:00:00Z', 'UTC+5:45', NOW), '2026-12-10 15:45:00')
  })

  test('an offset whose plus sign became a blank in a query is still an offset', () => {
    expectAll([['2026-12-05T10:00:00 05:00', '2026-12-05 00:00:00']])
  })

  test('what browsers and mail programs write is read', () => {
    expectAll([
      ['Mon Apr 05 2027 10:00:00 GMT+0200 (Central European Summer Time)', '2027-04-05 04:00:00'],
      ['Mon, 05 Apr 2027 10:00:00 GMT', '2027-04-05 06:00:00'],
      ['Mon, 5 Apr 2027 10:00:00 +0200', '2027-04-05 04:00:00'],
      ['4/5/2027, 10:00:00 AM', '2027-04-05 10:00:00'],
    ])
  })

  test('seconds since the epoch are converted to the zone, as a number and as digits', () => {
    expectAll([
      [1796000000, '2026-11-29 19:53:20'],
      ['1796000000', '2026-11-29 19:53:20'],
      ['@1796000000', '2026-11-29 19:53:20'],
      [1796000000.9, '2026-11-29 19:53:20'],
      ['1796000000.9', '2026-11-29 19:53:20'],
      [-1, '1969-12-31 18:59:59'],
      ['-86400', '1969-12-30 19:00:00'],
    ])
    equal(parseMoment('1796000000', 'Europe/Rome', NOW), '2026-11-30 01:53:20')
  })

  test('zero and timestamps beyond the calendar are refused', () => {
    expectAll([
      [0, undefined],
      [-0, undefined],
      ['0', undefined],
      ['-0', undefined],
      ['00', undefined],
      ['0.0', undefined],
      [Number.NaN, undefined],
      [Number.POSITIVE_INFINITY, undefined],
      [1796000000000, undefined],
      ['1796000000000', undefined],
      [-1e15, undefined],
      ['20270405100000', undefined],
    ])
  })

  test('slashes are US dates, dots and dashes with the year last begin with the day', () => {
    expectAll([
      ['04/05/2027 10:00', '2027-04-05 10:00:00'],
      ['12/11/2026 17:00', '2026-12-11 17:00:00'],
      ['4/5/2027', '2027-04-05 00:00:00'],
      ['2027/04/05', '2027-04-05 00:00:00'],
      ['05.04.2027 10:00', '2027-04-05 10:00:00'],
      ['05-04-2027', '2027-04-05 00:00:00'],
      ['31/12/2026', undefined],
    ])
  })

  test('days past the end of a month and 24:00 roll over', () => {
    expectAll([
      ['2026-02-30 10:00:00', '2026-03-02 10:00:00'],
      ['2027-02-31 10:00:00', '2027-03-03 10:00:00'],
      ['2027-02-29', '2027-03-01 00:00:00'],
      ['2027-04-31', '2027-05-01 00:00:00'],
      ['2026-12-31 24:00:00', '2027-01-01 00:00:00'],
      ['2026-12-31T23:59:60', '2027-01-01 00:00:00'],
    ])
  })

  test('numbers that no calendar or clock has are refused', () => {
    const dates =
      '2026-13-01|2026-00-10|2026-01-00|2026-01-32|0000-00-00 00:00:00|0000-01-01|12345-01-01'.split('|')
    const times =
      '2026-12-10 25:00:00|2026-12-10 10:60|2026-12-10 10:00:61|25:00|13pm|0am|2026-12-10 10'.split('|')
    const beyond = [
      '2026-12-10T10:00:00+15:00',
      '2026-12-10T10:00:00+05:75',
      '9999-12-31 24:00:00',
      '9999-12-31 +1 day',
    ]
    for (const text of [...dates, ...times, ...beyond])
      equal(parseMoment(text, NEW_YORK, NOW), undefined, text)
  })
})

describe('dates and times in words', () => {
  test('the month may be a word', () => {
    expectAll([
      ['5 April 2027 10am', '2027-04-05 10:00:00'],
      ['April 5, 2027 noon', '2027-04-05 12:00:00'],
      ['April 5,2027', '2027-04-05 00:00:00'],
      ['5th of never', undefined],
      ['apr 5th 2027', '2027-04-05 00:00:00'],
      ['05-Apr-2027 10:00', '2027-04-05 10:00:00'],
      ['10 December 2026 5pm', '2026-12-10 17:00:00'],
      ['1 June 2027', '2027-06-01 00:00:00'],
      ['30 sept', '2026-09-30 00:00:00'],
      ['May 2027', '2027-05-01 00:00:00'],
      ['32 May 2027', undefined],
    ])
  })

  test('clocks of twelve hours, noon and midnight are understood', () => {
    expectAll([
      ['2027-04-05 1:15 PM', '2027-04-05 13:15:00'],
      ['2027-04-05 03:45pm', '2027-04-05 15:45:00'],
      ['2027-04-05 12am', '2027-04-05 00:00:00'],
      ['2027-04-05 12 p.m.', '2027-04-05 12:00:00'],
      ['2027-04-05 10.30 am', '2027-04-05 10:30:00'],
      ['2027-04-05 noon', '2027-04-05 12:00:00'],
      ['2027-04-05 midnight', '2027-04-05 00:00:00'],
      ['10:00\u202fPM', '2026-11-20 22:00:00'],
    ])
  })

  test('now is the clock of the zone, days by name begin at midnight there', () => {
    expectAll([
      ['now', '2026-11-20 15:16:00'],
      ['today', '2026-11-20 00:00:00'],
      ['TOMORROW', '2026-11-21 00:00:00'],
      ['yesterday', '2026-11-19 00:00:00'],
      ['tomorrow 10:00', '2026-11-21 10:00:00'],
      ['9am tomorrow', '2026-11-21 09:00:00'],
      ['tomorrow at noon', '2026-11-21 12:00:00'],
    ])
    expectAll(
      [
        ['today', '2026-11-21 00:00:00'],
        ['now', '2026-11-21 05:16:00'],
      ],
      'Asia/Tokyo',
    )
  })

  test('a weekday is today or the next one, next and last leave today out', () => {
    expectAll([
      ['friday', '2026-11-20 00:00:00'],
      ['this fri', '2026-11-20 00:00:00'],
      ['sunday', '2026-11-22 00:00:00'],
      ['next friday', '2026-11-27 00:00:00'],
      ['last friday', '2026-11-13 00:00:00'],
      ['previous thursday', '2026-11-19 00:00:00'],
      ['next wednesday 4pm', '2026-11-25 16:00:00'],
      ['monday next week', '2026-11-23 00:00:00'],
      ['sunday this week', '2026-11-22 00:00:00'],
      ['monday this week', '2026-11-16 00:00:00'],
    ])
  })

  test('units are counted from now and keep its time of day', () => {
    expectAll([
      ['+1 week', '2026-11-27 15:16:00'],
      ['-2 days', '2026-11-18 15:16:00'],
      ['2 days ago', '2026-11-18 15:16:00'],
      ['next month', '2026-12-20 15:16:00'],
      ['last year', '2025-11-20 15:16:00'],
      ['this week', '2026-11-20 15:16:00'],
      ['+24 months', '2028-11-20 15:16:00'],
      ['+1 fortnight', '2026-12-04 15:16:00'],
      ['+90 minutes', '2026-11-20 16:46:00'],
      ['+1 day 2 hours', '2026-11-21 17:16:00'],
    ])
  })

  test('words and units combine in sequence', () => {
    expectAll([
      ['next friday +2 days', '2026-11-29 00:00:00'],
      ['2027-01-31 +1 month', '2027-03-03 00:00:00'],
      ['2027-04-05 10:00 +1 week', '2027-04-12 10:00:00'],
      ['2027-04-05 10:00 -1 day', '2027-04-04 10:00:00'],
      ['friday 13:00 -1 week', '2026-11-13 13:00:00'],
      ['2027-04-05T10:00:00Z +1 day', '2027-04-06 06:00:00'],
    ])
  })

  test('days are counted within a month', () => {
    expectAll([
      ['first monday of april 2027 09:00', '2027-04-05 09:00:00'],
      ['last friday of april 2027 17:00', '2027-04-30 17:00:00'],
      ['second tuesday of next month', '2026-12-08 00:00:00'],
      ['first monday of february 2027', '2027-02-01 00:00:00'],
      ['last day of next month', '2026-12-31 15:16:00'],
      ['last day of february 2028', '2028-02-29 00:00:00'],
      ['first day of next month 10am', '2026-12-01 10:00:00'],
    ])
    expectAll([['last day of next month', '2027-02-28 07:00:00']], NEW_YORK, utcToMs('2027-01-31 12:00:00'))
  })

  test('hours pass as on a stopwatch when the clocks change, days as on a calendar', () => {
    const beforeSpring = utcToMs('2027-03-14 06:30:00')
    expectAll(
      [
        ['+1 hour', '2027-03-14 03:30:00'],
        ['+1 day', '2027-03-15 01:30:00'],
      ],
      NEW_YORK,
      beforeSpring,
    )
    const secondHalfPastOne = utcToMs('2027-11-07 06:30:00')
    expectAll([['+1 hour', '2027-11-07 02:30:00']], NEW_YORK, secondHalfPastOne)
  })

  test('a wall time that the clocks skip is left for the event to settle', () => {
    expectAll([['2027-03-14 02:30:00', '2027-03-14 02:30:00']])
  })

  test('anything else is refused', () => {
    const nothing = ['', ' ', '\n', ',', 'T', 'EST', '+02:00', '+', '-', '+5', '@']
    const nonsense = [
      'garbage',
      'the day after never',
      'whenever',
      'later on',
      'soonish',
      'once upon a time',
      'first',
    ]
    const twice =
      '12:00 12:00|2027-04-05 2027-04-06|monday tuesday|10:00 UTC EST|2027-04-05T10:00:00Z+02:00'.split('|')
    const halves = '2027-04-05 10:|2027-|next|last day of|first monday of|+ days|next day of month|at'.split(
      '|',
    )
    const long = `2027-04-05${' '.repeat(100)}10:00`
    for (const text of [...nothing, ...nonsense, ...twice, ...halves, long]) {
      equal(parseMoment(text, NEW_YORK, NOW), undefined, text)
    }
  })
})

describe('reading any value', () => {
  const wallTime =
    /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
  const words = fc.constantFrom(
    ...(
      'now today next last first day of monday april 2027 ' +
      '2027-04-05 10:00 10:00:00 t z + - +2 week weeks ago noon'
    ).split(' '),
    ...(
      '+99999 years -999999 months 24:00 9999-12-31 0001-01-01 ' +
      '+02:00 UTC Europe/Paris 4/5/2027 5th pm , ( ) @ 0'
    ).split(' '),
  )

  test('the answer is a wall time or nothing, never an error', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 120 }),
      fc.array(words, { maxLength: 7 }).map((list) => list.join(' ')),
    )
    const property = fc.property(
      fc.oneof(text, fc.double(), fc.integer()),
      fc.constantFrom(NEW_YORK, 'UTC-4.5', '?'),
      (value, zone) => {
        match(parseMoment(value, zone, NOW) ?? '2000-01-01 00:00:00', wallTime)
      },
    )
    fc.assert(property, { numRuns: rounds(120) })
  })

  test('a wall time is read as itself in every zone', () => {
    const second = fc.integer({
      min: utcToMs('0001-01-01 00:00:00') / 1000,
      max: utcToMs('9999-12-31 23:59:59') / 1000,
    })
    fc.assert(
      fc.property(second, fc.constantFrom(NEW_YORK, 'Asia/Tokyo', '+02:00'), (at, zone) => {
        const wall = formatUtc(at * 1000)
        equal(parseMoment(wall, zone, NOW), wall)
        equal(parseMoment(wall.replace(' ', 'T'), zone, NOW), wall)
      }),
    )
  })

  test('a timestamp and its ISO text are the same moment', () => {
    const second = fc.integer({ min: 1, max: utcToMs('2100-01-01 00:00:00') / 1000 })
    fc.assert(
      fc.property(second, (at) => {
        equal(parseMoment(new Date(at * 1000).toISOString(), NEW_YORK, NOW), parseMoment(at, NEW_YORK, NOW))
      }),
    )
  })
})

describe('UTC moments', () => {
  test('a value without an offset is UTC, others are converted', () => {
    equal(parseUtcMoment('2026-07-15 08:30:00', NOW), '2026-07-15 08:30:00')
    equal(parseUtcMoment('2026-07-15T08:30:00-04:00', NOW), '2026-07-15 12:30:00')
    equal(parseUtcMoment(1796000000, NOW), '2026-11-30 00:53:20')
    equal(parseUtcMoment('now', NOW), '2026-11-20 20:16:00')
    equal(parseUtcMoment('never', NOW), undefined)
  })
})

describe('parts of a wall time', () => {
  test('days and months are counted on the calendar', () => {
    equal(addDays('2026-12-31', 1), '2027-01-01')
    equal(addDays('2028-03-01', -1), '2028-02-29')
    equal(addMonths('2026-11-20', 24), '2028-11-20')
    equal(addMonths('2027-01-31', 1), '2027-03-03')
    equal(addMonths('2028-02-29', 24), '2030-03-01')
    equal(addMonths('2027-01-15', -1), '2026-12-15')
  })

  test('milliseconds and UTC times are each other', () => {
    equal(formatUtc(NOW + 999), '2026-11-20 20:16:00')
    equal(formatUtc(-1), '1969-12-31 23:59:59')
    equal(utcToMs('1970-01-01 00:00:01'), 1000)
    equal(formatUtc(utcToMs('0001-01-01 00:00:00')), '0001-01-01 00:00:00')
    equal(formatUtc(Number.MAX_VALUE), '9999-12-31 23:59:59')
  })
})
