import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer, STATUS_CODES } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CacheBudget } from '../base/cache.ts'
import type { Site } from '../base/config.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import { problemReply } from '../calendar/locales/problem-replies.ts'
import type { Look } from '../features/pages/look.ts'
import type { Admission } from './admission.ts'
import { type Intake, makeIntake } from './bodies.ts'
import {
  closeServer,
  makeFront,
  noteConnections,
  type OnAnswered,
  openFront,
  type StopTimes,
} from './front.ts'
import { LONGEST_URL, trustedProxies } from './incoming.ts'
import type { Service } from './respond.ts'
import { makeRouter } from './router.ts'

// Runs the HTTP server: it listens, limits what arrives, and stops in order.

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

/**
 * Milliseconds that an idle connection is kept: longer than common proxies do, so that they never send into
 * one that is being closed.
 */
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
   * Listens, and returns the port. Where `isShared`, several listeners accept, so that new connections are
   * soon taken in while others are busy.
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
  let listeners: readonly NetServer[] = []
  const server = listener(options, front.intake, (request, response) => enter(request, response))
  noteConnections(server, front.closing)
  const enter = openFront(front, makeRouter(service, front, options))
  server.on('clientError', (error, socket) =>
    refuseUnreadable(error, socket, service.site, front.requestIds()),
  )
  return {
    server,
    admission: front.admission,
    listen: async (place, isShared) => {
      listeners = await openListeners(server, place, isShared)
      // By this event the server begins to watch the connections that it is given.
      server.emit('listening')
      return portOf(listeners[0], place)
    },
    stop: async (times) => {
      await closeServer(server, front.closing, times, () => closeListeners(listeners))
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
  // Other expectations may be passed over (RFC 9110, 10.1.1); Node would answer them itself, with nothing but
  // a status.
  server.on('checkExpectation', handle)
  return server
}

/** An error of a connection, with the bytes at which the parser stopped. */
interface ConnectionError extends Error {
  code?: string
  rawPacket?: unknown
}

function refuseUnreadable(error: ConnectionError, socket: Duplex, site: Site, requestId: string): void {
  // A client that has sent nothing, such as a browser that connects in advance, gets no answer.
  if (
    error.code === 'ECONNRESET' ||
    !(socket instanceof Socket) ||
    !socket.writable ||
    socket.bytesRead === 0
  ) {
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
  // Of a head that is too long, only the last piece is at hand. A piece without a line end is taken for a
  // part of the address.
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  return isOneLine ? 'rest_uri_too_long' : 'rest_head_too_large'
}

// The listeners of a server: several on one port.

/**
 * The number of listeners on one port. Node accepts one connection per listener in each turn of its event
 * loop, and turns are long while many connections are busy: with one listener 300 new clients wait for 0.9 s,
 * with eight for 0.1.
 */
const LISTENERS = 8

/** The most connections that may wait for each listener to accept them; the system may allow fewer. */
const BACKLOG = 1024

/** Whether the system spreads the connections of a shared port over its listeners. */
export const canShare = process.platform === 'linux' || process.platform === 'freebsd'

interface ListenPlace {
  host: string
  port: number
}

/**
 * Checks that a port is free: listens there, and closes again.
 * @throws the error of a port that is taken or may not be listened on
 */
async function checkFree(place: ListenPlace): Promise<void> {
  await closeListeners([await openListener(undefined, place, false)])
}

/**
 * Opens the listeners that accept connections for a server, several where `isShared`. A shared port is
 * checked first, because listening on it succeeds even where somebody else listens there.
 * @throws the error of a port that is taken or may not be listened on
 */
export async function openListeners(
  server: Server,
  place: ListenPlace,
  isShared: boolean,
): Promise<NetServer[]> {
  if (isShared && place.port !== 0) await checkFree(place)
  const first = await openListener(server, place, isShared)
  const further = Array.from({ length: isShared ? LISTENERS - 1 : 0 }, () =>
    openListener(server, { ...place, port: portOf(first, place) }, isShared),
  )
  return [first, ...(await Promise.all(further))]
}

function openListener(
  server: Server | undefined,
  place: ListenPlace,
  reusePort: boolean,
): Promise<NetServer> {
  const listener = createNetServer({ noDelay: true }, (socket) => server?.emit('connection', socket))
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ ...place, reusePort, backlog: BACKLOG }, () => {
      listener.off('error', reject)
      resolve(listener)
    })
  })
}

function portOf(listener: NetServer | undefined, { port }: ListenPlace): number {
  const address = listener?.address()
  return typeof address === 'object' && address ? address.port : port
}

/** Closes listeners at once. Resolves when all connections that they have accepted have ended. */
export function closeListeners(listeners: readonly NetServer[]): Promise<unknown> {
  return Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
}
