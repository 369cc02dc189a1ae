import type { Feature } from '../../feature.ts'

/** A calendar into another database or a file, and back. */
export const transfer: Feature = {
  name: 'transfer',
  commands: [
    {
      names: ['copy'],
      register: async (program) => {
        const { registerCopyCommand } = await import('./copy.ts')
        registerCopyCommand(program)
      },
    },
    {
      names: ['backup', 'restore'],
      register: async (program, { configure }) => {
        const { findRestorePlaces } = await import('../../calendar/open-ground.ts')
        const { registerBackupCommand } = await import('./backup.ts')
        const { registerRestoreCommand } = await import('./restore.ts')
        registerBackupCommand(program, () => findRestorePlaces(configure()))
        registerRestoreCommand(program, () => findRestorePlaces(configure()))
      },
    },
    {
      names: ['export'],
      register: async (program, { configure }) => {
        const { databaseAddress } = await import('../../base/config.ts')
        const { openGround } = await import('../../calendar/open-ground.ts')
        const { warnOfMove } = await import('../../store/storage/database-address.ts')
        const { registerExportCommand } = await import('./export.ts')
        registerExportCommand(program, () => {
          const config = configure()
          warnOfMove(databaseAddress(config))
          return openGround(config)
        })
      },
    },
    {
      names: ['media'],
      register: async (program, { configure }) => {
        const { openMedia } = await import('../../calendar/open-ground.ts')
        const { registerMediaCommands } = await import('./clean-media.ts')
        registerMediaCommands(program, () => openMedia(configure()))
      },
    },
  ],
}
