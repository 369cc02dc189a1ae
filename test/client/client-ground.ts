import { Webhook } from 'standardwebhooks'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { findUserByLogin } from '../../src/calendar/people/users.ts'
import type { TestService } from '../support/service.ts'
import type { Ground } from './client-round.ts'

export async function groundOf({ app, base }: TestService): Promise<Ground> {
  const token = await app.database.write(async (tx) => {
    const admin = await findUserByLogin(tx, 'admin')
    if (!admin) throw new Error('there is no administrator')
    return addCredential(tx, admin, 'token', 'client', Date.now())
  })
  const secret = `whsec_${btoa('a secret of twenty-four')}`
  return { url: base, token, secret, message: messageOf({ type: 'webhook.test', data: {} }, secret) }
}

export function messageOf(content: object, secret: string, at = new Date()): Ground['message'] {
  const body = JSON.stringify(content)
  const headers = {
    'webhook-id': 'message-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('message-1', at, body),
  }
  return { headers, body }
}

const named = (made: [string, string], changed: [string, string]) => ({
  made,
  changed,
  read: changed,
  listed: 1,
  removed: true,
})

export const ROUND = {
  events: {
    title: ['Fish & Chips &lt;', 'Fish &#038; <em>Chips</em> &#038;lt;'],
    linked: ['Jack & Jill’s', ['Salt & Vinegar']],
    bySlug: true,
    keyed: true,
    changed: 'Peas',
    stale: 'KalendsProblem 412 rest_precondition_failed',
    page: 1,
    stream: ['Once', 'Peas'],
    pages: ['Once', 'Peas'],
    removed: ['trash', 'trash'],
    again: 'KalendsProblem 410 event-is-in-trash',
  },
  names: {
    venues: named(['Round & venues', 'Round &#038; <b>venues'], ['B &amp; C', 'B &#038;amp; C']),
    organizers: named(['Round & organizers', 'Round &#038; <b>organizers'], ['B &amp; C', 'B &#038;amp; C']),
    categories: named(['Round & categories', 'Round &amp; categories'], ['B &amp; C', 'B &amp;amp; C']),
    tags: named(['Round & tags', 'Round &amp; tags'], ['B &amp; C', 'B &amp;amp; C']),
  },
  changes: ['delete', 'upsert Jazz & Co', 'token'],
  batch: [
    'In & out',
    [
      [201, null],
      [400, 'rest_invalid_param'],
    ],
    [null, [400, 'rest_invalid_param']],
  ],
  image: ['image/png', 'A dot & no more', true],
  strangers: ['KalendsProblem 401 rest_forbidden', 'KalendsProblem 404 rest-event-not-found', 'AbortError'],
  webhook: ['webhook.test', 'KalendsProblem 0 webhook'],
}
