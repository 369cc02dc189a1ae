import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { registerExportCommand } from '../../src/features/transfer/export.ts'
import { runCommand } from '../support/commands.ts'
import { isWhole } from '../support/rounds.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { icsOf } from './calendar-file.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const AT = 'DTSTART:20270705T200000Z'
const TIMES = onDay('2027-07-05', '20:00:00', '21:00:00')

const FORMATS = isWhole ? ['ics', 'csv', 'json', 'ndjson'] : ['ics', 'ndjson']

describe('what a source calls private', () => {
  let calendar: Calendar
  beforeEach(async () => {
    calendar = await startCalendar({ timezone: 'UTC' })
  })
  afterEach(() => calendar.close())
  const seen = async (as: 'admin' | 'anonymous', of = calendar) => {
    const { body } = await of.service.get(ALL, as)
    const shown = body.events.map(({ title, status }: Record<string, string>) => `${title}: ${status}`)
    return shown.sort()
  }
  const importing = async (name: string, text: string, ...words: string[]) =>
    calendar.imports(name, text, ...words)
  const exported = async (format: string, of = calendar) => {
    const file = await of.file('exported', '')
    const words = ['export', '--all', '--format', format, '--output', file]
    const { err, code } = await runCommand((program) => registerExportCommand(program, of.ground, []), words)
    equal(code, 0, err)
    return readFile(file, 'utf8')
  }

  for (const format of FORMATS)
    test(`goes out by ${format} with its status and comes in with it, into another calendar`, async () => {
      for (const status of ['publish', 'private', 'draft', 'pending'])
        await calendar.service.event({ title: `A ${status}`, ...TIMES, status })
      await calendar.service.event({ title: 'A future', ...TIMES, date_utc: '2099-01-01 08:00:00' })
      await using there = await startCalendar({ timezone: 'UTC' })
      const file = await there.file(`all.${format}`, await exported(format))
      await there.run(0, 'import', file)
      deepEqual(await seen('admin', there), await seen('admin'))
      deepEqual(await seen('anonymous', there), ['A publish: publish'])
      const before = await there.rows()
      await there.kalends('import', file)
      equal(await there.rows(), before)
    })

  for (const format of FORMATS)
    test(`keeps by ${format} the date that a draft got by itself, until it is published`, async (t) => {
      const dates = async (of: Calendar) => {
        const { body } = await of.service.get(ALL, 'admin')
        return body.events
          .map(({ title, date, date_utc }: Record<string, string>) => [title, date, date_utc])
          .sort()
      }
      for (const [title, status] of [
        ['A', 'draft'],
        ['B', 'pending'],
        ['D', 'publish'],
        ['E', 'private'],
      ])
        await calendar.service.event({ title, ...TIMES, status })
      const recurrence = 'RRULE:FREQ=WEEKLY;COUNT=3'
      for (const [title, status] of [
        ['C', 'draft'],
        ['F', 'publish'],
      ])
        await calendar.service.event({ title, ...TIMES, status, recurrence })
      const date = '2020-06-07 08:09:10'
      await calendar.service.app.database.write(async (tx) => {
        await tx.updateTable('events').set({ date }).execute()
        await tx.updateTable('events').set({ date_utc: date }).where('date_utc', '>', '1').execute()
        for (const { id, shared } of await tx.selectFrom('series').select(['id', 'shared']).execute()) {
          const { date_utc, ...rest } = JSON.parse(shared)
          const dated = { ...rest, date, date_utc: date_utc > '1' ? date : date_utc }
          await tx
            .updateTable('series')
            .set({ shared: JSON.stringify(dated) })
            .where('id', '=', id)
            .execute()
        }
      })
      const there = await startCalendar({ timezone: 'UTC' })
      t.after(there.close)
      const file = await there.file(`all.${format}`, await exported(format))
      await there.kalends('import', file)
      deepEqual(await dates(there), await dates(calendar))
      const { body } = await there.service.get(`${ALL}&status=draft`, 'admin')
      notEqual((await there.service.update(`/events/${body.events[0].id}`, { status: 'publish' })).date, date)
    })

  for (const format of FORMATS)
    test(`changes nothing when the calendar's own ${format} comes back`, async () => {
      for (const status of ['publish', 'private', 'draft', 'pending'])
        await calendar.service.event({ title: `A ${status}`, ...TIMES, status, venue: { venue: 'Hall' } })
      await calendar.service.event({ title: 'A future', ...TIMES, date_utc: '2099-01-01 08:00:00' })
      for (const status of ['publish', 'private', 'draft'])
        await calendar.service.event({
          title: `Often ${status}`,
          ...TIMES,
          status,
          recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3',
        })
      const { body } = await calendar.service.get(`${ALL}&search=Often%20publish`)
      await calendar.service.update(`/events/${body.events[1].id}`, { status: 'draft' })
      const before = await calendar.rows()
      const { err } = await importing(`own.${format}`, await exported(format))
      match(err, /^The source is this calendar itself/)
      equal(await calendar.rows(), before)
    })

  test('comes in from iCalendar as private, stays so, and is public once the source says so', async () => {
    const source = (secret: string, plan: string) =>
      icsOf(
        ['open@x', 'SUMMARY:Open', AT],
        ['public@x', 'SUMMARY:Public', AT, 'CLASS:PUBLIC'],
        ['secret@x', 'SUMMARY:Secret', AT, secret],
        ['plan@x', 'SUMMARY:Plan', AT, plan],
        ['odd@x', 'SUMMARY:Odd', AT, 'CLASS:X-FRIENDS'],
        ['often@x', 'SUMMARY:Often', AT, 'RRULE:FREQ=WEEKLY;COUNT=2', 'CLASS:private'],
        ['often@x', 'RECURRENCE-ID:20270712T200000Z', 'SUMMARY:Often moved', 'DTSTART:20270713T200000Z'],
        ['dates@x', 'SUMMARY:Dates', AT, 'RRULE:FREQ=WEEKLY;COUNT=2'],
        [
          'dates@x',
          'RECURRENCE-ID:20270712T200000Z',
          'SUMMARY:Closed date',
          'DTSTART:20270712T200000Z',
          'CLASS:PRIVATE',
        ],
      )
    const { out, code } = await importing('a.ics', source('CLASS:PRIVATE', 'CLASS:CONFIDENTIAL'))
    equal(code, 0, out)
    deepEqual(await seen('anonymous'), ['Dates: publish', 'Open: publish', 'Public: publish'])
    deepEqual(await seen('admin'), [
      'Closed date: private',
      'Dates: publish',
      'Odd: private',
      'Often moved: private',
      'Often: private',
      'Open: publish',
      'Plan: private',
      'Public: publish',
      'Secret: private',
    ])
    const before = await calendar.rows()
    await importing('a.ics', source('CLASS:PRIVATE', 'CLASS:CONFIDENTIAL'))
    equal(await calendar.rows(), before)
    await importing('a.ics', source('CLASS:PUBLIC', 'DESCRIPTION:No class'))
    deepEqual((await seen('anonymous')).slice(2), ['Plan: publish', 'Public: publish', 'Secret: publish'])
  })

  test('comes in from tables of Google and Outlook as private', async () => {
    const google = [
      'Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private',
      'Open,07/15/2027,7:00 PM,07/15/2027,8:00 PM,False,,Hall,False',
      'Closed,07/15/2027,7:00 PM,07/15/2027,8:00 PM,False,,Hall,True',
    ]
    const outlook = [
      'Betreff;Beginnt am;Beginnt um;Endet am;Endet um;Ganztägiges ' +
        'Ereignis;Beschreibung;Kategorien;Ort;Privat;Vertraulichkeit',
      'Offen;15.7.2027;19:00:00;15.7.2027;20:00:00;Falsch;;;Hall;Falsch;Normal',
      'Geschlossen;15.7.2027;19:00:00;15.7.2027;20:00:00;Falsch;;;Hall;Wahr;Privat',
      'Vertraulich;15.7.2027;19:00:00;15.7.2027;20:00:00;Falsch;;;Hall;Falsch;Vertraulich',
    ]
    for (const [name, lines] of Object.entries({ google, outlook })) {
      const { out, code } = await importing(`${name}.csv`, lines.join('\r\n'))
      equal(code, 0, out)
    }
    deepEqual(await seen('anonymous'), ['Offen: publish', 'Open: publish'])
    deepEqual(await seen('admin'), [
      'Closed: private',
      'Geschlossen: private',
      'Offen: publish',
      'Open: publish',
      'Vertraulich: private',
    ])
  })

  test('stays out with --no-private, and what has become private is public no longer', async () => {
    const source = (kind: string) =>
      icsOf(['a@x', 'SUMMARY:Was open', AT, `CLASS:${kind}`], ['b@x', 'SUMMARY:Closed', AT, 'CLASS:PRIVATE'])
    const { out, code } = await importing('a.ics', source('PUBLIC'), '--no-private')
    equal(code, 0, out)
    match(out, /Left out, since the source has it as private:\n {2}line \d+: event b@x \(Closed\)/)
    deepEqual(await seen('admin'), ['Was open: publish'])
    await importing('a.ics', source('PRIVATE'), '--no-private')
    deepEqual(await seen('admin'), ['Was open: private'])
  })

  for (const format of isWhole ? ['json', 'ndjson'] : ['ndjson'])
    test(`goes out and comes in by ${format} with drafts that it links to, and their status`, async (t) => {
      const venue = { venue: 'Draft hall', status: 'draft' }
      const { id } = await calendar.service.create('/venues', venue)
      const organizer = await calendar.service.create('/organizers', { organizer: 'Crew', status: 'private' })
      const links = { venue: id, organizer: [organizer.id] }
      await calendar.service.event({ title: 'Rough', ...TIMES, status: 'draft', ...links })
      const there = await startCalendar({ timezone: 'UTC' })
      t.after(there.close)
      const { out, code } = await there.kalends(
        'import',
        await there.file(`a.${format}`, await exported(format)),
      )
      equal(code, 0, out)
      for (const one of [calendar, there]) {
        const { events } = (await one.service.get(`${ALL}&status=draft`, 'admin')).body
        const [{ venue, organizer }] = events
        deepEqual([venue.venue, venue.status], ['Draft hall', 'draft'])
        deepEqual([organizer[0].organizer, organizer[0].status], ['Crew', 'private'])
      }
    })

  test('is marked in a calendar file, so that other programs know it too', async () => {
    await calendar.service.event({ title: 'Closed', ...TIMES, status: 'private' })
    await calendar.service.event({ title: 'Rough', ...TIMES, status: 'draft' })
    await calendar.service.event({ title: 'Later', ...TIMES, date_utc: '2099-01-01 08:00:00' })
    await calendar.service.event({ title: 'Open', ...TIMES })
    const parts = (await exported('ics')).split('BEGIN:VEVENT').slice(1)
    const marks = parts.map((part) => [
      /^SUMMARY:(.*)\r$/m.exec(part)?.[1],
      ...[...part.matchAll(/^(?:CLASS|STATUS|X-KALENDS-STATUS|X-KALENDS-DATE(?=:2099)):.*(?=\r$)/gm)]
        .map(([line]) => line)
        .sort(),
    ])
    deepEqual(marks.sort(), [
      ['Closed', 'CLASS:PRIVATE', 'STATUS:CONFIRMED', 'X-KALENDS-STATUS:private'],
      'Later CLASS:PRIVATE STATUS:CONFIRMED X-KALENDS-DATE:20990101T080000Z X-KALENDS-STATUS:future'.split(
        ' ',
      ),
      ['Open', 'STATUS:CONFIRMED'],
      ['Rough', 'CLASS:PRIVATE', 'STATUS:TENTATIVE', 'X-KALENDS-STATUS:draft'],
    ])
  })
})
