import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database, ReadQuery } from '../../src/store/storage/database.ts'
import { DatabaseUnavailable } from '../../src/store/storage/unavailable.ts'
import { databaseName, onSqlite } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { openScratch } from './open.ts'

const plain = <Row>(database: Database, query: RawBuilder<Row>): ReadQuery<Row> => ({
  compile: () => query.compile(database.read),
})

const counting = (database: Database, to: number) =>
  plain(
    database,
    sql<{ n: number }>`with recursive up (n) as (select 1 union all select n + 1 from up where n < ${to})
      select count(*) as n from up`,
  )

test('a read beside the others sees whatever was committed before it', async (t) => {
  const { database } = await openScratch(t)
  for (let count = 1; count <= 50; count++) {
    await database.write((tx) => tx.insertInto('records').values({ kind: 'event' }).execute())
    const all = database.read
      .selectFrom('records')
      .select((record) => record.fn.countAll<number>().as('count'))
    const [lists, searches] = await Promise.all([
      database.readInLane(database.read, 'list', [all]),
      database.readInLane(database.read, 'search', [all]),
    ])
    deepEqual([Number(lists[0][0]?.count), Number(searches[0][0]?.count)], [count, count])
  }
})

test('queries that are asked together see one moment, whatever is written', onSqlite, async (t) => {
  const { database } = await openScratch(t)
  const all = database.read.selectFrom('records').select((record) => record.fn.countAll<number>().as('count'))
  let isOver = false
  const writing = (async () => {
    while (!isOver) await database.write((tx) => tx.insertInto('records').values({ kind: 'event' }).execute())
  })()
  for (let i = 0; i < 10; i++) {
    const [first, , last] = await database.readInLane(database.read, 'list', [
      all,
      counting(database, 200_000),
      all,
    ])
    deepEqual(first, last)
  }
  isOver = true
  await writing
})

test('a transaction reads what it has written, also in lists', async (t) => {
  const { database } = await openScratch(t)
  await database.write(async (tx) => {
    await tx.insertInto('records').values({ kind: 'event' }).execute()
    const [rows] = await database.readInLane(tx, 'list', [tx.selectFrom('records').select('kind')])
    equal(rows[0]?.kind, 'event')
  })
})

test('too many searches are turned away, and lists and quick reads do not wait for them', async (t) => {
  const { database } = await openScratch(t)
  await database.readInLane(database.read, 'search', [counting(database, 1)])
  const searches = Array.from({ length: 400 }, () =>
    database.readInLane(database.read, 'search', [counting(database, 500_000)]).then(
      () => 'found' as const,
      (error: unknown) => {
        ok(error instanceof DatabaseUnavailable, String(error))
        return 'turned away' as const
      },
    ),
  )
  let isSearching = true
  const all = Promise.all(searches).finally(() => {
    isSearching = false
  })
  let listed = 0
  while (isSearching && listed < 20) {
    const kinds = database.read.selectFrom('records').select('kind')
    if (databaseName() === 'sqlite') await database.readInLane(database.read, 'list', [kinds])
    await kinds.execute()
    if (isSearching) listed++
  }
  const results = Map.groupBy(await all, (result) => result)
  t.diagnostic(`${results.get('found')?.length} found, ${results.get('turned away')?.length} turned away`)
  ok(listed > 0, 'lists waited for the searches')
  ok((results.get('found')?.length ?? 0) > 0 && (results.get('turned away')?.length ?? 0) > 0)
  await database.readInLane(database.read, 'search', [counting(database, 1)])
})

test('a query that is wrong fails as it does anywhere, and the next one is answered', async (t) => {
  const { database } = await openScratch(t)
  const wrong = plain(database, sql`select id from nowhere`)
  await rejects(database.readInLane(database.read, 'list', [wrong]), /nowhere/)
  await rejects(
    database.readInLane(database.read, 'list', [wrong]),
    (error) => !(error instanceof DatabaseUnavailable),
  )
  await database.readInLane(database.read, 'list', [counting(database, 1)])
})

describe('over HTTP, with venues of long texts', onSqlite, () => {
  let service: TestService
  const VENUES = 400
  const TEXT = `${'Where the river turns, behind the mill, up the stairs. '.repeat(1800)} river`

  before(async () => {
    service = await startService({}, { seesRefusals: true })
    const { id } = await service.create('/venues', { venue: 'Hall', description: TEXT })
    await service.app.database.write(async (tx) => {
      const row = await tx.selectFrom('venues').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const records = Array.from({ length: VENUES - 1 }, () => ({ kind: 'venue' as const }))
      const made = await tx.insertInto('records').values(records).returning('id').execute()
      for (const { id } of made)
        await tx
          .insertInto('venues')
          .values({ ...row, id, slug: `hall-${id}` } as never)
          .execute()
    })
    await service.get('/venues?search=warm')
  })
  after(() => service.close())

  async function statusInTime(path: string): Promise<number> {
    for (;;) {
      const { status, headers } = await service.get(path)
      if (status !== 503) return status
      equal(headers.get('retry-after'), '1')
      await sleep(50)
    }
  }

  test('200 callers of searches for venues hold up neither health checks nor lists', async () => {
    const searches = Array.from({ length: 200 }, (_, i) =>
      service.get(`/venues?per_page=1&search=river%20${i}`),
    )
    const all = Promise.all(searches)
    let isSearching = true
    all.finally(() => {
      isSearching = false
    })
    let answeredBefore = 0
    const ask = async (path: string) => {
      const status = await statusInTime(path)
      if (isSearching) answeredBefore += 1
      return status
    }
    while (isSearching) {
      const paths = ['~/healthz', '/events?per_page=1', '/categories?per_page=1']
      deepEqual(await Promise.all(paths.map(ask)), [200, 200, 200])
    }
    ok(answeredBefore > 0, 'nothing was answered before the searches were')
    const answers = await all
    for (const { status, headers, body } of answers) {
      if (status === 200) continue
      deepEqual([status, body.code, headers.get('retry-after')], [503, 'rest_unavailable', '1'])
    }
    const found = answers.filter(({ status }) => status === 200).length
    ok(found > 0)
  })
})
