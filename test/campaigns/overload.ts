// Puts more load on a service than it can serve, and holds connections that misuse it:
//   npm run overload [-- [--short] [--seed 1] [--events 20000] [--database sqlite|postgres] [--only
// rush,idle]]
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { overloadReport, runOverloadCampaign, SCENARIOS, type ScenarioName } from './overload-campaign.ts'

const all = Object.keys(SCENARIOS) as ScenarioName[]
const { seed, events, ...values } = campaignOptions('Puts more on a service than it can serve.', {
  short: { about: 'each scenario for a moment', value: false },
  seed: { about: 'the same seed sends the same requests', value: 1 },
  events: { about: 'events of the calendar, 1000 or more', value: 20_000 },
  database: { about: 'the database of the service', value: 'sqlite', choices: DATABASES },
  only: { about: `some of ${all.join(', ')}, with commas between`, value: undefined },
})
const only = all.filter((name) => values.only === undefined || values.only.split(',').includes(name))
if (only.length === 0 || events < 1000) {
  console.error(`--only takes ${all.join(', ')}; --events takes 1000 or more.`)
  process.exit(2)
}

const server = values.database === 'postgres' ? await startPostgres() : undefined
try {
  const options = {
    events,
    isFull: !values.short,
    slack: 1,
    seed,
    database: server?.address(),
    say: console.error,
  }
  const outcomes = await runOverloadCampaign(options, only)
  console.log(overloadReport(outcomes))
  process.exitCode = outcomes.some(({ problems }) => problems.length > 0) ? 1 : 0
} finally {
  await server?.close()
}
