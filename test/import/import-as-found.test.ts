// Calendar files that other programs write, in forms that no standard defines or few programs read.
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { ics, icsOf, vevent } from './calendar-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Shown = any

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'
const AT = 'DTSTART:20270705T200000Z'

let calendar: Calendar
beforeEach(async () => {
  calendar = await startCalendar({ timezone: 'Europe/Berlin' })
})
afterEach(() => calendar.close())

const importing = async (text: string | Uint8Array, name = 'found.ics') => calendar.imports(name, text)
const events = async (): Promise<Shown[]> => (await calendar.service.get(ALL, 'admin')).body.events
const stored = async <Value>(what: (event: Shown) => Value): Promise<Record<string, Value>> =>
  Object.fromEntries((await events()).map((event) => [event.title, what(event)]))
const standardTime = [
  'BEGIN:STANDARD',
  'DTSTART:20200101T000000',
  'TZOFFSETFROM:+0300',
  'TZOFFSETTO:+0300',
  'END:STANDARD',
]
const hours = ({ all_day, start_date, end_date, timezone }: Shown) =>
  all_day
    ? `${start_date.slice(0, 10)} to ${end_date.slice(0, 10)}`
    : `${start_date} to ${end_date} ${timezone}`

describe('the hours of a calendar file', () => {
  test('of several calendars follow the zone of each; a METHOD cancels no event of another', async () => {
    const of = (zone: string, method: string, ...own: string[][]) =>
      ics([`X-WR-TIMEZONE:${zone}`, `METHOD:${method}`], ...own)
    const start = 'DTSTART:20270705T200000'
    const text =
      of('America/New_York', 'CANCEL', vevent('a', 'SUMMARY:East', start)) +
      of('Asia/Tokyo', 'PUBLISH', vevent('b', 'SUMMARY:Far', start)) +
      ics(vevent('c', 'SUMMARY:Here', start)) +
      ics(vevent('d', 'SUMMARY:Late', start), ['METHOD:CANCEL', 'X-WR-TIMEZONE:Europe/London'])
    equal((await importing(text)).code, 0)
    const found = await stored(({ timezone, event_status }) => [timezone, event_status ?? 'scheduled'])
    deepEqual(found, {
      East: ['America/New_York', 'canceled'],
      Far: ['Asia/Tokyo', 'scheduled'],
      Here: ['Europe/Berlin', 'scheduled'],
      Late: ['Europe/London', 'canceled'],
    })
  })

  test('are those of whole days where Outlook marks them so, also of those that repeat', async () => {
    const mark = 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'
    const inBerlin = (name: string, time: string) => `${name};TZID=Europe/Berlin:${time}`
    const { code, out } = await importing(
      icsOf(
        [
          'a',
          'SUMMARY:Local',
          inBerlin('DTSTART', '20270705T000000'),
          inBerlin('DTEND', '20270707T000000'),
          mark,
        ],
        ['b', 'SUMMARY:In UTC', 'DTSTART:20270704T220000Z', 'DTEND:20270705T220000Z', mark],
        ['c', 'SUMMARY:To the second', 'DTSTART:20270705T000000', 'DTEND:20270705T235959', mark],
        ['d', 'SUMMARY:No midnight', 'DTSTART:20270705T100000', 'DTEND:20270705T110000', mark],
        ['e', 'SUMMARY:Unmarked', 'DTSTART:20270705T000000', 'DTEND:20270706T000000'],
        [
          'f',
          'SUMMARY:Weekly',
          inBerlin('DTSTART', '20270301T000000'),
          inBerlin('DTEND', '20270302T000000'),
          mark,
          'RRULE:FREQ=WEEKLY;UNTIL=20270321T230000Z',
          inBerlin('EXDATE', '20270308T000000'),
        ],
        [
          'f',
          'SUMMARY:Weekly moved',
          inBerlin('RECURRENCE-ID', '20270322T000000'),
          inBerlin('DTSTART', '20270323T000000'),
          inBerlin('DTEND', '20270324T000000'),
          mark,
        ],
      ),
    )
    equal(code, 0, out)
    const all = (await events()).map((event) => `${event.title}: ${hours(event)}`)
    deepEqual(all.toSorted(), [
      'In UTC: 2027-07-05 to 2027-07-05',
      'Local: 2027-07-05 to 2027-07-06',
      'No midnight: 2027-07-05 10:00:00 to 2027-07-05 11:00:00 Europe/Berlin',
      'To the second: 2027-07-05 to 2027-07-05',
      'Unmarked: 2027-07-05 00:00:00 to 2027-07-06 00:00:00 Europe/Berlin',
      'Weekly moved: 2027-03-23 to 2027-03-23',
      'Weekly: 2027-03-01 to 2027-03-01',
      'Weekly: 2027-03-15 to 2027-03-15',
    ])
  })

  test('go by the clock for days of a DURATION, by elapsed time for hours (RFC 5545, 3.3.6)', async () => {
    const start = 'DTSTART;TZID=Europe/Berlin:20270327T200000'
    await importing(
      icsOf(
        ['a', 'SUMMARY:A day', start, 'DURATION:P1D'],
        ['b', 'SUMMARY:24 hours', start, 'DURATION:PT24H'],
        ['c', 'SUMMARY:Both', start, 'DURATION:P1DT2H'],
      ),
    )
    deepEqual(await stored(({ end_date }) => end_date), {
      'A day': '2027-03-28 20:00:00',
      '24 hours': '2027-03-28 21:00:00',
      Both: '2027-03-28 22:00:00',
    })
  })

  describe('without a zone are in the zone of the start', () => {
    const forms: readonly (readonly [form: string, start: (time: string) => string, utc: string])[] = [
      ['UTC', (time) => `:${time}Z`, '10:00:00'],
      ['a zone', (time) => `;TZID=America/New_York:${time}`, '14:00:00'],
      ['no zone', (time) => `:${time}`, '08:00:00'],
    ]
    const moves: Readonly<Record<string, readonly string[]>> = {
      UTC: ['DTSTART:20270413T150000Z', 'DTEND:20270413T160000'],
      'another zone': ['DTSTART;TZID=Asia/Tokyo:20270414T000000', 'DTEND:20270414T010000'],
      'a whole day': ['DTSTART;VALUE=DATE:20270413'],
    }
    for (const [form, start, utc] of forms)
      for (const [move, lines] of Object.entries(moves))
        test(`in ${form}: ends, further dates, exceptions, and the date that moves to ${move}`, async () => {
          const { code, out } = await importing(
            icsOf(
              [
                'a',
                'SUMMARY:Daily',
                `DTSTART${start('20270412T100000')}`,
                'DTEND:20270412T120000',
                'RRULE:FREQ=DAILY;COUNT=4',
                'RDATE:20270420T170000',
                'EXDATE:20270414T100000',
              ],
              ['a', 'SUMMARY:Moved', 'RECURRENCE-ID:20270413T100000', ...lines],
            ),
          )
          equal(code, 0, out)
          const at = (day: string, time = utc) => `Daily ${day} ${time} 2`
          const moved = { 'a whole day': 'Moved 12 22:00:00 24' }[move] ?? 'Moved 13 15:00:00 1'
          const further = `${String(Number(utc.slice(0, 2)) + 7)}:00:00`
          deepEqual(
            (await events()).map(({ title, utc_start_date: from, utc_end_date: to }) => {
              const length = Math.ceil((Date.parse(to) - Date.parse(from)) / 3_600_000)
              return `${title} ${from.slice(8)} ${length}`
            }),
            [at('12'), moved, at('15'), at('20', further)],
          )
        })
  })

  test('leave out the date at their moment, else the one with their digits, or all of a day', async () => {
    const weekly = ['DTSTART:20270412T082500', 'RRULE:FREQ=DAILY;COUNT=5']
    const twice = ['DTSTART:20270412T082500Z', 'RRULE:FREQ=DAILY;COUNT=2;BYHOUR=8,20']
    const days = ['DTSTART;VALUE=DATE:20270412', 'RRULE:FREQ=DAILY;COUNT=4']
    const { out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Digits', ...weekly, 'EXDATE:20270413T082500Z', 'EXDATE:20270414T062500Z'],
        ['a', 'SUMMARY:Moved', 'RECURRENCE-ID:20270415T082500Z', 'DTSTART:20270415T190000'],
        ['b', 'SUMMARY:Day', ...weekly, 'RDATE:20270413T200000', 'EXDATE;VALUE=DATE:20270413,20270416'],
        [
          'c',
          'SUMMARY:Twice',
          ...twice,
          'RDATE:20270413T082500Z,20270413T092500Z',
          'EXDATE;VALUE=DATE:20270412',
        ],
        ['d', 'SUMMARY:Whole', ...days, 'EXDATE:20270412T220000Z,20270414T000000', 'EXDATE:20270415T000000Z'],
        ['e', 'SUMMARY:Days', ...days],
        ['e', 'SUMMARY:To an evening', 'RECURRENCE-ID:20270413T000000Z', 'DTSTART:20270413T200000'],
        ['f', 'SUMMARY:Hours', ...weekly],
        ['f', 'SUMMARY:To a day', 'RECURRENCE-ID;VALUE=DATE:20270413', 'DTSTART;VALUE=DATE:20270414'],
      ),
    )
    match(out, /9 made/)
    const found = Map.groupBy(await events(), ({ title }) => title)
    const datesOf = (title: string) => found.get(title)?.map(({ start_date }) => start_date.slice(8, 16))
    deepEqual(datesOf('Digits'), ['12 08:25', '16 08:25'])
    deepEqual(datesOf('Moved'), ['15 19:00'])
    deepEqual(datesOf('Day'), ['12 08:25', '14 08:25', '15 08:25'])
    deepEqual(datesOf('Twice'), ['13 08:25', '13 09:25'])
    deepEqual(datesOf('Whole'), ['12 00:00'])
    deepEqual([datesOf('Days')?.length, datesOf('To an evening')], [3, ['13 20:00']])
    deepEqual([datesOf('Hours')?.length, datesOf('To a day')], [4, ['14 00:00']])
  })

  test('are days where the file says so with VALUE=DATE, whatever hours stand behind', async () => {
    const { code, out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Ten days', 'DTSTART;VALUE=DATE:20271222T000000', 'DTEND;VALUE=DATE:20280101T000000'],
        ['b', 'SUMMARY:One', 'DTSTART;VALUE=DATE:20270705T100000Z', 'DTEND;VALUE=DATE:20270705T235959Z'],
      ),
    )
    equal(code, 0, out)
    deepEqual(await stored(hours), {
      'Ten days': '2027-12-22 to 2027-12-31',
      One: '2027-07-05 to 2027-07-05',
    })
  })

  test('of a date that its series leaves out bring nothing, whichever revision is later', async () => {
    const revised = (sequence: number | undefined) => (sequence === undefined ? [] : [`SEQUENCE:${sequence}`])
    const series = (uid: string, leaves: string, of?: number, changed?: number) =>
      [
        [uid, `SUMMARY:${uid}`, ...revised(of), 'DTSTART:20270412T100000Z', ...leaves.split(' ')],
        [
          uid,
          'SUMMARY:Changed',
          ...revised(changed),
          'RECURRENCE-ID:20270413T100000Z',
          'DTSTART:20270413T150000Z',
        ],
      ] as const
    const daily = 'RRULE:FREQ=DAILY;COUNT=3'
    const { code, out } = await importing(
      icsOf(
        ...series('older', `${daily} EXDATE:20270413T100000Z`, 2, 1),
        ...series('unrevised', `${daily} EXDATE;VALUE=DATE:20270413`),
        ...series('listed', 'RRULE:FREQ=DAILY;COUNT=3;BYHOUR=10 EXDATE:20270413T100000Z', 1, 1),
        ...series('later', `${daily} EXDATE:20270413T100000Z`, 1, 2),
        ...series('none', 'RRULE:FREQ=DAILY;COUNT=1 EXDATE:20270412T100000Z,20270413T100000Z').toReversed(),
      ),
    )
    equal(code, 2)
    equal(
      out.match(/Changed changes a date that its series leaves out, so it is left out\./g)?.length,
      5,
      out,
    )
    const found = Map.groupBy(await events(), ({ title }) => title)
    deepEqual([found.size, found.get('Changed'), found.get('later')?.length], [4, undefined, 2])
  })

  test('of a rule that ends before it begins are none, but for its further dates', async () => {
    const ended = (end: string) => `RRULE:FREQ=WEEKLY;UNTIL=${end};BYDAY=TU`
    const evening = 'DTSTART:20270720T200000Z'
    const { code, out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Ghost', 'DTSTART;TZID=Europe/Berlin:20270720T200000', ended('20270712T215959Z')],
        ['b', 'SUMMARY:Same day', evening, ended('20270720T195959Z')],
        ['c', 'SUMMARY:Days', 'DTSTART;VALUE=DATE:20270720', ended('20270719')],
        ['d', 'SUMMARY:Further', evening, ended('20270712T215959Z'), 'RDATE:20270722T200000Z'],
        ['e', 'SUMMARY:Once', evening, ended('20270720')],
        ['f', 'SUMMARY:Two rules', evening, ended('20270712T215959Z'), ended('20270727T200000Z')],
      ),
    )
    equal(code, 2, out)
    const days = (await events()).map(({ title, start_date }) => `${title} ${start_date.slice(8, 10)}`)
    deepEqual(days.toSorted(), ['Further 22', 'Once 20', 'Two rules 20', 'Two rules 27'])
  })

  test('of whole days go to the day whose midnight the end in UTC is, here or in the file', async () => {
    const daily = (uid: string, end: string, start = 'DTSTART;VALUE=DATE:20270503') =>
      vevent(uid, `SUMMARY:${uid}`, start, `RRULE:FREQ=DAILY;UNTIL=${end}`)
    const { code } = await importing(
      ics(
        daily('Here', '20270504T220000Z'),
        daily('Evening', '20270504T215959Z'),
        daily('UTC', '20270505T000000Z'),
      ) +
        ics(['X-WR-TIMEZONE:Asia/Tokyo'], daily('File', '20270504T150000Z')) +
        ics(
          ['BEGIN:VTIMEZONE', 'TZID:Europe/Helsinki', ...standardTime, 'END:VTIMEZONE'],
          daily('Defined', '20270504T210000Z'),
        ) +
        ics(
          vevent(
            'f',
            'SUMMARY:Listed',
            'DTSTART;VALUE=DATE:20270503',
            'RRULE:FREQ=YEARLY;BYYEARDAY=123,125;UNTIL=20270504T220000Z',
          ),
        ),
    )
    equal(code, 2)
    const found = Map.groupBy(await events(), ({ title }) => title)
    const last = ['Here', 'Evening', 'UTC', 'File', 'Defined', 'Listed'].map((title) =>
      found.get(title)?.at(-1).start_date.slice(8, 10),
    )
    deepEqual(last, ['05', '04', '05', '05', '05', '05'])
  })

  test('are those of a zone whose name has a colon and no quotes', async () => {
    await importing(icsOf(['a', 'SUMMARY:Colon', 'DTSTART;TZID=tzone://Microsoft/Utc:20270705T200000']))
    deepEqual(await stored(({ utc_start_date }) => utc_start_date), { Colon: '2027-07-05 20:00:00' })
  })

  test('that cannot be are told of: an end before the start, and a change of all later dates', async () => {
    const { code, out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Back', 'DTSTART:20270705T100000', 'DTEND:20270705T090000'],
        ['b', 'SUMMARY:Less', 'DTSTART:20270705T100000', 'DURATION:-PT1H'],
        ['c', 'SUMMARY:Days', 'DTSTART;VALUE=DATE:20270705', 'DTEND;VALUE=DATE:20270701'],
        ['d', 'SUMMARY:Same', 'DTSTART;VALUE=DATE:20270705', 'DTEND;VALUE=DATE:20270705'],
        ['e', 'SUMMARY:Weekly', AT, 'RRULE:FREQ=WEEKLY;COUNT=3'],
        [
          'e',
          'SUMMARY:Later',
          'RECURRENCE-ID;RANGE=THISANDFUTURE:20270712T200000Z',
          'DTSTART:20270712T210000Z',
        ],
      ),
    )
    equal(code, 2)
    for (const title of ['Back', 'Less', 'Days'])
      match(
        out,
        new RegExp(`The end of ${title} cannot be read or lies before its start, so only its start is in`),
      )
    doesNotMatch(out, /The end of Same/)
    match(out, /Later changes this date and all later ones, of which only this one is changed here/)
  })
})

describe('the texts of a calendar file', () => {
  test('are read from quoted-printable, with its lines', async () => {
    const lines = [
      'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Caf=C3=A9 =3D 5',
      'DESCRIPTION;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Stra=DFe=0D=0Aand=20=',
      'on=20=',
      'to the end',
    ]
    await importing(icsOf(['a', ...lines, AT]))
    deepEqual(await stored(({ description }) => description), {
      'Café = 5': '<p>Straße<br />\nand on to the end</p>',
    })
  })

  test('go on where a program has broken the lines of a description without folding them', async () => {
    const broken = [
      'DESCRIPTION:First line',
      'Doors: 19:00',
      'https://example.org/tickets',
      'NOTE: bring a torch',
      'ACHTUNG:',
      'Contact: Anna',
      'E=mc2 and the rest.',
      'ORGANIZER="mailto:a-secret@example.org"',
      'X-Host-Note:a secret',
      AT,
    ]
    const { out, code } = await importing(icsOf(['a', 'SUMMARY:Broken', ...broken]))
    equal(code, 2)
    match(
      out,
      new RegExp(
        'Broken: Lines that are no properties were read as the rest of the text before them: 7, ' +
          '8, 9, 10, 11, 12\\.',
      ),
    )
    const { Broken: text = '' } = await stored(({ description }) => description)
    doesNotMatch(text, /secret/)
    deepEqual(text.replace(/<[^>]*>/g, '').split('\n'), [
      'First line',
      'Doors: 19:00',
      'https://example.org/tickets',
      'NOTE: bring a torch',
      'ACHTUNG:',
      'Contact: Anna',
      'E=mc2 and the rest.',
    ])
  })

  test('go on after a broken line of each other text, and lines that belong to none are told', async () => {
    const { out, code } = await importing(
      icsOf(
        ['a', 'SUMMARY:Harbour', 'ball', AT, 'LOCATION:Harbour Hall', '1 Quay Street', '12345 Town'],
        [
          'b',
          'SUMMARY:Grand',
          'NOTE: masks',
          'Location:Guild Hall',
          'COMMENT: none',
          'X-APPLE;A="b"c:d',
          AT,
          '20 people',
          'COLOURFUL:yes',
          'DTEND:x',
        ],
      ),
    )
    equal(code, 2)
    match(
      out,
      /Harbour ball: Lines that are no properties were read as the rest of the text before them: 6, 9, 10\./,
    )
    match(out, /Grand NOTE: masks: Lines that cannot be read were left out: 20\./)
    const found = await stored(({ venue }) => `${venue.venue}: ${venue.address ?? ''}`)
    deepEqual(found, {
      'Harbour ball': 'Harbour Hall: 1 Quay Street, 12345 Town',
      'Grand NOTE: masks': 'Guild Hall: ',
    })
  })

  test('are those of the description where the text with markup is blank, as Outlook leaves it', async () => {
    const blank =
      'X-ALT-DESC;FMTTYPE=text/html:<!DOCTYPE HTML><HTML><BODY>\\n<!-- ' +
      'Converted --><P DIR=LTR><SPAN LANG="de">&nbsp\\;</SPAN></P></BODY></HTML>'
    const picture = 'X-ALT-DESC;FMTTYPE=text/html:<p><img src="https://example.org/a.png" alt="A"></p>'
    await importing(
      icsOf(
        ['a', 'SUMMARY:Blank', AT, blank, 'DESCRIPTION:What there is'],
        ['b', 'SUMMARY:Picture', AT, picture, 'DESCRIPTION:x'],
      ),
    )
    const found = await stored(({ description }) => description)
    equal(found.Blank, '<p>What there is</p>')
    match(found.Picture, /<img/)
  })

  test('have the characters that entities in plain text mean', async () => {
    const text = 'DESCRIPTION:Bob&#8217\\;s &amp\\; Ann&hellip\\; R&D &lt\\;b&gt\\; &foo'
    await importing(icsOf(['a', 'SUMMARY:Entities', AT, text]))
    const { Entities: found } = await stored(({ description }) => description)
    equal(found, '<p>Bob’s &amp; Ann… R&amp;D &lt;b&gt; &amp;foo</p>')
  })
})

describe('the rest of a calendar file', () => {
  test('is canceled in either spelling, and has links without the escapes of texts', async () => {
    await importing(
      icsOf(
        ['a', 'SUMMARY:Off', AT, 'STATUS:CANCELED'],
        ['b', 'SUMMARY:Link', AT, 'URL:https://example.org/a?b=1\\,2\\;3'],
      ),
    )
    const found = await stored(({ event_status, website }) => [event_status, website])
    equal(found.Off?.[0], 'canceled')
    equal(found.Link?.[1], 'https://example.org/a?b=1,2;3')
  })

  test('keeps quotes in the name of an organizer, and tells of one that cannot be read', async () => {
    const { out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Quoted', AT, 'ORGANIZER;CN="Anna \\"Ann\\" B":mailto:a@example.org'],
        ['b', 'SUMMARY:Bare', AT, 'ORGANIZER;CN=The \\"Club\\":mailto:b@example.org'],
        ['c', 'SUMMARY:Path', AT, 'ORGANIZER;CN="C:\\":mailto:c@example.org'],
        ['d', 'SUMMARY:Wrong', AT, 'ORGANIZER;CN="The "Guild"":mailto:d@example.org'],
        ['e', 'SUMMARY:Comma', AT, 'ORGANIZER;CN=Smith\\, Jones;ROLE=CHAIR:mailto:e@example.org'],
      ),
    )
    const found = await stored(({ organizer }) => organizer[0]?.organizer)
    const names = {
      Quoted: 'Anna "Ann" B',
      Bare: 'The "Club"',
      Path: 'C:\\',
      Wrong: undefined,
      Comma: 'Smith, Jones',
    }
    deepEqual(found, names)
    match(out, /Wrong: Lines that cannot be read were left out: 25\./)
  })

  test('has a contact whole, but for a telephone number and addresses', async () => {
    const contacts = (
      'Smith\\, Jones & Co|Jim Dolittle\\, ABC Industries\\, +1-919-555-1234|' +
      'Club\\, club@example.org\\, (030) 12 34 56|Guild of Bakers\\, https://guild.example/|' +
      'Rooms 12\\, 14|Anna B <a@b.example>|Choir\\; choir@b.example|Band (mailto:band@b.example)\\, Hall|' +
      'a@b.example'
    ).split('|')
    await importing(
      icsOf(
        ...contacts.map((text, at) => [`c${at}`, `SUMMARY:Contact ${at}`, AT, `CONTACT:${text}`] as const),
      ),
    )
    const found = await stored(({ organizer: [one] }) => one && `${one.organizer}|${one.phone ?? ''}`)
    deepEqual(Object.values(found), [
      'Smith, Jones &#038; Co|',
      'Jim Dolittle, ABC Industries|+1-919-555-1234',
      'Club|(030) 12 34 56',
      'Guild of Bakers|',
      'Rooms 12, 14|',
      'Anna B|',
      'Choir|',
      'Band, Hall|',
      undefined,
    ])
  })

  test('has coordinates where both are given and are those of a place, and tells of others', async () => {
    const geos =
      '48.1;11.5|48.1\\;11.5|;|48.1;|;11.5|0;0|0.0;0.000||0;11.5|11.5;148.1|148.1;11.5|north;east'.split('|')
    const { out } = await importing(
      icsOf(
        ...geos.map(
          (geo, at) => [`g${at}`, `SUMMARY:Geo ${at}`, AT, `LOCATION:Hall ${at}`, `GEO:${geo}`] as const,
        ),
      ),
    )
    const found = await stored(({ venue }) => [venue.geo_lat, venue.geo_lng].join())
    deepEqual(Object.values(found), [
      '48.1,11.5',
      '48.1,11.5',
      ...Array(6).fill(','),
      '0,11.5',
      '11.5,148.1',
      ',',
      ',',
    ])
    deepEqual(out.match(/Geo \d+: Its coordinates are none.*/g), [
      'Geo 10: Its coordinates are none, so it is in without them: 148.1;11.5',
      'Geo 11: Its coordinates are none, so it is in without them: north;east',
    ])
  })

  test('is told of where a title says that it is canceled and the status does not', async () => {
    const titles = (
      'Canceled: Ball|Abgesagt: Ball|[CANCELLED] Ball|Annulé : Ball|CANCELADO - Ball|(Entfällt) Ball|' +
      'Cancelled'
    ).split('|')
    const kept = ['Ball', 'The Cancelled', 'Canceled stamps', 'Absage an den Ball']
    const { out, code } = await importing(
      icsOf(
        ...[...titles, ...kept].map(
          (title, at) => [`${at}`, `SUMMARY:${title}`, AT, 'STATUS:CONFIRMED'] as const,
        ),
        ['off', 'SUMMARY:Canceled: Off', AT, 'STATUS:CANCELLED'],
      ),
    )
    equal(code, 2)
    equal(
      out.match(/says that it is canceled, but its STATUS does not, so it takes place here\./g)?.length,
      titles.length,
      out,
    )
    const found = await stored(({ event_status }) => event_status ?? 'scheduled')
    deepEqual([found[titles[0] ?? ''], found.Off], ['scheduled', 'canceled'])
  })

  test('is read from lines that end with CR alone, and from UTF-16 with such lines', async () => {
    const text = icsOf(
      ['a', 'SUMMARY:Old', AT, 'DESCRIPTION:Long', ' er'],
      ['b', 'SUMMARY:Mac', AT],
    ).replaceAll('\r\n', '\r')
    for (const [name, bytes] of [
      ['cr.ics', text],
      [
        'utf-16.ics',
        Buffer.from(`\ufeff${text.replaceAll('Old', 'Old 16').replaceAll('UID:', 'UID:16')}`, 'utf16le'),
      ],
    ] as const) {
      const { out, code, err } = await importing(bytes, name)
      equal(code, 0, out + err)
    }
    const found = await stored(({ description }) => description)
    deepEqual(
      Object.keys(found).toSorted(),
      ['Mac', 'Mac', 'Old', 'Old 16'].filter((name, at, all) => all.indexOf(name) === at),
    )
    equal(found.Old, '<p>Longer</p>')
  })

  test('has no organizer that Google does not know', async () => {
    const unknown = 'ORGANIZER;CN=Unknown Organizer:mailto:unknownorganizer@calendar.google.com'
    await importing(icsOf(['a', 'SUMMARY:Nobody', AT, unknown]))
    deepEqual((await calendar.service.get('/organizers')).body.organizers, [])
  })
})

describe('a table as Outlook and Google write it', () => {
  test('has private events in every word for yes, and in every word that is none for no', async () => {
    const words = ['Ein', 'Wahr', 'Vrai', 'Verdadero', 'True', 'Activé', 'whatever']
    const rows = words.map((word) => `${word};5.7.2027;20:00:00;${word}`)
    const open = ['Aus', 'Falsch', 'Faux', 'False', 'Normal', ''].map(
      (word) => `open ${word};5.7.2027;20:00:00;${word}`,
    )
    const text = ['Betreff;Beginnt am;Beginnt um;Privat', ...rows, ...open, ''].join('\r\n')
    const { code, out } = await importing(text, 'kalender.csv')
    equal(code, 0, out)
    const found = await stored(({ status }) => status)
    for (const [title, status] of Object.entries(found))
      equal(status, title.startsWith('open') ? 'publish' : 'private', title)
    equal(Object.keys(found).length, 13)
  })

  test('has whole days that end at midnight, in German too', async () => {
    const { code, out } = await importing(
      `Betreff;Beginnt am;Beginnt um;Endet am;Endet um;Ganztägiges Ereignis
Ein Tag;5.7.2027;00:00:00;6.7.2027;00:00:00;Ein
Drei Tage;5.7.2027;0:00;8.7.2027;0:00;Wahr
Ohne Zeit;5.7.2027;;6.7.2027;;Ein
Abends;5.7.2027;20:00:00;5.7.2027;22:00:00;Aus
`,
      'ganztags.csv',
    )
    equal(code, 0, out)
    deepEqual(await stored(hours), {
      'Ein Tag': '2027-07-05 to 2027-07-05',
      'Drei Tage': '2027-07-05 to 2027-07-07',
      'Ohne Zeit': '2027-07-05 to 2027-07-06',
      Abends: '2027-07-05 20:00:00 to 2027-07-05 22:00:00 Europe/Berlin',
    })
  })

  test('tells of an end before the start', async () => {
    const { code, out } = await importing(
      'Subject,Start Date,Start Time,End Date,End Time\nBack,2027-07-05,12:00 ' +
        'PM,2027-07-05,12:00 AM\nDays,2027-07-05,,2027-07-01,\nNight,2027-07-05,10:00 PM,,2:00 AM\n',
      'back.csv',
    )
    equal(code, 2)
    match(out, /Back: The end "2027-07-05 12:00 AM" cannot be read or lies before its start/)
    match(out, /Days: The end "2027-07-01" cannot be read or lies before its start/)
    doesNotMatch(out, /Night: /)
    deepEqual(await stored(hours), {
      Back: '2027-07-05 12:00:00 to 2027-07-05 12:00:00 Europe/Berlin',
      Days: '2027-07-05 to 2027-07-05',
      Night: '2027-07-05 22:00:00 to 2027-07-06 02:00:00 Europe/Berlin',
    })
  })
})

describe('the address and the place of an event', () => {
  test('cost no event where they are none, and have no need of a scheme', async () => {
    const { code, out } = await importing(
      icsOf(
        ['a', 'SUMMARY:Blank', AT, 'URL:https://example.org/a b'],
        ['b', 'SUMMARY:Long', AT, `URL:https://example.org/${'x'.repeat(3000)}`],
        ['c', 'SUMMARY:Bare', AT, 'URL:www.example.org/c?d=1'],
        ['d', 'SUMMARY:Program', AT, 'URL:outlook:00000000F1'],
      ),
    )
    equal(code, 2)
    match(out, /Blank: Its address is none, so it is in without it: https:\/\/example\.org\/a b/)
    match(out, /Long: Its address is none/)
    doesNotMatch(out, /Bare: |Program: |Not in:/)
    const own = ({ website, url }: Shown) => (website === url ? '' : website)
    deepEqual(await stored(own), { Blank: '', Long: '', Bare: 'https://www.example.org/c?d=1', Program: '' })
  })

  test('are no venue where a meeting program or a word for online stands, but mean online', async () => {
    const online = (
      'Microsoft Teams Meeting|Microsoft Teams-Besprechung|Réunion Microsoft Teams|' +
      'Reunión de Microsoft Teams|Réunion Teams|Reunión de Zoom|Online|Online event|Online-Veranstaltung|' +
      'Virtuell|En ligne|Événement en ligne|Evento en línea|Zoom|via Zoom|Online (Zoom)|Online via Zoom|' +
      'Virtual event|Zoom\\; Microsoft Teams Meeting'
    ).split('|')
    const unknown = [
      'TBA',
      'tbd.',
      '-',
      '–',
      '?',
      'n/a',
      'Wird noch bekannt gegeben',
      'À confirmer',
      'Por confirmar',
    ]
    const mixed: Readonly<Record<string, string>> = {
      'Town Hall\\; Microsoft Teams Meeting': 'Town Hall',
      'Microsoft Teams Meeting\\; Town Hall\\, 1 Quay': 'Town Hall',
      'Large Conference Room 2\\; Microsoft Teams-Besprechung': 'Large Conference Room 2',
      'Room 1\\; Room 2\\; Microsoft Teams Meeting': 'Room 1; Room 2',
      'Rathaus Microsoft Teams': 'Rathaus',
      'Town Hall / Zoom': 'Town Hall',
      'Town Hall\\, online': 'Town Hall',
      'Salle 4 et en ligne': 'Salle 4',
      'Bürgerhaus und online': 'Bürgerhaus',
    }
    const places = [
      'Online Hall',
      'Zoom Erlebniswelt',
      'Virtuell Museum',
      'TBA Club',
      'Zoom\\, 12 Main Street',
    ]
    const all = [...online, ...unknown, ...Object.keys(mixed), ...places]
    const { code, out } = await importing(
      icsOf(...all.map((place, at) => [`e${at}`, `SUMMARY:${at} of all`, AT, `LOCATION:${place}`] as const)),
    )
    equal(code, 0, out)
    const table =
      'Title,Start,End,Venue\nTable,2027-07-05 10:00,2027-07-05 11:00,Zoom Meeting\nHall,2027-07-05 ' +
      '10:00,2027-07-05 11:00,Town Hall; Zoom\nOpen,2027-07-05 10:00,2027-07-05 11:00,TBA\n'
    equal((await importing(table, 'table.csv')).code, 0)
    const found = await stored(({ venue, attendance }) => `${venue.venue ?? 'none'} ${attendance ?? ''}`)
    const expected = [
      ...online.map(() => 'none online'),
      ...unknown.map(() => 'none '),
      ...Object.values(mixed).map((place) => `${place} mixed`),
      ...places.map((place) => `${place.split('\\')[0]} `),
    ]
    const { Table, Hall, Open, ...read } = found
    deepEqual([Table, Hall, Open], ['none online', 'Town Hall mixed', 'none '])
    deepEqual(
      all.map((place, at) => `${place}: ${read[`${at} of all`]}`),
      all.map((place, at) => `${place}: ${expected[at]}`),
    )
  })

  test('of further dates with ends of their own are told not to be kept', async () => {
    const dates = 'RDATE;VALUE=PERIOD:20270712T200000Z/20270712T230000Z'
    const { out } = await importing(icsOf(['a', 'SUMMARY:Periods', AT, 'DTEND:20270705T210000Z', dates]))
    match(out, /Periods: Each of its dates is as long as the first one here, whatever end it has in the file/)
  })
})
