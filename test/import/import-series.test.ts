import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { inRest, isWhole } from '../support/rounds.ts'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'
import { ics, vevent } from './calendar-file.ts'
import { allEvents, comparable } from './compared-events.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Shown = any

const ALL = '/events?start_date=1990-01-01&end_date=2100-01-01'

const YEAR = 2027

const calendarOf = (t: TestContext) =>
  startCalendar({ timezone: 'Europe/Berlin' }).then((calendar) => {
    t.after(calendar.close)
    return calendar
  })

const weekly = (rule: string, ...more: readonly string[]) =>
  vevent(
    'w@x',
    'SUMMARY:Weekly',
    `DTSTART;TZID=Europe/Berlin:${YEAR}0105T200000`,
    `DTEND;TZID=Europe/Berlin:${YEAR}0105T220000`,
    `RRULE:${rule}`,
    ...more,
  )

const moved = vevent(
  'w@x',
  `RECURRENCE-ID:${YEAR}0112T190000Z`,
  'SUMMARY:Moved',
  `DTSTART;TZID=Europe/Berlin:${YEAR}0113T210000`,
  `DTEND;TZID=Europe/Berlin:${YEAR}0113T230000`,
)

const titlesOf = async (calendar: Calendar) =>
  (await allEvents(calendar)).map(({ title, start_date }) => `${title} ${start_date.slice(5, 16)}`)

describe('an import of events that repeat', () => {
  test('takes a rule as a series, exceptions in any order, and writes nothing twice', async (t) => {
    const calendar = await calendarOf(t)
    const source = await calendar.file(
      's.ics',
      ics(
        moved,
        weekly(
          'FREQ=WEEKLY;COUNT=4',
          `EXDATE;VALUE=DATE:${YEAR}0119`,
          `RDATE;TZID=Europe/Berlin:${YEAR}0121T200000`,
        ),
      ),
    )
    const dry = await calendar.kalends('import', '--dry-run', source)
    const { out, code } = await calendar.kalends('import', source)
    equal(code, 0, out)
    equal(/Run \d+: (.*)\./.exec(out)?.[1], /would have: (.*?)\. /.exec(dry.out)?.[1], dry.out)
    deepEqual(await titlesOf(calendar), [
      'Weekly 01-05 20:00',
      'Moved 01-13 21:00',
      'Weekly 01-21 20:00',
      'Weekly 01-26 20:00',
    ])
    const [first, second] = await allEvents(calendar)
    equal(first.recurrence.rrule, 'FREQ=WEEKLY;COUNT=4')
    equal(second.post_parent, first.post_parent)
    deepEqual(second.recurrence.overrides, ['end_date', 'start_date', 'title'])
    const before = await calendar.rows()
    await calendar.run(0, 'import', source)
    equal(await calendar.rows(), before)
    const feed = await (await fetch(`${calendar.service.base}${ALL}&format=ics`)).text()
    equal(feed.match(/^UID:w@x\r$/gm)?.length, 2, feed)
  })

  test('takes a series in UTC, and its feed to another calendar, at the same instants', async (t) => {
    const [here, there] = [await calendarOf(t), await calendarOf(t)]
    const at = [`DTSTART:${YEAR}0301T180000Z`, `DTEND:${YEAR}0301T190000Z`, 'RRULE:FREQ=WEEKLY;COUNT=6']
    const left = `EXDATE:${YEAR}0308T180000Z`
    const later = [`RECURRENCE-ID:${YEAR}0315T180000Z`, 'SUMMARY:Call', `DTSTART:${YEAR}0316T183000Z`]
    const source = ics(vevent('u@x', 'SUMMARY:Call', ...at, left), vevent('u@x', ...later))
    await here.run(0, 'import', await here.file('utc.ics', source))
    const feed = await (await fetch(`${here.service.base}${ALL}&format=ics`)).text()
    deepEqual(feed.match(/^[A-Z-]+;TZID=Etc\/GMT:.*[^\r]/gm), [
      `DTSTART;TZID=Etc/GMT:${YEAR}0301T180000`,
      `DTEND;TZID=Etc/GMT:${YEAR}0301T190000`,
      `EXDATE;TZID=Etc/GMT:${YEAR}0308T180000`,
      `RECURRENCE-ID;TZID=Etc/GMT:${YEAR}0315T180000`,
    ])
    await there.run(0, 'import', await there.file('feed.ics', feed))
    const times = async (of: Calendar) =>
      (await allEvents(of)).map((event) => [event.utc_start_date, event.utc_end_date, event.timezone])
    equal((await times(here)).length, 5)
    deepEqual(await times(there), await times(here))
    const before = await there.rows()
    await there.imports('feed.ics', feed)
    equal(await there.rows(), before)
  })

  test('keeps series of one name from two sources apart', async (t) => {
    const calendar = await calendarOf(t)
    const [one, two] = [ics(weekly('FREQ=WEEKLY;COUNT=2')), ics(weekly('FREQ=WEEKLY;COUNT=3'))]
    await calendar.imports('one.ics', one)
    await calendar.imports('two.ics', two.replace('UID:', 'UID:other-'))
    const found = await allEvents(calendar)
    equal(found.length, 5)
    equal(new Set(found.map((event: Shown) => event.post_parent)).size, 2)
    const none = ics(vevent('other@x', 'SUMMARY:Other', `DTSTART:${YEAR}0301T120000Z`))
    await calendar.imports('two.ics', none, '--mirror')
    const left = await allEvents(calendar)
    deepEqual(
      pluck(
        left.filter((event: Shown) => event.post_parent),
        'id',
      ),
      pluck(
        found.filter((event: Shown) => event.post_parent === found[0].post_parent),
        'id',
      ),
    )
  })

  test('leaves a series of whole days on its days where its texts have changed in the source', async (t) => {
    const calendar = await calendarOf(t)
    const days = [
      `DTSTART;VALUE=DATE:${YEAR}0310`,
      `DTEND;VALUE=DATE:${YEAR}0312`,
      'RRULE:FREQ=WEEKLY;COUNT=4',
    ]
    const shown = async () =>
      (await allEvents(calendar)).map(
        ({ title, all_day, end_date }: Shown) => `${title} ${all_day} ${end_date}`,
      )
    for (const title of ['Camp', 'Summer camp']) {
      const source = ics(vevent('d@x', `SUMMARY:${title}`, ...days, `DESCRIPTION:About the ${title}`))
      await calendar.run(0, 'import', await calendar.file('d.ics', source))
      deepEqual(
        await shown(),
        ['03-11', '03-18', '03-25', '04-01'].map((day) => `${title} true ${YEAR}-${day} 23:59:59`),
      )
    }
  })

  test('names a series whose dates take up too much, and brings the others', async (t) => {
    const calendar = await calendarOf(t)
    const at = [`DTSTART;TZID=Europe/Berlin:${YEAR}0105T200000`, 'RRULE:FREQ=DAILY;COUNT=300']
    const long = vevent('l@x', 'SUMMARY:Long', ...at, `DESCRIPTION:${'Probe im Saal '.repeat(10_000)}`)
    const { out } = await calendar.imports('l.ics', ics(long, weekly('FREQ=WEEKLY;COUNT=2')))
    match(out, /Long.*20000000 bytes/s)
    equal((await allEvents(calendar)).length, 2)
  })

  test('changes dates with the rule of the source, and dates that stay keep their ids', async (t) => {
    const calendar = await calendarOf(t)
    const source = await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=4')))
    await calendar.kalends('import', source)
    const before = await allEvents(calendar)
    // The series now begins two weeks later, repeats every second week and has another title.
    const later = ics(weekly('FREQ=WEEKLY;INTERVAL=2;COUNT=4'))
      .replaceAll(`${YEAR}0105T`, `${YEAR}0119T`)
      .replace('Weekly', 'Other')
    await calendar.file('s.ics', later)
    match((await calendar.kalends('import', source)).out, /1 changed/)
    const after = await allEvents(calendar)
    deepEqual(
      await titlesOf(calendar),
      ['01-19', '02-02', '02-16', '03-02'].map((day) => `Other ${day} 20:00`),
    )
    equal(after[0].id, before[2].id)
    await calendar.kalends('imports', 'undo', '2')
    deepEqual(pluck(await allEvents(calendar), 'id', 'title'), pluck(before, 'id', 'title'))
  })

  test('takes back what the source tells no more, and dates that it leaves out no more', async (t) => {
    const calendar = await calendarOf(t)
    const source = await calendar.file(
      's.ics',
      ics(weekly('FREQ=WEEKLY;COUNT=3', `EXDATE;VALUE=DATE:${YEAR}0119`), moved),
    )
    await calendar.kalends('import', source)
    const [, { id }] = await allEvents(calendar)
    await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=3')))
    await calendar.run(0, 'import', source)
    deepEqual(
      await titlesOf(calendar),
      ['01-05', '01-12', '01-19'].map((day) => `Weekly ${day} 20:00`),
    )
    const [, second] = await allEvents(calendar)
    deepEqual([second.id, second.recurrence.overrides], [id, []])
    const before = await calendar.rows()
    await calendar.kalends('import', source)
    equal(await calendar.rows(), before)
  })

  for (const policy of ['keep', 'overwrite', 'skip'])
    test(`with ${policy}, settles an occurrence that changed here and in the source`, async (t) => {
      const calendar = await calendarOf(t)
      const source = await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=3')))
      await calendar.kalends('import', source)
      const [, second, third] = await allEvents(calendar)
      await calendar.service.update(`/events/${second.id}`, { title: 'Ours' })
      await calendar.service.update(`/events/${third.id}`, { title: 'Third' })
      await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=3'), moved))
      const { out } = await calendar.kalends('import', '--conflicts', policy, source)
      const expected = { keep: 'Ours 01-13 21:00', overwrite: 'Moved 01-13 21:00', skip: 'Ours 01-12 20:00' }[
        policy
      ]
      deepEqual(await titlesOf(calendar), ['Weekly 01-05 20:00', expected, 'Third 01-19 20:00'], out)
      equal(/which stays: title/.test(out), policy !== 'overwrite', out)
    })

  test('is undone, but for a series that was touched since', async (t) => {
    const calendar = await calendarOf(t)
    const source = await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=3'), moved))
    await calendar.kalends('import', source)
    match((await calendar.kalends('imports', 'undo', '1')).out, /1 put back, 1 removed, 0 left/)
    deepEqual(await titlesOf(calendar), [])
    match((await calendar.kalends('import', source)).out, /2 made/)
    const [, , third] = await allEvents(calendar)
    await calendar.service.update(`/events/${third.id}`, { title: 'Ours' })
    match(
      (await calendar.kalends('imports', 'undo', '2')).out,
      /series \d+ \(Weekly\) was changed since, and stays/,
    )
    equal((await allEvents(calendar)).length, 3)
  })

  test('trashes a lost series with --mirror, and one that repeats no more is a single event', async (t) => {
    const calendar = await calendarOf(t)
    const source = await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=3'), moved))
    await calendar.kalends('import', source)
    const single = ics(weekly('FREQ=WEEKLY;COUNT=3').filter((line) => !line.startsWith('RRULE')))
    await calendar.file('s.ics', single)
    match((await calendar.kalends('import', source)).out, /repeats differently now; it goes to the trash/)
    deepEqual(await titlesOf(calendar), ['Weekly 01-05 20:00'])
    await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=2')))
    await calendar.kalends('import', source)
    deepEqual(await titlesOf(calendar), ['Weekly 01-05 20:00', 'Weekly 01-12 20:00'])
    await calendar.file('s.ics', ics(vevent('other@x', 'SUMMARY:Other', `DTSTART:${YEAR}0301T120000Z`)))
    await calendar.kalends('import', '--mirror', source)
    deepEqual(await titlesOf(calendar), ['Other 03-01 13:00'])
  })

  describe('that did not repeat before', () => {
    const once = (title: string, hour = '20') =>
      ics(weekly('x').filter((line) => !line.startsWith('RRULE')))
        .replace('Weekly', title)
        .replace('T200000', `T${hour}0000`)
    const known = async (calendar: Calendar) =>
      (await allEvents(calendar)).map(({ id, title, slug, start_date }) => [
        id,
        title,
        slug,
        start_date.slice(5, 16),
      ])

    test('keeps its id, address and UID as the first date, says so before, and is undone', async (t) => {
      const calendar = await calendarOf(t)
      const source = await calendar.file('s.ics', once('Once'))
      await calendar.kalends('import', source)
      const [[id, , slug] = []] = await known(calendar)
      await calendar.file('s.ics', ics(moved, weekly('FREQ=WEEKLY;COUNT=3')))
      const dry = await calendar.kalends('import', '--dry-run', source)
      const { out, code } = await calendar.kalends('import', source)
      equal(code, 0, out)
      match(
        out,
        /Run 2: 1 made, 1 changed, 0 unchanged, 0 left as they are here, 0 moved to the trash, 0 not in\./,
      )
      match(
        dry.out,
        /1 made, 1 changed, 0 unchanged, 0 left as they are here, 0 moved to the trash, 0 not in\./,
      )
      deepEqual(await titlesOf(calendar), ['Weekly 01-05 20:00', 'Moved 01-13 21:00', 'Weekly 01-19 20:00'])
      deepEqual((await known(calendar))[0]?.slice(0, 3), [id, 'Weekly', slug])
      const feed = await (await fetch(`${calendar.service.base}${ALL}&format=ics`)).text()
      equal(feed.match(/^UID:w@x\r$/gm)?.length, 2, feed)
      const before = await calendar.rows()
      await calendar.run(0, 'import', source)
      equal(await calendar.rows(), before)
      const undone = await calendar.kalends('imports', 'undo', '2')
      equal(undone.code, 0, undone.err)
      deepEqual(await known(calendar), [[id, 'Once', slug, '01-05 20:00']])
      match((await calendar.kalends('import', source)).out, /1 made, 1 changed/)
      equal((await allEvents(calendar)).length, 3)
    })

    for (const policy of ['keep', 'overwrite', 'skip'])
      test(`with ${policy}, settles what was changed here before`, async (t) => {
        const calendar = await calendarOf(t)
        const source = await calendar.file('s.ics', once('Once', '18'))
        await calendar.kalends('import', source)
        const [[id] = []] = await known(calendar)
        await calendar.service.update(`/events/${id}`, { title: 'Ours' })
        await calendar.file('s.ics', ics(weekly('FREQ=WEEKLY;COUNT=2')))
        const { out } = await calendar.kalends('import', '--conflicts', policy, source)
        equal(/which stays: title/.test(out), policy !== 'overwrite', out)
        const title = policy === 'overwrite' ? 'Weekly' : 'Ours'
        const expected =
          policy === 'skip' ? ['Ours 01-05 18:00'] : [`${title} 01-05 20:00`, `${title} 01-12 20:00`]
        deepEqual(await titlesOf(calendar), expected, out)
        equal((await known(calendar))[0]?.[0], id)
      })

    test('stays a single event while its rule cannot be followed', async (t) => {
      const calendar = await calendarOf(t)
      const source = await calendar.file('s.ics', once('Once'))
      await calendar.kalends('import', source)
      const before = await known(calendar)
      await calendar.file('s.ics', ics(weekly('FREQ=DAILY;BYEASTER=1')).replace('Weekly', 'Once'))
      await calendar.run(2, 'import', '--mirror', source)
      deepEqual(await known(calendar), before)
    })
  })

  for (const [year, begins] of [
    ['1604', '1604'],
    ['1582', '1582'],
    ['1101', undefined],
  ] as const)
    test(`has the dates to come of a birthday that is kept since ${year}`, async (t) => {
      const calendar = await calendarOf(t)
      const lines = ['SUMMARY:Birthday', `DTSTART;VALUE=DATE:${year}0305`, 'RRULE:FREQ=YEARLY']
      const { out } = await calendar.imports('b.ics', ics(vevent('b@x', ...lines)))
      match(out, /1 coming, 0 past/)
      const { body } = await calendar.service.get(`/events?start_date=${YEAR}-01-01&end_date=${YEAR}-12-31`)
      deepEqual(pluck(body.events, 'start_date'), [`${YEAR}-03-05 00:00:00`])
      const first = (await calendar.service.get('/events?start_date=1000-01-01&per_page=1')).body.events[0]
      if (begins !== undefined) equal(first.start_date, `${begins}-03-05 00:00:00`)
      else match(out, /has too many dates in the past; it begins with/)
    })

  test('begins a series later that has too many dates in the past, and says so', inRest, async (t) => {
    const calendar = await calendarOf(t)
    const old = (...more: readonly string[]) =>
      ics(
        vevent(
          'd@x',
          'SUMMARY:Daily',
          'DTSTART;TZID=Europe/Berlin:20100105T200000',
          'RRULE:FREQ=DAILY',
          ...more,
        ),
      )
    const source = await calendar.file('s.ics', old())
    const says = /series d@x \(Daily\) has too many dates in the past; it begins with (.*)\.\n/
    match((await calendar.kalends('import', '--dry-run', source)).out, says)
    const { out, code } = await calendar.kalends('import', source)
    equal(code, 2)
    const [, begins] = says.exec(out) ?? []
    ok(begins, out)
    const found = await allEvents(calendar)
    ok(found.length > 900, `${found.length} events`)
    const before = await calendar.rows()
    for (const words of [[], ['--dry-run']]) {
      const again = await calendar.kalends('import', ...words, source)
      deepEqual([again.code, says.exec(again.out)?.[1]], [2, begins])
    }
    equal(await calendar.rows(), before)
    await calendar.file('s.ics', old(`EXDATE;VALUE=DATE:${YEAR}0105`))
    equal(says.exec((await calendar.kalends('import', source)).out)?.[1], begins)
    const after = await allEvents(calendar)
    deepEqual([after.length, after[0].id, after[9].id], [found.length - 1, found[0].id, found[9].id])
  })

  test('reports rules that nobody can follow, each for itself', async (t) => {
    const calendar = await calendarOf(t)
    const bombs = [
      'FREQ=SECONDLY',
      'FREQ=DAILY;COUNT=999999999',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=WEEKLY;INTERVAL=99999999999999999999',
      `FREQ=DAILY;BYMONTHDAY=${Array.from({ length: 5000 }, () => 1).join(',')}`,
      'FREQ=DAILY;BYSETPOS=366;BYDAY=MO',
      'x'.repeat(100_000),
    ]
    const digits = (number: number) => String(Math.floor(number)).padStart(2, '0')
    const minuteAt = (i: number) => `${YEAR + 1}0105T${digits(i / 60)}${digits(i % 60)}00Z`
    const minutes = Array.from({ length: 900 }, (_, i) => minuteAt(i))
    const source = await calendar.file(
      's.ics',
      ics(
        ...bombs.map((rule, i) =>
          vevent(`b${i}@x`, `SUMMARY:Bomb ${i}`, `DTSTART:${YEAR}0105T190000Z`, `RRULE:${rule}`),
        ),
        vevent(
          'many@x',
          'SUMMARY:Many',
          `DTSTART:${YEAR}0105T190000Z`,
          'RRULE:FREQ=WEEKLY;COUNT=2',
          `RDATE:${minutes.join(',')}`,
        ),
        weekly('FREQ=WEEKLY;COUNT=2'),
      ),
    )
    const out = await calendar.run(2, 'import', source)
    for (const i of bombs.keys()) match(out, new RegExp(`Bomb ${i} repeats (?:cannot be read|in a way)`), out)
    match(out, /Bomb 0 repeats .* it is in on 750 dates/)
    match(out, /Many repeats .* it is in on 750 dates/)
    deepEqual(
      (await titlesOf(calendar)).filter((title) => title.startsWith('Weekly')),
      ['Weekly 01-05 20:00', 'Weekly 01-12 20:00'],
    )
  })
})

describe('an import of the series of another calendar', () => {
  async function fill({ service }: Calendar): Promise<void> {
    const at = (day: string, hours: string) => `${YEAR}-${day} ${hours}:00:00`
    const market = await service.event({
      title: 'Market & more',
      start_date: at('01-05', '20'),
      end_date: at('01-05', '22'),
      recurrence: `RRULE:FREQ=WEEKLY;COUNT=70`,
      venue: { venue: 'Hall', city: 'Kilvara' },
      categories: ['Music'],
    })
    const listed = await service.get(
      `/events?post_parent=${market.post_parent}&start_date=1990-01-01&per_page=50`,
    )
    const [first, second, third, fourth, fifth] = listed.body.events
    await service.remove(`/events/${first.id}`, 'admin')
    await service.update(`/events/${second.id}`, { title: 'A special one', start_date: at('01-13', '19') })
    await service.remove(`/events/${third.id}`, 'admin')
    await service.update(`/events/${fourth.id}`, { slug: 'fourth-of-them', venue: { venue: 'Elsewhere' } })
    await service.update(`/events/${fifth.id}`, { status: 'private' })
    await service.event({
      title: 'Days',
      all_day: true,
      start_date: `${YEAR}-02-01`,
      end_date: `${YEAR}-02-02`,
      recurrence: { frequency: 'monthly', month_days: [1], until: `${YEAR}-06-01`, added: [`${YEAR}-03-05`] },
    })
    await service.event({ title: 'Once', start_date: at('01-06', '10'), end_date: at('01-06', '11') })
  }

  test('as iCalendar has the same occurrences, with those that are changed or canceled', async (t) => {
    const [other, calendar] = [await calendarOf(t), await calendarOf(t)]
    await fill(other)
    const canceled = (await allEvents(other)).filter(({ title }) => title.startsWith('Market')).at(-1)
    await other.service.update(`/events/${canceled.id}`, {
      event_status: 'canceled',
      event_status_reason: 'Rain',
    })
    const text = await (
      await fetch(`${other.service.base}${ALL.replace('&per_page=50', '')}&format=ics`)
    ).text()
    await calendar.run(0, 'import', await calendar.file('other.ics', text))
    const facts = ({ title, utc_start_date, utc_end_date, all_day, event_status, recurrence }: Shown) => [
      ...[title, utc_start_date, utc_end_date, all_day, event_status],
      recurrence?.id,
    ]
    deepEqual((await allEvents(calendar)).map(facts), (await allEvents(other)).map(facts))
  })

  for (const kind of isWhole ? ['ndjson', 'json', 'site'] : ['site'])
    test(`as ${kind} has each list as it was there, and writes nothing again`, async (t) => {
      const [other, calendar] = [await calendarOf(t), await calendarOf(t)]
      await fill(other)
      const save = async () => {
        if (kind === 'site') return other.service.origin
        const text =
          kind === 'ndjson'
            ? await (await fetch(`${other.service.base}${ALL}&format=ndjson`)).text()
            : JSON.stringify({ events: await allEvents(other) })
        return calendar.file(`other.${kind}`, text)
      }
      const { out, code } = await calendar.kalends('import', await save())
      equal(code, 0, out)
      const withoutRules = (events: Shown[]) =>
        events.map(({ recurrence, ...event }) => ({
          ...event,
          own: recurrence?.overrides,
          at: recurrence?.id,
        }))
      deepEqual(withoutRules(await comparable(calendar)), withoutRules(await comparable(other)))
      const first = (await allEvents(calendar)).find(({ title }) => title === 'A special one')
      match(first.recurrence.rrule, /^FREQ=WEEKLY;UNTIL=/)
      const before = await calendar.rows()
      await calendar.run(0, 'import', await save())
      equal(await calendar.rows(), before)
      // The source changes a text of the whole series, and values of one more occurrence.
      const [mine, special] = (await allEvents(other)).filter(({ title }) => /Market|special/.test(title))
      await other.service.update(`/events/${special.id}`, { recurrence_scope: 'all', excerpt: 'New' })
      await other.service.update(`/events/${mine.id}`, { title: 'Market & more', featured: true })
      await calendar.run(0, 'import', await save())
      deepEqual(withoutRules(await comparable(calendar)), withoutRules(await comparable(other)))
    })

  for (const kind of isWhole ? ['json', 'site'] : ['json'])
    test(`as ${kind} follows an event that begins to repeat there, which keeps its id here`, async (t) => {
      const [other, calendar] = [await calendarOf(t), await calendarOf(t)]
      const times = onDay(`${YEAR}-01-05`, '20:00:00', '22:00:00')
      const { id } = await other.service.event({ title: 'Once', ...times })
      const save = async () =>
        kind === 'site'
          ? other.service.origin
          : calendar.file('other.json', JSON.stringify({ events: await allEvents(other) }))
      await calendar.kalends('import', await save())
      const [before] = await allEvents(calendar)
      await other.service.update(`/events/${id}`, { recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3', title: 'Often' })
      doesNotMatch(await calendar.run(0, 'import', '--mirror', await save()), /gone from the source|trash$/)
      const after = await allEvents(calendar)
      deepEqual([after.length, after[0].id, after[0].slug], [3, before.id, before.slug])
      deepEqual(await comparable(calendar), await comparable(other))
    })
})
