import { equal } from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onSqlite } from '../support/database.ts'
import { until } from '../support/waiting.ts'
import { openScratch } from './open.ts'

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
      await database.readInLane(database.read, 'list', [{ compile: () => long.compile(database.read) }])
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
  equal(shown, WRITES)
  t.diagnostic(`${Math.round(longest / 1e6)} MB of log for ${WRITES} MB of writes`)
  // The log is reused from its start when further writes do not make it longer.
  const at = async () => (await stat(log)).size
  await until(async () => {
    const before = await at()
    for (let more = 0; more < 20; more++) await write(n++)
    return (await at()) === before
  }, 'the log only grows')
})
