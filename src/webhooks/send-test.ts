import { randomUUID } from 'node:crypto'
import type { Database } from '../storage/database.ts'
import type { WebhookColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'
import type { Posted } from './post-message.ts'
import { post } from './send-webhooks.ts'

const TIMEOUT_MS = 15_000

/** Sends a message that tells of nothing, once, and writes it to the log of messages. */
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
  await database.write((tx) => tx.insertInto('webhook_deliveries').values(row).execute())
  return posted
}
