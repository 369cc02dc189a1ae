import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patient, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { head, type Line, openLine } from '../support/lines.ts'
import { freePort } from '../support/postgres.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { credentialsOf, makeCalendar, type Settings } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const EVENTS = '/tribe/events/v1/events'
const EVENT = JSON.stringify({ title: 'Kept', start_date: '2027-05-01 10:00', end_date: '2027-05-01 11:00' })
const STOP_MS = 60_000
const JSON_TYPE = { 'content-type': 'application/json' }

let scratch: ScratchDatabase
let folder: string
before(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'kalends-stopping-'))
  await makeCalendar(scratch.address)
})
after(async () => {
  await scratch.remove()
  await rm(folder, { recursive: true, force: true })
})

function settings(further: Settings = {}): Settings {
  return { database: patient(scratch.address), data: folder, ...further }
}

let lines: Line[]
let running: ServiceProcess | undefined
beforeEach(() => {
  lines = []
})
afterEach(() => {
  for (const { socket } of lines) socket.destroy()
  if (running?.child.exitCode === null) running.child.kill('SIGKILL')
})

async function start(further: Settings = {}): Promise<ServiceProcess> {
  const port = String(await freePort())
  running = await startServiceProcess(settings({ port, ...further }))
  return running
}

async function openTo({ base }: ServiceProcess): Promise<Line> {
  const line = openLine(base)
  lines.push(line)
  await until(() => line.socket.readyState === 'open', 'it was not let in')
  return line
}

async function beginEvent(service: ServiceProcess, length: number): Promise<Line> {
  const line = await openTo(service)
  const headers = { ...JSON_TYPE, 'content-length': String(length), expect: '100-continue' }
  line.socket.write(head('POST', EVENTS, 'author', headers))
  await until(() => line.received().startsWith('HTTP/1.1 100 Continue\r\n'), 'its body is not asked for')
  return line
}

describe('told to stop, a service', () => {
  test('closes connections that are silent or idle at once, answers what is on its way', async () => {
    const service = await start({ stop_ms: String(STOP_MS) })
    const silent = await openTo(service)
    const idle = await openTo(service)
    idle.socket.write(head('GET', EVENTS, 'anonymous'))
    equal(await idle.status(), 200)
    const line = await beginEvent(service, EVENT.length)
    line.socket.write(EVENT.slice(0, 20))
    const ended = service.end()
    await Promise.all([silent.closed, idle.closed])
    line.socket.write(EVENT.slice(20))
    equal(await line.status(), 201)
    match(line.received(), /\r\nconnection: close\r\n/i)
    await line.closed
    equal(await ended, 0)
  })

  test('ends at its deadline beside half of a head and half of a body', async () => {
    const service = await start({ stop_ms: '1000' })
    const ofHead = await openTo(service)
    ofHead.socket.write('GET /wp-json/ HTTP/1.1\r\nHost: x\r\n')
    const ofBody = await beginEvent(service, 1000)
    ofBody.socket.write('{"title":')
    const started = performance.now()
    equal(await service.end(), 0)
    const took = performance.now() - started
    ok(took > 500, `it took ${took} ms`)
    await Promise.all([ofHead.closed, ofBody.closed])
  })
})

describe('while it drains, a service', () => {
  test('is not ready but takes connections, and closes them by its answers later', async () => {
    const service = await start({ drain_ms: '2000' })
    const idle = await openTo(service)
    const ended = service.end()
    await until(async () => (await ready(service)) === 503, 'it is still ready')
    idle.socket.write(head('GET', EVENTS, 'anonymous'))
    equal(await idle.status(), 200)
    equal((await service.send('author', 'POST', '/events', JSON.parse(EVENT))).status, 201)
    doesNotMatch(idle.received(), /connection: close/i)
    // An idle connection stays open only briefly, so it is used again and again until an answer closes it.
    await until(async () => {
      const before = answersOf(idle)
      idle.socket.write(head('GET', EVENTS, 'anonymous'))
      await until(() => answersOf(idle) > before || idle.socket.destroyed, 'no answer came')
      return idle.socket.destroyed || /connection: close/i.test(idle.received())
    }, 'it keeps its connections for ever')
    await idle.closed
    ok(await refuses(service))
    match(idle.received(), /connection: close/i)
    equal(await ended, 0)
  })

  test('fails no POST of clients that keep connections and go elsewhere once closed', async () => {
    const services = [await startServiceProcess(settings()), await start({ drain_ms: '2000' })]
    const [staying, leaving] = services
    ok(staying && leaving)
    let target = leaving
    let created = 0
    const failures: unknown[] = []
    let isOver = false
    const clients = Array.from({ length: 8 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!isOver) {
        const status = await post(target, agent).catch((error: unknown) => error)
        if (status === 201) created += 1
        else failures.push(status)
        await sleep(target === leaving ? 5 : 100)
      }
      agent.destroy()
    })
    await until(() => created > 20, 'nothing is created')
    const ended = leaving.end()
    // A proxy sees that this node is no longer ready.
    await until(async () => (await ready(leaving)) === 503, 'it is still ready')
    target = staying
    await ended
    isOver = true
    await Promise.all(clients)
    deepEqual(failures, [])
    await staying.end()
  })
})

async function ready({ base }: ServiceProcess): Promise<number> {
  return (await fetch(`${new URL(base).origin}/readyz`)).status
}

const answersOf = ({ received }: Line) => received().split('HTTP/1.1 ').length - 1

async function refuses(service: ServiceProcess): Promise<boolean> {
  const line = openLine(service.base)
  const isTaken = await once(line.socket, 'connect').then(
    () => true,
    () => false,
  )
  line.socket.destroy()
  return !isTaken
}

function post({ base }: ServiceProcess, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...credentialsOf('author'), ...JSON_TYPE }
    const asked = request(`${base}/events`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    })
    asked.once('error', reject)
    asked.end(EVENT)
  })
}
