import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

// The listeners of a server: several on one port, and closed without a reset for anybody.

/**
 * Several listeners on one port. Node accepts one connection per listener in each turn of its event loop: with a single listener, a new client would
 * wait one turn for each client before it, and turns are long while many connections are busy. More of them make starting and stopping longer.
 */
const LISTENERS = 64

/** Connections that may wait for each listener to accept them; the system may allow fewer. */
const BACKLOG = 1024

/** Systems that spread the connections of a shared port over its listeners. */
export const canShare = process.platform === 'linux' || process.platform === 'freebsd'

/** Where a server listens. */
export interface ListenPlace {
  host: string
  port: number
}

/** The listeners of a server, each of which hands its connections to it. */
export interface Acceptors {
  port: number
  listeners: readonly NetServer[]
}

/** Listens, and closes again. @throws the error of a port that is taken or may not be listened on. */
export async function checkFree(place: ListenPlace): Promise<void> {
  const probe = createNetServer()
  await listenAt(probe, { ...place, reusePort: false })
  await closed(probe)
}

/**
 * Accepts connections for a server, `isShared` with several listeners. A shared port is looked at first, since nothing else would say that somebody
 * listens there.
 * @throws the error of a port that is taken or may not be listened on
 */
export async function openAcceptors(server: Server, place: ListenPlace, isShared: boolean): Promise<Acceptors> {
  if (isShared && place.port !== 0) await checkFree(place)
  const first = await openAcceptor(server, place, isShared)
  const address = first.address()
  const port = typeof address === 'object' && address ? address.port : place.port
  const further = Array.from({ length: isShared ? LISTENERS - 1 : 0 }, () =>
    openAcceptor(server, { ...place, port }, isShared),
  )
  return { port, listeners: [first, ...(await Promise.all(further))] }
}

async function openAcceptor(server: Server, place: ListenPlace, reusePort: boolean): Promise<NetServer> {
  const acceptor = createNetServer({ noDelay: true }, (socket) => server.emit('connection', socket))
  await listenAt(acceptor, { ...place, reusePort })
  return acceptor
}

/** Milliseconds within which the listeners close one by one. */
const CLOSE_WITHIN_MS = 2000

/** The most connections that the service opens to itself in one turn of the event loop, to have its listeners closed. */
const MOST_KNOCKS = 64

/**
 * Stops accepting, and resets nobody who has connected already: a system resets whoever waits at a listener that is closed. So each listener lets only
 * one more wait, the service connects to itself, and a listener closes in the moment in which it has accepted the service, since whoever waited there
 * came before. Clients that come meanwhile are refused, some a second later. `ended` resolves when all accepted connections have ended.
 */
export async function closeAcceptors({ port, listeners }: Acceptors): Promise<{ ended: Promise<unknown> }> {
  const ended = Promise.all(listeners.map((listener) => once(listener, 'close')))
  // Node's first process accepts for its workers, and hands whoever comes to another one.
  if (cluster.isWorker) for (const listener of listeners) listener.close()
  else await closeOneByOne(port, listeners)
  return { ended }
}

async function closeOneByOne(port: number, listeners: readonly NetServer[]): Promise<void> {
  const open = new Set(listeners)
  const place = { port, host: ownAddress(listeners[0]) }
  const knocks: Socket[] = []
  const ownPorts = new Set<number | undefined>()
  const knock = () => void knocks.push(knockAt(place, ownPorts))
  for (const listener of listeners) {
    letOneWait(listener)
    listener.prependListener('connection', ({ remotePort }: Socket) => {
      if (ownPorts.has(remotePort)) {
        listener.close()
        open.delete(listener)
      }
      // Where many want to come in, there is room only right after somebody was accepted.
      else knock()
    })
  }
  const until = performance.now() + CLOSE_WITHIN_MS
  while (open.size > 0 && performance.now() < until) {
    for (let i = Math.min(open.size, MOST_KNOCKS); i > 0; i--) knock()
    await nextTurn()
  }
  for (const listener of open) listener.close()
  for (const socket of knocks) socket.destroy()
}

/** Connects to a listener of the service, and notes the port that it connects from before a listener can accept it. */
function knockAt(place: ListenPlace, ownPorts: Set<number | undefined>): Socket {
  const knock = connect(place).on('error', () => undefined)
  process.nextTick(() => ownPorts.add(knock.localPort))
  return knock
}

/** Has the system keep one connection waiting for a listener, and no more. Node has no other way to change that once it listens. */
function letOneWait(listener: NetServer): void {
  if (!('_handle' in listener)) return
  const { _handle: handle } = listener
  if (handle !== null && typeof handle === 'object' && 'listen' in handle && typeof handle.listen === 'function')
    handle.listen(0)
}

/** An address at which this machine reaches a listener of its own. */
function ownAddress(listener: NetServer | undefined): string {
  const address = listener?.address()
  const host = typeof address === 'object' && address ? address.address : ''
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

function listenAt(server: NetServer, { host, port, reusePort }: ListenPlace & { reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: NetServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
