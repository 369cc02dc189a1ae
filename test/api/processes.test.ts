import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { openDatabase } from '../../src/storage/database.ts'
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { addUsers } from '../support/service.ts'

let scratch: ScratchDatabase
let folder: string
let services: ServiceProcess[] = []

beforeEach(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-processes-'))
  await (await start()).end()
  const database = await openDatabase(scratch.address)
  await addUsers({ database })
  await database.close()
})

afterEach(async () => {
  for (const service of services) if (service.child.exitCode === null) service.child.kill('SIGKILL')
  services = []
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

async function start(workers = '1'): Promise<ServiceProcess> {
  const service = await startServiceProcess({ database: scratch.address, data: folder, workers })
  services.push(service)
  return service
}

const eventNamed = (title: string) => ({
  title,
  start_date: '2027-05-01 10:00',
  end_date: '2027-05-01 11:00',
  venue: { venue: 'Hall' },
})

async function createEvent(service: ServiceProcess, title: string): Promise<number> {
  const { status, body } = await service.send('admin', 'POST', '/events', eventNamed(title))
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The title of an event over a connection of its own, which may go to any worker; undefined when the connection broke. */
async function titleOf(service: ServiceProcess, id: number): Promise<string | undefined> {
  const response = await fetch(`${service.base}/events/${id}`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  )
  return response && ((await response.json()) as { title: string }).title
}

test('no acknowledged write is lost when the process is killed in the middle of writing', async () => {
  const service = await start()
  const acknowledged: number[] = []
  const writers = Promise.allSettled(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; i < 500; i++) acknowledged.push(await createEvent(service, `Event ${writer}.${i}`))
    }),
  )
  while (acknowledged.length < 60) await pause(5)
  await service.end('SIGKILL')
  await writers

  const again = await start()
  for (const id of acknowledged)
    assert.equal((await again.send('anonymous', 'GET', `/events/${id}`)).status, 200, `event ${id}`)
  const { body } = await again.send('anonymous', 'GET', '/events?start_date=2027-05-01&end_date=2027-05-01')
  assert.ok(body.total >= acknowledged.length, `${body.total} events, ${acknowledged.length} acknowledged`)
})

test('a polite stop finishes the requests in flight, lets connections go and ends with exit code 0', async () => {
  const service = await start()
  const requests = Array.from({ length: 12 }, (_, i) => createEvent(service, `Last ${i}`))
  await requests[0]
  const [code, ...results] = await Promise.all([service.end(), ...requests.map((request) => request.catch(String))])
  assert.equal(code, 0)
  // What had not reached the service is refused a connection; nothing gets half an answer.
  for (const result of results) if (typeof result === 'string') assert.match(result, /fetch failed/)
})

test('a write by one worker is soon seen by all of them', async () => {
  const service = await start('2')
  const id = await createEvent(service, 'Version 0')
  for (let version = 1; version <= 5; version++) {
    const title = `Version ${version}`
    await service.send('admin', 'PUT', `/events/${id}`, { title })
    const changed = performance.now()
    const titles = () => Promise.all(Array.from({ length: 6 }, () => titleOf(service, id)))
    while ((await titles()).some((shown) => shown !== title))
      assert.ok(performance.now() - changed < 10_000, `${title} was not seen by all`)
  }
})

test('a worker that dies is replaced, and the others answer meanwhile', async () => {
  const service = await start('2')
  const id = await createEvent(service, 'Still here')
  const workers = () =>
    String(spawnSync('pgrep', ['-P', String(service.child.pid)]).stdout)
      .trim()
      .split('\n')
  const [first] = workers()
  process.kill(Number(first), 'SIGKILL')
  // What went to it before its end was noticed is lost, as on any connection that breaks.
  while (workers().includes(String(first))) await pause(20)
  for (let i = 0; i < 100 && (i < 5 || workers().length < 2); i++) {
    assert.equal(await titleOf(service, id), 'Still here')
    await pause(100)
  }
  assert.equal(workers().length, 2)
  assert.ok(!workers().includes(String(first)))
  assert.equal(await service.end(), 0)
})
