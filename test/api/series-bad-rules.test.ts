import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../support/service.ts'

let service: TestService

before(async () => {
  service = await startService({ timezone: 'Europe/Berlin' })
  // The first request compiles code, which must not count as the cost of a rule.
  await send('RRULE:FREQ=NEVER')
})

after(() => service.close())

const YEAR = 2027
const START = `${YEAR}-03-01 19:00:00`

const send = (recurrence: unknown, more: object = {}) =>
  service.post('/events', { title: 'Bad', start_date: START, end_date: `${YEAR}-03-01 21:00:00`, recurrence, ...more })

const all = (most: number) => Array.from({ length: most }, (_, i) => i + 1).join()
const dates = (count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(YEAR, 5, 1, 0, i)).toISOString().replace(/[-:]|\.000/g, ''))

/** Wrong rules by their fault, with the part that the answer names; empty where it names none. */
const BAD: Readonly<Record<string, readonly (readonly [unknown, string, object?])[]>> = {
  'never end, and began too long ago': [
    ['RRULE:FREQ=DAILY', 'RRULE', { start_date: '1601-01-01 10:00', end_date: '1601-01-01 11:00' }],
    [{ frequency: 'weekly' }, 'RRULE', { start_date: '1980-01-01 10:00', end_date: '1980-01-01 11:00' }],
  ],
  'never match': [
    ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'RRULE:FREQ'],
    ['RRULE:FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=4', 'RRULE:FREQ'],
    ['RRULE:FREQ=WEEKLY;BYDAY=MO;BYSETPOS=5', 'RRULE:FREQ'],
  ],
  'match everything': [
    [`RRULE:FREQ=YEARLY;BYMONTH=${all(12)};BYMONTHDAY=${all(31)};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=${all(366)}`, ''],
    [`RRULE:FREQ=YEARLY;BYMONTH=${all(12)};BYMONTHDAY=${all(31)};BYHOUR=${all(23)};BYMINUTE=${all(59)};COUNT=1`, ''],
    [`RRULE:FREQ=MONTHLY;BYMONTHDAY=${`1,`.repeat(5000)}1`, 'RRULE:BYMONTHDAY'],
  ],
  'contradict themselves': [
    ['RRULE:FREQ=DAILY;COUNT=3;UNTIL=20990101', ''],
    ['RRULE:FREQ=DAILY;FREQ=WEEKLY', 'RRULE:FREQ'],
    [['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], 'RRULE'],
    [{ frequency: 'daily', count: 2, until: '2099-01-01' }, ''],
  ],
  'contradict the start': [
    [[`DTSTART:${YEAR}0302T190000`, 'RRULE:FREQ=DAILY;COUNT=2'], 'DTSTART'],
    [['RRULE:FREQ=DAILY;COUNT=2', `RDATE:${YEAR}0101T190000`], 'RDATE'],
    [['RRULE:FREQ=DAILY;COUNT=1', `EXDATE:${YEAR}0301T190000`], 'EXDATE'],
  ],
  'hold 10,000 dates': [
    [`RDATE:${dates(10_000).join()}`, ''],
    [dates(10_000).map((date) => `RDATE:${date}`), ''],
    [{ frequency: 'daily', count: 2, left: dates(10_000) }, 'left'],
    ['RRULE:FREQ=DAILY;COUNT=10000', 'RRULE:COUNT'],
  ],
  'are sub-daily': [
    ['RRULE:FREQ=HOURLY;COUNT=2', 'RRULE:FREQ'],
    ['RRULE:FREQ=SECONDLY', 'RRULE:FREQ'],
    ['RRULE:FREQ=DAILY;BYHOUR=9,10', 'RRULE:BYHOUR'],
    [{ frequency: 'minutely' }, 'frequency'],
  ],
  'end before the start': [
    [`RRULE:FREQ=DAILY;UNTIL=${YEAR}0228T190000Z`, 'RRULE:UNTIL'],
    [{ frequency: 'daily', until: '1970-01-01' }, 'until'],
  ],
  'name zones that do not exist': [
    [['RRULE:FREQ=DAILY;COUNT=2', `RDATE;TZID=Mars/Olympus:${YEAR}0601T190000`], 'RDATE:TZID'],
    [[`DTSTART;TZID="No/Where":${YEAR}0301T190000`, 'RRULE:FREQ=DAILY;COUNT=2'], 'DTSTART:TZID'],
  ],
}

for (const [what, rules] of Object.entries(BAD))
  test(`rules that ${what} are refused by the part`, async () => {
    for (const [recurrence, part, more] of rules) {
      const text = JSON.stringify(recurrence).slice(0, 100)
      const { status, body } = await send(recurrence, more)
      assert.equal(status, 400, `${text} ${JSON.stringify(body).slice(0, 200)}`)
      assert.deepEqual(Object.keys(body.data.params), ['recurrence'], text)
      const named = body.data.details.recurrence?.data?.part
      assert.equal(part === '' ? '' : named, part, text)
    }
  })

test('recurrences of a wrong type are refused, and what means none is taken', async () => {
  for (const wrong of [7, true, [1, 2], [[]], [null], { frequency: {} }, { frequency: ['daily', 'weekly'] }]) {
    const { status, body } = await send(wrong)
    assert.equal(status, 400, JSON.stringify(wrong))
    assert.equal(body.code, 'rest_invalid_param')
    assert.deepEqual(Object.keys(body.data.params), ['recurrence'])
  }
  for (const none of ['', null, []]) {
    const { status, body } = await send(none)
    assert.deepEqual([status, body.recurrence], [201, undefined])
  }
})
