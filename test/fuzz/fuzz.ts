// Fuzzes a service on each database:
//   npm run fuzz [-- [--requests N] [--seed N] [--database sqlite|postgres] [--minutes N] [--factor N]
// [--lanes N] [--desk]]
import { LANGUAGES } from '../../src/base/config.ts'
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES, SERVER, scratchDatabase } from '../support/database.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type FuzzOptions, runFuzz } from './fuzz-campaign.ts'
import { describeReport } from './fuzz-report.ts'

const {
  database: chosen,
  desk: onlyDesk,
  ...numbers
} = campaignOptions('Fuzzes a service of its own on each database.', {
  requests: { about: 'requests to send', value: 100_000 },
  seed: { about: 'the same seed sends the same requests', value: 1 + (Date.now() % 1_000_000) },
  database: { about: 'only this one', value: undefined, choices: DATABASES },
  minutes: { about: 'end after these at the latest', value: 600 },
  factor: { about: 'how much slower than its limits the machine may be', value: 1 },
  desk: { about: 'requests to the desk alone', value: false },
  lanes: { about: 'requests at a time', value: 4 },
})

const options: FuzzOptions = { ...numbers, onlyDesk, languages: LANGUAGES, tell: (line) => console.log(line) }

async function fuzz(database: string): Promise<void> {
  let server: PostgresServer | undefined
  if (database === 'postgres') {
    server = await startPostgres()
    process.env[SERVER] = server.address()
  } else delete process.env[SERVER]
  try {
    const report = await runFuzz(await scratchDatabase('bare'), options)
    console.log(describeReport(report, database))
    if (report.findings.length > 0) process.exitCode = 1
  } finally {
    await server?.close()
  }
}

for (const database of DATABASES) if (!chosen || chosen === database) await fuzz(database)
