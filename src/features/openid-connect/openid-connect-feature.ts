import type { Feature } from '../../feature.ts'
import { openIdSettings } from './openid-settings.ts'

export const openidConnect: Feature = {
  name: 'openid-connect',
  settings: openIdSettings,
  tables: async () => (await import('./openid-tables.ts')).openIdTables,
  desk: async (start) => (await import('./openid-desk.ts')).openIdAtDesk(start),
  checks: async (config) => (await import('./openid-checks.ts')).checkOpenId(config),
}
