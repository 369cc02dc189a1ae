import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

/**
 * Several listeners on one port. Node accepts one connection per listener in each turn of its event loop: with a single listener, a new client would
 * wait one turn for each client before it, and turns are long while many connections are busy.
 */
const LISTENERS = 256

/** Connections that may wait for each listener to accept them; the system may allow fewer. */
export const BACKLOG = 1024

/** Systems that spread the connections of a shared port over its listeners. */
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

/** Accepts connections for a server that listens with `reusePort`. */
export async function openAcceptors(server: HttpServer, place: Place): Promise<Server[]> {
  const acceptors = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ noDelay: true }, (socket) => server.emit('connection', socket)),
  )
  await Promise.all(acceptors.map((acceptor) => listenAt(acceptor, { ...place, reusePort: true })))
  return acceptors
}

/** Stops accepting, and waits until all accepted connections have ended. */
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
