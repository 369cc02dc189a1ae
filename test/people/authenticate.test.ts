import { deepEqual, equal, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeAuthenticator } from '../../src/calendar/people/authenticate.ts'
import { anonymous } from '../../src/calendar/people/caller.ts'
import { addCredential, listCredentials, revokeCredentials } from '../../src/calendar/people/credentials.ts'
import { changeRole, deactivateUser, insertUser } from '../../src/calendar/people/users.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { until } from '../support/waiting.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const HOME = '192.0.2.1'
const ELSEWHERE = '192.0.2.2'

const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
const wrong = { name: 'Problem', code: 'incorrect_password' }
const unknown = { name: 'Problem', code: 'invalid_username' }

async function site(t: TestContext) {
  const scratch = await scratchDatabase(t)
  const { database } = scratch
  const add = (login: string, email?: string) =>
    database.write(async (tx) => {
      const user = await insertUser(tx, { login, role: 'author', email }, NOON)
      await addCredential(tx, user, 'password', 'Test', NOON, `${login} secret`)
      return user
    })
  const anna = await add('anna', 'anna@example.org')
  const bob = await add('bob')
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
  }
  const { authenticate, forget } = makeAuthenticator(database, sleep)
  return { ...scratch, anna, bob, waits, authenticate, forget }
}

const revokeAll = async (database: Database, login: string) => {
  const { id } = await database.read
    .selectFrom('users')
    .select('id')
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  await database.write((tx) => tx.deleteFrom('credentials').where('user', '=', id).execute())
}

test('an application password signs in with login or address, in any case, with any blanks', async (t) => {
  const { authenticate, anna } = await site(t)
  const caller = { id: anna.id, login: 'anna', role: 'author', credential: { id: 1, isLasting: true } }
  for (const login of ['anna', 'ANNA', 'anna@example.org', 'Anna@Example.org']) {
    deepEqual(await authenticate(basic(login, 'annasecret'), HOME, NOON), caller, login)
  }
  deepEqual(await authenticate(basic('anna', ' anna  secret '), HOME, NOON), caller)
  deepEqual(await authenticate(basic('anna', 'anna secret').replace('Basic', 'bASIC '), HOME, NOON), caller)
})

test('a token signs in as Bearer', async (t) => {
  const { authenticate, database, bob } = await site(t)
  const token = await database.write((tx) => addCredential(tx, bob, 'token', 'Test', NOON))
  const caller = { id: bob.id, login: 'bob', role: 'author', credential: { id: 3, isLasting: true } }
  deepEqual(await authenticate(`Bearer ${token}`, HOME, NOON), caller)
  deepEqual(await authenticate(`bearer  ${token} `, HOME, NOON), caller)
})

test('no header, tokens of other programs and other schemes are anonymous', async (t) => {
  const { authenticate, waits } = await site(t)
  const headers = [
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer not-a-token',
    'Digest username="anna"',
    'anna:secret',
  ]
  for (const header of headers) equal(await authenticate(header, HOME, NOON), anonymous, header)
  deepEqual(waits, [])
})

test('a wrong password is told from an unknown login', async (t) => {
  const { authenticate, database, anna } = await site(t)
  const token = await database.write((tx) => addCredential(tx, anna, 'token', 'Test', NOON))
  await rejects(authenticate(basic('anna', 'bob secret'), HOME, NOON), wrong)
  await rejects(authenticate(basic('anna@example.org', ''), HOME, NOON), wrong)
  await rejects(authenticate(basic('anna', token), HOME, NOON), wrong)
  await rejects(authenticate(basic('nobody-at-all', 'secret'), HOME, NOON), unknown)
})

test('a Basic header that holds no login and password is an unknown login', async (t) => {
  const { authenticate } = await site(t)
  const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const header of [
    'Basic',
    'Basic ',
    'Basic !',
    'basic a b',
    encoded('anna'),
    encoded(':x'),
    encoded('an\0na:x'),
    'Basic /////w==',
  ]) {
    await rejects(authenticate(header, HOME, NOON), unknown, header)
  }
})

test('a password may hold colons and letters beyond ASCII', async (t) => {
  const { authenticate, database, anna } = await site(t)
  await database.write((tx) => addCredential(tx, anna, 'password', 'Test', NOON, 'ü:é:漢'))
  equal((await authenticate(basic('anna', 'ü:é:漢'), HOME, NOON)).id, anna.id)
})

test('a known caller is believed for under five seconds after another process revoked them', async (t) => {
  const { authenticate, again } = await site(t)
  const header = basic('anna', 'anna secret')
  await authenticate(header, HOME, NOON)
  await revokeAll(await again(), 'anna')
  equal((await authenticate(header, HOME, NOON + 4999)).login, 'anna')
  await rejects(authenticate(header, HOME, NOON + 5000), wrong)
  await rejects(authenticate(header, HOME, NOON + 4999), wrong, 'nor is an old entry left behind')
})

test('use does not prolong how long a caller is believed', async (t) => {
  const { authenticate, again } = await site(t)
  const header = basic('anna', 'anna secret')
  await authenticate(header, HOME, NOON)
  await revokeAll(await again(), 'anna')
  for (const ms of [1000, 2000, 3000, 4000]) await authenticate(header, HOME, NOON + ms)
  await rejects(authenticate(header, HOME, NOON + 5000), wrong)
})

test('a clock that is set back does not prolong it either', async (t) => {
  const { authenticate, again } = await site(t)
  const header = basic('anna', 'anna secret')
  await authenticate(header, HOME, NOON)
  await revokeAll(await again(), 'anna')
  await rejects(authenticate(header, HOME, NOON - 60_000), wrong)
})

test('a token of this service that nobody has, or has any more, is refused', async (t) => {
  const { authenticate, forget, database, bob } = await site(t)
  const invalid = { name: 'Problem', code: 'invalid_token' }
  const token = await database.write((tx) => addCredential(tx, bob, 'token', 'Test', NOON))
  equal((await authenticate(`Bearer ${token}`, HOME, NOON)).login, 'bob')
  await database.write((tx) => deactivateUser(tx, bob.id, NOON))
  forget()
  for (const sent of [token, `kal_${'a'.repeat(40)}`, 'kal_unknown'])
    await rejects(authenticate(`Bearer ${sent}`, HOME, NOON), invalid, sent)
})

test('forget makes changes of users and credentials count at once', async (t) => {
  const { authenticate, forget, database, anna } = await site(t)
  const header = basic('anna', 'anna secret')
  equal((await authenticate(header, HOME, NOON)).role, 'author')
  await database.write((tx) => changeRole(tx, anna.id, 'editor'))
  equal((await authenticate(header, HOME, NOON)).role, 'author')
  forget()
  equal((await authenticate(header, HOME, NOON)).role, 'editor')
  await database.write((tx) => revokeCredentials(tx, anna, 'all'))
  forget()
  await rejects(authenticate(header, HOME, NOON), wrong)
})

test('what was read before a change is not believed after it', async (t) => {
  const { authenticate, forget, database } = await site(t)
  const header = basic('anna', 'anna secret')
  const underWay = authenticate(header, HOME, NOON)
  forget()
  equal((await underWay).login, 'anna')
  await revokeAll(database, 'anna')
  await rejects(authenticate(header, HOME, NOON), wrong)
})

test('after five failures refusals wait 250 ms, doubling up to four seconds', async (t) => {
  const { authenticate, waits } = await site(t)
  for (let i = 0; i < 12; i += 1)
    await rejects(authenticate(basic('anna', `guess ${i}`), HOME, NOON + i), wrong)
  deepEqual(waits, [250, 500, 1000, 2000, 4000, 4000, 4000])
})

test('the failures of a minute ago are forgiven', async (t) => {
  const { authenticate, waits } = await site(t)
  const fail = (now: number) => rejects(authenticate(basic('anna', 'guess'), HOME, now), wrong)
  for (let i = 0; i < 5; i += 1) await fail(NOON)
  await fail(NOON + 60_000)
  deepEqual(waits, [])
  for (let i = 0; i < 4; i += 1) await fail(NOON + 119_999)
  deepEqual(waits, [])
  await fail(NOON + 119_999)
  deepEqual(waits, [250])
})

test('failures with one login count from wherever they come, and under either of its names', async (t) => {
  const { authenticate, waits } = await site(t)
  const names = ['anna', 'ANNA', 'anna@example.org', 'anna', 'anna', 'Anna@Example.org']
  for (const [i, name] of names.entries()) {
    await rejects(authenticate(basic(name, 'guess'), `192.0.2.${i + 10}`, NOON), wrong)
  }
  deepEqual(waits, [250])
})

test('failures from one address count whatever the login, malformed headers too', async (t) => {
  const { authenticate, waits } = await site(t)
  for (const login of ['a', 'b', 'c', 'd'])
    await rejects(authenticate(basic(login, 'guess'), HOME, NOON), unknown)
  await rejects(authenticate('Basic !', HOME, NOON), unknown)
  deepEqual(waits, [])
  await rejects(authenticate(basic('bob', 'guess'), HOME, NOON), wrong)
  deepEqual(waits, [250])
  await rejects(authenticate(basic('bob', 'guess'), ELSEWHERE, NOON), wrong)
  deepEqual(waits, [250])
})

test('a good credential never waits, even where the same login or address keeps failing', async (t) => {
  const { authenticate, waits } = await site(t)
  for (let i = 0; i < 8; i += 1) await rejects(authenticate(basic('anna', 'guess'), HOME, NOON), wrong)
  waits.length = 0
  for (const address of [HOME, ELSEWHERE]) {
    await authenticate(basic('anna', 'anna secret'), address, NOON)
    await authenticate(basic('bob', 'bob secret'), address, NOON)
  }
  deepEqual(waits, [])
})

test('while a refusal waits others are answered', async (t) => {
  const { database } = await site(t)
  const waiting = Promise.withResolvers<void>()
  const { authenticate } = makeAuthenticator(database, () => waiting.promise)
  for (let i = 0; i < 5; i += 1) await rejects(authenticate(basic('anna', 'guess'), HOME, NOON), wrong)
  let refused = false
  const refusal = authenticate(basic('anna', 'guess'), HOME, NOON).catch((error: unknown) => {
    refused = true
    return error
  })
  equal((await authenticate(basic('bob', 'bob secret'), HOME, NOON)).login, 'bob')
  await new Promise(setImmediate)
  equal(refused, false)
  waiting.resolve()
  equal(((await refusal) as { code: string }).code, 'incorrect_password')
})

test('failures are counted for ten thousand names, the longest unseen being forgotten first', async (t) => {
  const { authenticate, waits } = await site(t)
  const fail = (address: string) => authenticate('Basic !', address, NOON).catch(() => undefined)
  const others = async (from: number, to: number) => {
    for (let i = from; i < to; i += 1) await fail(`other ${i}`)
  }
  for (let i = 0; i < 6; i += 1) await fail(HOME)
  await others(0, 5000)
  await fail(HOME)
  await others(5000, 14_999)
  await fail(HOME)
  deepEqual(waits, [250, 500, 1000])
  await others(15_000, 25_000)
  await fail(HOME)
  deepEqual(waits, [250, 500, 1000])
})

test('of parallel guesses four are looked at, others in turn, and too many are refused unseen', async (t) => {
  const { database } = await site(t)
  const waiting: (() => void)[] = []
  const sleep = () => new Promise<void>((resolve) => waiting.push(resolve))
  const { authenticate } = makeAuthenticator(database, sleep)
  for (let i = 0; i < 5; i += 1) await rejects(authenticate(basic('anna', `first ${i}`), HOME, NOON), wrong)
  const refusals: string[] = []
  const guesses = Array.from({ length: 300 }, (_, i) =>
    authenticate(basic('anna', `guess ${i}`), HOME, NOON).catch((error: { code: string }) =>
      refusals.push(error.code),
    ),
  )
  await until(() => waiting.length === 4 && refusals.length === 246, 'guesses are not held back')
  deepEqual(new Set(refusals), new Set(['too_many_attempts']))
  for (let seen = 4; seen < 54; seen += 1) {
    waiting.shift()?.()
    await until(() => waiting.length === Math.min(4, 54 - seen + 3), 'the next guess is not looked at')
  }
  for (const answer of waiting) answer()
  await Promise.all(guesses)
  equal(refusals.filter((code) => code === 'incorrect_password').length, 54)
})

test('parallel guesses hold up neither the owner elsewhere, nor one signed in there before', async (t) => {
  const { database } = await site(t)
  const never = new Promise<void>(() => undefined)
  const { authenticate } = makeAuthenticator(database, () => never)
  await authenticate(basic('anna', 'anna secret'), HOME, NOON)
  for (let i = 0; i < 5; i += 1) await rejects(authenticate(basic('anna', `first ${i}`), HOME, NOON), wrong)
  for (let i = 0; i < 300; i += 1)
    authenticate(basic('anna', `guess ${i}`), HOME, NOON).catch(() => undefined)
  const later = NOON + 6000
  equal((await authenticate(basic('anna', 'anna secret'), HOME, later)).login, 'anna')
  equal((await authenticate(basic('anna', 'anna secret'), ELSEWHERE, later)).login, 'anna')
  equal((await authenticate(basic('bob', 'bob secret'), HOME, later)).login, 'bob')
})

test('a credential is good until it expires, and then says so', async (t) => {
  const { authenticate, database, bob } = await site(t)
  const limits = { expires: NOON + 10_000 }
  const token = await database.write((tx) => addCredential(tx, bob, 'token', 'T', NOON, undefined, limits))
  const password = await database.write((tx) =>
    addCredential(tx, bob, 'password', 'P', NOON, undefined, limits),
  )
  const expired = { name: 'Problem', code: 'credential_expired' }
  for (const header of [`Bearer ${token}`, basic('bob', password)]) {
    equal((await authenticate(header, HOME, NOON + 8000)).login, 'bob')
    equal((await authenticate(header, HOME, NOON + 9999)).login, 'bob')
    await rejects(authenticate(header, HOME, NOON + 10_000), expired, 'not even for those who are known')
  }
})

test('when a credential was last used is written down later, without making anybody wait', async (t) => {
  const { database, anna } = await site(t)
  const { authenticate, close } = makeAuthenticator(database)
  const used = async () => (await listCredentials(database.read, anna)).map(({ used_utc }) => used_utc)
  for (let i = 0; i < 10; i += 1) await authenticate(basic('anna', 'anna secret'), HOME, NOON + i * 6000)
  await rejects(authenticate(basic('anna', 'guess'), HOME, NOON + 90_000), wrong)
  deepEqual(await used(), [''])
  await close()
  deepEqual(await used(), ['2026-11-20 12:00:54'])
})
