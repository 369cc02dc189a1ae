import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import { type AddressInfo, connect, type Server as NetServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { canShare, closeListeners, openListeners } from '../../src/http/server.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const onSharing = { skip: !canShare && 'where listeners share a port' }
const NEW = 64

interface Listening {
  server: Server
  port: number
  listeners: NetServer[]
}

async function listening(t: TestContext): Promise<Listening> {
  const server = createServer()
  const listeners = await openListeners(server, { port: 0, host: '127.0.0.1' }, true)
  t.after(() => closeListeners(listeners))
  const [first] = listeners
  const { port } = (first?.address() ?? {}) as AddressInfo
  return { server, port, listeners }
}

test('many that are new are taken in within a few turns of the event loop', onSharing, async (t) => {
  const { server, port } = await listening(t)
  let taken = 0
  server.on('connection', (socket) => taken++ >= 0 && socket.destroy())
  const sockets = Array.from({ length: NEW }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  let turns = 0
  for (; taken < NEW && turns < 10 * NEW; turns++) await new Promise((resolve) => setImmediate(resolve))
  for (const socket of sockets) socket.destroy()
  equal(taken, NEW)
  ok(turns < NEW / 2, `${turns} turns`)
})

test('whoever was taken in by any of them is answered, and awaited when they close', onSharing, async (t) => {
  const { server, port, listeners } = await listening(t)
  const { promise: closing, resolve: close } = Promise.withResolvers<void>()
  let arrived = 0
  server.on('request', async (_request, response) => {
    arrived += 1
    await closing
    response.end('in the end')
  })
  const answers = Promise.all(
    Array.from({ length: NEW }, async () => {
      const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response')
      return (await response.setEncoding('utf8').toArray()).join('')
    }),
  )
  await until(() => arrived === NEW, 'not everybody was taken in')
  const ended = closeListeners(listeners)
  close()
  deepEqual(new Set(await answers), new Set(['in the end']))
  await ended
})

test('a port that somebody listens on is not free, though it could be shared', async () => {
  await using service = await startService()
  const { port } = service.app
  await rejects(startService({ port: String(port) }), {
    message: `Port ${port} of 127.0.0.1 is in use; choose another with --port.`,
  })
})
