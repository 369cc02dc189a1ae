import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hasDeskPasswords } from '../../src/calendar/people/desk-passwords.ts'
import { inTurn } from '../../src/calendar/people/turns.ts'
import { deactivateUser, insertUser } from '../../src/calendar/people/users.ts'
import {
  faultOfPassword,
  findRightHash,
  type Hashing,
  hashDeskPassword,
  makeHashing,
  setDeskPassword,
} from '../../src/features/desk/sign-in/password-hashes.ts'
import { until } from '../support/waiting.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const SECRET = 'correct horse battery'

const sent = (password: string, isGuessing = false) => ({ password, isGuessing })

async function desk(t: TestContext) {
  const scratch = await scratchDatabase(t)
  const hashing = makeHashing()
  const hash = await hashDeskPassword(hashing, SECRET)
  const anna = await scratch.database.write(async (tx) => {
    await insertUser(tx, { login: 'admin', role: 'administrator' }, NOON)
    const user = await insertUser(tx, { login: 'anna', role: 'editor' }, NOON)
    await setDeskPassword(tx, user, hash, NOON)
    return user
  })
  return { ...scratch, hashing, anna }
}

test('a password has 12 to 256 characters, whichever they are, counted as they are compared', () => {
  equal(faultOfPassword('elevenchars'), 'too short')
  equal(faultOfPassword('twelve chars'), undefined)
  equal(faultOfPassword('aaaaaaaaaaaa'), undefined)
  equal(faultOfPassword('a'.repeat(256)), undefined)
  equal(faultOfPassword('a'.repeat(257)), 'too long')
  equal(faultOfPassword('👩'.repeat(256)), undefined)
  equal(faultOfPassword('a'.repeat(10_000_000)), 'too long')
  // Six letters with combining accents count as six characters.
  equal(faultOfPassword('e\u0301'.repeat(6)), 'too short')
})

test('a password opens for its user alone, and whichever way a keyboard writes it', async (t) => {
  const { database, hashing, anna } = await desk(t)
  const admin = { ...anna, id: anna.id - 1 }
  equal((await findRightHash(database, hashing, anna, sent(SECRET))) !== undefined, true)
  equal(await findRightHash(database, hashing, anna, sent(`${SECRET} `)), undefined)
  equal(await findRightHash(database, hashing, admin, sent(SECRET)), undefined)
  equal(await findRightHash(database, hashing, undefined, sent(SECRET)), undefined)
  const hash = await hashDeskPassword(hashing, 'Cafe\u0301 in der Straße')
  await database.write((tx) => setDeskPassword(tx, anna, hash, NOON))
  equal((await findRightHash(database, hashing, anna, sent('Caf\u00e9 in der Straße'))) !== undefined, true)
  equal(await findRightHash(database, hashing, anna, sent('Cafe in der Straße')), undefined)
})

test('the database holds no password, and the same one twice looks different', async (t) => {
  const { hashing, bytes } = await desk(t)
  equal((await bytes()).includes(SECRET), false)
  notEqual(await hashDeskPassword(hashing, SECRET), await hashDeskPassword(hashing, SECRET))
})

test('a hash of weaker parameters is replaced when its user signs in', async (t) => {
  const { database, hashing, anna } = await desk(t)
  // A hash with weak parameters, in the format of the argon2 reference implementation.
  const weak = await weakHash()
  await database.write((tx) => tx.updateTable('desk_passwords').set({ hash: weak }).execute())
  equal(await findRightHash(database, hashing, anna, sent('wrong horse battery')), undefined)
  const kept = () => database.read.selectFrom('desk_passwords').select('hash').executeTakeFirstOrThrow()
  equal((await kept()).hash, weak)
  equal((await findRightHash(database, hashing, anna, sent(SECRET))) !== undefined, true)
  match((await kept()).hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  equal((await findRightHash(database, hashing, anna, sent(SECRET))) !== undefined, true)
})

async function weakHash(): Promise<string> {
  const { argon2Sync } = await import('node:crypto')
  const nonce = Buffer.from('somesaltsomesalt')
  const parameters = { message: SECRET, nonce, memory: 1024, passes: 1, parallelism: 2, tagLength: 32 }
  const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=1024,t=1,p=2$${plain(nonce)}$${plain(argon2Sync('argon2id', parameters))}`
}

test('a hash that this version cannot read opens nothing', async (t) => {
  const { database, hashing, anna } = await desk(t)
  await database.write((tx) => tx.updateTable('desk_passwords').set({ hash: '$scrypt$…' }).execute())
  for (const text of [SECRET, ''])
    equal(await findRightHash(database, hashing, anna, sent(text)), undefined, text)
})

test('who was deactivated has no use for a password', async (t) => {
  const { database, hashing, anna } = await desk(t)
  equal(await hasDeskPasswords(database.read), true)
  await database.write((tx) => deactivateUser(tx, anna.id, NOON))
  const gone = { ...anna, deactivated_utc: 'now' }
  equal(await findRightHash(database, hashing, gone, sent(SECRET)), undefined)
  equal(await hasDeskPasswords(database.read), false)
})

test('an unknown user costs a hash, as a wrong password does', async (t) => {
  const { database, hashing, anna } = await desk(t)
  const { release, all } = await occupy(hashing, 22)
  for (const user of [anna, undefined])
    await rejects(findRightHash(database, hashing, user, sent('a wrong password', true)), {
      code: 'rest_unavailable',
    })
  release()
  await all
})

test('of a hundred passwords at once twenty wait, and the others are told to come again', async (t) => {
  const { database, hashing, anna } = await desk(t)
  const { release, all } = await occupy(hashing, 2)
  let refused = 0
  const tries = Array.from({ length: 100 }, () =>
    findRightHash(database, hashing, anna, sent(SECRET)).catch(({ code, details }) => {
      deepEqual({ code, details }, { code: 'rest_unavailable', details: { retryAfter: 2 } })
      refused += 1
    }),
  )
  await until(() => refused === 80, 'eighty were not refused')
  release()
  await all
  const found = (await Promise.all(tries)).filter((hash) => hash !== undefined)
  equal(found.length, 20)
})

async function occupy(hashing: Hashing, places: number) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const taken = Array.from({ length: places }, () => inTurn(hashing, 'password', () => promise))
  return { release, all: Promise.all(taken) }
}

test('whoever has sent wrong passwords lately waits behind everybody else', async (t) => {
  const { database, hashing, anna } = await desk(t)
  const done: string[] = []
  const send = async (name: string, isGuessing: boolean) => {
    await findRightHash(database, hashing, anna, sent('a wrong password', isGuessing))
    done.push(name)
  }
  const guesses = Array.from({ length: 15 }, (_, i) => send(`guess ${i}`, true))
  await Promise.all([...guesses, send('owner', false)])
  ok(done.indexOf('owner') <= 5, done.join(', '))
})
