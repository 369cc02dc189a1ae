import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../src/base/config.ts'
import { readMoment } from '../../src/base/text/moments.ts'
import { utcToWall, wallToUtc } from '../../src/base/text/zones.ts'
import { translate } from '../../src/calendar/locales/translate.ts'
import { describeUnclear, findUnclear } from '../../src/features/desk/unclear-times.ts'
import { pluck } from '../support/lists.ts'
import { fc, rounds } from '../support/rounds.ts'

test('an hour that clocks skip may be the one before or the one after', () => {
  deepEqual(findUnclear('2027-03-28 02:30:00', 'Europe/Berlin'), {
    code: 'skipped',
    moments: [
      { utc: '2027-03-28 00:30:00', wall: '2027-03-28 01:30:00', offset: '+01:00', abbreviation: 'CET' },
      { utc: '2027-03-28 01:30:00', wall: '2027-03-28 03:30:00', offset: '+02:00', abbreviation: 'CEST' },
    ],
  })
  equal(findUnclear('2027-03-28 01:59:59', 'Europe/Berlin'), undefined)
  equal(findUnclear('2027-03-28 03:00:00', 'Europe/Berlin'), undefined)
})

test('an hour that clocks repeat may be either of the two', () => {
  deepEqual(findUnclear('2027-10-31 02:30:00', 'Europe/Berlin'), {
    code: 'repeated',
    moments: [
      { utc: '2027-10-31 00:30:00', wall: '2027-10-31 02:30:00', offset: '+02:00', abbreviation: 'CEST' },
      { utc: '2027-10-31 01:30:00', wall: '2027-10-31 02:30:00', offset: '+01:00', abbreviation: 'CET' },
    ],
  })
  equal(findUnclear('2027-10-31 01:59:59', 'Europe/Berlin'), undefined)
  equal(findUnclear('2027-10-31 03:00:00', 'Europe/Berlin'), undefined)
})

test('half hours and days that clocks skip are known', () => {
  const skipped = findUnclear('2027-10-03 02:15:00', 'Australia/Lord_Howe')
  deepEqual(pluck(skipped?.moments, 'wall'), ['2027-10-03 01:45:00', '2027-10-03 02:45:00'])
  const day = findUnclear('2011-12-30 12:00:00', 'Pacific/Apia')
  deepEqual(pluck(day?.moments, 'wall'), ['2011-12-29 12:00:00', '2011-12-31 12:00:00'])
})

test('what a wall time may mean is what the interface takes with the offset that is told', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Dublin', 'UTC', '+02:00']
  const minutes = fc.integer({ min: 0, max: 366 * 24 * 12 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, (zone, five) => {
      const wall = new Date(Date.UTC(2027, 0, 1) + five * 300_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' ')
      const unclear = findUnclear(wall, zone)
      const isPlain = utcToWall(wallToUtc(wall, zone), zone) === wall
      if (unclear?.code !== 'skipped') ok(isPlain)
      if (!unclear) return
      const [first, last] = unclear.moments
      ok(first.utc < last.utc)
      equal(wallToUtc(wall, zone), unclear.code === 'skipped' ? last.utc : first.utc)
      for (const { wall: shown, offset, utc } of unclear.moments)
        deepEqual(readMoment(`${shown}${offset}`, zone, 0), { wall: shown, utc })
    }),
    { numRuns: rounds(200) },
  )
})

test('every language says what an unclear time may mean', () => {
  const wall = '2027-03-28 02:30:00'
  const unclear = findUnclear(wall, 'Europe/Berlin') ?? fail()
  for (const language of LANGUAGES) {
    const text = describeUnclear(wall, unclear, (words, values) => translate(language, words, values))
    for (const part of ['02:30', '01:30 CET', '03:30 CEST']) ok(text.includes(part), text)
  }
})
