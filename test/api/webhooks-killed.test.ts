import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { addUsers } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const HOOKS = '/../../../kalends/v1/webhooks'

interface Told {
  unanswered: string[]
  answered: string[]
}

async function contentOf({ read }: Database): Promise<{ venues: number[]; messages: Map<number, string> }> {
  const venues = await read.selectFrom('venues').select('id').orderBy('id').execute()
  const rows = await read
    .selectFrom('webhook_deliveries')
    .select(['record', 'message'])
    .orderBy('record')
    .execute()
  equal(new Set(rows.map(({ record }) => record)).size, rows.length, 'a venue is told of twice')
  return {
    venues: venues.map(({ id }) => id),
    messages: new Map(rows.map(({ record, message }) => [record, message])),
  }
}

async function createUntilKilled(service: ServiceProcess, isTime: () => boolean): Promise<number[]> {
  const acknowledged: number[] = []
  const writers = Promise.allSettled(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; i < 500; i++) {
        const { status, body } = await service.send('admin', 'POST', '/venues', {
          venue: `Hall ${writer}.${i}`,
        })
        equal(status, 201)
        acknowledged.push(body.id)
      }
    }),
  )
  await until(() => acknowledged.length >= 40 && isTime(), 'nothing is acknowledged')
  await service.end('SIGKILL')
  await writers
  return acknowledged
}

test('a service killed between a write and its message tells every write, once answered once', async (t) => {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-webhooks-'))
  const told: Told = { unanswered: [], answered: [] }
  const held: ServerResponse[] = []
  let answers = false
  const receiver = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    told[answers ? 'answered' : 'unanswered'].push(id)
    if (answers) response.writeHead(204).end()
    else held.push(response)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const start = () =>
    startServiceProcess({ database: patient(scratch.address), data: folder, webhook_hosts: '127.0.0.1' })
  let service = await start()
  t.after(async () => {
    if (service.child.exitCode === null) await service.end('SIGKILL')
    receiver.closeAllConnections()
    receiver.close()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const database = await openDatabase(scratch.address)
  try {
    await addUsers({ database })
    const added = await service.send('admin', 'POST', HOOKS, { url, events: 'venue.created' })
    equal(added.status, 201, JSON.stringify(added.body))
    const acknowledged = await createUntilKilled(service, () => told.unanswered.length > 0)
    const { venues, messages } = await contentOf(database)
    deepEqual([...messages.keys()], venues)
    for (const id of acknowledged) ok(messages.has(id), `venue ${id}`)
    // Messages being sent belong to the killed process for a minute. Here they become due at once.
    const due = { next_utc: '2020-01-01 00:00:00' }
    await database.write((tx) => tx.updateTable('webhook_deliveries').set(due).execute())
    answers = true
    service = await start()
    await until(() => told.answered.length >= messages.size, 'not every message arrives')
    await sleep(1200)
    deepEqual(told.answered.toSorted(), [...messages.values()].sort())
    for (const id of told.unanswered) ok(told.answered.includes(id), id)
  } finally {
    await database.close()
  }
})
