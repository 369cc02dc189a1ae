import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { deactivateUser, insertUser } from '../../src/calendar/people/users.ts'
import { makeDeskGate } from '../../src/features/desk/sign-in/desk-sign-in.ts'
import {
  hashDeskPassword,
  makeHashing,
  setDeskPassword,
} from '../../src/features/desk/sign-in/password-hashes.ts'
import { onSqlite } from '../support/database.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const HOME = '192.0.2.1'
const ELSEWHERE = '198.51.100.7'
const SECRET = 'correct horse battery'

const hash = await hashDeskPassword(makeHashing(), SECRET)

async function desk(t: TestContext) {
  const { database } = await scratchDatabase(t)
  const anna = await database.write(async (tx) => {
    await insertUser(tx, { login: 'admin', role: 'administrator' }, NOON)
    const user = await insertUser(tx, { login: 'anna', email: 'anna@example.org', role: 'editor' }, NOON)
    await setDeskPassword(tx, user, hash, NOON)
    return user
  })
  const waits: number[] = []
  const refusals: string[] = []
  const gate = makeDeskGate(
    database,
    (address, login) => refusals.push(`${address} ${login}`),
    async (ms) => waits.push(ms),
  )
  const signIn = (login: string, password: string, address = HOME, now = NOON, formerId?: string) =>
    gate.signIn({ login, password, formerId }, { client: 'Firefox', address }, now)
  return { database, anna, gate, signIn, waits, refusals }
}

const tooMany = (retryAfter: number) => ({
  name: 'Problem',
  code: 'too_many_attempts',
  details: { retryAfter },
})

test('login or e-mail address and password sign in, in any letter case of the login', async (t) => {
  const { anna, gate, signIn, refusals } = await desk(t)
  for (const login of ['anna', 'ANNA', 'Anna@Example.org']) {
    const signedIn = await signIn(login, SECRET)
    deepEqual(signedIn?.user, anna)
    ok(await gate.sessionOf(signedIn.cookieId, NOON))
  }
  for (const login of ['admin', 'nobody', '', 'anna\0', 'a'.repeat(10_000)])
    equal(await signIn(login, SECRET, ELSEWHERE), undefined, login.slice(0, 20))
  equal(await signIn('anna', '', '203.0.113.1'), undefined)
  deepEqual(refusals.slice(0, 2), [`${ELSEWHERE} admin`, `${ELSEWHERE} nobody`])
})

test('guesses wait longer and longer, and the eleventh within a minute is refused', onSqlite, async (t) => {
  const { signIn, waits } = await desk(t)
  for (let i = 0; i < 10; i += 1) equal(await signIn(`login-${i}`, 'a wrong password'), undefined)
  deepEqual(waits, [250, 500, 1000, 2000, 4000])
  await rejects(signIn('anna', SECRET, HOME, NOON + 20_000), tooMany(40))
  await rejects(signIn('anna', SECRET, HOME, NOON + 59_999), tooMany(1))
  ok(await signIn('anna', SECRET, HOME, NOON + 60_000))
})

test('whoever guesses at a login elsewhere, its owner is neither delayed nor out', onSqlite, async (t) => {
  const { signIn, waits } = await desk(t)
  for (let i = 0; i < 20; i += 1) await signIn('anna', 'a wrong password', `198.51.100.${i}`)
  equal(waits.length, 15, 'the guesses wait, from wherever they come')
  waits.length = 0
  ok(await signIn('anna', SECRET))
  deepEqual(waits, [])
})

test('a client where the user has a session is not turned away for others’ guesses there', async (t) => {
  const { signIn } = await desk(t)
  ok(await signIn('anna', SECRET))
  for (let i = 0; i < 10; i += 1) await signIn('admin', 'a wrong password')
  await rejects(signIn('admin', 'a wrong password'), tooMany(60))
  ok(await signIn('anna', SECRET))
})

test('all addresses of a network of IPv6 are one client', onSqlite, async (t) => {
  const { signIn } = await desk(t)
  for (let i = 0; i < 10; i += 1) await signIn('anna', 'a wrong password', `2001:db8:1:2::${i}`)
  await rejects(signIn('anna', SECRET, '2001:db8:1:2:ffff::1'), tooMany(60))
  ok(await signIn('anna', SECRET, '2001:db8:1:3::1'))
})

test('a thousand guesses of one client cost a dozen hashes; others sign in', onSqlite, async (t) => {
  const { signIn, refusals } = await desk(t)
  const guesses = Array.from({ length: 1000 }, (_, i) => signIn(`login-${i}`, 'a wrong password', ELSEWHERE))
  const owner = signIn('anna', SECRET)
  const answers = await Promise.allSettled(guesses)
  ok(await owner)
  ok(refusals.length <= 12, `${refusals.length} guesses were looked at`)
  equal(answers.filter(({ status }) => status === 'rejected').length, 1000 - refusals.length)
})

test('guessers from everywhere keep out nobody with a session, nor any owner', onSqlite, async (t) => {
  const { signIn } = await desk(t)
  const guess = (login: (i: number) => string) =>
    Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        signIn(login(i), 'a wrong password', `2001:db8:${login(0).length}:${i}::1`),
      ),
    )
  const ofUnknown = guess((i) => `login-${i}`)
  ok(await signIn('anna', SECRET))
  await ofUnknown
  const ofKnown = guess(() => 'admin')
  ok(await signIn('anna', SECRET))
  ok((await ofKnown).some(({ status }) => status === 'rejected'))
})

test('a password that is changed while somebody signs in with the old one lets nobody in', async (t) => {
  const { database, anna, signIn } = await desk(t)
  const hash = await hashDeskPassword(makeHashing(), 'another horse battery')
  const signingIn = signIn('anna', SECRET)
  await database.write((tx) => setDeskPassword(tx, anna, hash, NOON))
  const signedIn = await signingIn
  const sessions = await database.read.selectFrom('sessions').selectAll().execute()
  deepEqual({ signedIn, sessions }, { signedIn: undefined, sessions: [] })
  await database.write((tx) => deactivateUser(tx, anna.id, NOON))
  equal(await signIn('anna', 'another horse battery'), undefined)
})
