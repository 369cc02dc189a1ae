import type { Feature } from '../../feature.ts'

export const feeds: Feature = {
  name: 'feeds',
  table: async () => ({ formats: (await import('./formats.ts')).others }),
}
