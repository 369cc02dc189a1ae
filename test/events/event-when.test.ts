import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseMoment, utcToMs, wallNow } from '../../src/base/text/moments.ts'
import { defaultWindow, parseWindowEdge, settleWhen } from '../../src/calendar/events/event-when.ts'
import { fc, rounds } from '../support/rounds.ts'

const NEW_YORK = 'America/New_York'
const NOW = utcToMs('2026-11-20 20:16:00')

function created(start: string | number, end: string | number, timezone = NEW_YORK, allDay = false) {
  const times = settleWhen({
    start: parseMoment(start, timezone, NOW) ?? '',
    end: parseMoment(end, timezone, NOW) ?? '',
    timezone,
    allDay,
  })
  return `${times.start_date} ${times.end_date} = ${times.utc_start_date} ${times.utc_end_date}`
}

const TIMES: Readonly<
  Record<string, readonly (readonly [sent: Parameters<typeof created>, times: string])[]>
> = {
  'a wall time that the clocks skip moves forward, at the start and at the end': [
    [
      ['2027-03-14 00:30:00', '2027-03-14 02:15:00'],
      '2027-03-14 00:30:00 2027-03-14 03:15:00 = 2027-03-14 05:30:00 2027-03-14 07:15:00',
    ],
  ],
  'an ambiguous wall time is its first occurrence': [
    [
      ['2027-11-06 22:00:00', '2027-11-07 01:30:00'],
      '2027-11-06 22:00:00 2027-11-07 01:30:00 = 2027-11-07 02:00:00 2027-11-07 05:30:00',
    ],
  ],
  'moving a skipped start forward can not leave the end before it': [
    [
      ['2027-03-14 02:30:00', '2027-03-14 03:15:00'],
      '2027-03-14 03:30:00 2027-03-14 03:30:00 = 2027-03-14 07:30:00 2027-03-14 07:30:00',
    ],
  ],
  'an all-day event fills its days': [
    [
      ['2027-04-29 12:00:00', '2027-04-29 13:00:00', 'Asia/Tokyo', true],
      '2027-04-29 00:00:00 2027-04-29 23:59:59 = 2027-04-28 15:00:00 2027-04-29 14:59:59',
    ],
  ],
  'an all-day event is as long as its days when the clocks change': [
    [
      ['2027-03-14', '2027-03-14', NEW_YORK, true],
      '2027-03-14 00:00:00 2027-03-14 23:59:59 = 2027-03-14 05:00:00 2027-03-15 03:59:59',
    ],
    [
      ['2027-11-07', '2027-11-07', NEW_YORK, true],
      '2027-11-07 00:00:00 2027-11-07 23:59:59 = 2027-11-07 04:00:00 2027-11-08 04:59:59',
    ],
  ],
  'an all-day event keeps its midnight where the clocks skip it': [
    [
      ['2027-09-05', '2027-09-05', 'America/Santiago', true],
      '2027-09-05 00:00:00 2027-09-05 23:59:59 = 2027-09-05 04:00:00 2027-09-06 02:59:59',
    ],
  ],
  'an all-day event with its days the wrong way round is on its first day': [
    [
      ['2026-12-10', '2026-12-08', NEW_YORK, true],
      '2026-12-10 00:00:00 2026-12-10 23:59:59 = 2026-12-10 05:00:00 2026-12-11 04:59:59',
    ],
  ],
}

describe('the times of an event', () => {
  for (const [name, rows] of Object.entries(TIMES))
    test(name, () => {
      for (const [sent, times] of rows) equal(created(...sent), times, sent.join())
    })

  test('no event ends before it starts, in either form', () => {
    const second = fc.integer({
      min: utcToMs('2026-01-01 00:00:00') / 1000,
      max: utcToMs('2031-01-01 00:00:00') / 1000,
    })
    const zone = fc.constantFrom(
      NEW_YORK,
      'Europe/Berlin',
      'America/Santiago',
      'Australia/Lord_Howe',
      'America/Nuuk',
      'UTC+5.5',
    )
    const property = fc.property(
      second,
      fc.integer({ min: -90_000, max: 90_000 }),
      zone,
      fc.boolean(),
      (at, length, timezone, allDay) => {
        for (const part of created(at, at + length, timezone, allDay).split(' = '))
          ok(part.slice(0, 19) <= part.slice(20), part)
      },
    )
    fc.assert(property, { numRuns: rounds(60) })
  })
})

describe('the window of a list without dates', () => {
  test('it runs from yesterday of the site to two years ahead', () => {
    deepEqual(
      { ...defaultWindow(NEW_YORK, NOW) },
      { start: '2026-11-19 00:00:00', end: '2028-11-20 23:59:59' },
    )
  })

  test('yesterday is that of the site zone on either side of UTC', () => {
    equal(defaultWindow('Asia/Tokyo', NOW).start, '2026-11-20 00:00:00')
    equal(defaultWindow(NEW_YORK, utcToMs('2026-11-21 04:59:59')).start, '2026-11-19 00:00:00')
    equal(defaultWindow(NEW_YORK, utcToMs('2026-11-21 05:00:00')).start, '2026-11-20 00:00:00')
  })

  test('the end is two years from the day in the zone of the site', () => {
    equal(defaultWindow(NEW_YORK, utcToMs('2026-11-21 00:01:00')).end, '2028-11-20 23:59:59')
    equal(defaultWindow('Pacific/Kiritimati', utcToMs('2026-11-20 10:00:00')).end, '2028-11-21 23:59:59')
    equal(defaultWindow(NEW_YORK, utcToMs('2028-02-29 12:00:00')).end, '2030-03-01 23:59:59')
    const clock = fc.integer({ min: NOW, max: utcToMs('2060-01-01 00:00:00') })
    const property = fc.property(
      clock,
      fc.constantFrom(NEW_YORK, 'Pacific/Auckland', 'UTC-12'),
      (now, zone) => {
        const end = new Date(utcToMs(wallNow(zone, now)))
        end.setUTCFullYear(end.getUTCFullYear() + 2)
        equal(defaultWindow(zone, now).end, `${end.toISOString().slice(0, 10)} 23:59:59`)
      },
    )
    fc.assert(property, { numRuns: rounds(25) })
  })
})

describe('the dates of a list', () => {
  const edgeOf = (value: string | number, edge: 'start' | 'end' | 'before-after', strict = false) =>
    parseWindowEdge(value, edge, strict, NEW_YORK, NOW)

  test('days are whole unless strict: a start at its first second, the others at its last', () => {
    for (const value of [
      '2027-06-15',
      '2027-06-15 23:00:00',
      '2027-06-15T10:00:00',
      '15 June 2027',
      '06/15/2027',
    ]) {
      equal(edgeOf(value, 'start'), '2027-06-15 00:00:00', value)
      equal(edgeOf(value, 'end'), '2027-06-15 23:59:59', value)
      equal(edgeOf(value, 'before-after'), '2027-06-15 23:59:59', value)
    }
  })

  test('strict dates keep their time of day, that of the clocks of the site', () => {
    for (const edge of ['start', 'end', 'before-after'] as const) {
      equal(edgeOf('2027-06-15 12:00:00', edge, true), '2027-06-15 12:00:00')
      equal(edgeOf('2027-06-15', edge, true), '2027-06-15 00:00:00')
    }
  })

  test('an offset or a timestamp is converted to the zone of the site before the day is taken', () => {
    equal(edgeOf('2027-06-15T02:00:00Z', 'start'), '2027-06-14 00:00:00')
    equal(edgeOf('2027-06-15T02:00:00Z', 'before-after', true), '2027-06-14 22:00:00')
    equal(edgeOf(1796000000, 'end'), '2026-11-29 23:59:59')
    equal(edgeOf('1796000000', 'end', true), '2026-11-29 19:53:20')
  })

  test('now is today, or this very second when strict', () => {
    equal(edgeOf('now', 'start'), '2026-11-20 00:00:00')
    equal(edgeOf('now', 'before-after'), '2026-11-20 23:59:59')
    equal(edgeOf('now', 'before-after', true), '2026-11-20 15:16:00')
    equal(edgeOf('+30 days', 'end'), '2026-12-20 23:59:59')
  })

  test('what is no date is refused', () => {
    for (const value of ['', 'never', 'soonish', '31/12/2026', 0]) {
      equal(edgeOf(value, 'start'), undefined)
      equal(edgeOf(value, 'end', true), undefined)
    }
  })
})
