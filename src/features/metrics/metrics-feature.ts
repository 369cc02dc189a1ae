import type { Feature } from '../../feature.ts'

/** Numbers for Prometheus. */
export const metrics: Feature = {
  name: 'metrics',
  serve: async ({ config }) =>
    config.metrics === '' ? {} : (await import('./serve-metrics.ts')).servingAt(config.metrics),
}
