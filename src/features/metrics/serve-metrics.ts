import packageJson from '../../../package.json' with { type: 'json' }
import type { RunningService, Serving } from '../../feature.ts'
import { makeMetrics, noteAnswer, readMetrics, withCounts } from './metrics.ts'
import { serveMetrics } from './metrics-server.ts'

/** Listens at once; requests wait until the service runs. */
export async function servingAt(place: string): Promise<Serving> {
  const metrics = makeMetrics()
  const { promise: begun, resolve } = Promise.withResolvers<RunningService>()
  const { address, close } = await serveMetrics(place, async () =>
    readMetrics(metrics, { version: packageJson.version, ...(await begun) }),
  )
  return {
    told: `Metrics are at ${address}`,
    listens: { at: place, setting: 'metrics' },
    around: (database) => withCounts(metrics, database),
    onAnswered: (answered) => noteAnswer(metrics, answered),
    works: (service) => {
      resolve(service)
      return []
    },
    stop: close,
  }
}
