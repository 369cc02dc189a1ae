import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { databaseName, scratchPostgres } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { type SentAnswer, type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { addUsers } from '../support/service.ts'

const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

/** Four clients a node that read and create for as long as they are left to; what they were answered, in order. */
function load(nodes: readonly ServiceProcess[]) {
  const answers: { method: string; answer: SentAnswer; at: number }[] = []
  let isGoing = true
  const client = async (node: ServiceProcess, i: number) => {
    for (let n = 0; isGoing; n++) {
      const method = n % 2 ? 'GET' : 'POST'
      const event = { title: `Event ${i}-${n}`, start_date: '2031-05-01 20:00:00', end_date: '2031-05-01 22:00:00' }
      const answer = await (method === 'POST'
        ? node.send('admin', 'POST', '/events', event)
        : node.send('admin', 'GET', `/events?per_page=1&search=${i}`))
      answers.push({ method, answer, at: performance.now() })
      if (answer.status === 503) await sleep(20)
    }
  }
  const clients = nodes.flatMap((node) => [1, 2, 3, 4].map((i) => client(node, i)))
  return {
    answers,
    stop: async () => {
      isGoing = false
      await Promise.all(clients)
    },
  }
}

test(
  'the server stops under load and comes back: 503 meanwhile, nothing acknowledged is lost, nodes recover within 2 s',
  onPostgres,
  async (t) => {
    const server = await startPostgres()
    const { address } = await scratchPostgres(server.address())
    const folder = await mkdtemp(join(tmpdir(), 'kalends-outage-'))
    const database = await openDatabase(address)
    await migrate(database)
    await addUsers({ database })
    await database.close()
    const nodes = await Promise.all([1, 2].map(() => startServiceProcess({ database: address, data: folder })))
    t.after(async () => {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')))
      await server.close()
      await rm(folder, { recursive: true, force: true })
    })

    const traffic = load(nodes)
    for (const how of ['fast', 'immediate'] as const) {
      await sleep(700)
      await server.halt(how)
      const down = performance.now()
      await sleep(700)
      const starting = performance.now()
      await server.start()
      const back = performance.now()
      await sleep(2500)
      const statuses = traffic.answers
        .filter(({ at }) => at > down + 200 && at < starting)
        .map(({ answer }) => answer.status)
      assert.ok(statuses.length > 0 && statuses.every((status) => status === 503), `${how}: ${statuses}`)
      const later = traffic.answers.filter(({ at }) => at > back + 2000)
      assert.ok(later.length > 0, `${how}: no answer in the half second after two seconds`)
      assert.deepEqual(
        later.filter(({ answer }) => answer.status >= 500),
        [],
      )
    }
    await traffic.stop()

    for (const { answer } of traffic.answers.filter(({ answer }) => answer.status >= 300)) {
      const { status, headers, body } = answer
      assert.deepEqual(
        [status, headers.get('retry-after'), body.code, body.data.status],
        [503, '1', 'rest_unavailable', 503],
      )
    }
    const acknowledged = traffic.answers.flatMap(({ method, answer }) =>
      method === 'POST' && answer.status === 201 ? [answer.body.id as number] : [],
    )
    assert.ok(acknowledged.length > 10)
    const after = await openDatabase(address)
    const kept = new Set((await after.read.selectFrom('events').select('id').execute()).map(({ id }) => id))
    await after.close()
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    )
  },
)
