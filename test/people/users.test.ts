import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Role } from '../../src/calendar/people/caller.ts'
import {
  changeRole,
  findUser,
  insertUser,
  listUsers,
  removeUser,
  type User,
  userExists,
} from '../../src/calendar/people/users.ts'
import type { Database, Db } from '../../src/store/storage/database.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const add = (database: Database, login: string, role: Role, email?: string) =>
  database.write((tx) => insertUser(tx, { login, role, email }, NOON))

const changesOf = async (database: Database) =>
  (
    await database.read
      .selectFrom('changes')
      .select(['kind', 'record', 'deleted'])
      .orderBy('record')
      .execute()
  ).map(({ kind, record, deleted }) => `${kind} ${record}${deleted === 1 ? ' is gone' : ''}`)

const TABLES = { events: 'event', venues: 'venue', organizers: 'organizer', images: 'image' } as const

async function giveRecords(tx: Db, author: User): Promise<string[]> {
  const made: string[] = []
  for (const [table, kind] of Object.entries(TABLES)) {
    const { id } = await tx.insertInto('records').values({ kind }).returning('id').executeTakeFirstOrThrow()
    const described = (await tx.introspection.getTables()).find(({ name }) => name === table)
    const columns = described?.columns ?? []
    const given: Record<string, number> = { id, author: author.id }
    const values = columns.map(({ name, dataType }) => given[name] ?? (/^text$/i.test(dataType) ? '' : 0))
    const names = columns.map(({ name }) => sql.ref(name))
    await sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`.execute(tx)
    made.push(`${kind} ${id}`)
  }
  return made
}

async function authors(db: Db): Promise<number[]> {
  const found: number[] = []
  for (const table of ['events', 'venues', 'organizers', 'images'] as const) {
    for (const { author } of await db.selectFrom(table).select('author').execute()) found.push(author)
  }
  return found
}

test('a login or e-mail address that signs in somebody else is refused', async (t) => {
  const { database } = await scratchDatabase(t)
  await add(database, 'anna', 'author', 'anna@example.org')
  await rejects(add(database, 'ANNA', 'author'), /^Error: There already is a user .* anna\.$/)
  await rejects(
    add(database, 'bob', 'author', 'Anna@example.org'),
    /There already is a user .* anna@example\.org\.$/,
  )
  await rejects(add(database, 'anna@example.org', 'author'), /There already is a user/)
  equal((await listUsers(database.read)).length, 1)
})

test('logins, e-mail addresses and names that could not work are refused in one sentence', async (t) => {
  const { database } = await scratchDatabase(t)
  for (const login of ['', 'a b', 'a:b', '-a', '.a', 'ä', 'a'.repeat(61), 'a\n']) {
    await rejects(add(database, login, 'author'), /^Error: A login is [^.]+ \. _ - @ [^.]+\.$/, login)
  }
  for (const email of [
    'anna',
    'anna@',
    '@example.org',
    'an na@example.org',
    'a:b@example.org',
    `a@${'b'.repeat(64)}.org`,
  ]) {
    await rejects(add(database, 'anna', 'author', email), /is not an e-mail address\.$/, email)
  }
  for (const name of ['a\nb', 'a\u2028b', 'x'.repeat(251)]) {
    const named = database.write((tx) => insertUser(tx, { login: 'anna', name, role: 'author' }, NOON))
    await rejects(named, /A name is one line/)
  }
  for (const login of ['a', 'A.b_c-d@e', '0', 'a'.repeat(60)]) await add(database, login, 'author')
})

test('a role of another release grants nothing', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await add(database, 'anna', 'author')
  await database.write((tx) => tx.updateTable('users').set({ role: 'overlord' }).execute())
  equal((await findUser(database.read, anna.id))?.role, 'subscriber')
})

test('the last administrator is neither demoted nor removed', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await add(database, 'anna', 'administrator')
  const bob = await add(database, 'bob', 'editor')
  const change = (id: number, role: Role) => database.write((tx) => changeRole(tx, id, role))
  const remove = (id: number) => database.write((tx) => removeUser(tx, id))
  await rejects(change(anna.id, 'editor'), /anna is the last administrator/)
  await rejects(remove(anna.id), /anna is the last administrator/)
  await change(anna.id, 'administrator')
  await change(bob.id, 'administrator')
  await change(anna.id, 'editor')
  await rejects(remove(bob.id), /bob is the last administrator/)
  await remove(anna.id)
  deepEqual(
    (await listUsers(database.read)).map(({ login }) => login),
    ['bob'],
  )
})

test('a user who owns a record of any kind is not removed without an heir', async (t) => {
  const { database } = await scratchDatabase(t)
  await add(database, 'anna', 'administrator')
  const bob = await add(database, 'bob', 'author')
  await database.write((tx) => giveRecords(tx, bob))
  for (const table of ['events', 'venues', 'organizers', 'images'] as const) {
    await rejects(
      database.write((tx) => removeUser(tx, bob.id)),
      /^Error: bob owns records; name the user who takes them over\.$/,
      table,
    )
    await database.write((tx) => tx.deleteFrom(table).execute())
  }
  await database.write((tx) => removeUser(tx, bob.id))
})

test('the heir gets every record of a removed user, and each is noted as changed', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await add(database, 'anna', 'administrator')
  const bob = await add(database, 'bob', 'author')
  const records = await database.write((tx) => giveRecords(tx, bob))
  await database.write((tx) => removeUser(tx, bob.id, anna.id))
  deepEqual(await authors(database.read), [anna.id, anna.id, anna.id, anna.id])
  deepEqual(await changesOf(database), ['user 1', 'user 2 is gone', ...records])
})

test('a record can go neither to the removed user nor to nobody', async (t) => {
  const { database } = await scratchDatabase(t)
  await add(database, 'anna', 'administrator')
  const bob = await add(database, 'bob', 'author')
  await database.write((tx) => giveRecords(tx, bob))
  await rejects(
    database.write((tx) => removeUser(tx, bob.id, bob.id)),
    /The records of bob cannot go to bob\./,
  )
  await rejects(
    database.write((tx) => removeUser(tx, bob.id, 99)),
    /There is no user with the id 99\./,
  )
  equal(await userExists(database.read, bob.id), true)
  deepEqual(await authors(database.read), [bob.id, bob.id, bob.id, bob.id])
})
