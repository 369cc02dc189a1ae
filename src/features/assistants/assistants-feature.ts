import type { Feature } from '../../feature.ts'

/** The Model Context Protocol. */
export const assistants: Feature = {
  name: 'assistants',
  serve: async ({ config }) => (config.mcp === 'off' ? {} : (await import('./serve-assistants.ts')).serving),
}
