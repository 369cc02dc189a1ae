import { type Caller, can, isLoggedIn } from '../../calendar/people/caller.ts'

const READS = ['listWebhooks', 'readWebhook', 'listDeliveries'] as const
const WRITES = [
  'createWebhook',
  'updateWebhook',
  'removeWebhook',
  'testWebhook',
  'rotateWebhook',
  'resendDelivery',
  'resendFailed',
] as const

/** The actions of the routes of webhooks. */
export type WebhookDeed = (typeof READS)[number] | (typeof WRITES)[number]

/** Whether an action belongs to webhooks. */
export function isWebhookDeed(does: string): does is WebhookDeed {
  return readsWebhooks(does) || WRITES.some((known) => known === does)
}

/** Whether an action reads webhooks and changes nothing. */
export function readsWebhooks(does: string): does is (typeof READS)[number] {
  return READS.some((known) => known === does)
}

/** A webhook may receive everything, so only administrators manage webhooks; they alone manage users, too. */
export function managesWebhooks(caller: Caller): boolean {
  return isLoggedIn(caller) && can(caller, 'manage_users')
}
