import { deepEqual, equal, fail, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { KalendsProblem } from '../../client/src/problem.ts'
import { verifyWebhook } from '../../client/src/webhook.ts'
import { messageOf } from './client-ground.ts'
import type { Ground } from './client-round.ts'

const SECRET = `whsec_${btoa('a secret of twenty-four')}`
const content = {
  type: 'event.updated',
  data: { kind: 'event', id: 1, record: { id: 1, title: 'A &amp; B 😀' } },
}
const good = messageOf(content, SECRET)
const MADE = Date.now()
const minutes = (count: number) => messageOf(content, SECRET, new Date(MADE + count * 60_000))
const withHeaders = (changed: Record<string, string>): Ground['message'] => ({
  ...good,
  headers: { ...good.headers, ...changed },
})
const signature = good.headers['webhook-signature'] ?? ''

const requestOf = ({ headers, body }: Ground['message']) =>
  new Request('https://receiver.example/hook', { method: 'POST', headers, body })

const cases: Record<string, [Ground['message'], boolean, secret?: string]> = {
  'a good one': [good, true],
  'one by a secret without its beginning': [good, true, SECRET.slice(6)],
  'one of four minutes ago': [minutes(-4), true],
  'one of four minutes ahead': [minutes(4), true],
  'one of six minutes ago': [minutes(-6), false],
  'one of six minutes ahead': [minutes(6), false],
  'one by another secret': [good, false, `whsec_${btoa('another secret altogether')}`],
  'one whose body was changed': [{ ...good, body: good.body.replace('A', 'B') }, false],
  'one whose id was changed': [withHeaders({ 'webhook-id': 'message-2' }), false],
  'one whose time was changed': [
    withHeaders({ 'webhook-timestamp': String(Math.floor(MADE / 1000) - 60) }),
    false,
  ],
  'one whose time is none': [withHeaders({ 'webhook-timestamp': 'now' }), false],
  'one without a time': [withHeaders({ 'webhook-timestamp': '' }), false],
  'one without a signature': [withHeaders({ 'webhook-signature': '' }), false],
  'one with signatures of two secrets': [
    withHeaders({ 'webhook-signature': `v1,${btoa('x'.repeat(32))} ${signature}` }),
    true,
  ],
  'one with signatures that are no base64': [withHeaders({ 'webhook-signature': 'v1,%%% v1, v1' }), false],
  'one with a signature of another version': [
    withHeaders({ 'webhook-signature': signature.replace('v1', 'v1a') }),
    false,
  ],
  'one with a signature that is cut': [withHeaders({ 'webhook-signature': signature.slice(0, -8) }), false],
}

for (const [name, [message, isTaken, secret = SECRET]] of Object.entries(cases))
  test(`${name} is ${isTaken ? 'taken' : 'refused'}, as standardwebhooks does`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: MADE })
    const theirs = () => new Webhook(secret).verify(message.body, message.headers)
    const ours = verifyWebhook(requestOf(message), secret)
    if (!isTaken) {
      throws(theirs)
      await rejects(ours, (error) => error instanceof KalendsProblem && error.code === 'webhook')
      return
    }
    theirs()
    const { type, data } = await ours
    equal(type, 'event.updated')
    deepEqual(data.record, { id: 1, title: 'A & B 😀', titleHtml: 'A &amp; B 😀' })
  })

test('a message with thousands of signatures costs no more than nine: others are not looked at', async () => {
  const many = `${`v1,${btoa('x'.repeat(32))} `.repeat(9)}${signature}`
  await rejects(verifyWebhook(requestOf(withHeaders({ 'webhook-signature': many })), SECRET), {
    code: 'webhook',
  })
})

test('the body of a message that is not of now is not read', async () => {
  const { headers } = requestOf(minutes(-6))
  await rejects(verifyWebhook({ headers, text: () => fail('it was read') }, SECRET), { code: 'webhook' })
})

test('a secret that is none takes nothing', async () => {
  for (const secret of ['', 'whsec_', 'whsec_%%%']) await rejects(verifyWebhook(requestOf(good), secret))
})
