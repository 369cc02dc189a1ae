import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { onPostgres, patient, scratchDatabase } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const OF_MEMORY = 'select "id", "status", "hide_from_listings", "start_date", "end_date"'
const PREPARED = new RegExp(`([\\w-]{20,})\0${OF_MEMORY}`, 'g')

async function startLateAnswers(t: TestContext, address: string) {
  const names = new Set<string>()
  const answers = {
    isLate: (_sent: Buffer): boolean => false,
    isOfMemory: (sent: Buffer) => sent.includes(OF_MEMORY) || [...names].some((name) => sent.includes(name)),
    address: '',
  }
  const { hostname, port } = new URL(address)
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    let held: Promise<void> = Promise.resolve()
    client.on('data', (sent: Buffer) => {
      for (const [, name = ''] of sent.toString('latin1').matchAll(PREPARED)) names.add(name)
      if (answers.isLate(sent)) held = sleep(250)
      server.write(sent)
    })
    server.on('data', (answer: Buffer) => {
      held = held.then(() => void client.write(answer))
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  const through = new URL(address)
  through.port = String((proxy.address() as AddressInfo).port)
  answers.address = through.href
  return answers
}

async function startLate(t: TestContext) {
  const scratch = await scratchDatabase()
  const late = await startLateAnswers(t, scratch.address)
  const service = await startService({ database: patient(late.address) })
  const direct = new Client(scratch.address)
  await direct.connect()
  t.after(async () => {
    await direct.end()
    await service.close()
    await scratch.remove()
  })
  const day = { start_date: '2027-08-01', end_date: '2027-08-01' }
  const { id } = await service.event({ title: 'Version 0', ...day })
  await until(
    async () => (await service.get('~/readyz')).body.memory === 'filled',
    'the memory was not filled',
    20,
  )
  const list = async () =>
    (await service.get('/events?start_date=2027-08-01&end_date=2027-08-01')).body.events[0].title
  return { late, service, direct, id, list }
}

test(
  'who has seen a change before its writer hears of it never sees the time before',
  onPostgres,
  async (t) => {
    const { late, service, direct, id, list } = await startLate(t)
    for (let version = 1; version <= 4; version++) {
      // Reads the list until it is cached.
      for (let reads = 0; reads < 3; reads++) equal(await list(), `Version ${version - 1}`)
      late.isLate = (sent) => sent.includes('commit')
      const title = `Version ${version}`
      const writing = service.update(`/events/${id}`, { title })
      const isCommitted = async () =>
        (await direct.query('select title from events where id = $1', [id])).rows[0].title === title
      await until(isCommitted, 'nothing was committed', 20)
      // The server tells of a commit a moment after others can see it.
      const isSeen = async () => (await service.get(`/events/${id}?read=${version}`)).body.title === title
      await until(isSeen, 'nobody sees the change')
      equal(await list(), title)
      late.isLate = () => false
      await writing
    }
  },
)

test('who has seen a change while memory reads it never sees the time before', onPostgres, async (t) => {
  const { late, service, id, list } = await startLate(t)
  for (let reads = 0; reads < 3; reads++) equal(await list(), 'Version 0')
  const begun = Promise.withResolvers<string>()
  late.isLate = (sent) => {
    const isOfMemory = late.isOfMemory(sent)
    if (isOfMemory) begun.resolve('begun')
    return isOfMemory
  }
  const writing = service.update(`/events/${id}`, { title: 'Version 1' })
  equal(await Promise.race([begun.promise, writing]), 'begun')
  const { body } = await service.get(`/events/${id}?read=1`)
  deepEqual([body.title, await list()], ['Version 1', 'Version 1'])
  await writing
})
