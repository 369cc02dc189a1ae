import type { Feature } from '../../feature.ts'
import { IMPORT_PASSWORD } from './import-variables.ts'

export const imports: Feature = {
  name: 'imports',
  variables: [IMPORT_PASSWORD],
  commands: [
    {
      names: ['import', 'imports'],
      register: async (program, { configure, features }) => {
        const { databaseAddress } = await import('../../base/config.ts')
        const { openGround } = await import('../../calendar/open-ground.ts')
        const { refuseMoved } = await import('../../store/storage/database-address.ts')
        const { lowerPriority } = await import('./import-schedule.ts')
        const { registerImportCommands } = await import('./import-command.ts')
        registerImportCommands(program, () => {
          lowerPriority()
          const config = configure()
          refuseMoved(databaseAddress(config))
          return openGround(config, features)
        })
      },
    },
  ],
  tables: async () => (await import('./import-tables.ts')).importTables,
  prunings: async () => (await import('./desk-import-store.ts')).importPrunings,
  desk: async (start) => (await import('./import-part.ts')).importPart(start),
  troubles: async (ask) => (await import('./import-troubles.ts')).listStuck(ask),
  serve: async (start) => (await import('./serve-imports.ts')).serveImports(start),
}
