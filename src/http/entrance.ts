import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Site } from '../base/config.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import { problemAnswer } from '../calendar/locales/problem-answers.ts'
import { type Admission, type Asker, makeAdmission } from './admission.ts'
import { answerHeaders, crossOriginHeaders } from './answer-headers.ts'
import { type Intake, passRest } from './bodies.ts'
import { clientAddress, type Exchange, type IncomingRequest, readUrl, type Trusted } from './incoming.ts'
import { makeRateLimit, mayAskAgain, type RateLimit } from './rate-limit.ts'
import { noSlowReaders, type SlowReaders } from './slow-readers.ts'
import type { Closing } from './stopping.ts'

// Receives requests, and refuses malformed or excessive ones.

export interface Entrance {
  site: Site
  admission: Admission
  readers: SlowReaders
  intake: Intake
  rateLimit: RateLimit | undefined
  trusted: Trusted | undefined
  behind: WeakMap<Socket, number>
  requestIds: () => string
  onAnswered: OnAnswered | undefined
  report: (error: unknown, requestId?: string) => void
  closing: Closing
  refusals: Record<'overloaded' | 'tooMany' | HeadFault, Refusal>
}

/** An answer made in advance, since a refusal has to cost next to nothing. */
interface Refusal {
  status: number
  headers: readonly string[]
  body: Buffer
}

interface EntranceOptions {
  patienceMs: number
  /** Room in bytes for answers that readers have not taken yet (see `makesRoomFor`). */
  unsentBytes: number
  intake: Intake
  /** Requests a second of one client; 0 for any number. */
  rateLimit: number
  trusted: Trusted | undefined
  onAnswered?: OnAnswered | undefined
  report: Entrance['report']
}

/** Maximum of pipelined requests; a client that sends more is cut off. */
const MOST_BEHIND = 100

export function makeEntrance(site: Site, options: EntranceOptions): Entrance {
  return {
    site,
    admission: makeAdmission(),
    readers: noSlowReaders(options.patienceMs, options.unsentBytes),
    intake: options.intake,
    rateLimit: options.rateLimit === 0 ? undefined : makeRateLimit(options.rateLimit),
    trusted: options.trusted,
    behind: new WeakMap(),
    requestIds: makeRequestIds(),
    onAnswered: options.onAnswered,
    report: options.report,
    closing: { isDraining: false, isClosing: false, connections: new Map() },
    refusals: {
      overloaded: makeRefusal(site, 'rest_unavailable', AGAIN),
      tooMany: makeRefusal(site, 'rest_too_many_requests', AGAIN),
      rest_invalid_request: makeRefusal(site, 'rest_invalid_request'),
      rest_unsupported_transfer_coding: makeRefusal(site, 'rest_unsupported_transfer_coding'),
      rest_unsupported_http_version: makeRefusal(site, 'rest_unsupported_http_version'),
    },
  }
}

const OF_REFUSALS = new Set([
  'Content-Type',
  'X-Content-Type-Options',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'Retry-After',
])

const AGAIN = { 'Retry-After': '1' }

function makeRefusal(site: Site, code: ProblemCode, own: Record<string, string> = {}): Refusal {
  const { status, body } = problemAnswer(new Problem(code), site.language, false)
  const bytes = Buffer.from(JSON.stringify(body))
  const all = answerHeaders(site, own, false)
  const kept = all.filter((_, at) => OF_REFUSALS.has(all[at - (at % 2)] ?? ''))
  return { status, headers: [...kept, 'Content-Length', String(bytes.length)], body: bytes }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves the requests of a connection one after the other, so that only one answer per connection is held.
 * `/healthz` and `/readyz` have no rate limit.
 */
export function openEntrance(entrance: Entrance, serve: (exchange: Exchange) => void): Handler {
  const receive: Handler = (request, response) => {
    const url = readUrl(entrance.site, request.url)
    const exchange: Exchange = {
      request,
      response,
      url,
      requestId: entrance.requestIds(),
      arrived: performance.now(),
    }
    const fault = faultOfHead(request)
    if (fault) refuseHead(entrance, exchange, fault)
    else if (isWatching(url.path) || mayAsk(entrance, request, exchange.arrived)) serve(exchange)
    else sendRefusal(entrance, exchange, entrance.refusals.tooMany)
  }
  return (request, response) => {
    // The response to a request behind others has no socket yet.
    if (response.socket !== null) receive(request, response)
    else waitBehind(entrance, request, response, receive)
  }
}

type HeadFault = 'rest_invalid_request' | 'rest_unsupported_transfer_coding' | 'rest_unsupported_http_version'

/** Finds faults that the parser lets pass (RFC 9112, 2.3, 3.2, 6.1). */
function faultOfHead({ httpVersionMajor, headers, rawHeaders }: IncomingMessage): HeadFault | undefined {
  if (httpVersionMajor !== 1) return 'rest_unsupported_http_version'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'rest_unsupported_transfer_coding'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts > 1 ? 'rest_invalid_request' : undefined
}

function refuseHead(entrance: Entrance, exchange: Exchange, fault: HeadFault): void {
  exchange.response.shouldKeepAlive = false
  sendRefusal(entrance, exchange, entrance.refusals[fault])
}

function mayAsk({ rateLimit, trusted }: Entrance, request: IncomingMessage, now: number): boolean {
  return !rateLimit || mayAskAgain(rateLimit, clientAddress(request, trusted), now)
}

function isWatching(path: string): boolean {
  return path === '/healthz' || path === '/readyz'
}

function waitBehind(
  { behind }: Entrance,
  request: IncomingMessage,
  response: ServerResponse,
  receive: Handler,
): void {
  const { socket } = request
  const waiting = (behind.get(socket) ?? 0) + 1
  behind.set(socket, waiting)
  if (waiting > MOST_BEHIND) {
    socket.destroy()
    return
  }
  response.once('socket', () => {
    behind.set(socket, (behind.get(socket) ?? 1) - 1)
    process.nextTick(receive, request, response)
  })
}

/**
 * In ms. Refused clients may retry at once, whatever the answer says; the delay lets the thread serve others.
 */
const HELD_MS = 500

export function refuseOverload(entrance: Entrance, exchange: Exchange): void {
  const refuse = () =>
    isGone(exchange.request) || sendRefusal(entrance, exchange, entrance.refusals.overloaded)
  setTimeout(refuse, HELD_MS)
}

function sendRefusal(entrance: Entrance, exchange: Exchange, { status, headers, body }: Refusal): void {
  const { request, response, requestId } = exchange
  const { origin } = request.headers
  const crossOrigin = origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
  writeHead(entrance, response, status, [...headers, 'X-Request-Id', requestId, ...crossOrigin])
  response.end(request.method === 'HEAD' ? undefined : body)
  passRest(request)
  announce(entrance.onAnswered, exchange, '', 'refused', status, body.length)
}

/** Writes the head; while the server stops, it says that the connection closes. */
export function writeHead(
  { closing }: Entrance,
  response: ServerResponse,
  status: number,
  headers: string[],
): void {
  if (closing.isClosing) response.shouldKeepAlive = false
  response.writeHead(status, headers)
}

export function isGone(request: IncomingMessage): boolean {
  return request.socket.destroyed
}

export function askerOf({ trusted }: Entrance, { request }: Exchange): Asker {
  return { address: clientAddress(request, trusted), isGone: () => isGone(request) }
}

export function incomingOf(
  entrance: Entrance,
  exchange: Exchange,
  readBody: IncomingRequest['readBody'],
): IncomingRequest {
  const { request, url, requestId } = exchange
  const { method = 'GET', headers } = request
  return { method, url, headers, ...askerOf(entrance, exchange), requestId, readBody }
}

export interface Answered {
  method: string
  /** The address as sent, which may hold secrets. */
  url: string
  /** The path template below the REST root, or a path such as `/healthz`; `''` for none. */
  route: string
  status: number
  /** Ms since the request arrived; 0 for a refusal, which may wait on purpose. */
  ms: number
  bytes: number
  requestId: string
  request: IncomingMessage
  user: string
  from: 'finished' | 'memory' | 'ordinary' | 'refused'
}

/** Called for each answer; has to be quick, and must never throw. */
export type OnAnswered = (answered: Answered) => void

export function announce(
  onAnswered: OnAnswered | undefined,
  { request, requestId, arrived, user = '' }: Exchange,
  route: string,
  from: Answered['from'],
  status: number,
  bytes: number,
): void {
  if (!onAnswered) return
  const { method = 'GET', url = '' } = request
  const ms = from === 'refused' ? 0 : performance.now() - arrived
  onAnswered({ method, url, route, status, ms, bytes, requestId, request, user, from })
}

function makeRequestIds(): () => string {
  const start = `${randomBytes(6).toString('base64url')}-`
  let last = 0
  return () => {
    last += 1
    return start + last.toString(36)
  }
}
