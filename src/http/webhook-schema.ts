import type { Fields } from '../declare/resource.ts'
import { address, arrayOf, boolean, id, integerSchema, record, type Schema, string } from '../fields/answer-schema.ts'
import { bodyProperties, type Say } from './openapi-schemas.ts'
import type { WebhookDeed } from './webhook-deeds.ts'
import { webhookFields } from './webhook-routes.ts'

const properties = {
  id,
  url: address,
  events: arrayOf(string),
  private: boolean,
  enabled: boolean,
  created_utc: string,
  failing_since_utc: string,
  disabled_utc: string,
  disabled_why: string,
  rest_url: address,
} satisfies Record<string, Schema>

const webhook = record(properties)
const withSecret = record({ ...properties, secret: string })

const delivery = record({
  id,
  message: string,
  type: string,
  kind: string,
  record: id,
  state: { type: 'string', enum: ['waiting', 'sent', 'failed'] },
  created_utc: string,
  next_utc: string,
  attempts: integerSchema,
  status: integerSchema,
  error: string,
})

/** The answers of the routes of webhooks. */
export const webhookAnswers: Readonly<Record<WebhookDeed, Schema>> = {
  listWebhooks: record({ webhooks: arrayOf(webhook) }),
  createWebhook: withSecret,
  readWebhook: webhook,
  updateWebhook: webhook,
  removeWebhook: webhook,
  testWebhook: record({ arrived: boolean, status: integerSchema, error: string }),
  rotateWebhook: withSecret,
  listDeliveries: record({ deliveries: arrayOf(delivery), total: integerSchema, total_pages: integerSchema }),
  resendDelivery: delivery,
  resendFailed: record({ resent: integerSchema }),
}

/** The body of a request; undefined for one that needs none. */
export function webhookBody(does: WebhookDeed, say: Say): Schema | undefined {
  const fields: Fields = webhookFields
  if (does === 'createWebhook') return record(bodyProperties({ fields }, ['url'], [], say), ['url'])
  return does === 'updateWebhook' ? record(bodyProperties({ fields }, [], [], say), []) : undefined
}
