import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { MAIN } from '../support/environment.ts'
import { pluck } from '../support/lists.ts'
import { startProcess } from '../support/processes.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const hall = {
  id: 7,
  venue: 'Harbour Hall &#038; Bar',
  slug: 'harbour-hall',
  address: '1 Quay',
  city: 'Kilvara',
  show_map: true,
  show_map_link: true,
  status: 'publish',
}
const club = { id: 8, organizer: 'Jazz Club', email: 'jazz@example.org', status: 'publish' }
const music = {
  id: 20,
  name: 'Music &amp; dance',
  slug: 'music',
  parent: 0,
  description: '',
  taxonomy: 'tribe_events_cat',
}
const jazz = { id: 21, name: 'Jazz', slug: 'jazz', parent: 20, description: '', taxonomy: 'tribe_events_cat' }
const late = { id: 30, name: 'late', slug: 'late', description: '', taxonomy: 'post_tag' }

const shown = (id: number, more: object = {}) => ({
  id,
  status: 'publish',
  date_utc: '2026-01-02 03:04:05',
  url: `https://other.example/event/e-${id}/`,
  title: `Evening ${id} &#038; more &lt;3`,
  slug: `evening-${id}`,
  description: `<p>The text of ${id}.</p>`,
  excerpt: '',
  image: false,
  all_day: false,
  ...onDay('2026-03-29', '19:00:00', '21:30:00'),
  timezone: 'Europe/Berlin',
  cost: '&#036;8.00',
  website: `https://other.example/event/e-${id}/`,
  show_map: true,
  show_map_link: true,
  hide_from_listings: false,
  sticky: false,
  featured: id % 2 === 0,
  categories: [music, jazz],
  tags: [late],
  venue: hall,
  organizer: [club],
  ...more,
})

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

describe('an import of records as the interface shows them', () => {
  let calendar: Calendar
  beforeEach(async () => {
    calendar = await startCalendar()
  })
  afterEach(() => calendar.close())

  test('brings everything along, with entities decoded once', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1), shown(2)]))
    await calendar.run(0, 'import', source)
    const { events, total } = (await calendar.service.get(ALL)).body
    equal(total, 2)
    const [first] = events
    for (const field of [
      'title',
      'slug',
      'description',
      'start_date',
      'end_date',
      'timezone',
      'date_utc',
      'featured',
    ] as const)
      deepEqual(first[field], shown(1)[field], field)
    const { database } = calendar.service.app
    const titles = pluck(await database.read.selectFrom('events').select('title').execute(), 'title')
    deepEqual(titles, ['Evening 1 & more &lt;3', 'Evening 2 & more &lt;3'])
    equal(first.cost, '$8.00')
    equal(first.website, first.url)
    equal(first.venue.venue, hall.venue)
    equal(first.venue.address, hall.address)
    equal(first.organizer[0].email, club.email)
    deepEqual(pluck(first.categories, 'name', 'slug'), [
      ['Jazz', 'jazz'],
      ['Music &amp; dance', 'music'],
    ])
    equal(first.categories[0].parent, first.categories[1].id)
    deepEqual(pluck(first.tags, 'slug'), ['late'])
    equal((await calendar.service.get('/venues')).body.total, 1)
    const { rows } = await historyOf(calendar)
    ok(rows.every(({ client, login }) => client === 'import' && login === 'admin'))
  })

  test('keeps the figure and the currency of what costs nothing, and every price of a range', async () => {
    await using other = await startCalendar()
    const ranges = ['0|3|6', '$5, $7.50, $10', ['3 €', '5 €', '4 €'], 'Adults 10, children 5, families 20']
    const costs = ['€0', '0', '0.00 EUR', 'Free', 'kostenlos', '€0 – €10', '', ...ranges]
    for (const [at, cost] of costs.entries())
      await other.service.event({
        title: `Cost ${at}`,
        start_date: '2026-03-01',
        end_date: '2026-03-01',
        cost,
      })
    const saved = (await other.service.get(ALL)).body
    await calendar.run(0, 'import', await calendar.file('page.json', JSON.stringify(saved)))
    const costOf = ({ title, cost, cost_details }: Record<string, unknown>) => [title, cost, cost_details]
    deepEqual((await calendar.service.get(ALL)).body.events.map(costOf), saved.events.map(costOf))
    deepEqual(saved.events.map(costOf)[0].slice(1), [
      'Free',
      { currency_symbol: '€', currency_code: '', currency_position: 'prefix', values: ['0'] },
    ])
  })

  test('reads whole days whose day ends after midnight, and leaves hours alone', async () => {
    const times = [
      ['2027-12-08 03:00:00', '2027-12-09 02:59:59', true],
      ['2027-12-08 03:00:00', '2027-12-11 02:59:59', true],
      ['2027-12-31 00:30:00', '2028-01-01 00:29:59', true],
      ['2027-12-08 03:00:00', '2027-12-09 03:00:00', true],
      ['2027-12-08 00:00:00', '2027-12-09 23:59:59', true],
      ['2027-12-08 03:00:00', '2027-12-09 02:59:59', false],
    ] as const
    const records = times.map(([start_date, end_date, all_day], at) =>
      shown(at + 1, { start_date, end_date, all_day, title: `Day ${at}` }),
    )
    await calendar.imports('days.json', JSON.stringify({ events: records }))
    const { events } = (await calendar.service.get(ALL)).body
    const read = new Map(
      events.map((event: { title: string; start_date: string; end_date: string }) => [
        event.title,
        `${event.start_date} ${event.end_date}`,
      ]),
    )
    deepEqual(
      times.map((_, at) => read.get(`Day ${at}`)),
      [
        '2027-12-08 00:00:00 2027-12-08 23:59:59',
        '2027-12-08 00:00:00 2027-12-10 23:59:59',
        '2027-12-31 00:00:00 2027-12-31 23:59:59',
        '2027-12-08 00:00:00 2027-12-09 23:59:59',
        '2027-12-08 00:00:00 2027-12-09 23:59:59',
        '2027-12-08 03:00:00 2027-12-09 02:59:59',
      ],
    )
  })

  test('writes nothing at all the second time', async () => {
    const source = await calendar.file(
      'town.ndjson',
      lines([shown(1), shown(2, { venue: [], organizer: [] })]),
    )
    await calendar.kalends('import', source)
    const before = await calendar.rows()
    match((await calendar.kalends('import', source)).out, /Run 2: 0 made, 0 changed, 7 unchanged/)
    equal(await calendar.rows(), before)
  })

  test('plans what it then does, and says which line failed without stopping others', async () => {
    const broken = [
      JSON.stringify(shown(1)),
      '{ no JSON',
      JSON.stringify(shown(2, { start_date: 'soon' })),
      '<html>',
      JSON.stringify(shown(3, { title: '' })),
      JSON.stringify(shown(4)),
    ]
    const source = await calendar.file('town.ndjson', `\ufeff${broken.join('\r\n')}`)
    const planned = await calendar.kalends('import', '--dry-run', source)
    const done = await calendar.kalends('import', source)
    equal(done.code, 2)
    match(done.out, /line 2: It is not JSON\./)
    match(done.out, /line 3: event 2 \(Evening 2 & more <3\): .*start_date/)
    match(done.out, /line 5: event 3: /)
    const figures = /7 made, 0 changed, 0 unchanged, 0 left as they are here, 0 moved to the trash, 4 not in/
    match(planned.out, figures)
    match(done.out, figures)
    equal((await calendar.service.get(ALL)).body.total, 2)
  })

  test('keeps identities of two sources apart', async () => {
    await calendar.imports('a.ndjson', lines([shown(1)]))
    await calendar.imports('b.ndjson', lines([shown(1, { title: 'Another' })]))
    const { events } = (await calendar.service.get(ALL)).body
    deepEqual(events.map(({ slug }: { slug: string }) => slug).sort(), ['evening-1', 'evening-1-2'])
  })

  /**
   * Makes a source with one event whose title has changed in this calendar and in the source since the
   * import.
   */
  const changedInBoth = async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1)]))
    await calendar.kalends('import', source)
    const [{ id }] = (await calendar.service.get(ALL)).body.events
    await calendar.service.update(`/events/${id}`, { title: 'Mine', excerpt: 'Only here' })
    await calendar.file(
      'town.ndjson',
      lines([shown(1, { title: 'Theirs', description: '<p>New text.</p>' })]),
    )
    return { source, id }
  }
  for (const [policy, title, description] of [
    ['keep', 'Mine', '<p>New text.</p>'],
    ['overwrite', 'Theirs', '<p>New text.</p>'],
    ['skip', 'Mine', '<p>The text of 1.</p>'],
  ] as const) {
    test(`with ${policy}, a field changed here and there is settled as asked, and reported`, async () => {
      const { source, id } = await changedInBoth()
      const { out } = await calendar.kalends('import', '--conflicts', policy, source)
      const event = (await calendar.service.get(`/events/${id}`)).body
      equal(event.title, title)
      equal(event.description.trim(), description)
      match(event.excerpt, /Only here/)
      equal(/changed here as well, which stays: title/.test(out), policy !== 'overwrite')
    })
  }

  test('takes values of the source with overwrite, also where an earlier run kept ours', async () => {
    const { source, id } = await changedInBoth()
    const kept = /changed here as well, which stays: title\n/
    match((await calendar.kalends('import', source)).out, kept)
    const before = await calendar.rows()
    match((await calendar.kalends('import', source)).out, kept)
    equal(await calendar.rows(), before)
    match((await calendar.kalends('import', '--conflicts', 'overwrite', source)).out, / 1 changed/)
    const event = (await calendar.service.get(`/events/${id}`)).body
    equal(event.title, 'Theirs')
    match(event.excerpt, /Only here/)
    doesNotMatch((await calendar.kalends('import', source)).out, kept)
  })

  test('lists what is gone from the source, and moves it to the trash with --mirror', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1), shown(2)]))
    await calendar.kalends('import', source)
    await calendar.file('town.ndjson', lines([shown(2)]))
    match((await calendar.kalends('import', source)).out, /event 1 \(Evening 1.*gone from the source\.\n/)
    equal((await calendar.service.get(ALL)).body.total, 2)
    await calendar.kalends('import', '--mirror', source)
    equal((await calendar.service.get(ALL)).body.total, 1)
    await calendar.file('town.ndjson', lines([shown(1), shown(2)]))
    await calendar.kalends('import', '--mirror', source)
    equal((await calendar.service.get(ALL)).body.total, 2)
  })

  test('what is gone from the source and was changed here stays, unless the import overwrites', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1), shown(2)]))
    await calendar.run(0, 'import', source)
    const [{ id }] = (await calendar.service.get(ALL)).body.events
    await calendar.service.update(`/events/${id}`, { title: 'Touched' })
    await calendar.file('town.ndjson', lines([shown(2)]))
    const { out } = await calendar.kalends('import', '--mirror', source)
    match(out, /event 1 \(Touched\) is gone from the source; it was changed here, and stays\./)
    equal((await calendar.service.get(ALL)).body.total, 2)
    await calendar.kalends('import', '--mirror', '--conflicts', 'overwrite', source)
    equal((await calendar.service.get(ALL)).body.total, 1)
  })

  test('what is gone here and changed in the source stays away, unless the import overwrites', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1)]))
    await calendar.run(0, 'import', source)
    const [imported] = (await calendar.service.get(ALL)).body.events
    await calendar.service.remove(`/tags/${imported.tags[0].id}`)
    await calendar.service.remove(`/events/${imported.id}`)
    const tags = [{ ...late, name: 'later' }]
    await calendar.file('town.ndjson', lines([shown(1, { title: 'New', tags })]))
    await calendar.kalends('import', source)
    equal((await calendar.service.get(ALL)).body.total, 0)
    equal((await calendar.service.get('/tags?hide_empty=false')).body.total, 0)
    await calendar.kalends('import', '--conflicts', 'overwrite', source)
    equal((await calendar.service.get(ALL)).body.events[0].title, 'New')
    equal((await calendar.service.get('/tags?hide_empty=false')).body.tags[0].name, 'later')
  })

  test('is undone: former values, the trash for what it made, a word on what changed since', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1), shown(2)]))
    await calendar.kalends('import', source)
    const before = (await calendar.service.get(ALL)).body
    await calendar.file(
      'town.ndjson',
      lines([shown(1, { title: 'New', venue: [] }), shown(2), shown(3), shown(4)]),
    )
    await calendar.kalends('import', source)
    const made = (await calendar.service.get(ALL)).body.events.find(
      ({ slug }: { slug: string }) => slug === 'evening-4',
    )
    await calendar.service.update(`/events/${made.id}`, { title: 'Touched' })
    const { out } = await calendar.kalends('imports', 'undo', '2')
    match(out, /event \d+ \(Touched\) was changed since, and stays\./)
    const { events } = (await calendar.service.get(ALL)).body
    deepEqual(events.map(essence), [...before.events.map(essence), essence({ ...made, title: 'Touched' })])
    match((await calendar.kalends('imports', 'undo', '2')).err, /Run 2 was undone already\./)
    match((await calendar.kalends('imports')).out, /^2 .* undone /m)
  })

  test('an earlier run is undone after the later ones of its source alone', async () => {
    const source = await calendar.file('town.ndjson', lines([shown(1)]))
    await calendar.kalends('import', source)
    await calendar.file('town.ndjson', lines([shown(1, { title: 'New' })]))
    await calendar.kalends('import', source)
    match(
      (await calendar.kalends('imports', 'undo', '1')).err,
      /Run 2 of the same source came after run 1; undo that one first\./,
    )
    await calendar.kalends('imports', 'undo', '2')
    await calendar.kalends('imports', 'undo', '1')
    for (const path of [ALL, '/venues', '/organizers', '/categories', '/tags'])
      equal(Object.values((await calendar.service.get(path)).body).find(Array.isArray)?.length ?? 0, 0, path)
  })

  test('says what is wrong with a source that is none', async () => {
    for (const [name, content] of [
      ['page.json', '<!doctype html><title>Not here</title>'],
      ['cut.json', JSON.stringify({ events: [shown(1)] }).slice(0, -20)],
      ['number.json', '5'],
      ['other.json', '{"posts": []}'],
      ['calendar.backup', 'SQLite format 3\0\x10\0\x01\x01\0@'],
      ['town.xlsx', 'PK\x03\x04\x14\0\x06\0'],
      ['saved-as.csv', 'PK\x03\x04\x14\0\x06\0'],
    ] as const) {
      const { code, err } = await calendar.imports(name, content)
      equal(code, 1, name)
      match(err, /^The file [ -~]*\.\n$/, name)
    }
    match(
      (await calendar.kalends('import', '/nowhere/x.json')).err,
      /^There is no file \/nowhere\/x\.json\.\n$/,
    )
    match((await calendar.kalends('import', '/tmp')).err, /^\S*tmp is a folder: name a file in it\.\n$/)
  })

  test('killed in the middle, it loses and doubles nothing when it is run again', async () => {
    const records = Array.from({ length: 600 }, (_, i) => shown(i + 1, { excerpt: 'word '.repeat(300) }))
    const source = await calendar.file('many.ndjson', lines(records))
    const { config } = calendar.service
    const flags = ['--database', config.database, '--data', config.data, '--timezone', config.timezone]
    const { child, ended } = startProcess(MAIN, [...flags, 'import', '--user', 'admin', source])
    while ((await calendar.service.get(ALL)).body.total === 0) await new Promise((go) => setTimeout(go, 20))
    child.kill('SIGKILL')
    await ended
    match((await calendar.kalends('import', '--user', 'admin', source)).out, /0 not in/)
    const { total } = (await calendar.service.get(ALL)).body
    equal(total, 600)
    equal(
      (
        await calendar.service.get(
          '/events?start_date=2000-01-01&end_date=2100-01-01&search=evening&per_page=1',
        )
      ).body.total,
      600,
    )
  })
})

function essence({
  modified: _modified,
  modified_utc: _utc,
  json_ld: _linked,
  categories,
  tags,
  venue,
  organizer,
  ...event
}: Record<string, unknown>) {
  return event
}

async function historyOf({ service }: Calendar) {
  const rows = await service.app.database.read
    .selectFrom('history')
    .selectAll()
    .where('kind', '!=', 'user')
    .execute()
  return { rows }
}
