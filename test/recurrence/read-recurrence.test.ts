import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { moveRecurrence, splitRecurrence } from '../../src/base/recurrence/change-recurrence.ts'
import {
  isFault,
  occurrenceStarts,
  type Recurrence,
  type Start,
} from '../../src/base/recurrence/recurrence.ts'
import { recurrenceInWords } from '../../src/base/recurrence/recurrence-in-words.ts'
import {
  readRecurrence,
  recurrenceLines,
  recurrenceObject,
} from '../../src/base/recurrence/recurrence-text.ts'
import { messages } from '../../src/calendar/locales/messages.ts'
import { translate } from '../../src/calendar/locales/translate.ts'
import { fc, rounds } from '../support/rounds.ts'
import { expandedRules } from './random-rules.ts'

const START: Start = { local: '2026-11-24 19:00:00', zone: 'Europe/Berlin', allDay: false }
const DAY: Start = { local: '2026-11-24 00:00:00', zone: 'Europe/Berlin', allDay: true }
const HORIZON = '2028-12-31 00:00:00'

function read(input: unknown, start = START): Recurrence {
  const recurrence = readRecurrence(input, start)
  if (!recurrence || isFault(recurrence))
    return fail(`${JSON.stringify(input)}: ${JSON.stringify(recurrence)}`)
  return recurrence
}

const starts = (input: unknown, start = START) => occurrenceStarts(read(input, start), start, HORIZON, 750)

test('lines, text and object say the same', () => {
  const object = { frequency: 'weekly', interval: 2, weekdays: ['tu'], until: '2027-06-30' }
  const lines = ['RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20270630T215959Z;BYDAY=TU']
  for (const input of [
    object,
    lines,
    lines.join('\n'),
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=20270630;BYDAY=TU',
    'RSCALE=GREGORIAN;FREQ=WEEKLY;INTERVAL=2;UNTIL=20270630;BYDAY=TU;skip=omit',
    'rrule:freq=weekly;byday=tu;interval=2;until=20270630T190000',
    [
      'DTSTART;TZID=Europe/Berlin:20261124T190000',
      'RRULE:FREQ=WEEKLY;INTERVAL=2;\r\n UNTIL=20270630T170000Z;BYDAY=TU',
    ],
  ]) {
    deepEqual(recurrenceLines(read(input), START), lines)
    deepEqual(recurrenceObject(read(input), START), object)
  }
})

test('nothing, in each of its forms, is no recurrence', () => {
  for (const input of [undefined, null, '', [], ' \n']) equal(readRecurrence(input, START), undefined)
})

test('19:00 stays 19:00 across the change of the clock', () => {
  ok(starts('FREQ=WEEKLY;COUNT=60').every((wall) => wall.endsWith('19:00:00')))
})

test('a time that the clock skips moves forward, and two that meet are one', () => {
  const night = { local: '2027-03-27 02:30:00', zone: 'Europe/Berlin', allDay: false }
  deepEqual(starts('FREQ=DAILY;COUNT=3', night), [
    '2027-03-27 02:30:00',
    '2027-03-28 03:30:00',
    '2027-03-29 02:30:00',
  ])
  const island = { local: '2011-12-29 19:00:00', zone: 'Pacific/Apia', allDay: false }
  deepEqual(starts('FREQ=DAILY;COUNT=3', island), ['2011-12-29 19:00:00', '2011-12-31 19:00:00'])
})

test('a start that the rule does not make is its first date, and counts', () => {
  deepEqual(starts('FREQ=WEEKLY;BYDAY=FR;COUNT=3'), [
    '2026-11-24 19:00:00',
    '2026-11-27 19:00:00',
    '2026-12-04 19:00:00',
  ])
})

test('added dates and exceptions are read in any zone and as days', () => {
  const lines = [
    'RRULE:FREQ=WEEKLY;COUNT=2',
    'RDATE;TZID=America/New_York:20261125T130000',
    'RDATE;VALUE=DATE:20261126',
    'EXDATE:20261201T180000Z',
  ]
  deepEqual(starts(lines), ['2026-11-24 19:00:00', '2026-11-25 19:00:00', '2026-11-26 19:00:00'])
  deepEqual(starts({ frequency: 'daily', count: 3, left: ['2026-11-25'] }, DAY), [
    '2026-11-24 00:00:00',
    '2026-11-26 00:00:00',
  ])
})

const MANY = Array.from({ length: 10_000 }, (_, day) =>
  new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10),
)
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at).join(',')
const EVERY = `BYMONTH=${numbers(1, 12)};BYMONTHDAY=${numbers(1, 31)};BYDAY=MO,TU,WE,TH,FR,SA,SU`

const REFUSED: readonly (readonly [input: unknown, part: string, start?: Start])[] = [
  [
    `FREQ=YEARLY;${EVERY};BYHOUR=${numbers(0, 23)};BYMINUTE=` +
      `${numbers(0, 59)};BYSECOND=${numbers(0, 59)};COUNT=1`,
    'RRULE:BYHOUR',
  ],
  [`FREQ=YEARLY;${EVERY};COUNT=1`, 'RRULE:FREQ'],
  ['FREQ=SECONDLY', 'RRULE:FREQ'],
  ['FREQ=HOURLY;COUNT=3', 'RRULE:FREQ'],
  ['INTERVAL=2', 'RRULE:FREQ'],
  ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'RRULE:COUNT'],
  ['FREQ=DAILY;COUNT=0', 'RRULE:COUNT'],
  ['FREQ=DAILY;COUNT=751', 'RRULE:COUNT'],
  ['FREQ=DAILY;COUNT=1e3', 'RRULE:COUNT'],
  ['FREQ=DAILY;INTERVAL=0', 'RRULE:INTERVAL'],
  ['FREQ=DAILY;INTERVAL=1001', 'RRULE:INTERVAL'],
  ['FREQ=DAILY;INTERVAL=99999999999999999999', 'RRULE:INTERVAL'],
  ['FREQ=DAILY;UNTIL=20261123T190000', 'RRULE:UNTIL'],
  ['FREQ=DAILY;UNTIL=20261124T120000', 'RRULE:UNTIL'],
  ['FREQ=DAILY;UNTIL=20270231', 'RRULE:UNTIL'],
  ['FREQ=DAILY;UNTIL=forever', 'RRULE:UNTIL'],
  ['FREQ=DAILY;FREQ=WEEKLY', 'RRULE:FREQ'],
  ['FREQ=DAILY;COUNT=2;COUNT=3', 'RRULE:COUNT'],
  ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'RRULE:FREQ'],
  ['FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29', 'RRULE:FREQ'],
  ['FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=20', 'RRULE:FREQ'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6', 'RRULE:FREQ'],
  ['FREQ=DAILY;INTERVAL=7;BYDAY=WE', 'RRULE:FREQ'],
  ['FREQ=DAILY;BYSETPOS=1', 'RRULE:BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'RRULE:BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=400', 'RRULE:BYSETPOS'],
  ['FREQ=WEEKLY;BYMONTHDAY=1', 'RRULE:BYMONTHDAY'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'RRULE:BYDAY'],
  ['FREQ=MONTHLY;BYDAY=6MO', 'RRULE:BYDAY'],
  ['FREQ=YEARLY;BYDAY=54MO', 'RRULE:BYDAY'],
  ['FREQ=YEARLY;BYDAY=MO,', 'RRULE:BYDAY'],
  [`FREQ=YEARLY;BYDAY=${Array.from({ length: 60_000 }, () => 'MO').join(',')}`, 'recurrence'],
  [`FREQ=YEARLY;BYDAY=${Array.from({ length: 100 }, () => 'MO').join(',')}`, 'RRULE:BYDAY'],
  ['FREQ=YEARLY;BYWEEKNO=20', 'RRULE:BYWEEKNO'],
  ['FREQ=YEARLY;__proto__=1', 'RRULE:__PROTO__'],
  ['RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY', 'RRULE'],
  ['EXRULE:FREQ=DAILY', 'EXRULE'],
  ['EXDATE:20261201T180000Z', 'RRULE'],
  [['FREQ=DAILY', 'EXDATE;TZID=Mars/Base:20261201T190000'], 'EXDATE:TZID'],
  [['FREQ=DAILY', 'RDATE;VALUE=PERIOD:20261201T190000/PT1H'], 'RDATE:VALUE'],
  [['FREQ=DAILY', 'RDATE:20251201T190000'], 'RDATE'],
  [['FREQ=DAILY;COUNT=1', 'EXDATE:20261124T190000'], 'EXDATE'],
  [['FREQ=DAILY', 'DTSTART:20261125T190000'], 'DTSTART'],
  [['FREQ=DAILY', `RDATE:${MANY.map((day) => day.replaceAll('-', '')).join(',')}`], 'recurrence'],
  [MANY.map((day) => `RDATE;VALUE=DATE:${day.replaceAll('-', '')}`), 'recurrence'],
  [{ frequency: 'daily', added: MANY }, 'added'],
  [{ frequency: 'hourly' }, 'frequency'],
  [{ interval: 2 }, 'frequency'],
  [{ frequency: 'daily', by_hour: [1] }, 'by_hour'],
  [{ frequency: 'daily', count: 2, until: '2027-01-01' }, 'count'],
  [{ frequency: 'daily', until: { toString: 1 } }, 'until'],
  [{ frequency: 'weekly', weekdays: ['tuesday'] }, 'weekdays'],
  [{ frequency: 'daily', until: '2026-11-23' }, 'until', DAY],
  [5, 'recurrence'],
  [[['RRULE:FREQ=DAILY']], 'recurrence'],
  [true, 'recurrence'],
]

for (const [input, part, start = START] of REFUSED)
  test(`${(JSON.stringify(input) ?? '').slice(0, 80)} is refused by the name ${part}`, () => {
    const found = readRecurrence(input, start)
    if (!isFault(found)) return fail(`it is read as ${JSON.stringify(found)}`)
    equal(found.part, part)
    ok((messages as readonly string[]).includes(found.message))
  })

const evil = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...'FREQ INTERVAL COUNT UNTIL BYDAY BYMONTHDAY BYMONTH BYSETPOS WKST BYHOUR X'.split(' '),
      ),
      fc.oneof(
        fc.constantFrom(...'DAILY WEEKLY MONTHLY YEARLY MO -5SU,53MO 29 30,31 -31 366 99991231 2'.split(' ')),
        fc.array(fc.integer({ min: -400, max: 400 }), { maxLength: 80 }).map(String),
        fc.string({ maxLength: 20 }),
      ),
    ),
    { maxLength: 9 },
  )
  .map((pairs) =>
    `RRULE:FREQ=YEARLY;${pairs.map((pair) => pair.join('=')).join(';')}`.replace(
      /FREQ=YEARLY;(?=.*FREQ=)/,
      '',
    ),
  )

test('whatever is sent is read or refused, and what is read has at most so many dates', () => {
  const ancient = { ...START, local: '0400-02-29 19:00:00' }
  fc.assert(
    fc.property(
      fc.oneof({ weight: 4, arbitrary: evil }, fc.jsonValue()),
      fc.constantFrom(START, DAY, ancient),
      (input, start) => {
        const found = readRecurrence(input, start)
        if (found && !isFault(found)) ok(occurrenceStarts(found, start, HORIZON, 750).length <= 750)
      },
    ),
    { numRuns: rounds(200) },
  )
})

const rules = expandedRules(7, 400)

test('lines and objects are read back as they were written', () => {
  for (const { recurrence, start } of rules) {
    deepEqual(read(recurrenceLines(recurrence, start), start), recurrence)
    deepEqual(read(recurrenceObject(recurrence, start), start), recurrence)
  }
})

test('both halves of a split series have the dates of the whole', () => {
  let split = 0
  for (const { recurrence, start, starts: whole, horizon } of rules)
    for (const at of [whole[1], whole[Math.floor(whole.length / 2)], whole.at(-1)]) {
      if (at === undefined || at <= start.local) continue
      const halves = splitRecurrence(recurrence, start, at)
      // An endless series cannot be split at some added dates: those at another hour, or out of its interval.
      if (!halves) continue
      split += 1
      const before = occurrenceStarts(halves.before, start, horizon, 750)
      const after = occurrenceStarts(halves.after, { ...start, local: at }, horizon, 750 - before.length)
      deepEqual([...before, ...after], whole, JSON.stringify({ recurrence, start, at }))
    }
  ok(split > 300, `${split}`)
})

test('a series is split at an added date by the same rule from there on, or by a list of dates left', () => {
  const until = '2028-01-01 00:00:00'
  const split = (lines: string[], at: string) => {
    const recurrence = read(lines)
    const halves = splitRecurrence(recurrence, START, at)
    if (!halves) return undefined
    const before = occurrenceStarts(halves.before, START, until, 750)
    const after = occurrenceStarts(halves.after, { ...START, local: at }, until, 750)
    deepEqual([...before, ...after], occurrenceStarts(recurrence, START, until, 750), lines.join())
    return recurrenceLines(halves.after, { ...START, local: at })
  }
  const thursday = ['RDATE:20261203T190000', '2026-12-03 19:00:00'] as const
  deepEqual(split(['FREQ=WEEKLY;COUNT=4', thursday[0]], thursday[1]), ['RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TU'])
  deepEqual(split(['FREQ=WEEKLY', thursday[0]], thursday[1]), ['RRULE:FREQ=WEEKLY;BYDAY=TU'])
  // The rule would count its second weeks from another week, so the dates are listed.
  deepEqual(split(['FREQ=WEEKLY;INTERVAL=2;COUNT=3', thursday[0]], thursday[1]), [
    'RDATE;TZID=Europe/Berlin:20261208T190000,20261222T190000',
  ])
  const morning = ['RDATE:20261203T090000', '2026-12-03 09:00:00'] as const
  deepEqual(split(['FREQ=WEEKLY;COUNT=3', morning[0]], morning[1]), [
    'RDATE;TZID=Europe/Berlin:20261208T190000',
  ])
  equal(split(['FREQ=WEEKLY', morning[0]], morning[1]), undefined)
})

test('a series that moves takes its weekday, its end and its exceptions along', () => {
  const to = { ...START, local: '2026-11-25 20:00:00' }
  const moved = (lines: string | string[]) => {
    const found = moveRecurrence(read(lines), START, START.local, to)
    ok(found)
    return recurrenceLines(found.recurrence, found.start)
  }
  deepEqual(moved(['FREQ=WEEKLY;BYDAY=TU,SU;UNTIL=20261231', 'EXDATE:20261201T190000']), [
    'RRULE:FREQ=WEEKLY;UNTIL=20270101T225959Z;BYDAY=MO,WE',
    'EXDATE;TZID=Europe/Berlin:20261202T200000',
  ])
  deepEqual(moved('FREQ=MONTHLY;BYDAY=4TU'), ['RRULE:FREQ=MONTHLY;BYDAY=4WE'])
  deepEqual(moved('FREQ=MONTHLY;BYDAY=-1TU'), ['RRULE:FREQ=MONTHLY;BYDAY=-1WE'])
  deepEqual(moved('FREQ=MONTHLY;BYMONTHDAY=24'), ['RRULE:FREQ=MONTHLY;BYMONTHDAY=25'])
})

test('an exception stays one where a series moves along by the place of a weekday', () => {
  const start = { ...START, local: '2027-01-15 19:00:00' }
  const left = ['EXDATE:20270416T190000', 'EXDATE:20270521T190000']
  const before = read(['RRULE:FREQ=MONTHLY;BYDAY=3FR', ...left], start)
  const moved = moveRecurrence(before, start, '2027-02-19 19:00:00', {
    ...START,
    local: '2027-02-23 19:00:00',
  })
  ok(moved)
  deepEqual(recurrenceLines(moved.recurrence, moved.start), [
    'RRULE:FREQ=MONTHLY;BYDAY=4TU',
    'EXDATE;TZID=Europe/Berlin:20270427T190000,20270525T190000',
  ])
})

const WORDS: readonly (readonly [input: unknown, en: string, de: string])[] = [
  [
    { frequency: 'weekly', interval: 2, weekdays: ['tu'], until: '2026-12-30' },
    'every second Tuesday until 30 December',
    'jeden zweiten Dienstag bis 30. Dezember',
  ],
  [
    'FREQ=WEEKLY;BYDAY=TU,TH;COUNT=10',
    'every week on Tuesday and Thursday, 10 times',
    'jede Woche am Dienstag und Donnerstag, 10 Mal',
  ],
  ['FREQ=WEEKLY', 'every Tuesday', 'jeden Dienstag'],
  ['FREQ=MONTHLY', 'every month on day 24', 'jeden Monat am 24.'],
  ['FREQ=YEARLY', 'every year on 24 November', 'jedes Jahr am 24. November'],
  [
    'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
    'every week from Monday to Friday',
    'jede Woche von Montag bis Freitag',
  ],
  ['FREQ=DAILY;INTERVAL=3', 'every 3 days', 'alle 3 Tage'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'every month on the second Tuesday', 'jeden Monat am zweiten Dienstag'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2', 'every month on the second Monday', 'jeden Monat am zweiten Montag'],
  ['FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1', 'every month on the last Friday', 'jeden Monat am letzten Freitag'],
  [
    'FREQ=YEARLY;BYMONTH=5;BYDAY=SU;BYSETPOS=2',
    'every year on the second Sunday in May',
    'jedes Jahr am zweiten Sonntag im Mai',
  ],
  [
    'FREQ=YEARLY;BYDAY=MO;BYSETPOS=1,3',
    'every year on the first Monday and the third Monday',
    'jedes Jahr am ersten Montag und dritten Montag',
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2',
    'every month on the second of these days: Monday and Tuesday',
    'jeden Monat am zweiten dieser Tage: Montag und Dienstag',
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=1,-1',
    'every month on day 1 and the last day',
    'jeden Monat am 1. und letzten Tag',
  ],
  [
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    'every month on Friday if it is day 13',
    'jeden Monat am Freitag wenn es der 13. ist',
  ],
  ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', 'every year on 24 December', 'jedes Jahr am 24. Dezember'],
  [
    'FREQ=YEARLY;BYMONTH=3,4;BYDAY=-1SU',
    'every year on the last Sunday in March and April',
    'jedes Jahr am letzten Sonntag im März und April',
  ],
  [
    ['FREQ=WEEKLY;BYDAY=TU', 'EXDATE;VALUE=DATE:20261201'],
    'every Tuesday, but not on 1 December',
    'jeden Dienstag, aber nicht am 1. Dezember',
  ],
  ['RDATE;VALUE=DATE:20270101', 'on 24 November and 1 January 2027', 'am 24. November und 1. Januar 2027'],
]

for (const [input, en, de] of WORDS)
  test(`a rule is said as "${en}"`, () => {
    const say = (language: 'en' | 'de') =>
      recurrenceInWords(read(input), START, language, (text, values) => translate(language, text, values))
    deepEqual([say('en'), say('de')], [en, de])
  })

for (const [language, words] of [
  ['fr', 'chaque mois le deuxième lundi'],
  ['es', 'cada mes el segundo lunes'],
] as const)
  test(`the second of all Mondays is the second Monday in ${language}`, () => {
    const say = (input: string) =>
      recurrenceInWords(read(input), START, language, (text, values) => translate(language, text, values))
    deepEqual([say('FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2'), say('FREQ=MONTHLY;BYDAY=2MO')], [words, words])
  })
