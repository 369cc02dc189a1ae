import { equal, ok } from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { kalends } from '../support/commands.ts'
import { scratchDatabase } from '../support/database.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { startRelay } from '../support/relay.ts'
import { credentialsOf, makeCalendar } from '../support/service.ts'
import { ADD, concert, formToken } from '../support/suggestions.ts'
import { until } from '../support/waiting.ts'

test('the address of a reader or sender is in no answer, log, export or record of changes', async (t) => {
  const relay = await startRelay()
  const scratch = await scratchDatabase('users')
  await makeCalendar(scratch.address)
  const folder = await mkdtemp(join(tmpdir(), 'kalends-mail-'))
  const settings = {
    database: scratch.address,
    data: folder,
    mail: relay.address,
    mail_from: 'a@example.org',
    submissions: 'open',
  }
  const service = await startLoggedService({ ...settings, log_level: 'debug' })
  t.after(async () => {
    await service.end()
    await relay.close()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const address = 'whisper@example.com'
  relay.fault = () => ({ at: 'recipient', status: 550 })
  const origin = new URL(service.base).origin
  const body = new URLSearchParams({ address, rhythm: 'daily' })
  equal((await fetch(`${origin}/subscribe/`, { method: 'POST', body, redirect: 'manual' })).status, 303)
  const database = await openDatabase(scratch.address)
  const token = await formToken({ app: { database } })
  await database.close()
  const suggestion = new URLSearchParams({
    ...concert,
    address: 'whisper@example.net',
    start_date: '2027-05-01',
  })
  const form = { method: 'POST', body: suggestion, redirect: 'manual' } as const
  equal((await fetch(`${origin}${ADD}?form=${token}`, form)).status, 303)
  await until(() => service.log().some(({ msg }) => msg === 'e-mail given up'), 'nothing is given up')
  const run = (...words: string[]) =>
    kalends(['--database', scratch.address, '--data', folder, ...words]).then(({ out }) => out)
  const file = join(folder, 'backup.tar')
  await run('backup', '--without-secrets', file)
  const exported = join(folder, 'events.json')
  await run('export', '--format', 'json', '--output', exported)
  const credentials = credentialsOf('admin')
  const rest = ['/wp-json/', '/wp-json/wp/v2/users', '/events/?search=whisper']
  const told = [
    service.printed(),
    JSON.stringify(service.log()),
    await readFile(exported, 'utf8'),
    await run('audit', '--json'),
    await run('audit'),
    await run('doctor'),
    (await readFile(file)).toString('latin1'),
    ...(await Promise.all(
      rest.map(async (path) => (await fetch(origin + path, { headers: credentials })).text()),
    )),
  ]
  for (const [at, text] of told.entries()) ok(text !== '' && !text.includes('whisper@'), String(at))
})
