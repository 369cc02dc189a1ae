import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a server is about to stop, and the connections it has. */
export interface Closing {
  isClosing: boolean
  connections: Set<Socket>
}

/** How long a stop takes. */
export interface StopTimes {
  /** Milliseconds during which connections are still taken, while /readyz says 503 and every answer closes its connection. */
  drainMs: number
  /** Milliseconds after which unanswered requests are dropped. */
  deadlineMs: number
}

/** How often idle connections are looked for. */
const LET_GO_EVERY_MS = 20

export function notClosing(server: Server): Closing {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return { isClosing: false, connections }
}

/**
 * Stops a server: while it drains, keep-alive connections are closed by the answers to their next requests. Then it listens no more, and
 * closes the connections without a request at once, the others as they are answered, and all that are left at the deadline. `close` is
 * what closes it and waits for its connections.
 */
export async function closeServer(
  server: Server,
  closing: Closing,
  { drainMs, deadlineMs }: StopTimes,
  close: () => Promise<void>,
): Promise<void> {
  closing.isClosing = true
  if (drainMs > 0) await sleep(drainMs)
  const letGo = setInterval(() => closeSilent(server, closing), LET_GO_EVERY_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  try {
    const closed = close()
    closeSilent(server, closing)
    await closed
  } finally {
    clearInterval(letGo)
    clearTimeout(deadline)
  }
}

/** Closes connections without a request, silent ones included. */
function closeSilent(server: Server, { connections }: Closing): void {
  server.closeIdleConnections()
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
}
