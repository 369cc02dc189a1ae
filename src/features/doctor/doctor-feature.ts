import type { Feature } from '../../feature.ts'

/** What a deployment leans on, looked at without changing it. */
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
