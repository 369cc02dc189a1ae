import type { Updateable } from 'kysely'
import type { Context } from '../context/context.ts'
import type { WebhookMessage } from '../locales/webhook-messages.ts'
import type { Database, Db } from '../storage/database.ts'
import { writerBy } from '../storage/recording.ts'
import type { DeliveryColumns, Tables, WebhookColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'
import { writeMessage } from './message-body.ts'
import { type Posted, type PostLimits, postMessage } from './post-message.ts'
import { signedHeaders } from './signature.ts'
import { claimDue, disableWebhook, findDue } from './webhook-store.ts'

/** Sends the messages of a calendar's outbox, in one process or in several. */
export interface Sender {
  database: Database
  hosts: readonly string[]
  /** The context of a reader: anybody, or an administrator. */
  contextOf: (isPrivate: boolean) => Context
  report: (error: unknown) => void
  /** Webhooks that this process is sending to. */
  sending: Map<number, Promise<void>>
  stopping: AbortController
}

/** Messages to one webhook that are on their way at the same time. */
const SENT_AT_ONCE = 5

/** Webhooks that are sent to at the same time. */
const MOST_SENDING = 20

const TIMEOUT_MS = 15_000

/** Milliseconds that a message which one process is sending is left to it. */
const LEASE_MS = 60_000

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The pauses before further attempts; after three days there are none. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
const LONGEST_TRY = 3 * DAY
/** Of a pause, so that not everything comes at once. */
const JITTER = 0.2

/** After so long without a delivery that succeeds a webhook is disabled. */
const LONGEST_FAILURE = 5 * DAY

export function makeSender(parts: Omit<Sender, 'sending' | 'stopping'>): Sender {
  return { ...parts, sending: new Map(), stopping: new AbortController() }
}

/** Begins to send the messages that are due and not under way; returns when all have begun. */
export async function sendDue(sender: Sender, now: number): Promise<void> {
  const { database, sending, stopping } = sender
  if (stopping.signal.aborted) return
  for (const webhook of await findDue(database.read, formatUtc(now))) {
    if (sending.has(webhook.id) || sending.size >= MOST_SENDING || stopping.signal.aborted) continue
    const sent = sendTo(sender, webhook)
      .catch(sender.report)
      .finally(() => sending.delete(webhook.id))
    sending.set(webhook.id, sent)
  }
}

/** Stops sending. What was on its way is due again at once, for other processes. */
export async function stopSending({ sending, stopping }: Sender): Promise<void> {
  stopping.abort()
  await Promise.all(sending.values())
}

/** Sends the messages that are due to a webhook, until none is left or one fails. */
async function sendTo(sender: Sender, webhook: WebhookColumns): Promise<void> {
  const { database, stopping } = sender
  while (!stopping.signal.aborted) {
    const now = Date.now()
    const times = { nowUtc: formatUtc(now), untilUtc: formatUtc(now + LEASE_MS) }
    const messages = await database.write((tx) => claimDue(tx, webhook.id, SENT_AT_ONCE, times))
    if (messages.length === 0) return
    const attempts = await Promise.all(messages.map((message) => attempt(sender, webhook, message)))
    await settle(sender, webhook, attempts)
    if (attempts.some(({ posted }) => posted && posted.error !== '')) return
  }
}

/** A message with what came of sending it; nothing for one that there is no need to send. */
interface Attempt {
  message: DeliveryColumns
  body: string
  posted: Posted | undefined
}

async function attempt(sender: Sender, webhook: WebhookColumns, message: DeliveryColumns): Promise<Attempt> {
  const { hosts, contextOf, stopping } = sender
  const body = message.body || (await writeMessage(message, contextOf(webhook.is_private === 1)))
  if (body === undefined) return { message, body: '', posted: undefined }
  const limits = { hosts, timeoutMs: TIMEOUT_MS, signal: stopping.signal }
  return { message, body, posted: await post(webhook, message.message, body, limits) }
}

/** Sends a message to a webhook, signed as of now. */
export function post(webhook: WebhookColumns, message: string, body: string, limits: PostLimits): Promise<Posted> {
  return postMessage(webhook.url, signedHeaders(webhook, message, body, Date.now()), body, limits)
}

/** Writes what came of some attempts, in one transaction. */
async function settle(sender: Sender, webhook: WebhookColumns, attempts: readonly Attempt[]): Promise<void> {
  const { database, stopping, report } = sender
  const now = Date.now()
  const hasArrived = attempts.some(({ posted }) => posted?.error === '')
  const hasFailed = attempts.some(({ posted }) => posted && posted.error !== '')
  const since = hasArrived ? '' : webhook.failing_since_utc || (hasFailed ? formatUtc(now) : '')
  const why = whyDisabled(attempts, since, now)
  await database.write(async (tx) => {
    for (const each of attempts) await settleOne(tx, each, now, stopping.signal.aborted)
    if (since !== webhook.failing_since_utc && !stopping.signal.aborted)
      await tx.updateTable('webhooks').set({ failing_since_utc: since }).where('id', '=', webhook.id).execute()
    if (why !== undefined) await disableWebhook(tx, webhook.id, why, now)
  }, writerBy('webhooks'))
  webhook.failing_since_utc = since
  if (why === undefined) return
  webhook.disabled_utc = formatUtc(now)
  report(new Error(`Webhook ${webhook.id} is disabled: ${why} kalends webhook enable ${webhook.id} tells it again.`))
}

function whyDisabled(attempts: readonly Attempt[], since: string, now: number): WebhookMessage | undefined {
  if (attempts.some(({ posted }) => posted?.status === 410)) return 'The receiver answered that it is gone (410).'
  return since !== '' && since < formatUtc(now - LONGEST_FAILURE) ? 'Nothing has arrived for five days.' : undefined
}

async function settleOne(tx: Db, { message, body, posted }: Attempt, now: number, isStopping: boolean): Promise<void> {
  const { id } = message
  if (posted) {
    const columns =
      isStopping && posted.status === 0 ? { next_utc: formatUtc(now) } : outcomeOf(message, body, posted, now)
    await tx.updateTable('webhook_deliveries').set(columns).where('id', '=', id).execute()
  } else await tx.deleteFrom('webhook_deliveries').where('id', '=', id).execute()
}

function outcomeOf(
  message: DeliveryColumns,
  body: string,
  { status, error, retryAfter = 0 }: Posted,
  now: number,
): Updateable<Tables['webhook_deliveries']> {
  const tried = { attempts: message.attempts + 1, status, error }
  if (error === '') return { ...tried, state: 'sent', next_utc: '', body: '' }
  const next = nextAttempt(message, retryAfter * SECOND, now)
  if (next === undefined) return { ...tried, state: 'failed', next_utc: '', body }
  return { ...tried, state: 'waiting', next_utc: formatUtc(next), body }
}

/** When a message that has failed is sent again, in milliseconds since the epoch; undefined for never. */
function nextAttempt({ attempts, created_utc }: DeliveryColumns, wanted: number, now: number): number | undefined {
  const pause = PAUSES[attempts]
  if (pause === undefined) return undefined
  const next = now + Math.max(pause * (1 + JITTER * Math.random()), Math.min(wanted, DAY))
  return formatUtc(next - LONGEST_TRY) > created_utc ? undefined : next
}
