import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer, STATUS_CODES } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Site } from '../base/config.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import { problemAnswer } from '../calendar/locales/problem-answers.ts'
import type { Admission } from './admission.ts'
import { type Intake, makeIntake } from './bodies.ts'
import { makeEntrance, type OnAnswered, openEntrance } from './entrance.ts'
import { LONGEST_URL, trustedProxies } from './incoming.ts'
import type { Service } from './respond.ts'
import { makeRouter, type RouterParts } from './router.ts'
import { closeServer, noteConnections, type StopTimes } from './stopping.ts'

interface ServerOptions extends RouterParts {
  /** Maximum of bytes of a body that is no upload. */
  bodyBytes: number
  imageBytes: number
  /** Bytes of memory for bodies of writers; those of others get an eighth more. */
  intakeBytes: number
  uploadFolder: string
  /** In ms: the time for a head to arrive, and for a body to pause. */
  patienceMs: number
  rateLimit: number
  trustedProxy: readonly string[]
  onAnswered?: OnAnswered
}

/** In ms: longer than common proxies wait, so that they do not send into a closing connection. */
const KEEP_ALIVE_MS = 75_000

/** Maximum bytes of request line and headers. */
const LONGEST_HEAD = 16_384

/** In ms: the time for a whole request, however steadily it arrives. */
const WHOLE_REQUEST_MS = 300_000

const LOOK_AT_ARRIVING_MS = 1000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface HttpServer {
  server: Server
  admission: Admission
  /**
   * Listens, and returns the port. With `isShared`, several listeners accept new connections sooner.
   * @throws the error of node:net if the port is taken or not permitted
   */
  listen: (place: ListenPlace, isShared: boolean) => Promise<number>
  stop: (times: StopTimes) => Promise<void>
}

export function makeServer(service: Service, options: ServerOptions): HttpServer {
  const trusted = options.trustedProxy.length > 0 ? trustedProxies(options.trustedProxy) : undefined
  const { bodyBytes, imageBytes: fileBytes, uploadFolder: folder, patienceMs } = options
  // Unsent answers may hold as much memory as bodies of writers.
  const entrance = makeEntrance(service.site, {
    ...options,
    trusted,
    unsentBytes: options.intakeBytes,
    intake: makeIntake({ bodyBytes, fileBytes, folder, patienceMs, trusted }, options.intakeBytes),
    report: service.report,
  })
  let listeners: readonly NetServer[] = []
  const server = listener(options, entrance.intake, (request, response) => enter(request, response))
  noteConnections(server, entrance.closing)
  const enter = openEntrance(entrance, makeRouter(service, entrance, options))
  server.on('clientError', (error, socket) =>
    refuseUnreadable(error, socket, service.site, entrance.requestIds()),
  )
  return {
    server,
    admission: entrance.admission,
    listen: async (place, isShared) => {
      listeners = await openListeners(server, place, isShared)
      server.emit('listening')
      return portOf(listeners[0], place)
    },
    stop: async (times) => {
      await closeServer(server, entrance.closing, times, () => closeListeners(listeners))
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
  // See RFC 9110, 10.1.1; Node would answer with nothing but a status.
  server.on('checkExpectation', handle)
  return server
}

interface ConnectionError extends Error {
  code?: string
  rawPacket?: unknown
}

function refuseUnreadable(error: ConnectionError, socket: Duplex, site: Site, requestId: string): void {
  // A browser that connects in advance and sends nothing gets no answer.
  if (
    error.code === 'ECONNRESET' ||
    !(socket instanceof Socket) ||
    !socket.writable ||
    socket.bytesRead === 0
  ) {
    socket.destroy()
    return
  }
  const { status, body } = problemAnswer(new Problem(codeOf(error)), site.language, false)
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
  // Node gives only the last piece of a long head; a piece without a line end is taken for part of the URL.
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  return isOneLine ? 'rest_uri_too_long' : 'rest_head_too_large'
}

/**
 * Node accepts one connection per listener and event loop turn, so many new clients wait less with several.
 */
const LISTENERS = 8

/** Connections waiting to be accepted; the system may allow fewer. */
const BACKLOG = 1024

/** True on systems that spread connections over the listeners of a shared port. */
export const canShare = process.platform === 'linux' || process.platform === 'freebsd'

interface ListenPlace {
  host: string
  port: number
}

/**
 * Listens on the port; if `isShared`, with several listeners. A shared port is checked first, since listening
 * succeeds even if another process has it.
 * @throws the error of a port that is taken or may not be listened on
 */
export async function openListeners(
  server: Server,
  place: ListenPlace,
  isShared: boolean,
): Promise<NetServer[]> {
  if (isShared && place.port !== 0) await closeListeners([await openListener(undefined, place, false)])
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

/** Closes the listeners; resolves when accepted connections have ended. */
export function closeListeners(listeners: readonly NetServer[]): Promise<unknown> {
  return Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
}
