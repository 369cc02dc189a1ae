import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  isFault,
  occurrenceStarts,
  type Recurrence,
  searchedUntil,
} from '../../src/base/recurrence/recurrence.ts'
import { readRecurrence, recurrenceLines } from '../../src/base/recurrence/recurrence-text.ts'
import {
  fieldsOfRule,
  nextDates,
  type RuleFields,
  valueOfRule,
} from '../../src/features/desk/event-form/rule-builder.ts'
import { fc, rounds } from '../support/rounds.ts'

const start = { local: '2027-03-02 19:00:00', zone: 'Europe/Berlin', allDay: false }

const never: RuleFields = { repeats: 'never', interval: 1, weekdays: [], ends: 'never', added: [], left: [] }

const asked: Readonly<Record<string, Partial<RuleFields>>> = {
  '': {},
  'RRULE:FREQ=DAILY;INTERVAL=3': { repeats: 'daily', interval: 3 },
  'RRULE:FREQ=WEEKLY': { repeats: 'weekly' },
  'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8;BYDAY=TU,TH': {
    repeats: 'weekly',
    interval: 2,
    weekdays: ['tu', 'th'],
    ends: 'count',
    count: 8,
  },
  'RRULE:FREQ=MONTHLY;UNTIL=20271231T225959Z;BYMONTHDAY=-1': {
    repeats: 'monthly',
    month_day: -1,
    ends: 'until',
    until: '2027-12-31',
  },
  'RRULE:FREQ=MONTHLY;BYDAY=1TU': { repeats: 'monthly', weekday: '1tu' },
  'RRULE:FREQ=YEARLY': { repeats: 'yearly' },
  'RRULE:FREQ=WEEKLY\nRDATE;TZID=Europe/Berlin:20270305T190000\nEXDATE;TZID=Europe/Berlin:20270309T190000': {
    repeats: 'weekly',
    added: ['2027-03-05 19:00:00'],
    left: ['2027-03-09 19:00:00'],
  },
  'RDATE;TZID=Europe/Berlin:20270305T190000,20270401T190000': {
    repeats: 'dates',
    added: ['2027-03-05 19:00:00', '2027-04-01 19:00:00'],
  },
}

for (const [text, fields] of Object.entries(asked))
  test(`the form asks for ${text.split('\n').join(' ') || 'no recurrence'}, and gives it back`, () => {
    deepEqual(fieldsOfRule(text, start), { ...never, ...fields })
    equal(linesOf(valueOfRule({ ...never, ...fields })), text)
  })

test('the form asks for dates of whole days without hours', () => {
  const text = 'RRULE:FREQ=WEEKLY\nRDATE;VALUE=DATE:20270305\nEXDATE;VALUE=DATE:20270309'
  const { added, left } = fieldsOfRule(text, { ...start, local: '2027-03-02 00:00:00', allDay: true })
  deepEqual([added, left], [['2027-03-05'], ['2027-03-09']])
})

function linesOf(value: unknown): string {
  const read = readRecurrence(value, start)
  if (isFault(read)) return read.part
  return read ? recurrenceLines(read, start).join('\n') : ''
}

test('the form asks for the place of a single weekday in the month, however the rule says it', () => {
  for (const [place, weekday] of [
    ['2', '2mo'],
    ['-1', '-1mo'],
  ]) {
    const text = `RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=9;BYDAY=MO;BYSETPOS=${place}`
    const fields = { ...never, repeats: 'monthly', interval: 2, weekday, ends: 'count', count: 9 }
    deepEqual(fieldsOfRule(text, start), fields)
  }
})

for (const text of [
  'RRULE:FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1',
  'RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2,4',
  'RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=2',
  'RRULE:FREQ=YEARLY;BYMONTH=5,6;BYDAY=SU',
  'RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU',
  'RRULE:FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR',
  'RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15',
  'rrule:freq=hourly  ',
  'not a rule at all\r\n',
  'x'.repeat(1_000_000),
])
  test(`what the form cannot ask for stays as it is: ${text.trim().slice(0, 60)}`, () => {
    const fields = fieldsOfRule(text, start)
    equal(fields.repeats, 'text')
    equal(valueOfRule(fields), text)
  })

const days = fc.integer({ min: 0, max: 700 }).map((day) => wall(day))
const wall = (day: number) => `${new Date(Date.UTC(2027, 2, 2 + day)).toISOString().slice(0, 10)} 19:00:00`
const ends = fc.oneof(
  fc.constant({}),
  fc.record({ count: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ until: days.map((day) => day.slice(0, 10)) }),
)
const lists = fc.record({
  added: fc.uniqueArray(days, { maxLength: 5 }),
  left: fc.uniqueArray(days, { maxLength: 5 }),
})
const weekdays = fc.subarray(['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'])
const rules = fc.oneof(
  fc.constant({ frequency: 'daily' }),
  weekdays.map((list) => ({ frequency: 'weekly', weekdays: list })),
  fc.integer({ min: -31, max: 31 }).map((day) => ({ frequency: 'monthly', month_days: [day] })),
  fc
    .tuple(fc.integer({ min: -5, max: 5 }), weekdays)
    .map(([nth, list]) => ({ frequency: 'monthly', weekdays: list.map((day) => `${nth || ''}${day}`) })),
  fc.subarray([1, 5, 12]).map((months) => ({ frequency: 'yearly', months })),
)
const recurrences = fc
  .tuple(rules, fc.integer({ min: 1, max: 4 }), ends, lists)
  .map(([rule, interval, end, dates]) => readRecurrence({ ...rule, interval, ...end, ...dates }, start))
  .filter((read): read is Recurrence => read !== undefined && !isFault(read))

test('whatever the recurrence, saving its form unchanged changes nothing', () => {
  fc.assert(
    fc.property(recurrences, (recurrence) => {
      const text = recurrenceLines(recurrence, start).join('\n')
      const value = valueOfRule(fieldsOfRule(text, start))
      if (typeof value === 'string') equal(value, text)
      else equal(linesOf(value), text)
    }),
    { numRuns: rounds(120) },
  )
})

test('the next dates are those of the series that do not lie before a time', () => {
  fc.assert(
    fc.property(recurrences, fc.integer({ min: -10, max: 900 }), (recurrence, day) => {
      const lines = recurrenceLines(recurrence, start)
      const all = occurrenceStarts(recurrence, start, searchedUntil(start), 2000)
      const found = nextDates(lines, start, wall(day), 6)
      deepEqual(found, all.filter((date) => date >= wall(day)).slice(0, 6))
    }),
    { numRuns: rounds(200) },
  )
})

test('the next dates of what cannot be read are a fault, and of nothing none', () => {
  ok('part' in nextDates('RRULE:FREQ=HOURLY', start, start.local, 5))
  deepEqual(nextDates('', start, start.local, 5), [])
})
