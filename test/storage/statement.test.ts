import { deepEqual, equal } from 'node:assert/strict'
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

async function fill(database: Database, ...slugs: string[]): Promise<void> {
  await database.write((tx) => insertTerms(tx, { rows: slugs.map((slug, i) => term(slug, i)) }))
}
const slugsOf = (rows: { slug: string }[]) => rows.map(({ slug }) => slug)

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
