import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ICAL from 'ical.js'
import { formatUtc } from '../../src/base/text/zones.ts'
import { PATIENCE_MS } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const part = (name: string, from: string, to: string, start: string, ...more: readonly string[]) => [
  `BEGIN:${name}`,
  `DTSTART:${start}`,
  `TZOFFSETFROM:${from}`,
  `TZOFFSETTO:${to}`,
  ...more,
  `END:${name}`,
]
const standard = (...of: readonly [string, string, string, ...string[]]) => part('STANDARD', ...of)
const daylight = (...of: readonly [string, string, string, ...string[]]) => part('DAYLIGHT', ...of)

const OUTLOOK_EUROPE = [
  ...standard('+0200', '+0100', '16010101T030000', 'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10'),
  ...daylight('+0100', '+0200', '16010101T020000', 'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3'),
]
const OUTLOOK_EAST = [
  ...standard('-0400', '-0500', '16011104T020000', 'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'),
  ...daylight('-0500', '-0400', '16010311T020000', 'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3'),
]
/** Lotus Notes writes the rules of New York as they have been since 2007, from 1950 on. */
const NOTES_EAST = [
  ...standard(
    '-0400',
    '-0500',
    '19501105T020000',
    'RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=11',
  ),
  ...daylight(
    '-0500',
    '-0400',
    '19500312T020000',
    'RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=2SU;BYMONTH=3',
  ),
]
/** Libical wrote weekdays of a month as days of the month, since Outlook could not read them otherwise. */
const LIBICAL_EAST = [
  ...standard(
    '-0400',
    '-0500',
    '20071104T020000',
    'RRULE:FREQ=YEARLY;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7;BYMONTH=11',
  ),
  ...daylight(
    '-0500',
    '-0400',
    '20070311T020000',
    'RRULE:FREQ=YEARLY;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14;BYMONTH=3',
  ),
]
const APPLE_EUROPE = [
  ...daylight(
    '+0100',
    '+0200',
    '19770403T020000',
    'RRULE:FREQ=YEARLY;UNTIL=19770403T010000Z;BYMONTH=4;BYDAY=1SU',
  ),
  ...standard(
    '+0200',
    '+0100',
    '19770925T030000',
    'RRULE:FREQ=YEARLY;UNTIL=19950924T010000Z;BYMONTH=9;BYDAY=-1SU',
  ),
  ...daylight('+0100', '+0200', '19810329T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'),
  ...standard('+0200', '+0100', '19961027T030000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'),
]
const LONDON = [
  ...daylight('+0000', '+0100', '19810329T010000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'),
  ...standard('+0100', '+0000', '19961027T020000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'),
]
const BRAZIL = [
  ...standard(
    '-0200',
    '-0300',
    '20000227T000000',
    'RRULE:FREQ=YEARLY;UNTIL=20190217T020000Z;BYDAY=3SU;BYMONTH=2',
  ),
  ...daylight(
    '-0300',
    '-0200',
    '20001008T000000',
    'RRULE:FREQ=YEARLY;UNTIL=20181104T030000Z;BYDAY=1SU;BYMONTH=11',
  ),
]
const NOBODYS = [
  ...standard('+0345', '+0245', '20200902T040000', 'RRULE:FREQ=YEARLY;BYMONTH=9;BYDAY=1WE'),
  ...daylight('+0245', '+0345', '20200405T030000', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=5'),
]
const BY_DATES = [
  ...standard('+0345', '+0245', '20200101T000000', 'RDATE:20270901T040000,20280901T040000'),
  ...daylight('+0245', '+0345', '20270405T030000', 'RDATE;VALUE=DATE:20280405'),
]

type Row = readonly [
  program: string,
  tzid: string,
  definition: readonly string[],
  january: string,
  july: string,
  zone: string,
]
const EUROPE = ['2027-01-15 18:00:00', '2027-07-15 17:00:00', 'Europe/Berlin'] as const
const EAST = ['2027-01-16 00:00:00', '2027-07-15 23:00:00', 'America/New_York'] as const
const AS_IN = (zone: string, [january, july]: readonly [string, string, string]) =>
  [january, july, zone] as const

const ROWS: readonly Row[] = [
  ['Outlook', 'W. Europe Standard Time', OUTLOOK_EUROPE, ...EUROPE],
  ['Outlook in German', 'Mitteleuropäische Zeit', OUTLOOK_EUROPE, ...EUROPE],
  ['Outlook for an own choice', 'Customized Time Zone', OUTLOOK_EAST, ...EAST],
  ['Exchange', '(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', OUTLOOK_EUROPE, ...EUROPE],
  ['Exchange 2003', '(GMT-05.00) Eastern Time (US & Canada)', OUTLOOK_EAST, ...EAST],
  ['Exchange of an own choice', 'tzone://Microsoft/Custom', OUTLOOK_EAST, ...EAST],
  ['Exchange in UTC', 'tzone://Microsoft/Utc', [], '2027-01-15 19:00:00', '2027-07-15 19:00:00', 'UTC'],
  [
    'Exchange without definition',
    '(UTC+01:00) Brussels, Copenhagen, Madrid, Paris',
    [],
    ...AS_IN('Europe/Paris', EUROPE),
  ],
  ['Zimbra', '(GMT+01.00) Amsterdam / Berlin / Bern / Rome / Stockholm / Vienna ', [], ...EUROPE],
  [
    'Zimbra with definition',
    '(GMT+01.00) Sarajevo / Skopje / Warsaw / Zagreb',
    OUTLOOK_EUROPE,
    ...AS_IN('Europe/Warsaw', EUROPE),
  ],
  [
    'Windows Live',
    'Kuala Lumpur\\, Singapore',
    standard('+0800', '+0800', '16010101T000000'),
    '2027-01-15 11:00:00',
    '2027-07-15 11:00:00',
    'Asia/Singapore',
  ],
  ['Lotus Notes', 'Eastern', NOTES_EAST, ...EAST],
  ['Domino', 'W. Europe', [], ...EUROPE],
  ['Thunderbird', '/mozilla.org/20050126_1/Europe/Berlin', APPLE_EUROPE, ...EUROPE],
  [
    'Evolution',
    '/freeassociation.sourceforge.net/Tzfile/Europe/London',
    LONDON,
    '2027-01-15 19:00:00',
    '2027-07-15 18:00:00',
    'Europe/London',
  ],
  ['Evolution of old', '/softwarestudio.org/Olson_20011030_5/America/New_York', LIBICAL_EAST, ...EAST],
  [
    'Citadel',
    '/citadel.org/20210210_1/Asia/Tokyo',
    standard('+0900', '+0900', '19510909T000000'),
    '2027-01-15 10:00:00',
    '2027-07-15 10:00:00',
    'Asia/Tokyo',
  ],
  ['Bedework', 'America-New_York', LIBICAL_EAST, ...EAST],
  ['Apple', 'Europe/Rome', APPLE_EUROPE, ...AS_IN('Europe/Rome', EUROPE)],
  [
    'Google',
    'Asia/Kolkata',
    standard('+0530', '+0530', '19700101T000000'),
    '2027-01-15 13:30:00',
    '2027-07-15 13:30:00',
    'Asia/Kolkata',
  ],
  ['SmarterMail', 'GMT +0100 (Standard) / GMT +0200 (Daylight)', OUTLOOK_EUROPE, ...EUROPE],
  ['SmarterMail without definition', 'GMT -0500 (Standard) / GMT -0400 (Daylight)', [], ...EAST],
  ['SAP', 'CET', APPLE_EUROPE, ...AS_IN('CET', EUROPE)],
  ['Java programs', 'EST', OUTLOOK_EAST, ...EAST],
  ['PHP programs', 'europe/berlin', [], ...EUROPE],
  ['Ruby on Rails', 'Eastern Time (US & Canada)', [], ...EAST],
  ['Hand-made files', 'America/New York', [], ...EAST],
  ['libical', 'Office', LIBICAL_EAST, ...EAST],
  [
    'Outlook in Brazil',
    'E. South America Standard Time',
    BRAZIL,
    '2027-01-15 22:00:00',
    '2027-07-15 22:00:00',
    'America/Sao_Paulo',
  ],
  ['A clock of its own', 'Ship', NOBODYS, '2027-01-15 16:15:00', '2027-07-15 15:15:00', 'UTC+2.75'],
]

const quoted = (tzid: string) => `"${tzid.replaceAll('\\', '')}"`
const definition = ([, tzid, lines]: Row) =>
  lines.length === 0 ? [] : ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, 'END:VTIMEZONE']
const event = ([program, tzid]: Row) => [
  'BEGIN:VEVENT',
  `UID:${program}`,
  `SUMMARY:${program}`,
  `DTSTART;TZID=${quoted(tzid)}:20270115T190000`,
  `DTEND;TZID=${quoted(tzid)}:20270115T200000`,
  'RRULE:FREQ=MONTHLY;COUNT=12',
  'END:VEVENT',
]
const calendarOf = (...lines: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//x//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')

describe('an import of calendars with time zones of their own', () => {
  let calendar: Calendar
  before(async () => {
    calendar = await startCalendar()
  })
  after(() => calendar.close())
  const found = async () => {
    const events = new Map<string, { utc: string; zone: string; start: string }[]>()
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await calendar.service.get(
        `/events?start_date=2027-01-01&end_date=2029-01-01&per_page=50&page=${page}`,
      )
      pages = body.total_pages
      for (const { title, utc_start_date, timezone, start_date } of body.events)
        events.set(title, [
          ...(events.get(title) ?? []),
          { utc: utc_start_date, zone: timezone, start: start_date },
        ])
    }
    return events
  }
  const bringIn = async (name: string, text: string) => calendar.imports(name, text)

  test(`has the hours of ${ROWS.length} spellings of zones, as two other readers have them`, async () => {
    const text = calendarOf(...ROWS.flatMap(definition), ...ROWS.flatMap(event))
    const { out, code } = await bringIn('spellings.ics', text)
    equal(code, 2, out)
    match(
      out,
      new RegExp(
        'A clock of its own repeats .*time zone has clocks like no other.*12 dates from ' +
          '2027-01-15 to 2027-12-15\\.\\n',
      ),
    )
    equal(out.split('\n').filter((line) => line.startsWith('  ')).length, 1, out)
    const events = await found()
    const times = (program: string) => events.get(program)?.map(({ utc }) => utc) ?? []
    for (const [program, , , january, july, zone] of ROWS) {
      deepEqual([times(program)[0], times(program)[6], times(program).length], [january, july, 12], program)
      equal(events.get(program)?.[0]?.zone, zone, program)
    }
    const before = await calendar.rows()
    await bringIn('spellings.ics', text)
    equal(await calendar.rows(), before)
    const defined = ROWS.filter(([, , lines]) => lines.length > 0)
    const calendars = defined.map((row) => calendarOf(...definition(row), ...event(row)))
    const theirs = byPython(...calendars)
    for (const [at, [program]] of defined.entries()) {
      deepEqual(times(program), byIcal(calendars[at] ?? ''), `ical.js: ${program}`)
      if (theirs) deepEqual(times(program), theirs[at], `dateutil: ${program}`)
    }
  })

  test('reads zones that change on single days, which ical.js does not', async () => {
    const row: Row = ['Ferry', 'Ferry', BY_DATES, '', '', '']
    const text = calendarOf(...definition(row), ...event(row))
    await bringIn('ferry.ics', text)
    const times = (await found()).get('Ferry')?.map(({ utc }) => utc.slice(5, 16))
    deepEqual(times?.slice(2, 9), [
      '03-15 16:15',
      ...['04-15 15:15', '05-15 15:15', '06-15 15:15', '07-15 15:15', '08-15 15:15'],
      '09-15 16:15',
    ])
    deepEqual(times, byPython(text)?.[0]?.map((utc) => utc.slice(5, 16)) ?? times)
  })

  test('takes a zone that it does not know for that of the calendar, and says so', async () => {
    const one = (title: string, tzid: string) => [
      ...['BEGIN:VEVENT', `UID:${title}`, `SUMMARY:${title}`, `DTSTART;TZID=${quoted(tzid)}:20270715T190000`],
      'END:VEVENT',
    ]
    const text = calendarOf(
      'X-WR-TIMEZONE:Romance Standard Time',
      ...one('Nowhere', 'Atlantis/Capital'),
      ...one('Nowhere too', 'Atlantis/Capital'),
      ...one('Offset', '(UTC+03:00) Our house'),
      ...one('Blank', ''),
    )
    const { out, code } = await bringIn('unknown.ics', text)
    equal(code, 2)
    match(
      out,
      /line 5: The time zone Atlantis\/Capital is unknown here, so its times are in Europe\/Paris, the/,
    )
    match(
      out,
      /line 15: The time zone \(UTC\+03:00\) Our house is unknown here, so its times are at UTC\+3 all year/,
    )
    equal(out.match(/is unknown here/g)?.length, 2)
    const events = await found()
    for (const title of ['Nowhere', 'Nowhere too', 'Blank'])
      deepEqual(events.get(title), [
        { utc: '2027-07-15 17:00:00', zone: 'Europe/Paris', start: '2027-07-15 19:00:00' },
      ])
    equal(events.get('Offset')?.[0]?.utc, '2027-07-15 16:00:00')
  })

  test('reads thousands of rules and of dates in an unknown zone as soon as a few', {
    timeout: PATIENCE_MS,
  }, async () => {
    const hours = Array.from({ length: 20_000 }, (_, at) => formatUtc(Date.UTC(2027, 0, 1) + at * 3_600_000))
    const dates = hours.map((wall) => wall.replace(' ', 'T').replace(/[-:]/g, ''))
    const one = (title: string, ...lines: readonly string[]) => {
      const named = ['BEGIN:VEVENT', `UID:${title}`, `SUMMARY:${title}`, 'DTSTART:20270715T190000']
      return [...named, ...lines, 'END:VEVENT']
    }
    const text = calendarOf(
      ...one('Rules', ...Array(4900).fill('RRULE:FREQ=DAILY;COUNT=1900')),
      ...one('Dates', `RDATE;TZID=GMT +0111 (Standard) / GMT +0222 (Daylight):${dates}`),
      ...one('Others', `RDATE;TZID=Nowhere in the world:${dates}`),
    )
    match((await bringIn('many.ics', text)).out, /3 made/)
  })

  test('has what is over at the hours of the file, what is to come at clocks of the place', async () => {
    // The definition has the summer time of 2006. The equinox of 2007 is over, the concert of 2027 is to
    // come.
    const old = [
      ...standard('-0700', '-0800', '19671029T020000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'),
      ...daylight('-0800', '-0700', '19870405T020000', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU'),
    ]
    const one = (title: string, wall: string) => [
      ...[
        'BEGIN:VEVENT',
        `UID:${title}`,
        `SUMMARY:${title}`,
        `DTSTART;TZID=America/Los_Angeles:${wall}`,
        'END:VEVENT',
      ],
    ]
    const zone = ['BEGIN:VTIMEZONE', 'TZID:America/Los_Angeles', ...old, 'END:VTIMEZONE']
    const { out, code } = await bringIn(
      'old.ics',
      calendarOf(...zone, ...one('Equinox', '20070320T160700'), ...one('Concert', '20270320T190000')),
    )
    equal(code, 0, out)
    const { body } = await calendar.service.get('/events?start_date=2007-01-01&end_date=2007-12-31')
    equal(body.events[0].utc_start_date, '2007-03-21 00:07:00')
    equal((await found()).get('Concert')?.[0]?.utc, '2027-03-21 02:00:00')
  })

  test('keeps a rule in UTC at its hour all year', async () => {
    const lines = ['DTSTART:20270115T180000Z', 'RRULE:FREQ=MONTHLY;COUNT=8;BYMONTHDAY=15', 'END:VEVENT']
    await bringIn('utc.ics', calendarOf('BEGIN:VEVENT', 'UID:u', 'SUMMARY:In UTC', ...lines))
    const times = (await found()).get('In UTC')?.map(({ utc }) => utc.slice(11))
    deepEqual(times, Array(8).fill('18:00:00'))
  })

  test('is done with zones and rules that never end as soon as with others', {
    timeout: 60_000,
  }, async () => {
    const endless = (at: number) => [
      ...['BEGIN:VTIMEZONE', `TZID:Z${at}`],
      ...standard('+0200', '+0100', '00010101T000000', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'),
      ...daylight(
        '+0100',
        '+0200',
        '16010101T000000',
        'RRULE:FREQ=MINUTELY',
        `RDATE:${'19700101T000000,'.repeat(900)}`,
      ),
      'END:VTIMEZONE',
    ]
    const one = (at: number) => [
      ...['BEGIN:VEVENT', `UID:e${at}`, `SUMMARY:Endless ${at}`, `DTSTART;TZID=Z${at}:20270715T190000`],
      ...['RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 'END:VEVENT'],
    ]
    const numbers = [...Array(300).keys()]
    const { out } = await bringIn(
      'endless.ics',
      calendarOf(...numbers.flatMap(endless), ...numbers.flatMap(one)),
    )
    match(out, /300 made/)
  })
})

function byIcal(text: string): string[] {
  const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')
  ok(event)
  const times = new ICAL.Event(event).iterator()
  const found: string[] = []
  for (let time = times.next(); time; time = times.next()) found.push(time.toJSDate().toISOString())
  return found.map((iso) => iso.slice(0, 19).replace('T', ' '))
}

function byPython(...texts: string[]): string[][] | undefined {
  const script = fileURLToPath(new URL('read-zones.py', import.meta.url))
  const sent = { input: texts.join('\f'), encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [script], sent)
  if (status !== 0 && (status === null || /ModuleNotFoundError/.test(stderr))) return undefined
  equal(status, 0, stderr)
  const lines = stdout.trim().split('\n')
  equal(lines.length, texts.length)
  return lines.map((line) => line.split(','))
}
