// The receiver is Debian's program `webhook`, which calls openssl. Neither shares code with Kalends.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { day, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const PROGRAM = '/usr/bin/webhook'
const HOOKS = '~/wp-json/kalends/v1/webhooks'

/** Verifies a message by Standard Webhooks 1.0 with a secret from a file. Arguments: webhook-id, webhook-timestamp, webhook-signature, body. */
const VERIFY = `#!/bin/sh
key=$(sed 's/^whsec_//' "$(dirname "$0")/secret" | base64 -d | od -An -tx1 | tr -d ' \\n')
mine=$(printf '%s' "$1.$2.$4" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w 0)
case " $3 " in *" v1,$mine "*) exit 0 ;; esac
exit 1
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((go) => server.once('listening', go))
  const address = server.address()
  await new Promise((go) => server.close(go))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Starts the receiver, which answers 200 to a verified message and 500 to others. Returns its address and a function that sets the secret. */
async function startReceiver(t: TestContext): Promise<{ url: string; tell: (secret: string) => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-receiver-'))
  const command = join(folder, 'verify')
  const header = (name: string) => ({ source: 'header', name })
  const hook = {
    id: 'kalends',
    'execute-command': command,
    'include-command-output-in-response': true,
    'pass-arguments-to-command': [
      ...['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'].map(header),
      { source: 'raw-request-body' },
    ],
  }
  await writeFile(command, VERIFY)
  await chmod(command, 0o700)
  await writeFile(join(folder, 'hooks.json'), JSON.stringify([hook]))
  const port = await freePort()
  const words = ['-hooks', join(folder, 'hooks.json'), '-ip', '127.0.0.1', '-port', String(port)]
  const child = spawn(PROGRAM, words, { stdio: 'ignore' })
  t.after(async () => {
    child.kill()
    await rm(folder, { recursive: true, force: true })
  })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(origin).catch(() => undefined)) !== undefined, 'the receiver does not listen')
  return { url: `${origin}/hooks/kalends`, tell: (secret) => writeFile(join(folder, 'secret'), secret) }
}

test('a receiver of Debian verifies what it is told, and refuses it with another secret', {
  skip: !existsSync(PROGRAM) && 'there is no receiver here; apt-get install webhook',
}, async (t) => {
  const service = await startService({ webhook_hosts: '127.0.0.1' })
  t.after(service.close)
  const { url, tell } = await startReceiver(t)
  const { id, secret } = (await service.post(HOOKS, { url, events: '*' })).body
  await tell(secret)
  await service.create('/events', { ...day, title: 'Größe “quoted” & $(more)', description: "It's `told`\n\n100 %" })
  const listed = async () => (await service.get(`${HOOKS}/${id}/deliveries`, 'admin')).body.deliveries
  await until(async () => (await listed())[0]?.attempts > 0, 'the receiver was not told')
  const [{ state, status, type }] = await listed()
  assert.deepEqual([type, state, status], ['event.created', 'sent', 200])
  const rotated = await service.post(`${HOOKS}/${id}/rotate`, {})
  for (const each of [rotated.body.secret, secret]) {
    await tell(each)
    assert.deepEqual((await service.post(`${HOOKS}/${id}/test`, {})).body, { arrived: true, status: 200, error: '' })
  }
  await tell('whsec_c29tZXRoaW5nIGVsc2UgYWx0b2dldGhlcg==')
  assert.equal((await service.post(`${HOOKS}/${id}/test`, {})).body.status, 500)
})
