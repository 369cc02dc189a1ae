import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { startApp } from '../../src/app.ts'
import { formatUtc } from '../../src/base/text/moments.ts'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { listTables } from '../../src/features/transfer/tables.ts'
import { mayPost } from '../../src/features/webhooks/post-message.ts'
import { registerWebhookCommands } from '../../src/features/webhooks/webhook-command.ts'
import {
  addWebhook,
  claimDue,
  enableWebhook,
  removeWebhook,
  setDelivery,
  webhookPrunings,
} from '../../src/features/webhooks/webhook-store.ts'
import type { DeliveryColumns, WebhookColumns } from '../../src/features/webhooks/webhook-tables.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { runCommand } from '../support/commands.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { featureTables } from '../support/feature-tables.ts'
import { startServer } from '../support/server.ts'
import { addUsers, credentialsOf, day, serviceForTests, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

interface Received {
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
  body: any
}

interface Receiver {
  url: string
  received: Received[]
  status: number
  headers: Record<string, string>
  close: () => void
}

const service = serviceForTests({ webhook_hosts: '127.0.0.1' })

async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], status: 204, headers: {}, close: () => undefined }
  const { origin, close } = await startServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    receiver.received.push({ headers: request.headers, text, body: JSON.parse(text) })
    if (receiver.status !== 0) response.writeHead(receiver.status, receiver.headers).end('thanks')
  })
  after(close)
  return Object.assign(receiver, { url: `${origin}/hook?key=hidden`, close })
}

const database = () => service.app.database

async function hook(events = '*', isPrivate = false): Promise<Receiver & { id: number; secret: string }> {
  const receiver = await startReceiver()
  const added = { url: receiver.url, events, is_private: Number(isPrivate) }
  return Object.assign(receiver, await database().write((tx) => addWebhook(tx, added, Date.now())))
}

async function heard(receiver: Receiver, count: number): Promise<Received[]> {
  await until(() => receiver.received.length >= count, `${count} messages`)
  return receiver.received
}

const quiet = (id: number) =>
  until(async () => (await deliveries(id)).every(({ next_utc }) => next_utc === ''), 'nothing waiting')

const deliveries = (id: number): Promise<DeliveryColumns[]> =>
  database()
    .read.selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook', '=', id)
    .orderBy('id')
    .execute()

const stateOf = (id: number): Promise<WebhookColumns> =>
  database().read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const hurry = (id: number) =>
  database().write((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ next_utc: '2020-01-01 00:00:00' })
      .where('webhook', '=', id)
      .where('next_utc', '<>', '')
      .execute(),
  )

function webhookCommand(...words: string[]) {
  const kept = { ...database(), close: async () => undefined }
  return runCommand(
    (program) => registerWebhookCommands(program, { open: async () => kept, hosts: () => ['127.0.0.1'] }),
    ['webhook', ...words],
  )
}

const remove = (id: number) => database().write((tx) => removeWebhook(tx, id, Date.now()))

const types = ({ received }: Receiver) => received.map(({ body }) => body.type)

describe('messages', () => {
  test('are signed so that the package standardwebhooks verifies the bytes that are sent', async () => {
    const told = await hook('event.*')
    const event = await service.event({ title: 'Told & signed', ...day })
    const [message] = await heard(told, 1)
    ok(message)
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    )
    deepEqual(new Webhook(told.secret).verify(message.text, headers), message.body)
    throws(() => new Webhook(told.secret).verify(`${message.text} `, headers))
    match(String(headers['webhook-id']), /^msg_/)
    equal(headers['content-type'], 'application/json')
    const { type, timestamp, data } = message.body
    deepEqual([type, data.kind, data.id], ['event.created', 'event', event.id])
    ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)
    const { json_ld: _own, ...listed } = (await service.get(`/events/${event.id}`)).body
    deepEqual(data.record, listed)
    equal(data.rest_url, `${service.base}/events/${event.id}`)
    await remove(told.id)
  })

  test('tell the public what is listed: a hidden event is a deletion, a listed one is made', async () => {
    const told = await hook('event.*')
    const { id } = await service.event({ title: 'Hidden', hide_from_listings: true, ...day })
    await service.update(`/events/${id}`, { title: 'Hidden still' })
    await service.update(`/events/${id}`, { title: 'Listed', hide_from_listings: false })
    await heard(told, 1)
    await service.update(`/events/${id}`, { title: 'Hidden again', hide_from_listings: true })
    await heard(told, 2)
    await service.remove(`/events/${id}`)
    await quiet(told.id)
    deepEqual(types(told), ['event.created', 'event.deleted'])
    ok(told.received.every(({ text }) => !/"title":"Hidden/.test(text)))
    await remove(told.id)
  })

  test('tell the public what it sees: nothing else, and becoming private is a deletion', async () => {
    const told = await hook('event.*')
    const all = await hook('event.*', true)
    const draft = await service.event({ title: 'Secret draft', status: 'draft', ...day })
    await service.update(`/events/${draft.id}`, { title: 'Still secret' })
    await heard(all, 2)
    await service.update(`/events/${draft.id}`, { status: 'publish', title: 'Open' })
    await heard(told, 1)
    await service.update(`/events/${draft.id}`, { title: 'Open still' })
    await heard(told, 2)
    await service.update(`/events/${draft.id}`, { status: 'private', title: 'Closed' })
    await heard(told, 3)
    await service.remove(`/events/${draft.id}`)
    await quiet(all.id)
    await quiet(told.id)
    deepEqual(types(told), ['event.created', 'event.updated', 'event.deleted'])
    const { sequence, ...gone } = told.received[2]?.body.data ?? {}
    deepEqual(gone, { kind: 'event', id: draft.id })
    ok(sequence > told.received[1]?.body.data.sequence)
    ok(told.received.every(({ text }) => !/secret|closed/i.test(text)))
    const rest = Array.from({ length: 4 }, () => 'event.updated')
    deepEqual(types(all).sort(), ['event.created', 'event.deleted', ...rest])
    ok(all.received.some(({ text }) => text.includes('Closed')))
    await remove(told.id)
    await remove(all.id)
  })

  test('a record that is not public any more when its message goes out is not shown by it', async () => {
    const told = await hook('event.*')
    told.status = 500
    const event = await service.event({ title: 'Open for a moment', ...day })
    // A message on its way has no error.
    const holdFailed = () =>
      database().write((tx) =>
        tx
          .updateTable('webhook_deliveries')
          .set({ next_utc: '2099-01-01 00:00:00' })
          .where('webhook', '=', told.id)
          .where('error', '<>', '')
          .executeTakeFirst(),
      )
    await until(async () => (await holdFailed()).numUpdatedRows > 0n, 'no attempt has failed')
    const before = told.received.length
    await service.update(`/events/${event.id}`, { status: 'draft', title: 'Hidden' })
    told.status = 204
    await hurry(told.id)
    await quiet(told.id)
    ok(told.received.slice(before).every(({ body }) => body.type === 'event.deleted'))
    await remove(told.id)
  })

  test('every way of writing reaches them, and follow-ups are not told', async () => {
    const told = await hook()
    const requests = [
      { path: '/tribe/events/v1/venues', body: { venue: 'By batch' } },
      { path: '/wp/v2/tags', body: { name: 'By the platform' } },
    ]
    await service.post('~/wp-json/batch/v1', { validation: 'require-all-validate', requests })
    const future = { status: 'future', date: '2090-01-01 00:00:00' }
    const { id } = await service.event({ title: 'By schedule', ...day, ...future })
    await publishDue(database(), Date.parse('2090-01-02'))
    await service.event({ title: 'Weekly', ...day, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=40' })
    await service.create('/organizers', { organizer: 'Alone' })
    await heard(told, 5)
    await service.remove(`/events/${id}`)
    await heard(told, 6)
    await quiet(told.id)
    deepEqual(types(told).sort(), [
      'event.created',
      'event.deleted',
      'organizer.created',
      'series.created',
      'term.created',
      'venue.created',
    ])
    await remove(told.id)
  })

  test('nothing is told of a write that was taken back', async () => {
    const told = await hook()
    const requests = [
      { path: '/tribe/events/v1/venues', body: { venue: 'Taken back' } },
      { path: '/tribe/events/v1/tags', body: { name: 'Twice' } },
      { path: '/tribe/events/v1/tags', body: { name: 'Twice' } },
    ]
    await service.post('~/wp-json/batch/v1', { validation: 'require-all-validate', requests })
    deepEqual(await deliveries(told.id), [])
    await remove(told.id)
  })
})

describe('a receiver', () => {
  test('that fails is told again with the same id and the record of now, and only so often', async () => {
    const told = await hook('venue.*')
    told.status = 500
    const { id: venue } = await service.create('/venues', { venue: 'Again' })
    for (let tries = 1; tries <= 3; tries++) {
      await heard(told, tries)
      await until(async () => (await deliveries(told.id))[0]?.attempts === tries, 'the attempt to be written')
      if (tries === 3) told.status = 200
      await hurry(told.id)
    }
    await heard(told, 4)
    await quiet(told.id)
    equal(new Set(told.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    const [first] = told.received
    for (const { text } of told.received) equal(text, first?.text)
    equal(first?.body.data.id, venue)
    const [sent] = await deliveries(told.id)
    deepEqual([sent?.state, sent?.attempts, sent?.status], ['sent', 4, 200])
    equal((await stateOf(told.id)).failing_since_utc, '')
    told.status = 503
    told.headers = { 'Retry-After': '7200' }
    await service.create('/venues', { venue: 'Much later' })
    await until(async () => (await deliveries(told.id))[1]?.attempts === 1, 'the first attempt')
    const [, later] = await deliveries(told.id)
    ok(Date.parse(`${later?.next_utc}Z`) > Date.now() + 7_000_000)
    const days = async (age: number) => {
      const old = { created_utc: formatUtc(Date.now() - age * 86_400_000), attempts: 12 }
      await database().write((tx) => setDelivery(tx, later?.id ?? 0, old))
      await hurry(told.id)
      await until(async () => (await deliveries(told.id))[1]?.attempts === 13, 'one more attempt')
      return (await deliveries(told.id))[1]?.state
    }
    deepEqual([await days(4.9), await days(5.1)], ['waiting', 'failed'])
    await remove(told.id)
  })

  test('is told of a record as it is now on every try, by numbers that put messages in order', async () => {
    const told = await hook('venue.*')
    told.status = 500
    const { id } = await service.create('/venues', { venue: 'First' })
    await until(async () => (await deliveries(told.id))[0]?.attempts === 1, 'the attempt to be written')
    told.status = 204
    for (const venue of ['Second', 'Third']) await service.update(`/venues/${id}`, { venue })
    await service.remove(`/venues/${id}`)
    await service.update(`/venues/${id}`, { status: 'publish' })
    await heard(told, 3)
    await hurry(told.id)
    await quiet(told.id)
    const messages = told.received.map(({ body: { calendar, data } }) => ({ calendar, ...data }))
    deepEqual(new Set(messages.map(({ calendar }) => calendar)), new Set([service.origin]))
    const latest = messages.reduce((last, message) => (message.sequence >= last.sequence ? message : last))
    equal(latest.record.venue, 'Third')
    const again = messages.filter((_, at) => told.received[at]?.body.type === 'venue.created').at(-1)
    deepEqual([again?.record.venue, again?.sequence], ['Third', latest.sequence])
    const gone = messages.find((_, at) => told.received[at]?.body.type === 'venue.deleted')
    ok(messages[0]?.sequence < gone?.sequence && gone?.sequence < latest.sequence)
    await remove(told.id)
  })

  test('that answers again after a minute is sent at once what waits, in order of changes', async () => {
    const told = await hook('venue.created')
    told.status = 503
    for (const venue of ['One', 'Two', 'Three', 'Four', 'Five', 'Six'])
      await service.create('/venues', { venue })
    await until(
      async () => (await deliveries(told.id)).every(({ attempts }) => attempts > 0),
      'every attempt',
    )
    const tried = await deliveries(told.id)
    told.status = 204
    told.received.length = 0
    await database().write(async (tx) => {
      const put = (at: number, next_utc: string, rest = {}) =>
        setDelivery(tx, tried[at]?.id ?? 0, { next_utc, ...rest })
      // Messages 0 and 2 are due again later, 1 is due, and 4 and 5 were not tried yet.
      for (const at of [0, 2]) await put(at, '2099-01-01 00:00:00')
      await put(1, '2020-01-02 00:00:00')
      for (const at of [4, 5]) await put(at, tried[at]?.created_utc ?? '', { attempts: 0, error: '' })
      // Message 3 is due first.
      await put(3, '2020-01-01 00:00:00')
      const failing_since_utc = formatUtc(Date.now() - 120_000)
      await tx.updateTable('webhooks').set({ failing_since_utc }).where('id', '=', told.id).execute()
    })
    await heard(told, 6)
    const names = told.received.map(({ body }) => body.data.record.venue)
    deepEqual(names, ['Four', 'One', 'Two', 'Three', 'Five', 'Six'])
    await quiet(told.id)
    await remove(told.id)
  })

  const rest = (words: string, { id }: { id: number }, fields: object = {}) => {
    const [method = '', path = ''] = words.split(' ')
    return service.request('admin', method, `~/wp-json/kalends/v1/webhooks/${id}${path}`, fields)
  }
  const mended: Record<string, (told: Receiver & { id: number }) => Promise<unknown>> = {
    'webhook enable': ({ id }) => webhookCommand('enable', String(id)),
    'webhook disable and enable': async ({ id }) => {
      await webhookCommand('disable', String(id))
      await webhookCommand('enable', String(id))
    },
    'webhook test': ({ id }) => webhookCommand('test', String(id)),
    'a PATCH that enables it': (told) => rest('PATCH', told, { enabled: true }),
    'a PATCH that disables it, and one that enables it': async (told) => {
      await rest('PATCH', told, { enabled: false })
      await rest('PATCH', told, { enabled: true })
    },
    'a PATCH of its address': (told) => rest('PATCH', told, { url: `${told.url}&mended` }),
    'a POST of a test': (told) => rest('POST /test', told),
  }
  test('that is mended is sent what waits at once, newer messages later, however it is said', async () => {
    const names = ['Waits 1', 'Waits 2', 'Waits 3', 'Newer']
    const ways = await Promise.all(
      Object.entries(mended).map(async ([way, mend]) => ({ way, mend, told: await hook('venue.created') })),
    )
    for (const { told } of ways) told.status = 500
    for (const venue of names.slice(0, 3)) await service.create('/venues', { venue })
    for (const { way, mend, told } of ways) {
      await until(
        async () => (await deliveries(told.id)).every(({ attempts }) => attempts > 0),
        'every attempt',
      )
      for (const { id } of await deliveries(told.id))
        await database().write((tx) => setDelivery(tx, id, { next_utc: '2099-01-01 00:00:00' }))
      told.status = 204
      told.received.length = 0
      await mend(told)
      if (!way.endsWith('address')) equal((await stateOf(told.id)).failing_since_utc, '', way)
    }
    await service.create('/venues', { venue: names[3] })
    for (const { way, told } of ways) {
      await until(() => types(told).filter((type) => type !== 'webhook.test').length >= 4, way)
      const heardOf = told.received.flatMap(({ body }) => body.data.record?.venue ?? [])
      deepEqual(heardOf, names, way)
      await remove(told.id)
    }
  })

  test('that says it is gone is told nothing more', async () => {
    const told = await hook('venue.*')
    told.status = 410
    await service.create('/venues', { venue: 'Gone' })
    await until(async () => (await stateOf(told.id)).disabled_utc !== '', 'being disabled')
    await service.create('/venues', { venue: 'Unheard' })
    await sleep(800)
    equal(told.received.length, 1)
    const acts = await database()
      .read.selectFrom('history')
      .selectAll()
      .where('kind', '=', 'webhook')
      .execute()
    ok(acts.some(({ record, action }) => record === told.id && action === 'update'))
    ok(acts.every(({ name }) => !name.includes('hidden')))
    told.status = 200
    await database().write((tx) => enableWebhook(tx, told.id, Date.now()))
    await hurry(told.id)
    await heard(told, 2)
    await remove(told.id)
  })

  test('that has failed for five days is disabled, with the reason', async () => {
    const told = await hook('venue.*')
    told.status = 500
    await database().write((tx) =>
      tx
        .updateTable('webhooks')
        .set({ failing_since_utc: '2020-01-01 00:00:00' })
        .where('id', '=', told.id)
        .execute(),
    )
    await service.create('/venues', { venue: 'Five days' })
    await until(async () => (await stateOf(told.id)).disabled_why === 'silent', 'disabled')
    await remove(told.id)
  })

  test('that redirects has failed, and is not followed', async () => {
    const told = await hook('venue.*')
    const other = await startReceiver()
    told.status = 307
    told.headers = { Location: other.url }
    await service.create('/venues', { venue: 'Elsewhere' })
    await until(async () => (await deliveries(told.id))[0]?.status === 307, 'the answer to be written')
    equal(other.received.length, 0)
    await remove(told.id)
  })

  test('that does not answer is sent one message at a time, and holds up no other', async () => {
    const slow = await Promise.all(Array.from({ length: 25 }, () => hook('venue.*')))
    const quick = await hook('venue.*')
    for (const each of slow) each.status = 0
    for (let i = 0; i < 4; i++) await service.create('/venues', { venue: `Slow ${i}` })
    await Promise.all([heard(quick, 4), ...slow.map((each) => heard(each, 1))])
    for (const each of slow) {
      ok((await deliveries(each.id)).every(({ attempts }) => attempts === 0))
      equal(each.received.length, 1)
    }
    for (const { close } of slow) close()
    for (const { id } of [...slow, quick]) await remove(id)
  })
})

test('addresses are public and https, or hosts of the setting', () => {
  const refused = (
    'http://example.org/ https://127.0.0.1/ https://10.0.0.1/ https://169.254.1.1/ ' +
    'https://100.64.0.1/ https://[::1]/ https://[::ffff:127.0.0.1]/ https://[64:ff9b::7f00:1]/ ' +
    'https://user:secret@example.org/ ftp://example.org/ file:///etc/passwd nothing ' +
    'https://2130706433/'
  ).split(' ')
  for (const url of refused) equal(mayPost(url, []), false, url)
  equal(mayPost('https://example.org/hook', []), true)
  equal(mayPost('http://127.0.0.1:8080/hook', ['127.0.0.1']), true)
  equal(mayPost('https://example.org/hook', ['127.0.0.1']), false)
})

test('two processes send each message once, and one takes over what another left behind', async () => {
  const told = await hook('venue.*')
  const second = await startApp({ ...service.config, port: 0 })
  try {
    for (let i = 0; i < 30; i++) await service.create('/venues', { venue: `Once ${i}` })
    await heard(told, 30)
    await quiet(told.id)
    const ids = told.received.map(({ headers }) => headers['webhook-id'])
    deepEqual([ids.length, new Set(ids).size], [30, 30])
  } finally {
    await second.stop()
  }
  // As if a process had been killed while sending.
  told.status = 500
  await service.create('/venues', { venue: 'Left behind' })
  await heard(told, 31)
  await until(async () => (await deliveries(told.id)).at(-1)?.attempts === 1, 'the attempt to be written')
  told.status = 204
  const times = { nowUtc: '2098-01-01 00:00:00', untilUtc: '2099-01-01 00:00:00' }
  const left = await database().write((tx) => claimDue(tx, told.id, times))
  ok(left)
  equal(await database().write((tx) => claimDue(tx, told.id, times)), undefined)
  await hurry(told.id)
  const [, again] = (await heard(told, 32)).slice(30)
  equal(again?.headers['webhook-id'], left.message)
  await remove(told.id)
})

test('a stopped process gives back what it is sending, and another one sends it at once', async () => {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-webhooks-'))
  const config = testConfig(folder, { database: patient(scratch.address), webhook_hosts: '127.0.0.1' })
  const first = await startApp(config)
  const receiver = await startReceiver()
  receiver.status = 0
  await addUsers(first)
  await first.database.write((tx) =>
    addWebhook(tx, { url: receiver.url, events: 'venue.*', is_private: 0 }, Date.now()),
  )
  const { status } = await fetch(`http://127.0.0.1:${first.port}/wp-json/tribe/events/v1/venues`, {
    method: 'POST',
    headers: { ...credentialsOf('admin'), 'content-type': 'application/json' },
    body: JSON.stringify({ venue: 'Given back' }),
  })
  equal(status, 201)
  await heard(receiver, 1)
  await first.stop()
  receiver.status = 204
  const next = await startApp(config)
  try {
    // Well before the minute is over after which the message of a killed process is sent again.
    const [before, again] = await heard(receiver, 2)
    equal(again?.headers['webhook-id'], before?.headers['webhook-id'])
  } finally {
    await next.stop()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
})

test('messages are not in copies and backups, and are dropped after 30 days', async () => {
  const tables = (await listTables(database().read, await featureTables())).map(({ name }) => name)
  ok(tables.includes('webhooks') && !tables.includes('webhook_deliveries'))
  const told = await hook('venue.*')
  await service.create('/venues', { venue: 'For a while' })
  await quiet(told.id)
  await dropOld(database(), 0, Date.now() + 29 * 86_400_000, undefined, webhookPrunings)
  equal((await deliveries(told.id)).length, 1)
  await dropOld(database(), 0, Date.now() + 31 * 86_400_000, undefined, webhookPrunings)
  equal((await deliveries(told.id)).length, 0)
  await remove(told.id)
})

test('commands add, list, test, send again, rotate, disable, enable and remove webhooks', async () => {
  const receiver = await startReceiver()
  match((await webhookCommand('add', 'http://192.168.1.1/')).err, /setting webhook-hosts/)
  match(
    (await webhookCommand('add', receiver.url, '--events', 'event.made')).err,
    /"event.made" is no type of change/,
  )
  const { out } = await webhookCommand('add', receiver.url, '--events', 'venue.*, event.created')
  const [, id = '', secret = ''] = /webhook (\d+)\..*: (whsec_\S+)/.exec(out) ?? []
  const listed = (await webhookCommand('list')).out
  ok(listed.includes('venue.*,event.created') && !listed.includes(secret))
  equal((await webhookCommand('test', id)).out, 'The receiver answered 204.\n')
  equal(receiver.received[0]?.body.type, 'webhook.test')
  const headers = receiver.received[0]?.headers as Record<string, string>
  new Webhook(secret).verify(receiver.received[0]?.text ?? '', headers)
  receiver.status = 500
  match((await webhookCommand('test', id)).err, /did not arrive. The receiver answered 500/)
  receiver.status = 204
  const log = (await webhookCommand('deliveries', id)).out
  match(log, /webhook\.test/)
  const [last] = await deliveries(Number(id))
  match((await webhookCommand('resend', String(last?.id))).out, /sent again/)
  await heard(receiver, 3)
  equal(receiver.received[2]?.headers['webhook-id'], last?.message)
  const failed = await Promise.all(['A', 'B'].map((venue) => service.create('/venues', { venue })))
  await heard(receiver, 5)
  await quiet(Number(id))
  const fail = { state: 'failed' } as const
  const told = failed.map((each) => each.id)
  await database().write((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set(fail)
      .where('kind', '=', 'venue')
      .where('record', 'in', told)
      .execute(),
  )
  match((await webhookCommand('resend-failed', id)).out, /: 2\./)
  await heard(receiver, 7)
  await quiet(Number(id))
  const twice = receiver.received.slice(3).map(({ headers: sent }) => sent['webhook-id'])
  deepEqual([new Set(twice).size, twice.slice(0, 2).sort()], [2, twice.slice(2).sort()])
  const none = await service.post(`~/wp-json/kalends/v1/webhooks/${id}/deliveries/resend`, {})
  deepEqual([none.status, none.body], [200, { resent: 0 }])
  match((await webhookCommand('rotate', id)).out, /whsec_/)
  equal((await webhookCommand('disable', id)).code, 0)
  match((await webhookCommand('list')).out, /disabled at .*By command/)
  equal((await webhookCommand('enable', id)).code, 0)
  equal((await webhookCommand('remove', id)).out, `Removed webhook ${id}.\n`)
  for (const words of [
    ['remove', id],
    ['test', 'x'],
    ['resend', '999999'],
    ['resend-failed', id],
  ])
    equal((await webhookCommand(...words)).code, 1)
})
