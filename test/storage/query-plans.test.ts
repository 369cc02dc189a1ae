import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { countInbox, listPendingEvents, listWaitingProposals } from '../../src/calendar/editing/proposal-store.ts'
import { indexedLinks } from '../../src/store/memory/event-index.ts'
import { readIndex } from '../../src/store/memory/event-index-read.ts'
import { migrateWithin, migrationNames } from '../../src/store/storage/migrate.ts'
import { connect, prepareKept } from '../../src/store/storage/sqlite/sqlite-connection.ts'
import { queryBuilder } from '../../src/store/storage/sqlite/sqlite-queries.ts'
import { onSqlite } from '../support/database.ts'
import { openScratch } from './open.ts'

test('the old slugs of a record are found without reading those of others', onSqlite, async (t) => {
  const { database } = await openScratch(t)
  const { rows } = await sql<{
    detail: string
  }>`explain query plan delete from old_slugs where kind = 'event' and record = 7
    and slug not in (select slug from old_slugs where kind = 'event' and record = 7 order by left_utc desc limit 20)`.execute(
    database.read,
  )
  const searches = rows.map(({ detail }) => detail).filter((detail) => /SEARCH|SCAN/.test(detail))
  assert.equal(searches.length, 2)
  for (const detail of searches) assert.match(detail, /old_slugs_record \(record=\? AND kind=\?\)/)
})

test('reading the calendar into memory touches no row of an event', onSqlite, async () => {
  const connection = connect(':memory:', 1024)
  const prepare = prepareKept(connection)
  const texts = new Set<string>()
  const db = queryBuilder((text) => {
    texts.add(text)
    return prepare(text)
  })
  await migrateWithin(db, migrationNames)
  insertOccurrence(connection)
  texts.clear()
  const index = await readIndex(db, new Map(), new AbortController().signal, { report: assert.ifError })
  assert.equal(indexedLinks(index, 9).series, 7)
  const reads = [...texts].filter((text) => / from "events" where/.test(text))
  assert.equal(reads.length, 4, reads.join('\n'))
  for (const text of reads) {
    const plan = connection.prepare(`explain query plan ${text}`).all()
    for (const { detail } of plan) assert.match(String(detail), /USING COVERING INDEX/, text)
  }
  connection.close()
})

test('the inbox reads what waits and nothing else, in its order, whatever else is there', onSqlite, async () => {
  const connection = connect(':memory:', 1024)
  const prepare = prepareKept(connection)
  const texts = new Set<string>()
  const db = queryBuilder((text) => {
    texts.add(text)
    return prepare(text)
  })
  await migrateWithin(db, migrationNames)
  texts.clear()
  const place = { since_utc: '2027-01-01 00:00:00', what: 'event', id: 7 } as const
  for (const author of [undefined, 3]) {
    await listPendingEvents(db, author, place, 20)
    await listWaitingProposals(db, author, place, 20)
    await countInbox(db, author)
  }
  assert.ok(texts.size >= 6)
  for (const text of texts)
    for (const { detail } of connection.prepare(`explain query plan ${text}`).all())
      assert.doesNotMatch(String(detail), /SCAN (?!CONSTANT)(?!e$|p$)|TEMP B-TREE/, text)
  connection.close()
})

/** Event 9 of series 7, with zeros in its other columns. */
function insertOccurrence(connection: DatabaseSync): void {
  const times = { start_date: '2027-01-01 10:00:00', end_date: '2027-01-01 11:00:00', date: '2026-01-01 10:00:00' }
  const set: Record<string, string | number> = { id: 9, series: 7, status: 'publish', ...times }
  const names = connection.prepare(`select name from pragma_table_info('events')`).all()
  const columns = names.map(({ name }) => String(name))
  connection.exec('pragma foreign_keys = off')
  connection
    .prepare(`insert into events (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .run(...columns.map((name) => set[name] ?? 0))
}
