import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Command } from 'commander'
import { LANGUAGES } from '../../src/base/config.ts'
import { registerImportCommands } from '../../src/features/imports/import-command.ts'
import { runCommand } from '../support/commands.ts'
import { pluck } from '../support/lists.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { ics, vevent } from './calendar-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Shown = any

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const ODD_ZONE = (
  'BEGIN:VTIMEZONE|TZID:Our own zone|BEGIN:STANDARD|DTSTART:19701025T030000|' +
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU|TZOFFSETFROM:+0200|TZOFFSETTO:+0100|END:STANDARD|' +
  'BEGIN:DAYLIGHT|DTSTART:19700329T020000|RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU|TZOFFSETFROM:+0100|' +
  'TZOFFSETTO:+0200|END:DAYLIGHT|END:VTIMEZONE'
).split('|')

describe('an import of another format', () => {
  let calendar: Calendar
  beforeEach(async () => {
    calendar = await startCalendar()
  })
  afterEach(() => calendar.close())
  const events = async () => (await calendar.service.get(ALL)).body.events
  const byTitle = async () =>
    new Map<string, Shown>((await events()).map((event: { title: string }) => [event.title, event] as const))

  test('says in every run what is in only in part, though it is unchanged', async () => {
    const year = 2027
    const file = ics(
      vevent('zone@x', 'SUMMARY:Zone', `DTSTART;TZID=Nowhere:${year}0705T200000`),
      vevent(
        'rule@x',
        'SUMMARY:Rule',
        `DTSTART:${year}0105T200000Z`,
        'RRULE:FREQ=YEARLY;BYYEARDAY=5,6;COUNT=4',
      ),
      vevent('end@x', 'SUMMARY:End', `DTSTART:${year}0705T200000Z`, 'DTEND:later'),
      vevent(
        'image@x',
        'SUMMARY:Image',
        `DTSTART:${year}0705T200000Z`,
        'IMAGE;VALUE=URI:http://127.0.0.1:9/x.png',
      ),
    )
    const table =
      `Title,Start,End,Event Organizer Name(s) or ID(s)\nEnd,${year}-07-05 ` +
      `20:00,later,\nVenue,${year}-07-05 20:00,,987654\n`
    const sources: [string, string, RegExp[]][] = [
      [
        'parts.ics',
        file,
        [/Nowhere/, /Rule repeats .* it is in on/, /The end of End cannot/, /image could not be fetched/],
      ],
      ['parts.csv', table, [/The end "later" cannot/, /no organizer with the id 987654/]],
    ]
    for (const [name, text, reasons] of sources) {
      const source = await calendar.file(name, text)
      for (const words of [[], [], ['--dry-run']]) {
        const { out, code } = await calendar.kalends('import', ...words, source)
        for (const reason of reasons) {
          const isTried = words.length === 0 || !String(reason).includes('image')
          if (isTried) match(out, reason)
        }
        equal(code, 2)
      }
    }
  })

  test('reads iCalendar as it is found in the wild', async () => {
    const long = 'Größe und Übermaß, '.repeat(8).trim()
    const bytes = Buffer.from(`SUMMARY:Folded ${long.replaceAll(',', '\\,')}`)
    const folded: Buffer[] = []
    for (let at = 0; at < bytes.length; at += 50)
      folded.push(Buffer.from(at === 0 ? '' : '\r\n '), bytes.subarray(at, at + 50))
    const text = ics(
      ODD_ZONE,
      vevent(
        'tz@x',
        'SUMMARY:Paris',
        'DTSTART;TZID=Europe/Paris:20260705T200000',
        'DTEND;TZID=Europe/Paris:20260705T220000',
        'DESCRIPTION:One\\nTwo\\, and <b>three</b>',
        'LOCATION:Harbour Hall\\, 1 Quay',
        'GEO:48.5;2.5',
        'CATEGORIES:Music,Dance\\, slow',
        'ORGANIZER;CN="Club, the":mailto:club@example.org',
        'URL:https://example.org/paris',
      ),
      vevent('win@x', 'SUMMARY:Windows', 'DTSTART;TZID="W. Europe Standard Time":20260705T200000'),
      vevent(
        'path@x',
        'SUMMARY:Path',
        'DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260705T200000',
        'DURATION:PT90M',
      ),
      vevent('odd@x', 'SUMMARY:Odd summer', 'DTSTART;TZID=Our own zone:20260705T200000'),
      vevent('odd2@x', 'SUMMARY:Odd winter', 'DTSTART;TZID=Our own zone:20261205T200000'),
      vevent('name@x', 'SUMMARY:Offset', 'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin":20260705T200000'),
      vevent('z@x', 'SUMMARY:Utc', 'DTSTART:20260705T200000Z'),
      vevent('float@x', 'summary:Floating', 'dtstart:20260705T200000'),
      vevent('day@x', 'SUMMARY:Days', 'DTSTART;VALUE=DATE:20260705', 'DTEND;VALUE=DATE:20260708'),
      vevent('day1@x', 'SUMMARY:Day', 'DTSTART;VALUE=DATE:20260705', 'DTEND;VALUE=DATE:20260705'),
      vevent('gone@x', 'SUMMARY:Gone', 'DTSTART:20260705T200000Z', 'STATUS:CANCELLED'),
      ['BEGIN:VEVENT', 'UID:fold@x', '@@', 'DTSTART:20260705T200000Z', 'END:VEVENT'],
    )
    const [head = '', tail = ''] = text.split('@@')
    const source = await calendar.file(
      'wild.ics',
      Buffer.concat([Buffer.from(`\ufeff${head}`), ...folded, Buffer.from(tail.trimEnd())]),
    )
    await calendar.run(0, 'import', source)
    const found = await byTitle()
    const times = (title: string) => {
      const { start_date, end_date, timezone, utc_start_date, all_day } = found.get(title)
      return [start_date, end_date, timezone, utc_start_date, all_day]
    }
    deepEqual(times('Paris'), [
      '2026-07-05 20:00:00',
      '2026-07-05 22:00:00',
      'Europe/Paris',
      '2026-07-05 18:00:00',
      false,
    ])
    deepEqual(times('Windows'), [
      '2026-07-05 20:00:00',
      '2026-07-05 20:00:00',
      'Europe/Berlin',
      '2026-07-05 18:00:00',
      false,
    ])
    equal(times('Path')[1], '2026-07-05 21:30:00')
    equal(times('Odd summer')[3], '2026-07-05 18:00:00')
    equal(times('Odd winter')[3], '2026-12-05 19:00:00')
    deepEqual(times('Offset').slice(2, 4), ['Europe/Berlin', '2026-07-05 18:00:00'])
    deepEqual(times('Utc'), [
      '2026-07-05 16:00:00',
      '2026-07-05 16:00:00',
      'America/New_York',
      '2026-07-05 20:00:00',
      false,
    ])
    equal(times('Floating')[2], 'America/New_York')
    deepEqual(times('Days').slice(0, 2), ['2026-07-05 00:00:00', '2026-07-07 23:59:59'])
    deepEqual(times('Day').slice(0, 2), ['2026-07-05 00:00:00', '2026-07-05 23:59:59'])
    const paris = found.get('Paris')
    match(paris.description, /One.*\n.*Two, and <b>three<\/b>/s)
    const { venue, organizer, categories } = paris
    deepEqual([venue.venue, venue.address, venue.geo_lat], ['Harbour Hall', '1 Quay', 48.5])
    deepEqual([organizer[0]?.organizer, organizer[0]?.email], ['Club, the', undefined])
    deepEqual(pluck(categories, 'name'), ['Dance, slow', 'Music'])
    equal(found.get('Gone').event_status, 'canceled')
    ok(found.has(`Folded ${long}`), [...found.keys()].join('\n'))
    const before = await calendar.rows()
    await calendar.kalends('import', source)
    equal(await calendar.rows(), before)
  })

  test('reads calendars in Windows-1252 and UTF-16 as it reads tables', async () => {
    const text = (title: string) => ics(vevent(`${title}@x`, `SUMMARY:${title}`, 'DTSTART:20260705T200000Z'))
    const mark = Buffer.from('\ufeff', 'utf16le')
    const sources = [
      // Old versions of Outlook, Lotus Notes and old text editors write Windows-1252.
      await calendar.file('windows.ics', Buffer.from(text('Fête à Orléans \x80'), 'latin1')),
      await calendar.file('marked.ics', Buffer.concat([mark, Buffer.from(text('Żółć'), 'utf16le')])),
      await calendar.file(
        'big-end.ics',
        Buffer.concat([mark, Buffer.from(text('Größe'), 'utf16le')]).swap16(),
      ),
      await calendar.file('bare', Buffer.from(text('Überall'), 'utf16le')),
    ]
    for (const source of sources) {
      const { out, code } = await calendar.kalends('import', source)
      equal(code, 0, out)
    }
    deepEqual([...(await byTitle()).keys()].sort(), ['Fête à Orléans €', 'Größe', 'Überall', 'Żółć'])
  })

  test('takes rules beyond its own as dates, as many as a series may have, and says so', async () => {
    const paris = (uid: string, start: string, ...lines: readonly string[]) =>
      vevent(uid, `SUMMARY:${uid}`, `DTSTART;TZID=Europe/Paris:${start}`, ...lines)
    const source = await calendar.file(
      'beyond.ics',
      ics(
        paris('Hundredth', '20260410T200000', 'RRULE:FREQ=YEARLY;BYYEARDAY=100;COUNT=2'),
        paris('Week', '20270607T200000', 'RRULE:FREQ=YEARLY;BYWEEKNO=23;BYDAY=MO,TU;COUNT=3'),
        // The clocks change between these dates.
        paris('Watch', '20270327T220000', 'RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=5', 'EXDATE:20270328T020000Z'),
        paris('Twice', '20270705T200000', 'RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY;COUNT=2'),
        paris(
          'Without',
          '20270705T200000',
          'RRULE:FREQ=DAILY;COUNT=3',
          'EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2',
        ),
        paris('Early', '20270705T200000', 'RDATE;TZID=Europe/Paris:20270703T200000,20270704T200000'),
        vevent(
          'Days',
          'SUMMARY:Days',
          'DTSTART;VALUE=DATE:20260410',
          'RRULE:FREQ=YEARLY;BYYEARDAY=100;COUNT=2',
        ),
        // More dates than a series may have.
        paris('Long', '20270801T200000', 'RRULE:FREQ=DAILY;COUNT=1000'),
      ),
    )
    const out = await calendar.run(2, 'import', source)
    match(
      out,
      new RegExp(
        'Hundredth repeats in a way that events here do not \\(RRULE:BYYEARDAY: .*is in on 2 ' +
          'dates from 2026-04-10 to 2027-04-10\\.\\n',
      ),
    )
    match(out, /Long repeats .* 750 dates from 2027-08-01 to 2029-08-19; others are left out\.\n/)
    const page = async (query: string) =>
      (await calendar.service.get(`/events?${query}&per_page=50`)).body.events
    const found = [
      ...(await page('start_date=2026-04-01&end_date=2026-04-30&search=d')),
      ...(await page('start_date=2027-01-01&end_date=2027-07-31')),
    ].filter(({ title }: Shown) => title !== 'Long')
    const times = new Map<string, string[]>()
    for (const { title, utc_start_date } of found)
      times.set(title, [...(times.get(title) ?? []), utc_start_date.slice(0, 16)])
    deepEqual(Object.fromEntries(times), {
      Watch: ['2027-03-27 21:00', '2027-03-28 08:00', '2027-03-28 14:00', '2027-03-28 20:00'],
      Hundredth: ['2026-04-10 18:00', '2027-04-10 18:00'],
      Days: ['2026-04-10 04:00', '2027-04-10 04:00'],
      Week: ['2027-06-07 18:00', '2027-06-08 18:00'],
      Twice: ['2027-07-05 18:00', '2027-07-06 18:00', '2027-07-12 18:00'],
      Without: ['2027-07-06 18:00'],
      Early: ['2027-07-03 18:00', '2027-07-04 18:00', '2027-07-05 18:00'],
    })
    const before = await calendar.rows()
    await calendar.kalends('import', source)
    equal(await calendar.rows(), before)
  })

  test('brings in nothing of an event whose dates are all left out', async () => {
    const gone = (title: string, ...lines: readonly string[]) =>
      vevent(title, `SUMMARY:${title}`, 'LOCATION:Ghost town', 'DTSTART:20260705T200000Z', ...lines)
    const source = await calendar.file(
      'gone.ics',
      ics(
        gone('Rule', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260705T200000Z,20260706T200000Z'),
        gone('Single', 'EXDATE:20260705T200000Z'),
        gone('Date', 'RRULE:FREQ=YEARLY;UNTIL=20260801T000000Z', 'EXDATE;VALUE=DATE:20260705'),
        gone('Stays', 'EXDATE:20260706T200000Z'),
      ),
    )
    await calendar.run(0, 'import', source)
    deepEqual(pluck(await events(), 'title'), ['Stays'])
  })

  test('passes over earlier revisions than the one that is in, and cancels what it is told to', async () => {
    const revision = (title: string, sequence: string, ...more: readonly string[]) =>
      vevent('r@x', `SUMMARY:${title}`, 'DTSTART:20260705T200000Z', `SEQUENCE:${sequence}`, ...more)
    const run = async (text: string, ...words: readonly string[]) => calendar.imports('r.ics', text, ...words)
    const seen = async () => (await events()).map(({ title, event_status }: Shown) => [title, event_status])
    await run(ics(revision('Third', '3'), revision('Second', '2')))
    deepEqual(await seen(), [['Third', undefined]])
    const before = await calendar.rows()
    const { out, code } = await run(ics(revision('Second', '2')), '--mirror')
    match(
      out,
      /event r@x \(Second\) is an earlier revision \(SEQUENCE\) than the one that is in, and is passed over/,
    )
    match(out, /1 left as they are here, 0 moved to the trash/)
    deepEqual([code, await calendar.rows()], [0, before])
    // A later revision is recorded even if nothing else in it changes.
    match((await run(ics(revision('Third', '7')))).out, /1 unchanged/)
    await run(ics(revision('Fifth', '5')))
    deepEqual(await seen(), [['Third', undefined]])
    await run(ics(revision('Fifth', '5')), '--conflicts', 'overwrite')
    deepEqual(await seen(), [['Fifth', undefined]])
    for (const odd of ['-1', 'x', '99999999999']) equal((await run(ics(revision('Fifth', odd)))).code, 0)
    await run(ics(['METHOD:CANCEL'], revision('Fifth', '8')))
    deepEqual(await seen(), [['Fifth', 'canceled']])
  })

  test('reads past what is broken in a calendar file, and says where it stands', async () => {
    const good = vevent('good@x', 'SUMMARY:Good', 'DTSTART:20260705T200000Z')
    const source = await calendar.file(
      'broken.ics',
      ics(
        vevent('a@x', 'SUMMARY:No start'),
        vevent('b@x', 'SUMMARY:Bad date', 'DTSTART:20260231T200000Z'),
        vevent('c@x', 'SUMMARY:Huge', `DESCRIPTION:${'x'.repeat(3_000_000)}`, 'DTSTART:20260705T200000Z'),
        vevent('good@x', 'SUMMARY:Good', 'DTSTART:20260705T200000Z'),
        vevent('good@x', 'SUMMARY:Twin', 'DTSTART:20260706T200000Z'),
      ).replace('END:VCALENDAR', 'BEGIN:VEVENT\r\nUID:cut@x'),
    )
    const { out, err, code } = await calendar.kalends('import', source)
    equal(code, 1)
    match(out, /line 3: The event No start has no start/)
    match(out, /The event Bad date has no start that can be read/)
    match(out, /line 12: Line 15 is too long/)
    match(out, /good@x \(Twin\): Another event with the same id or UID/)
    match(err, /This VEVENT has no end: the file is cut off/)
    deepEqual(pluck(await events(), 'title'), ['Good'])
    ok(good.length > 0)
    match((await calendar.imports('no.ics', 'Title,Start')).err, /^The file is not an iCalendar file/)
  })

  test('reads tables with the names of the reference, and decides dates over all rows', async () => {
    const rows = [
      'Event Name;Event Description;Event Start Date;Event Start Time;Event End Date;Event End ' +
        'Time;All Day Event;Event Cost;Event Currency Symbol;Event Category;Event ' +
        'Tags;Event Venue Name;Event Organizer Name(s) or ID(s);Colour',
      '"Fête; one";"Two\nlines";3/4/2026;7:30 PM;3/4/2026;21:00;no;12;€;Music, Dance;late;Café;Club|Town;red',
      "'=1+1;;25/4/2026;;26/4/2026;;yes;;;;;;;",
      'No date;;31/2/2026;;;;;;;;;;;',
    ]
    for (const [name, content] of [
      ['utf8.csv', Buffer.from(`\ufeff${rows.join('\r\n')}`)],
      [
        'utf16.csv',
        Buffer.from(
          `\ufeff${rows.join('\n').replaceAll(';', '\t').replace('Fête\t one', 'Fête; one')}`,
          'utf16le',
        ),
      ],
      [
        'windows.csv',
        Buffer.concat(rows.map((row) => Buffer.from(`${row}\n`.replaceAll('€', '\u0080'), 'latin1'))),
      ],
    ] as const) {
      const out = await calendar.run(2, 'import', '--same-as', 'none', await calendar.file(name, content))
      match(out, /The start "31\/2\/2026" is not a date/)
    }
    const found = (await events()).filter(({ title }: { title: string }) => title.startsWith('Fête'))
    equal(found.length, 3)
    for (const event of found) {
      equal(event.title, 'Fête; one')
      deepEqual(
        [event.start_date, event.end_date, event.cost],
        ['2026-04-03 19:30:00', '2026-04-03 21:00:00', '€12'],
      )
      equal(event.venue.venue, 'Café')
      deepEqual(pluck(event.organizer, 'organizer'), ['Club', 'Town'])
      deepEqual(pluck(event.categories, 'name'), ['Dance', 'Music'])
    }
    const formula = (await events()).find(({ title }: { title: string }) => title === '=1+1')
    deepEqual(
      [formula.all_day, formula.start_date, formula.end_date],
      [true, '2026-04-25 00:00:00', '2026-04-26 23:59:59'],
    )
    equal((await calendar.service.get('/venues')).body.total, 1)
  })

  test('asks about dates that may be read either way, and takes columns by --map', async () => {
    const source = await calendar.file('a.csv', 'Show,Moment\nOne,3/4/2026\n')
    match(
      (await calendar.kalends('import', source)).err,
      /No column has the title of events; name it with --map "Column=title"/,
    )
    const map = ['--map', 'Show=title', '--map', 'Moment=start_date']
    match(
      (await calendar.kalends('import', ...map, source)).err,
      /say which with --dates european or --dates american/,
    )
    await calendar.run(0, 'import', ...map, '--dates', 'american', source)
    equal((await events())[0].start_date, '2026-03-04 00:00:00')
  })

  test('names row, column and value of an unreadable cell, which costs that cell alone', async () => {
    const head =
      'title,start_date,Featured,captions,sign_language,attendance,Web,venue,lat,longitude,step_free,lift'
    const row = 'One,2027-04-03 19:30,perhaps,maybe,bfi,,no address,Hall,abc,8.5,a little,yes'
    const table = await calendar.file('cells.csv', `${head}\n${row}\nTwo,2027-04-04 19:30,,yes,,live,,,,,,\n`)
    for (const words of [[], []]) {
      const out = await calendar.run(2, 'import', ...words, '--map', 'Web=website', table)
      for (const said of [
        'line 2: One: "perhaps" in the column Featured cannot be read',
        'line 2: One: "maybe" in the column captions cannot be read',
        'line 2: One: "no address" in the column Web cannot be read',
        'line 2: One: "abc" in the column lat cannot be read',
        'line 2: One: "a little" in the column step_free cannot be read',
        'line 3: Two: "live" in the column attendance cannot be read',
      ])
        ok(out.includes(said), out)
      doesNotMatch(out, /Not in:/)
    }
    const found = await byTitle()
    const { venue, captions, sign_language, website, featured } = found.get('One')
    deepEqual([captions, sign_language, featured], [undefined, 'bfi', false])
    match(website, /\/event\/one\/$/, 'that of its page here')
    deepEqual([venue.venue, venue.step_free, venue.lift, venue.geo_lng], ['Hall', undefined, true, undefined])
    deepEqual([found.get('Two').captions, found.get('Two').attendance], [true, undefined])
  })

  test('takes the first secure link of a meeting from iCalendar, and names one that is none', async () => {
    const at = 'DTSTART:20270705T200000Z'
    const text = ics(
      vevent(
        'a@x',
        'SUMMARY:Video',
        at,
        'LOCATION:Hall',
        'CONFERENCE;VALUE=URI;FEATURE=PHONE:tel:+1-412-555-0123',
        `CONFERENCE;VALUE=URI;LABEL="Chat: ^'here^'":https://chat.example/a`,
      ),
      vevent(
        'b@x',
        'SUMMARY:Online',
        at,
        'LOCATION:https://meet.example/b',
        'CONFERENCE;VALUE=URI:https://meet.example/b',
      ),
      vevent('c@x', 'SUMMARY:Insecure', at, 'CONFERENCE;VALUE=URI:http://meet.example/c'),
      vevent(
        'd@x',
        'SUMMARY:Odd',
        at,
        'CONFERENCE;VALUE=URI:https://meet.example/d',
        'X-KALENDS-SHOWN:sometimes',
      ),
    )
    const out = await calendar.run(2, 'import', await calendar.file('a.ics', text))
    match(
      out,
      new RegExp(
        'Insecure: The link of its meeting is no address by https, so it is in without it: ' +
          'http://meet\\.example/c',
      ),
    )
    doesNotMatch(out, /tel:/)
    const found = await byTitle()
    const meetings = ['Video', 'Online', 'Insecure', 'Odd'].map((title) => {
      const { attendance, online_url, online_label } = found.get(title)
      return [attendance, online_url, online_label]
    })
    deepEqual(meetings, [
      ['mixed', 'https://chat.example/a', 'Chat: "here"'],
      ['online', 'https://meet.example/b', undefined],
      [undefined, undefined, undefined],
      ['online', undefined, undefined],
    ])
    doesNotMatch(found.get('Online').website, /meet/)
  })

  test('takes details of places and people, and names with any sign, from its own table', async () => {
    await using other = await startCalendar({ timezone: 'Europe/Berlin' })
    const hall = {
      venue: 'Rock | Pop, Hall \\',
      address: '12 Main St',
      city: 'Springfield',
      state: 'IL',
      province: 'Clare',
      zip: '62701',
      country: 'United States',
      phone: '+1 555 0100',
      website: 'https://hall.example/?a=1&copy=2',
    }
    const club = {
      organizer: 'Smith, Jones | Co',
      email: 'a@b.example',
      phone: '+353 1',
      website: 'https://club.example',
    }
    const names = ['Arts, crafts', 'Kids | Teens']
    const events = [
      {
        title: 'A',
        venue: hall,
        organizer: [club, { organizer: 'Club \\' }, { organizer: 'C | D' }],
        categories: names,
      },
      {
        title: 'B',
        venue: { venue: 'Quay', stateprovince: 'By hand' },
        categories: ['Arts, crafts'],
        tags: [],
      },
      { title: 'C', organizer: [{ organizer: 'a\\|b' }], categories: ['Kids | Teens'] },
    ]
    for (const event of events)
      await other.service.event({ ...event, ...onDay('2026-07-05', '20:00', '21:00') })
    const text = await (
      await fetch(`${other.service.base}${ALL.replace('&per_page=50', '')}&format=csv`)
    ).text()
    doesNotMatch(await calendar.run(0, 'import', await calendar.file('own.csv', text)), /Not read/)
    const found = await byTitle()
    const named = (records: Shown) => records.map(({ name }: Shown) => name).sort()
    const people = (title: string) => found.get(title).organizer.map(({ organizer }: Shown) => organizer)
    const { venue, organizer, categories } = found.get('A')
    for (const [name, value] of Object.entries(hall)) equal(venue[name], value, name)
    for (const [name, value] of Object.entries(club)) equal(organizer[0][name], value, name)
    deepEqual(people('A'), [club.organizer, 'Club \\', 'C | D'])
    deepEqual([named(categories), named(found.get('B').categories)], [names, ['Arts, crafts']])
    deepEqual([people('C'), named(found.get('C').categories)], [['a\\|b'], ['Kids | Teens']])
    equal(found.get('B').venue.stateprovince, 'By hand')
  })

  for (const language of LANGUAGES)
    test(`understands what its own iCalendar says before a title, in the language ${language}`, async () => {
      await using other = await startCalendar({ timezone: 'Europe/Berlin', language })
      const states = [
        { title: 'Ball', event_status: 'canceled', event_status_reason: 'Rain; snow: both' },
        { title: 'Canceled: the musical', event_status: 'canceled' },
        { title: 'Fair', event_status: 'postponed', event_status_reason: 'Later' },
        { title: 'Abgesagt: das Stück', event_status: 'scheduled' },
      ]
      for (const state of states)
        await other.service.event({ ...state, ...onDay('2026-07-05', '20:00:00', '21:00:00') })
      const text = await (
        await fetch(`${other.service.base}${ALL.replace('&per_page=50', '')}&format=ics`)
      ).text()
      await calendar.run(0, 'import', await calendar.file('own.ics', text))
      const shown = (await events()).map(
        ({ title, event_status = 'scheduled', event_status_reason = '' }: Shown) => ({
          title,
          event_status,
          event_status_reason,
        }),
      )
      deepEqual(
        shown,
        states.map((state) => ({ event_status_reason: '', ...state })),
      )
    })

  test('takes from our own table whether an event takes place, from others no odd word', async () => {
    const own =
      'title,start_date,status,event_status,event_status_reason\nBall,2026-07-05 ' +
      '20:00,publish,canceled,"Rain, snow"\n'
    const other = 'Title,Start date,Status,Event status\nFair,2026-07-06 20:00,publish,Confirmed\n'
    for (const text of [own, other]) await calendar.imports('table.csv', text)
    deepEqual(pluck(await events(), 'title', 'event_status', 'event_status_reason'), [
      ['Ball', 'canceled', 'Rain, snow'],
      ['Fair', undefined, undefined],
    ])
  })

  test('leaves titles of others alone that only begin like that', async () => {
    const text = ics(
      vevent('a@x', 'SUMMARY:Postponed: a play', 'DTSTART:20260705T200000Z', 'STATUS:CONFIRMED'),
      vevent('b@x', 'SUMMARY:Perhaps', 'DTSTART:20260705T200000Z', 'STATUS:TENTATIVE'),
      vevent(
        'c@x',
        'SUMMARY:Off',
        'DTSTART:20260705T200000Z',
        'STATUS:CANCELLED',
        'COMMENT:Canceled since it rains',
      ),
    )
    await calendar.imports('a.ics', text)
    deepEqual(pluck(await events(), 'title', 'event_status', 'event_status_reason'), [
      ['Postponed: a play', undefined, undefined],
      ['Perhaps', undefined, undefined],
      ['Off', 'canceled', ''],
    ])
  })

  test('takes no file of bytes for a table, and repeats none of them', async () => {
    const bytes = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 167 + 91) % 256))
    const file = await calendar.file('picture', bytes)
    const { out, err, code } = await calendar.kalends('import', file)
    deepEqual([out, code], ['', 1])
    match(err, /^The file \S+picture is not a text file: save a spreadsheet as CSV,/)
    const table = Buffer.from('\ufeffTitle,Start\nĀāĂă,2027-05-05 10:00\n', 'utf16le')
    await calendar.run(0, 'import', await calendar.file('table', table))
  })

  test('refuses what the calendar itself gives, and writes nothing then', async () => {
    const { service } = calendar
    const times = onDay('2026-07-05', '20:00:00', '21:00:00')
    const place = { venue: { venue: 'Hall' } }
    await service.event({ title: 'Often', ...times, ...place, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' })
    const { id } = await service.event({ title: 'Ball', ...times, ...place })
    const [first] = await events()
    await service.update(`/events/${first.id}`, { title: 'Special' })
    const before = await calendar.rows()
    const given = async (format: string) =>
      (await fetch(`${service.base}${ALL.replace('&per_page=50', '')}&format=${format}`)).text()
    const sources = [
      await calendar.file('own.ics', await given('ics')),
      await calendar.file('own.ndjson', await given('ndjson')),
      service.origin,
    ]
    for (const source of sources) {
      const { err, code } = await calendar.kalends('import', source)
      match(err, /^The source is this calendar itself[^\n]*\n$/, source)
      equal(code, 1)
    }
    equal(await calendar.rows(), before)
    // A command that does not know the port of the service does not recognize its address.
    const elsewhere = async () => {
      const ground = await calendar.ground()
      return { ...ground, site: { ...ground.site, url: 'http://localhost:8080' } }
    }
    const register = (program: Command) => registerImportCommands(program, elsewhere)
    const { err, code: refused } = await runCommand(register, ['import', service.origin])
    match(err, /^The source is this calendar itself, or a copy of its database; [^\n]*\n$/)
    equal(refused, 1)
    equal(await calendar.rows(), before)
    // In a file with other events, they are skipped and named.
    const lines = (await given('ndjson')).trimEnd().split('\n')
    const other = JSON.stringify({
      ...JSON.parse(lines[0] ?? ''),
      id: 77,
      recurrence: undefined,
      slug: 'other',
      url: '',
    })
    const mixed = await calendar.file('mixed.ndjson', [...lines, other].join('\n'))
    const { out, code } = await calendar.kalends('import', mixed)
    match(out, new RegExp(`event ${id} \\(Ball\\): It is an event of this calendar itself\\.`))
    match(out, /1 made/)
    equal(code, 2)
    equal((await events()).length, 5)
  })
})
