// Fuzzes a service of its own on each database:
//   npm run fuzz [-- [--requests N] [--seed N] [--database sqlite|postgres] [--minutes N] [--factor N] [--lanes N]]
import { parseArgs } from 'node:util'
import { LANGUAGES } from '../../src/config.ts'
import { DATABASES, SERVER, scratchDatabase } from '../support/database.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type FuzzOptions, runFuzz } from './fuzz-campaign.ts'
import { describeReport } from './fuzz-report.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    database: { type: 'string' },
    minutes: { type: 'string', default: '600' },
    factor: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
  },
})

function numberOf(name: 'requests' | 'seed' | 'minutes' | 'factor' | 'lanes'): number {
  const number = Number(values[name])
  if (!(number > 0)) throw new Error(`--${name} takes a number above zero.`)
  return number
}

const options: FuzzOptions = {
  requests: numberOf('requests'),
  seed: numberOf('seed'),
  minutes: numberOf('minutes'),
  factor: numberOf('factor'),
  lanes: numberOf('lanes'),
  languages: LANGUAGES,
  tell: (line) => console.log(line),
}

/** Runs on one database, and says whether nothing was found. */
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

for (const database of DATABASES) if (!values.database || values.database === database) await fuzz(database)
