import type { Parsed } from '../../base/fields/field.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { OWN_NAMESPACE } from '../../calendar/declare/resource.ts'
import { writeOnce } from '../../calendar/editing/idempotency.ts'
import type { Database } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { DeliveryColumns, WebhookColumns } from '../../store/storage/schema.ts'
import { okReply, type Reply } from '../formats/format.ts'
import { sendTest } from '../webhooks/send-webhooks.ts'
import {
  addWebhook,
  checkAddress,
  countDeliveries,
  describeReason,
  disableWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  MOST_WEBHOOKS,
  type RefusalReason,
  readTypes,
  removeWebhook,
  resendDelivery,
  resendFailed,
  rotateSecret,
  updateWebhook,
  type WebhookChange,
  WebhookRefusal,
} from '../webhooks/webhook-store.ts'
import { idIn, type MatchedRequest } from './handlers.ts'
import { managesWebhooks, type WebhookDeed } from './webhook-deeds.ts'
import { deliveryFilters, webhookFields } from './webhook-routes.ts'

// Answers requests about webhooks.

/** The place of webhooks, and the hosts that messages may be sent to. */
export interface WebhookGround {
  database: Database
  /** The hosts of the setting. */
  hosts: readonly string[]
}

const MOST_ON_A_PAGE = 1000
/** The last page that is looked up; lists are empty beyond it. */
const LAST_PAGE = 1_000_000_000

/**
 * Answers a request of the routes of webhooks.
 * @throws Problem
 */
export async function webhookReply(
  does: WebhookDeed,
  asked: MatchedRequest,
  ground: WebhookGround,
  context: Context,
): Promise<Reply> {
  if (!managesWebhooks(context.caller)) throw new Problem('rest_forbidden')
  const id = idIn(asked.variables.id ?? '0')
  try {
    return await replies[does](asked, id, ground, context)
  } catch (error) {
    throw error instanceof WebhookRefusal ? problems[error.reason](error) : error
  }
}

const problems: Record<RefusalReason, (refusal: WebhookRefusal) => Problem> = {
  'no-webhook': () => new Problem('rest-webhook-not-found'),
  'no-message': () => new Problem('rest-message-not-found'),
  'too-many': () => new Problem('too-many-webhooks', { data: { limit: MOST_WEBHOOKS } }),
  address: (refusal) => invalidParam('url', told(refusal)),
  events: (refusal) => invalidParam('events', told(refusal)),
}

const told = ({ text, values }: WebhookRefusal) => ({ why: 'told', message: text, values }) as const

type WebhookReply = (asked: MatchedRequest, id: number, ground: WebhookGround, context: Context) => Promise<Reply>

const replies: Record<WebhookDeed, WebhookReply> = {
  listWebhooks: async (_asked, _id, _ground, context) => {
    const webhooks = await listWebhooks(context.db)
    return okReply({ webhooks: webhooks.map((webhook) => presentWebhook(webhook, context)) })
  },
  createWebhook: createReply,
  readWebhook: async (_asked, id, _ground, context) =>
    okReply(presentWebhook(await getWebhook(context.db, id), context)),
  updateWebhook: updateReply,
  removeWebhook: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const webhook = await getWebhook(tx, id)
      await removeWebhook(tx, id, context.now)
      return okReply(presentWebhook(webhook, context))
    }),
  testWebhook: async (_asked, id, { database, hosts }, context) => {
    const { status, error } = await sendTest(database, await getWebhook(context.db, id), hosts, context.now)
    return okReply({ arrived: error === '', status, error: describeReason(context.site.language, error) })
  },
  rotateWebhook: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const secret = await rotateSecret(tx, id, context.now)
      return okReply({ ...(await shown(tx, id, context)), secret })
    }),
  listDeliveries: async (asked, id, _ground, context) => {
    const filters = await parseFields(deliveryFilters, asked.values(deliveryFilters), context)
    const { page = 1, per_page = 100 } = filters
    const perPage = Math.min(per_page, MOST_ON_A_PAGE)
    await getWebhook(context.db, id)
    const [deliveries, total] = await Promise.all([
      listDeliveries(context.db, id, { page: Math.min(page, LAST_PAGE), perPage }),
      countDeliveries(context.db, id),
    ])
    return okReply({
      deliveries: deliveries.map((delivery) => presentDelivery(delivery, context)),
      total,
      total_pages: Math.ceil(total / perPage),
    })
  },
  resendDelivery: (asked, id, _ground, context) =>
    context.write(async (tx) => {
      await getWebhook(tx, id)
      const delivery = await resendDelivery(tx, idIn(asked.variables.delivery ?? '0'), id, context.now)
      return okReply(presentDelivery(delivery, context))
    }),
  resendFailed: async (_asked, id, _ground, context) =>
    okReply({ resent: await resendFailed((work) => context.write(work), id, context.now) }),
}

function createReply(asked: MatchedRequest, _id: number, { hosts }: WebhookGround, context: Context): Promise<Reply> {
  return writeOnce(asked, true, context, async (keeping) => {
    const values = await parseFields(webhookFields, asked.values(webhookFields), context)
    const change = changeIn(values, hosts)
    return context.write((tx) => keeping(tx, () => addAsked(tx, change, context)))
  })
}

async function addAsked(tx: Tx, asked: WebhookChange, context: Context): Promise<Reply> {
  const { url = '', events = '', isPrivate = false, isEnabled } = asked
  const { id, secret } = await addWebhook(tx, { url, events, is_private: Number(isPrivate) }, context.now)
  if (!isEnabled) await disableWebhook(tx, id, 'administrator', context.now)
  const body = { ...(await shown(tx, id, context)), secret }
  return { status: 201, headers: { Location: body.rest_url }, body }
}

async function updateReply(
  asked: MatchedRequest,
  id: number,
  { hosts }: WebhookGround,
  context: Context,
): Promise<Reply> {
  const parsing = { extent: 'partial', mayAsk: true } as const
  const values = await parseFields(webhookFields, asked.values(webhookFields), context, parsing)
  const change = changeIn(values, hosts)
  return context.write(async (tx) => {
    await updateWebhook(tx, id, change, 'administrator', context.now)
    return okReply(await shown(tx, id, context))
  })
}

/** The values for a webhook in the fields of a request. @throws WebhookRefusal */
function changeIn(values: Parsed<typeof webhookFields>, hosts: readonly string[]): WebhookChange {
  const { url, events, private: isPrivate, enabled: isEnabled } = values
  if (url !== undefined) checkAddress(url, hosts)
  return { url, events: events && readTypes(events.join(',')), isPrivate, isEnabled }
}

async function shown(tx: Tx, id: number, context: Context) {
  return presentWebhook(await getWebhook(tx, id), context)
}

/** A webhook without its secret, which is shown only once. */
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
    disabled_why: describeReason(site.language, disabled_why),
    rest_url: `${site.restUrl}/${OWN_NAMESPACE}/webhooks/${id}`,
  }
}

/** A message without its body: its record is read at its own address. */
function presentDelivery(delivery: DeliveryColumns, { site }: Context) {
  const { id, message, type, kind, record, state, created_utc, next_utc, attempts, status } = delivery
  const error = describeReason(site.language, delivery.error)
  return { id, message, type, kind, record, state, created_utc, next_utc, attempts, status, error }
}
