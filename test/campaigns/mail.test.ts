// A short form of `npm run mail:kills`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killWhileSending } from './mail-campaign.ts'

test('a service that is killed while it sends loses no e-mail, sends none astray, and sends again what it was killed with (7c.5)', async () => {
  const { lost, astray, unexplained, doubled } = await killWhileSending(2)
  assert.deepEqual({ lost, astray, unexplained }, { lost: 0, astray: 0, unexplained: 0 })
  assert.ok(doubled > 0)
})
