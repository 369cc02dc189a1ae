import type { Feature } from '../../feature.ts'
import { PUSH_PASSWORD } from './push-variables.ts'

export const push: Feature = {
  name: 'push',
  variables: [PUSH_PASSWORD],
  commands: [
    {
      names: ['push'],
      register: async (program, { configure, features }) => {
        const { openGround } = await import('../../calendar/open-ground.ts')
        const { registerPushCommand } = await import('./push-command.ts')
        registerPushCommand(program, () => openGround(configure(), features), features)
      },
    },
  ],
}
