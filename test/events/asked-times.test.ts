import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { isFreeOfCharge } from '../../src/calendar/events/event-cost.ts'
import {
  beginsAt,
  daysMeant,
  hoursOf,
  narrowedTo,
  timesOf,
  WITHOUT_BOUNDS,
} from '../../src/calendar/events/event-when.ts'

const berlin = { timezone: 'Europe/Berlin', language: 'de' }
const at = (moment: string) => Date.parse(moment)

test('tonight lasts from five in the afternoon to four in the night, also when the clocks change', () => {
  const night = { startsAfter: '2026-10-24 16:59:59', startsBefore: '2026-10-25 04:00:00' }
  deepEqual(timesOf('tonight', berlin, at('2026-10-24T10:00:00+02:00')), night)
  deepEqual(timesOf('tonight', berlin, at('2026-10-25T02:30:00+02:00')), night)
  deepEqual(timesOf('tonight', berlin, at('2026-10-25T02:30:00+01:00')), night)
  equal(timesOf('tonight', berlin, at('2026-10-25T04:00:00+01:00')).startsAfter, '2026-10-25 16:59:59')
  equal(timesOf('tonight', berlin, at('2026-03-29T03:59:59+02:00')).startsAfter, '2026-03-28 16:59:59')
})

test('a weekend is the one that is on or the next, by the free days of the language’s country', () => {
  const weekend = (day: string, language: string) =>
    Object.values(daysMeant('weekend', day, language)).join(' ')
  equal(weekend('2026-11-23', 'de'), '2026-11-28 2026-11-29')
  equal(weekend('2026-11-27', 'en'), '2026-11-28 2026-11-29')
  equal(weekend('2026-11-28', 'en'), '2026-11-28 2026-11-29')
  equal(weekend('2026-11-29', 'fr'), '2026-11-29 2026-11-29')
  equal(weekend('2026-11-26', 'ar-EG'), '2026-11-27 2026-11-28')
  equal(weekend('2026-11-28', 'he'), '2026-11-28 2026-11-28')
})

test('the last minute of Friday asks for the weekend to come, the first of Saturday for this', () => {
  const saturday = { startsBefore: '2026-11-30 00:00:00', endsAfter: '2026-11-27 23:59:59' }
  deepEqual(timesOf('weekend', berlin, at('2026-11-27T23:59:59+01:00')), saturday)
  deepEqual(timesOf('weekend', berlin, at('2026-11-28T00:00:00+01:00')), saturday)
})

test('what is on now goes by the minute, and days by the calendar of the site', () => {
  const now = at('2026-11-24T23:30:40Z')
  deepEqual(timesOf('now', berlin, now), {
    startsBefore: '2026-11-25 00:30:01',
    endsAfter: '2026-11-25 00:30:00',
  })
  deepEqual(daysMeant('week', '2026-11-25', 'de'), { first: '2026-11-25', last: '2026-12-01' })
  deepEqual(daysMeant('month', '2026-11-25', 'de'), { first: '2026-11-25', last: '2026-12-24' })
  equal(timesOf('today', berlin, now).endsAfter, '2026-11-24 23:59:59')
  equal(timesOf('tomorrow', berlin, now).startsBefore, '2026-11-27 00:00:00')
})

test('dates that are sent narrow a time in words, whichever of them is closer', () => {
  const tonight = timesOf('tonight', berlin, at('2026-11-24T10:00:00+01:00'))
  const sent = { ...WITHOUT_BOUNDS, from: '2026-11-24 20:00:00', startsBefore: '2026-12-24 00:00:00' }
  const narrowed = narrowedTo(sent, tonight)
  equal(narrowed.startsAfter, '2026-11-24 19:59:59')
  equal(narrowed.startsBefore, '2026-11-25 04:00:00')
})

test('an event begins at a time of day by the hour of its start, and one of whole days at none', () => {
  const hours = hoursOf(['evening'])
  const event = (start: string, end = '21:00:00') => ({
    start_date: `2026-11-24 ${start}`,
    end_date: `2026-11-25 ${end}`,
  })
  deepEqual(hours, [0, 1, 2, 3, 17, 18, 19, 20, 21, 22, 23])
  ok(beginsAt(hours, event('17:00:00')))
  ok(!beginsAt(hours, event('16:59:59')))
  ok(beginsAt(hours, event('00:00:00')))
  ok(!beginsAt(hours, event('00:00:00', '23:59:59')))
  deepEqual([...hoursOf(['morning', 'afternoon']), ...hours].length, 24)
})

const SPELLINGS = (
  'Admission free|Entry free|Eintritt kostenlos|kostenfreier Eintritt|umsonst|Eintritt: frei|no cover|' +
  'No cover charge|0,-|0,– €|Gra\u0301tis|Entrada livre|Ingresso libero|Gratis toegang|L’entrée est libre|' +
  'Free for all|вход свободный|kostenlos – Eintritt ' +
  'frei|0|Free|Eintritt frei!|0 €|0,00 EUR|Entrée libre|GRATIS'
).split('|')
const COSTLY = (
  'Free parking|not free|Of charge|Eintritt|No ' +
  'entry|0,5-|No|0 – 10|Free for members|10|freiwillig|0.50|Ask'
).split('|')

test('an event is free of charge when all its costs are nought or words for free', () => {
  for (const costs of [['0 €', '€0.00'], ...SPELLINGS.map((text) => [text])])
    ok(isFreeOfCharge(costs), costs.join(', '))
  for (const costs of [[], ['Free', '10'], ...COSTLY.map((text) => [text])])
    ok(!isFreeOfCharge(costs), costs.join(', '))
})
