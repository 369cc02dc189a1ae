import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { prepareKept } from '../../src/store/storage/sqlite/sqlite-connection.ts'
import { onSqlite } from '../support/database.ts'
import { until } from '../support/waiting.ts'
import { openScratch } from './open.ts'

/** Makes a connection that counts the statements it prepares. */
function countingConnection() {
  const connection = new DatabaseSync(':memory:')
  const prepared = new Map<string, number>()
  const plain = connection.prepare.bind(connection)
  connection.prepare = (text: string) => {
    prepared.set(text, (prepared.get(text) ?? 0) + 1)
    return plain(text)
  }
  return { connection, times: (text: string) => prepared.get(text) ?? 0 }
}

test('a statement that is run again and again is prepared once, whatever else is run', () => {
  const { connection, times } = countingConnection()
  const prepare = prepareKept(connection)
  for (let i = 0; i < 3000; i++) {
    prepare(`select ${i}`)
    prepare("select 'often'")
  }
  assert.equal(times("select 'often'"), 1)
})

test('statements that are run once are forgotten, by number and by length', () => {
  const { connection, times } = countingConnection()
  const prepare = prepareKept(connection)
  prepare("select 'once'")
  for (let i = 0; i < 1000; i++) prepare(`select ${i}`)
  prepare("select 'once'")
  assert.equal(times("select 'once'"), 2)
  for (let i = 0; i < 200; i++) prepare(`select ${i}, '${'x'.repeat(7000)}'`)
  prepare("select 'once'")
  assert.equal(times("select 'once'"), 3)
})

test('a very long statement is not kept at all', () => {
  const { connection, times } = countingConnection()
  const prepare = prepareKept(connection)
  const long = `select '${'x'.repeat(10_000)}'`
  for (let i = 0; i < 3; i++) assert.equal(prepare(long).all([]).length, 1)
  assert.equal(times(long), 3)
})

/** The bytes of one write, and a number of writes that exceeds the wanted length of the log twice. */
const BYTES = 1_000_000
const WRITES = 160

test('the log of writes begins anew once it is long, while others write and read on', onSqlite, async (t) => {
  const { database, address } = await openScratch(t)
  const text = 'x'.repeat(BYTES)
  const slug = (n: number) => `slug-${n}`
  const write = (n: number) =>
    database.write((tx) =>
      tx
        .insertInto('terms')
        .values({
          taxonomy: 'tag',
          name: slug(n),
          slug: slug(n),
          description: text,
          parent: 0,
          count: 0,
          folded: slug(n),
        })
        .execute(),
    )
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const long = sql<{ n: number }>`select sum(length(description)) as n from terms`
      await database.aside(database.read, 'list', [{ compile: () => long.compile(database.read) }])
    }
  })()
  const log = `${address.slice('sqlite:'.length)}-wal`
  let longest = 0
  let n = 0
  for (; n < WRITES; n++) {
    await write(n)
    longest = Math.max(longest, (await stat(log)).size)
  }
  isOver = true
  await reading
  const shown = (await database.read.selectFrom('terms').select('id').execute()).length
  assert.equal(shown, WRITES)
  t.diagnostic(`${Math.round(longest / 1e6)} MB of log for ${WRITES} MB of writes`)
  // The log is reused from its start when further writes do not make it longer.
  const at = async () => (await stat(log)).size
  await until(async () => {
    const before = await at()
    for (let more = 0; more < 20; more++) await write(n++)
    return (await at()) === before
  }, 'the log only grows')
})
