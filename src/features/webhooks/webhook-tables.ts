import type { FeatureTables } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface WebhookColumns {
  id: number
  url: string
  /** Such as `event.*`, separated by commas. */
  events: string
  /** 1: everything, as administrators see it. */
  is_private: number
  /** `whsec_` and the key in base64. */
  secret: string
  /** Also signs, until the time below. */
  old_secret: string
  old_secret_until_utc: string
  created_utc: string
  /** Empty while deliveries succeed. */
  failing_since_utc: string
  /** Empty for one in use. */
  disabled_utc: string
  disabled_why: string
}

/** Waiting, sent or failed. */
export interface DeliveryColumns {
  id: number
  webhook: number
  /** `webhook-id`, the same on every attempt. */
  message: string
  type: string
  kind: string
  record: number
  /** After the change. */
  sequence: number
  state: 'waiting' | 'sent' | 'failed'
  created_utc: string
  /** Due, or free for another process; empty when sent or failed. */
  next_utc: string
  attempts: number
  /** 0 for none. */
  status: number
  /** Of the last attempt. */
  error: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    webhooks: WithSequence<WebhookColumns>
    webhook_deliveries: WithSequence<DeliveryColumns>
  }
}

/** The steps that made them are the kernel's. */
export const webhookTables: FeatureTables = {
  feature: 'webhooks',
  own: ['webhook_deliveries'],
  secret: ['webhooks'],
}
