import { startService } from '../test/support/service.ts'

// Measures series on SQLite: making one of 104 occurrences and changing all of 500. CPU time is that of the process, with the service in it.

const service = await startService({ timezone: 'Europe/Berlin' })

async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  console.log(`${name}: ${(performance.now() - started).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms CPU`)
}

/** Today, from which 104 weeks lie within the horizon. */
const DAY = new Date().toISOString().slice(0, 10)

const event = (recurrence: string) => ({
  title: 'Practice of the choir',
  description: '<p>Everybody who likes to sing may come.</p>'.repeat(5),
  start_date: `${DAY} 19:00`,
  end_date: `${DAY} 21:00`,
  categories: ['Music'],
  venue: { venue: 'Parish hall' },
  recurrence,
})

for (let round = 0; round < 4; round++)
  await measured('create 104', () => service.create('/events', event('RRULE:FREQ=WEEKLY;COUNT=104')))
for (let round = 0; round < 3; round++) {
  const { id } = await service.create('/events', event('RRULE:FREQ=DAILY;COUNT=500'))
  await measured('change 500: title', () =>
    service.update(`/events/${id}`, { title: `Choir ${round}`, recurrence_scope: 'all' }),
  )
  await measured('change 500: time', () =>
    service.update(`/events/${id}`, {
      start_date: `${DAY} 20:00`,
      end_date: `${DAY} 22:00`,
      recurrence_scope: 'all',
    }),
  )
  await measured('change 500: venue', () =>
    service.update(`/events/${id}`, { venue: { venue: `Hall ${round}` }, recurrence_scope: 'all' }),
  )
  await measured('remove 500', () => service.remove(`/events/${id}?recurrence_scope=all`))
}
await service.close()
