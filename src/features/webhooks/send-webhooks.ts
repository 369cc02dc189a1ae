import { randomUUID } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { utcToMs } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { OWN_NAMESPACE } from '../../calendar/declare/resource.ts'
import { presentById } from '../../calendar/records/record-store.ts'
import { resources, type ServedResource, series } from '../../calendar/resources.ts'
import type { Topic } from '../../feature.ts'
import type { Database } from '../../store/storage/database.ts'
import { WEBHOOK_KINDS } from '../../store/storage/history.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { type Posted, type PostLimits, postMessage, signedHeaders } from './post-message.ts'
import { findSequences } from './webhook-messages.ts'
import {
  claimDue,
  countWaiting,
  disableWebhook,
  dropDelivery,
  findDue,
  hastenDeliveries,
  setDelivery,
  setFailing,
} from './webhook-store.ts'
import type { DeliveryColumns, WebhookColumns } from './webhook-tables.ts'
import type { WebhookReason } from './webhook-texts.ts'

// Sends waiting messages and retries failed ones; disables webhooks that fail for too long.

/** Sends webhooks; each process may have one sender. */
export interface Sender {
  database: Database
  hosts: readonly string[]
  topics: readonly Topic[]
  contextOf: (isPrivate: boolean) => Context
  report: (error: unknown) => void
  /** Must be quick, and must never throw. */
  onSettled: (settled: SettledMessage) => void
  sending: Map<number, Promise<void>>
  stopping: AbortController
}

export interface SettledMessage {
  webhook: WebhookColumns
  message: DeliveryColumns
  /** `failed` messages will be retried, `given_up` ones will not. */
  outcome: 'delivered' | 'failed' | 'given_up'
  posted: Posted
  begins: boolean
  disabled: WebhookReason | undefined
  /** The number of waiting messages; 0 if nothing is to be logged. */
  waiting: number
}

const OUTCOMES = { sent: 'delivered', waiting: 'failed', failed: 'given_up' } as const

const TIMEOUT_MS = 15_000

/** In ms, how long other processes leave a claimed message alone. */
const LEASE_MS = 60_000

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** In ms, pauses between attempts; the last is repeated. */
const PAUSES = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Random share of a pause, so that retried messages do not arrive all at once. */
const JITTER = 0.2

/** In ms. After a longer outage, a receiver gets all waiting messages at once. */
const OUTAGE = MINUTE

/**
 * In ms: age at which a failing message is given up, and time of failure after which a webhook is disabled.
 */
const LONGEST_FAILURE = 5 * DAY

export function makeSender(parts: Omit<Sender, 'sending' | 'stopping'>): Sender {
  return { ...parts, sending: new Map(), stopping: new AbortController() }
}

export async function sendDue(sender: Sender, now: number): Promise<void> {
  const { database, sending, stopping } = sender
  if (stopping.signal.aborted) return
  for (const webhook of await findDue(database.read, formatUtc(now))) {
    if (sending.has(webhook.id) || stopping.signal.aborted) continue
    const sent = sendTo(sender, webhook)
      .catch(sender.report)
      .finally(() => sending.delete(webhook.id))
    sending.set(webhook.id, sent)
  }
}

/** Aborts messages under way; other processes may send them. */
export async function stopSending({ sending, stopping }: Sender): Promise<void> {
  stopping.abort()
  await Promise.all(sending.values())
}

/** Sends due messages until one fails. */
async function sendTo(sender: Sender, webhook: WebhookColumns): Promise<void> {
  const { database, stopping } = sender
  while (!stopping.signal.aborted) {
    const now = Date.now()
    const times = { nowUtc: formatUtc(now), untilUtc: formatUtc(now + LEASE_MS) }
    const message = await database.write((tx) => claimDue(tx, webhook.id, times))
    if (!message) return
    const posted = await attemptMessage(sender, webhook, message)
    await settle(sender, webhook, message, posted)
    if (posted && posted.error !== '') return
  }
}

/** Sends a message. Returns undefined if it need not be sent. */
async function attemptMessage(
  { hosts, topics, contextOf, stopping }: Sender,
  webhook: WebhookColumns,
  message: DeliveryColumns,
): Promise<Posted | undefined> {
  const body = await writeMessage(message, contextOf(webhook.is_private === 1), topics)
  if (body === undefined) return undefined
  return post(webhook, message.message, body, { hosts, timeoutMs: TIMEOUT_MS, signal: stopping.signal })
}

function post(webhook: WebhookColumns, message: string, body: string, limits: PostLimits): Promise<Posted> {
  return postMessage(webhook.url, signedHeaders(webhook, message, body, Date.now()), body, limits)
}

/** Stores the outcome of an attempt; a message that a stop has cut off is due again. */
async function settle(
  { database, stopping, onSettled }: Sender,
  webhook: WebhookColumns,
  message: DeliveryColumns,
  posted: Posted | undefined,
): Promise<void> {
  const now = Date.now()
  if (!posted) return database.write((tx) => dropDelivery(tx, message.id))
  if (stopping.signal.aborted && posted.status === 0)
    return database.write((tx) => setDelivery(tx, message.id, { next_utc: message.created_utc }))
  const former = webhook.failing_since_utc
  const since = posted.error === '' ? '' : former || formatUtc(now)
  const why = whyDisabled(posted, since, now)
  const columns = outcomeOf(message, posted, now)
  const outcome = OUTCOMES[columns.state]
  // If the process is killed before it stores that the receiver answers, the next attempt hastens again.
  if (since < former && former < formatUtc(now - OUTAGE)) await hastenDeliveries(database.write, webhook.id)
  const turns = await database.write(async (tx) => {
    await setDelivery(tx, message.id, columns)
    const begins = since !== former && (await setFailing(tx, webhook, since)) && since !== ''
    const disabled = why !== undefined && (await disableWebhook(tx, webhook.id, why, now)) ? why : undefined
    const isTold = begins || disabled !== undefined || outcome === 'given_up'
    return { begins, disabled, waiting: isTold ? await countWaiting(tx, webhook.id) : 0 }
  }, writerBy('webhooks'))
  webhook.failing_since_utc = since
  onSettled({ webhook, message, outcome, posted, ...turns })
}

function whyDisabled({ status }: Posted, since: string, now: number): WebhookReason | undefined {
  if (status === 410) return 'gone'
  return since !== '' && since < formatUtc(now - LONGEST_FAILURE) ? 'silent' : undefined
}

function outcomeOf(
  message: DeliveryColumns,
  { status, error, retryAfter = 0 }: Posted,
  now: number,
): Pick<DeliveryColumns, 'attempts' | 'status' | 'error' | 'state' | 'next_utc'> {
  const tried = { attempts: message.attempts + 1, status, error }
  if (error === '') return { ...tried, state: 'sent', next_utc: '' }
  const next = nextAttempt(message, retryAfter * SECOND, now)
  if (next === undefined) return { ...tried, state: 'failed', next_utc: '' }
  return { ...tried, state: 'waiting', next_utc: formatUtc(next) }
}

/** When to retry, in ms since the epoch; undefined for never. */
function nextAttempt(
  { attempts, created_utc }: DeliveryColumns,
  wanted: number,
  now: number,
): number | undefined {
  if (created_utc < formatUtc(now - LONGEST_FAILURE)) return undefined
  const pause = PAUSES[attempts] ?? DAY
  return now + Math.max(pause * (1 + JITTER * Math.random()), Math.min(wanted, DAY))
}

/** Sends a test. If it arrives, the webhook no longer counts as failing, and waiting messages are due. */
export async function sendTest(
  database: Database,
  webhook: WebhookColumns,
  hosts: readonly string[],
  now: number,
): Promise<Posted> {
  const [message, type] = [`msg_${randomUUID()}`, 'webhook.test']
  const body = JSON.stringify({
    type,
    timestamp: new Date(now).toISOString(),
    data: { kind: 'webhook', id: webhook.id },
  })
  const limits = { hosts, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal }
  const posted = await post(webhook, message, body, limits)
  const { status, error } = posted
  const told = { webhook: webhook.id, message, type, kind: 'webhook', record: webhook.id, sequence: 0 }
  const state = error === '' ? ('sent' as const) : ('failed' as const)
  const row = { ...told, state, created_utc: formatUtc(now), next_utc: '', attempts: 1, status, error }
  if (state === 'sent') await hastenDeliveries(database.write, webhook.id)
  await database.write(async (tx) => {
    await tx.insertInto('webhook_deliveries').values(row).execute()
    if (state === 'sent') await setFailing(tx, webhook, '')
  })
  return posted
}

/** In bytes; longer messages leave the record out. */
const MOST_BYTES = 20_000

/** Returns a message's body, with the record as in lists; undefined if the record is no longer visible. */
async function writeMessage(
  message: DeliveryColumns,
  context: Context,
  topics: readonly Topic[],
): Promise<string | undefined> {
  const { type, kind, record: id, sequence, created_utc } = message
  const head = { type, timestamp: new Date(utcToMs(created_utc)).toISOString(), calendar: context.site.url }
  const topic = topics.find((one) => one.type === type)
  if (topic) {
    const told = await topic.present(context, id)
    return told && JSON.stringify({ ...head, data: { kind, id, ...told } })
  }
  if (!isOfRecord(type)) return JSON.stringify({ ...head, data: { kind, id, sequence } })
  // The sequence is read first: an older one with a newer record does no harm, the reverse would.
  const latest = await findSequence(message, context)
  const found = await findRecord(kind, id, context)
  if (!found) return undefined
  const data = { kind, id, sequence: latest, rest_url: found.url }
  const whole = JSON.stringify({ ...head, data: { ...data, record: found.record } })
  return Buffer.byteLength(whole) <= MOST_BYTES ? whole : JSON.stringify({ ...head, data })
}

async function findSequence({ kind, record, sequence }: DeliveryColumns, { db }: Context): Promise<number> {
  const told = WEBHOOK_KINDS.find((known) => known === kind)
  const found = told && (await findSequences(db, told, [record])).get(record)
  return Math.max(sequence, found ?? 0)
}

const isOfRecord = (type: string) => type.endsWith('.created') || type.endsWith('.updated')

async function findRecord(
  kind: string,
  id: number,
  context: Context,
): Promise<{ url: string; record: object } | undefined> {
  for (const { resource, operations } of servedAs(kind)) {
    const row = await operations.locate(context, { id })
    const record = row === undefined ? undefined : await present(operations, row, id, context)
    if (record) return { url: addressOf(resource, id, context), record }
  }
  return undefined
}

function servedAs(kind: string): ServedResource[] {
  if (kind === 'series') return [series]
  const names = kind === 'term' ? ['category', 'tag'] : [kind]
  return resources.filter(({ resource }) => names.includes(resource.name))
}

async function present(
  { loadOne, presentation }: ServedResource['operations'],
  row: unknown,
  id: number,
  context: Context,
): Promise<object | undefined> {
  try {
    return (await presentById(context, presentation, [await loadOne(context, row)])).get(id)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

function addressOf({ path, name }: ServedResource['resource'], id: number, { site }: Context): string {
  return `${name === 'series' ? `${site.restUrl}/${OWN_NAMESPACE}` : site.base}/${path}/${id}`
}
