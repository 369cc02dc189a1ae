import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Site } from '../../base/config.ts'
import { Problem, type ProblemCode } from '../../base/problems.ts'
import { clientOf } from '../../base/text/client-of.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import { type Admission, type Asker, makeAdmission } from './admission.ts'
import { announce, makeRequestIds, type OnAnswered } from './answered.ts'
import { passRest } from './bodies.ts'
import { clientAddress, type Trusted } from './client-address.ts'
import type { Closing } from './closing.ts'
import { answerHeaders, crossOriginHeaders } from './headers.ts'
import type { Incoming, Visit } from './incoming.ts'
import { arrive, type Handling, noPressure, type Pressure, turnAway } from './pressure.ts'
import { makeRateLimit, mayAskAgain, type RateLimit } from './rate-limit.ts'
import { readUrl } from './request-url.ts'
import { noSlowReaders, type SlowReaders } from './slow-readers.ts'

/** The front of the server: it admits, queues and refuses requests, and reports each answer. */
export interface Front {
  site: Site
  admission: Admission
  pressure: Pressure<Visit>
  readers: SlowReaders
  rateLimit: RateLimit | undefined
  trusted: Trusted | undefined
  /** Requests of a connection that wait for the answer before theirs. */
  behind: WeakMap<Socket, number>
  requestIds: () => string
  onAnswered: OnAnswered | undefined
  /** Reports a fault of the service. */
  report: (error: unknown, requestId?: string) => void
  refusals: Record<'overloaded' | 'tooMany', Refusal>
  /** Refuses a request, since the service is overloaded. */
  tellOverloaded: (visit: Visit) => void
}

/** A refusal of the overloaded service, made in advance, since it has to cost next to nothing. */
interface Refusal {
  status: number
  headers: readonly string[]
  body: Buffer
}

/** The options of a front. */
export interface FrontOptions {
  patienceMs: number
  /** bytes of answers that readers who do not take them may hold together */
  unsentBytes: number
  /** requests a second of one client; 0 for any number */
  rateLimit: number
  trusted: Trusted | undefined
  onAnswered?: OnAnswered | undefined
  report: Front['report']
}

/** The most requests of one connection that wait for earlier answers; a client that sends more reads no answers at all. */
const MOST_BEHIND = 100

export function makeFront(site: Site, options: FrontOptions): Front {
  const front: Front = {
    site,
    admission: makeAdmission(),
    pressure: noPressure(),
    readers: noSlowReaders(options.patienceMs, options.unsentBytes),
    rateLimit: options.rateLimit === 0 ? undefined : makeRateLimit(options.rateLimit),
    trusted: options.trusted,
    behind: new WeakMap(),
    requestIds: makeRequestIds(),
    onAnswered: options.onAnswered,
    report: options.report,
    refusals: {
      overloaded: makeRefusal(site, 'rest_unavailable'),
      tooMany: makeRefusal(site, 'rest_too_many_requests'),
    },
    tellOverloaded: (visit) => isGone(visit.request) || sendRefusal(front, visit, front.refusals.overloaded),
  }
  return front
}

/** The headers of a refusal: there are few, since each one takes time. */
const OF_REFUSALS = new Set([
  'Content-Type',
  'X-Content-Type-Options',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'Retry-After',
])

function makeRefusal(site: Site, code: ProblemCode): Refusal {
  const { status, body } = problemReply(new Problem(code), site.language, false)
  const bytes = Buffer.from(JSON.stringify(body))
  const all = answerHeaders(site, { 'Retry-After': '1' }, false)
  const kept = Object.entries(all).filter(([name]) => OF_REFUSALS.has(name))
  const headers = { ...Object.fromEntries(kept), 'Content-Length': String(bytes.length) }
  return { status, headers: Object.entries(headers).flat(), body: bytes }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Admits the requests of each connection one after the other, so that at most one answer is held for each reader, and only as many as the service can
 * handle. `/healthz` and `/readyz` are always admitted.
 */
export function openFront(front: Front, closing: Closing, serve: (visit: Visit) => void): Handler {
  const handling: Handling<Visit> = {
    serve: (visit) => isGone(visit.request) || serve(visit),
    refuse: front.tellOverloaded,
    clientOf: ({ request }) => clientOf(clientAddress(request, front.trusted)),
  }
  const receive: Handler = (request, response) => {
    if (closing.isClosing) response.shouldKeepAlive = false
    const url = readUrl(front.site, request.url)
    const visit: Visit = { request, response, url, requestId: front.requestIds(), arrived: performance.now() }
    if (isWatching(url.path)) serve(visit)
    else if (!mayAsk(front, request, visit.arrived)) sendRefusal(front, visit, front.refusals.tooMany)
    else arrive(front.pressure, visit, visit.arrived, handling)
  }
  return (request, response) => {
    // A response queued behind others of its connection has no socket yet.
    if (response.socket !== null) receive(request, response)
    else waitBehind(front, request, response, receive)
  }
}

function mayAsk({ rateLimit, trusted }: Front, request: IncomingMessage, now: number): boolean {
  return !rateLimit || mayAskAgain(rateLimit, clientAddress(request, trusted), now)
}

/** Whether a request asks for the health of the service; such requests are never refused. */
function isWatching(path: string): boolean {
  return path === '/healthz' || path === '/readyz'
}

function waitBehind({ behind }: Front, request: IncomingMessage, response: ServerResponse, receive: Handler): void {
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

/** Answers 503 after a while. */
export function refuseOverload(front: Front, visit: Visit): void {
  turnAway(front.pressure, visit, front.tellOverloaded)
}

function sendRefusal(front: Front, visit: Visit, { status, headers, body }: Refusal): void {
  const { request, response, requestId } = visit
  const { origin } = request.headers
  const crossOrigin = origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
  response.writeHead(status, [...headers, 'X-Request-Id', requestId, ...crossOrigin])
  response.end(request.method === 'HEAD' ? undefined : body)
  passRest(request)
  announce(front.onAnswered, visit, '', 'refused', status, body.length)
}

/** True when the client has gone. */
export function isGone(request: IncomingMessage): boolean {
  return request.socket.destroyed
}

/** The sender of a request, for the queue that it waits in. */
export function askerOf({ trusted }: Front, { request }: Visit): Asker {
  return { address: clientAddress(request, trusted), isGone: () => isGone(request) }
}

/** A request as its answer needs it. */
export function incomingOf(front: Front, visit: Visit, readBody: Incoming['readBody']): Incoming {
  const { request, url, requestId } = visit
  const { method = 'GET', headers } = request
  return { method, url, headers, ...askerOf(front, visit), requestId, readBody }
}
