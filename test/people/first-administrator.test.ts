import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCredentials, revokeCredential } from '../../src/calendar/people/credentials.ts'
import { createFirstAdministrator, giveFirstPassword } from '../../src/calendar/people/first-administrator.ts'
import { getUserByLogin, insertUser, listUsers } from '../../src/calendar/people/users.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { isPasswordOf, NOON, scratchDatabase } from './scratch-database.ts'

test('the first start makes an administrator whose password signs in, and later ones do not', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const first = await giveFirstPassword(database)
  assert.equal(first?.login, 'admin')
  const admin = await getUserByLogin(database.read, 'admin')
  assert.equal(admin.role, 'administrator')
  assert.equal(await isPasswordOf(database.read, admin, first?.password ?? ''), true)
  await createFirstAdministrator(database, NOON)
  assert.equal(await giveFirstPassword(database), undefined)
  assert.equal((await listUsers(database.read)).length, 1)
})

test('a password that a failed start did not come to give is given by the next one, and by one of several', async (t) => {
  const { database, again } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const admin = await getUserByLogin(database.read, 'admin')
  for (const guess of ['', 'pending']) assert.equal(await isPasswordOf(database.read, admin, guess), false)
  await createFirstAdministrator(database, NOON)
  const given = await Promise.all([database, await again(), await again()].map(giveFirstPassword))
  const [first, ...others] = given.filter((each) => each !== undefined)
  assert.deepEqual(others, [])
  assert.equal(await isPasswordOf(database.read, admin, first?.password ?? ''), true)
})

test('an operator who takes the pending password away gets none', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const admin = await getUserByLogin(database.read, 'admin')
  await database.write((tx) => revokeCredential(tx, admin, 'all'))
  assert.equal(await giveFirstPassword(database), undefined)
  assert.deepEqual(await listCredentials(database.read, admin), [])
})

test('no administrator is made where there are users already', async (t) => {
  const { database } = await scratchDatabase(t)
  await database.write((tx) => insertUser(tx, { login: 'anna', role: 'subscriber' }, NOON))
  await createFirstAdministrator(database, NOON)
  assert.equal(await giveFirstPassword(database), undefined)
  assert.equal((await listUsers(database.read)).length, 1)
})

test('of two processes that start together only one makes the administrator', async (t) => {
  const { database } = await scratchDatabase(t)
  const overtaken: Database = {
    ...database,
    write: async (work) => {
      await database.write((tx) => insertUser(tx, { login: 'anna', role: 'administrator' }, NOON))
      return database.write(work)
    },
  }
  await createFirstAdministrator(overtaken, NOON)
  assert.equal((await listUsers(database.read)).length, 1)
})

test('a first start that fails is silent only when another process made the administrator', async (t) => {
  const { database } = await scratchDatabase(t)
  const failing: Database = { ...database, write: () => Promise.reject(new Error('The disk is full.')) }
  await assert.rejects(createFirstAdministrator(failing, NOON), /The disk is full\./)
  const refusedAsTaken: Database = {
    ...database,
    write: async () => {
      await createFirstAdministrator(database, NOON)
      throw new Error('UNIQUE constraint failed: users.login')
    },
  }
  await createFirstAdministrator(refusedAsTaken, NOON)
})
