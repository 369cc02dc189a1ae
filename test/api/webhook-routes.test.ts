import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { CredentialScope } from '../../src/calendar/people/caller.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { findUserByLogin } from '../../src/calendar/people/users.ts'
import { pluck } from '../support/lists.ts'
import { startServer } from '../support/server.ts'
import { type Reader, serviceForTests, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const HOOKS = '~/wp-json/kalends/v1/webhooks'

const service = serviceForTests({ webhook_hosts: '127.0.0.1' })
let close: () => void
let url: string
let answers = 204
const received: { headers: IncomingHttpHeaders; text: string }[] = []

before(async () => {
  await service.ready
  const receiver = await startServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    received.push({ headers: request.headers, text })
    response.writeHead(answers).end()
  })
  close = receiver.close
  url = `${receiver.origin}/hook`
})
after(() => close())

async function add(fields: object = {}) {
  const { status, body } = await service.post(HOOKS, { url, ...fields })
  equal(status, 201, JSON.stringify(body))
  return body
}

const refusedFields = (answer: { body: { data: { params: object } } }) => Object.keys(answer.body.data.params)

const messageRow = (webhook: number, record: number) => ({
  webhook,
  message: `msg_${record}`,
  type: 'event.updated',
  kind: 'event',
  record,
  sequence: 1,
  state: 'sent' as const,
  created_utc: '2026-11-20 10:00:00',
  next_utc: '',
  attempts: 1,
  status: 204,
  error: '',
})

describe('administrators manage webhooks over HTTP', () => {
  test('adding one answers with its address and its secret, which is never shown again', async () => {
    const { status, headers, body } = await service.post(HOOKS, {
      url,
      events: ['venue.*', 'event.created', 'venue.*'],
    })
    equal(status, 201)
    equal(headers.get('location'), body.rest_url)
    equal(body.rest_url, `${service.origin}/wp-json/kalends/v1/webhooks/${body.id}`)
    match(headers.get('cache-control') ?? '', /private|no-store/)
    match(body.secret, /^whsec_/)
    deepEqual([body.events, body.private, body.enabled], [['venue.*', 'event.created'], false, true])
    const { secret, ...shown } = body
    const path = `${HOOKS}/${body.id}`
    deepEqual((await service.get(path, 'admin')).body, shown)
    const listed = await service.get(HOOKS, 'admin')
    deepEqual(
      listed.body.webhooks.find(({ id }: { id: number }) => id === body.id),
      shown,
    )
    deepEqual((await service.request('admin', 'PATCH', path, {})).body, shown)
    ok(!JSON.stringify(listed.body).includes('whsec_'))
    deepEqual((await service.remove(path)).body, shown)
    equal((await service.get(path, 'admin')).body.code, 'rest-webhook-not-found')
    ok(secret.length > 40)
  })

  test('one is told of changes as asked, and of none when it is added disabled', async () => {
    const told = await add({ events: 'term.created' })
    const silent = await add({ events: '*', enabled: false, private: true })
    deepEqual([silent.enabled, silent.private, silent.disabled_why], [false, true, 'By an administrator.'])
    received.length = 0
    await service.create('/tags', { name: 'Told over HTTP' })
    await service.create('/venues', { venue: 'Not told' })
    await until(() => received.length > 0, 'the message')
    const [{ headers, text }] = received as [(typeof received)[0]]
    new Webhook(told.secret).verify(text, headers as Record<string, string>)
    equal(JSON.parse(text).type, 'term.created')
    deepEqual((await service.get(`${HOOKS}/${silent.id}/deliveries`, 'admin')).body.deliveries, [])
    for (const { id } of [told, silent]) await service.remove(`${HOOKS}/${id}`)
  })

  test('changing one leaves what is not sent, and enabling it forgets why it was disabled', async () => {
    const { id, secret: _secret, ...added } = await add()
    const path = `${HOOKS}/${id}`
    const change = async (method: string, fields: object) => {
      const { status, body } = await service.request('admin', method, path, fields)
      equal(status, 200, JSON.stringify(body))
      return body
    }
    deepEqual(await change('PUT', { private: true }), { id, ...added, private: true })
    deepEqual((await change('PATCH', { events: 'series.*, *' })).events, ['series.*', '*'])
    equal((await change('PATCH', { url: `${url}/other` })).url, `${url}/other`)
    const disabled = await change('PATCH', { enabled: false })
    match(disabled.disabled_utc, /^\d{4}-/)
    deepEqual(await change('PATCH', { enabled: false }), disabled)
    const enabled = await change('PUT', { enabled: 'true', private: '0', url, events: 'event.*' })
    deepEqual(enabled, { id, ...added })
    await service.remove(path)
  })

  test('a test says what came of it, messages are listed, and one is sent again with its id', async () => {
    const { id, secret } = await add()
    const path = `${HOOKS}/${id}`
    received.length = 0
    deepEqual((await service.post(`${path}/test`, {})).body, { arrived: true, status: 204, error: '' })
    answers = 500
    const failed = await service.post(`${path}/test`, {})
    deepEqual([failed.status, failed.body.arrived, failed.body.status], [200, false, 500])
    answers = 204
    const { deliveries } = (await service.get(`${path}/deliveries`, 'admin')).body
    deepEqual(pluck(deliveries, 'state', 'type'), [
      ['failed', 'webhook.test'],
      ['sent', 'webhook.test'],
    ])
    const [last] = deliveries
    deepEqual((await service.get(`${path}/deliveries?per_page=1`, 'admin')).body.deliveries, [last])
    const again = await service.post(`${path}/deliveries/${last.id}/resend`, {})
    deepEqual([again.status, again.body.state, again.body.message], [200, 'waiting', last.message])
    await until(() => received.length === 3, 'the message again')
    equal(received[2]?.headers['webhook-id'], last.message)
    const other = await add()
    const elsewhere = await service.post(`${HOOKS}/${other.id}/deliveries/${last.id}/resend`, {})
    deepEqual([elsewhere.status, elsewhere.body.code], [404, 'rest-message-not-found'])
    const rotated = await service.post(`${path}/rotate`, {})
    match(rotated.body.secret, /^whsec_/)
    notEqual(rotated.body.secret, secret)
    await service.post(`${path}/test`, {})
    const { headers = {}, text = '' } = received[3] ?? {}
    for (const each of [secret, rotated.body.secret])
      new Webhook(each).verify(text, headers as Record<string, string>)
    for (const each of [id, other.id]) await service.remove(`${HOOKS}/${each}`)
  })

  test('messages are listed page by page, however many there are', async () => {
    const { id } = await add({ enabled: false })
    const rows = Array.from({ length: 1203 }, (_, at) => messageRow(id, at))
    await service.app.database.write(async (tx) => {
      for (let at = 0; at < rows.length; at += 300)
        await tx
          .insertInto('webhook_deliveries')
          .values(rows.slice(at, at + 300))
          .execute()
    })
    const seen: number[] = []
    for (const page of [1, 2]) {
      const { body } = await service.get(`${HOOKS}/${id}/deliveries?per_page=1000&page=${page}`, 'admin')
      deepEqual([body.total, body.total_pages], [1203, 2])
      for (const { record } of body.deliveries) seen.push(record)
    }
    deepEqual(seen, rows.map(({ record }) => record).reverse())
    for (const page of ['3', '99999999999999'])
      deepEqual(
        (await service.get(`${HOOKS}/${id}/deliveries?per_page=1000&page=${page}`, 'admin')).body.deliveries,
        [],
      )
    equal((await service.get(`${HOOKS}/${id}/deliveries?page=0`, 'admin')).status, 400)
    await service.remove(`${HOOKS}/${id}`)
  })

  test('one that is added again with the same key is added once, and its secret is told again', async () => {
    const send = (fields: object, prefer: Record<string, string> = {}) =>
      service.post(HOOKS, fields, 'admin', { 'idempotency-key': 'hook 1', ...prefer })
    const [first, again] = [await send({ url }), await send({ url })]
    deepEqual([again.status, again.body], [201, first.body])
    equal(again.headers.get('idempotency-replayed'), 'true')
    equal((await send({ url, private: true })).status, 422)
    const short = await send({ url }, { prefer: 'return=minimal' })
    deepEqual(
      [short.status, short.body, short.headers.get('location'), short.headers.get('preference-applied')],
      [201, undefined, first.body.rest_url, 'return=minimal'],
    )
    const listed = (await service.get(HOOKS, 'admin')).body.webhooks.filter(
      (hook: { url: string }) => hook.url === url,
    )
    deepEqual(pluck(listed, 'id'), [first.body.id])
    equal((await send({ url: 'https://192.168.1.1/' })).status, 422)
    await service.remove(`${HOOKS}/${first.body.id}`)
  })

  test('what has not arrived and what is disabled is told in the language of the site', async () => {
    await using other = await startService({ webhook_hosts: '127.0.0.1', language: 'de' })
    const { id } = (await other.post(HOOKS, { url, enabled: false })).body
    const answered = 'Der Empfänger hat mit 500 geantwortet.'
    answers = 500
    equal((await other.post(`${HOOKS}/${id}/test`, {})).body.error, answered)
    answers = 204
    await other.request('admin', 'PATCH', `${HOOKS}/${id}`, { url: 'http://127.0.0.1:1/' })
    const { error } = (await other.post(`${HOOKS}/${id}/test`, {})).body
    match(error, /^Der Empfänger war nicht erreichbar \(ECONNREFUSED\)/)
    const { deliveries } = (await other.get(`${HOOKS}/${id}/deliveries`, 'admin')).body
    equal(deliveries[1].error, answered)
    const why = (await other.get(`${HOOKS}/${id}`, 'admin')).body.disabled_why
    equal(why, 'Von einem Administrator.')
    const { body } = await other.post(HOOKS, { url: 'http://192.168.1.1/' })
    match(body.data.params.url, /^Nachrichten gehen/)
  })

  test('each change is in the history under the name of its administrator, with the host alone', async () => {
    const { id } = await add({ url: `${url}?key=hidden` })
    const path = `${HOOKS}/${id}`
    await service.post(`${path}/rotate`, {})
    await service.request('admin', 'PATCH', path, { private: true })
    await service.remove(path)
    const acts = await service.app.database.read
      .selectFrom('history')
      .selectAll()
      .where('kind', '=', 'webhook')
      .where('record', '=', id)
      .orderBy('id')
      .execute()
    deepEqual(
      acts.map(({ action, login }) => `${login} ${action}`),
      ['admin create', 'admin update', 'admin update', 'admin delete'],
    )
    ok(!JSON.stringify(acts).includes('hidden'))
  })
})

describe('what is wrong is refused', () => {
  test('addresses that messages may not go to, unknown events, and values over a limit', async () => {
    const { id } = await add()
    const wrong: [fields: object, named: string[]][] = [
      [{ url: 'https://192.168.1.1/' }, ['url']],
      [{ url: 'https://example.org/' }, ['url']],
      [{ url: 'nothing' }, ['url']],
      [{ url: '' }, ['url']],
      [{ url: 7 }, ['url']],
      [{ url: ['x'] }, ['url']],
      [{ url: `${url}?${'x'.repeat(2000)}` }, ['url']],
      [{ url: url.replace('//', '//user:secret@') }, ['url']],
      [{ url, events: 'event.made' }, ['events']],
      [{ url, events: '' }, ['events']],
      [{ url, events: [] }, ['events']],
      [{ url, events: [{ a: 1 }] }, ['events']],
      [{ url, events: { a: { b: [] } } }, ['events']],
      [{ url, events: 'event.*,'.repeat(600) }, ['events']],
      [{ url, events: ["event.*' or '1'='1"] }, ['events']],
      [{ url, private: 'perhaps', enabled: {} }, ['private', 'enabled']],
    ]
    const before = (await service.get(HOOKS, 'admin')).body
    for (const [fields, named] of wrong) {
      for (const [method, path] of [
        ['POST', HOOKS],
        ['PATCH', `${HOOKS}/${id}`],
        ['PUT', `${HOOKS}/${id}`],
      ] as const) {
        const answer = await service.request('admin', method, path, fields)
        const where = `${method} ${JSON.stringify(fields).slice(0, 80)}`
        deepEqual([answer.status, answer.body.code], [400, 'rest_invalid_param'], where)
        deepEqual(refusedFields(answer), named, where)
      }
    }
    const said = async (fields: object) => (await service.post(HOOKS, fields)).body.data.params
    match(
      (await said({ url: 'https://192.168.1.1/' })).url,
      /^Messages are sent by https to public addresses/,
    )
    match(
      (await said({ url, events: 'event.made' })).events,
      /^"event\.made" is no type of change; there are event/,
    )
    equal((await service.post(HOOKS, {})).body.code, 'rest_missing_callback_param')
    for (const many of ['0', '-1', 'x', '1.5'])
      equal((await service.get(`${HOOKS}/${id}/deliveries?per_page=${many}`, 'admin')).status, 400, many)
    equal((await service.get(`${HOOKS}/${id}/deliveries?per_page=99999999`, 'admin')).status, 200)
    deepEqual((await service.get(HOOKS, 'admin')).body, before)
    await service.remove(`${HOOKS}/${id}`)
  })

  test('an id of nothing, however long', async () => {
    for (const id of ['0', '9'.repeat(40)])
      equal((await service.get(`${HOOKS}/${id}`, 'admin')).body.code, 'rest-webhook-not-found')
  })

  test('a token of an administrator manages them with write-all or no scope, not in a batch', async () => {
    const token = (name: string, scopes?: readonly CredentialScope[]) =>
      service.app.database.write(async (tx) => {
        const admin = await findUserByLogin(tx, 'admin')
        ok(admin)
        return addCredential(tx, admin, 'token', name, Date.now(), undefined, scopes ? { scopes } : {})
      })
    const statusWith = async (secret: string) =>
      (await service.get(HOOKS, 'anonymous', { authorization: `Bearer ${secret}` })).status
    equal(await statusWith(await token('whole')), 200)
    equal(await statusWith(await token('all', ['write-all'])), 200)
    equal(await statusWith(await token('own', ['write-own', 'media', 'read-drafts'])), 403)
    const requests = [{ path: '/kalends/v1/webhooks', body: { url } }]
    const batch = await service.post('~/wp-json/batch/v1', { requests })
    deepEqual(batch.body.responses[0].body.code, 'rest_batch_not_allowed')
  })

  test('a body that cannot be read is not read of those who may not write it', async () => {
    const json = { 'content-type': 'application/json' }
    const statusOf = async (caller: Reader) => (await service.post(HOOKS, '{', caller, json)).status
    deepEqual(
      [await statusOf('anonymous'), await statusOf('editor'), await statusOf('admin')],
      [401, 403, 400],
    )
  })
})
