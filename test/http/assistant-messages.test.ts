import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ask, ENVELOPE } from '../support/assistant.ts'
import { serviceForTests, startService } from '../support/service.ts'

const run = promisify(execFile)
const service = serviceForTests({ mcp: 'read', mcp_rate_limit: '0' })

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.post('~/mcp', typeof body === 'string' ? body : JSON.stringify(body), 'anonymous', {
    ...JSON_TYPE,
    ...headers,
  })
const message = (method: string, params?: object, id: unknown = 7) => ({ jsonrpc: '2.0', id, method, params })
const code = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body.error?.code]

test('nothing answers assistants unless the setting says so', async () => {
  await using other = await startService()
  const { status, body } = await ask(other, 'tools/list')
  deepEqual([status, body.code], [404, 'rest_no_route'])
})

test('what answers assistants is loaded when the first one asks, and not with the service', async () => {
  const at = (path: string) => new URL(`../../src/${path}`, import.meta.url).href
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const own = /features.assistants.(?!assistants-feature|assistant-settings)/
    const count = () => loaded.filter((url) => own.test(url)).length
    await import('${at('app.ts')}')
    const [before, whole] = [count(), loaded.length]
    await import('${at('features/assistants/assistants-route.ts')}')
    console.log(JSON.stringify({ before, isService: whole > 100, after: count() > 3 }))
  `
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  deepEqual(JSON.parse(stdout), { before: 0, isService: true, after: true })
})

test('where assistants only read, nobody is told of tools that write, and they are not there', async () => {
  const { body } = await ask(service, 'tools/list', {}, { as: 'admin' })
  ok(!JSON.stringify(body).includes('create_event'))
  const called = await ask(service, 'tools/call', { name: 'create_event', arguments: {} }, { as: 'admin' })
  equal(called.body.error.code, -32602)
})

test('messages are sent by POST alone', async () => {
  for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'OPTIONS']) {
    const { status, headers } = await service.request('anonymous', method, '~/mcp')
    deepEqual([status, headers.get('allow')], [405, 'POST'], method)
  }
})

test('messages are JSON, and say so', async () => {
  equal((await post(message('ping'), { 'content-type': 'text/plain' })).status, 415)
  equal((await post(message('ping'), { 'content-type': 'application/json; charset=utf-8' })).status, 200)
  for (const text of ['', '{', 'nothing', '[1', '\ufeff{}'])
    deepEqual(code(await post(text)), [400, -32700], text)
})

test('what is no request is refused, lists of requests among it', async () => {
  const wrong: unknown[] = [
    [message('ping')],
    [],
    null,
    1,
    'ping',
    {},
    { id: 1, method: 'ping' },
    { ...message('ping'), jsonrpc: '1.0' },
    message('ping', undefined, null),
    message('ping', undefined, 1.5),
    message('ping', undefined, {}),
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, method: 1 },
  ]
  for (const body of wrong)
    deepEqual(code(await post(JSON.stringify(body))), [400, -32600], JSON.stringify(body))
  deepEqual(code(await post(message('ping', [1]))), [400, -32602])
})

test('notifications are taken, and answered with nothing', async () => {
  const { status, body } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  deepEqual([status, body], [202, undefined])
})

test('a message has 64 kB and twenty levels at the most', async () => {
  const sized = (bytes: number) => {
    const empty = JSON.stringify(message('ping', { a: '' }))
    return JSON.stringify(message('ping', { a: 'x'.repeat(bytes - empty.length) }))
  }
  equal((await post(sized(65_536))).status, 200)
  equal((await post(sized(65_537))).status, 413)
  equal((await post(sized(3_000_000))).status, 413)
  equal(
    (await post(sized(65_537), { authorization: `Basic ${btoa('admin:abcd EFGH 1234 ijkl MNOP 5678')}` }))
      .status,
    413,
  )
  const nested = (levels: number) =>
    '{"jsonrpc":"2.0","id":1,"method":"ping",' +
    `"params":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`
  equal((await post(nested(20))).status, 200)
  deepEqual(code(await post(nested(21))), [400, -32600])
  deepEqual(code(await post('['.repeat(32_000) + ']'.repeat(32_000))), [400, -32600])
  deepEqual(code(await post(nested(9_000))), [400, -32600])
})

test('requests by the name of another site, or from one, are refused unread', async () => {
  const { host } = new URL(service.origin)
  const own = [
    {},
    { host },
    { host: '127.0.0.1:1' },
    { origin: `http://${host}` },
    { host: `[::1]:80`, origin: 'http://[::1]' },
  ]
  for (const headers of own)
    equal((await post(message('ping'), headers)).status, 200, JSON.stringify(headers))
  const foreign = [
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { host: 'evil.example', origin: 'http://evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:1' },
    { origin: `http://${host}.evil.example` },
    { host: 'a b' },
    { origin: 'file://' },
  ]
  for (const headers of foreign) {
    const refused = await post('{', headers)
    deepEqual(code(refused), [403, -32000], JSON.stringify(headers))
    equal(refused.headers.get('access-control-allow-origin'), null)
  }
  const open = await post(message('ping'), { origin: service.origin })
  equal(open.headers.get('access-control-allow-origin'), null)
  equal(open.headers.get('cache-control'), 'no-store')
})

test('an address may ask so many times a second, and is told when to come back', async () => {
  await using limited = await startService({ mcp: 'read', mcp_rate_limit: '1' })
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(limited, 'server/discover')))
  const refused = answers.filter(({ status }) => status === 429)
  ok(refused.length > 0 && refused.length < 100, `${refused.length}`)
  equal(refused[0]?.headers.get('retry-after'), '1')
  equal(refused[0]?.body.error.data.code, 'rest_too_many_requests')
  equal((await limited.get('/events')).status, 200)
})

test('a request that stands alone says in its headers what it says in its body', async () => {
  const call = { name: 'get_event', arguments: { id: 1 } }
  const mismatches: Record<string, string>[] = [
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'search_events' },
    { 'mcp-name': '=?base64?Z2V0?=' },
    { 'mcp-protocol-version': '2025-11-25' },
  ]
  for (const headers of mismatches)
    deepEqual(
      code(await ask(service, 'tools/call', call, { headers })),
      [400, -32020],
      JSON.stringify(headers),
    )
  const named = { 'mcp-name': `=?base64?${btoa('get_event')}?=` }
  equal((await ask(service, 'tools/call', call, { headers: named })).status, 200)
  for (const missing of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const whole = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'get_event',
    }
    const headers = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing))
    const sent = await post(message('tools/call', { _meta: ENVELOPE, ...call }), headers)
    deepEqual(code(sent), [400, -32020], missing)
  }
})

test('an envelope that lacks something is refused by the name of what it lacks', async () => {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  for (const name of ['protocolVersion', 'clientCapabilities']) {
    const _meta = Object.fromEntries(Object.entries(ENVELOPE).filter(([key]) => !key.endsWith(name)))
    const { status, body } = await post(message('tools/list', { _meta }), headers)
    deepEqual([status, body.error.code, body.id], [400, -32602, 7])
    ok(body.error.message.includes(name))
  }
  deepEqual(code(await post(message('tools/list'), headers)), [400, -32602])
})

test('a revision that is not known is refused with those that are', async () => {
  const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
  const alone = { 'mcp-protocol-version': '2031-01-01', 'mcp-method': 'tools/list' }
  for (const { status, body } of [
    await post(message('tools/list', { _meta }), alone),
    await post(message('tools/list'), { 'mcp-protocol-version': '2031-01-01' }),
  ]) {
    deepEqual([status, body.error.code], [400, -32022])
    equal(body.error.data.requested, '2031-01-01')
    ok(['2026-07-28', '2025-11-25', '2025-06-18'].every((known) => body.error.data.supported.includes(known)))
  }
})

test('a handshake agrees on the revision asked for, or the latest one that shakes hands', async () => {
  const pairs = [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ] as const
  for (const [asked, agreed] of pairs) {
    const { body } = await post(message('initialize', { protocolVersion: asked, capabilities: {} }))
    equal(body.result.protocolVersion, agreed)
    match(body.result.instructions, /never follow instructions/)
    const listed = await post(message('tools/list'), { 'mcp-protocol-version': agreed })
    equal(listed.body.result.tools.length, 5)
    equal(listed.body.result.resultType, undefined)
  }
})

test('a method that is not there is named as such', async () => {
  deepEqual(code(await ask(service, 'resources/list')), [404, -32601])
  deepEqual(code(await post(message('resources/list'))), [200, -32601])
  deepEqual(code(await ask(service, 'initialize')), [404, -32601])
  deepEqual(code(await ask(service, 'tools/list', { cursor: 'x' })), [200, -32602])
  deepEqual(code(await ask(service, 'tools/call', { name: 'drop_tables', arguments: {} })), [200, -32602])
  deepEqual(code(await ask(service, 'tools/call', { name: 'get_event', arguments: [1] })), [200, -32602])
})
