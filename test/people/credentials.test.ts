import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { addCredential, listCredentials } from '../../src/calendar/people/credentials.ts'
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
  equal(passwords.size, 5)
  for (const password of passwords) match(password, /^[A-Za-z0-9]{4}( [A-Za-z0-9]{4}){5}$/)
})

test('a token is kal_ and 40 characters', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  match(token, /^kal_[A-Za-z0-9]{40}$/)
  equal(await findTokenUser(database.read, token), anna.id)
  equal(await findTokenUser(database.read, token.slice(0, -1)), undefined)
  equal(await findTokenUser(database.read, token.toLowerCase()), undefined)
})

test('an application password is accepted with and without blanks, in its letter case only', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  await give(database, anna, 'password', 'abcd EFGH ijkl')
  for (const sent of ['abcd EFGH ijkl', 'abcdEFGHijkl', ' abcdEF GHijkl\n'])
    equal(await isPasswordOf(database.read, anna, sent), true, sent)
  for (const sent of ['', 'abcdefghijkl', 'abcdEFGHijk', 'abcdEFGHijklm'])
    equal(await isPasswordOf(database.read, anna, sent), false, sent)
})

test('no secret is in the database files, as given or without blanks', async (t) => {
  const { database, bytes } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const password = await give(database, anna, 'password')
  const token = await give(database, anna, 'token')
  const kept = await bytes()
  ok(kept.includes('anna'), 'the files are the ones written to')
  for (const secret of [password, password.replaceAll(' ', ''), token, token.slice(4)]) {
    ok(!kept.includes(secret))
  }
  const rows = await database.read.selectFrom('credentials').select('hash').execute()
  for (const { hash } of rows) match(hash, /^[0-9a-f]{64}$/)
})

test('credentials go with their user', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  await database.write((tx) => removeUser(tx, anna.id))
  equal(await findTokenUser(database.read, token), undefined)
  deepEqual(await database.read.selectFrom('credentials').selectAll().execute(), [])
})

test('an empty password, a token without its prefix and a name of two lines are refused', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  await rejects(give(database, anna, 'password', '  '), /An application password is not empty\./)
  await rejects(give(database, anna, 'token', 'abc'), /A token starts with kal_/)
  for (const name of ['', 'a\nb']) {
    const added = database.write((tx) => addCredential(tx, anna, 'password', name, NOON))
    await rejects(added, /The name of a credential is one line/)
  }
  deepEqual(await listCredentials(database.read, anna), [])
})

test('a token is no password and a password no token', async (t) => {
  const { database } = await scratchDatabase(t)
  const anna = await addUser(database, 'anna')
  const token = await give(database, anna, 'token')
  await give(database, anna, 'password', 'kal_password')
  equal(await isPasswordOf(database.read, anna, token), false)
  equal(await findTokenUser(database.read, 'kal_password'), undefined)
})
