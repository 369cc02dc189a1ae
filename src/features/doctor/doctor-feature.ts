import type { Feature } from '../../feature.ts'

export const doctor: Feature = {
  name: 'doctor',
  commands: [
    {
      names: ['doctor'],
      register: async (program, ground) =>
        (await import('./doctor-command.ts')).registerDoctor(program, ground),
    },
  ],
}
