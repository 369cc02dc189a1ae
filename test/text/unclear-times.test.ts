import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../src/base/config.ts'
import { readMoment } from '../../src/base/text/moments.ts'
import { utcToWall, wallToUtc } from '../../src/base/text/zones.ts'
import { translate } from '../../src/calendar/locales/translate.ts'
import { describeUnclear, findUnclear } from '../../src/features/desk/unclear-times.ts'
import { fc, rounds } from '../support/rounds.ts'

test('every language says what an unclear time may mean', () => {
  const wall = '2027-03-28 02:30:00'
  const unclear = findUnclear(wall, 'Europe/Berlin') ?? fail()
  for (const language of LANGUAGES) {
    const text = describeUnclear(wall, unclear, (words, values) => translate(language, words, values))
    match(text, /02:30.*01:30 CET.*03:30 CEST/, text)
  }
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
