// Kills imports, backups and restores before each of their steps, runs them again, and checks the result:
//   npm run steps [-- [--events 600] [--seed 1] [--database sqlite|postgres]]     both without --database
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES, type DatabaseName, SERVER } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { killAtSteps, makeSample, WORKS } from './steps-campaign.ts'

async function run(database: DatabaseName, events: number, seed: number): Promise<void> {
  const sample = await makeSample(events, seed)
  try {
    for (const work of WORKS) {
      const { killed, seconds } = await killAtSteps(work, sample, Number.POSITIVE_INFINITY)
      console.log(
        `${database}, ${work}: killed in front of ${killed.length} steps in ${Math.round(seconds)} s`,
      )
      for (const step of killed) console.log(`  ${step}`)
    }
  } finally {
    await sample.remove()
  }
  console.log(`${database}: nothing lost, nothing doubled.`)
}

async function runOn(database: DatabaseName, events: number, seed: number): Promise<void> {
  const server = database === 'postgres' ? await startPostgres() : undefined
  if (server) process.env[SERVER] = server.address()
  else delete process.env[SERVER]
  await run(database, events, seed).finally(() => server?.close())
}

const { events, seed, database } = campaignOptions('Kills each command in front of each of its steps.', {
  events: { about: 'events of the calendar', value: 600 },
  seed: { about: 'the same seed makes the same calendar', value: 1 },
  database: { about: 'only this one', value: undefined, choices: DATABASES },
})
for (const name of DATABASES) if (!database || database === name) await runOn(name, events, seed)
