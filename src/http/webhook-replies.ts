import type { Context } from '../context/context.ts'
import { parseFields } from '../declare/parse.ts'
import { OWN_NAMESPACE } from '../declare/resource.ts'
import type { Parsed } from '../fields/field.ts'
import type { Reply } from '../formats/format.ts'
import { invalidParam, Problem } from '../problems.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/recording.ts'
import type { DeliveryColumns, WebhookColumns } from '../storage/schema.ts'
import { sendTest } from '../webhooks/send-test.ts'
import {
  addWebhook,
  checkAddress,
  disableWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  MOST_WEBHOOKS,
  type RefusalReason,
  readTypes,
  removeWebhook,
  resendDelivery,
  rotateSecret,
  updateWebhook,
  type WebhookChange,
  WebhookRefusal,
} from '../webhooks/webhook-store.ts'
import { type Asked, idIn } from './handlers.ts'
import { managesWebhooks, type WebhookDeed } from './webhook-deeds.ts'
import { deliveryFilters, webhookFields } from './webhook-routes.ts'

/** Where webhooks are, and where messages may be sent. */
export interface WebhookGround {
  database: Database
  /** The hosts of the setting. */
  hosts: readonly string[]
}

const MOST_ON_A_PAGE = 1000
/** What is said of a webhook that a request has disabled. */
const DISABLED_WHY = 'By an administrator.'

/**
 * Answers a request of the routes of webhooks.
 * @throws Problem
 */
export async function webhookReply(
  does: WebhookDeed,
  asked: Asked,
  ground: WebhookGround,
  context: Context,
): Promise<Reply> {
  if (!managesWebhooks(context.caller)) throw new Problem('rest_forbidden')
  const id = idIn(asked.variables.id ?? '0')
  try {
    return await replies[does](asked, id, ground, context)
  } catch (error) {
    throw error instanceof WebhookRefusal ? problems[error.reason]() : error
  }
}

const problems: Record<RefusalReason, () => Problem> = {
  'no-webhook': () => new Problem('rest-webhook-not-found'),
  'no-message': () => new Problem('rest-message-not-found'),
  'too-many': () => new Problem('too-many-webhooks', { data: { limit: MOST_WEBHOOKS } }),
  address: () => invalidParam('url'),
  events: () => invalidParam('events'),
}

type WebhookReply = (asked: Asked, id: number, ground: WebhookGround, context: Context) => Promise<Reply>

const replies: Record<WebhookDeed, WebhookReply> = {
  listWebhooks: async (_asked, _id, _ground, context) => {
    const webhooks = await listWebhooks(context.db)
    return ok({ webhooks: webhooks.map((webhook) => presentWebhook(webhook, context)) })
  },
  createWebhook: createReply,
  readWebhook: async (_asked, id, _ground, context) => ok(presentWebhook(await getWebhook(context.db, id), context)),
  updateWebhook: updateReply,
  removeWebhook: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const webhook = await getWebhook(tx, id)
      await removeWebhook(tx, id, context.now)
      return ok(presentWebhook(webhook, context))
    }),
  testWebhook: async (_asked, id, { database, hosts }, context) => {
    const { status, error } = await sendTest(database, await getWebhook(context.db, id), hosts, context.now)
    return ok({ arrived: error === '', status, error })
  },
  rotateWebhook: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const secret = await rotateSecret(tx, id, context.now)
      return ok({ ...(await shown(tx, id, context)), secret })
    }),
  listDeliveries: async (asked, id, _ground, context) => {
    const { per_page: perPage = 100 } = await parseFields(deliveryFilters, asked.values(deliveryFilters), context)
    await getWebhook(context.db, id)
    const deliveries = await listDeliveries(context.db, id, Math.min(perPage, MOST_ON_A_PAGE))
    return ok({ deliveries: deliveries.map(presentDelivery) })
  },
  resendDelivery: (asked, id, _ground, context) =>
    context.write(async (tx) => {
      await getWebhook(tx, id)
      return ok(presentDelivery(await resendDelivery(tx, idIn(asked.variables.delivery ?? '0'), id, context.now)))
    }),
}

const ok = (body: object): Reply => ({ status: 200, headers: {}, body })

async function createReply(asked: Asked, _id: number, { hosts }: WebhookGround, context: Context): Promise<Reply> {
  const { now } = context
  const values = await parseFields(webhookFields, asked.values(webhookFields), context)
  const { url = '', events = '', isPrivate = false, isEnabled } = changeIn(values, hosts)
  const added = { url, events, is_private: Number(isPrivate) }
  return context.write(async (tx) => {
    const { id, secret } = await addWebhook(tx, added, now)
    if (!isEnabled) await disableWebhook(tx, id, DISABLED_WHY, now)
    const body = { ...(await shown(tx, id, context)), secret }
    return { status: 201, headers: { Location: body.rest_url }, body }
  })
}

async function updateReply(asked: Asked, id: number, { hosts }: WebhookGround, context: Context): Promise<Reply> {
  const parsing = { extent: 'partial', mayAsk: true } as const
  const values = await parseFields(webhookFields, asked.values(webhookFields), context, parsing)
  const change = changeIn(values, hosts)
  return context.write(async (tx) => {
    await updateWebhook(tx, id, change, DISABLED_WHY, context.now)
    return ok(await shown(tx, id, context))
  })
}

/** What the fields of a request say of a webhook. @throws WebhookRefusal */
function changeIn(values: Parsed<typeof webhookFields>, hosts: readonly string[]): WebhookChange {
  const { url, events, private: isPrivate, enabled: isEnabled } = values
  if (url !== undefined) checkAddress(url, hosts)
  return { url, events: events && readTypes(events.join(',')), isPrivate, isEnabled }
}

async function shown(tx: Tx, id: number, context: Context) {
  return presentWebhook(await getWebhook(tx, id), context)
}

/** A webhook without its secret, which is told once. */
function presentWebhook(webhook: WebhookColumns, { site }: Context) {
  const { id, url, events, is_private, created_utc, failing_since_utc, disabled_utc, disabled_why } = webhook
  return {
    id,
    url,
    events: events.split(','),
    private: is_private === 1,
    enabled: disabled_utc === '',
    created_utc,
    failing_since_utc,
    disabled_utc,
    disabled_why,
    rest_url: `${site.restUrl}/${OWN_NAMESPACE}/webhooks/${id}`,
  }
}

/** A message without its body: its record is read at its own address. */
function presentDelivery(delivery: DeliveryColumns) {
  const { id, message, type, kind, record, state, created_utc, next_utc, attempts, status, error } = delivery
  return { id, message, type, kind, record, state, created_utc, next_utc, attempts, status, error }
}
