import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

// Stops a server without dropping requests before the deadline.

export interface Closing {
  /** While true, `/readyz` answers 503, but requests are still served. */
  isDraining: boolean
  /** While true, no connection is accepted, and open ones close after an answer. */
  isClosing: boolean
  /** Open connections, with the time at which each was opened, by `performance.now`. */
  connections: Map<Socket, number>
}

export interface StopTimes {
  /**
   * In ms: how long connections are still accepted. Idle ones then stay as long again, at most `LINGER_MS`.
   */
  drainMs: number
  deadlineMs: number
}

const LET_GO_EVERY_MS = 20

/** In ms: idle connections wait no longer for one more request, whose answer closes them. */
const LINGER_MS = 1000

const SPEAKS_WITHIN_MS = 200

export function noteConnections(server: Server, { connections }: Closing): void {
  server.on('connection', (socket) => {
    connections.set(socket, performance.now())
    socket.once('close', () => connections.delete(socket))
  })
}

/**
 * While the server drains, load balancers go elsewhere; then each answer closes its connection, and the
 * deadline closes all. `stopListening` resolves when no connection is left.
 */
export async function closeServer(
  server: Server,
  closing: Closing,
  { drainMs, deadlineMs }: StopTimes,
  stopListening: () => Promise<unknown>,
): Promise<void> {
  closing.isDraining = true
  if (drainMs > 0) await sleep(drainMs)
  await untilNobodyConnects(server)
  const ended = stopListening()
  closing.isClosing = true
  const lingersUntil = performance.now() + Math.min(drainMs, LINGER_MS)
  const letGo = setInterval(() => void closeIdle(server, closing, lingersUntil), LET_GO_EVERY_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  try {
    void closeIdle(server, closing, lingersUntil)
    await ended
  } finally {
    clearInterval(letGo)
    clearTimeout(deadline)
  }
}

const MOST_TURNS = 100

/** Waits for a pause: closing a listener resets connections in its backlog. */
async function untilNobodyConnects(server: Server): Promise<void> {
  let connected = true
  const note = () => {
    connected = true
  }
  server.on('connection', note)
  for (let turns = 0; connected && turns < MOST_TURNS; turns++) {
    connected = false
    await nextTurn()
  }
  server.off('connection', note)
}

async function closeIdle(server: Server, { connections }: Closing, lingersUntil: number): Promise<void> {
  if (performance.now() < lingersUntil) return
  // One turn later, requests that have arrived have been read.
  await nextTurn()
  server.closeIdleConnections()
  const now = performance.now()
  for (const [socket, since] of connections)
    if (socket.bytesRead === 0 && now - since > SPEAKS_WITHIN_MS) socket.destroy()
}
