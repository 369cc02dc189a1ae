import { siteOf } from '../../base/config.ts'
import type { CommandGround, Feature } from '../../feature.ts'

const opening = async ({ configure, features }: CommandGround) => {
  const { openCalendar } = await import('../../store/storage/open-database.ts')
  return () => openCalendar(configure(), features)
}

/** Users, their passwords, and what they wrote, on the command line. */
export const accounts: Feature = {
  name: 'accounts',
  commands: [
    {
      names: ['user', 'password'],
      register: async (program, ground) => {
        const { registerUserCommands } = await import('./user-commands.ts')
        registerUserCommands(program, await opening(ground), () => {
          const config = ground.configure()
          return config.desk === 'on' ? siteOf(config, config.port).url : undefined
        })
      },
    },
    {
      names: ['audit'],
      register: async (program, ground) => {
        const { registerAuditCommand } = await import('./audit-command.ts')
        registerAuditCommand(program, await opening(ground))
      },
    },
  ],
}
