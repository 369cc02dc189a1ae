import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { cacheBudget } from '../../src/cache/cache.ts'
import { catchUp, closeMemory, openEventMemory } from '../../src/memory/event-memory.ts'
import { type Database, recordChange } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openPostgres } from '../../src/storage/postgres/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts'
import { databaseName } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { readAll, startProcess } from '../support/processes.ts'
import { until } from '../support/waiting.ts'
import { openAgain, openScratch } from './open.ts'

const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

const change = (database: Database, record: number) => database.write((tx) => recordChange(tx, 'event', record))

async function readFrom(database: Database, cursor: string) {
  const read = await database.readChanges(cursor)
  assert.ok(read !== 'too old')
  return read
}

test('changes since a cursor are those committed after it, each once', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  assert.deepEqual((await readFrom(database, cursor)).changes, [])
  await database.write(async (tx) => {
    await recordChange(tx, 'venue', 2)
    await recordChange(tx, 'term', 2)
    await recordChange(tx, 'venue', 2)
  })
  const read = await readFrom(database, cursor)
  assert.deepEqual(
    read.changes.sort((a, b) => a.kind.localeCompare(b.kind)),
    [
      { kind: 'term', record: 2 },
      { kind: 'venue', record: 2 },
    ],
  )
  assert.deepEqual((await readFrom(database, read.cursor)).changes, [])
})

/** Up to where a cursor reaches; what follows are transactions under way before that, be it in other databases of the server. */
const endOf = (cursor: string) => cursor.split('-', 1)[0] ?? ''

test('a cursor stays the same for as long as nothing is committed', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  await assert.rejects(
    database.write(async (tx) => {
      await recordChange(tx, 'event', 2)
      throw new Error('not after all')
    }),
  )
  assert.equal(endOf(await database.cursor()), endOf(cursor))
  await change(database, 2)
  assert.notEqual(endOf(await database.cursor()), endOf(cursor))
})

test('no change is missed or told twice while eight writers of two processes write', async (t) => {
  const { database, address } = await openScratch(t)
  let cursor = await database.cursor()
  const told: number[] = []
  const look = async () => {
    const read = await readFrom(database, cursor)
    cursor = read.cursor
    told.push(...read.changes.map(({ record }) => record))
  }
  const writers = [1, 2].map(() => startProcess('test/storage/writing-process.ts', [address, '4', '150']))
  let isWriting = true
  const written = Promise.all(writers.map(readAll)).finally(() => {
    isWriting = false
  })
  let looks = 0
  for (; isWriting; looks++) {
    await look()
    await sleep(1)
  }
  await look()
  const expected = (await written).flat().map(Number)
  assert.equal(expected.length, 1200)
  t.diagnostic(`${looks} looks`)
  assert.deepEqual(
    told.sort((a, b) => a - b),
    expected.sort((a, b) => a - b),
  )
})

test('a change is told although transactions that began before it go on', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  const start = await database.cursor()
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = other.write(async (tx) => {
    await recordChange(tx, 'event', 1)
    begun.resolve()
    await released.promise
  })
  await begun.promise
  await change(database, 2)
  const first = await readFrom(database, start)
  assert.deepEqual(first.changes, [{ kind: 'event', record: 2 }])
  released.resolve()
  await slow
  const second = await readFrom(database, first.cursor)
  assert.deepEqual(second.changes, [{ kind: 'event', record: 1 }])
  assert.deepEqual((await readFrom(database, second.cursor)).changes, [])
})

test('what another began and gave up is no change to whoever remembers events', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  const memory = openEventMemory(database, cacheBudget(1_000_000))
  t.after(() => closeMemory(memory))
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const givenUp = other.write(async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    begun.resolve()
    await released.promise
    throw new Error('not after all')
  })
  await begun.promise
  await change(database, 1)
  await catchUp(memory)
  const { version } = memory
  released.resolve()
  await assert.rejects(givenUp)
  await catchUp(memory)
  assert.equal(memory.version, version)
  await change(database, 2)
  await catchUp(memory)
  assert.notEqual(memory.version, version)
})

test('listeners are called before a write is acknowledged, until they are taken away', async (t) => {
  const { database } = await openScratch(t)
  let calls = 0
  const stop = database.onChange(() => calls++)
  const seen = await change(database, 1).then(() => calls)
  assert.ok(seen >= 1)
  stop()
  calls = 0
  await change(database, 2)
  assert.equal(calls, 0)
})

test('a change of another process is noticed without being asked for', async (t) => {
  const { database, address } = await openScratch(t)
  let noticed: number | undefined
  database.onChange(() => {
    noticed ??= performance.now()
  })
  if (databaseName() === 'postgres') await until(() => noticed !== undefined, 'nobody listens')
  const took: number[] = []
  for (let i = 0; i < 3; i++) {
    const before = await database.cursor()
    noticed = undefined
    const writer = startProcess('test/storage/writing-process.ts', [address, '1', '1'])
    await until(async () => (await database.cursor()) !== before, 'it was not written', 1)
    const visible = performance.now()
    await until(() => database.look() || noticed !== undefined, 'it was not noticed', 1)
    took.push(Math.max(0, (noticed ?? performance.now()) - visible))
    await writer.ended
  }
  t.diagnostic(`noticed within ${took.map(Math.round).join(', ')} ms`)
})

test('a node whose listening connection is cut notices changes soon again', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  let cursor = await database.cursor()
  database.onChange(() => undefined)
  /** Ends the connections that listen, and waits until they are gone; how many there were. */
  const cut = async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and (query like 'listen%' or query like '%as last')
    `.execute(other.read)
    return rows.length
  }
  for (let i = 1; i <= 3; i++) {
    await until(async () => (await cut()) > 0, 'nobody listens')
    let isTold = false
    const stop = database.onChange(() => {
      isTold = true
    })
    await change(other, i)
    await until(() => isTold, 'it was not noticed')
    stop()
    const read = await readFrom(database, cursor)
    cursor = read.cursor
    assert.deepEqual(read.changes, [{ kind: 'event', record: i }])
  }
})

const KEEP_FEW = { rows: 20, ms: 0, everyCommits: 10 }

/** A database that drops changes early, where no transaction of anybody else holds that up. */
async function openPruning(t: TestContext): Promise<Database> {
  if (databaseName() === 'sqlite') {
    const { address } = await openScratch(t)
    const database = openSqlite(address.slice('sqlite:'.length), KEEP_FEW)
    t.after(() => database.close())
    return database
  }
  const server = await startPostgres()
  const database = await openPostgres(server.address(), KEEP_FEW)
  t.after(async () => {
    await database.close()
    await server.close()
  })
  await migrate(database)
  return database
}

test('old changes are dropped now and then, and who has missed them is told so', async (t) => {
  const database = await openPruning(t)
  const countKept = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from changes`.execute(database.read)
    return rows[0]?.count ?? 0
  }
  const start = await database.cursor()
  for (let i = 1; i <= 100; i++) await change(database, i)
  // Dropping goes on beside the writes.
  await until(async () => (await countKept()) <= 60, 'they are kept')
  assert.ok((await countKept()) >= 20)
  assert.equal(await database.readChanges(start), 'too old')

  const late = await database.cursor()
  for (let i = 1; i <= 10; i++) await change(database, i)
  assert.equal((await readFrom(database, late)).changes.length, 10)
})

test('a cursor of a database that was replaced by an older one is too old', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  assert.equal(await database.readChanges(`${BigInt(endOf(cursor)) + 1_000_000n}`), 'too old')
})

test('more changes than anybody would take in one by one are too old', async (t) => {
  const { database } = await openScratch(t)
  const cursor = await database.cursor()
  await database.write(async (tx) => {
    const rows = Array.from({ length: 10_001 }, (_, record) => ({ kind: 'event' as const, record }))
    while (rows.length > 0) await tx.insertInto('changes').values(rows.splice(0, 1000)).execute()
  })
  assert.equal(await database.readChanges(cursor), 'too old')
})
