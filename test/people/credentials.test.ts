import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCredential, listCredentials, revokeCredentials } from '../../src/calendar/people/credentials.ts'
import { insertUser, removeUser, type User } from '../../src/calendar/people/users.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { findTokenUser, isPasswordOf, NOON, scratchDatabase } from './scratch-database.ts'

const addUser = (database: Database, login: string) =>
  database.write((tx) => insertUser(tx, { login, role: 'author' }, NOON))

const give = (database: Database, user: User, kind: 'password' | 'token', secret?: string) =>
  database.write((tx) => addCredential(tx, user, kind, 'Test', NOON, secret))

test('an application password is 24 letters and digits in groups of four, each another', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const passwords = new Set<string>()
  for (let i = 0; i < 5; i += 1) passwords.add(await give(database, anna, 'password'))
  assert.equal(passwords.size, 5)
  for (const password of passwords) assert.match(password, /^[A-Za-z0-9]{4}( [A-Za-z0-9]{4}){5}$/)
})

test('a token is kal_ and 40 characters', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  assert.match(token, /^kal_[A-Za-z0-9]{40}$/)
  assert.equal(await findTokenUser(database.read, token), anna.id)
  assert.equal(await findTokenUser(database.read, token.slice(0, -1)), undefined)
  assert.equal(await findTokenUser(database.read, token.toLowerCase()), undefined)
})

test('an application password is accepted with and without blanks, in its letter case only', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  await give(database, anna, 'password', 'abcd EFGH ijkl')
  for (const sent of ['abcd EFGH ijkl', 'abcdEFGHijkl', ' abcdEF GHijkl\n']) {
    assert.equal(await isPasswordOf(database.read, anna, sent), true, sent)
  }
  for (const sent of ['', 'abcdefghijkl', 'abcdEFGHijk', 'abcdEFGHijklm']) {
    assert.equal(await isPasswordOf(database.read, anna, sent), false, sent)
  }
})

test('each of several passwords works, for its owner alone', async (t) => {
  const { database } = await scratchDatabase(t)
  const [anna, bob] = [await addUser(database, 'anna'), await addUser(database, 'bob')]
  const [first, second] = [await give(database, anna, 'password'), await give(database, anna, 'password')]
  assert.equal(await isPasswordOf(database.read, anna, first), true)
  assert.equal(await isPasswordOf(database.read, anna, second), true)
  assert.equal(await isPasswordOf(database.read, bob, first), false)
  assert.equal(await isPasswordOf(database.read, undefined, first), false)
})

test('several users may be given the same password, and revoking one leaves the other', async (t) => {
  const { database } = await scratchDatabase(t)
  const [anna, bob] = [await addUser(database, 'anna'), await addUser(database, 'bob')]
  await give(database, anna, 'password', 'the same')
  await give(database, bob, 'password', 'the same')
  await database.write((tx) => revokeCredentials(tx, anna, 'all'))
  assert.equal(await isPasswordOf(database.read, anna, 'the same'), false)
  assert.equal(await isPasswordOf(database.read, bob, 'the same'), true)
})

test('a token is no password and a password no token', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  await give(database, anna, 'password', 'kal_password')
  assert.equal(await isPasswordOf(database.read, anna, token), false)
  assert.equal(await findTokenUser(database.read, 'kal_password'), undefined)
})

test('no secret is in the database files, as given or without blanks', async (t) => {
  const { database, bytes } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const password = await give(database, anna, 'password')
  const token = await give(database, anna, 'token')
  const kept = await bytes()
  assert.ok(kept.includes('anna'), 'the files are the ones written to')
  for (const secret of [password, password.replaceAll(' ', ''), token, token.slice(4)]) {
    assert.ok(!kept.includes(secret))
  }
  const rows = await database.read.selectFrom('credentials').select('hash').execute()
  for (const { hash } of rows) assert.match(hash, /^[0-9a-f]{64}$/)
})

test('credentials go with their user', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  await database.write((tx) => removeUser(tx, anna.id))
  assert.equal(await findTokenUser(database.read, token), undefined)
  assert.deepEqual(await database.read.selectFrom('credentials').selectAll().execute(), [])
})

test('an empty password, a token without its prefix and a name of two lines are refused', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  await assert.rejects(give(database, anna, 'password', '  '), /An application password is not empty\./)
  await assert.rejects(give(database, anna, 'token', 'abc'), /A token starts with kal_/)
  for (const name of ['', 'a\nb']) {
    const added = database.write((tx) => addCredential(tx, anna, 'password', name, NOON))
    await assert.rejects(added, /The name of a credential is one line/)
  }
  assert.deepEqual(await listCredentials(database.read, anna), [])
})
