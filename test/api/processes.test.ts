import { deepEqual, equal, match } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { kalends } from '../support/commands.ts'
import { onSqlite, patient, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { type Served, type ServiceProcess, startServed, startServiceProcess } from '../support/processes.ts'
import { credentialsOf, makeCalendar, onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'

let scratch: ScratchDatabase
let folder: string
let services: ServiceProcess[] = []
let served: Served[] = []

beforeEach(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-processes-'))
  await makeCalendar(scratch.address)
})

afterEach(async () => {
  for (const service of services) if (service.child.exitCode === null) service.child.kill('SIGKILL')
  services = []
  // One that runs on after a failure would keep this process from ending.
  for (const service of served) await service.end()
  served = []
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<ServiceProcess> {
  const service = await startServiceProcess({ database: patient(scratch.address), data: folder })
  services.push(service)
  return service
}

async function startHere(): Promise<Served> {
  const service = await startServed({ database: patient(scratch.address), data: folder })
  let ending: Promise<number | null> | undefined
  const once = { ...service, end: () => (ending ??= service.end()) }
  served.push(once)
  return once
}

const eventNamed = (title: string) => ({
  title,
  ...onDay('2027-05-01', '10:00', '11:00'),
  venue: { venue: 'Hall' },
})

async function createEvent(service: Served, title: string): Promise<number> {
  const { status, body } = await service.send('admin', 'POST', '/events', eventNamed(title))
  equal(status, 201, JSON.stringify(body))
  return body.id
}

test('creates with keys that are sent again after a kill are there once each', async () => {
  const create = async ({ base }: ServiceProcess, title: string): Promise<number> => {
    const headers = {
      ...credentialsOf('admin'),
      'content-type': 'application/json',
      'idempotency-key': title,
    }
    const answer = await fetch(`${base}/events`, {
      method: 'POST',
      headers,
      body: JSON.stringify(eventNamed(title)),
    })
    equal(answer.status, 201)
    const { id } = (await answer.json()) as { id: number }
    return id
  }
  const service = await start()
  const acknowledged = new Map<string, number>()
  const begun = new Set<string>()
  const writers = Promise.allSettled(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; i < 500; i++) {
        const title = `Event ${writer}.${i}`
        begun.add(title)
        acknowledged.set(title, await create(service, title))
      }
    }),
  )
  await until(() => acknowledged.size >= 60, 'nothing is acknowledged')
  await service.end('SIGKILL')
  await writers

  const again = await start()
  for (const title of begun) {
    const id = await create(again, title)
    equal(id, acknowledged.get(title) ?? id)
  }
  const { body } = await again.send('anonymous', 'GET', '/events?start_date=2027-05-01&end_date=2027-05-01')
  equal(body.total, begun.size)
})

test('a polite stop finishes requests in flight and ends with exit code 0', onSqlite, async () => {
  const service = await start()
  const requests = Array.from({ length: 12 }, (_, i) => createEvent(service, `Last ${i}`))
  await requests[0]
  const [code, ...results] = await Promise.all([
    service.end(),
    ...requests.map((request) => request.catch(String)),
  ])
  equal(code, 0)
  // A request that had not reached the service is refused; whatever was written has been answered.
  const refused = results.filter((result) => typeof result === 'string')
  for (const result of refused) match(result, /fetch failed/)
  const { body } = await (await start()).send(
    'anonymous',
    'GET',
    '/events?start_date=2027-05-01&end_date=2027-05-01',
  )
  equal(body.total, results.length - refused.length)
})

test('what clients have kept is void once the calendar was restored from a backup', async () => {
  const before = await startHere()
  const list = '/events?start_date=2027-01-01&end_date=2027-12-31'
  const ask = (service: Served, tag: string) =>
    fetch(service.base + list, { headers: { 'If-None-Match': tag } }).then(({ status }) => status)
  const tagOf = async (service: Served) => (await service.send('anonymous', 'GET', list)).headers.get('etag')
  await createEvent(before, 'Kept')
  const tag = (await tagOf(before)) ?? ''
  equal(await ask(before, tag), 304)
  await before.end()
  const again = await startHere()
  // A newly started service may not know the latest changes yet.
  await until(async () => (await ask(again, tag)) === 304, 'the tag is not known any more')
  await again.end()
  const words = ['--database', scratch.address, '--data', folder, 'invalidate-etags']
  equal((await kalends(words)).code, 0)
  const restored = await startHere()
  await until(
    async () => (await ask(restored, (await tagOf(restored)) ?? '')) === 304,
    'its own tag is not known',
  )
  equal(await ask(restored, tag), 200)
  await restored.end()
})

test('a command on a database without a calendar says so, and leaves it as it is', async () => {
  const bare = await scratchDatabase('bare')
  const file = bare.address.startsWith('sqlite:') ? bare.address.slice('sqlite:'.length) : undefined
  if (file !== undefined) writeFileSync(file, '')
  const sentence =
    file === undefined
      ? 'The database holds no calendar; kalends serve makes a new one in it.'
      : `The database ${file} is empty: restore a backup, or remove the file to begin a new calendar.`
  for (const command of [['restored'], ['user', 'list'], ['password', 'add', 'admin']]) {
    const { code, out, err } = await kalends(['--database', bare.address, ...command])
    deepEqual([code, out, err.split('\n')[0]], [1, '', sentence], command.join(' '))
  }
  await bare.remove()
})
