import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

// Stops a server without dropping the requests it has.

/** Whether a server is about to stop, and its connections. */
export interface Closing {
  /** It takes requests as before, but is not ready any more. */
  isDraining: boolean
  /** It takes no new connection, and every answer closes its own. */
  isClosing: boolean
  /** Since when each is there, on the clock of `performance.now`. */
  connections: Map<Socket, number>
}

/** How long a stop takes. */
export interface StopTimes {
  /**
   * Milliseconds during which connections are still accepted, while /readyz answers 503; and those after which connections that are idle then are
   * closed.
   */
  drainMs: number
  /** Milliseconds after which unanswered requests are dropped. */
  deadlineMs: number
}

/** Milliseconds between searches for idle connections. */
const LET_GO_EVERY_MS = 20

/** The longest that an idle connection is kept for its next request, whose answer closes it. */
const LINGER_MS = 1000

/** Milliseconds within which a new connection says something; its request may be on its way. */
const SPEAKS_WITHIN_MS = 200

export function notClosing(server: Server): Closing {
  const connections = new Map<Socket, number>()
  server.on('connection', (socket) => {
    connections.set(socket, performance.now())
    socket.once('close', () => connections.delete(socket))
  })
  return { isDraining: false, isClosing: false, connections }
}

/**
 * Stops a server. First it drains: balancers that ask whether it is ready go elsewhere. Then it stops listening, and its proxies, which have kept their
 * connections till now, learn by the next answer that they have to connect elsewhere. Then connections without a request are closed, the others
 * after their answers, and all that are left at the deadline. `stopListening` resolves when nobody is accepted any more, its `ended` when nobody is left.
 */
export async function closeServer(
  server: Server,
  closing: Closing,
  { drainMs, deadlineMs }: StopTimes,
  stopListening: () => Promise<{ ended: Promise<unknown> }>,
): Promise<void> {
  closing.isDraining = true
  if (drainMs > 0) await sleep(drainMs)
  const { ended } = await stopListening()
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

/** Closes connections without a request, silent ones included, as soon as they may be. */
async function closeIdle(server: Server, { connections }: Closing, lingersUntil: number): Promise<void> {
  if (performance.now() < lingersUntil) return
  // Requests that have arrived were read by then.
  await nextTurn()
  server.closeIdleConnections()
  const now = performance.now()
  for (const [socket, since] of connections)
    if (socket.bytesRead === 0 && now - since > SPEAKS_WITHIN_MS) socket.destroy()
}
