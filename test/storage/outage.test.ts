import { deepEqual, equal, fail, ifError, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, tellFailures } from '../../src/store/storage/open-database.ts'
import { onPostgres, scratchPostgres } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertNone } from '../support/lists.ts'
import { startPostgres } from '../support/postgres.ts'
import { type SentAnswer, type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { makeCalendar, onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { openScratch } from './open.ts'

test('a look at a database that outlasts the pause between two is not joined by another', async (t) => {
  const { database } = await openScratch(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const answers: (() => void)[] = []
  const ping = () => new Promise<void>((resolve) => answers.push(resolve))
  tellFailures({ ...database, ping }, (error) => ifError(error), fail)
  for (let i = 0; i < 3; i++) t.mock.timers.tick(2000)
  equal(answers.length, 1)
  answers[0]?.()
  await new Promise(setImmediate)
  t.mock.timers.tick(2000)
  equal(answers.length, 2)
})

/** An answer to a client. Times are in ms. */
interface LoadAnswer {
  node: ServiceProcess
  method: string
  answer: SentAnswer
  begun: number
  at: number
}

function load(nodes: readonly ServiceProcess[]) {
  const answers: LoadAnswer[] = []
  let isGoing = true
  const client = async (node: ServiceProcess, i: number) => {
    for (let n = 0; isGoing; n++) {
      const method = n % 2 ? 'GET' : 'POST'
      const event = { title: `Event ${i}-${n}`, ...onDay('2031-05-01', '20:00:00', '22:00:00') }
      const begun = performance.now()
      const answer = await (method === 'POST'
        ? node.send('admin', 'POST', '/events', event)
        : node.send('admin', 'GET', `/events?per_page=1&search=${i}`))
      answers.push({ node, method, answer, begun, at: performance.now() })
      await sleep(answer.status === 503 ? 20 : 5)
    }
  }
  const clients = nodes.flatMap((node) => [1, 2, 3, 4].map((i) => client(node, i)))
  // `stop` reports a failure.
  for (const one of clients) one.catch(() => undefined)
  return {
    answers,
    stop: async () => {
      isGoing = false
      await Promise.all(clients)
    },
  }
}

test(
  'the server stops under load and comes back: 503 meanwhile, ' +
    'nothing acknowledged is lost, nodes recover by themselves',
  onPostgres,
  async (t) => {
    const server = await startPostgres()
    const { address } = await scratchPostgres(server.address())
    const folder = temporaryFolder()
    await makeCalendar(address)
    const nodes = await Promise.all(
      [1, 2].map(() => startServiceProcess({ database: address, data: folder })),
    )
    t.after(async () => {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')))
      await server.close()
    })

    const traffic = load(nodes)
    const statusesSince = (node: ServiceProcess, since: number) =>
      traffic.answers
        .filter((answered) => answered.node === node && answered.begun > since)
        .map(({ answer }) => answer.status)
    const untilAnswered = (since: number, isRight: (status: number) => boolean) =>
      until(
        () =>
          nodes.every((node) => {
            const statuses = statusesSince(node, since)
            return statuses.length >= 24 && statuses.slice(-24).every(isRight)
          }),
        'nodes do not answer as they should',
      )
    for (const how of ['fast', 'immediate'] as const) {
      await untilAnswered(performance.now(), (status) => status < 300)
      await server.halt(how)
      const down = performance.now()
      await untilAnswered(down, () => true)
      for (const node of nodes) {
        const statuses = statusesSince(node, down)
        ok(
          statuses.every((status) => status === 503),
          `${how}: ${statuses}`,
        )
      }
      await server.start()
      const took = await untilAnswered(performance.now(), (status) => status < 300)
      t.diagnostic(`${how}: ${Math.round(took)} ms until all was well again`)
    }
    await traffic.stop()

    for (const { answer } of traffic.answers.filter(({ answer }) => answer.status >= 300)) {
      const { status, headers, body } = answer
      deepEqual(
        [status, headers.get('retry-after'), body.code, body.data.status],
        [503, '1', 'rest_unavailable', 503],
      )
    }
    const acknowledged = traffic.answers.flatMap(({ method, answer }) =>
      method === 'POST' && answer.status === 201 ? [answer.body.id as number] : [],
    )
    ok(acknowledged.length > 10)
    const after = await openDatabase(address)
    const kept = new Set((await after.read.selectFrom('events').select('id').execute()).map(({ id }) => id))
    await after.close()
    assertNone(acknowledged, (id) => !kept.has(id))
  },
)
