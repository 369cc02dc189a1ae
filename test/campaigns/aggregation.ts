// Imports a calendar into others with changes on both sides under each policy, undoes imports, and kills
// some:
//   npm run aggregation [-- [--events 10000] [--changes 500] [--kills 20] [--seed 1] [--database
// sqlite|postgres]]     both without --database
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES, type DatabaseName, SERVER } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { runAggregation } from './aggregation-campaign.ts'

const { events, changes, kills, seed, ...values } = campaignOptions(
  'Imports a calendar into others over HTTP.',
  {
    events: { about: 'events of the calendar', value: 10_000 },
    changes: { about: 'changes under each policy', value: 500 },
    kills: { about: 'imports that are killed', value: 20 },
    seed: { about: 'the same seed makes the same calendar', value: 1 + (Date.now() % 1_000_000) },
    database: { about: 'only this one', value: undefined, choices: DATABASES },
  },
)

for (const database of DATABASES.filter((name) => !values.database || values.database === name)) {
  console.error(`${database}, seed ${seed}`)
  await on(database, () =>
    runAggregation({ events, changes, kills, seed, progress: (sentence) => console.error(sentence) }),
  )
  const size = `${events} events, ${changes} changes under each policy and ${kills} kills`
  console.log(`${database}: ${size}: nothing lost, nothing doubled.`)
}

async function on(database: DatabaseName, work: () => Promise<void>): Promise<void> {
  delete process.env[SERVER]
  if (database === 'sqlite') return work()
  const server = await startPostgres()
  process.env[SERVER] = server.address()
  await work().finally(server.close)
}
