import type { Feature } from '../../feature.ts'
import { COPY_FROM, COPY_TO } from './copy-variables.ts'

export const transfer: Feature = {
  name: 'transfer',
  troubles: async (ask, now) => (await import('./backup-troubles.ts')).listOldBackup(ask, now),
  variables: [COPY_FROM, COPY_TO],
  commands: [
    {
      names: ['invalidate-etags', 'restored', 'hold', 'resume'],
      register: async (program, { configure, features }) => {
        const { openCalendar } = await import('../../store/storage/open-database.ts')
        const { registerCopiesCommands } = await import('./copies-command.ts')
        registerCopiesCommands(program, () => openCalendar(configure(), features))
      },
    },
    {
      names: ['copy'],
      register: async (program, { features }) => {
        const { registerCopyCommand } = await import('./copy.ts')
        registerCopyCommand(program, features)
      },
    },
    {
      names: ['backup', 'restore'],
      register: async (program, { configure, features }) => {
        const { findRestorePlaces } = await import('../../calendar/open-ground.ts')
        const { registerBackupCommand } = await import('./backup.ts')
        const { registerRestoreCommand } = await import('./restore.ts')
        registerBackupCommand(program, () => findRestorePlaces(configure(), features))
        registerRestoreCommand(program, () => findRestorePlaces(configure(), features))
      },
    },
    {
      names: ['export'],
      register: async (program, { configure, features }) => {
        const { databaseAddress } = await import('../../base/config.ts')
        const { openGround } = await import('../../calendar/open-ground.ts')
        const { warnOfMove } = await import('./database-moves.ts')
        const { registerExportCommand } = await import('./export.ts')
        registerExportCommand(
          program,
          () => {
            const config = configure()
            warnOfMove(databaseAddress(config))
            return openGround(config, features)
          },
          features,
        )
      },
    },
    {
      names: ['media'],
      register: async (program, { configure, features }) => {
        const { openMedia } = await import('../../calendar/open-ground.ts')
        const { registerMediaCommands } = await import('./clean-media.ts')
        registerMediaCommands(program, () => openMedia(configure(), features))
      },
    },
  ],
}
