import type { FeatureTables } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface WebhookColumns {
  id: number
  url: string
  /** Types such as `event.*`, separated by commas. */
  events: string
  /** 1 if the webhook gets what administrators see. */
  is_private: number
  /** `whsec_` and the key in base64. */
  secret: string
  /** The former secret, which signs as well until `old_secret_until_utc`. */
  old_secret: string
  old_secret_until_utc: string
  created_utc: string
  /** Empty while deliveries succeed. */
  failing_since_utc: string
  /** Empty while the webhook is enabled. */
  disabled_utc: string
  disabled_why: string
}

export interface DeliveryColumns {
  id: number
  webhook: number
  /** The header `webhook-id` of every attempt. */
  message: string
  type: string
  kind: string
  record: number
  sequence: number
  state: 'waiting' | 'sent' | 'failed'
  created_utc: string
  /** When the message is due, or free for another process; empty when sent or failed. */
  next_utc: string
  attempts: number
  /** The HTTP status; 0 without an answer. */
  status: number
  error: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    webhooks: WithSequence<WebhookColumns>
    webhook_deliveries: WithSequence<DeliveryColumns>
  }
}

/** Tables created by migrations of the kernel. */
export const webhookTables: FeatureTables = {
  feature: 'webhooks',
  own: ['webhook_deliveries'],
  secret: ['webhooks'],
  unasked: ['webhooks'],
}
