import type { Feature } from '../../feature.ts'
import { pagesSettings } from './look-settings.ts'

export const pages: Feature = {
  name: 'pages',
  settings: pagesSettings,
  commands: [
    {
      names: ['look', 'set'],
      register: async (program, { configure, features }) => {
        const { openCalendar } = await import('../../store/storage/open-database.ts')
        const { registerLookCommand } = await import('./look-command.ts')
        registerLookCommand(program, () => openCalendar(configure(), features), configure)
      },
    },
  ],
  table: async () => ({ routes: [(await import('./settings-rest.ts')).settingsRoute] }),
  checks: async (config) => (await import('./look.ts')).checkLook(config),
  serve: async (start) => (await import('./serve-pages.ts')).servePages(start),
}
