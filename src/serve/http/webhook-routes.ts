import { count, flag, recordId, text, words } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import { about } from '../../calendar/locales/messages.ts'
import type { Method, Route } from './routes.ts'
import type { WebhookDeed } from './webhook-deeds.ts'

// The routes of webhooks.

/** The fields of a webhook. */
export const webhookFields = defineFields({
  url: {
    kind: text,
    about: about('The address that messages are sent to, by https'),
    required: true,
    within: limits.url,
  },
  events: {
    kind: words,
    about: about('Of which changes it is told: event.*, venue.created and the like, or *'),
    default: 'event.*',
    valid: (value) => value !== '',
  },
  private: { kind: flag, about: about('Whether it is told everything, as administrators see it'), default: false },
  enabled: { kind: flag, about: about('Whether it is told of changes'), default: true },
})

/** The parameters of a list of messages. */
export const deliveryFilters = defineFields({
  page: { kind: count, about: 'The page of the list to return', default: '1' },
  per_page: { kind: count, about: about('How many messages are listed, up to 1000'), default: '100' },
})

const byId = defineFields({ id: { kind: recordId, about: about('The id of the webhook') } })
const byDelivery = defineFields({ ...byId, delivery: { kind: recordId, about: about('The id of the message') } })

const ITEM = '/webhooks/{id}'

/** The routes by which administrators manage webhooks. */
export function webhookRoutes(): Route[] {
  const { url, ...others } = webhookFields
  const { required: _required, ...sameUrl } = url
  return [
    routeAt('/webhooks', [
      [['GET'], 'listWebhooks', {}],
      [['POST'], 'createWebhook', webhookFields],
    ]),
    routeAt(ITEM, [
      [['GET'], 'readWebhook', byId],
      [['PUT', 'PATCH'], 'updateWebhook', { ...byId, url: sameUrl, ...others }],
      [['DELETE'], 'removeWebhook', byId],
    ]),
    routeAt(`${ITEM}/test`, [[['POST'], 'testWebhook', byId]]),
    routeAt(`${ITEM}/rotate`, [[['POST'], 'rotateWebhook', byId]]),
    routeAt(`${ITEM}/deliveries`, [[['GET'], 'listDeliveries', { ...byId, ...deliveryFilters }]]),
    routeAt(`${ITEM}/deliveries/resend`, [[['POST'], 'resendFailed', byId]]),
    routeAt(`${ITEM}/deliveries/{delivery}/resend`, [[['POST'], 'resendDelivery', byDelivery]]),
  ]
}

type Offered = readonly [methods: readonly Method[], does: WebhookDeed, args: Fields]

function routeAt(template: string, offered: readonly Offered[]): Route {
  return {
    path: template.replaceAll(/\{(\w+)\}/g, '(?P<$1>\\d+)'),
    template,
    endpoints: offered.map(([methods, does, args]) => ({ methods, action: { do: does }, args })),
  }
}
