// Exports a calendar with many events and series in every format, imports it into an empty one, and compares
// them by field: npm run round-trip
import { startCalendar } from '../import/calendar-command.ts'
import { campaignOptions } from '../support/campaign-options.ts'
import { DATABASES, type DatabaseName, SERVER } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { FORMATS, fillForRoundTrip, KNOWN_LOSSES, roundTrip } from './round-trip.ts'

async function run(count: number, seed: number): Promise<boolean> {
  const calendar = await startCalendar({ timezone: 'Europe/Oslo' })
  let isRight = true
  try {
    await fillForRoundTrip(calendar, count, seed)
    for (const format of FORMATS) {
      const losses = await roundTrip(calendar, format)
      console.log(`${format}: ${count} events of seed ${seed}`)
      for (const [path, events] of [...losses].sort(([, a], [, b]) => b - a)) {
        const isKnown = KNOWN_LOSSES[format].includes(path)
        isRight &&= isKnown
        console.log(`  ${isKnown ? 'documented' : 'NOT DOCUMENTED'} ${path} in ${events}`)
      }
    }
    return isRight
  } finally {
    await calendar.close()
  }
}

async function runOn(database: DatabaseName, count: number, seed: number): Promise<boolean> {
  const server = database === 'postgres' ? await startPostgres() : undefined
  if (server) process.env[SERVER] = server.address()
  console.log(`On ${database}:`)
  try {
    return await run(count, seed)
  } finally {
    delete process.env[SERVER]
    await server?.close()
  }
}

const { events, seed, database } = campaignOptions('Takes a calendar out and in again by every format.', {
  events: { about: 'events of the calendar', value: 10_000 },
  seed: { about: 'the same seed makes the same calendar', value: 1 },
  database: { about: 'only this one', value: undefined, choices: DATABASES },
})
for (const name of DATABASES.filter((one) => !database || database === one))
  if (!(await runOn(name, events, seed))) process.exitCode = 1
