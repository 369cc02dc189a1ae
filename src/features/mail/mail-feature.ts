import type { Feature } from '../../feature.ts'
import { mailSettings } from './mail-settings.ts'
import type {} from './people-part.ts'

export const mail: Feature = {
  name: 'mail',
  settings: mailSettings,
  commands: [
    {
      names: ['mail'],
      register: async (program, ground) => {
        const { registerMailCommands } = await import('./mail-command.ts')
        registerMailCommands(program, ground)
      },
    },
    {
      names: ['people'],
      register: async (program, ground) => {
        const { registerPeopleCommands } = await import('./people-command.ts')
        registerPeopleCommands(program, ground)
      },
    },
  ],
  tables: async () => (await import('./mail-tables.ts')).mailTables,
  prunings: async () => [
    ...(await import('./outbox.ts')).mailPrunings,
    ...(await import('./subscription-store.ts')).subscriptionPrunings,
  ],
  troubles: async (ask) => (await import('./mail-troubles.ts')).listMailTroubles(ask),
  pages: async ({ config }) =>
    config.mail === '' ? undefined : (await import('./subscribe-links.ts')).subscribeLinks,
  desk: async (start) => (await import('./mail-room.ts')).mailPart(start),
  keeps: async () => {
    const { exportSubscriber, forgetSubscriber } = await import('./subscription-store.ts')
    return { export: exportSubscriber, forget: forgetSubscriber }
  },
  serve: async (start) => (await import('./serve-mail.ts')).serveMail(start),
}
