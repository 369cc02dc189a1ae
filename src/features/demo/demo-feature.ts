import type { Feature } from '../../feature.ts'

/** The invented town of `--demo`. */
export const demo: Feature = {
  name: 'demo',
  fill: async (ground) => (await import('./demo.ts')).fillDemo(ground),
}
