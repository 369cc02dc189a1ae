import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { nextIssue, reminderAt } from '../../src/features/mail/issue-times.ts'
import { mailPrunings } from '../../src/features/mail/outbox.ts'
import {
  endSubscription,
  insertSubscription,
  subscriptionPrunings,
} from '../../src/features/mail/subscription-store.ts'
import { isPostgres } from '../../src/store/storage/database.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { faultsOfMessage, markupValidator } from '../support/markup.ts'
import { beginAt } from '../support/moment.ts'
import { uploadPicture } from '../support/pictures.ts'
import { type ReceivedMail, readMessage, startRelay, type TestRelay } from '../support/relay.ts'
import { day, onDay, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

beginAt('2026-11-27T12:00:00Z')

const wordsIn = (text: string) =>
  [...new Set(text.split(/\s+/).map((word) => word.replace(/:$/, '')))].filter(Boolean).sort()

const wordsOfHtml = (html: string) =>
  wordsIn(
    html
      .replace(/^[\s\S]*<body/, '<body')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&amp;', '&'),
  )

const wordsOfText = (text: string) => wordsIn(text.replace(/^(?:=+|-- )$|^\* |^> |\bhttps?:\S+/gm, ' '))

const daily = { rhythm: 'daily', weekday: 1 } as const
const wanted = { ...daily, language: 'en', timezone: '', kind: 'list', event: 0 } as const

describe('subscriptions by e-mail', () => {
  let relay: TestRelay
  let service: TestService
  before(async () => {
    relay = await startRelay()
    service = await startService({
      mail: relay.address,
      mail_from: 'calendar@example.org',
      mail_per_hour: '1000',
      timezone: 'Europe/Berlin',
      site_name: 'Town',
    })
  })
  after(async () => {
    await service.close()
    await relay.close()
  })

  const post = (path: string, form: Record<string, string>, headers = {}) =>
    service.post(`~${path}`, new URLSearchParams(form), 'anonymous', { accept: 'text/html', ...headers })
  const linkIn = ({ mail }: ReceivedMail, name: string) =>
    new URL(new RegExp(`http\\S+/subscribe/${name}/[\\w-]+`).exec(mail.text ?? '')?.[0] ?? '').pathname
  const { read, write } = {
    read: () => service.app.database.read,
    write: (...of: Parameters<TestService['app']['database']['write']>) => service.app.database.write(...of),
  }
  const subject =
    (text: RegExp) =>
    ({ mail }: ReceivedMail) =>
      text.test(mail.subject ?? '')

  async function subscribed(address: string, form: Record<string, string>): Promise<ReceivedMail> {
    const { status, headers } = await post('/subscribe/', { address, ...form })
    equal(status, 303)
    equal(headers.get('location'), '/subscribe/sent/')
    const confirming = await relay.mailTo(address, subject(/^Please confirm/))
    equal((await post(linkIn(confirming, 'confirm'), {})).status, 200)
    return confirming
  }

  const makeDue = async (address: string) => {
    const subscriber = read().selectFrom('mail_subscribers').select('id').where('address', '=', address)
    await write((tx) =>
      tx
        .updateTable('mail_subscriptions')
        .set({ next_utc: '2026-11-27 06:00:00' })
        .where('subscriber', 'in', subscriber)
        .execute(),
    )
  }
  const rowsOf = (address: string) =>
    read()
      .selectFrom('mail_subscriptions as s')
      .innerJoin('mail_subscribers as r', 'r.id', 's.subscriber')
      .selectAll('s')
      .where('r.address', '=', address)
      .execute()

  test('nothing is sent before a click on a button; links alone change nothing', async () => {
    await post('/subscribe/', { address: 'ann@example.com', rhythm: 'weekly' })
    const confirming = await relay.mailTo('ann@example.com')
    const path = linkIn(confirming, 'confirm')
    const { id, secret } = await read()
      .selectFrom('mail_subscribers')
      .selectAll()
      .where('address', '=', 'ann@example.com')
      .executeTakeFirstOrThrow()
    for (const link of [path, path.replace('/confirm/', '/end/'), `/subscribe/mine/${id}-${secret}`])
      for (const method of ['GET', 'HEAD'])
        equal((await service.request('anonymous', method, `~${link}`)).status, 200)
    deepEqual(pluck(await rowsOf('ann@example.com'), 'confirmed_utc', 'next_utc'), [['', '']])
    match(String((await service.page(path)).body), /<button type="submit"/)
    match(String((await post(path, {})).body), /<h1[^>]*>Confirmed/)
    const [row] = await rowsOf('ann@example.com')
    ok(row && row.confirmed_utc !== '' && row.next_utc > '2026-11-27')
    equal((await service.page('/subscribe/confirm/1-x')).status, 404)
  })

  test('known and unknown addresses get the same answer, also programs that fill in all', async () => {
    await subscribed('ben@example.com', { rhythm: 'daily' })
    const answers = await Promise.all([
      post('/subscribe/', { address: 'ben@example.com', rhythm: 'daily' }),
      post('/subscribe/', { address: 'new@example.com', rhythm: 'daily' }),
      post('/subscribe/', { address: 'bot@example.com', rhythm: 'daily', website: 'https://spam.example' }),
    ])
    for (const { status, headers, body } of answers)
      deepEqual([status, headers.get('location'), body], [303, '/subscribe/sent/', undefined])
    deepEqual(await rowsOf('bot@example.com'), [])
  })

  test('an issue lists what is on, each series once, what is new, with headers of lists', async () => {
    await service.create('/categories', { name: 'Jazz' })
    const jazz = { categories: ['jazz'] }
    await service.event({
      title: 'Jam &amp; more',
      venue: { venue: 'Old Mill' },
      ...onDay('2026-11-28', '20:00:00'),
      ...jazz,
    })
    await service.event({ title: 'Talk', ...onDay('2026-11-28', '18:00:00') })
    await service.event({
      title: 'Course',
      ...onDay('2026-11-27', '18:00:00', '19:00:00'),
      ...jazz,
      recurrence: { rule: 'FREQ=DAILY;COUNT=5' },
    })
    await subscribed('cleo@example.com', { list: 'categories=jazz', rhythm: 'weekly' })
    await service.event({ title: 'New year', ...onDay('2027-01-01', '20:00:00'), ...jazz })
    await makeDue('cleo@example.com')
    const received = await relay.mailTo('cleo@example.com', subject(/^Town: the week from/))
    const { headers, defects, parts } = readMessage(received)
    deepEqual(defects, [])
    const end = linkIn(received, 'end')
    equal(headers['list-unsubscribe']?.trim(), `<${service.origin}${end}>`)
    equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
    equal(headers['list-id'], '<events.example.org>')
    equal(headers['auto-submitted'], 'auto-generated')
    equal(headers.precedence, 'bulk')
    match(headers['message-id'] ?? '', /^<[\da-f]{32}\.\d+@example\.org>$/)
    ok(Date.parse(headers.date ?? '') > 0)
    const ids = relay.received.map(({ mail }) => mail.messageId)
    equal(new Set(ids).size, ids.length)
    const [text = '', html = ''] = parts.map((part) => part.text)
    deepEqual(pluck(parts, 'type'), ['text/plain', 'text/html'])
    equal(text.match(/^\* Course/gm)?.length, 1)
    match(text, /\* Course\n[^\n]*\n {2}Also: [^;\n]+;[^;\n]+;[^;\n]+;[^;\n]+\n/)
    match(text, /\* Jam & more\n[^\n]+ · Old Mill\n/)
    match(text, /New, for later[\s\S]*\* New year/)
    doesNotMatch(text, /Talk/)
    match(text, /asked for it: Jazz\./)
    ok(Buffer.byteLength(html) < 100_000)
    match(html, /prefers-color-scheme:dark/)
    doesNotMatch(html, /<img|<script/)
    deepEqual(await faultsOfMessage(html), [])
    for (const path of ['/subscribe/', '/subscribe/?categories=jazz&lang=de', end])
      deepEqual(await (await markupValidator())(await service.shown(path)), [], path)
    deepEqual(wordsOfHtml(html), wordsOfText(text))
    for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g))
      ok(text.includes(href.replaceAll('&amp;', '&')) || href === `${service.origin}/`, href)
  })

  test('nothing is sent when nothing is on, and nothing that was withdrawn meanwhile', async () => {
    const venue = await service.create('/venues', { venue: 'Barn' })
    await subscribed('dora@example.com', { list: `venue=${venue.id}`, rhythm: 'daily' })
    await makeDue('dora@example.com')
    await until(
      async () => ((await rowsOf('dora@example.com'))[0]?.next_utc ?? '') > '2026-11-27 07',
      'no issue is planned',
    )
    await until(
      async () =>
        (await read().selectFrom('mail_messages').select('id').where('next_utc', '<>', '').execute())
          .length === 0,
      'the outbox is not empty',
    )
    const messages = relay.received.filter(({ to }) => to === 'dora@example.com')
    equal(messages.length, 1)
    const make = (title: string) =>
      service.event({ title, venue: venue.id, ...onDay('2026-11-27', '22:00:00') })
    await make('Fair')
    const [gone, off, secret] = [await make('Gone'), await make('Off'), await make('Secret')]
    relay.fault = (to) => (to === 'dora@example.com' ? { at: 'recipient', status: 451 } : undefined)
    await makeDue('dora@example.com')
    const waiting = () =>
      read()
        .selectFrom('mail_messages')
        .selectAll()
        .where('recipient', '=', 'dora@example.com')
        .where('attempts', '>', 0)
        .where('state', '=', 'waiting')
        .execute()
    await until(async () => (await waiting()).length === 1, 'the issue was not tried')
    await service.remove(`/events/${gone.id}`)
    await service.update(`/events/${off.id}`, { event_status: 'canceled' })
    await service.update(`/events/${secret.id}`, { status: 'private' })
    relay.fault = () => undefined
    await write((tx) =>
      tx
        .updateTable('mail_messages')
        .set({ next_utc: '2026-11-27 06:00:00' })
        .where('state', '=', 'waiting')
        .execute(),
    )
    const { mail } = await relay.mailTo('dora@example.com', subject(/^Town: /))
    match(mail.text ?? '', /\* Fair/)
    doesNotMatch(mail.text ?? '', /Gone|Off|Secret|And \d/)
  })

  test('one click ends a subscription without a cookie, and answers alike for any token', async () => {
    await subscribed('eve@example.com', { rhythm: 'weekly' })
    const [row] = await rowsOf('eve@example.com')
    const path = `/subscribe/end/${row?.id}-${row?.secret}`
    equal((await service.page(path)).status, 200)
    equal((await rowsOf('eve@example.com')).length, 1)
    const oneClick = (at: string) =>
      post(at, { 'List-Unsubscribe': 'One-Click' }, { 'sec-fetch-site': 'cross-site' })
    const [known, unknown] = [await oneClick(path), await oneClick(`/subscribe/end/99-${'x'.repeat(43)}`)]
    equal(known.status, 200)
    deepEqual([unknown.status, unknown.body], [known.status, known.body])
    deepEqual(await rowsOf('eve@example.com'), [])
  })

  test('with the last subscription the address goes, from what was sent, too', async () => {
    const address = 'una@example.com'
    const messages = () => read().selectFrom('mail_messages').selectAll().where('recipient', '=', address)
    await subscribed(address, { rhythm: 'weekly' })
    await write((tx) => insertSubscription(tx, { ...wanted, address, query: 'search=jam' }, Date.now()))
    const all = () => read().selectFrom('mail_messages').select('id').where('state', '=', 'sent').execute()
    await until(
      async () => (await messages().where('state', '<>', 'sent').execute()).length === 0,
      'not sent',
    )
    const [sent, [one, other]] = [await all(), await rowsOf(address)]
    await post(`/subscribe/end/${one?.id}-${one?.secret}`, {})
    equal((await messages().execute()).length, 1)
    await post(`/subscribe/end/${other?.id}-${other?.secret}`, {})
    deepEqual([await messages().execute(), await rowsOf(address)], [[], []])
    deepEqual(await all(), sent, 'they count for the hour no more')
  })

  test('what is asked for while the last subscription ends is not lost', async () => {
    const address = 'vera@example.com'
    await subscribed(address, { rhythm: 'weekly' })
    const [last] = await rowsOf(address)
    ok(last)
    let ended: Promise<void> | undefined
    await write(async (tx) => {
      await insertSubscription(tx, { ...wanted, address, query: 'search=more' }, Date.now())
      ended = service.app.database.write((other) => endSubscription(other, last))
      const waits = sql`select from pg_locks join pg_stat_activity a using (pid)
        where not granted and a.datname = current_database()`
      if (isPostgres(read()))
        await until(async () => (await waits.execute(read())).rows.length > 0, 'the end does not wait')
    })
    await ended
    deepEqual(
      (await rowsOf(address)).map(({ query }) => query),
      ['search=more'],
    )
  })

  test('somebody sees and changes all they asked for, at most twenty, and is forgotten', async () => {
    await subscribed('finn@example.com', { rhythm: 'weekly' })
    const subscriber = await read()
      .selectFrom('mail_subscribers')
      .selectAll()
      .where('address', '=', 'finn@example.com')
      .executeTakeFirstOrThrow()
    const mine = `/subscribe/mine/${subscriber.id}-${subscriber.secret}`
    const [row] = await rowsOf('finn@example.com')
    equal((await post(mine, { id: String(row?.id), do: 'rhythm', rhythm: 'daily' })).status, 303)
    equal((await rowsOf('finn@example.com'))[0]?.rhythm, 'daily')
    const asked = { ...wanted, address: 'finn@example.com' }
    const made = await write(async (tx) => {
      const all: string[] = []
      for (let at = 0; at < 20; at++)
        all.push((await insertSubscription(tx, { ...asked, query: `search=${at}` }, Date.now())).is)
      return all
    })
    deepEqual(made, [...Array(19).fill('new'), 'full'])
    match(await service.shown(mine), /finn@example\.com/)
    await write((tx) =>
      tx
        .updateTable('mail_messages')
        .set({ state: 'waiting', next_utc: '2099-01-01 00:00:00' })
        .where('recipient', '=', 'finn@example.com')
        .execute(),
    )
    match(String((await post(mine, { do: 'forget' })).body), /Nothing is kept of your address/)
    deepEqual(await rowsOf('finn@example.com'), [])
    const left = [
      read().selectFrom('mail_subscribers').select('id').where('address', '=', 'finn@example.com'),
      read().selectFrom('mail_messages').select('id').where('recipient', '=', 'finn@example.com'),
    ]
    for (const rows of left) deepEqual(await rows.execute(), [])
    equal((await service.page(mine)).status, 404)
  })

  test('a reminder comes the day before with a calendar file, and tells both times of a move', async () => {
    const image = await uploadPicture(service, 1200, 800)
    await service.post(`~/wp-json/wp/v2/media/${image}`, { alt_text: 'A "big" band' })
    const event = await service.event({
      ...{ title: 'Concert\u202e', timezone: 'America/New_York', image, ...day },
    })
    match(await service.shown(new URL(event.url).pathname), /href="\/subscribe\/\?event=\d+"/)
    await subscribed('gil@example.com', { event: String(event.id) })
    const [row] = await rowsOf('gil@example.com')
    equal(row?.next_utc, '2027-03-31 20:00:00')
    await makeDue('gil@example.com')
    const { parts } = readMessage(await relay.mailTo('gil@example.com', subject(/^Tomorrow: Concert$/)))
    const partOf = (type: string) => parts.find((part) => part.type === type)?.text ?? ''
    match(partOf('text/calendar'), /METHOD:PUBLISH[\s\S]*BEGIN:VEVENT[\s\S]*SUMMARY:Concert\r?\n/)
    const html = partOf('text/html')
    deepEqual(await faultsOfMessage(html), [])
    match(partOf('text/plain'), /\[A "big" band\]/)
    const pictures = [...html.matchAll(/<img src="([^"]+)" alt="([^"]*)" width="(\d+)" height="(\d+)"/g)]
    deepEqual(
      pictures.map(([, , ...rest]) => rest),
      [['A &quot;big&quot; band', '550', '367']],
    )
    const [, source = ''] = pictures[0] ?? []
    ok(source.startsWith(`${service.origin}/`), source)
    equal((await fetch(source)).status, 200)
    await service.update(`/events/${event.id}`, { ...onDay('2027-04-02', '19:00:00', '21:00:00') })
    const moved = await relay.mailTo('gil@example.com', subject(/^Moved: Concert/))
    deepEqual(moved.mail.attachments, [])
    match(moved.mail.text ?? '', /It was: .*1 April 2027, 10:00.*EDT\nIt is now: .*2 April 2027, 19:00/)
    equal((await rowsOf('gil@example.com'))[0]?.next_utc, '2027-04-01 20:00:00')
    await service.update(`/events/${event.id}`, {
      event_status: 'canceled',
      event_status_reason: 'The singer is ill.',
    })
    const canceled = await relay.mailTo('gil@example.com', subject(/^Canceled: Concert/))
    match(canceled.mail.text ?? '', /> The singer is ill\./)
    equal((await rowsOf('gil@example.com'))[0]?.next_utc, '')
  })

  test('thousands of changed events are one line of an issue', async () => {
    const organizer = await service.create('/organizers', { organizer: 'Crowd' })
    await subscribed('hana@example.com', { list: `organizer=${organizer.id}`, rhythm: 'weekly' })
    const make = (at: number) => ({
      method: 'POST',
      path: '/tribe/events/v1/events',
      body: {
        title: `Soon ${at}`,
        organizer: organizer.id,
        ...onDay(at < 80 ? '2026-11-29' : '2027-02-01', '20:00:00'),
      },
    })
    for (let from = 0; from < 400; from += 25)
      await service.post('~/wp-json/batch/v1', {
        validation: 'require-all-validate',
        requests: Array.from({ length: 25 }, (_, at) => make(from + at)),
      })
    await write((tx) =>
      tx
        .updateTable('events')
        .set({ date_utc: '2020-01-01 00:00:00' })
        .where('title', 'like', 'Soon 3%')
        .execute(),
    )
    await makeDue('hana@example.com')
    const { mail } = await relay.mailTo('hana@example.com', subject(/^Town: the week/))
    const lines = mail.text?.match(/^\* /gm)?.length ?? 0
    ok(lines <= 80 && lines >= 60, String(lines))
    match(mail.text ?? '', /And \d+ more\.[\s\S]*Added or changed besides, for later: \d+\./)
  })

  test('an address that the relay refuses three times gets nothing more', async () => {
    await subscribed('ida@example.com', { rhythm: 'daily' })
    relay.fault = (to) => (to === 'ida@example.com' ? { at: 'recipient', status: 550 } : undefined)
    const refused = () =>
      read()
        .selectFrom('mail_messages')
        .select('id')
        .where('recipient', '=', 'ida@example.com')
        .where('state', '=', 'given_up')
        .execute()
    for (let times = 1; times <= 3; times++) {
      await write((tx) =>
        tx
          .updateTable('mail_messages')
          .set({ name: `old ${times}` })
          .where('name', 'like', 'issue %')
          .where('recipient', '=', 'ida@example.com')
          .execute(),
      )
      await makeDue('ida@example.com')
      await until(async () => (await refused()).length === times, 'it is not refused')
    }
    relay.fault = () => undefined
    await makeDue('ida@example.com')
    await until(
      async () => ((await rowsOf('ida@example.com'))[0]?.next_utc ?? '') > '2026-11-27 07',
      'it stays due',
    )
    equal(relay.received.filter(({ to }) => to === 'ida@example.com').length, 1)
  })

  test('a reader chooses the day of a weekly issue and a time zone, and changes both', async () => {
    const venue = await service.create('/venues', { venue: 'Dock' })
    const make = (title: string, day: string, from: string) =>
      service.event({ title, venue: venue.id, ...onDay(day, from) })
    await make('Last night', '2026-11-27', '23:30:00')
    await make('Next day', '2026-11-28', '20:00:00')
    await make('Day after', '2026-11-29', '20:00:00')
    const query = { list: `venue=${venue.id}` }
    const address = 'kim@example.com'
    await subscribed(address, { ...query, rhythm: 'thursday', timezone: 'Pacific/Auckland' })
    const due = async () => (await rowsOf(address))[0]?.next_utc
    equal(await due(), '2026-12-02 18:00:00')
    const { id, secret } = await read()
      .selectFrom('mail_subscribers')
      .selectAll()
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    const mine = `/subscribe/mine/${id}-${secret}`
    const shown = await service.shown(mine)
    for (const value of ['thursday', 'Pacific/Auckland'])
      match(shown, new RegExp(`<option value="${value}" selected>`))
    deepEqual(await (await markupValidator())(shown), [])
    const [row] = await rowsOf(address)
    await post(mine, { id: `${row?.id}`, do: 'rhythm', rhythm: 'daily' })
    await makeDue(address)
    // Their 28 November ends at noon of 28 November in Berlin.
    const { mail } = await relay.mailTo(address, subject(/^Town: Saturday.* 28 November/))
    match(mail.text ?? '', /\* Last night\n.*23:30.*CET.*\n[\s\S]*\* Next day\n.*20:00.*CET/)
    doesNotMatch(mail.text ?? '', /Day after[\s\S]*Next day|Next day\n.*\n.*\n\n\* Day after/)
    await post(mine, { id: `${row?.id}`, do: 'rhythm', rhythm: 'sunday' })
    equal(await due(), '2026-11-28 18:00:00')
    await post(mine, { do: 'zone', timezone: 'Mars/Olympus' })
    equal(await due(), '2026-11-29 06:00:00')
    await post('/subscribe/', { address, ...query, rhythm: 'daily', timezone: 'Asia/Tokyo' })
    equal(await due(), '2026-11-29 06:00:00')
  })

  test('what nobody confirms goes after 48 hours, with its subscriber', async () => {
    await post('/subscribe/', { address: 'jon@example.com', rhythm: 'weekly' })
    await relay.mailTo('jon@example.com')
    const later = Date.now() + 49 * 3_600_000
    await dropOld(service.app.database, 0, later, Number.POSITIVE_INFINITY, subscriptionPrunings)
    deepEqual(
      await read()
        .selectFrom('mail_subscribers')
        .selectAll()
        .where('address', '=', 'jon@example.com')
        .execute(),
      [],
    )
  })

  test('the row of a message to who never confirmed goes after 48 hours, others after 30 days', async () => {
    const address = 'never@example.com'
    await post('/subscribe/', { address, rhythm: 'weekly' })
    await relay.mailTo(address)
    const kept = () => read().selectFrom('mail_messages').select('id').where('recipient', '=', address)
    await until(
      async () => (await kept().where('state', '=', 'sent').execute()).length === 1,
      'the message is not settled',
    )
    const drop = (hours: number) =>
      dropOld(service.app.database, 0, Date.now() + hours * 3_600_000, Number.POSITIVE_INFINITY, mailPrunings)
    await drop(47)
    equal((await kept().execute()).length, 1)
    await write((tx) =>
      tx.updateTable('mail_messages').set({ by_stranger: 0 }).where('recipient', '=', address).execute(),
    )
    await drop(49)
    equal((await kept().execute()).length, 1)
    await write((tx) =>
      tx.updateTable('mail_messages').set({ by_stranger: 1 }).where('recipient', '=', address).execute(),
    )
    await drop(49)
    deepEqual(await kept().execute(), [])
  })

  test('while too many wait to be confirmed, known and new addresses are refused alike', async () => {
    const asked = { ...wanted, address: 'late@example.com', query: '' }
    const { id, address: known } = await read()
      .selectFrom('mail_subscribers')
      .select(['id', 'address'])
      .executeTakeFirstOrThrow()
    const told = { next_utc: '', seen_utc: '', told: '', created_utc: '2026-11-27 10:00:00' }
    const waiting = {
      subscriber: id,
      secret: 'x',
      kind: 'list',
      event: 0,
      rhythm: 'daily',
      weekday: 1,
    } as const
    const many = Array.from({ length: 1000 }, (_, at) => ({
      ...{ ...waiting, ...told },
      query: `search=many-${at}`,
      confirmed_utc: '',
    }))
    await write(async (tx) => {
      for (let at = 0; at < many.length; at += 100)
        await tx
          .insertInto('mail_subscriptions')
          .values(many.slice(at, at + 100))
          .execute()
    })
    const ask = (address = asked.address) =>
      service.app.database.write((tx) => insertSubscription(tx, { ...asked, address }, Date.now()))
    deepEqual(await ask(), { is: 'refused' })
    deepEqual(await ask(known), { is: 'refused' })
    const again = { ...asked, address: known, query: 'search=many-7' }
    deepEqual(await write((tx) => insertSubscription(tx, again, Date.now())), { is: 'refused' })
    const late = read().selectFrom('mail_subscribers').select('id').where('address', '=', asked.address)
    deepEqual(await late.execute(), [])
    await write((tx) => tx.deleteFrom('mail_subscriptions').where('secret', '=', 'x').execute())
    equal((await ask()).is, 'new')
  })

  test('a wrong address, a list that is none and an unknown event are pages that say so', async () => {
    const wrong = await post('/subscribe/', {
      address: 'no address',
      rhythm: 'daily',
      list: 'categories=jazz',
    })
    equal(wrong.status, 422)
    match(String(wrong.body), /aria-invalid="true"[\s\S]*role="alert"/)
    match(String(wrong.body), /value="no address"/)
    equal((await service.page('/subscribe/?featured=perhaps')).status, 400)
    equal((await service.page('/subscribe/?event=99999')).status, 404)
    const injected = await post('/subscribe/', {
      address: 'a@example.com\r\nBcc: b@example.com',
      rhythm: 'daily',
    })
    equal(injected.status, 422)
    const long = await post('/subscribe/', {
      address: `${'a'.repeat(64)}@${'b.'.repeat(130)}example`,
      rhythm: 'daily',
    })
    equal(long.status, 422)
    equal((await post('/subscribe/', { address: 'kai@Bücher.example', rhythm: 'daily' })).status, 303)
    match((await relay.mailTo('kai@bücher.example')).raw, /^To: kai@xn--bcher-kva\.example\r$/m)
  })

  test('messages and pages are in the language of the form', async () => {
    await post('/subscribe/?lang=de', { address: 'lea@example.com', rhythm: 'weekly' })
    const { mail } = await relay.mailTo('lea@example.com')
    match(mail.subject ?? '', /^Bitte bestätigen: Town/)
    for (const language of ['de', 'fr', 'es'])
      match(await service.shown(`/subscribe/?lang=${language}`), new RegExp(`<html lang="${language}"`))
  })
})

test('issues go at seven in the morning of the zone, once a day, over both changes of clocks', () => {
  const days = (from: string, zone: string) => {
    const all: string[] = []
    for (let at = Date.parse(from), times = 0; times < 4; times++) {
      const next = nextIssue({ rhythm: 'daily', weekday: 1 }, zone, at)
      all.push(next)
      at = Date.parse(`${next.replace(' ', 'T')}Z`)
    }
    return all
  }
  deepEqual(days('2026-10-24T00:00:00Z', 'Europe/Berlin'), [
    '2026-10-24 05:00:00',
    '2026-10-25 06:00:00',
    '2026-10-26 06:00:00',
    '2026-10-27 06:00:00',
  ])
  deepEqual(days('2027-03-27T00:00:00Z', 'Europe/Berlin'), [
    '2027-03-27 06:00:00',
    '2027-03-28 05:00:00',
    '2027-03-29 05:00:00',
    '2027-03-30 05:00:00',
  ])
  const weekly = (weekday: number, from: string) =>
    nextIssue({ rhythm: 'weekly', weekday }, 'UTC', Date.parse(from))
  equal(weekly(1, '2026-11-30T07:00:00Z'), '2026-12-07 07:00:00')
  equal(weekly(1, '2026-11-30T06:59:59Z'), '2026-11-30 07:00:00')
  equal(weekly(7, '2026-11-30T07:00:00Z'), '2026-12-06 07:00:00')
  const event = { start_date: '2027-03-29 09:00:00', timezone: 'Europe/Berlin' }
  equal(reminderAt(event, Date.parse('2027-03-01T00:00:00Z')), '2027-03-28 14:00:00')
  equal(reminderAt(event, Date.parse('2027-03-28T14:00:00Z')), '')
})

test('without e-mail there is no form and no link to one', async () => {
  await using service = await startService()
  const event = await service.event({ title: 'Concert', ...day })
  equal((await service.page('/subscribe/')).status, 404)
  for (const path of ['/events/', new URL(event.url).pathname])
    doesNotMatch(await service.shown(path), /\/subscribe\//)
})
