// Imports a calendar into others over HTTP, with changes on both sides under each policy, undone again, and with imports that are killed:
//   npm run aggregation [-- [--events 10000] [--changes 500] [--kills 20] [--seed 1] [--database sqlite|postgres]]     both without --database
import { parseArgs } from 'node:util'
import { DATABASES, type DatabaseName, SERVER } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { runAggregation } from './aggregation-campaign.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '500' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    database: { type: 'string' },
  },
})
const [events, changes, kills, seed] = [values.events, values.changes, values.kills, values.seed].map(Number)
const databases = DATABASES.filter((name) => values.database === undefined || values.database === name)
if (!events || !changes || !kills || !seed || databases.length === 0) {
  console.error(`--events, --changes, --kills and --seed take numbers, --database one of ${DATABASES.join(', ')}.`)
  process.exit(2)
}

for (const database of databases) {
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
