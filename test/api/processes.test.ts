import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { kalends } from '../support/commands.ts'
import { onSqlite, patient, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { type Served, type ServiceProcess, startServed, startServiceProcess } from '../support/processes.ts'
import { credentialsOf, makeCalendar } from '../support/service.ts'
import { PATIENCE_MS, until } from '../support/waiting.ts'

let scratch: ScratchDatabase
let folder: string
let services: ServiceProcess[] = []

beforeEach(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-processes-'))
  await makeCalendar(scratch.address)
})

afterEach(async () => {
  for (const service of services) if (service.child.exitCode === null) service.child.kill('SIGKILL')
  services = []
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

async function start(workers = '1'): Promise<ServiceProcess> {
  const service = await startServiceProcess({ database: patient(scratch.address), data: folder, workers })
  services.push(service)
  return service
}

const startHere = () => startServed({ database: patient(scratch.address), data: folder })

const eventNamed = (title: string) => ({
  title,
  start_date: '2027-05-01 10:00',
  end_date: '2027-05-01 11:00',
  venue: { venue: 'Hall' },
})

async function createEvent(service: Served, title: string): Promise<number> {
  const { status, body } = await service.send('admin', 'POST', '/events', eventNamed(title))
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

/** Reads the title of an event over a new connection, which any worker may get. Undefined when the connection breaks. Fails for any other answer, or none. */
async function titleOf(service: ServiceProcess, id: number): Promise<string | undefined> {
  const url = `${service.base}/events/${id}`
  const answer = await new Promise<{ status: number; text: string } | undefined>((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => {
      readText(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject)
    })
    request.on('error', (error) =>
      'code' in error && error.code === 'ECONNRESET' ? resolve(undefined) : reject(error),
    )
  })
  if (!answer) return undefined
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text).title
}

function workersOf({ child }: ServiceProcess): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** Returns one worker of a service, the same one while it lives. */
function getWorker(service: ServiceProcess): number {
  const [first] = workersOf(service)
  assert.ok(first !== undefined)
  return first
}

test('no acknowledged write is lost when the process is killed in the middle of writing', async () => {
  const service = await start()
  const acknowledged: number[] = []
  const writers = Promise.allSettled(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; i < 500; i++) acknowledged.push(await createEvent(service, `Event ${writer}.${i}`))
    }),
  )
  await until(() => acknowledged.length >= 60, 'nothing is acknowledged')
  await service.end('SIGKILL')
  await writers

  const again = await start()
  for (const id of acknowledged)
    assert.equal((await again.send('anonymous', 'GET', `/events/${id}`)).status, 200, `event ${id}`)
  const { body } = await again.send('anonymous', 'GET', '/events?start_date=2027-05-01&end_date=2027-05-01')
  assert.ok(body.total >= acknowledged.length, `${body.total} events, ${acknowledged.length} acknowledged`)
})

test('creates with keys that are sent again after a kill are there once each', async () => {
  const create = async ({ base }: ServiceProcess, title: string): Promise<number> => {
    const headers = { ...credentialsOf('admin'), 'content-type': 'application/json', 'idempotency-key': title }
    const answer = await fetch(`${base}/events`, { method: 'POST', headers, body: JSON.stringify(eventNamed(title)) })
    assert.equal(answer.status, 201)
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
    assert.equal(id, acknowledged.get(title) ?? id)
  }
  const { body } = await again.send('anonymous', 'GET', '/events?start_date=2027-05-01&end_date=2027-05-01')
  assert.equal(body.total, begun.size)
})

test(
  'a polite stop finishes the requests in flight, lets connections go and ends with exit code 0',
  onSqlite,
  async () => {
    const service = await start()
    const requests = Array.from({ length: 12 }, (_, i) => createEvent(service, `Last ${i}`))
    await requests[0]
    const [code, ...results] = await Promise.all([service.end(), ...requests.map((request) => request.catch(String))])
    assert.equal(code, 0)
    // A request that had not reached the service is refused; whatever was written has been answered.
    const refused = results.filter((result) => typeof result === 'string')
    for (const result of refused) assert.match(result, /fetch failed/)
    const { body } = await (await start()).send('anonymous', 'GET', '/events?start_date=2027-05-01&end_date=2027-05-01')
    assert.equal(body.total, results.length - refused.length)
  },
)

test('what clients have kept names nothing any more once the calendar was restored from a backup', async () => {
  const before = await startHere()
  const list = '/events?start_date=2027-01-01&end_date=2027-12-31'
  const ask = (service: Served, tag: string) =>
    fetch(service.base + list, { headers: { 'If-None-Match': tag } }).then(({ status }) => status)
  const tagOf = async (service: Served) => (await service.send('anonymous', 'GET', list)).headers.get('etag')
  // Transactions of other databases on the server may be in the ETag. The next service would not name them.
  const isSettled = (tag: string) => tag.split('.')[1]?.includes('-') === false
  let tag = ''
  const keep = async () => {
    await createEvent(before, 'Kept')
    tag = (await tagOf(before)) ?? ''
    return isSettled(tag)
  }
  await until(keep, 'the list has no tag of its state alone')
  assert.equal(await ask(before, tag), 304)
  await before.end()
  const again = await startHere()
  // A newly started service may not know the latest changes yet.
  await until(async () => (await ask(again, tag)) === 304, 'the tag is not known any more')
  await again.end()
  const words = ['--database', scratch.address, '--data', folder, 'invalidate-etags']
  assert.equal((await kalends(words)).code, 0)
  const restored = await startHere()
  await until(async () => (await ask(restored, (await tagOf(restored)) ?? '')) === 304, 'its own tag is not known')
  assert.equal(await ask(restored, tag), 200)
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
    assert.deepEqual([code, out, err.split('\n')[0]], [1, '', sentence], command.join(' '))
  }
  await bare.remove()
})

test('a write by one worker is soon seen by all of them', async () => {
  const service = await start('2')
  const id = await createEvent(service, 'Version 0')
  for (let version = 1; version <= 5; version++) {
    const title = `Version ${version}`
    await service.send('admin', 'PUT', `/events/${id}`, { title })
    const titles = () => Promise.all(Array.from({ length: 6 }, () => titleOf(service, id)))
    await until(async () => (await titles()).every((shown) => shown === title), `${title} was not seen by all`)
  }
})

test('a worker that dies is replaced, and the others answer meanwhile', onSqlite, async () => {
  const service = await start('2')
  const id = await createEvent(service, 'Still here')
  const first = getWorker(service)
  process.kill(first, 'SIGKILL')
  await until(() => !workersOf(service).includes(first), 'it did not die')
  let [asked, broken] = [0, 0]
  await until(
    async () => {
      asked++
      if ((await titleOf(service, id)) !== 'Still here') broken++
      return asked >= 5 && workersOf(service).length === 2
    },
    'it was not replaced',
    50,
  )
  // One connection may have been handed to the worker just before its end was noticed.
  assert.ok(broken <= 1, `${broken} connections broke`)
  assert.ok(!workersOf(service).includes(first))
  assert.equal(await service.end(), 0)
})

test('no client is left waiting when a worker dies that its connection was just handed to', onSqlite, async () => {
  const service = await start('2')
  const id = await createEvent(service, 'Still here')
  const first = getWorker(service)
  // While the process that hands out connections is stopped they queue up, so it finds them together with the end of the worker.
  process.kill(Number(service.child.pid), 'SIGSTOP')
  const titles = [1, 2, 3, 4].map(() => titleOf(service, id))
  await sleep(50)
  process.kill(first, 'SIGKILL')
  process.kill(Number(service.child.pid), 'SIGCONT')
  const broken = (await Promise.all(titles)).filter((title) => title !== 'Still here')
  assert.ok(broken.length <= 1, `${broken.length} connections broke`)
  assert.equal(await service.end(), 0)
})
