// Takes a calendar of many events and series out in every format and into an empty one each time, and compares them field by field.
import { Command, Option } from 'commander'
import { startCalendar } from '../import/calendar-command.ts'
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

const { events, seed, database } = new Command()
  .description('takes a calendar out and in again by every format, and compares')
  .option('--events <count>', 'how many', '10000')
  .option('--seed <number>', 'the same seed makes the same calendar', '1')
  .addOption(new Option('--database <name>', 'one of them alone').choices(DATABASES))
  .parse()
  .opts<{ events: string; seed: string; database?: DatabaseName }>()
for (const name of database ? [database] : DATABASES)
  if (!(await runOn(name, Number(events), Number(seed)))) process.exitCode = 1
