import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { deactivateUser, insertUser } from '../../src/calendar/people/users.ts'
import { makeDeskGate } from '../../src/features/desk/sign-in/desk-sign-in.ts'
import { findSignInLink, useSignInLink } from '../../src/features/desk/sign-in/sign-in-links.ts'
import { NOON, scratchDatabase } from './scratch-database.ts'

const HERE = { client: 'Firefox', address: '192.0.2.1' }
const MINUTE = 60_000

async function desk(t: TestContext) {
  const scratch = await scratchDatabase(t)
  const { database } = scratch
  await database.write((tx) => insertUser(tx, { login: 'admin', role: 'administrator' }, NOON))
  const anna = await database.write((tx) => insertUser(tx, { login: 'anna', role: 'editor' }, NOON))
  const link = (now = NOON) => database.write((tx) => addSignInLink(tx, anna, now))
  const find = (token: string, now = NOON) => findSignInLink(database.read, token, now)
  return { ...scratch, anna, link, find, gate: makeDeskGate(database) }
}

test('a link is good for thirty minutes, and is in the database as a hash alone', async (t) => {
  const { anna, link, find, bytes } = await desk(t)
  const token = await link()
  deepEqual(await find(token, NOON + 30 * MINUTE - 1000), { user: anna, purpose: 'set-up', isFirst: false })
  equal(await find(token, NOON + 30 * MINUTE), undefined)
  for (const wrong of ['', `${token}x`, token.toLowerCase(), '\0', 'x'.repeat(1_000_000)])
    equal(await find(wrong), undefined)
  equal((await bytes()).includes(token), false)
})

test('no link opens for a user who was deactivated', async (t) => {
  const { anna, link, find, database } = await desk(t)
  const token = await link()
  await database.write((tx) => deactivateUser(tx, anna.id, NOON))
  equal(await find(token), undefined)
  equal(await database.write((tx) => useSignInLink(tx, token)), false)
  await rejects(
    database.write((tx) => addSignInLink(tx, { ...anna, deactivated_utc: 'now' }, NOON)),
    /^Error: anna was deactivated and signs in nowhere\.$/,
  )
})

test('only a link of the demo signs in without a password', async (t) => {
  const { anna, link, find, gate, database } = await desk(t)
  const token = await link()
  equal(await gate.signInByLink({ token, password: undefined }, HERE, NOON), undefined)
  ok(await find(token), 'and it is not used up by that')
  const demo = await database.write((tx) => addSignInLink(tx, anna, NOON, { purpose: 'demo' }))
  ok(await gate.signInByLink({ token: demo, password: undefined }, HERE, NOON))
  equal(await gate.signInByLink({ token: demo, password: undefined }, HERE, NOON), undefined)
})
