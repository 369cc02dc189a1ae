import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { everyDate, readEveryRule } from '../../src/features/imports/every-rule.ts'

const EXAMPLES: readonly (readonly [rule: string, start: string, ...dates: string[]])[] = [
  [
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997-01-01 09:00:00',
    ...['1997-01-01 09:00:00', '1997-04-10 09:00:00', '1997-07-19 09:00:00', '2000-01-01 09:00:00'],
    ...['2000-04-09 09:00:00', '2000-07-18 09:00:00', '2003-01-01 09:00:00', '2003-04-10 09:00:00'],
    ...['2003-07-19 09:00:00', '2006-01-01 09:00:00'],
  ],
  [
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    '1997-05-12 09:00:00',
    ...['1997-05-12 09:00:00', '1998-05-11 09:00:00', '1999-05-17 09:00:00'],
  ],
  [
    'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000',
    '1997-09-02 09:00:00',
    ...['1997-09-02 09:00:00', '1997-09-02 12:00:00', '1997-09-02 15:00:00', '1997-09-02 18:00:00'],
  ],
  [
    'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
    '1997-09-02 09:00:00',
    ...['1997-09-02 09:00:00', '1997-09-02 10:30:00', '1997-09-02 12:00:00', '1997-09-02 13:30:00'],
  ],
  [
    'FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,40',
    '1997-09-02 09:00:00',
    ...['1997-09-02 09:00:00', '1997-09-02 09:40:00', '1997-09-02 10:00:00', '1997-09-02 10:40:00'],
    ...['1997-09-03 09:00:00'],
  ],
  [
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=16',
    '1997-09-02 16:00:00',
    ...['1997-09-02 16:00:00', '1997-09-02 16:20:00', '1997-09-02 16:40:00', '1997-09-03 16:00:00'],
  ],
  [
    'RSCALE=gregorian;FREQ=DAILY;BYHOUR=9;SKIP=OMIT;COUNT=2',
    '1997-09-02 09:00:00',
    ...['1997-09-02 09:00:00', '1997-09-03 09:00:00'],
  ],
  // RFC 7529, 4.1 and 8: days that do not exist move to the next or the one before, each day once.
  [
    'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD',
    '2027-01-31 20:00:00',
    ...['2027-01-31 20:00:00', '2027-03-01 20:00:00', '2027-03-31 20:00:00', '2027-05-01 20:00:00'],
  ],
  [
    'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD;COUNT=4',
    '2027-01-31 20:00:00',
    ...['2027-01-31 20:00:00', '2027-02-28 20:00:00', '2027-03-31 20:00:00', '2027-04-30 20:00:00'],
  ],
  [
    'RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD',
    '2028-02-29 20:00:00',
    ...['2028-02-29 20:00:00', '2029-03-01 20:00:00', '2030-03-01 20:00:00'],
  ],
  [
    'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD;BYDAY=SA,SU,MO,TU',
    '2027-03-01 20:00:00',
    ...['2027-03-01 20:00:00', '2027-05-01 20:00:00', '2027-05-31 20:00:00', '2027-06-01 20:00:00'],
  ],
  // Not in the RFC: the last week of a year on the weekday of the start, and the last day of a year.
  ['FREQ=YEARLY;BYWEEKNO=-1', '2026-12-31 20:00:00', '2026-12-31 20:00:00', '2027-12-30 20:00:00'],
  ['FREQ=YEARLY;BYYEARDAY=-1,366', '2027-12-31 20:00:00', '2027-12-31 20:00:00', '2028-12-31 20:00:00'],
  // Not in the RFC: the last time of each day.
  [
    'FREQ=DAILY;BYHOUR=10,14,18;BYSETPOS=-1',
    '2027-01-01 18:00:00',
    '2027-01-01 18:00:00',
    '2027-01-02 18:00:00',
  ],
]

for (const [text, start, ...dates] of EXAMPLES)
  test(`${text} makes these dates`, () => {
    const rule = readEveryRule(text)
    ok(rule)
    const found: string[] = []
    for (const wall of everyDate(rule, start, '2040-01-01 00:00:00', { left: 100_000 })) {
      found.push(wall)
      if (found.length === dates.length) break
    }
    deepEqual(found, dates)
  })

test('A start that the rule does not make counts', () => {
  const rule = readEveryRule('FREQ=YEARLY;BYYEARDAY=100;COUNT=3')
  ok(rule)
  const found = [...everyDate(rule, '2027-01-01 09:00:00', '2040-01-01 00:00:00', { left: 1000 })]
  deepEqual(found, ['2027-04-10 09:00:00', '2028-04-09 09:00:00'])
})

test('Positions that no set has cost steps as well', () => {
  const beyond = Array.from({ length: 365 }, (_, i) => i + 2)
  const rule = readEveryRule(`FREQ=SECONDLY;BYSETPOS=${beyond.join()}`)
  ok(rule)
  const steps = { left: 100_000 }
  deepEqual([...everyDate(rule, '2027-01-01 09:00:00', '2090-01-01 00:00:00', steps)], [])
  ok(steps.left < 0)
})

test('Rules without a date end with the steps that they may take, and unknown parts are not read', () => {
  for (const text of [
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;INTERVAL=1000000;BYYEARDAY=366',
    'FREQ=MINUTELY;INTERVAL=999983;BYHOUR=3',
  ]) {
    const rule = readEveryRule(text)
    ok(rule)
    ok(
      [...everyDate(rule, '0001-01-01 09:00:00', '9999-12-31 00:00:00', { left: 100_000 })].length <= 100_000,
    )
  }
  for (const text of [
    '',
    'FREQ=SOMETIMES',
    'FREQ=DAILY;BYEASTER=1',
    'FREQ=DAILY;BYHOUR=25',
    'FREQ=DAILY;BYDAY=XX',
    `FREQ=DAILY;BYHOUR=${'1,'.repeat(9000)}`,
  ])
    equal(readEveryRule(text), undefined, text)
})
