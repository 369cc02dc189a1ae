// Measures series on SQLite:
//   nice node bench/series.ts                        creating one of 104 occurrences, changing all of 500
//   nice node bench/series.ts --series 1000 [--file calendar.sqlite]   size, memory, start and lists of a
// calendar with so many daily series
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService as startInside, type TestService } from '../test/support/service.ts'
import { processorSeconds, residentBytes } from './processes.ts'
import { BASE, fetchAnswer, type RunningService, startService } from './service.ts'

const { values } = parseArgs({ options: { series: { type: 'string' }, file: { type: 'string' } } })

/** Measures some work. CPU time is that of the process with the service in it. */
async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `${name}: ${(performance.now() - started).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms CPU`,
  )
}

/** Makes an event that starts today, so that 104 weeks and 700 days are within the horizon. */
function repeating(recurrence: string, number = 0): object {
  const day = new Date().toISOString().slice(0, 10)
  const hour = String(7 + (number % 14)).padStart(2, '0')
  return {
    title: `Practice of the choir ${number}`,
    description: '<p>Everybody who likes to sing may come.</p>'.repeat(5),
    start_date: `${day} ${hour}:00`,
    end_date: `${day} ${hour}:45`,
    categories: [`Music ${number % 20}`],
    venue: { venue: `Parish hall ${number}` },
    recurrence,
  }
}

async function measureWrites(): Promise<void> {
  const service = await startInside({ timezone: 'Europe/Berlin' })
  for (let round = 0; round < 4; round++)
    await measured('create 104', () => service.create('/events', repeating('RRULE:FREQ=WEEKLY;COUNT=104')))
  for (let round = 0; round < 3; round++) await measureChanges(service, round)
  await service.close()
}

async function measureChanges(service: TestService, round: number): Promise<void> {
  const { id, start_date } = await service.create('/events', repeating('RRULE:FREQ=DAILY;COUNT=500'))
  const day = start_date.slice(0, 10)
  const change = (name: string, fields: object) =>
    measured(`change 500: ${name}`, () =>
      service.update(`/events/${id}`, { ...fields, recurrence_scope: 'all' }),
    )
  await change('title', { title: `Choir ${round}` })
  await change('time', { start_date: `${day} 20:00`, end_date: `${day} 22:00` })
  await change('venue', { venue: { venue: `Hall ${round}` } })
  await measured('remove 500', () => service.remove(`/events/${id}?recurrence_scope=all`))
}

async function measureMany(howMany: number, given: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-series-'))
  const file = given ?? join(folder, 'calendar.sqlite')
  if (!existsSync(file)) await fill(file, howMany)
  console.log(`database file: ${(statSync(file).size / 1e6).toFixed(0)} MB`)
  const flags = ['--timezone', 'Europe/Berlin']
  const cores = { server: undefined, load: undefined }
  const service = await startService({ address: `sqlite:${file}`, cores, flags })
  console.log(
    `start: ${service.startSeconds.toFixed(2)} s to the ` +
      `first answer, ${memory(service)} with the index filled`,
  )
  for (const [name, path] of await lists(service)) await measureLists(service, name, path)
  console.log(`memory after lists: ${memory(service)}`)
  await service.stop()
  rmSync(folder, { recursive: true })
}

async function fill(file: string, howMany: number): Promise<void> {
  const service = await startInside({ timezone: 'Europe/Berlin', database: `sqlite:${file}` })
  await measured(`create ${howMany} series of 700`, async () => {
    for (let number = 0; number < howMany; number++)
      await service.create('/events', repeating('RRULE:FREQ=DAILY;COUNT=700', number))
  })
  await service.close()
}

const memory = ({ pid }: RunningService) => `${(residentBytes(pid) / 1e6).toFixed(0)} MB`

/** Returns makers of list windows that never repeat, by their number. */
async function lists({ port }: RunningService): Promise<[string, (number: number) => string][]> {
  const idsOf = async (path: string): Promise<number[]> => {
    const { body } = await fetchAnswer(port, `${BASE}/${path}?per_page=20`)
    const records: Record<string, { id: number }[]> = JSON.parse(body.toString())
    return (records[path] ?? []).map(({ id }) => id)
  }
  const [venues, categories] = [await idsOf('venues'), await idsOf('categories')]
  const at = (number: number) => {
    const second = (number * 7919 * 50) % (600 * 86_400)
    return new Date(Date.now() + second * 1000).toISOString().slice(0, 19)
  }
  return [
    ['of events', (number) => `start_date=${at(number)}`],
    [
      'of a category',
      (number) => `start_date=${at(number)}&categories=${categories[number % categories.length]}`,
    ],
    ['of a venue', (number) => `start_date=${at(number)}&venue=${venues[number % venues.length]}`],
    ['of the next of each series', (number) => `start_date=${at(number)}&collapse=series`],
  ]
}

const ASKED = 200

async function measureLists(
  { port, pid }: RunningService,
  name: string,
  path: (number: number) => string,
): Promise<void> {
  const ask = async (number: number) => {
    const began = performance.now()
    const { status, body } = await fetchAnswer(port, `${BASE}/events?end_date=2100-01-01&${path(number)}`)
    if (status !== 200) throw new Error(`${name}: ${status} ${body.toString().slice(0, 200)}`)
    return performance.now() - began
  }
  for (let number = 0; number < 20; number++) await ask(number)
  const began = processorSeconds(pid)
  const times: number[] = []
  for (let number = 20; number < 20 + ASKED; number++) times.push(await ask(number))
  const cpu = ((processorSeconds(pid) - began) * 1000) / ASKED
  times.sort((a, b) => a - b)
  const part = (share: number) => (times[Math.floor(share * ASKED)] ?? 0).toFixed(1)
  console.log(
    `lists ${name}: ${cpu.toFixed(2)} ms CPU each, half within ${part(0.5)} ms, 95 % within ${part(0.95)} ms`,
  )
}

await (values.series === undefined ? measureWrites() : measureMany(Number(values.series), values.file))
