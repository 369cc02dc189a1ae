import type { Logger } from 'pino'
import type { Database } from '../storage/database.ts'
import { withoutPaths } from '../text/urls.ts'
import type { Settled } from '../webhooks/send-webhooks.ts'
import { describeReason } from '../webhooks/webhook-reasons.ts'
import { countDisabled, countWaiting } from '../webhooks/webhook-store.ts'
import { type Family, single } from './metric-families.ts'

/** Counts of what has come of messages to webhooks since the process began. */
export interface WebhookCounts {
  attempts: Record<Settled['outcome'], number>
  disablings: number
}

export function noWebhookCounts(): WebhookCounts {
  return { attempts: { delivered: 0, failed: 0, given_up: 0 }, disablings: 0 }
}

export function countSettled(counts: WebhookCounts, { outcome, disabled }: Settled): void {
  counts.attempts[outcome] += 1
  if (disabled !== undefined) counts.disablings += 1
}

/** Writes a line when a webhook begins to fail, a message is given up, or a webhook is disabled; further failures have none. */
export function logSettled(logger: Logger, settled: Settled): void {
  const { webhook, message, outcome, posted, begins, disabled, waiting } = settled
  const { status, error } = posted
  const reason = describeReason('en', error)
  const line = { webhook: webhook.id, address: withoutPaths(webhook.url), status, reason }
  if (outcome === 'given_up') logger.error({ ...line, message: message.message, waiting }, 'webhook message given up')
  if (disabled !== undefined)
    logger.error({ ...line, reason: describeReason('en', disabled), waiting }, 'webhook disabled')
  else if (begins) logger.warn({ ...line, waiting }, 'webhook fails')
}

/** What this process has sent, and what waits in the database; that is left out when it does not answer. */
export async function webhookFamilies({ attempts, disablings }: WebhookCounts, { read }: Database): Promise<Family[]> {
  const found = await Promise.all([countWaiting(read), countDisabled(read)]).catch(() => undefined)
  const counted: Family[] = [
    {
      name: 'kalends_webhook_attempts_total',
      help: 'Attempts to send a message to a webhook: delivered, failed and to be made again, or given up.',
      type: 'counter',
      samples: Object.entries(attempts).map(([outcome, value]) => ({ suffix: '', labels: { outcome }, value })),
    },
    single('kalends_webhook_disablings_total', 'counter', 'Webhooks that were disabled since they failed.', disablings),
  ]
  if (!found) return counted
  const [waiting, disabled] = found
  return [
    ...counted,
    single('kalends_webhook_messages_waiting', 'gauge', 'Messages to webhooks that have not arrived yet.', waiting),
    single('kalends_webhooks_disabled', 'gauge', 'Webhooks that are told nothing any more.', disabled),
  ]
}
