import type { Feature } from '../../feature.ts'
import { metricsSettings } from './metrics-settings.ts'

export const metrics: Feature = {
  name: 'metrics',
  settings: metricsSettings,
  serve: async ({ config }) =>
    config.metrics === '' ? {} : (await import('./serve-metrics.ts')).servingAt(config.metrics),
}
