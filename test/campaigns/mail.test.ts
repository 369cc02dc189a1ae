// A short form of `npm run mail:kills`, and a disk that is full.

import { deepEqual, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { queueMessage } from '../../src/features/mail/outbox.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { SERVER } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { startServiceProcess } from '../support/processes.ts'
import { startRelay } from '../support/relay.ts'
import { makeCalendar } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { refusingDisk } from './failing-disks.ts'
import { killWhileSending } from './mail-campaign.ts'

test('a service killed while it sends loses no e-mail, sends none astray, and repeats its last', async () => {
  const { lost, astray, unexplained, doubled } = await killWhileSending(2)
  deepEqual({ lost, astray, unexplained }, { lost: 0, astray: 0, unexplained: 0 })
  ok(doubled > 0)
})

const disk = process.env[SERVER] === undefined ? refusingDisk() : 'only SQLite writes to it'

test('a disk that is full after DATA loses no e-mail and sends none twice', {
  skip: typeof disk === 'string' && disk,
}, async (t) => {
  if (typeof disk === 'string') return
  const { folder } = disk
  const address = `sqlite:${join(folder, 'kalends.sqlite')}`
  await makeCalendar(address)
  const relay = await startRelay()
  const mail = { mail: relay.address, mail_from: 'calendar@example.org' }
  const service = await startServiceProcess({ data: folder, ...mail }, disk.before)
  const database = await openDatabase(address)
  t.after(async () => {
    await database.close()
    await service.end('SIGKILL')
    await relay.close()
    disk.remove()
  })
  const pid = Number(service.child.pid)
  relay.fault = () => {
    if (relay.received.length === 0) disk.refuse(pid)
    return undefined
  }
  const letter = { subject: 'Hello', blocks: [] }
  const queue = (to: string) =>
    database.write((tx) => queueMessage(tx, { to, language: 'en', topic: 'test', letter }, Date.now()))
  await queue('ann@example.com')
  await queue('ben@example.com')
  await until(() => relay.received.length === 1, 'nothing is sent')
  const body = new URLSearchParams({ address: 'carl@example.com' })
  const stranger = await fetch(new URL('/subscribe/', service.base), { method: 'POST', body })
  ok(stranger.status === 507 || stranger.status === 503, String(stranger.status))
  disk.allow(pid)
  const unsent = database.read.selectFrom('mail_messages').select('id').where('state', '<>', 'sent')
  await until(async () => (await unsent.execute()).length === 0, 'not all are sent')
  deepEqual(pluck(relay.received, 'to'), ['ann@example.com', 'ben@example.com'])
})
