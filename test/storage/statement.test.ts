import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/store/storage/database.ts'
import { readSnapshot } from '../../src/store/storage/open-database.ts'
import { wholeList } from '../../src/store/storage/sql-parts.ts'
import { statement } from '../../src/store/storage/statement.ts'
import { openScratch } from './open.ts'

const term = (name: string, count = 0) => ({
  taxonomy: 'tag' as const,
  name,
  slug: name,
  description: '',
  parent: 0,
  count,
  folded: name,
})

type Term = ReturnType<typeof term>

const insertTerms = statement<{ rows: Term[] }>()((db, value) =>
  db.insertInto('terms').values(value('rows')).returning('id'),
)

const insertTerm = statement<{ row: Partial<Term> & Omit<Term, 'count'> }>()((db, value) =>
  db.insertInto('terms').values({ count: 7, ...value('row') }),
)

const findBySlug = statement<{ slug: string }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('taxonomy', '=', 'tag').where('slug', '=', value('slug')),
)

const listBySlugs = statement<{ slugs: string[]; least: number }>()((db, value) =>
  db
    .selectFrom('terms')
    .select('slug')
    .where('slug', 'in', value('slugs'))
    .where('count', '>=', value('least'))
    .orderBy('slug'),
)

const listOtherSlugs = statement<{ slugs: string[] }>()((db, value) =>
  db.selectFrom('terms').select('slug').where('slug', 'not in', value('slugs')).orderBy('slug'),
)

async function fill(database: Database, ...slugs: string[]): Promise<void> {
  await database.write((tx) => insertTerms(tx, { rows: slugs.map((slug, i) => term(slug, i)) }))
}

const plain = (rows: object[]) => rows.map((row) => ({ ...row }))
const slugsOf = (rows: { slug: string }[]) => rows.map(({ slug }) => slug)

test('a list of any length finds what is in it and nothing else', async (t) => {
  const { database } = await openScratch(t)
  const slugs = Array.from({ length: 9 }, (_, i) => `s${i}`)
  await fill(database, ...slugs)
  for (const length of [1, 2, 3, 4, 5, 8, 9, 3]) {
    const some = slugs.slice(0, length)
    deepEqual(slugsOf(await listBySlugs(database.read, { slugs: some, least: 0 })), some)
    deepEqual(slugsOf(await listOtherSlugs(database.read, { slugs: some })), slugs.slice(length))
  }
  deepEqual(slugsOf(await listBySlugs(database.read, { slugs, least: 8 })), ['s8'])
})

test('lists of more entries than a statement may have values are asked for', async (t) => {
  const { database } = await openScratch(t)
  await fill(database, 'a', 'z')
  const ids = Array.from({ length: 100_000 }, (_, i) => i + 1)
  const terms = database.read.selectFrom('terms').select('slug').orderBy('slug')
  deepEqual(slugsOf(await terms.where('id', 'in', wholeList(database.read, ids)).execute()), ['a', 'z'])
  deepEqual(slugsOf(await terms.where('id', 'not in', wholeList(database.read, ids)).execute()), [])
  const none: number[] = []
  deepEqual(slugsOf(await terms.where('id', 'in', wholeList(database.read, none)).execute()), [])
})

test('rows are inserted as many as there are, and what they return is in their order', async (t) => {
  const { database } = await openScratch(t)
  for (const [i, length] of [1, 3, 2, 3].entries()) {
    const rows = Array.from({ length }, (_, j) => term(`t${i}-${j}`, j))
    const ids = await database.write((tx) => insertTerms(tx, { rows }))
    const kept = await database.read
      .selectFrom('terms')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(length)
      .execute()
    deepEqual(
      plain(kept.reverse()),
      rows.map((row, j) => ({ id: ids[j]?.id, ...row })),
    )
  }
})

test('a statement takes part in its transaction: it sees its writes, and goes with it', async (t) => {
  const { database } = await openScratch(t)
  const failing = database.write(async (tx) => {
    await insertTerms(tx, { rows: [term('gone')] })
    equal((await findBySlug(tx, { slug: 'gone' })).length, 1)
    equal((await findBySlug(database.read, { slug: 'gone' })).length, 0)
    throw new Error('on purpose')
  })
  await rejects(failing, /on purpose/)
  equal((await findBySlug(database.read, { slug: 'gone' })).length, 0)
})

test('while a snapshot is read, a statement beside it shows what was committed since', async (t) => {
  const { database } = await openScratch(t)
  await fill(database, 'a')
  const beside = await readSnapshot(database, async (db) => {
    equal((await findBySlug(db, { slug: 'a' })).length, 1)
    await fill(database, 'b')
    // On SQLite, the read waits for the snapshot, which holds the connection.
    const reading = findBySlug(database.read, { slug: 'b' })
    equal((await findBySlug(db, { slug: 'b' })).length, 0)
    return { reading }
  })
  equal((await beside.reading).length, 1)
})

test('a column that a table gets later is in the rows of statements that have run before', async (t) => {
  const { database } = await openScratch(t)
  await database.write((tx) => insertTerm(tx, { row: term('later') }))
  const [before] = await findBySlug(database.read, { slug: 'later' })
  await database.write((tx) =>
    sql`alter table terms add column color text not null default 'green'`.execute(tx),
  )
  const [after] = await findBySlug(database.read, { slug: 'later' })
  deepEqual(after, { ...before, color: 'green' })
})
