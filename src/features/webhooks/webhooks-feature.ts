import type { Feature } from '../../feature.ts'
import { webhookSettings } from './webhook-settings.ts'

/** Posts a signed message about each change of a record to the webhooks that subscribe to its type. */
export const webhooks: Feature = {
  name: 'webhooks',
  settings: webhookSettings,
  commands: [
    {
      names: ['webhook'],
      register: async (program, { configure, features }) => {
        const { openCalendar } = await import('../../store/storage/open-database.ts')
        const { registerWebhookCommands } = await import('./webhook-command.ts')
        registerWebhookCommands(program, {
          open: () => openCalendar(configure(), features),
          hosts: () => configure().webhook_hosts,
          topics: topicsOf(features),
        })
      },
    },
  ],
  tables: async () => (await import('./webhook-tables.ts')).webhookTables,
  table: async (features) => {
    const { webhookRoutes } = await import('./webhook-rest.ts')
    return { routes: webhookRoutes(topicsOf(features)) }
  },
  prunings: async () => (await import('./webhook-store.ts')).webhookPrunings,
  troubles: async (ask) => (await import('./webhook-troubles.ts')).listFailing(ask),
  serve: async (start) => (await import('./serve-webhooks.ts')).serveWebhooks(start),
}

const topicsOf = (features: readonly Feature[]) => features.flatMap(({ topics = [] }) => topics)
