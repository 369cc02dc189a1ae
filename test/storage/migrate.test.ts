import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { wantedWords } from '../../src/base/text/stems.ts'
import { refuseUnknown } from '../../src/features/transfer/backup-file.ts'
import { listTables, secretTables } from '../../src/features/transfer/tables.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { listIds } from '../../src/store/storage/id-set.ts'
import {
  findMigrations,
  finishMigration,
  migrate,
  migrateWithin,
  stepNames,
} from '../../src/store/storage/migrate.ts'
import { type FeatureTables, featureOfStep, step } from '../../src/store/storage/migration.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { findWords } from '../../src/store/storage/search/find-words.ts'
import { administer, databaseName, onPostgres, scratchDatabase } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { featureTables } from '../support/feature-tables.ts'
import { temporaryFolder } from '../support/folder.ts'
import { pluck } from '../support/lists.ts'
import { readAll, startProcess } from '../support/processes.ts'
import { day, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { makeFormer, openAgain, openScratch } from './open.ts'

const kernelSteps = stepNames([])

test('three processes that start at once on an empty database run each step once', async () => {
  const { address, remove } = await scratchDatabase('bare')
  const processes = [1, 2, 3].map(() => startProcess('test/storage/migrating-process.ts', [address]))
  const printed = await Promise.all(processes.map(readAll))
  deepEqual(await Promise.all(processes.map(({ ended }) => ended)), [0, 0, 0])
  const [all, ...others] = printed.flat().sort()
  match(String(all), /^0052-nothing-presented\b/)
  deepEqual(others, ['nothing', 'nothing'])
  await remove()
})

test('a database that is up to date is left as it is', async (t) => {
  const { database } = await openScratch(t)
  const cursor = await database.cursor()
  deepEqual(await migrate(database), { ran: [], remarks: [] })
  equal(await database.cursor(), cursor)
})

test('a start says beforehand that it brings a calendar up to date, and nothing of a new one', async (t) => {
  const address = await makeFormer(t)
  const says = /The database is brought up to date, from step (\S+) on/
  const [first] = await startedLines(address)
  equal(says.exec(first ?? '')?.[1], kernelSteps[0])
  const again = await startedLines(address)
  ok(!again.some((line) => says.test(line)))
  const empty = await scratchDatabase('bare')
  t.after(empty.remove)
  ok(!(await startedLines(empty.address)).some((line) => says.test(line)))
})

async function startedLines(address: string): Promise<string[]> {
  const folder = temporaryFolder()
  const flags = ['--database', address, '--data', folder, '--port', '0', '--drain-ms', '0']
  const { lines, end } = startProcess(MAIN, ['serve', ...flags], {}, 'exec 2>&1')
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
  await rejects(migrate(database), {
    message:
      'The database is of a newer version of Kalends, which made the steps ' +
      '9999-later; start that version, or restore a backup from before it.',
  })
  equal(await database.cursor(), cursor)
})

/** The steps of features, which databases of tests have gone through. */
const ofFeatures = async () =>
  (await featureTables()).flatMap(({ migrations = [] }) => migrations.map(({ name }) => name))

const letters: FeatureTables = {
  feature: 'letters',
  migrations: [
    step('letters-0001-outbox', ({ text }) => [
      `create table letters (name ${text} primary key, key ${text})`,
    ]),
    step('letters-0002-held', () => ['create table held_letters (id integer primary key)']),
  ],
  own: ['held_letters'],
  secret: ['letters'],
}

test('tables of a feature are made after those of the kernel, and once', async (t) => {
  const { database } = await openScratch(t)
  const names = ['letters-0001-outbox', 'letters-0002-held']
  deepEqual((await migrate(database, [letters])).ran, names)
  deepEqual((await migrate(database, [letters])).ran, [])
  deepEqual(await findMigrations(database.read), [...kernelSteps, ...names, ...(await ofFeatures())].sort())
  const copied = (await listTables(database.read, [letters])).map(({ name }) => name)
  ok(copied.includes('letters') && !copied.includes('held_letters'))
  ok(secretTables([letters]).includes('letters'))
})

test('a calendar goes on without a left-out feature, is not copied, and refuses newer steps', async (t) => {
  const { database } = await openScratch(t)
  await migrate(database, [letters])
  deepEqual((await migrate(database)).ran, [])
  const names = (await findMigrations(database.read)) ?? []
  const tables = await featureTables()
  throws(() => refuseUnknown(names, tables), {
    message: 'The database has tables of letters, which this program is without.',
  })
  const older = { ...letters, migrations: letters.migrations?.slice(0, 1) ?? [] }
  await rejects(
    migrate(database, [older]),
    /newer version of Kalends, which made the steps letters-0002-held;/,
  )
})

test('a step that fails leaves nothing behind', async (t) => {
  const { database } = await openScratch(t)
  const failing = database.migrate(async (tx) => {
    await sql`create table half (id integer)`.execute(tx)
    throw new Error('out of steps')
  })
  await rejects(failing, /out of steps/)
  await rejects(sql`select * from half`.execute(database.read), /half/)
})

test('searches use an index of trigrams', onPostgres, async (t) => {
  const { database } = await openScratch(t)
  const plan = await database.read.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    return sql`explain select id from events where search like ${'%concert%'} escape '\\'`.execute(tx)
  })
  match(JSON.stringify(plan.rows), /events_search/)
})

test('without the extension for trigrams all works, and a start says what to do', onPostgres, async () => {
  const { address, remove } = await scratchDatabase('bare')
  const name = new URL(address).pathname.slice(1)
  await administer(address, `create role ${name} login`)
  await administer(address, `grant create on schema public to ${name}`)
  const restricted = new URL(address)
  restricted.username = name
  const poor = await openDatabase(restricted.href)
  const { ran, remarks } = await migrate(poor)
  deepEqual(ran, kernelSteps)
  match(remarks.join(), /CREATE EXTENSION pg_trgm/)
  await poor.close()
  match((await startedLines(restricted.href)).join('\n'), /CREATE EXTENSION pg_trgm/)

  await administer(address, 'create extension pg_trgm')
  const again = await openDatabase(restricted.href)
  deepEqual(await migrate(again), { ran: [], remarks: [] })
  const { rows } = await sql`select indexname from pg_indexes where indexname like '%\\_search'`.execute(
    again.read,
  )
  equal(rows.length, 3)
  await again.close()
  await administer(address, `drop owned by ${name}`)
  await administer(address, `drop role ${name}`)
  await remove()
})

test('a process of the release before cannot write unnoticed to a migrated database', async (t) => {
  const { database } = await openScratch(t)
  const old = database.migrate(async (tx) => {
    await sql`insert into changes (kind, record) values ('event', 1)`.execute(tx)
  })
  await rejects(old, /null|NULL/)
})

type Row = Record<string, unknown>

const CARRIED =
  'records users credentials terms venues organizers ' +
  'series events event_venues event_organizers event_terms ' +
  'changes history old_slugs withdrawn_events webhooks editions'

async function rowsOf(database: Database, table: string): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by 1, 2`.execute(database.read)
  return rows
}

/** Of tables, indexes and triggers, but for the order of columns and the layout of statements. */
async function formOf(database: Database): Promise<string[]> {
  const { rows } = await sql
    .raw<{ line: string }>(
      databaseName() === 'postgres'
        ? `select concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable,
          column_default) as line
            from information_schema.columns where table_schema = current_schema()
          union all select indexdef from pg_indexes where schemaname = current_schema()
          union all select concat(conrelid::regclass, ' ', pg_get_constraintdef(oid)) from pg_constraint
            where connamespace = current_schema()::regnamespace
          union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
          union all select proname from pg_proc where pronamespace = current_schema()::regnamespace
            and prolang <> 13
          union all select sequencename from pg_sequences where schemaname = current_schema()`
        : `select concat_ws(' ', t.name, t.sql like '%without rowid%', t.sql like '%autoincrement%', c.name,
          c.type,
            c."notnull", c.dflt_value, c.pk) as line from sqlite_schema t, pragma_table_info(t.name) c
              where t.type = 'table'
          union all select concat_ws(' ', t.name, f."from", f."table", f.on_delete)
            from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table'
          union all select sql from sqlite_schema where sql is not null and type <> 'table'`,
    )
    .execute(database.read)
  return rows.map(({ line }) => line.replaceAll(/\s+/g, ' ')).sort()
}

test('a calendar of 34ed6c85 is carried over with every row, but for marks of letters', async (t) => {
  const database = await openAgain(t, await makeFormer(t))
  const before = new Map<string, Row[]>()
  for (const table of CARRIED.split(' ')) before.set(table, await rowsOf(database, table))
  deepEqual((await migrate(database, await featureTables())).ran, [...kernelSteps, ...(await ofFeatures())])
  const folded = { events: ['search'], venues: ['search', 'folded'], users: ['language'] } as Readonly<
    Record<string, string[]>
  >
  const unfolded = (table: string) => (row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !folded[table]?.includes(name)))
  for (const [table, rows] of before) {
    ok(rows.length > 0, table)
    deepEqual((await rowsOf(database, table)).map(unfolded(table)), rows.map(unfolded(table)), table)
  }
  deepEqual(await formOf(database), await formOf((await openScratch(t)).database))
  deepEqual(await migrate(database), { ran: [], remarks: [] })
})

test('a calendar of 34ed6c85 is served with its addresses, links and times, and counts on', async (t) => {
  await using service = await startService({ database: await makeFormer(t) })
  const { body } = await service.get('/events?search=alles&start_date=2020-01-01')
  const [event, ...others] = body.events
  deepEqual(others, [])
  deepEqual(
    [event.id, event.slug, event.start_date, event.utc_start_date, event.description.trim()],
    [
      7,
      'evening-of-songs',
      '2026-12-05 19:30:00',
      '2026-12-05 18:30:00',
      `<p>Über <b>alles</b>: it's "quoted"</p>`,
    ],
  )
  const slugs = [event.venue, event.organizer, event.categories, event.tags].map((all) =>
    all.map(({ slug }: { slug: string }) => slug).join(),
  )
  deepEqual(slugs, ['town-hall,garden', 'ann-ohara', 'jazz', 'free-entry'])
  equal((await service.event({ title: 'New', ...day })).id, 16)
})

test('a calendar that went through each former step by itself is up to date', async (t) => {
  const { database } = await openScratch(t)
  await database.migrate(async (tx) => {
    await sql`insert into migrations (name) values ('0001-first'), ('0033-sequences'),
      ('0051-marks')`.execute(tx)
  })
  deepEqual(await migrate(database), { ran: [], remarks: [] })
  deepEqual(await findMigrations(database.read), [...kernelSteps, ...(await ofFeatures())].sort())
})

test('steps are numbered in order, and no number comes twice', () => {
  const numbers = kernelSteps.map((name) => Number(/^(\d{4})-/.exec(name)?.[1]))
  deepEqual(
    numbers.filter((number, at) => at > 0 && !(number > (numbers[at - 1] ?? 0))),
    [],
  )
})

test('steps of features have the name of their feature, and no two have one name', async () => {
  const all = await featureTables()
  const names = all.flatMap(({ migrations = [] }) => migrations.map(({ name }) => name))
  deepEqual(names, [...new Set(names)])
  for (const { feature, migrations = [] } of all)
    for (const { name } of migrations) equal(featureOfStep(name), feature)
})

test('a calendar that stopped behind any step goes on, and ends with the tables of a new one', async (t) => {
  const { address, remove } = await scratchDatabase('bare')
  const stepwise = await openDatabase(address)
  t.after(async () => {
    await stepwise.close()
    await remove()
  })
  for (const [at, name] of kernelSteps.entries())
    await stepwise.migrate(async (tx) => {
      deepEqual(await migrateWithin(tx, kernelSteps.slice(0, at + 1)), [name])
    })
  deepEqual((await migrate(stepwise, await featureTables())).ran, await ofFeatures())
  const { database } = await openScratch(t)
  deepEqual(await listTables(stepwise.read), await listTables(database.read))
})

test('texts with marks are found once folded, and stems are cut anew as the service runs', async (t) => {
  const database = await openAgain(t, await makeFormer(t))
  await database.migrate(async (tx) => {
    await sql`update events set search = ${'عن أحمد\nمُوسِيقَى cafe'} where id = 7`.execute(tx)
    for (const table of ['venues', 'organizers', 'terms'])
      await sql`update ${sql.table(table)} set folded = 'שָׁלוֹם'`.execute(tx)
    await sql`delete from unstemmed`.execute(tx)
    const stems =
      databaseName() === 'sqlite'
        ? sql`(rowid, words) values (7, 'before =before')`
        : sql`values (7, 'before')`
    await sql`insert into stems ${stems}`.execute(tx)
  })
  let waiting: Row[] = []
  await database.migrate(async (tx) => {
    await migrateWithin(tx, kernelSteps)
    await finishMigration(tx)
    waiting = (await sql<Row>`select doc from unstemmed`.execute(tx)).rows
  })
  deepEqual(
    waiting.map(({ doc }) => Number(doc)),
    [7],
  )
  const folded = async (table: string) =>
    new Set((await rowsOf(database, table)).map(({ folded: own }) => own))
  for (const table of ['venues', 'organizers', 'terms']) deepEqual([...(await folded(table))], ['שלום'])
  const events = (await rowsOf(database, 'events')).filter(({ id }) => id === 7)
  deepEqual(pluck(events, 'search'), ['عن احمد\nموسيقى cafe'])
  const isNoneLeft = async () =>
    (await sql`select doc from unstemmed`.execute(database.read)).rows.length === 0
  await until(isNoneLeft, 'stems are not cut anew')
  const searcher = { db: database.read, readInLane: database.readInLane }
  const found = async (words: string) => listIds((await findWords(searcher, wantedWords(words))).all)
  deepEqual([await found('مُوسِيقَى'), await found('before')], [[7, 9], []])
})

test('a calendar of a version of development is refused in one sentence, and left as it is', async (t) => {
  const database = await openAgain(t, await makeFormer(t))
  await database.migrate(async (tx) => {
    await sql`delete from migrations where name > '0005'`.execute(tx)
    await sql`insert into migrations (name) values ('0005-scopes')`.execute(tx)
  })
  await rejects(
    migrate(database),
    /^Error: The database was last served by a version of development \(0005-scopes\)/,
  )
  equal((await rowsOf(database, 'events')).length, 7)
})
