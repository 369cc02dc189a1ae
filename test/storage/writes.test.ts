import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { recordWritten } from '../../src/calendar/records/record-store.ts'
import { groupTransactions, type SharedWork, waitingWrite } from '../../src/store/storage/commit-groups.ts'
import type { Database, Db } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { type Tx, writerBy } from '../../src/store/storage/recording.ts'
import { passTurn, statement } from '../../src/store/storage/statement.ts'
import { DatabaseUnavailable } from '../../src/store/storage/unavailable.ts'
import { onPostgres, onSqlite } from '../support/database.ts'
import { pluck } from '../support/lists.ts'
import { openAgain, openScratch } from './open.ts'

const insert = (database: Database, then: () => void = () => undefined) =>
  database.write(async (tx) => {
    const { id } = await tx
      .insertInto('records')
      .values({ kind: 'event' })
      .returning('id')
      .executeTakeFirstOrThrow()
    then()
    return id
  })

const insertTagWith = (tx: Db, slug: string) =>
  tx
    .insertInto('terms')
    .values({ taxonomy: 'tag', name: slug, slug, description: '', parent: 0, count: 0, folded: slug })
    .execute()

const insertTag = (database: Database, slug: string) => database.write((tx) => insertTagWith(tx, slug))

const recordIds = async ({ read }: Database) =>
  (await read.selectFrom('records').select('id').orderBy('id').execute()).map(({ id }) => id)

test('a write that fails leaves nothing behind and takes no other with it', async (t) => {
  const { database } = await openScratch(t)
  const writes = Array.from({ length: 20 }, (_, i) =>
    insert(database, () => {
      if (i % 4 === 3) throw new Error(`write ${i}`)
    }),
  )
  const settled = await Promise.allSettled(writes)
  const kept = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = settled.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  deepEqual(failed, [
    'Error: write 3',
    'Error: write 7',
    'Error: write 11',
    'Error: write 15',
    'Error: write 19',
  ])
  deepEqual(
    await recordIds(database),
    kept.sort((a, b) => a - b),
  )
})

function sharedInsert(together: number[]): SharedWork<number, number> {
  return async (tx, asked) => {
    together.push(asked.length)
    const ids: number[] = []
    for (const { item, by } of asked) {
      if (Number.isNaN(item)) throw new Error(`refused to ${by.login}`)
      const { id } = await tx
        .insertInto('records')
        .values({ kind: 'event' })
        .returning('id')
        .executeTakeFirstOrThrow()
      recordWritten(tx, 'event', undefined, { id, status: 'publish', name: `${item}` }, undefined, by)
      ids.push(id)
    }
    return ids
  }
}

test('a transaction that passes its turn lets others be served unaware', onSqlite, async (t) => {
  const { database } = await openScratch(t)
  let seen: Promise<number[]> | undefined
  const id = await database.write(async (tx) => {
    const { id } = await tx
      .insertInto('records')
      .values({ kind: 'event' })
      .returning('id')
      .executeTakeFirstOrThrow()
    setImmediate(() => {
      seen = recordIds(database)
    })
    await passTurn(tx)
    ok(seen, 'nobody was served')
    deepEqual(await seen, [])
    return id
  })
  deepEqual(await recordIds(database), [id])
})

test('a write while the database closes is refused, and nothing fails unawaited', onSqlite, async (t) => {
  const { address } = await openScratch(t)
  const database = await openDatabase(address)
  // Starts a thread, which takes a while to end, so closing takes time.
  await database.findMatching({ include: ['nothing'], exclude: [] })
  const first = insert(database)
  const closing = database.close()
  const late = database.write(async (tx) => {
    const { id } = await tx
      .insertInto('records')
      .values({ kind: 'event' })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (let turns = 0; turns < 500; turns++) await passTurn(tx)
    return id
  })
  await rejects(late, DatabaseUnavailable)
  await closing
  deepEqual(await recordIds(await openAgain(t, address)), [await first])
})

test('writes of one kind share transactions under their names; a failure takes none along', async (t) => {
  const { database } = await openScratch(t)
  const together: number[] = []
  const [insertAll, write] = [sharedInsert(together), database.writeShared]
  const by = (login: string) => ({ ...writerBy('test'), login })
  const items = Array.from({ length: 20 }, (_, i) => (i === 13 ? Number.NaN : i))
  const settled = await Promise.allSettled(items.map((item) => write(insertAll, item, by(`writer ${item}`))))
  const failed = settled.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  deepEqual(failed, ['Error: refused to writer NaN'])
  const kept = settled.flatMap((result, item) =>
    result.status === 'fulfilled' ? [{ id: result.value, item }] : [],
  )
  deepEqual(
    await recordIds(database),
    kept.map(({ id }) => id).sort((a, b) => a - b),
  )
  const acts = await database.read
    .selectFrom('history')
    .select(['record', 'name', 'login'])
    .orderBy('record')
    .execute()
  deepEqual(
    acts,
    kept
      .sort((a, b) => a.id - b.id)
      .map(({ id, item }) => ({ record: id, name: `${item}`, login: `writer ${item}` })),
  )
  ok(Math.max(...together) > 1, `${together} writes shared a transaction`)
  together.length = 0
  await write(insertAll, 1, by('somebody alone'))
  deepEqual(together, [1])
})

test('nothing is written twice where the outcome of a shared transaction is not known', async () => {
  let begun = 0
  const groups = groupTransactions(async (work) => {
    begun += 1
    await work({ recording: {} } as Tx)
    throw new DatabaseUnavailable('The server went away at the commit.')
  })
  const work: SharedWork<number, number> = async (_tx, asked) => asked.map(({ item }) => item)
  const writing = [1, 2, 3].map((item) => {
    const { write, done } = waitingWrite(work, { item, by: writerBy('test') })
    groups.add(write)
    return done
  })
  const settled = await Promise.allSettled(writing)
  deepEqual(pluck(settled, 'status'), ['rejected', 'rejected', 'rejected'])
  ok(begun <= 2, `${begun} transactions`)
})

const count: SharedWork<number, number> = async (tx, asked) => {
  for (const { item } of asked)
    await (item < 0
      ? tx.insertInto('event_terms').values({ event: item, term: item })
      : tx.updateTable('terms').set({ count: 1 }).where('id', '=', item)
    ).execute()
  return asked.map(({ item }) => item)
}

test('a shared write that waits for a lock, or never fits, takes no other with it', onPostgres, async (t) => {
  const { address } = await openScratch(t)
  const database = await openAgain(t, `${address}?lock_ms=300`)
  const other = await openAgain(t, address)
  for (const slug of ['held', 'free']) await insertTag(database, slug)
  const [held = 0, free = 0] = (
    await database.read.selectFrom('terms').select('id').orderBy('id').execute()
  ).map(({ id }) => id)
  const adding =
    ({ writeShared }: Database) =>
    (item: number) =>
      writeShared(count, item, writerBy('test'))
  const [addSoon, add] = [adding(database), adding(other)]
  const [isHeld, isLetGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = other.write(async (tx) => {
    await tx.updateTable('terms').set({ count: 2 }).where('id', '=', held).execute()
    isHeld.resolve()
    await isLetGo.promise
  })
  await isHeld.promise
  try {
    const together = await Promise.allSettled([addSoon(held), addSoon(free), addSoon(-1)])
    deepEqual(pluck(together, 'status'), ['rejected', 'fulfilled', 'rejected'])
    const waiting = add(held)
    waiting.catch(() => undefined)
    await nextTurn()
    await add(free)
    isLetGo.resolve()
    await waiting
  } finally {
    isLetGo.resolve()
    await holding
  }
})

const findTag = statement<{ slug: string }>()((db, value) =>
  db.selectFrom('terms').select('id').where('slug', '=', value('slug')),
)

test('what a write goes on to do after it has failed is refused, and joins no other write', async (t) => {
  const { database } = await openScratch(t)
  const failed = Promise.withResolvers<void>()
  const late: Promise<unknown>[] = []
  const write = database.write(async (tx) => {
    const later = async (work: () => Promise<unknown>) => {
      await failed.promise
      return work()
    }
    late.push(
      later(() => findTag(tx, { slug: 'late' })),
      later(() => insertTagWith(tx, 'late')),
    )
    throw new Error('on purpose')
  })
  await rejects(write, /on purpose/)
  await database.write(async (tx) => {
    failed.resolve()
    for (const one of late) await rejects(one, /The transaction is over/)
    await insertTagWith(tx, 'kept')
  })
  const tags = await database.read.selectFrom('terms').select('slug').execute()
  deepEqual(pluck(tags, 'slug'), ['kept'])
})

test('ids of records begin at 4 on every database', async (t) => {
  const { database } = await openScratch(t)
  equal(await insert(database), 4)
})

test('a value that must be unique and is taken for good refuses the write', async (t) => {
  const { database } = await openScratch(t)
  await insertTag(database, 'jazz')
  await rejects(insertTag(database, 'jazz'), /unique/i)
})

test('a write that lost a race for a unique value runs again, sees the winner', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const others = [database, await openAgain(t, address), await openAgain(t, address)]
  const take = (db: Database) =>
    db.write(async (tx) => {
      const rows = await tx.selectFrom('terms').select('slug').execute()
      const slug = `jazz-${rows.length}`
      const row = {
        taxonomy: 'tag' as const,
        name: slug,
        slug,
        description: '',
        parent: 0,
        count: 0,
        folded: slug,
      }
      await tx.insertInto('terms').values(row).execute()
      return slug
    })
  const slugs = await Promise.all(Array.from({ length: 15 }, (_, i) => take(others[i % 3] ?? database)))
  deepEqual(slugs.sort(), Array.from({ length: 15 }, (_, i) => `jazz-${i}`).sort())
})

test('writes that wait for each other in a circle both succeed', onPostgres, async (t) => {
  const { database, address } = await openScratch(t)
  const other = await openAgain(t, address)
  await insertTag(database, 'a')
  await insertTag(database, 'b')
  let runs = 0
  let holding = 0
  const isHeld = Promise.withResolvers<void>()
  const touch = (db: Database, slugs: string[]) =>
    db.write(async (tx) => {
      runs++
      for (const slug of slugs) {
        await tx
          .updateTable('terms')
          .set((term) => ({ count: term('count', '+', 1) }))
          .where('slug', '=', slug)
          .execute()
        // Both hold their first row before either asks for its second.
        if (++holding === 2) isHeld.resolve()
        await isHeld.promise
      }
    })
  await Promise.all([touch(database, ['a', 'b']), touch(other, ['b', 'a'])])
  // The one that gave way starts again, and may take its first row before the other wakes. Then they meet
  // again.
  ok(runs >= 3, `${runs} runs`)
  deepEqual(await database.read.selectFrom('terms').select('count').execute(), [{ count: 2 }, { count: 2 }])
})
