import type { Feature } from '../../feature.ts'

export const demo: Feature = {
  name: 'demo',
  fill: async (ground) => (await import('./demo.ts')).fillDemo(ground),
}
