import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { statement } from '../../src/store/storage/statement.ts'
import { databaseName } from '../support/database.ts'
import { onDay, startService, type TestService } from '../support/service.ts'

const onSqlite = databaseName() === 'sqlite'

const TEXT = 'Where the river turns. '.repeat(400)
const event = (title: string) => ({
  title,
  description: TEXT,
  ...onDay('2031-05-01', '20:00:00', '22:00:00'),
})

async function createUntilRefused(service: TestService) {
  const made: number[] = []
  for (let n = 0; n < 2000; n++) {
    const answer = await service.post('/events', event(`Event ${n}`))
    if (answer.status !== 201) return { made, refusal: answer }
    made.push(answer.body.id)
  }
  fail('no write was refused')
}

describe('a database without room', { skip: !onSqlite && 'on SQLite' }, () => {
  let service: TestService
  const run = (text: string) =>
    statement<Record<never, never>>()(() => sql.raw<Record<string, number>>(text))(
      service.app.database.read,
      {},
    )

  beforeEach(async () => {
    service = await startService()
    await service.post('/events', event('First'))
  })
  afterEach(() => service.close())

  test('refuses writes with 507, shows what it has, and writes again once there is room', async () => {
    const rows = await run('pragma page_count')
    await run(`pragma max_page_count = ${Number(rows[0]?.page_count) + 40}`)
    const { made, refusal } = await createUntilRefused(service)
    const { status, headers, body } = refusal
    deepEqual(
      [status, headers.get('retry-after'), body.code, body.data.status],
      [507, '30', 'rest_insufficient_storage', 507],
    )
    const all = (await service.get('/events?start_date=2031-01-01&end_date=2031-12-31', 'admin')).body.total
    equal(all, made.length + 1)
    const together = await Promise.all(
      Array.from({ length: 20 }, (_, n) => service.post('/events', event(`All ${n}`))),
    )
    for (const answer of together) ok([507, 201].includes(answer.status), String(answer.status))
    await run('pragma max_page_count = 1000000')
    equal((await service.post('/events', event('Again'))).status, 201)
    equal((await service.get('~/readyz')).status, 200)
    const check = await run('pragma integrity_check')
    deepEqual(Object.values(check[0] ?? {}), ['ok'])
  })

  test('that is read-only refuses writes with 503 and is not ready, until it may be written', async () => {
    await run('pragma query_only = on')
    const { status, headers, body } = await service.post('/events', event('Refused'))
    deepEqual([status, headers.get('retry-after'), body.code], [503, '30', 'rest_read_only'])
    equal((await service.get('~/readyz')).status, 503)
    equal((await service.get('~/healthz')).status, 200)
    equal((await service.get('/events?start_date=2031-01-01&end_date=2031-12-31')).body.total, 1)
    await run('pragma query_only = off')
    // The service recovers by itself.
    equal((await service.get('~/readyz')).status, 200)
    equal((await service.post('/events', event('Again'))).status, 201)
  })
})
