import { ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDatabase } from '../support/database.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { assertHidden, rememberSecrets, secret } from '../support/secrets.ts'
import { until } from '../support/waiting.ts'

const NAMES = (
  'password post_password PASSWORD pwd pw pin passphrase ' +
  'token access_token refresh_token id_token _wpnonce ' +
  'nonce api_key apikey key secret client_secret authorization auth X-Amz-Signature X-Amz-Credential'
).split(' ')

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
  rememberSecrets(headers.map((header) => header.split(' ')[1] ?? '').filter((text) => text.length > 20))
  await fetch(new URL(`/wp-json/?rest_route=/tribe/events/v1/events&password=${secret()}`, base))
  await sendRaw(base, `GET /wp-json/?token=${secret()} HTTP/9.9\r\nAuthorization: Bearer ${secret()}\r\n\r\n`)
  await sendRaw(base, `GET /wp-json/?token=${secret()}&x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => service.log().length > queries.length * 5, 'the log is not written')
  await service.end()
  ok(service.printed().includes('***'), 'the log has the addresses')
  assertHidden(service.printed(), 'the log of the service')
})

function sendRaw(base: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.resume().once('close', () => resolve())
    socket.on('error', () => undefined)
  })
}
