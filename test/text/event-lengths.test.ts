import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  dayOfCopy,
  distanceInWords,
  endAfter,
  lengthInWords,
  movedEnd,
} from '../../src/features/desk/event-lengths.ts'
import { fc } from '../support/rounds.ts'

const at = (text: string) => `2027-${text}:00`

test('no end follows where there is no sense in it', () => {
  equal(movedEnd(at('03-01 19:00'), at('03-01 18:00'), at('03-08 20:00')), undefined)
  equal(movedEnd('', at('03-01 18:00'), at('03-08 20:00')), undefined)
  equal(movedEnd(at('03-01 19:00'), at('03-01 21:00'), '9999-12-31 23:00:00'), undefined)
  equal(endAfter('tomorrow'), undefined)
})

test('a copy is on the same weekday, a week later or more, and to come', () => {
  equal(dayOfCopy('2027-03-02', '2027-03-01'), '2027-03-09')
  equal(dayOfCopy('2027-03-02', '2027-03-02'), '2027-03-09')
  equal(dayOfCopy('2027-03-02', '2027-03-09'), '2027-03-16')
  equal(dayOfCopy('2025-01-07', '2027-03-01'), '2027-03-02')
  const day = fc
    .integer({ min: -20_000, max: 40_000 })
    .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10))
  fc.assert(
    fc.property(day, day, (event, today) => {
      const copy = dayOfCopy(event, today)
      const days = (Date.parse(copy) - Date.parse(event)) / 86_400_000
      ok(copy > today && days >= 7 && days % 7 === 0)
      ok(days === 7 || Date.parse(copy) - Date.parse(today) <= 7 * 86_400_000)
    }),
  )
})

test('lengths are said in the language of the site', () => {
  const from = (start: string, end: string, language: string) => lengthInWords(at(start), at(end), language)
  equal(from('03-02 19:00', '03-02 20:30', 'en'), '1 hour, 30 minutes')
  equal(from('03-02 19:00', '03-04 20:00', 'de'), '2 Tage, 1 Stunde')
  equal(from('03-02 19:00', '03-02 21:00', 'fr').replace('\u00a0', ' '), '2 heures')
  equal(from('03-02 19:00', '03-02 19:45', 'es'), '45 minutos')
  equal(from('03-02 19:00', '03-02 19:00', 'en'), '')
  equal(from('03-02 19:00', '03-01 19:00', 'en'), '')
})

test('distances are said in days, months and years', () => {
  const from = (day: string, language: string) => distanceInWords(day, '2027-03-02', language)
  equal(from('2027-03-03', 'de'), 'morgen')
  equal(from('2027-03-13', 'en'), 'in 11 days')
  equal(from('2027-02-28', 'es'), 'anteayer')
  equal(from('2026-11-02', 'fr'), 'il y a 4 mois')
  equal(from('2030-03-02', 'en'), 'in 3 years')
})
