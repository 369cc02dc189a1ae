import { deepEqual, equal, match } from 'node:assert/strict'
import { after, before as beforeAll, describe, test } from 'node:test'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const WHEN = {
  ...onDay('2026-05-01', '20:00:00', '22:00:00'),
  timezone: 'Europe/Berlin',
  date_utc: '2026-01-02 03:04:05',
  status: 'publish',
}

const EVENTS: readonly Readonly<Record<string, unknown>>[] = [
  { ...WHEN, title: 'Plain' },
  {
    ...WHEN,
    title: 'Ünïcode “quoted” & ﬁne',
    description: '<p onclick="x()">Bold <b>text</b></p>',
    excerpt: 'a < b',
  },
  { ...WHEN, title: 'A whole day', all_day: true, start_date: '2026-10-25', end_date: '2026-10-26' },
  { ...WHEN, title: 'An hour that is skipped', ...onDay('2026-03-29', '02:30:00', '02:45:00') },
  { ...WHEN, title: 'An hour that comes twice', ...onDay('2026-10-25', '02:30:00', '02:40:00') },
  { ...WHEN, title: 'Ends before it begins', end_date: '2026-04-30 10:00:00' },
  { ...WHEN, title: 'Costs', cost: '8 – 12 EUR, free', website: 'https://example.org/a?b=1&c=2' },
  { ...WHEN, title: 'Flags', featured: true, sticky: true, show_map: false, hide_from_listings: true },
  { ...WHEN, title: 'Canceled', event_status: 'canceled', event_status_reason: 'Snow' },
  { ...WHEN, title: 'A draft', status: 'draft', slug: 'a-draft-of-mine' },
  { ...WHEN, title: 'For few', status: 'private' },
  { ...WHEN, title: 'Later', date_utc: '2099-01-02 03:04:05' },
  { ...WHEN, title: 'Elsewhere', timezone: 'Pacific/Apia' },
  {
    ...WHEN,
    title: 'Of no zone',
    timezone: 'UTC',
    start_date: '2026-07-01 00:00:00',
    end_date: '2026-07-02 00:00:00',
  },
]

const OWN = ['id', 'slug', 'uid', 'modified', 'modified_utc']

const LONG = Array.from({ length: 120 }, (_, at) => ({
  ...WHEN,
  id: at,
  title: 'Long',
  description: 'word '.repeat(4000),
}))

for (const [how, before] of [
  ['', []],
  [', from a long file that is read beside', LONG],
] as const)
  describe(`events that an import writes together${how}`, () => {
    let calendar: Calendar
    let file: string
    beforeAll(async () => {
      calendar = await startCalendar()
    })
    after(() => calendar.close())

    test('are what the interface makes of the same values', async () => {
      const { service } = calendar
      const venue = await service.create('/venues', { venue: 'Harbour Hall', city: 'Kilvara' }, 'author')
      const organizer = await service.create('/organizers', { organizer: 'Jazz Club' }, 'author')
      const category = await service.create('/categories', { name: 'Music', slug: 'music' })
      const tag = await service.create('/tags', { name: 'Late', slug: 'late' })
      const links = { venue: venue.id, organizer: [organizer.id], categories: [category.id], tags: [tag.id] }
      for (const values of EVENTS) await service.event({ ...values, ...links }, 'author')
      const shown = { venue, organizer: [organizer], categories: [category], tags: [tag], image: false }
      const records = [...before, ...EVENTS.map((values, at) => ({ id: 1000 + at, ...values, ...shown }))]
      // A long file is JSON, since the first lines of NDJSON are read before the thread has started.
      const [name, text] =
        before.length > 0
          ? ['same.json', JSON.stringify(records)]
          : ['same.ndjson', records.map((record) => `${JSON.stringify(record)}\n`).join('')]
      file = await calendar.file(name, text)
      const { out } = await calendar.kalends('import', '--user', 'author', file)
      match(out, new RegExp(`Run 1: ${records.length} made, 0 changed, 4 unchanged`))

      const made = await rowsOf(calendar)
      equal(made.length, 2 * EVENTS.length)
      const [byInterface, byImport] = [made.slice(0, EVENTS.length), made.slice(EVENTS.length)]
      deepEqual(byImport, byInterface)
      const terms = await service.app.database.read.selectFrom('terms').select('count').execute()
      const published = byImport.filter(({ event: { status } }) => status === 'publish').length
      for (const { count } of terms) equal(count, 2 * published)
    })

    test('are found by the words of their texts at once', async () => {
      const { body } = await calendar.service.get(
        '/events?start_date=2020-01-01&end_date=2030-01-01&search=bold',
      )
      equal(body.total, 2)
    })

    test('are not written again', async () => {
      const rows = await calendar.rows()
      const { out } = await calendar.kalends('import', '--user', 'author', file)
      match(out, new RegExp(`Run 2: 0 made, 0 changed, ${before.length + EVENTS.length + 4} unchanged`))
      equal(await calendar.rows(), rows)
    })
  })

test('what cannot be taken of a long file is named by its line, and the rest is in', async (t) => {
  const calendar = await startCalendar()
  t.after(() => calendar.close())
  const records = [
    ...LONG,
    { ...WHEN, id: 900, title: 'When?', start_date: 'soon' },
    { ...WHEN, id: 901, title: 'Fine' },
  ]
  const lines = records.map((record) => JSON.stringify(record)).join('\n')
  const long = `{ no JSON\n${lines}\n{ no JSON`
  const { out, err, code } = await calendar.imports('long.ndjson', long)
  equal(code, 1)
  match(out, /line 122: event 900 \(When\?\): .*start_date/)
  match(out, /line 1: It is not JSON\./)
  match(err, /The file breaks off: its last record, line 124, is not JSON\./)
  match(out, /Run 1: 121 made, .* 2 not in/)
})

async function rowsOf({ service }: Calendar) {
  const { read } = service.app.database
  const events = await read
    .selectFrom('events')
    .selectAll()
    .where('title', '!=', 'Long')
    .orderBy('id')
    .execute()
  const venues = await read.selectFrom('event_venues').selectAll().orderBy('position').execute()
  const organizers = await read.selectFrom('event_organizers').selectAll().orderBy('position').execute()
  const terms = await read.selectFrom('event_terms').selectAll().orderBy('term').execute()
  const changes = await read.selectFrom('changes').selectAll().where('kind', '=', 'event').execute()
  const history = await read.selectFrom('history').selectAll().where('kind', '=', 'event').execute()
  return events.map((row) => ({
    event: Object.fromEntries(Object.entries(row).filter(([column]) => !OWN.includes(column))),
    venues: venues.flatMap(({ event, venue, position }) => (event === row.id ? [[venue, position]] : [])),
    organizers: organizers.flatMap(({ event, organizer, position }) =>
      event === row.id ? [[organizer, position]] : [],
    ),
    terms: terms.flatMap(({ event, term }) => (event === row.id ? [term] : [])),
    changes: changes.flatMap(({ record, was_public, is_public, deleted, user }) =>
      record === row.id ? [[was_public, is_public, deleted, user]] : [],
    ),
    history: history.flatMap(({ record, action, login, name }) =>
      record === row.id ? [[action, login, name]] : [],
    ),
  }))
}
