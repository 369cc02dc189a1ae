import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { renewEdition } from '../../src/store/storage/edition.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { comparable } from '../support/comparable.ts'
import { onSqlite, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'
import { addSeries, fillCalendar } from '../support/sample-calendar.ts'
import { day, onDay, PASSWORD, type Reader, startService, type TestService } from '../support/service.ts'
import { pushTo } from './push-command.ts'
import {
  type Gate,
  openGate,
  resetUnsent,
  withoutMembers,
  withoutOwnRoutes,
  writesOf,
} from './target-gate.ts'

const ALL = 'start_date=1000-01-01&end_date=9999-12-31&per_page=50'
const ANY = 'status=publish,draft,private,future,pending'

interface Named {
  id: number
  slug: string
  title?: string
}

async function listsOf(service: TestService): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {}
  for (const [path, query] of [
    ['events', `${ALL}&${ANY}`],
    ['venues', `per_page=50&${ANY}`],
    ['organizers', `per_page=50&${ANY}`],
    ['categories', 'per_page=50&hide_empty=false'],
    ['tags', 'per_page=50&hide_empty=false'],
  ] as const) {
    const { body } = await service.get(`/${path}?${query}`, 'admin')
    const records: Named[] = body[path] ?? []
    const shown = records.map((record) => comparable(record, service.origin))
    lists[path] = shown.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
  }
  return lists
}

async function titlesOf(service: TestService): Promise<string[]> {
  const { body } = await service.get(`/events?${ALL}&${ANY}`, 'admin')
  return body.events.map(({ title }: Named) => title ?? '').sort()
}

async function eventNamed(service: TestService, title: string): Promise<Named> {
  const { body } = await service.get(`/events?${ALL}&${ANY}`, 'admin')
  const found = body.events.find((event: Named) => event.title === title)
  ok(found, title)
  return found
}

let source: TestService
let target: TestService
let gate: Gate

let scratch: ScratchDatabase

async function start(): Promise<void> {
  source = await startService()
  scratch = await scratchDatabase()
  await becomeAnother(scratch.address)
  target = await startService({ database: scratch.address })
  gate = await openGate(target)
}

async function becomeAnother(address: string): Promise<void> {
  const database = await openDatabase(address)
  await migrate(database)
  await database.write(renewEdition)
  await database.close()
}

async function stop(): Promise<void> {
  gate.close()
  await source.close()
  await target.close()
  await scratch.remove()
}

async function push(...words: string[]): Promise<{ out: string; err: string; code: number }> {
  gate.counted = {}
  return pushTo(source, gate.address, ...words)
}

async function succeed(...words: string[]): Promise<string> {
  const { out, err, code } = await push(...words)
  equal(code, 0, out + err)
  return out
}

describe('a calendar that is pushed into another one', () => {
  before(async () => {
    await start()
    await fillCalendar(source)
    const music = await source.create('/categories', { name: 'Music', slug: 'music' })
    await source.create('/categories', {
      name: 'Jazz & more',
      slug: 'jazz',
      parent: music.id,
      description: 'Late',
    })
    await source.create('/events', {
      title: 'Evening & morning',
      ...onDay('2027-03-28', '01:30', '04:00'),
      timezone: 'Europe/Berlin',
      cost: ['5', '15'],
      categories: ['jazz'],
      tags: ['late'],
      website: 'https://example.org/jazz',
      description: '<p>First.</p><p>Second & third</p>',
      excerpt: 'Short',
      featured: true,
      event_status: 'postponed',
      event_status_reason: 'Rain',
    })
  })
  after(stop)

  test('says first what would happen, and writes nothing anywhere then', async () => {
    const out = await succeed('--all', '--dry-run')
    match(out, /^A push would have: \d\d made, 0 changed, .* Nothing was written\.$/m)
    equal(writesOf(gate), 0)
    const { read } = source.app.database
    deepEqual(await read.selectFrom('push_targets').selectAll().execute(), [])
  })

  test('is there with what is public, or all when asked; series stay series, images come', async () => {
    await succeed()
    const titles = await titlesOf(target)
    ok(
      titles.some((title) => title.startsWith('Evening')) &&
        !titles.includes('A draft') &&
        !titles.includes('Private'),
    )
    await succeed('--all')
    deepEqual(await listsOf(target), await listsOf(source))
    ok(gate.most <= 4, `${gate.most} requests at once`)
    equal((await target.request('admin', 'GET', '~/wp-json/kalends/v1/series')).body.total, 1)
  })

  test('is not written again as long as nothing has changed here', async () => {
    const there = await listsOf(target)
    match(await succeed('--all'), /^Pushed: 0 made, 0 changed, \d\d unchanged, 0 left/m)
    equal(writesOf(gate), 0)
    deepEqual(await listsOf(target), there)
  })

  test('brings along what has changed here since, field by field', async () => {
    const { id } = await eventNamed(source, 'Evening &#038; morning')
    await source.update(`/events/${id}`, {
      title: 'Evening',
      cost: '',
      categories: '',
      venue: { venue: 'New hall' },
    })
    const { body } = await source.request('admin', 'GET', '~/wp-json/kalends/v1/series')
    const series = body.series[0].id
    const changed = { ...onDay('2026-12-01', '17:30', '19:30'), description: 'Bring a lantern' }
    await source.request('admin', 'PUT', `~/wp-json/kalends/v1/series/${series}`, changed)
    const { body: dates } = await source.get(`/events?${ALL}&post_parent=${series}`)
    await source.update(`/events/${dates.events[0].id}`, { title: 'The first one', image: '' })
    await source.remove(`/events/${dates.events[4].id}`)
    match(await succeed('--all'), /^Pushed: 1 made, 3 changed/m)
    deepEqual(await listsOf(target), await listsOf(source))
    match(await succeed('--all'), /^Pushed: 0 made, 0 changed/m)
  })

  test('has dates again that are left out here no more, down to the last', async () => {
    const { body } = await source.get(`/events?${ALL}&status=trash&per_page=50`, 'admin')
    const left = body.events.filter(({ title }: Named) => title === 'Lantern class')
    equal(left.length, 2)
    for (const { id } of left) {
      await source.update(`/events/${id}`, { status: 'publish' })
      await succeed('--all')
      deepEqual(await listsOf(target), await listsOf(source))
    }
    match(await succeed('--all'), /^Pushed: 0 made, 0 changed/m)
  })
})

describe('what was changed there since', () => {
  before(start)
  after(stop)
  let number = 0
  let title: string
  let here: Named
  let there: Named
  beforeEach(async () => {
    title = `Event ${++number}`
    here = await source.create('/events', {
      ...day,
      title,
      website: 'https://example.org/1',
      excerpt: 'Before',
    })
    await succeed()
    there = await eventNamed(target, title)
  })

  const show = async (service: TestService, { id }: Named) => (await service.get(`/events/${id}`)).body

  test('stays and is reported, while other fields come along', async () => {
    await target.update(`/events/${there.id}`, { website: 'https://example.org/there', sticky: true })
    await source.update(`/events/${here.id}`, { website: 'https://example.org/2', featured: true })
    const out = await succeed()
    match(
      out,
      new RegExp(`Changed there, and kept:\\n {2}event ${here.id}: event “${title}” .*stays: website`),
    )
    const { website, featured, sticky } = await show(target, there)
    deepEqual(
      { website, featured, sticky },
      { website: 'https://example.org/there', featured: true, sticky: true },
    )
    await source.update(`/events/${here.id}`, { website: 'https://example.org/3' })
    match(await succeed(), /stays: website/)
  })

  test('is overwritten, or keeps the whole record, when that is asked for', async () => {
    await target.update(`/events/${there.id}`, { website: 'https://example.org/there' })
    await source.update(`/events/${here.id}`, { website: 'https://example.org/2', featured: true })
    match(await succeed('--conflicts', 'skip'), /0 changed, .* 1 left as they are there/)
    equal((await show(target, there)).featured, false)
    await succeed('--conflicts', 'overwrite')
    const { website, featured } = await show(target, there)
    deepEqual({ website, featured }, { website: 'https://example.org/2', featured: true })
  })

  test('and removed there stays so', async () => {
    await target.remove(`/events/${there.id}`)
    await source.update(`/events/${here.id}`, { title: `${title} renamed` })
    match(await succeed(), /was removed there, and stays so/)
    equal((await target.get(`/events/${there.id}`, 'admin')).body.status, 'trash')
    await succeed('--conflicts', 'overwrite')
    equal((await show(target, there)).title, `${title} renamed`)
  })

  test('is not lost with --mirror, which moves the rest of what is gone from here to the trash', async () => {
    const other = await source.create('/events', { ...day, title: `${title} other` })
    const hidden = await source.create('/events', { ...day, title: `${title} private` })
    await succeed()
    await target.update(`/events/${there.id}`, { excerpt: 'Changed there' })
    for (const { id } of [here, other]) await source.remove(`/events/${id}`)
    await source.update(`/events/${hidden.id}`, { status: 'private' })
    match(await succeed(), /Gone from here:\n(?: {2}event \d+: “.*” \(\d+ there\) is gone from here\.\n){3}/)
    equal((await titlesOf(target)).filter((one) => one.startsWith(title)).length, 3)
    const mirrored = await succeed('--mirror')
    match(mirrored, /it was changed there, and stays/)
    match(mirrored, /1 left as they are there, 2 moved to the trash/)
    deepEqual(
      (await titlesOf(target)).filter((one) => one.startsWith(title)),
      [title],
    )
    match(await succeed('--mirror'), /0 moved to the trash/)
    await source.update(`/events/${other.id}`, { status: 'publish' })
    await succeed('--mirror')
    ok((await titlesOf(target)).includes(`${title} other`))
  })
})

test('a record that was never published keeps its date', async (t) => {
  await start()
  t.after(stop)
  const date = '2020-06-07 08:09:10'
  const recurrence = 'RRULE:FREQ=WEEKLY;COUNT=2'
  await source.create('/events', { ...day, title: 'Draft', status: 'draft' })
  await source.create('/events', { ...day, title: 'Series', status: 'pending', recurrence })
  await source.create('/venues', { venue: 'Hall', status: 'draft' })
  await source.app.database.write(async (tx) => {
    for (const table of ['events', 'venues'] as const) await tx.updateTable(table).set({ date }).execute()
    const { shared } = await tx.selectFrom('series').select('shared').executeTakeFirstOrThrow()
    await tx
      .updateTable('series')
      .set({ shared: JSON.stringify({ ...JSON.parse(shared), date }) })
      .execute()
  })
  const datesOf = async (service: TestService) => {
    const { events } = (await service.get(`/events?${ALL}&${ANY}`, 'admin')).body
    const { venues } = (await service.get(`/venues?${ANY}`, 'admin')).body
    return [...events, ...venues].map((record) => [
      record.title ?? record.venue,
      record.date,
      record.date_utc,
    ])
  }
  const dates = await datesOf(source)
  equal(dates.filter(([, shown, utc]) => shown === date && utc < '1').length, 4)
  await succeed('--all')
  deepEqual((await datesOf(target)).sort(), dates.sort())
  match(await succeed('--all'), /0 made, 0 changed/)
})

describe('a push over a bad line', onSqlite, () => {
  beforeEach(async () => {
    await start()
    for (let i = 1; i <= 9; i++)
      await source.create('/events', {
        ...day,
        title: `Event ${i}`,
        venue: { venue: `Hall ${i % 3}` },
        tags: ['one'],
      })
  })
  const stopEach = { timeout: 120_000 }

  for (const own of [true, false])
    test(
      `makes each record once though answers are lost (${own ? 'Kalends' : 'another'})`,
      stopEach,
      async (t) => {
        t.after(stop)
        let number = 0
        gate.judge = (arrived) => {
          const verdict = own ? 'pass' : withoutOwnRoutes(arrived)
          return verdict === 'pass' && arrived.method === 'POST' && number++ % 5 === 2 ? 'lose' : verdict
        }
        await succeed()
        const titles = Array.from({ length: 9 }, (_, i) => `Event ${i + 1}`)
        deepEqual(await titlesOf(target), titles)
        equal((await target.get('/venues', 'admin')).body.total, 3)
        match(await succeed(), /^Pushed: 0 made, 0 changed/m)
      },
    )

  test('waits as long as it is asked to', stopEach, async (t) => {
    t.after(stop)
    const asked: number[] = []
    gate.judge = ({ method, response }) => {
      if (method !== 'POST') return 'pass'
      asked.push(Date.now())
      if (asked.length > 1) return 'pass'
      response.writeHead(429, { 'retry-after': '2' }).end()
      return 'answered'
    }
    await succeed()
    ok((asked[1] ?? 0) - (asked[0] ?? 0) >= 1990)
  })

  test('goes on where it was cut off', stopEach, async (t) => {
    t.after(stop)
    let posts = 0
    gate.judge = ({ method, response }) => {
      if (method !== 'POST' || ++posts <= 8) return 'pass'
      response.writeHead(401).end('{"code":"x","message":"Who are you?"}')
      return 'answered'
    }
    const cut = await push()
    equal(cut.code, 1)
    match(cut.err, /answers with status 401: it wants a login with its application password\./)
    gate.judge = () => 'pass'
    await succeed()
    equal((await titlesOf(target)).length, 9)
    equal((await target.get('/venues', 'admin')).body.total, 3)
    ok(writesOf(gate) <= 9)
  })

  test('killed again and again, at last makes everything once', { timeout: 240_000 }, async (t) => {
    t.after(stop)
    const { data, database } = source.config
    const words = ['--data', data, '--database', database, 'push', '--login', 'admin', gate.address]
    let runs = 0
    for (let code: number | null = null; code !== 0; runs++) {
      ok(runs < 20, 'it never ends')
      const { child, ended, lines } = startProcess(MAIN, words, { KALENDS_PUSH_PASSWORD: PASSWORD })
      let posts = 0
      gate.judge = ({ method }) => {
        if (method !== 'POST' || ++posts < 9) return 'pass'
        child.kill('SIGKILL')
        return 'lose'
      }
      for await (const _line of lines);
      code = await ended
    }
    ok(runs > 1, `${runs} runs`)
    equal((await titlesOf(target)).length, 9)
    equal((await target.get('/venues', 'admin')).body.total, 3)
  })

  test('names the record that is refused and why, and has all others there', stopEach, async (t) => {
    t.after(stop)
    gate.judge = ({ method, body, response }) => {
      if (method !== 'POST' || !body.includes('"Event 4"')) return 'pass'
      response
        .writeHead(400)
        .end('{"code":"rest_invalid_param","message":"Wrong.","data":{"params":{"title":"A bad title."}}}')
      return 'answered'
    }
    const { out, err, code } = await push()
    equal(code, 2)
    match(out, /Not there:\n {2}event \d+: event “Event 4”: Wrong\. A bad title\./)
    match(err, /Not everything is there/)
    equal((await titlesOf(target)).length, 8)
    gate.judge = () => 'pass'
    await succeed()
    equal((await titlesOf(target)).length, 9)
    equal(writesOf(gate), 1)
  })
})

describe('facts and links of meetings that are pushed', onSqlite, () => {
  const facts = {
    captions: true,
    sign_language: 'bfi',
    attendance: 'mixed',
    online_url: 'https://meet.example/1',
  }
  const rule = { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'], ...onDay('2027-12-01', '17:00', '18:00') }
  const venue = { venue: 'Hall', step_free: true, lift: false }
  const shownTo = async (as: Reader, title: string) =>
    (await target.get(`/events/${(await eventNamed(target, title)).id}`, as)).body
  const linkOf = async (title: string) => (await shownTo('admin', title)).online_url
  let open: Named
  beforeEach(async () => {
    await start()
    open = await source.create('/events', { ...day, ...facts, title: 'Open', venue })
    await source.create('/events', { ...day, ...facts, title: 'Hidden', online_shown: 'before:15' })
    await source.create('/events', { ...rule, ...facts, title: 'Course', online_shown: 'never' })
  })
  afterEach(stop)

  test('are all there where they are known', async () => {
    await succeed()
    for (const title of ['Open', 'Hidden', 'Course']) {
      const there = await shownTo('admin', title)
      for (const [name, value] of Object.entries(facts)) equal(there[name], value, `${title}: ${name}`)
      const shown = title === 'Open' ? facts.online_url : undefined
      equal((await shownTo('anonymous', title)).online_url, shown)
    }
  })

  test('are named in the report of every push where they are not kept', async () => {
    withoutMembers(gate, [...Object.keys(facts), 'online_shown', 'step_free', 'lift'])
    for (const words of [[], [], ['--all']]) {
      const { out, code } = await push(...words)
      equal(code, 2, out)
      match(out, /There, but not whole:/)
      match(out, /^ {2}captions: .*3 records are there without it\.$/m)
      match(out, /^ {2}step_free: .*1 record is there without it\.$/m)
      match(out, /^ {2}online_url: .*1 record is there without it\.$/m)
      match(out, /^ {2}online_shown: .*2 records with a hidden link are there without their link\.$/m)
    }
    equal(writesOf(gate), 0)
    equal((await shownTo('admin', 'Open')).captions, undefined)
  })

  test('stay here where links are known and hiding is not, also those hidden later', async () => {
    withoutMembers(gate, ['online_shown'])
    const { out, code } = await push()
    equal(code, 2, out)
    match(out, /^ {2}online_shown: .*2 records with a hidden link are there without their link\.$/m)
    doesNotMatch(out, /captions/)
    deepEqual(
      [await linkOf('Open'), await linkOf('Hidden'), await linkOf('Course')],
      [facts.online_url, undefined, undefined],
    )
    await source.update(`/events/${open.id}`, { online_shown: 'never' })
    match((await push()).out, /online_shown: .*3 records with/)
    equal(await linkOf('Open'), undefined)
  })

  test('stay hidden on a date that alone has a link of its own', async () => {
    const dates = '/events?start_date=2027-12-01&end_date=2027-12-31'
    const { body } = await source.get(dates)
    await source.update(`/events/${body.events[1].id}`, { online_url: 'https://meet.example/own' })
    withoutMembers(gate, ['online_shown'])
    await push()
    const links = (await target.get(dates, 'admin')).body.events.map(
      (event: { online_url?: string }) => event.online_url,
    )
    deepEqual(links, [undefined, undefined])
  })
})

describe('a push', onSqlite, () => {
  before(start)
  after(stop)

  test('writes single events where there are no series, and nothing the second time', async () => {
    gate.judge = withoutOwnRoutes
    await addSeries(source)
    await succeed()
    const { body } = await target.get(`/events?${ALL}`)
    equal(body.total, 6)
    ok(body.events.every((event: object) => !('recurrence' in event)))
    match(await succeed(), /^Pushed: 0 made, 0 changed/m)
    equal(writesOf(gate), 0)
    gate.judge = () => 'pass'
  })

  test('leaves what it does not change as it is where updates empty what they do not send', async () => {
    gate.judge = withoutOwnRoutes
    gate.rewrite = resetUnsent
    const full = {
      ...day,
      title: 'Full',
      timezone: 'Europe/Berlin',
      cost: ['€0', '€15'],
      website: 'https://example.org/full',
      description: 'Text',
      featured: true,
      sticky: true,
      show_map: true,
      show_map_link: true,
      venue: { venue: 'Hall' },
      organizer: [{ organizer: 'Club' }, { organizer: 'Choir' }],
      categories: ['Music'],
      tags: ['loud'],
    }
    const { id } = await source.create('/events', full)
    const draft = await source.create('/events', {
      ...full,
      title: 'Sketch',
      status: 'draft',
      categories: '',
    })
    await succeed('--all')
    await source.update(`/events/${id}`, { title: 'Full house' })
    await source.update(`/events/${draft.id}`, { end_date: `${day.start_date.slice(0, 10)} 23:30:00` })
    const theirs = await eventNamed(target, 'Full')
    gate.rewrite = ({ body }) => body
    await target.update(`/events/${theirs.id}`, { excerpt: 'Theirs', cost: '€20' })
    gate.rewrite = resetUnsent
    match(await succeed('--all'), /^Pushed: 0 made, 2 changed/m)
    gate.rewrite = ({ body }) => body
    gate.judge = () => 'pass'
    const shown = async (service: TestService, title: string) => {
      const found = comparable(await eventNamed(service, title), service.origin) as Record<string, unknown>
      return { ...found, excerpt: undefined, cost: undefined, cost_details: undefined }
    }
    for (const title of ['Full house', 'Sketch'])
      deepEqual(await shown(target, title), await shown(source, title), title)
    const there = (await eventNamed(target, 'Full house')) as Named & Record<string, unknown>
    deepEqual([there.cost, there.excerpt], ['€20', '<p>Theirs</p>'])
  })

  test('takes the filters of lists', async () => {
    await source.create('/events', { ...day, title: 'Concert', tags: ['loud'] })
    await source.create('/events', { ...day, title: 'Reading', tags: ['quiet'] })
    await succeed('--tags', 'loud')
    const titles = await titlesOf(target)
    ok(titles.includes('Concert') && !titles.includes('Reading'))
    match((await push('--start-date', 'soonish')).err, /The filter does not take this value: --start-date/)
  })

  test('is refused into the calendar itself, whatever its address', async (t) => {
    match((await pushTo(source, source.origin)).err, /is this calendar itself/)
    const mirror = await openGate(source)
    t.after(mirror.close)
    match((await pushTo(source, mirror.address)).err, /is this calendar itself/)
    equal(writesOf(mirror), 0)
  })

  test('says in a sentence what it cannot do', async () => {
    const { err, code } = await pushTo(source, target.origin, '--login', 'nobody')
    equal(code, 1)
    match(err, / does not let nobody in: /)
    match(
      (await pushTo(source, 'https://me:secret@host')).err,
      /^Name the login with --login, and keep the password in a file/,
    )
    match((await pushTo(source, 'calendar')).err, /calendar is no address such as/)
    const { KALENDS_PUSH_PASSWORD: password } = process.env
    delete process.env.KALENDS_PUSH_PASSWORD
    try {
      match(
        (await push()).err,
        /Keep the application password in a file \(--password-file\) or in KALENDS_PUSH_PASSWORD/,
      )
    } finally {
      process.env.KALENDS_PUSH_PASSWORD = password
    }
  })
})
