// Restarts two nodes in turn under writers, for each way of reaching them, and counts failures:
//   npm run restarts [-- --restarts 20] [--way new|kept|nginx] [--writers 16]
import { parseArgs } from 'node:util'
import { hasNginx, restartUnderWrites, WAYS } from './restarts-campaign.ts'

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '20' },
    way: { type: 'string', multiple: true },
    writers: { type: 'string', default: '16' },
  },
})
const numbers = { restarts: Number(values.restarts), writers: Number(values.writers) }
const ways = WAYS.filter((way) => values.way?.includes(way) ?? (way !== 'nginx' || hasNginx))
let failures = 0
for (const way of ways) {
  const figures = await restartUnderWrites({ ...numbers, way, drainMs: 1000, restMs: 0 })
  console.log(JSON.stringify(figures))
  failures +=
    Object.values(figures.failed).reduce((sum, each) => sum + each, 0) + figures.lost + figures.doubled
}
process.exitCode = failures === 0 ? 0 : 1
