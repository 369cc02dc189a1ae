import type { FeatureTables } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface WebhookColumns {
  id: number
  url: string
  /** Types such as `event.*`, between commas. */
  events: string
  /** 1 for what administrators see. */
  is_private: number
  /** `whsec_` and the key in base64. */
  secret: string
  /** Signs as well, until the time below. */
  old_secret: string
  old_secret_until_utc: string
  created_utc: string
  /** Empty while deliveries succeed. */
  failing_since_utc: string
  /** Empty for one in use. */
  disabled_utc: string
  disabled_why: string
}

export interface DeliveryColumns {
  id: number
  webhook: number
  /** The `webhook-id` of every attempt. */
  message: string
  type: string
  kind: string
  record: number
  sequence: number
  state: 'waiting' | 'sent' | 'failed'
  created_utc: string
  /** When it is due, or another process may take it; empty when sent or failed. */
  next_utc: string
  attempts: number
  /** 0 without an answer. */
  status: number
  error: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    webhooks: WithSequence<WebhookColumns>
    webhook_deliveries: WithSequence<DeliveryColumns>
  }
}

/** The kernel's migrations make them. */
export const webhookTables: FeatureTables = {
  feature: 'webhooks',
  own: ['webhook_deliveries'],
  secret: ['webhooks'],
}
