import type { Feature } from '../../feature.ts'
import { assistantSettings } from './assistant-settings.ts'

export const assistants: Feature = {
  name: 'assistants',
  settings: assistantSettings,
  serve: async ({ config }) => (config.mcp === 'off' ? {} : (await import('./serve-assistants.ts')).serving),
}
