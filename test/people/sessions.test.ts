import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { listSessions } from '../../src/calendar/people/sessions.ts'
import { insertUser } from '../../src/calendar/people/users.ts'
import { findSession, noteSeen, startSession } from '../../src/features/desk/sign-in/session-store.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const DAY = 86_400_000
const HERE = { client: 'Firefox', address: '192.0.2.1' }

async function desk(t: TestContext) {
  const scratch = await scratchDatabase(t)
  const { database } = scratch
  const add = (login: string, role: 'administrator' | 'editor') =>
    database.write((tx) => insertUser(tx, { login, role }, NOON))
  await add('admin', 'administrator')
  const [anna, bob] = [await add('anna', 'editor'), await add('bob', 'editor')]
  const signIn = (user = anna, now = NOON) => database.write((tx) => startSession(tx, user, now, HERE))
  const find = (id: string, now = NOON) => findSession(database.read, id, now)
  return { ...scratch, anna, bob, signIn, find }
}

test('a session is found by an id of 256 bits, of which the database has only the hash', async (t) => {
  const { anna, signIn, find, database, bytes } = await desk(t)
  const id = await signIn()
  equal(Buffer.from(id, 'base64url').length, 32)
  const found = await find(id)
  deepEqual(found?.user, anna)
  equal(found?.session.hash, createHash('sha256').update(id).digest('base64url'))
  deepEqual(
    { client: found?.session.client, address: found?.session.address, created: found?.session.created_utc },
    { ...HERE, created: '2026-11-20 12:00:00' },
  )
  equal((await bytes()).includes(id), false)
  notEqual(await signIn(), id)
  const hash = found?.session.hash ?? ''
  for (const wrong of ['', hash, `${id}=`, id.slice(1), `${id}\0`, 'x'.repeat(1_000_000)])
    equal(await find(wrong), undefined, wrong.slice(0, 50))
  equal((await listSessions(database.read, anna, NOON)).length, 2)
})

test('a session ends after 14 days without use, and after 90 days in any case', async (t) => {
  const { signIn, find, database } = await desk(t)
  const id = await signIn()
  ok(await find(id, NOON + 14 * DAY - 1000))
  equal(await find(id, NOON + 14 * DAY), undefined)
  for (let day = 10; day < 90; day += 10) {
    const found = await find(id, NOON + day * DAY)
    ok(found, `day ${day}`)
    await noteSeen(database, found.session, NOON + day * DAY)
  }
  ok(await find(id, NOON + 90 * DAY - 1000))
  equal(await find(id, NOON + 90 * DAY), undefined)
})

test('the last use is written once in five minutes, and is no change for anybody', async (t) => {
  const { signIn, find, database } = await desk(t)
  const id = await signIn()
  // On PostgreSQL, a cursor also lists, behind a dash, transactions of other databases that ran during the
  // last change. They are removed here.
  const position = async () => (await database.cursor()).split('-')[0]
  const before = await position()
  const use = async (now: number) => {
    const found = await find(id, now)
    if (found) await noteSeen(database, found.session, now)
    return (await find(id, now))?.session.seen_utc
  }
  equal(await use(NOON + 299_000), '2026-11-20 12:00:00')
  equal(await use(NOON + 300_000), '2026-11-20 12:05:00')
  await signIn()
  equal(await position(), before)
})

test('somebody who signs in again and again has fifty sessions, those used last', async (t) => {
  const { anna, signIn, find, database } = await desk(t)
  const first = await signIn()
  for (let i = 1; i <= 50; i += 1) await signIn(anna, NOON + i * 1000)
  equal((await listSessions(database.read, anna, NOON)).length, 50)
  equal(await find(first), undefined)
})

test('a browser says little of itself', async (t) => {
  const { anna, database } = await desk(t)
  const long = { client: 'x'.repeat(10_000), address: 'y'.repeat(10_000) }
  const id = await database.write((tx) => startSession(tx, anna, NOON, long))
  const found = await findSession(database.read, id, NOON)
  deepEqual([found?.session.client.length, found?.session.address.length], [200, 200])
})
