import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

/**
 * Listeners on one port. Node takes in one connection of each in a turn of its event loop: with a single one, a new client would wait for
 * as many turns as others are before them, and turns are long while many connections are busy.
 */
const LISTENERS = 256

/** Connections that may wait to be accepted by each listener; the system may allow fewer. */
export const BACKLOG = 1024

/** Systems that share a port between listeners and give each its share of the connections. */
export const canShare = process.platform === 'linux' || process.platform === 'freebsd'

/** Where a server listens. */
export interface Place {
  host: string
  port: number
}

/** Listens, and closes again. @throws the error of a port that is taken or may not be listened on. */
export async function checkFree(place: Place): Promise<void> {
  const probe = createServer()
  await listenAt(probe, { ...place, reusePort: false })
  await closed(probe)
}

/** Accepts connections for a server that listens with `reusePort`, beside the server itself. */
export async function openAcceptors(server: HttpServer, place: Place): Promise<Server[]> {
  const acceptors = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ noDelay: true }, (socket) => server.emit('connection', socket)),
  )
  await Promise.all(acceptors.map((acceptor) => listenAt(acceptor, { ...place, reusePort: true })))
  return acceptors
}

/** Accepts no more, and waits until all accepted connections have ended. */
export async function closeAcceptors(acceptors: readonly Server[]): Promise<void> {
  await Promise.all(acceptors.map(closed))
}

function listenAt(server: Server, { host, port, reusePort }: Place & { reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
