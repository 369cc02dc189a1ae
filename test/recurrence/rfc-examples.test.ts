import { deepEqual, fail } from 'node:assert/strict'
import { test } from 'node:test'
import { isFault, occurrenceStarts } from '../../src/base/recurrence/recurrence.ts'
import { readRecurrence } from '../../src/base/recurrence/recurrence-text.ts'

const EXAMPLES: readonly (readonly [rule: string, days: string, start?: string])[] = [
  ['FREQ=DAILY;COUNT=10', '1997-09-02..11'],
  ['FREQ=DAILY;INTERVAL=2', '1997-09-02,04,06,08,10,12,14,16,18,20,22,24,26,28,30 10-02,04,06'],
  ['FREQ=DAILY;INTERVAL=10;COUNT=5', '1997-09-02,12,22 10-02,12'],
  [
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998-01-01..31 1999-01-01..31 2000-01-01..31',
    '1998-01-01',
  ],
  [
    'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    '1998-01-01..31 1999-01-01..31 2000-01-01..31',
    '1998-01-01',
  ],
  ['FREQ=WEEKLY;COUNT=10', '1997-09-02,09,16,23,30 10-07,14,21,28 11-04'],
  ['FREQ=WEEKLY;INTERVAL=2;WKST=SU', '1997-09-02,16,30 10-14,28 11-11,25 12-09,23 1998-01-06,20 02-03,17'],
  ['FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH', '1997-09-02,04,09,11,16,18,23,25,30 10-02'],
  ['FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH', '1997-09-02,04,09,11,16,18,23,25,30 10-02'],
  [
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997-09-01,03,05,15,17,19,29 10-01,03,13,15,17,27,29,31 11-10,12,14,24,26,28 12-08,10,12,22',
    '1997-09-01',
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH', '1997-09-02,04,16,18,30 10-02,14,16'],
  [
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997-09-05 10-03 11-07 12-05 1998-01-02 02-06 03-06 04-03 05-01 06-05',
    '1997-09-05',
  ],
  ['FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR', '1997-09-05 10-03 11-07 12-05', '1997-09-05'],
  [
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997-09-07,28 11-02,30 1998-01-04,25 03-01,29 05-03,31',
    '1997-09-07',
  ],
  ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', '1997-09-22 10-20 11-17 12-22 1998-01-19 02-16', '1997-09-22'],
  ['FREQ=MONTHLY;BYMONTHDAY=-3', '1997-09-28 10-29 11-28 12-29 1998-01-29 02-26', '1997-09-28'],
  ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15', '1997-09-02,15 10-02,15 11-02,15 12-02,15 1998-01-02,15'],
  [
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997-09-30 10-01,31 11-01,30 12-01,31 1998-01-01,31 02-01',
    '1997-09-30',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997-09-10..15 1999-03-10..13',
    '1997-09-10',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997-09-02,09,16,23,30 11-04,11,18,25 1998-01-06,13,20,27 03-03,10,17,24,31',
  ],
  [
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997-06-10 07-10 1998-06-10 07-10 1999-06-10 07-10 2000-06-10 07-10 2001-06-10 07-10',
    '1997-06-10',
  ],
  [
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997-03-10 1999-01-10 02-10 03-10 2001-01-10 02-10 03-10 2003-01-10 02-10 03-10',
    '1997-03-10',
  ],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19 1998-05-18 1999-05-17', '1997-05-19'],
  [
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997-03-13,20,27 1998-03-05,12,19,26 1999-03-04,11,18,25',
    '1997-03-13',
  ],
  [
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997-06-05,12,19,26 07-03,10,17,24,31 08-07,14,21,28 ' +
      '1998-06-04,11,18,25 07-02,09,16,23,30 08-06,13,20,27',
    '1997-06-05',
  ],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1997-09-02 1998-02-13 03-13 11-13 1999-08-13 2000-10-13'],
  [
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997-09-13 10-11 11-08 12-13 1998-01-10 02-07 03-07 04-11 05-09 06-13',
    '1997-09-13',
  ],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05 2000-11-07 2004-11-02',
    '1996-11-05',
  ],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04 10-07 11-06', '1997-09-04'],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997-09-29 10-30 11-27 12-30 1998-01-29 02-26 03-30',
    '1997-09-29',
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05,10,19,24', '1997-08-05'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05,17,19,31', '1997-08-05'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007-01-15,30 02-15 03-15,30', '2007-01-15'],
]

function daysOf(text: string): string[] {
  let year = ''
  return text.split(' ').flatMap((group) => {
    const [, named = '', month = '', days = ''] = /^(\d{4}-)?(\d\d)-([\d.,]+)$/.exec(group) ?? []
    year = named || year
    const [first = '', last] = days.split('..')
    if (last === undefined) return days.split(',').map((day) => `${year}${month}-${day}`)
    const length = Number(last) - Number(first) + 1
    return Array.from({ length }, (_, at) => `${year}${month}-${String(Number(first) + at).padStart(2, '0')}`)
  })
}

for (const [rule, text, day = '1997-09-02'] of EXAMPLES)
  test(`RFC 5545 says which days ${rule} has`, () => {
    const start = { local: `${day} 09:00:00`, zone: 'America/New_York', allDay: false }
    const recurrence = readRecurrence(`RRULE:${rule}`, start)
    if (!recurrence || isFault(recurrence)) return fail(JSON.stringify(recurrence))
    const days = daysOf(text)
    const isWhole = /COUNT|UNTIL/.test(rule)
    const starts = occurrenceStarts(recurrence, start, '2010-01-01 00:00:00', isWhole ? 750 : days.length)
    deepEqual(
      starts,
      days.map((listed) => `${listed} 09:00:00`),
    )
  })

test('RFC 5545 leaves Friday the 13th without the start that an exception takes away', () => {
  const start = { local: '1997-09-02 09:00:00', zone: 'America/New_York', allDay: false }
  const lines = ['EXDATE;TZID=America/New_York:19970902T090000', 'RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13']
  const recurrence = readRecurrence(lines, start)
  if (!recurrence || isFault(recurrence)) return fail(JSON.stringify(recurrence))
  deepEqual(occurrenceStarts(recurrence, start, '1998-06-01 00:00:00', 750), [
    '1998-02-13 09:00:00',
    '1998-03-13 09:00:00',
  ])
})
