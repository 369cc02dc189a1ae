// Puts more on a service than it can serve, and holds connections that do nothing good:
//   npm run overload [-- [--short] [--seed 1] [--events 20000] [--database sqlite|postgres] [--only rush,idle]]
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/postgres.ts'
import { overloadReport, runOverloadCampaign, SCENARIOS, type ScenarioName } from './overload-campaign.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    only: { type: 'string' },
  },
})
const all = Object.keys(SCENARIOS) as ScenarioName[]
const only = all.filter((name) => values.only === undefined || values.only.split(',').includes(name))
const [seed, events] = [Number(values.seed), Number(values.events)]
if (only.length === 0 || !(events >= 1000) || !Number.isInteger(seed)) {
  console.error(`--only takes ${all.join(', ')}; --events takes 1000 or more; --seed takes a whole number.`)
  process.exit(2)
}

const server = values.database === 'postgres' ? await startPostgres() : undefined
try {
  const options = { events, isFull: !values.short, slack: 1, seed, database: server?.address(), say: console.error }
  const outcomes = await runOverloadCampaign(options, only)
  console.log(overloadReport(outcomes))
  process.exitCode = outcomes.some(({ problems }) => problems.length > 0) ? 1 : 0
} finally {
  await server?.close()
}
