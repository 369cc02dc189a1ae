import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { recordWritten } from '../../src/calendar/records/record-store.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { statement } from '../../src/store/storage/statement.ts'
import { DatabaseUnavailable } from '../../src/store/storage/unavailable.ts'
import { administer, onPostgres, SERVER, scratchDatabase } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { openAgain, openScratch } from './open.ts'

const server = () => process.env[SERVER] ?? ''

test('a statement that takes too long is stopped, and its connection goes on', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?statement_ms=1000&connections=1`)
  const pid = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read)).rows[0]?.pid
  const before = await pid()
  await rejects(sql`select pg_sleep(600)`.execute(database.read), DatabaseUnavailable)
  equal(await pid(), before)
  const { rows } =
    await sql`select from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%'
        and pid <> pg_backend_pid()
      and datname = current_database()`.execute(database.read)
  equal(rows.length, 0)
})

test('who gets no connection in time is told so, and the next one does', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?connections=2&connect_ms=1500`)
  const released = Promise.withResolvers<void>()
  const held = [1, 2].map(() => Promise.withResolvers<void>())
  const busy = held.map(({ resolve }) =>
    database.read.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      resolve()
      await released.promise
    }),
  )
  await Promise.all(held.map(({ promise }) => promise))
  await Promise.all([
    rejects(database.ping(), DatabaseUnavailable),
    rejects(
      database.write(async () => undefined),
      DatabaseUnavailable,
    ),
  ])
  released.resolve()
  await Promise.all(busy)
  await database.ping()
})

test('without a free connection requests are 503 and told when to try again', onPostgres, async () => {
  const scratch = await scratchDatabase()
  const service = await startService(
    { database: `${scratch.address}?connections=2&connect_ms=1500&statement_ms=3000` },
    { seesRefusals: true },
  )
  const locker = new Client(scratch.address)
  await locker.connect()
  await locker.query('begin; lock table venues in access exclusive mode')
  const answers = await Promise.all([1, 2, 3, 4].map(() => service.get('/venues', 'admin')))
  for (const { status, headers, body } of answers) {
    deepEqual(
      [status, headers.get('retry-after'), body.code, body.data.status],
      [503, '1', 'rest_unavailable', 503],
    )
  }
  await locker.query('rollback')
  await locker.end()
  equal((await service.get('/venues', 'admin')).status, 200)
  await service.close()
  await scratch.remove()
})

test('a connection that is cut within a write undoes it, and the next succeeds', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const cut = database.write(async (tx) => {
    await tx.insertInto('records').values({ kind: 'event' }).execute()
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await administer(address, `select pg_terminate_backend(${rows[0]?.pid}, 60000)`)
    await tx.insertInto('records').values({ kind: 'event' }).execute()
  })
  await rejects(cut, DatabaseUnavailable)
  deepEqual(await database.read.selectFrom('records').selectAll().execute(), [])
  await database.write((tx) => tx.insertInto('records').values({ kind: 'event' }).execute())
})

test('a write whose failed statement went unnoticed is not acknowledged', onPostgres, async (t) => {
  const { database } = await openScratch(t)
  const write = database.write(async (tx) => {
    await tx.insertInto('records').values({ kind: 'event' }).execute()
    await sql`select 1 / 0`.execute(tx).catch(() => undefined)
  })
  await rejects(write, /rolled back|aborted/)
})

test('a write whose beginning was not answered in time leaves nothing behind', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?statement_ms=500&connections=1`)
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read)
  const pid = rows[0]?.pid ?? 0
  process.kill(pid, 'SIGSTOP')
  const resume = setTimeout(() => process.kill(pid, 'SIGCONT'), 1000)
  t.after(() => clearTimeout(resume))
  const write = database.write(async (tx) => {
    await tx.insertInto('records').values({ kind: 'event' }).execute()
  })
  await rejects(write, DatabaseUnavailable)
  await until(async () => {
    const { rows: running } = await sql`select from pg_stat_activity where pid = ${pid}`.execute(
      database.read,
    )
    return running.length === 0
  }, 'the session goes on')
  deepEqual(await database.read.selectFrom('records').selectAll().execute(), [])
})

async function startRefusals(t: TestContext, address: string) {
  const refusals = { isRefused: true, address: '' }
  const { hostname, port } = new URL(address)
  const proxy = createServer((client) => {
    const backend = connect(Number(port), hostname)
    client.on('error', () => backend.destroy()).on('close', () => backend.destroy())
    backend.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('data', (sent: Buffer) => {
      const at = sent.indexOf('begin;')
      if (refusals.isRefused && at !== -1) sent.write('begun;', at)
      backend.write(sent)
    })
    backend.pipe(client)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  const through = new URL(address)
  through.port = String((proxy.address() as AddressInfo).port)
  refusals.address = through.href
  return refusals
}

test(
  'a write whose beginning the server refuses leaves nothing, the next one does',
  onPostgres,
  async (t) => {
    const { address } = await openScratch(t)
    const refusals = await startRefusals(t, address)
    const database = await openAgain(t, `${refusals.address}?connections=1`)
    const insertPlace = statement<{ kind: 'event' | 'venue' }>()((db, value) =>
      db
        .insertInto('records')
        .values({ kind: value('kind') })
        .returning('id'),
    )
    const write = () =>
      database.write(async (tx) => {
        const first = [insertPlace(tx, { kind: 'event' }), findTerms(tx, { folded: 'x' })]
        const second = tx.insertInto('records').values({ kind: 'venue' }).execute()
        await Promise.allSettled([...first, second])
        await insertPlace(tx, { kind: 'venue' })
      })
    await rejects(write(), /syntax error/)
    deepEqual(await database.read.selectFrom('records').selectAll().execute(), [])
    refusals.isRefused = false
    await write()
    const rows = await database.read.selectFrom('records').select('kind').orderBy('id').execute()
    deepEqual(pluck(rows, 'kind'), ['event', 'venue', 'venue'])
  },
)

const findTerms = statement<{ folded: string }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('folded', '=', value('folded')),
)

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < count; i++) results.push(await work())
  return results
}

test('statements that the server has kept go on after their table has changed', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?connections=1`)
  await database.write((tx) => tx.insertInto('terms').values(TERM).execute())
  await times(20, () => findTerms(database.read, { folded: 'jazz' }))
  for (const column of ['first', 'second']) {
    await administer(address, `alter table terms add column ${column} text`)
    const ways = [
      () => findTerms(database.read, { folded: 'jazz' }),
      () => database.write((tx) => findTerms(tx, { folded: 'jazz' })),
    ]
    // The first query after the change of the table meets it, so both orders are tried.
    for (const find of column === 'first' ? ways : ways.reverse()) {
      const [row] = await find()
      ok(row && column in row)
    }
    await times(20, () => findTerms(database.read, { folded: 'jazz' }))
  }
})

const TERM = {
  taxonomy: 'tag',
  name: 'Jazz',
  slug: 'jazz',
  description: '',
  parent: 0,
  count: 0,
  folded: 'jazz',
} as const

test(
  'statements that begin together share a session, up to a few; one fails alone',
  onPostgres,
  async (t) => {
    const { database } = await openScratch(t)
    const findPid = statement<Record<never, never>>()(
      () => sql<{ pid: number }>`select pg_backend_pid() as pid`,
    )
    const sessionsOf = async (count: number) => {
      const found = await Promise.all(Array.from({ length: count }, () => findPid(database.read, {})))
      return new Set(found.map(([row]) => row?.pid)).size
    }
    equal(await sessionsOf(3), 1)
    equal(await sessionsOf(40), 3)
    const failed = statement<{ by: number }>()((_db, value) => sql`select 1 / ${value('by')}::int as part`)
    const together = await Promise.allSettled([0, 1, 0].map((by) => failed(database.read, { by })))
    deepEqual(pluck(together, 'status'), ['rejected', 'fulfilled', 'rejected'])
  },
)

test('a database that cannot be used is refused without its password', onPostgres, async () => {
  const wrong = new URL(server())
  wrong.pathname = 'no_such_database'
  wrong.password = 'secret'
  await rejects(openDatabase(wrong.href), (error: Error) => {
    match(
      error.message,
      /^The database postgres:\/\/kalends@.*no_such_database cannot be opened: .*does not exist\.$/,
    )
    return true
  })
  await rejects(
    openDatabase('postgres://127.0.0.1:1/x'),
    /cannot be opened: connect ECONNREFUSED 127.0.0.1:1\.$/,
  )
  await rejects(openDatabase(`${server()}?connections=many`), /takes a number as connections, not "many"\.$/)
  await administer(server(), `create database latin encoding 'LATIN1' locale 'C' template template0`)
  const latin = new URL(server())
  latin.pathname = 'latin'
  await rejects(openDatabase(latin.href), /its encoding is LATIN1, and only UTF8 holds every text\.$/)
  await administer(server(), 'drop database latin')
})

test('the server keeps few statements, however many records writes change', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?connections=1`)
  const MOST_RECORDS = 12
  const RUNS = 9
  for (let records = 1; records <= MOST_RECORDS; records++)
    for (let run = 0; run < RUNS; run++)
      await database.write(async (tx) => {
        for (let id = 1; id <= records; id++)
          recordWritten(tx, 'event', undefined, { id, status: 'draft', name: `Event ${id}` })
      })
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    database.read,
  )
  for (const table of ['changes', 'history']) {
    const kept = rows.filter(({ statement }) => new RegExp(`^\\s*insert into "?${table}\\b`).test(statement))
    ok(kept.length > 0 && kept.length < MOST_RECORDS / 2, `${kept.length} statements for ${table}`)
  }
})
