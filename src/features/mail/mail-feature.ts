import type { Feature } from '../../feature.ts'
import { mailSettings } from './mail-settings.ts'

/** E-mail to people. */
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
  ],
  tables: async () => (await import('./mail-tables.ts')).mailTables,
  prunings: async () => [
    ...(await import('./outbox.ts')).mailPrunings,
    ...(await import('./subscription-store.ts')).subscriptionPrunings,
  ],
  troubles: async (ask) => (await import('./mail-troubles.ts')).listMailTroubles(ask),
  pages: async ({ config }) =>
    config.mail === '' ? undefined : (await import('./subscribe-links.ts')).subscribeLinks,
  desk: async () => ({ pages: [], tells: (await import('./user-messages.ts')).tellUser }),
  serve: async (start) => (await import('./serve-mail.ts')).serveMail(start),
}
