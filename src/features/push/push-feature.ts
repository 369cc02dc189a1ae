import type { Feature } from '../../feature.ts'

/** This calendar, written into another service. */
export const push: Feature = {
  name: 'push',
  commands: [
    {
      names: ['push'],
      register: async (program, { configure, features }) => {
        const { openGround } = await import('../../calendar/open-ground.ts')
        const { registerPushCommand } = await import('./push-command.ts')
        registerPushCommand(program, () => openGround(configure(), features))
      },
    },
  ],
}
