import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { canShare, checkFree, closeAcceptors, openAcceptors } from '../../src/serve/http/server.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const onSharing = { skip: !canShare && 'where listeners share a port' }
const NEW = 64
/** On a busy machine, about one closing in twenty resets a connection. */
const MOST_CLOSINGS = 4

const nextTick = () => new Promise((resolve) => process.nextTick(resolve))

async function listening(t: TestContext, isShared = true) {
  const server = createServer((_request, response) => response.end('yes'))
  const connections = new Set<Socket>()
  server.on('connection', (socket) => connections.add(socket))
  const acceptors = await openAcceptors(server, { port: 0, host: '127.0.0.1' }, isShared)
  t.after(async () => {
    for (const socket of connections) socket.destroy()
    if (acceptors.listeners.some(({ listening }) => listening)) await closeAcceptors(acceptors)
  })
  return { server, port: acceptors.port, acceptors }
}

test('many that are new are taken in within a few turns of the event loop', onSharing, async (t) => {
  const { server, port } = await listening(t)
  let taken = 0
  server.on('connection', () => taken++)
  const sockets = Array.from({ length: NEW }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  let turns = 0
  for (; taken < NEW && turns < 10 * NEW; turns++) await new Promise((resolve) => setImmediate(resolve))
  for (const socket of sockets) socket.destroy()
  assert.equal(taken, NEW)
  // If the system chose listeners at random, some listener would get several times its share.
  assert.ok(turns < NEW / 3, `${turns} turns`)
})

test('whoever was taken in by any of them is answered, and awaited when they close', onSharing, async (t) => {
  const { server, port, acceptors } = await listening(t)
  server.removeAllListeners('request')
  let arrived = 0
  server.on('request', async (_request, response) => {
    arrived += 1
    await sleep(200)
    response.end('in the end')
  })
  const answers = Promise.all(
    Array.from({ length: NEW }, async () => {
      const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response')
      return (await response.setEncoding('utf8').toArray()).join('')
    }),
  )
  await until(() => arrived === NEW, 'not everybody was taken in')
  const { ended } = await closeAcceptors(acceptors)
  assert.deepEqual(new Set(await answers), new Set(['in the end']))
  await ended
})

test('all who wait for the same one when they close are answered', async (t) => {
  const { port, acceptors } = await listening(t, false)
  const answers = Array.from({ length: NEW }, () => once(get({ port, host: '127.0.0.1', agent: false }), 'response'))
  await nextTick()
  const { ended } = await closeAcceptors(acceptors)
  for (const [response] of await Promise.all(answers)) assert.equal(response.resume().statusCode, 200)
  await ended
})

test('whoever connects while they close is answered or refused, hardly ever reset', onSharing, async (t) => {
  // The system may reset a connection that is just being made, so a closing is repeated.
  let resets = 0
  for (let closings = 0; closings < MOST_CLOSINGS; closings++) {
    resets = await resetsOfClosing(t)
    if (resets === 0) return
  }
  assert.fail(`${resets} were reset`)
})

/** Closes listeners while clients connect again and again. Returns the number of requests that were neither answered nor refused. */
async function resetsOfClosing(t: TestContext): Promise<number> {
  const { port, acceptors } = await listening(t)
  const outcomes = new Map<string, number>()
  let isClosed = false
  const ask = async () => {
    while (!isClosed) {
      const outcome = await once(get({ port, host: '127.0.0.1', agent: false }), 'response').then(
        ([response]) => String(response.resume().statusCode),
        (error) => error.code,
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  const asking = Promise.all(Array.from({ length: 8 }, ask))
  await until(() => (outcomes.get('200') ?? 0) > 100, 'nobody was answered')
  const { ended } = await closeAcceptors(acceptors)
  isClosed = true
  await Promise.all([asking, ended])
  const { 200: answered = 0, ECONNREFUSED: refused = 0 } = Object.fromEntries(outcomes)
  return [...outcomes.values()].reduce((sum, count) => sum + count, -answered - refused)
}

test('a port that somebody listens on is not free, though it could be shared', async () => {
  const service = await startService()
  try {
    const { port } = service.app
    await assert.rejects(checkFree({ port, host: '127.0.0.1' }), { code: 'EADDRINUSE' })
    await assert.rejects(startService({ port: String(port) }), {
      message: `Port ${port} of 127.0.0.1 is in use; choose another with --port.`,
    })
  } finally {
    await service.close()
  }
})
