import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CacheBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { createServer, STATUS_CODES } from '../../base/node-http.ts'
import { Problem, type ProblemCode } from '../../base/problems.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import type { Look } from '../pages/look.ts'
import { type Acceptors, closeAcceptors, type ListenPlace, openAcceptors } from './acceptors.ts'
import type { Admission } from './admission.ts'
import { closeServer, makeFront, notClosing, type OnAnswered, openFront, type StopTimes } from './front.ts'
import { LONGEST_URL, trustedProxies } from './incoming.ts'
import { makeIntake } from './intake.ts'
import type { Service } from './respond.ts'
import { makeRouter } from './router.ts'

// The HTTP server: it listens, limits what arrives, and stops in order.

/** Limits and surroundings of the server. */
interface ServerOptions {
  /** bytes of a body that is no upload */
  bodyBytes: number
  /** bytes of an uploaded image */
  imageBytes: number
  /** bytes that all bodies on their way in may hold together */
  intakeBytes: number
  /** where files are kept while they arrive */
  uploadFolder: string
  /** milliseconds that a head may take to arrive, and a body may stand still */
  patienceMs: number
  /** requests a second of one client; 0 for any number */
  rateLimit: number
  trustedProxy: readonly string[]
  /** what finished answers share with whatever else is kept in memory */
  cacheBudget: CacheBudget
  /** how pages for people and the desk look */
  look: Look
  hasPages: boolean
  /** hears of every answer */
  onAnswered?: OnAnswered
}

/** Longer than the idle time of common proxies, so that they never send into a connection that is being closed. */
const KEEP_ALIVE_MS = 75_000

/** Bytes of a request line with all headers. */
const LONGEST_HEAD = 16_384

/** How long a whole request may take to arrive, however steadily. */
const WHOLE_REQUEST_MS = 300_000

/** How often requests that take too long to arrive are looked for. */
const LOOK_AT_ARRIVING_MS = 1000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server that listens once `listen` is called. */
export interface HttpServer {
  server: Server
  /** The requests that run and those that wait. */
  admission: Admission
  /**
   * Listens, `isShared` with several listeners, so that new connections are soon taken in while others are busy. The port.
   * @throws the error of a port that may not be listened on
   */
  listen: (place: ListenPlace, isShared: boolean) => Promise<number>
  /** Stops it: see `closeServer`. */
  stop: (times: StopTimes) => Promise<void>
}

/** The HTTP server: transport, limits and headers around the answers. */
export function makeServer(service: Service, options: ServerOptions): HttpServer {
  const trusted = options.trustedProxy.length > 0 ? trustedProxies(options.trustedProxy) : undefined
  // Requests may take as much memory as answers.
  const front = makeFront(service.site, {
    ...options,
    trusted,
    unsentBytes: options.intakeBytes,
    report: service.report,
  })
  // The answers to requests that wait to be told to send their body.
  const mayGoOn = new WeakSet<ServerResponse>()
  let acceptors: Acceptors = { port: 0, listeners: [] }
  const server = listener(options, mayGoOn, (request, response) => enter(request, response))
  const closing = notClosing(server)
  const { bodyBytes, imageBytes: fileBytes, uploadFolder: folder, patienceMs } = options
  const intake = makeIntake({ bodyBytes, fileBytes, folder, patienceMs }, options.intakeBytes)
  const enter = openFront(front, closing, makeRouter(service, front, closing, { ...options, intake, mayGoOn }))
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, service.site, front.requestIds()))
  return {
    server,
    admission: front.admission,
    listen: async (place, isShared) => {
      acceptors = await openAcceptors(server, place, isShared)
      // From here on it watches the connections that it is given.
      server.emit('listening')
      return acceptors.port
    },
    stop: async (times) => {
      await closeServer(server, closing, times, () => closeAcceptors(acceptors))
      server.close()
    },
  }
}

/** The listener. `mayGoOn` gets the answers to requests that wait to be told to send their body. */
function listener({ patienceMs }: ServerOptions, mayGoOn: WeakSet<ServerResponse>, handle: Handler): Server {
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
  // Of a head that is too long only the last piece is at hand; without a line end it is taken for a piece of the address.
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  return isOneLine ? 'rest_uri_too_long' : 'rest_head_too_large'
}
