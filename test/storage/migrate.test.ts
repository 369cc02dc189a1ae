import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/storage/migrate.ts'
import { first } from '../../src/storage/migrations/0001-first.ts'
import { media } from '../../src/storage/migrations/0006-media.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { administer, databaseName, scratchDatabase } from '../support/database.ts'
import { readAll, startProcess } from '../support/processes.ts'
import { openScratch } from './open.ts'

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

test('without the extension for trigrams everything works, and a sentence says what to do', onPostgres, async () => {
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
  const { address, remove } = await scratchDatabase('bare')
  const database = await openDatabase(address)
  t.after(async () => {
    await database.close()
    await remove()
  })
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
