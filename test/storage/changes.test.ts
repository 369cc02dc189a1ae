import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { cacheBudget } from '../../src/base/cache.ts'
import { formatUtc } from '../../src/base/text/zones.ts'
import { catchUp, closeMemory, openEventMemory } from '../../src/store/memory/event-memory.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { MOST_CHANGES, sequenceAt } from '../../src/store/storage/history.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { recordChange } from '../../src/store/storage/recording.ts'
import { databaseName, onPostgres } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { readAll, startProcess } from '../support/processes.ts'
import { touch } from '../support/recording.ts'
import { isWhole } from '../support/rounds.ts'
import { until } from '../support/waiting.ts'
import { openAgain, openScratch } from './open.ts'

/** By each of eight writers, who race on PostgreSQL alone. */
const WRITES = databaseName() === 'postgres' || isWhole ? '150' : '50'

const change = (database: Database, record: number) => database.write((tx) => touch(tx, 'event', record))

async function readFrom(database: Database, cursor: string) {
  const read = await database.readChanges(cursor)
  ok(read !== 'too old')
  return read
}

test('changes since a cursor are those committed after it, each once', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  deepEqual((await readFrom(database, cursor)).changes, [])
  await database.write(async (tx) => {
    await touch(tx, 'venue', 2)
    await touch(tx, 'term', 2)
    await touch(tx, 'venue', 2)
  })
  const read = await readFrom(database, cursor)
  deepEqual(
    read.changes.sort((a, b) => a.kind.localeCompare(b.kind)),
    [
      { kind: 'term', record: 2 },
      { kind: 'venue', record: 2 },
    ],
  )
  deepEqual((await readFrom(database, read.cursor)).changes, [])
})

const endOf = (cursor: string) => cursor.split('-', 1)[0] ?? ''

test('a cursor stays the same for as long as nothing is committed', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  await rejects(
    database.write(async (tx) => {
      await touch(tx, 'event', 2)
      throw new Error('not after all')
    }),
  )
  equal(endOf(await database.cursor()), endOf(cursor))
  await change(database, 2)
  notEqual(endOf(await database.cursor()), endOf(cursor))
})

async function lookWhileWriting(look: () => Promise<void>, settings: readonly string[]) {
  const writers = [1, 2].map(() => startProcess('test/storage/writing-process.ts', settings))
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
  return { lines: (await written).flat(), looks }
}

test('no change is missed or told twice while eight writers of two processes write', async (t) => {
  const { database, address } = await openScratch(t)
  let cursor = await database.cursor()
  const told: number[] = []
  const look = async () => {
    const read = await readFrom(database, cursor)
    cursor = read.cursor
    told.push(...read.changes.map(({ record }) => record))
  }
  const { lines, looks } = await lookWhileWriting(look, [address, '4', WRITES])
  const expected = lines.map(Number)
  equal(expected.length, 8 * Number(WRITES))
  t.diagnostic(`${looks} looks`)
  deepEqual(
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
    await touch(tx, 'event', 1)
    begun.resolve()
    await released.promise
  })
  await begun.promise
  await change(database, 2)
  const first = await readFrom(database, start)
  deepEqual(first.changes, [{ kind: 'event', record: 2 }])
  released.resolve()
  await slow
  const second = await readFrom(database, first.cursor)
  deepEqual(second.changes, [{ kind: 'event', record: 1 }])
  deepEqual((await readFrom(database, second.cursor)).changes, [])
})

test('what another began and gave up leaves the version of the data', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  const remember = async () => {
    const memory = openEventMemory(database, cacheBudget(1_000_000))
    t.after(() => closeMemory(memory))
    await catchUp(memory)
    return memory
  }
  const memory = await remember()
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
  const { sources, settings } = memory
  released.resolve()
  await rejects(givenUp)
  await catchUp(memory)
  const { version } = memory
  equal(version, (await remember()).version)
  deepEqual({ sources: memory.sources, settings: memory.settings }, { sources, settings })
  await change(database, 2)
  await catchUp(memory)
  notEqual(memory.version, version)
})

test('listeners are called before a write is acknowledged, until they are taken away', async (t) => {
  const { database } = await openScratch(t)
  let calls = 0
  const stop = database.onChange(() => calls++)
  const seen = await change(database, 1).then(() => calls)
  ok(seen >= 1)
  stop()
  calls = 0
  await change(database, 2)
  equal(calls, 0)
})

test('a change of another process is noticed without being asked for', async (t) => {
  const { database, address } = await openScratch(t)
  let isNoticed = false
  database.onChange(() => {
    isNoticed = true
  })
  if (databaseName() === 'postgres') await until(() => isNoticed, 'nobody listens')
  for (let i = 0; i < 3; i++) {
    isNoticed = false
    const writer = startProcess('test/storage/writing-process.ts', [address, '1', '1'])
    await until(() => database.look() || isNoticed, 'it was not noticed')
    await writer.ended
  }
})

test('a node whose listening connection is cut notices changes soon again', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  let cursor = await database.cursor()
  database.onChange(() => undefined)
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
    deepEqual(read.changes, [{ kind: 'event', record: i }])
  }
})

const DAY_MS = 86_400_000

async function remove(database: Database, record: number): Promise<void> {
  const gone = { kind: 'event', record, wasPublic: true, isPublic: false, isDeleted: true } as const
  await database.write(async (tx) => recordChange(tx, gone))
}

const recordsOf = async (database: Database) =>
  pluck(await database.read.selectFrom('changes').select('record').orderBy('record').execute(), 'record')

test('rows of deleted records go after 90 days, who missed them is told; others stay', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const early = await database.cursor()
  await change(database, 2)
  await remove(database, 3)
  await remove(database, 1)
  await change(database, 4)
  // Waits for a cursor without transactions under way: with them, it may stand for a time before the
  // removals.
  let late = ''
  await until(async () => {
    late = await database.cursor()
    return late === endOf(late)
  }, 'other transactions never ended')
  await dropOld(database, 0, Date.now() + 89 * DAY_MS)
  deepEqual(await recordsOf(database), [1, 2, 3, 4])
  await dropOld(database, 0, Date.now() + 91 * DAY_MS)
  deepEqual(await recordsOf(database), [2, 4])
  equal(endOf(await database.cursor()), late)
  equal(await database.readChanges(early), 'too old')
  deepEqual((await readFrom(database, late)).changes, [])
  await change(database, 2)
  deepEqual((await readFrom(database, late)).changes, [{ kind: 'event', record: 2 }])
})

test('the latest change stays of a record deleted long ago: no cursor is given twice', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  await remove(database, 2)
  const cursor = await database.cursor()
  await dropOld(database, 0, Date.now() + 365 * DAY_MS)
  equal(endOf(await database.cursor()), endOf(cursor))
  deepEqual(await recordsOf(database), [1, 2])
})

test('two thousand and more tombstones are dropped in small writes', async (t) => {
  const { database } = await openScratch(t)
  await database.write(async (tx) => {
    for (let record = 1; record <= 2500; record++)
      recordChange(tx, { kind: 'image', record, wasPublic: true, isPublic: false, isDeleted: true })
  })
  await change(database, 9999)
  await dropOld(database, 0, Date.now() + 91 * DAY_MS)
  deepEqual(await recordsOf(database), [9999])
})

test('a row has a rising sequence, by whom it was, and whether the public could see it', async (t) => {
  const { database } = await openScratch(t)
  const steps = [
    { wasPublic: false, isPublic: false },
    { wasPublic: false, isPublic: true },
    { wasPublic: true, isPublic: false },
    { wasPublic: false, isPublic: false, isDeleted: true },
  ]
  const rows: unknown[] = []
  const sequences: number[] = []
  for (const step of steps) {
    const by = { user: 7, login: 'anna', address: '', client: '', request: '' }
    await database.write(async (tx) => recordChange(tx, { kind: 'venue', record: 5, ...step }), by)
    const columns = ['sequence', 'was_public', 'is_public', 'deleted', 'user'] as const
    for (const { sequence, ...row } of await database.read.selectFrom('changes').select(columns).execute()) {
      sequences.push(sequence)
      rows.push(Object.values(row))
    }
  }
  deepEqual(rows, [
    [0, 0, 0, 7],
    [0, 1, 0, 7],
    [1, 0, 0, 7],
    [1, 0, 1, 7],
  ])
  deepEqual(sequences, [...new Set(sequences)].sort())
})

test('a reader of eight writers of the same records misses no change; cursors mean one state', async (t) => {
  const { database, address } = await openScratch(t)
  const seen = new Map<number, number>()
  const states = new Map<string, string>()
  let cursor = await database.cursor()
  const start = sequenceAt(formatUtc(Date.now()))
  const sequences = () =>
    database.read.selectFrom('changes').select(['record', 'sequence']).orderBy('record').execute()
  const look = async () => {
    const read = await readFrom(database, cursor)
    const rows = await sequences()
    const state = JSON.stringify(rows)
    // The rows are at least as new as the cursor, and exactly its state if nothing was committed meanwhile.
    if ((await database.cursor()) === read.cursor) {
      equal(states.get(read.cursor) ?? state, state)
      states.set(read.cursor, state)
    }
    const now = new Map(rows.map((row) => [row.record, row.sequence]))
    for (const { record } of read.changes) seen.set(record, now.get(record) ?? 0)
    cursor = read.cursor
  }
  const { lines, looks } = await lookWhileWriting(look, [address, '4', WRITES, '12'])
  equal(lines.length, 8 * Number(WRITES))
  const rows = await sequences()
  deepEqual(
    rows.map(({ record, sequence }) => [record, sequence]),
    [...seen].sort(([a], [b]) => a - b),
  )
  const touched = lines.flatMap((line) => line.split(' '))
  for (const { record, sequence } of rows) {
    const times = touched.filter((one) => one === String(record)).length
    ok(sequence >= start + times - 1, `${record} changed ${times} times, and is at ${sequence - start}`)
  }
  t.diagnostic(`${looks} looks, ${states.size} cursors`)
})

test('a cursor of a database that was replaced by an older one is too old', async (t) => {
  const { database } = await openScratch(t)
  await change(database, 1)
  const cursor = await database.cursor()
  equal(await database.readChanges(`${BigInt(endOf(cursor)) + 1_000_000n}`), 'too old')
})

test('more changes than anybody would take in one by one are too old', async (t) => {
  const { database } = await openScratch(t)
  const cursor = await database.cursor()
  await database.write(async (tx) => {
    for (let record = 1; record <= MOST_CHANGES + 1; record++) await touch(tx, 'event', record)
  })
  equal(await database.readChanges(cursor), 'too old')
})
