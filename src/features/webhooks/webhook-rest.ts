import type { Parsed } from '../../base/fields/field.ts'
import { count, flag, recordId, text, words } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import {
  address,
  arrayOf,
  boolean,
  id,
  integerSchema,
  record,
  type Schema,
  string,
} from '../../base/fields/member.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { defineFields, OWN_NAMESPACE } from '../../calendar/declare/resource.ts'
import { writeOnce } from '../../calendar/editing/idempotency.ts'
import type { Topic } from '../../feature.ts'
import { type Answer, okAnswer } from '../../http/format.ts'
import { idIn } from '../../http/handlers.ts'
import {
  type MatchedRequest,
  type OwnGround,
  type OwnOperation,
  ownRoute,
  type Route,
} from '../../http/routes.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { sendTest } from './send-webhooks.ts'
import {
  addWebhook,
  checkAddress,
  countDeliveries,
  describeReason,
  disableWebhook,
  getWebhook,
  hastenDeliveries,
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
} from './webhook-store.ts'
import type { DeliveryColumns, WebhookColumns } from './webhook-tables.ts'
import { type WebhookText, webhookText, webhookTexts } from './webhook-texts.ts'

// Webhooks over REST, for administrators alone, since a webhook may receive everything.

const webhookFields = defineFields({
  url: {
    kind: text,
    about: webhookText('The address that messages are sent to, by https'),
    required: true,
    within: limits.url,
  },
  events: {
    kind: words,
    about: webhookText('Of which changes it is told: event.*, venue.created and the like, or *'),
    default: 'event.*',
    valid: (value) => value !== '',
  },
  private: {
    kind: flag,
    about: webhookText('Whether it is told everything, as administrators see it'),
    default: false,
  },
  enabled: { kind: flag, about: webhookText('Whether it is told of changes'), default: true },
})

const deliveryFilters = defineFields({
  page: { kind: count, about: 'The page of the list to return', default: '1' },
  per_page: { kind: count, about: webhookText('How many messages are listed, up to 1000'), default: '100' },
})

const byId = defineFields({ id: { kind: recordId, about: webhookText('The id of the webhook') } })
const byDelivery = defineFields({
  ...byId,
  delivery: { kind: recordId, about: webhookText('The id of the message') },
})

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

const MOST_ON_A_PAGE = 1000
/** Pages beyond this one are always empty. */
const LAST_PAGE = 1_000_000_000

type Answering = (request: MatchedRequest, id: number, ground: OwnGround, context: Context) => Promise<Answer>

/** Reads and writes wait in their own queues unless the operation names another. */
function onWebhooks({
  answer,
  ...operation
}: Omit<OwnOperation<WebhookText>, 'audience' | 'queue' | 'answer'> &
  Partial<Pick<OwnOperation, 'queue'>> & { answer: Answering }): OwnOperation<WebhookText> {
  return {
    audience: 'administrators',
    queue: operation.methods[0] === 'GET' ? 'reads' : 'writes',
    ...operation,
    problems: [
      ...(operation.address ? (['rest-webhook-not-found'] as const) : []),
      ...(operation.problems ?? []),
    ],
    answer: async (request, ground, context) => {
      try {
        return await answer(request, idIn(request.variables.id ?? '0'), ground, context)
      } catch (error) {
        throw error instanceof WebhookRefusal ? problems[error.reason](error, context) : error
      }
    },
  }
}

const problems: Record<RefusalReason, (refusal: WebhookRefusal, context: Context) => Problem> = {
  'no-webhook': () => new Problem('rest-webhook-not-found'),
  'no-message': () => new Problem('rest-message-not-found'),
  'too-many': () => new Problem('too-many-webhooks', { data: { limit: MOST_WEBHOOKS } }),
  address: (refusal, context) => invalidParam('url', told(refusal, context)),
  events: (refusal, context) => invalidParam('events', told(refusal, context)),
}

const told = ({ shown }: WebhookRefusal, { site }: Context) =>
  ({ why: 'told', message: shown(site.language), values: {} }) as const

const list = onWebhooks({
  methods: ['GET'],
  verb: 'listWebhooks',
  summary: 'List all webhooks',
  outcome: 'All webhooks',
  answers: record({ webhooks: arrayOf(webhook) }),
  answer: async (_asked, _id, _ground, context) => {
    const webhooks = await listWebhooks(context.db)
    return okAnswer({ webhooks: webhooks.map((webhook) => presentWebhook(webhook, context)) })
  },
})

const createWith = (topics: readonly Topic[]) =>
  onWebhooks({
    methods: ['POST'],
    body: webhookFields,
    creates: true,
    verb: 'createWebhook',
    summary: 'Add a webhook',
    outcome: 'The added webhook, with its secret',
    answers: withSecret,
    problems: ['too-many-webhooks'],
    answer: (request, _id, { start }, context) =>
      writeOnce(request, true, context, async (storing) => {
        const values = await parseFields(webhookFields, request.values(webhookFields), context)
        const change = changeIn(values, start.webhook_hosts, topics)
        return context.write((tx) => storing(tx, () => addAsked(tx, change, context)))
      }),
  })

const read = onWebhooks({
  methods: ['GET'],
  address: byId,
  verb: 'readWebhook',
  summary: 'Read a webhook',
  outcome: 'The requested data',
  answers: webhook,
  answer: async (_asked, id, _ground, context) =>
    okAnswer(presentWebhook(await getWebhook(context.db, id), context)),
})

const { required: _required, ...sameUrl } = webhookFields.url

const updateWith = (topics: readonly Topic[]) =>
  onWebhooks({
    methods: ['PUT', 'PATCH'],
    address: byId,
    body: { ...webhookFields, url: sameUrl },
    verb: 'updateWebhook',
    summary: 'Change a webhook',
    outcome: 'The changed webhook',
    answers: webhook,
    answer: async (request, id, { start }, context) => {
      const parsing = { extent: 'partial', mayAsk: true } as const
      const values = await parseFields(webhookFields, request.values(webhookFields), context, parsing)
      return answerUpdate(id, changeIn(values, start.webhook_hosts, topics), context)
    },
  })

const remove = onWebhooks({
  methods: ['DELETE'],
  address: byId,
  verb: 'deleteWebhook',
  summary: 'Remove a webhook and the log of its messages',
  outcome: 'The removed webhook',
  answers: webhook,
  answer: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const webhook = await getWebhook(tx, id)
      await removeWebhook(tx, id, context.now)
      return okAnswer(presentWebhook(webhook, context))
    }),
})

const testMessage = onWebhooks({
  methods: ['POST'],
  address: byId,
  // In this queue, waiting for another server delays no writes.
  queue: 'uploads',
  verb: 'testWebhook',
  summary: 'Send a webhook a test message at once',
  outcome: 'What came of the message',
  answers: record({ arrived: boolean, status: integerSchema, error: string }),
  answer: async (_asked, id, { database, start }, context) => {
    const { status, error } = await sendTest(
      database,
      await getWebhook(context.db, id),
      start.webhook_hosts,
      context.now,
    )
    return okAnswer({ arrived: error === '', status, error: describeReason(context.site.language, error) })
  },
})

const rotate = onWebhooks({
  methods: ['POST'],
  address: byId,
  verb: 'rotateWebhookSecret',
  summary: 'Give a webhook a new secret',
  outcome: 'The webhook with its new secret',
  answers: withSecret,
  answer: (_asked, id, _ground, context) =>
    context.write(async (tx) => {
      const secret = await rotateSecret(tx, id, context.now)
      return okAnswer({ ...(await shown(tx, id, context)), secret })
    }),
})

const deliveries = onWebhooks({
  methods: ['GET'],
  address: byId,
  query: deliveryFilters,
  verb: 'listWebhookDeliveries',
  summary: 'List the newest messages of a webhook',
  outcome: 'Messages, the newest first',
  answers: record({ deliveries: arrayOf(delivery), total: integerSchema, total_pages: integerSchema }),
  answer: async (request, id, _ground, context) => {
    const filters = await parseFields(deliveryFilters, request.values(deliveryFilters), context)
    const { page = 1, per_page = 100 } = filters
    const perPage = Math.min(per_page, MOST_ON_A_PAGE)
    await getWebhook(context.db, id)
    const [deliveries, total] = await Promise.all([
      listDeliveries(context.db, id, { page: Math.min(page, LAST_PAGE), perPage }),
      countDeliveries(context.db, id),
    ])
    return okAnswer({
      deliveries: deliveries.map((delivery) => presentDelivery(delivery, context)),
      total,
      total_pages: Math.ceil(total / perPage),
    })
  },
})

const resend = onWebhooks({
  methods: ['POST'],
  address: byDelivery,
  verb: 'resendWebhookDelivery',
  summary: 'Send a message again',
  outcome: 'The message, which waits to be sent',
  answers: delivery,
  problems: ['rest-message-not-found'],
  answer: (request, id, _ground, context) =>
    context.write(async (tx) => {
      await getWebhook(tx, id)
      const delivery = await resendDelivery(tx, idIn(request.variables.delivery ?? '0'), id, context.now)
      return okAnswer(presentDelivery(delivery, context))
    }),
})

const resendAll = onWebhooks({
  methods: ['POST'],
  address: byId,
  verb: 'resendFailedWebhookDeliveries',
  summary: 'Send all failed messages again',
  outcome: 'How many messages wait to be sent',
  answers: record({ resent: integerSchema }),
  answer: async (_asked, id, _ground, context) =>
    okAnswer({ resent: await resendFailed((work) => context.write(work), id, context.now) }),
})

const group = {
  name: 'webhooks',
  about: webhookText('Webhooks: addresses that are told of changes'),
  texts: webhookTexts,
} as const

const routeAt = (template: string, ...operations: OwnOperation<WebhookText>[]): Route =>
  ownRoute(template, group, operations)

export const webhookRoutes = (topics: readonly Topic[]): readonly Route[] => [
  routeAt('/webhooks', list, createWith(topics)),
  routeAt('/webhooks/{id}', read, updateWith(topics), remove),
  routeAt('/webhooks/{id}/test', testMessage),
  routeAt('/webhooks/{id}/rotate', rotate),
  routeAt('/webhooks/{id}/deliveries', deliveries),
  routeAt('/webhooks/{id}/deliveries/resend', resendAll),
  routeAt('/webhooks/{id}/deliveries/{delivery}/resend', resend),
]

async function addAsked(tx: Tx, change: WebhookChange, context: Context): Promise<Answer> {
  const { url = '', events = '', isPrivate = false, isEnabled } = change
  const { id, secret } = await addWebhook(tx, { url, events, is_private: Number(isPrivate) }, context.now)
  if (!isEnabled) await disableWebhook(tx, id, 'administrator', context.now)
  const body = { ...(await shown(tx, id, context)), secret }
  return { status: 201, headers: { Location: body.rest_url }, body, id }
}

async function answerUpdate(id: number, change: WebhookChange, context: Context): Promise<Answer> {
  const hasten = () => hastenDeliveries((work) => context.write(work), id)
  if (change.isEnabled) await hasten()
  const answer = await context.write(async (tx) => {
    await updateWebhook(tx, id, change, 'administrator', context.now)
    return okAnswer(await shown(tx, id, context))
  })
  // Waiting messages go to the new address at once.
  if (change.url !== undefined) await hasten()
  return answer
}

function changeIn(
  values: Parsed<typeof webhookFields>,
  hosts: readonly string[],
  topics: readonly Topic[],
): WebhookChange {
  const { url, events, private: isPrivate, enabled: isEnabled } = values
  if (url !== undefined) checkAddress(url, hosts)
  return { url, events: events && readTypes(events.join(','), topics), isPrivate, isEnabled }
}

async function shown(tx: Tx, id: number, context: Context) {
  return presentWebhook(await getWebhook(tx, id), context)
}

/** Leaves out the secret, which is shown once. */
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

/** Leaves out the record, which can be read at its own address. */
function presentDelivery(delivery: DeliveryColumns, { site }: Context) {
  const { id, message, type, kind, record, state, created_utc, next_utc, attempts, status } = delivery
  const error = describeReason(site.language, delivery.error)
  return { id, message, type, kind, record, state, created_utc, next_utc, attempts, status, error }
}
