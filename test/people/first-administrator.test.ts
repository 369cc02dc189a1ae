import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { listCredentials, revokeCredentials } from '../../src/calendar/people/credentials.ts'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import {
  createFirstAdministrator,
  findDeskEntry,
  giveFirstPassword,
  tellFirstSteps,
} from '../../src/calendar/people/first-administrator.ts'
import { getUserByLogin, insertUser, listUsers } from '../../src/calendar/people/users.ts'
import {
  hashDeskPassword,
  makeHashing,
  setDeskPassword,
} from '../../src/features/desk/sign-in/password-hashes.ts'
import { startSession } from '../../src/features/desk/sign-in/session-store.ts'
import { findSignInLink } from '../../src/features/desk/sign-in/sign-in-links.ts'
import { listTables } from '../../src/features/transfer/tables.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { assertNone } from '../support/lists.ts'
import { isPasswordOf, NOON, scratchDatabase } from './scratch-database.ts'

test('the first start makes an administrator whose password signs in, and later ones do not', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const first = await giveFirstPassword(database)
  equal(first?.login, 'admin')
  const admin = await getUserByLogin(database.read, 'admin')
  equal(admin.role, 'administrator')
  equal(await isPasswordOf(database.read, admin, first?.password ?? ''), true)
  await createFirstAdministrator(database, NOON)
  equal(await giveFirstPassword(database), undefined)
  equal((await listUsers(database.read)).length, 1)
})

test('a password that a failed start did not give is given by the next, by one of several', async (t) => {
  const { database, again } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const admin = await getUserByLogin(database.read, 'admin')
  for (const guess of ['', 'pending']) equal(await isPasswordOf(database.read, admin, guess), false)
  await createFirstAdministrator(database, NOON)
  const given = await Promise.all([database, await again(), await again()].map(giveFirstPassword))
  const [first, ...others] = given.filter((each) => each !== undefined)
  deepEqual(others, [])
  equal(await isPasswordOf(database.read, admin, first?.password ?? ''), true)
})

test('an operator who takes the pending password away gets none', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const admin = await getUserByLogin(database.read, 'admin')
  await database.write((tx) => revokeCredentials(tx, admin, 'all'))
  equal(await giveFirstPassword(database), undefined)
  deepEqual(await listCredentials(database.read, admin), [])
})

test('no administrator is made where there are users already', async (t) => {
  const { database } = await scratchDatabase(t)
  await database.write((tx) => insertUser(tx, { login: 'anna', role: 'subscriber' }, NOON))
  await createFirstAdministrator(database, NOON)
  equal(await giveFirstPassword(database), undefined)
  equal((await listUsers(database.read)).length, 1)
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
  equal((await listUsers(database.read)).length, 1)
})

test('a first start that fails is silent only when another process made the administrator', async (t) => {
  const { database } = await scratchDatabase(t)
  const failing: Database = { ...database, write: () => Promise.reject(new Error('The disk is full.')) }
  await rejects(createFirstAdministrator(failing, NOON), /The disk is full\./)
  const refusedAsTaken: Database = {
    ...database,
    write: async () => {
      await createFirstAdministrator(database, NOON)
      throw new Error('UNIQUE constraint failed: users.login')
    },
  }
  await createFirstAdministrator(refusedAsTaken, NOON)
})

test('the first start tells a link, later ones how to get one, until somebody has a password', async (t) => {
  const { database } = await scratchDatabase(t)
  const told = { folder: '/nowhere', isTerminal: true, siteUrl: 'https://example.org' }
  await createFirstAdministrator(database, NOON)
  const first = await giveFirstPassword(database)
  const entry = await findDeskEntry(database, { isFirst: true, isDemo: false }, NOON)
  const sentences = tellFirstSteps(first, entry, told)
  const [, token = ''] =
    /https:\/\/example\.org\/desk\/set-up\/([\w-]{43})$/.exec(sentences.at(-1) ?? '') ?? []
  deepEqual((await findSignInLink(database.read, token, NOON))?.isFirst, true)
  const later = await findDeskEntry(database, { isFirst: false, isDemo: false }, NOON)
  deepEqual(tellFirstSteps(undefined, later, told), [
    'Nobody has a password for the desk yet; kalends user link admin prints a link to it.',
  ])
  const admin = await getUserByLogin(database.read, 'admin')
  const hash = await hashDeskPassword(makeHashing(), 'correct horse battery')
  await database.write((tx) => setDeskPassword(tx, admin, hash, NOON))
  equal(await findDeskEntry(database, { isFirst: false, isDemo: false }, NOON), undefined)
})

test('the demo tells a link to look around at every start, until somebody has a password', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  for (const isFirst of [true, false]) {
    const entry = await findDeskEntry(database, { isFirst, isDemo: true }, NOON)
    equal((await findSignInLink(database.read, entry?.token ?? '', NOON))?.purpose, 'demo')
  }
  const admin = await getUserByLogin(database.read, 'admin')
  const hash = await hashDeskPassword(makeHashing(), 'correct horse battery')
  await database.write((tx) => setDeskPassword(tx, admin, hash, NOON))
  equal(await findDeskEntry(database, { isFirst: false, isDemo: true }, NOON), undefined)
})

test('sessions that nobody uses and links that are over are dropped, and no others', async (t) => {
  const { database } = await scratchDatabase(t)
  await createFirstAdministrator(database, NOON)
  const admin = await getUserByLogin(database.read, 'admin')
  const day = 86_400_000
  for (const used of [NOON, NOON + 100 * day])
    await database.write((tx) => startSession(tx, admin, used, { client: '', address: '' }))
  await database.write((tx) => addSignInLink(tx, admin, NOON))
  await dropOld(database, 0, NOON + 101 * day)
  const { sessions } = await database.read
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .executeTakeFirstOrThrow()
  equal(Number(sessions), 1)
  deepEqual(await database.read.selectFrom('sign_in_links').selectAll().execute(), [])
})

test('sessions and links stay where they were made: no copy and no backup has them', async (t) => {
  const { database } = await scratchDatabase(t)
  const names = (await listTables(database.read)).map(({ name }) => name)
  ok(names.includes('desk_passwords'))
  assertNone(names, (name) => name === 'sessions' || name === 'sign_in_links')
})
