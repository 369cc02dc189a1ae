import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import { isPostgres } from '../../src/storage/dialect.ts'
import { migrate, migrateWithin, migrations } from '../../src/storage/migrate.ts'
import { first } from '../../src/storage/migrations/0001-first.ts'
import { media } from '../../src/storage/migrations/0006-media.ts'
import { recordOfChanges } from '../../src/storage/migrations/0009-record-of-changes.ts'
import { uids } from '../../src/storage/migrations/0011-uids.ts'
import { sequences } from '../../src/storage/migrations/0033-sequences.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { findSequences } from '../../src/storage/sequences.ts'
import { administer, databaseName, scratchDatabase } from '../support/database.ts'
import { readAll, startProcess } from '../support/processes.ts'
import { touch } from '../support/recording.ts'
import { openBare, openScratch } from './open.ts'

const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

test('three processes that start at once on an empty database run each step once', async () => {
  const { address, remove } = await scratchDatabase('bare')
  const processes = [1, 2, 3].map(() => startProcess('test/storage/migrating-process.ts', [address]))
  const printed = await Promise.all(processes.map(readAll))
  assert.deepEqual(await Promise.all(processes.map(({ ended }) => ended)), [0, 0, 0])
  const [all, ...others] = printed.flat().sort()
  assert.match(String(all), /^0001-first\b/)
  assert.deepEqual(others, ['nothing', 'nothing'])
  await remove()
})

test('a database that is up to date is left as it is', async (t) => {
  const { database } = await openScratch(t)
  const cursor = await database.cursor()
  assert.deepEqual(await migrate(database), { ran: [], remarks: [] })
  assert.equal(await database.cursor(), cursor)
})

test('a start says beforehand that it brings a calendar up to date, and nothing of a new one', async (t) => {
  const { address, remove } = await scratchDatabase('bare')
  t.after(remove)
  const database = await openDatabase(address)
  const names = migrations.map(({ name }) => name)
  await database.migrate(async (tx) => void (await migrateWithin(tx, names.slice(0, -1))))
  await database.close()
  const says = /The database is brought up to date, from step (\S+) on/
  const [first] = await startedLines(t, address)
  assert.equal(says.exec(first ?? '')?.[1], names.at(-1))
  const again = await startedLines(t, address)
  assert.ok(!again.some((line) => says.test(line)))
  const empty = await scratchDatabase('bare')
  t.after(empty.remove)
  assert.ok(!(await startedLines(t, empty.address)).some((line) => says.test(line)))
})

/** The lines that a service prints and logs until it answers. */
async function startedLines(t: TestContext, address: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const flags = ['--database', address, '--data', folder, '--port', '0', '--drain-ms', '0']
  const { lines, end } = startProcess('src/main.ts', ['serve', ...flags], {}, 'exec 2>&1')
  const said: string[] = []
  for await (const line of lines) {
    said.push(line)
    if (line.startsWith('Kalends answers at')) break
  }
  await end()
  return said
}

test('a database that a newer version has had is refused in one sentence, and left as it is', async (t) => {
  const { database } = await openScratch(t)
  await database.write(async (tx) => {
    await sql`insert into migrations (name) values ('9999-later')`.execute(tx)
  })
  const cursor = await database.cursor()
  await assert.rejects(migrate(database), {
    message:
      'The database is of a newer version of Kalends, which made the steps 9999-later; start that version, or restore a backup from before it.',
  })
  assert.equal(await database.cursor(), cursor)
})

test('a step that fails leaves nothing behind', async (t) => {
  const { database } = await openScratch(t)
  const failing = database.migrate(async (tx) => {
    await sql`create table half (id integer)`.execute(tx)
    throw new Error('out of steps')
  })
  await assert.rejects(failing, /out of steps/)
  await assert.rejects(sql`select * from half`.execute(database.read), /half/)
})

test('every text is compared by code point', onPostgres, async (t) => {
  const { database } = await openScratch(t)
  const { rows } = await sql`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C' and table_name <> 'migrations'
  `.execute(database.read)
  assert.deepEqual(rows, [])
})

test('searches use an index of trigrams', onPostgres, async (t) => {
  const { database } = await openScratch(t)
  const plan = await database.read.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    return sql`explain select id from events where search like ${'%concert%'} escape '\\'`.execute(tx)
  })
  assert.match(JSON.stringify(plan.rows), /events_search/)
})

test('without the extension for trigrams everything works, and a start says what to do', onPostgres, async (t) => {
  const { address, remove } = await scratchDatabase('bare')
  const name = new URL(address).pathname.slice(1)
  await administer(address, `create role ${name} login`)
  await administer(address, `grant create on schema public to ${name}`)
  const restricted = new URL(address)
  restricted.username = name
  const poor = await openDatabase(restricted.href)
  const { ran, remarks } = await migrate(poor)
  assert.equal(ran[0], '0001-first')
  assert.match(remarks.join(), /CREATE EXTENSION pg_trgm/)
  await poor.close()
  assert.match((await startedLines(t, restricted.href)).join('\n'), /CREATE EXTENSION pg_trgm/)

  await administer(address, 'create extension pg_trgm')
  const again = await openDatabase(restricted.href)
  assert.deepEqual(await migrate(again), { ran: [], remarks: [] })
  const { rows } = await sql`select indexname from pg_indexes where indexname like '%\\_search'`.execute(again.read)
  assert.equal(rows.length, 3)
  await again.close()
  await administer(address, `drop owned by ${name}`)
  await administer(address, `drop role ${name}`)
  await remove()
})

test('images from before they had texts get slugs of their own, and are found by their names', async (t) => {
  const database = await openBare(t)
  await database.migrate(first.up)
  await database.write(async (tx) => {
    for (const [index, title] of ['Poster', 'poster', 'Other'].entries()) {
      await sql`insert into records (kind) values ('image')`.execute(tx)
      await sql`insert into images (id, author, title, date_utc, file, mime_type, width, height, filesize, sizes, source_url, original_image)
        select max(id), 1, ${title}, '2026-01-02 03:04:05', ${`${index}.png`}, 'image/png', 1, 1, 1, '{}', '', '' from records`.execute(
        tx,
      )
    }
  })
  await database.migrate(media.up)
  const rows = await database.read.selectFrom('images').selectAll().orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ slug }) => slug),
    ['poster', `poster-${rows[1]?.id}`, 'other'],
  )
  assert.deepEqual(
    rows.map(({ search, modified_utc, alt_text }) => [search, modified_utc, alt_text]),
    ['poster', 'poster', 'other'].map((name) => [name, '2026-01-02 03:04:05', '']),
  )
})

/** A database as the release before had it, with events and a log of changes. */
async function openWithLog(t: TestContext): Promise<Database> {
  const database = await openBare(t)
  await database.migrate(async (tx) => {
    await sql`create table migrations (name text primary key)`.execute(tx)
    for (const { name, up } of migrations.slice(0, migrations.indexOf(recordOfChanges))) {
      await up(tx)
      await sql`insert into migrations (name) values (${name})`.execute(tx)
    }
  })
  return database
}

const log = (database: Database, changes: readonly (readonly [kind: string, record: number])[]) =>
  database.migrate(async (tx) => {
    for (const [kind, record] of changes)
      await sql`insert into changes (kind, record) values (${kind}, ${record})`.execute(tx)
  })

/** Events with these statuses, numbered from 4 on. */
const putEvents = (database: Database, statuses: readonly string[]) =>
  database.migrate(async (tx) => {
    for (const [index, status] of statuses.entries()) {
      await sql`insert into records (kind) values ('event')`.execute(tx)
      await sql`insert into events (id, author, status, slug, date, date_utc, modified, modified_utc, search, title, start_date, end_date,
          utc_start_date, utc_end_date, timezone)
        values (${4 + index}, 1, ${status}, ${`event-${index}`}, '', '', '', '', '', ${`Event ${index}`}, '2030-01-01 10:00:00', '2030-01-01 11:00:00',
          '2030-01-01 10:00:00', '2030-01-01 11:00:00', 'UTC')`.execute(tx)
    }
  })

test('a log of changes becomes one row for each record, and goes on behind it', async (t) => {
  const database = await openWithLog(t)
  await putEvents(database, ['publish', 'draft', 'trash', 'publish'])
  await log(database, [
    ['event', 4],
    ['event', 5],
    ['event', 6],
    ['event', 4],
    ['venue', 99],
    ['user', 7],
    ['event', 4],
  ])
  await migrate(database)
  const columns = ['kind', 'record', 'was_public', 'is_public', 'deleted'] as const
  const rows = await database.read.selectFrom('changes').select(columns).orderBy('record').orderBy('kind').execute()
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['event', 4, 1, 1, 0],
      ['event', 5, 0, 0, 0],
      ['event', 6, 1, 0, 0],
      ['event', 7, 1, 1, 0],
      ['user', 7, 0, 0, 1],
      ['venue', 99, 1, 0, 1],
    ],
  )
  const cursor = await database.cursor()
  if (databaseName() === 'sqlite') assert.equal(cursor, '7')
  await database.write((tx) => touch(tx, 'event', 7))
  assert.notEqual(await database.cursor(), cursor)
  const read = await database.readChanges(cursor)
  assert.deepEqual(read !== 'too old' && read.changes, [{ kind: 'event', record: 7 }])
})

test('a process of the release before cannot write unnoticed to a migrated database', async (t) => {
  const { database } = await openScratch(t)
  const old = database.migrate(async (tx) => {
    await sql`insert into changes (kind, record) values ('event', 1)`.execute(tx)
  })
  await assert.rejects(old, /null|NULL/)
})

test('events from before they had UIDs get UUIDs of their own', async (t) => {
  const database = await openBare(t)
  await database.migrate(async (tx) => {
    await sql`create table events (id integer primary key)`.execute(tx)
    for (let id = 1; id <= 200; id++) await sql`insert into events values (${id})`.execute(tx)
    await uids.up(tx)
  })
  const rows = await database.read.selectFrom('events').select('uid').execute()
  assert.equal(new Set(rows.map(({ uid }) => uid)).size, 200)
  for (const { uid } of rows) assert.match(uid, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})

test('sequences begin above those that feeds of an older version have shown', async (t) => {
  const database = await openBare(t)
  await database.migrate(async (tx) => {
    await sql`create table migrations (name text primary key)`.execute(tx)
    for (const { name, up } of migrations.slice(0, migrations.indexOf(sequences))) {
      await up(tx)
      await sql`insert into migrations (name) values (${name})`.execute(tx)
    }
  })
  await putEvents(database, ['publish', 'trash'])
  await database.migrate(async (tx) => {
    await sql`insert into changes (kind, record, position, revision, was_public, is_public, deleted, changed_utc, "user")
      values ('event', 5, ${isPostgres(tx) ? sql`pg_current_xact_id()` : sql`1`}, 7, 1, 0, 0, '2026-11-20 10:00:00', 1)`.execute(
      tx,
    )
  })
  const start = Date.now()
  await migrate(database)
  const found = await findSequences(database.read, 'event', [4, 5])
  // An event in the trash was shown with the second in which it went there, and one more.
  assert.equal(found.get(5), (Date.UTC(2026, 10, 20, 10) - Date.UTC(2020, 0, 1)) / 1000 + 1)
  assert.ok((found.get(4) ?? 0) >= Math.floor((start - Date.UTC(2020, 0, 1)) / 1000))
  await database.write((tx) => touch(tx, 'event', 5))
  assert.ok(((await findSequences(database.read, 'event', [5])).get(5) ?? 0) > (found.get(5) ?? 0))
})
