import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a server is about to stop, and its connections. */
export interface Closing {
  isClosing: boolean
  connections: Set<Socket>
}

/** How long a stop takes. */
export interface StopTimes {
  /** Milliseconds during which connections are still accepted, while /readyz answers 503 and every answer closes its connection. */
  drainMs: number
  /** Milliseconds after which unanswered requests are dropped. */
  deadlineMs: number
}

/** Milliseconds between searches for idle connections. */
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
 * Stops a server. While it drains, the answer to the next request on a keep-alive connection closes that connection. Then the server stops listening,
 * closes the connections without a request at once, the others after their answers, and all that are left at the deadline. `close` closes the server
 * and waits for its connections.
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
