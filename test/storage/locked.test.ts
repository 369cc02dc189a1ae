import { deepEqual, equal, ok } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { onPostgres, onSqlite, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { onDay, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const event = (title: string) => ({ title, ...onDay('2031-05-01', '20:00:00', '22:00:00') })

describe('while another process has the file locked', onSqlite, () => {
  let scratch: ScratchDatabase
  let service: TestService
  let other: DatabaseSync

  beforeEach(async () => {
    scratch = await scratchDatabase()
    service = await startService({ database: scratch.address }, { seesRefusals: true })
    other = new DatabaseSync(scratch.address.slice('sqlite:'.length))
  })
  afterEach(async () => {
    other.close()
    await service.close()
    await scratch.remove()
  })

  test('writes wait without holding up anybody, and are done once it is free', async () => {
    other.exec('begin exclusive')
    let isWritten = false
    const writes = Promise.all([1, 2, 3].map((n) => service.post('/events', event(`Event ${n}`)))).finally(
      () => {
        isWritten = true
      },
    )
    const answers = await Promise.all([
      service.get('~/healthz'),
      service.get('~/readyz'),
      service.get('/events'),
      service.get('/events', 'admin'),
      service.get('/venues?search=hall'),
    ])
    deepEqual(pluck(answers, 'status'), [200, 200, 200, 200, 200])
    ok(!isWritten)
    other.exec('rollback')
    deepEqual(pluck(await writes, 'status'), [201, 201, 201])
  })

  test('a write is given up after some seconds with 503, and later ones succeed', async () => {
    other.exec('begin immediate')
    const since = performance.now()
    const { status, headers, body } = await service.post('/events', event('Too late'))
    ok(performance.now() - since > 3000)
    deepEqual([status, headers.get('retry-after'), body.code], [503, '1', 'rest_unavailable'])
    equal((await service.get('/events', 'admin')).body.total, 0)
    other.exec('rollback')
    equal((await service.post('/events', event('In time'))).status, 201)
    equal((await service.get('~/readyz')).status, 200)
  })
})

describe('while somebody has a row locked', onPostgres, () => {
  let scratch: ScratchDatabase
  let service: TestService
  let other: Client

  beforeEach(async () => {
    scratch = await scratchDatabase()
    service = await startService(
      { database: `${scratch.address}?connections=10&lock_ms=1500` },
      { seesRefusals: true },
    )
    other = new Client(scratch.address)
    await other.connect()
  })
  afterEach(async () => {
    await other.end()
    await service.close()
    await scratch.remove()
  })

  test('lists and single reads go on, and writes to that row are given up with 503, not 500', async () => {
    const { body } = await service.post('/events', event('Locked'))
    await other.query('begin')
    await other.query('select from events where id = $1 for update', [body.id])
    let isWaiting = true
    const updates = Promise.all(
      Array.from({ length: 20 }, (_, n) => service.put(`/events/${body.id}`, { title: `Title ${n}` })),
    ).finally(() => {
      isWaiting = false
    })
    let answered = 0
    while (isWaiting) {
      const answers = await Promise.all([
        service.get('/events', 'admin'),
        service.get(`/events/${body.id}`, 'admin'),
        service.get('/venues'),
        service.get('~/readyz'),
      ])
      deepEqual(pluck(answers, 'status'), [200, 200, 200, 200])
      answered++
      await sleep(20)
    }
    ok(answered >= 3, `${answered} rounds of reads`)
    for (const { status, headers, body } of await updates)
      deepEqual([status, headers.get('retry-after'), body.code], [503, '1', 'rest_unavailable'])
    await other.query('rollback')
    await until(
      async () => (await service.put(`/events/${body.id}`, { title: 'Free' })).status === 200,
      'it is not written again',
    )
  })
})
