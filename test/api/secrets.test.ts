import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { shownUrl, withoutSecrets } from '../../src/watching/redact.ts'
import { scratchDatabase } from '../support/database.ts'
import { programEnvironment } from '../support/environment.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { until } from '../support/waiting.ts'

/** What must be nowhere; each is used under another name or form, so that what leaks tells where. */
let made = 0
const secrets: string[] = []
function secret(kind = 'hunter'): string {
  made += 1
  secrets.push(`${kind}${made}Secret`)
  return `${kind}${made}Secret`
}

function assertHidden(text: string, where: string): void {
  const leaked = secrets.filter((each) => text.includes(each))
  assert.deepEqual(leaked, [], `${where}: ${text.slice(0, 4000)}`)
}

const NAMES = [
  'password',
  'post_password',
  'PASSWORD',
  'pwd',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  '_wpnonce',
  'nonce',
  'api_key',
  'apikey',
  'key',
  'secret',
  'client_secret',
  'authorization',
  'auth',
  'X-Amz-Signature',
  'X-Amz-Credential',
]

test('no secret of a request is in the log, wherever and however it is sent', async (t) => {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-secrets-'))
  const service = await startLoggedService({ database: scratch.address, data: folder, log_level: 'debug' })
  t.after(async () => {
    await service.end()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const { base } = service
  const queries = [
    ...NAMES.map((name) => `${name}=${secret()}`),
    `%70assword=${secret()}`,
    `%2570assword=${secret()}`,
    `pass%77ord=${secret()}`,
    `data%5Bpassword%5D=${secret()}`,
    `user[password]=${secret()}`,
    `page=1&password=${secret()}&per_page=2`,
    `password=${secret()}#a`,
    `search=x&access_token=${secret()}%20${secret()}`,
    `next=https://example.org/?token=${secret()}`,
    `next=${encodeURIComponent(`https://example.org/?token=${secret()}`)}`,
    `image=${encodeURIComponent(`https://someone:${secret()}@example.org/a.png`)}`,
    `image=postgres://kalends:${secret()}@db/kalends`,
  ]
  for (const query of queries) {
    for (const path of ['/events', '/venues', '/nothing', '/events/1']) await fetch(`${base}${path}?${query}`)
    await fetch(`${base}/events?${query}`, { method: 'POST', body: `title=x&${query}` })
  }
  const headers = [
    `Basic ${Buffer.from(`admin:${secret()}`).toString('base64')}`,
    `Basic ${secret()}`,
    `Bearer ${secret()}`,
    `Bearer kal_${secret()}`,
    `Digest username="admin", response="${secret()}"`,
  ]
  for (const authorization of headers) {
    for (const method of ['GET', 'POST'])
      await fetch(`${base}/events`, { method, headers: { authorization, cookie: `session=${secret()}` } })
  }
  secrets.push(...headers.map((header) => header.split(' ')[1] ?? '').filter((text) => text.length > 20))
  await fetch(new URL(`/wp-json/?rest_route=/tribe/events/v1/events&password=${secret()}`, base))
  await sendRaw(base, `GET /wp-json/?token=${secret()} HTTP/9.9\r\nAuthorization: Bearer ${secret()}\r\n\r\n`)
  await sendRaw(base, `GET /wp-json/?token=${secret()}&x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => service.log().length > queries.length * 5, 'the log is not written')
  await service.end()
  assert.ok(service.printed().includes('***'), 'the log has the addresses')
  assertHidden(service.printed(), 'the log of the service')
})

/** Sends bytes that are no proper request, and waits until the connection is closed. */
function sendRaw(base: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.resume().once('close', () => resolve())
    socket.on('error', () => undefined)
  })
}

const addresses = (): string[] => [
  `postgres://kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgresql://kalends:${secret()}@127.0.0.1:9/kalends?sslmode=disable`,
  `postgre://kalends:${secret()}@127.0.0.1:9/kalends`,
  `Postgres://kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgres:/kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgres://kalends:p@ss@${secret()}@127.0.0.1:9/kalends`,
  `postgres://127.0.0.1:9/kalends?user=kalends&password=${secret()}`,
  `postgres://kalends:${secret()}@127.0.0.1:99999/kalends`,
  `postgres://kalends:${secret()}@127.0.0.1:9/kalends?connections=many`,
  `host=127.0.0.1 port=9 dbname=kalends password=${secret()}`,
]

test('no password of a database address is printed by any command, in whatever form it is given', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-secrets-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [at, address] of addresses().entries()) {
    const runs: [words: string[], env: Record<string, string>][] = [
      [['--database', address, 'serve'], {}],
      [['user', 'list'], { KALENDS_DATABASE: address }],
      [['copy', address, 'sqlite:x'], {}],
      [['copy', `sqlite:${join(folder, 'none')}`, address], {}],
      [['copy', 'sqlite:x'], { KALENDS_COPY_FROM: address }],
      [['--database-read', address, '--database', 'postgres://127.0.0.1:9/x', 'serve'], {}],
    ]
    // Each takes a start; every form goes through two of them, and every command sees some of the forms.
    for (const [words, env] of runs.filter((_, run) => (run + at) % 3 === 0)) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/kalends.js', ...words], {
        encoding: 'utf8',
        env: programEnvironment({ KALENDS_DATA: folder, ...env }),
      })
      assert.equal(status, 1, words.join(' '))
      assert.notEqual(stderr, '')
      assertHidden(stdout + stderr, words.join(' '))
    }
  }
  for (const file of await readdir(folder)) assertHidden(await readFile(join(folder, file), 'utf8'), file)
})

test('addresses without a secret are shown as they are', () => {
  for (const url of [
    '/wp-json/tribe/events/v1/events',
    '/wp-json/tribe/events/v1/events?page=2&search=a%20b',
    '/a?starts_after=2026-01-01%2000:00&tags[]=x&website=https://example.org/a?b=c',
    '/a?search=keys+and+passes&venue=3',
  ])
    assert.equal(shownUrl(url), url)
  const line = 'a line about tokens, a bearer of news, and postgres'
  assert.equal(withoutSecrets(line), line)
})

test('hiding secrets takes no time on long lines made for it', () => {
  const lines = [
    'a://'.repeat(20_000),
    'password'.repeat(20_000),
    'basic '.repeat(20_000),
    'kal_'.repeat(20_000),
    `?${'%5Bkey'.repeat(1300)}`,
  ]
  for (const line of lines) {
    const before = process.threadCpuUsage()
    withoutSecrets(line)
    if (line.length < 8001) shownUrl(line)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 200_000, `${line.slice(0, 20)}: ${user + system} µs`)
  }
})
