import { deepEqual, doesNotMatch, equal, notEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { addWebhook } from '../../src/features/webhooks/webhook-store.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { databaseName, onSqlite, patient, scratchDatabase } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { serverHere } from '../support/server.ts'
import { credentialsOf, makeCalendar, type Settings } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const EVENTS = '/tribe/events/v1/events'

async function prepare(settings: Settings) {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-watching-'))
  const given = { database: patient(scratch.address), data: folder, ...settings }
  await makeCalendar(scratch.address)
  const service = await startLoggedService(given)
  const remove = async () => {
    await service.end()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...service, address: scratch.address, remove }
}

async function start(t: TestContext, settings: Settings) {
  const service = await prepare(settings)
  t.after(service.remove)
  return service
}

const event = (title: string) => ({ title, start_date: '2027-05-01 10:00', end_date: '2027-05-01 11:00' })

function post(base: string, body: object) {
  const headers = { ...credentialsOf('admin'), 'content-type': 'application/json' }
  return fetch(`${base}/events`, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('a service with the lines of requests in its log', onSqlite, () => {
  let service: Awaited<ReturnType<typeof prepare>>

  before(async () => {
    service = await prepare({ trusted_proxy: 'loopback', log_level: 'info' })
  })
  after(() => service.remove())

  test('every request has one line in the log: reads from memory and from finished bodies too', async () => {
    const { base } = service
    equal((await post(base, event('Logged'))).status, 201)
    const ids: string[] = []
    const asked = [`${base}/events?start_date=2027-01-01`, `${base}/events/1`, `${base}/nothing-here`]
    for (const url of [asked[0], asked[0], asked[0], asked[1], asked[2]]) {
      const { headers } = await fetch(url ?? '')
      ids.push(headers.get('x-request-id') ?? 'none')
    }
    equal(new Set(ids).size, 5)
    await until(
      () => ids.every((id) => service.log().some((line) => line.requestId === id)),
      'lines are missing',
    )
    const lines = service.log().filter(({ msg }) => msg === 'answered')
    equal(lines.length, 6)
    const [write, ...reads] = lines
    deepEqual([write?.method, write?.route, write?.status, write?.level], ['POST', EVENTS, 201, 30])
    for (const [index, line] of reads.entries()) {
      equal(line.requestId, ids[index])
      ok(typeof line.ms === 'number' && line.ms >= 0 && line.bytes > 0, JSON.stringify(line))
    }
    deepEqual(pluck(reads, 'route', 'status'), [
      [EVENTS, 200],
      [EVENTS, 200],
      [EVENTS, 200],
      [`${EVENTS}/{id}`, 404],
      ['', 404],
    ])
  })

  test('each line of a request says who asks: address, user and program', async () => {
    const { base } = service
    const headers = { ...credentialsOf('admin'), 'user-agent': 'probe/1', 'x-forwarded-for': '203.0.113.9' }
    const before = service.log().filter(({ msg }) => msg === 'answered').length
    await fetch(`${base}/events?status=draft`, { headers })
    await fetch(`${base}/events`, { headers: { 'user-agent': '"},"msg":"forged'.repeat(50) } })
    const answered = () =>
      service
        .log()
        .filter(({ msg }) => msg === 'answered')
        .slice(before)
    await until(() => answered().length === 2, 'lines are missing')
    const [known, stranger] = answered()
    deepEqual([known?.address, known?.user, known?.agent], ['203.0.113.9', 'admin', 'probe/1'])
    deepEqual([stranger?.address, stranger?.user, stranger?.agent.length], ['127.0.0.1', '', 200])
  })

  test('nobody listens for readers of metrics without the setting', () => {
    equal(service.metrics, undefined)
  })

  test('the log begins with the version and where settings come from, and ends with the signal', async () => {
    await service.end('SIGHUP')
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const lines = service.log()
    const started = lines.find(({ msg }) => msg === 'started')
    equal(started?.version, version)
    equal(started?.settings.drain_ms, 'flag')
    const ends = lines.filter(({ msg }) => msg === 'stopping' || msg === 'stopped')
    deepEqual(pluck(ends, 'msg', 'signal'), [
      ['stopping', 'SIGHUP'],
      ['stopped', undefined],
    ])
  })
})

test('the lines of requests can be left out, for reads or altogether', onSqlite, async (t) => {
  const writes = await start(t, { log_level: 'info', request_log: 'writes' })
  const none = await start(t, { log_level: 'info', request_log: 'none' })
  for (const { base } of [writes, none]) {
    await fetch(`${base}/events`)
    equal((await post(base, event('Quiet'))).status, 201)
  }
  await until(() => writes.log().some(({ msg }) => msg === 'answered'), 'the write has no line')
  await Promise.all([writes.end(), none.end()])
  const answered = (service: typeof none) => service.log().filter(({ msg }) => msg === 'answered')
  deepEqual(pluck(answered(writes), 'method'), ['POST'])
  deepEqual(answered(none), [])
})

function failregex(): RegExp {
  const page = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8')
  const [, expression = ''] = /^ *failregex = (.+)$/m.exec(page) ?? []
  return new RegExp(expression.replace('<HOST>', '(?<host>[0-9a-f.:]+)'))
}

test('a refused sign-in is one line, which no login can forge', onSqlite, async (t) => {
  const service = await start(t, { log_level: 'warn' })
  const signIn = (authorization: string) => fetch(`${service.base}/events`, { headers: { authorization } })
  const basic = (login: string) => `Basic ${Buffer.from(`${login}:wrong`).toString('base64')}`
  const logins = ['admin', '","address":"198.51.100.7","login":"","msg":"sign-in refused"}', 'a\\"']
  for (const login of logins) await signIn(basic(login))
  await signIn('Bearer kal_0000')
  const refused = () =>
    service
      .printed()
      .split('\n')
      .filter((line) => line.includes('sign-in refused'))
  await until(() => refused().length === 4, 'lines are missing')
  deepEqual(
    refused().map((line) => [failregex().exec(line)?.groups?.host, JSON.parse(line).login]),
    [...logins, ''].map((login) => ['127.0.0.1', login.split(':', 1)[0]]),
  )
})

function parseMetrics(page: string): Map<string, number> {
  const samples = new Map<string, number>()
  const typed = new Set<string>()
  for (const line of page.trimEnd().split('\n')) {
    if (line.startsWith('# HELP ')) continue
    const [, name] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? []
    if (name !== undefined) {
      ok(!typed.has(name), `${name} comes twice`)
      typed.add(name)
      continue
    }
    const [, sample = '', family = '', value = ''] =
      /^((\w+?)(?:_bucket|_sum|_count)?(?:\{[^}]*(?:\{id\}|\{slug\})?[^}]*\})?) (\S+)$/.exec(line) ?? []
    ok(typed.has(family) || typed.has(sample.split('{')[0] ?? ''), line)
    doesNotMatch(sample, /[{,]quantile=/, 'only summaries have quantiles')
    ok(!samples.has(sample), `${sample} comes twice`)
    ok(value === '+Inf' || Number.isFinite(Number(value)), line)
    samples.set(sample, Number(value))
  }
  return samples
}

test('metrics tell requests, times, caches, database, process; made-up paths make no series', async (t) => {
  const service = await start(t, { metrics: '127.0.0.1:0' })
  const { base, metrics } = service
  ok(metrics)
  for (let i = 0; i < 30; i++) equal((await fetch(`${base}/events?start_date=2027-01-01`)).status, 200)
  for (let i = 0; i < 4; i++) equal((await post(base, event(`Event ${i}`))).status, 201)
  await fetch(`${base}/events/1`)
  await fetch(`${base}/venues?search=anything`)
  const read = async () => {
    const response = await fetch(metrics)
    equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return parseMetrics(await response.text())
  }
  const sum = (samples: Map<string, number>, name: string, ...labels: string[]) =>
    [...samples].reduce((total, [sample, value]) => {
      const isMeant = sample.split('{')[0] === name && labels.every((label) => sample.includes(label))
      return total + (isMeant ? value : 0)
    }, 0)
  const samples = await read()
  const route = `route="${EVENTS}"`
  equal(sum(samples, 'kalends_requests_total', route, 'method="GET"', 'status="200"'), 30)
  equal(sum(samples, 'kalends_requests_total', route, 'method="POST"', 'status="201"'), 4)
  equal(sum(samples, 'kalends_requests_total', `route="${EVENTS}/{id}"`, 'status="404"'), 1)
  equal(sum(samples, 'kalends_request_duration_seconds_count', route), 34)
  equal(sum(samples, 'kalends_request_duration_seconds_bucket', route, 'le="+Inf"'), 34)
  equal(sum(samples, 'kalends_answers_total'), 36)
  ok(sum(samples, 'kalends_answers_total', 'from="finished"') > 0)
  ok(sum(samples, 'kalends_database_seconds_count', 'kind="write"') >= 4)
  equal(sum(samples, 'kalends_database_waiting'), 0)
  equal(sum(samples, 'kalends_queue_waiting'), 0)
  ok(sum(samples, 'kalends_queue_limit', 'work="searches"') > 0)
  const hasServer = databaseName() === 'postgres'
  equal(sum(samples, 'kalends_database_connections') > 0, hasServer)
  equal(sum(samples, 'kalends_database_up'), 1)
  ok(sum(samples, 'kalends_log_position') >= 4)
  ok(sum(samples, 'kalends_memory_bytes') > 10_000_000)
  equal(sum(samples, 'kalends_info', 'version="'), 1)
  ok([...samples.keys()].some((sample) => sample.startsWith('kalends_event_loop_delay_seconds')))
  ok(samples.has('kalends_answer_bytes_total'))
  await fetch(`${base}/events?start_date=2027-01-01`)
  equal(sum(await read(), 'kalends_requests_total', route, 'method="GET"', 'status="200"'), 31)
  await until(async () => sum(await read(), 'kalends_index_events') === 4, 'the index is not counted')
  for (const [path, status] of [
    ['/', 404],
    ['/events', 404],
  ] as const)
    equal((await fetch(new URL(path, metrics))).status, status)
  equal((await fetch(metrics, { method: 'POST' })).status, 405)
  notEqual(new URL(metrics).port, new URL(base).port)
  equal((await fetch(new URL('/metrics', base))).status, 404)
  for (let i = 0; i < 20; i++) {
    await fetch(`${base}/made-up-${i}`, { method: 'PROPFIND' })
    await fetch(new URL(`/made-up-${i}`, base))
  }
  const page = await (await fetch(metrics)).text()
  ok(!page.includes('made-up') && !page.includes('PROPFIND'), page)
})

async function startReceiver() {
  const receiver = { status: 204, url: '' }
  const origin = await serverHere((request, response) => {
    request.resume().on('end', () => response.writeHead(receiver.status, { 'Retry-After': '86400' }).end())
  })
  return Object.assign(receiver, { url: `${origin}/hooks/T0/hidden?key=hidden` })
}

test('messages to webhooks are counted, and told by a line where it turns', onSqlite, async (t) => {
  const receiver = await startReceiver()
  const given = { metrics: '127.0.0.1:0', webhook_hosts: '127.0.0.1', log_level: 'warn' }
  const service = await start(t, given)
  const database = await openDatabase(patient(service.address))
  t.after(database.close)
  const added = { url: receiver.url, events: 'event.created', is_private: 0 }
  const { id } = await database.write((tx) => addWebhook(tx, added, Date.now()))
  const counted = async () => {
    const page = parseMetrics(await (await fetch(service.metrics ?? '')).text())
    const sum = (name: string, label: string) =>
      [...page].reduce((total, [sample, value]) => {
        const isMeant = sample.split('{')[0] === name && sample.includes(label)
        return total + (isMeant ? value : 0)
      }, 0)
    const outcomes = ['delivered', 'failed', 'given_up'].map((outcome) =>
      sum('kalends_webhook_attempts_total', `outcome="${outcome}"`),
    )
    return [...outcomes, sum('kalends_webhook_disablings_total', '')].join()
  }
  const lines = () => service.log().filter(({ msg }) => String(msg).startsWith('webhook'))
  const come = async (status: number, counts: string) => {
    receiver.status = status
    equal((await post(service.base, event(`Told with ${status}`))).status, 201)
    await until(async () => (await counted()) === counts, `not counted: ${counts}`)
  }
  await until(async () => (await counted()) === '0,0,0,0', 'counts begin at 0')
  await come(204, '1,0,0,0')
  await come(500, '1,1,0,0')
  await come(503, '1,2,0,0')
  await come(204, '2,2,0,0')
  await come(500, '2,3,0,0')
  const old = { next_utc: '2020-01-01 00:00:00', created_utc: '2020-01-01 00:00:00' }
  await database.write((tx) =>
    tx.updateTable('webhook_deliveries').set(old).where('state', '=', 'waiting').execute(),
  )
  await until(async () => (await counted()) === '2,3,3,0', 'not counted: given up')
  await come(410, '2,4,3,1')
  const address = `${new URL(receiver.url).origin}/***`
  await until(() => lines().length === 6, `lines are missing: ${service.printed()}`)
  const failed = { webhook: id, address, status: 500, reason: 'The receiver answered 500.' }
  const gone = { ...failed, status: 410, reason: 'The receiver answered that it is gone (410).', waiting: 1 }
  deepEqual(
    lines().map(({ level, time, pid, hostname, message, waiting, ...line }) =>
      message === undefined ? { ...line, waiting } : line,
    ),
    [
      { ...failed, waiting: 1, msg: 'webhook fails' },
      { ...failed, waiting: 3, msg: 'webhook fails' },
      ...[1, 2, 3].map(() => ({ ...failed, msg: 'webhook message given up' })),
      { ...gone, msg: 'webhook disabled' },
    ],
  )
  const ids = new Set(lines().flatMap(({ message }) => message ?? []))
  equal(ids.size, 3)
  ok(!service.printed().includes('hidden'))
})

test('the link of a meeting is in no line of the log, however it was sent', onSqlite, async (t) => {
  const service = await start(t, { log_level: 'debug', webhook_hosts: '127.0.0.1' })
  const { base } = service
  const headers = credentialsOf('admin')
  const link = 'https://meet.example/room-secret'
  const told = { ...event('Meeting'), attendance: 'online', online_url: link, online_shown: 'before:15' }
  const made = (await (await post(base, told)).json()) as { id: number }
  const path = `${base}/events/${made.id}`
  const query = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  const sent: [string, RequestInit][] = [
    [path, {}],
    [`${base}/events?search=meeting`, {}],
    [path, { method: 'PUT', body: new URLSearchParams({ online_url: link, title: 'Form' }) }],
    [`${path}?${query('online_url', link)}`, { method: 'PUT' }],
    [`${path}?_method=PUT&online_url=${link}`, { method: 'POST' }],
    [`${path}?${query('online_url', 'http://meet.example/room-secret')}`, { method: 'PUT' }],
    [`${base}/events?${query('title', 'Query')}&${query('online_url', `${link}?a=b`)}`, { method: 'POST' }],
    [`${base}/nothing?${query('data[online_url]', link)}`, { method: 'POST' }],
    [`${path}?online_url=${link}`, { method: 'DELETE' }],
  ]
  for (const [url, options] of sent) await fetch(url, { ...options, headers })
  await post(base, { ...told, online_url: `${link} and more` })
  await post(base, { ...told, online_shown: link })
  equal((await fetch(path, { headers })).status, 200, 'in the trash, for those who may see it')
  await until(
    () => service.log().some(({ url, method }) => method === 'DELETE' && url),
    'the last line is missing',
  )
  await service.end()
  doesNotMatch(service.printed(), /room-secret/)
  ok(service.log().filter(({ msg }) => msg === 'answered').length >= sent.length)
})
