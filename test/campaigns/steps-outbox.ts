import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { type Served, type ServiceProcess, startServed, startServiceProcess } from '../support/processes.ts'
import { addUsers } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { PRELOAD } from './steps-campaign.ts'

/** The path from the namespace to the routes of webhooks. */
const HOOKS = '/../../../kalends/v1/webhooks'

/** After so many ms without a step, no more are expected. */
const QUIET_MS = 1000

/** A receiver that accepts every message at once. */
interface Receiver {
  url: string
  /** The ids of the messages received, including repeated ones. */
  ids: string[]
  close: () => void
}

async function startReceiver(): Promise<Receiver> {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']))
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ids, close }
}

/**
 * Kills a service before each step of a write and its message, each time with the data of the last kill, and starts it again. The message must arrive if the
 * venue exists, and only under one id. Returns the steps. @throws AssertionError
 */
export async function killOutbox(most: number): Promise<string[]> {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-steps-'))
  const receiver = await startReceiver()
  const settings = { database: patient(scratch.address), data: folder, webhook_hosts: '127.0.0.1' }
  const start = (before: string) => startServiceProcess(settings, before)
  const startAgain = () => startServed(settings)
  const database = await openDatabase(scratch.address)
  try {
    const first = await startAgain()
    await addUsers({ database })
    const added = await first.send('admin', 'POST', HOOKS, { url: receiver.url, events: 'venue.created' })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    await first.end()
    const killed: string[] = []
    for (let at = 1; at <= most; at++) {
      const step = await killOnce({ folder, start, startAgain, receiver, database }, at)
      if (step === undefined) break
      killed.push(step)
    }
    return killed
  } finally {
    receiver.close()
    await database.close()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Outbox {
  folder: string
  /** Starts the service in its own process, which is killed. */
  start: (before: string) => Promise<ServiceProcess>
  /** Starts the service in this process. */
  startAgain: () => Promise<Served>
  receiver: Receiver
  database: Database
}

/** Kills the service before a step of creating a venue and sending its message. Returns the step, or undefined if there are fewer steps. */
async function killOnce({ folder, start, ...told }: Outbox, at: number): Promise<string | undefined> {
  const [log, kill] = [join(folder, 'steps.log'), join(folder, 'steps.kill')]
  await rm(log, { force: true })
  await rm(kill, { force: true })
  const stepsSoFar = async () => (existsSync(log) ? (await readFile(log, 'utf8')).split('\n').slice(0, -1) : [])
  const service = await start(`export STEPS_LOG='${log}' STEPS_KILL='${kill}' NODE_OPTIONS='--import=${PRELOAD}'`)
  const begun = (await quietly(stepsSoFar)).length
  await writeFile(kill, String(begun + at))
  const name = `Hall ${at}`
  const { status } = await service.send('admin', 'POST', '/venues', { venue: name }).catch(() => ({ status: 0 }))
  const steps = await quietly(stepsSoFar)
  const isKilled = service.child.signalCode === 'SIGKILL'
  await service.end('SIGKILL')
  await requireTold(told, name, status === 201)
  return isKilled ? (steps.at(-1) ?? '') : undefined
}

/** Waits until no more steps happen, and returns them. */
async function quietly(stepsSoFar: () => Promise<string[]>): Promise<string[]> {
  for (let before = -1; ; ) {
    const steps = await stepsSoFar()
    if (steps.length === before) return steps
    before = steps.length
    await sleep(QUIET_MS)
  }
}

/** Starts the service again and waits until the message of every stored venue has arrived, each under one id. */
async function requireTold(
  { startAgain, receiver, database }: Omit<Outbox, 'folder' | 'start'>,
  name: string,
  isAcknowledged: boolean,
): Promise<void> {
  const { read } = database
  // Messages being sent belong to the killed process for a minute. Here they become due at once.
  const isUnsent = { next_utc: '2020-01-01 00:00:00' }
  await database.write((tx) => tx.updateTable('webhook_deliveries').set(isUnsent).where('next_utc', '!=', '').execute())
  const service = await startAgain()
  const venues = await read.selectFrom('venues').select(['id', 'venue']).execute()
  const messages = await read.selectFrom('webhook_deliveries').select(['record', 'message']).execute()
  assert.deepEqual(messages.map(({ record }) => record).sort(), venues.map(({ id }) => id).sort(), 'a message a venue')
  if (isAcknowledged)
    assert.ok(
      venues.some(({ venue }) => venue === name),
      `${name} is lost`,
    )
  await until(() => messages.every(({ message }) => receiver.ids.includes(message)), 'not every message arrives')
  const known = new Set(messages.map(({ message }) => message))
  assert.deepEqual(
    receiver.ids.filter((id) => !known.has(id)),
    [],
    'a message of nothing',
  )
  await sleep(QUIET_MS)
  const total = receiver.ids.length
  await service.end()
  assert.ok(total <= messages.length * 2, `${total} deliveries of ${messages.length} messages`)
}
