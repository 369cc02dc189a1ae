import type { Logger } from 'pino'
import { type Family, labelled, single } from '../../base/metric-families.ts'
import { withoutPaths } from '../../base/text/urls.ts'
import { readerContext } from '../../calendar/ground.ts'
import type { ServiceStart, Serving } from '../../feature.ts'
import type { Database } from '../../store/storage/database.ts'
import { makeSender, type Sender, type SettledMessage, sendDue, stopSending } from './send-webhooks.ts'
import { countDisabled, countWaiting, describeReason } from './webhook-store.ts'

// Sends webhooks while requests are served; logs and counts the results.

const EVERY_MS = 500

export async function serveWebhooks(start: ServiceStart): Promise<Serving> {
  const { config, features, logger, report } = start
  const topics = features.flatMap((feature) => feature.topics ?? [])
  const counts = noWebhookCounts()
  let sender: Sender | undefined
  return {
    works: ({ database, images, site }) => {
      const made = makeSender({
        database,
        hosts: config.webhook_hosts,
        topics,
        report,
        onSettled: (settled) => {
          logSettled(logger, settled)
          countSettled(counts, settled)
        },
        contextOf: (isPrivate) => readerContext({ database, site, images }, isPrivate, { report }),
      })
      sender = made
      return [{ every: EVERY_MS, look: () => sendDue(made, Date.now()).catch(report) }]
    },
    families: async () => (sender ? webhookFamilies(counts, sender.database) : []),
    stop: async () => sender && stopSending(sender),
  }
}

/** Logs messages given up, disablings, and only the first failure of a webhook. */
function logSettled(logger: Logger, settled: SettledMessage): void {
  const { webhook, message, outcome, posted, begins, disabled, waiting } = settled
  const { status, error } = posted
  const reason = describeReason('en', error)
  const line = { webhook: webhook.id, address: withoutPaths(webhook.url), status, reason }
  if (outcome === 'given_up')
    logger.error({ ...line, message: message.message, waiting }, 'webhook message given up')
  if (disabled !== undefined)
    logger.error({ ...line, reason: describeReason('en', disabled), waiting }, 'webhook disabled')
  else if (begins) logger.warn({ ...line, waiting }, 'webhook fails')
}

interface WebhookCounts {
  attempts: Record<SettledMessage['outcome'], number>
  disablings: number
}

function noWebhookCounts(): WebhookCounts {
  return { attempts: { delivered: 0, failed: 0, given_up: 0 }, disablings: 0 }
}

function countSettled(counts: WebhookCounts, { outcome, disabled }: SettledMessage): void {
  counts.attempts[outcome] += 1
  if (disabled !== undefined) counts.disablings += 1
}

/** Returns the metrics, without counts from the database if the database does not answer. */
async function webhookFamilies(
  { attempts, disablings }: WebhookCounts,
  { read }: Database,
): Promise<Family[]> {
  const found = await Promise.all([countWaiting(read), countDisabled(read)]).catch(() => undefined)
  const tried =
    'Attempts to send a message to a webhook: delivered, failed and to be made again, or given up.'
  const counted: Family[] = [
    labelled(
      'kalends_webhook_attempts_total',
      'counter',
      tried,
      Object.entries(attempts).map(([outcome, count]) => [{ outcome }, count] as const),
    ),
    single(
      'kalends_webhook_disablings_total',
      'counter',
      'Webhooks that were disabled since they failed.',
      disablings,
    ),
  ]
  if (!found) return counted
  const [waiting, disabled] = found
  return [
    ...counted,
    single(
      'kalends_webhook_messages_waiting',
      'gauge',
      'Messages to webhooks that have not arrived yet.',
      waiting,
    ),
    single('kalends_webhooks_disabled', 'gauge', 'Webhooks that are told nothing any more.', disabled),
  ]
}
