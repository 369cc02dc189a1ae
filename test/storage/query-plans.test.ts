import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrations } from '../../src/storage/migrate.ts'
import { lighterWrites } from '../../src/storage/migrations/0027-lighter-writes.ts'
import { databaseName } from '../support/database.ts'
import { openBare, openScratch } from './open.ts'

const onSqlite = { skip: databaseName() !== 'sqlite' && 'on SQLite' }

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

test('the history and old slugs of an older version stay', async (t) => {
  const database = await openBare(t)
  await database.migrate(async (tx) => {
    for (const step of migrations.slice(0, migrations.indexOf(lighterWrites))) await step.up(tx)
    for (const id of [3, 4])
      await sql`insert into history values (${id}, '2026-01-01 00:00:00', 1, 'ann', 'create', 'event', 7, 'Fair', '', '', '')`.execute(
        tx,
      )
    await sql`insert into old_slugs (kind, slug, record, left_utc) values ('event', 'fair', 7, '2026-01-01T00:00:00.000Z')`.execute(
      tx,
    )
    await lighterWrites.up(tx)
  })
  const history = await database.read.selectFrom('history').select(['id', 'name']).orderBy('id').execute()
  assert.deepEqual(
    history.map(({ id, name }) => [Number(id), name]),
    [
      [3, 'Fair'],
      [4, 'Fair'],
    ],
  )
  const old = await database.read.selectFrom('old_slugs').select(['kind', 'slug', 'record']).execute()
  assert.deepEqual(
    old.map(({ kind, slug, record }) => [kind, slug, Number(record)]),
    [['event', 'fair', 7]],
  )
})
