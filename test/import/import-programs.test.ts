import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { icsOf } from './calendar-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Shown = any

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const AT = 'DTSTART:20270705T200000Z'

let calendar: Calendar
beforeEach(async () => {
  calendar = await startCalendar({ timezone: 'UTC' })
})
afterEach(() => calendar.close())

const importing = async (name: string, text: string, ...words: string[]) =>
  calendar.imports(name, text, ...words)
const events = async (): Promise<Shown[]> => (await calendar.service.get(ALL, 'admin')).body.events
const byTitle = async () => new Map((await events()).map((event) => [event.title, event] as const))
const list = async (path: string): Promise<Shown[]> =>
  (await calendar.service.get(`/${path}?per_page=50`)).body[path]

describe('calendar files as programs write them', () => {
  test('the markup of Google in a DESCRIPTION is markup, sanitised; plain text stays plain', async () => {
    const google =
      'DESCRIPTION:<html-blob>Bring<br>tea &amp\\; cake:<ul><li>one</li></ul><a ' +
      'href="https://example.org/x">more</a><script>alert(1)</script><img src=x onerror=alert(1)></html-blob>'
    const { out, code } = await importing(
      'a.ics',
      icsOf(
        ['a@google.com', 'SUMMARY:Rich', AT, google],
        ['b@x', 'SUMMARY:Plain', AT, 'DESCRIPTION:a < b\\, c > d & <tag> stay\\nas they are'],
      ),
    )
    equal(code, 0, out)
    const found = await byTitle()
    const { description } = found.get('Rich')
    match(description, /Bring<br \/>\s*tea &amp; cake:/)
    match(description, /<ul>\s*<li>one<\/li>\s*<\/ul>/)
    match(description, /<a href="https:\/\/example\.org\/x">more<\/a>/)
    doesNotMatch(description, /&lt;|script|onerror|html-blob/)
    match(found.get('Plain').description, /a &lt; b, c &gt; d &amp; &lt;tag&gt; stay<br \/>\s*as they are/)
  })

  test('text that only shows markup comes back as text from the own calendar file', async () => {
    const description = 'Write &lt;b&gt;bold&lt;/b&gt; for bold.'
    await calendar.service.event({
      title: 'Lesson',
      start_date: '2027-07-05',
      end_date: '2027-07-05',
      description,
    })
    await using there = await startCalendar({ timezone: 'UTC' })
    const text = await (
      await fetch(`${calendar.service.base}${ALL.replace('&per_page=50', '')}&format=ics`)
    ).text()
    await there.run(0, 'import', await there.file('a.ics', text))
    const [shown] = (await there.service.get(ALL)).body.events
    equal(shown.description, (await events())[0].description)
  })

  test('the address of a meeting is a website, and no venue', async () => {
    const { out, code } = await importing(
      'a.ics',
      icsOf(
        ['a@x', 'SUMMARY:Online', AT, 'LOCATION:https://zoom.example/j/1?pwd=2'],
        ['b@x', 'SUMMARY:Both', AT, 'LOCATION:Town Hall\\, 1 Quay (https://meet.example/abc)'],
        ['c@x', 'SUMMARY:Own', AT, 'URL:https://example.org/c', 'LOCATION:https://zoom.example/j/1'],
      ),
    )
    equal(code, 0, out)
    const found = await byTitle()
    deepEqual(
      [found.get('Online').website, found.get('Online').venue],
      ['https://zoom.example/j/1?pwd=2', []],
    )
    const { website, venue } = found.get('Both')
    deepEqual([website, venue.venue, venue.address], ['https://meet.example/abc', 'Town Hall', '1 Quay'])
    equal(found.get('Own').website, 'https://example.org/c')
    equal((await list('venues')).length, 1)
  })

  test('an organizer without a name publishes no address', async () => {
    await importing(
      'a.ics',
      icsOf(
        ['a@x', 'SUMMARY:None', AT, 'ORGANIZER:mailto:anna@example.org'],
        ['b@x', 'SUMMARY:Address', AT, 'ORGANIZER;CN=anna@example.org:mailto:anna@example.org'],
        ['c@x', 'SUMMARY:Named', AT, 'ORGANIZER;CN=Club:mailto:club@example.org'],
      ),
    )
    const found = await byTitle()
    deepEqual([found.get('None').organizer, found.get('Address').organizer], [[], []])
    equal(found.get('Named').organizer[0].organizer, 'Club')
    doesNotMatch(JSON.stringify(await list('organizers')), /anna/)
  })

  test('addresses of people are public with --with-addresses alone, and the report counts them', async () => {
    const text = icsOf(
      ['a@x', 'SUMMARY:A', AT, 'ORGANIZER;CN=Jane Doe:mailto:jane.doe@firm.example'],
      [
        'b@x',
        'SUMMARY:B',
        AT,
        'ORGANIZER;CN="Doe, John":MAILTO:john@firm.example',
        'RRULE:FREQ=WEEKLY;COUNT=2',
      ],
      [
        'c@x',
        'SUMMARY:C',
        AT,
        'ORGANIZER;CN=Jane Doe:mailto:jane.doe@firm.example',
        'CONTACT:ann@firm.example',
      ],
      ['d@x', 'SUMMARY:D', AT, 'CONTACT:Ann Lee\\, ann@firm.example\\, +353 1 555 0100'],
    )
    const line = /ORGANIZER: The e-mail addresses of 2 organizers .*--with-addresses/
    match((await importing('a.ics', text, '--dry-run')).out, line)
    for (const made of [7, 0]) {
      const { out, code } = await importing('a.ics', text)
      equal(code, 0, out)
      match(out, line)
      match(out, new RegExp(`${made} made, 0 changed`))
    }
    const { origin } = calendar.service
    const pages = ['/event/a/', '/event/c/', '/event/d/', '/events.ics', '/events.csv', '/events.jsonld']
    const shown = await Promise.all(pages.map(async (path) => (await fetch(`${origin}${path}`)).text()))
    const records = [await events(), await list('organizers')]
    doesNotMatch(JSON.stringify([shown, records]), /firm\.example/)
    deepEqual((await list('organizers')).map(({ organizer }) => organizer).sort(), [
      'Ann Lee',
      'Doe, John',
      'Jane Doe',
    ])
    doesNotMatch((await importing('a.ics', text, '--with-addresses')).out, /ORGANIZER:/)
    deepEqual((await list('organizers')).map(({ email }) => email ?? '').sort(), [
      '',
      'jane.doe@firm.example',
      'john@firm.example',
    ])
  })
})

describe('tables as programs write them', () => {
  const table = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n`

  test('venues and organizers of The Events Calendar come with all columns; events find them', async () => {
    const venues = table(
      'Venue Name,Venue Description,Venue Country,Venue Address,Venue Address 2,Venue City,Venue ' +
        'State/Province,Venue Zip,Venue Overwrite,Venue Latitude,Venue ' +
        'Longitude,Venue Phone,Venue Website,Venue Featured Image',
      'Harbour Hall,<b>Old</b> hall,Ireland,1 Quay,Floor ' +
        '2,Kilvara,Clare,V95,0,52.5,-9.1,+353 1,https://hall.example,',
      'Town Hall,,Ireland,2 Street,,Kilvara,,,,,,,,',
      'Town Hall,,Ireland,9 Road,,Aldbury,,,,,,,,',
    )
    const organizers = table(
      'Organizer Name,Organizer Description,Organizer Email,Organizer ' +
        'Website,Organizer Phone,Organizer Featured Image',
      'Club,Since 1920,club@example.org,https://club.example,+353 2,',
      'Guild,,guild@example.org,,,',
    )
    for (const [name, text] of Object.entries({ venues, organizers })) {
      const { out, code } = await importing(`${name}.csv`, text)
      equal(code, 0, out)
      const before = await calendar.rows()
      await importing(`${name}.csv`, text)
      equal(await calendar.rows(), before)
    }
    const hall = (await list('venues')).find(({ venue }) => venue === 'Harbour Hall')
    deepEqual(
      [hall.address, hall.city, hall.country, hall.state, hall.zip, hall.geo_lat, hall.geo_lng, hall.phone],
      ['1 Quay, Floor 2', 'Kilvara', 'Ireland', 'Clare', 'V95', 52.5, -9.1, '+353 1'],
    )
    equal(hall.website, 'https://hall.example')
    match(hall.description, /<b>Old<\/b> hall/)
    const people = await list('organizers')
    const club = people.find(({ organizer }) => organizer === 'Club')
    deepEqual([club.email, club.website, club.phone], ['club@example.org', 'https://club.example', '+353 2'])
    match(club.description, /Since 1920/)
    equal((await list('venues')).filter(({ venue }) => venue === 'Town Hall').length, 2)
    const ids = people.map(({ id }) => id)
    const { out, code } = await importing(
      'events.csv',
      table(
        'Event Name,Event Start Date,Event Start Time,Event Venue Name,Event Organizer Name(s) or ID(s)',
        `Ball,2027-07-05,20:00,Harbour Hall,"${ids.join(', ')}"`,
        'Fair,2027-07-06,20:00,Harbour Hall,Club',
        'Lost,2027-07-07,20:00,,987654',
      ),
    )
    equal(code, 2)
    match(out, /line 4: Lost: There is no organizer with the id 987654, so it is in without it/)
    const found = await byTitle()
    deepEqual(pluck(found.get('Ball').organizer, 'id').sort(), ids.sort())
    equal(found.get('Ball').venue.id, hall.id)
    deepEqual([found.get('Fair').organizer[0].id, found.get('Lost').organizer], [club.id, []])
    equal((await list('organizers')).length, 2)
  })

  test('a table of venues may have one column, whose name may have two meanings', async () => {
    const { out, code } = await importing('venues.csv', table('Ort', 'Hall'))
    equal(code, 0, out)
    deepEqual(pluck(await list('venues'), 'venue'), ['Hall'])
  })

  test('ids of organizers are those that a site had which has moved here', async () => {
    const organizer = [{ id: 4321, organizer: 'Club' }]
    const moved = { id: 1, title: 'Old', ...onDay('2027-01-01', '10:00:00', '11:00:00'), organizer }
    await importing('old.json', JSON.stringify({ events: [moved] }), '--origin', 'moved')
    const { code, out } = await importing(
      'events.csv',
      table('Event Name,Event Start Date,Event Organizer Name(s) or ID(s)', 'New,2027-07-05,4321'),
    )
    equal(code, 0, out)
    equal((await byTitle()).get('New').organizer[0].organizer, 'Club')
  })

  test('a line with the separator, years of two digits and months by name are read', async () => {
    const text = table(
      '"sep=;"',
      'Event Name;Event Start Date;Event Start Time;Event End Date;Event End Time',
      'A;25/04/27;19:30;25/04/27;21:00',
      'B;5.4.27;19h30;;23h',
      'C;12-Apr-27;7 pm;;1 am',
      'D;5. März 2027;19 Uhr;;',
      'E;jeudi 1er juillet 2027;19:00;;',
      'F;5 de julio de 2027;19:00;;',
      'G;1/1/69;10:00;;',
    )
    const { out, code } = await importing('a.csv', text)
    equal(code, 0, out)
    const times = (await events()).map(({ title, start_date, end_date }) => [title, start_date, end_date])
    deepEqual(times.sort(), [
      ['A', '2027-04-25 19:30:00', '2027-04-25 21:00:00'],
      ['B', '2027-04-05 19:30:00', '2027-04-05 23:00:00'],
      ['C', '2027-04-12 19:00:00', '2027-04-13 01:00:00'],
      ['D', '2027-03-05 19:00:00', '2027-03-05 19:00:00'],
      ['E', '2027-07-01 19:00:00', '2027-07-01 19:00:00'],
      ['F', '2027-07-05 19:00:00', '2027-07-05 19:00:00'],
      ['G', '2069-01-01 10:00:00', '2069-01-01 10:00:00'],
    ])
  })

  for (const [language, header] of Object.entries({
    English: 'Title;Start date;Start time;End time;Venue;City;Organizer;Category;Description',
    German: 'Titel;Datum;Beginnt um;Endet um;Veranstaltungsort;Ort;Veranstalter;Kategorie;Beschreibung',
    French: 'Titre;Date de début;Heure de début;Heure de fin;Lieu;Ville;Organisateur;Catégorie;Description',
    Spanish: 'Título;Fecha;Hora de inicio;Hora de fin;Lugar;Ciudad;Organizador;Categoría;Descripción',
    'French, as Outlook writes it': 'Objet;Début;Début;Fin;Lieu;Ville;Organisateur;Catégories;Description',
  }))
    test(`headings in ${language} are understood`, async () => {
      const end = header.includes('Début;Début') ? '5.7.2027' : '21:00'
      const { out, code } = await importing(
        'a.csv',
        table(header, `Ball;5.7.2027;20:00;${end};Hall;Kilvara;Club;Music;Text`),
      )
      equal(code, 0, out)
      const [{ title, start_date, venue, organizer, categories, description }] = await events()
      deepEqual(
        [
          title,
          start_date,
          venue.venue,
          venue.city,
          organizer[0].organizer,
          categories[0].name,
          description.trim(),
        ],
        ['Ball', '2027-07-05 20:00:00', 'Hall', 'Kilvara', 'Club', 'Music', '<p>Text</p>'],
      )
    })

  test('a category that is below another one here is used, in place of a second one', async () => {
    const music = await calendar.service.create('/categories', { name: 'Music' })
    const jazz = await calendar.service.create('/categories', { name: 'Jazz', parent: music.id })
    await importing('a.csv', table('Title,Date,Categories', 'A,2027-07-05,"jazz, Dance"'))
    await importing('a.ics', icsOf(['b@x', 'SUMMARY:B', AT, 'CATEGORIES:Jazz']))
    for (const event of await events())
      ok(
        event.categories.some(({ id }: Shown) => id === jazz.id),
        event.title,
      )
    deepEqual((await list('categories')).map(({ name }) => name).sort(), ['Dance', 'Jazz', 'Music'])
  })

  test('columns that are not understood are named once, and take nothing away', async () => {
    const text = table(
      'Title,Start date,Ort der Handlung,Ticketpreis,Venue Description,Reminder',
      'Ball,2027-07-05,Hall,12,Old,',
      'Fair,2027-07-06,Hall,,,',
    )
    for (const words of [['--dry-run'], [], []]) {
      const { out, code } = await importing('a.csv', text, ...words)
      equal(code, 0, out)
      const [line = '', ...more] = out.split('\n').filter((line) => line.includes('Ticketpreis'))
      match(line, /: Ort der Handlung, Ticketpreis, Venue Description\..*--map/)
      deepEqual(more, [])
    }
    const mapped = ['--map', 'Ort der Handlung=venue', '--map', 'Ticketpreis=cost', '--map', 'Reminder=tags']
    match((await importing('a.csv', text, ...mapped)).out, /: Venue Description\./)
    const { venue, cost } = (await byTitle()).get('Ball')
    deepEqual([venue.venue, cost], ['Hall', '$12'])
    const venues = table('Venue name,Ort der Handlung', 'Town Hall,Quay')
    match((await importing('venues.csv', venues)).out, /: Ort der Handlung\./)
  })

  test('the names of Events Manager are understood', async () => {
    const text = table(
      'event_name,event_start_date,event_start_time,event_end_date,event_end_time,event_all_day,' +
        'event_timezone,event_status,post_content,location_name,location_address,location_town,' +
        'location_state,location_postcode,location_country,' +
        'location_latitude,location_longitude,event_categories,event_tags',
      'Ball,2027-07-05,20:00:00,2027-07-05,22:00:00,0,Europe/Berlin,1,Text,Hall,1 ' +
        'Quay,Kilvara,Clare,V95,IE,52.5,-9.1,Music,late',
      'Fair,2027-07-06,20:00:00,2027-07-06,22:00:00,0,Europe/Berlin,0,Text,,,,,,,,,,',
    )
    const { out, code } = await importing('a.csv', text)
    equal(code, 0, out)
    doesNotMatch(out, /not read/i)
    const { venue, ...event } = (await byTitle()).get('Ball')
    deepEqual(
      [venue.venue, venue.address, venue.city, venue.state, venue.zip, venue.country, venue.geo_lat],
      ['Hall', '1 Quay', 'Kilvara', 'Clare', 'V95', 'IE', 52.5],
    )
    deepEqual([event.timezone, event.status, event.tags[0].name], ['Europe/Berlin', 'publish', 'late'])
  })

  test('times with an offset and 24:00 are read, a moment for a moment and a day for a day', async () => {
    const text = table(
      'title,start_date,start_time,end_date,end_time,timezone,all_day',
      'Zulu,2027-05-01T19:00:00Z,,2027-05-01T21:00:00.000Z,,Europe/Berlin,',
      'Offset,2027-05-01T19:00+02:00,,2027-05-01 21:00:00-0500,,Europe/Berlin,no',
      'Site,2027-05-01T19:00:00+02:00,,,,,',
      'Twice,2027-10-31T02:40:00+02:00,,2027-10-31T02:10:00+01:00,,Europe/Berlin,',
      'Cells,2027-05-01,19:00:00Z,2027-05-01,21:00Z,Europe/Berlin,',
      'Days,2027-05-01T00:00:00Z,,2027-05-02T00:00:00Z,,America/New_York,yes',
      'Late,2027-12-31,19:00,2027-12-31,24:00,Europe/Berlin,',
      'Later,2027-05-01,19:00,,24:00:00,Europe/Berlin,',
      'Night,2027-05-01 24:00,,2027-05-02 02:00,,Europe/Berlin,',
      'Noon,2027-05-01,noon,,1430,Europe/Berlin,',
    )
    const { out, code } = await importing('a.csv', text)
    equal(code, 0, out)
    const found = await byTitle()
    const utc = ['Zulu', 'Offset', 'Site', 'Twice', 'Cells', 'Late', 'Later', 'Night', 'Noon'].map(
      (title) => {
        const { utc_start_date, utc_end_date } = found.get(title)
        return [title, utc_start_date, utc_end_date]
      },
    )
    deepEqual(utc, [
      ['Zulu', '2027-05-01 19:00:00', '2027-05-01 21:00:00'],
      ['Offset', '2027-05-01 17:00:00', '2027-05-02 02:00:00'],
      ['Site', '2027-05-01 17:00:00', '2027-05-01 17:00:00'],
      ['Twice', '2027-10-31 00:40:00', '2027-10-31 01:10:00'],
      ['Cells', '2027-05-01 19:00:00', '2027-05-01 21:00:00'],
      ['Late', '2027-12-31 18:00:00', '2027-12-31 23:00:00'],
      ['Later', '2027-05-01 17:00:00', '2027-05-01 22:00:00'],
      ['Night', '2027-05-01 22:00:00', '2027-05-02 00:00:00'],
      ['Noon', '2027-05-01 10:00:00', '2027-05-01 12:30:00'],
    ])
    equal(found.get('Zulu').start_date, '2027-05-01 21:00:00')
    deepEqual(
      [found.get('Days').start_date, found.get('Days').end_date],
      ['2027-05-01 00:00:00', '2027-05-01 23:59:59'],
    )
    const wrong = table('title,start_date,start_time', 'A,2027-05-01,24:30', 'B,2027-05-01T25:00:00Z,')
    equal((await importing('b.csv', wrong)).code, 2)
  })
})

describe('JSON without ids', () => {
  const ball = {
    title: 'Ball',
    ...onDay('2027-07-05', '20:00:00', '21:00:00'),
    venue: { venue: 'Hall', city: 'Kilvara' },
    organizer: [{ organizer: 'Club' }, 'Guild'],
    categories: ['Music', { name: 'Dance' }],
    tags: [{ name: 'late' }],
  }
  const fair = { ...ball, title: 'Fair', venue: { venue: 'Hall', city: 'Aldbury' } }

  for (const [name, text] of Object.entries({
    'a.json': JSON.stringify({ events: [ball, fair] }),
    'b.json': JSON.stringify([ball, fair]),
    'c.ndjson': [ball, fair].map((one) => JSON.stringify(one)).join('\n'),
    d: [ball, fair].map((one) => JSON.stringify(one)).join('\n'),
  }))
    test(`comes in with what it refers to, and writes nothing again (${name})`, async () => {
      const { out, code } = await importing(name, text)
      equal(code, 0, out)
      const found = await byTitle()
      for (const [title, city] of [
        ['Ball', 'Kilvara'],
        ['Fair', 'Aldbury'],
      ]) {
        const { venue, organizer, categories, tags } = found.get(title)
        deepEqual([venue.venue, venue.city], ['Hall', city])
        deepEqual(pluck(organizer, 'organizer'), ['Club', 'Guild'])
        deepEqual(pluck(categories, 'name'), ['Dance', 'Music'])
        deepEqual(pluck(tags, 'name'), ['late'])
      }
      deepEqual([(await list('venues')).length, (await list('organizers')).length], [2, 2])
      const before = await calendar.rows()
      await importing(name, text)
      equal(await calendar.rows(), before)
    })
})
