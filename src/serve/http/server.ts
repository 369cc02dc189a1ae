import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, createServer as createNetServer, type Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CacheBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { createServer, STATUS_CODES } from '../../base/node-http.ts'
import { Problem, type ProblemCode } from '../../base/problems.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import type { Look } from '../pages/look.ts'
import type { Admission } from './admission.ts'
import { type Intake, makeIntake } from './bodies.ts'
import { closeServer, makeFront, noteConnections, type OnAnswered, openFront, type StopTimes } from './front.ts'
import { LONGEST_URL, trustedProxies } from './incoming.ts'
import type { Service } from './respond.ts'
import { makeRouter } from './router.ts'

// Runs the HTTP server: it listens, limits what arrives, and stops in order.

/** Limits and surroundings of the server. */
interface ServerOptions {
  /** The most bytes of a body that is no upload. */
  bodyBytes: number
  /** The most bytes of an uploaded image. */
  imageBytes: number
  /** The most bytes of memory that all arriving bodies may hold together. */
  intakeBytes: number
  /** The folder that files are in while they arrive. */
  uploadFolder: string
  /** Milliseconds that a head may take to arrive, and that a body may stand still. */
  patienceMs: number
  /** The requests a second of one client; 0 for any number. */
  rateLimit: number
  trustedProxy: readonly string[]
  /** The memory that finished answers share with all other caches. */
  cacheBudget: CacheBudget
  /** The look of pages for people and of the desk. */
  look: Look
  hasPages: boolean
  /** Called for every answer. */
  onAnswered?: OnAnswered
}

/** Milliseconds that an idle connection is kept: longer than common proxies do, so that they never send into one that is being closed. */
const KEEP_ALIVE_MS = 75_000

/** The most bytes of a request line with all headers. */
const LONGEST_HEAD = 16_384

/** Milliseconds that a whole request may take to arrive, however steadily. */
const WHOLE_REQUEST_MS = 300_000

/** Milliseconds between searches for requests that take too long to arrive. */
const LOOK_AT_ARRIVING_MS = 1000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server that listens once `listen` is called. */
export interface HttpServer {
  server: Server
  /** The requests that run and those that wait. */
  admission: Admission
  /**
   * Listens, and returns the port. Where `isShared`, several listeners accept, so that new connections are soon taken in while others are busy.
   * @throws the error of a port that may not be listened on
   */
  listen: (place: ListenPlace, isShared: boolean) => Promise<number>
  /** Stops the server: see `closeServer`. */
  stop: (times: StopTimes) => Promise<void>
}

/** Makes the HTTP server: transport, limits and headers around the answers. */
export function makeServer(service: Service, options: ServerOptions): HttpServer {
  const trusted = options.trustedProxy.length > 0 ? trustedProxies(options.trustedProxy) : undefined
  const { bodyBytes, imageBytes: fileBytes, uploadFolder: folder, patienceMs } = options
  // Answers may hold as much memory as arriving bodies.
  const front = makeFront(service.site, {
    ...options,
    trusted,
    unsentBytes: options.intakeBytes,
    intake: makeIntake({ bodyBytes, fileBytes, folder, patienceMs, trusted }, options.intakeBytes),
    report: service.report,
  })
  let acceptors: Acceptors = { port: 0, listeners: [] }
  const server = listener(options, front.intake, (request, response) => enter(request, response))
  noteConnections(server, front.closing)
  const enter = openFront(front, makeRouter(service, front, options))
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, service.site, front.requestIds()))
  return {
    server,
    admission: front.admission,
    listen: async (place, isShared) => {
      acceptors = await openAcceptors(server, place, isShared)
      // By this event the server begins to watch the connections that it is given.
      server.emit('listening')
      return acceptors.port
    },
    stop: async (times) => {
      await closeServer(server, front.closing, times, () => closeAcceptors(acceptors))
      server.close()
    },
  }
}

function listener({ patienceMs }: ServerOptions, { mayGoOn }: Intake, handle: Handler): Server {
  const limits = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: LONGEST_HEAD,
    headersTimeout: patienceMs,
    requestTimeout: Math.max(WHOLE_REQUEST_MS, patienceMs),
    connectionsCheckingInterval: Math.min(LOOK_AT_ARRIVING_MS, patienceMs),
  }
  const server = createServer(limits, handle)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    mayGoOn.add(response)
    handle(request, response)
  })
  // Other expectations may be passed over (RFC 9110, 10.1.1); Node would answer them itself, with nothing but a status.
  server.on('checkExpectation', handle)
  return server
}

/** An error of a connection, with the bytes at which the parser stopped. */
interface ConnectionError extends Error {
  code?: string
  rawPacket?: unknown
}

/** Answers requests that are no HTTP, have too long a head, or arrive too slowly, and closes the connection. */
function refuseUnreadable(error: ConnectionError, socket: Duplex, site: Site, requestId: string): void {
  // A client that has sent nothing, such as a browser that connects in advance, gets no answer.
  if (error.code === 'ECONNRESET' || !(socket instanceof Socket) || !socket.writable || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const { status, body } = problemReply(new Problem(codeOf(error)), site.language, false)
  const text = JSON.stringify(body)
  const headers = [
    'Content-Type: application/json; charset=UTF-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${text}`, () =>
    socket.destroySoon(),
  )
}

function codeOf({ code, rawPacket: packet }: ConnectionError): ProblemCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'rest_request_timeout'
  if (code !== 'HPE_HEADER_OVERFLOW') return 'rest_invalid_request'
  // Of a head that is too long, only the last piece is at hand. A piece without a line end is taken for a part of the address.
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  return isOneLine ? 'rest_uri_too_long' : 'rest_head_too_large'
}

// The listeners of a server: several on one port, and closed without a reset for anybody.

/**
 * The number of listeners on one port. Node accepts one connection per listener in each turn of its event loop: with a single listener, a new client would
 * wait one turn for each client before it, and turns are long while many connections are busy. More listeners make starting and stopping longer.
 */
const LISTENERS = 64

/** The most connections that may wait for each listener to accept them; the system may allow fewer. */
const BACKLOG = 1024

/** Whether the system spreads the connections of a shared port over its listeners. */
export const canShare = process.platform === 'linux' || process.platform === 'freebsd'

/** The place where a server listens. */
interface ListenPlace {
  host: string
  port: number
}

/** The listeners of a server, each of which hands its connections to it. */
interface Acceptors {
  port: number
  listeners: readonly NetServer[]
}

/** Checks that a port is free: listens there, and closes again. @throws the error of a port that is taken or may not be listened on */
export async function checkFree(place: ListenPlace): Promise<void> {
  const probe = createNetServer()
  await listenAt(probe, { ...place, reusePort: false })
  await closed(probe)
}

/**
 * Accepts connections for a server, with several listeners where `isShared`. A shared port is checked first, because listening on it succeeds even where
 * somebody else listens there.
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

/** Milliseconds within which the listeners close one by one; those still open are then closed at once. */
const CLOSE_WITHIN_MS = 2000

/** The most connections that the service opens to itself in one turn of the event loop, to have its listeners closed. */
const MOST_KNOCKS = 64

/**
 * Stops accepting without a reset for anybody who has connected already: a system resets whoever waits at a listener that is closed. Each listener therefore
 * lets only one more connection wait, and the service connects to itself. A listener closes when it accepts this connection, since whoever waited there came
 * before. Clients that come meanwhile are refused, some a second later. `ended` resolves when all accepted connections have ended.
 */
export async function closeAcceptors({ port, listeners }: Acceptors): Promise<{ ended: Promise<unknown> }> {
  const ended = Promise.all(listeners.map((listener) => once(listener, 'close')))
  await closeOneByOne(port, listeners)
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
      // Where many want to come in, there is room for another knock only right after a connection was accepted.
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

/** Returns an address at which this machine reaches a listener of its own. */
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
