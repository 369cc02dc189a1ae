import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Site } from '../base/config.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import { clientOf } from '../base/text/urls.ts'
import { problemReply } from '../calendar/locales/problem-replies.ts'
import {
  type Admission,
  type Asker,
  makeAdmission,
  noPressure,
  type Pressure,
  type RequestHandlers,
  serveOrQueue,
  turnAway,
} from './admission.ts'
import { type Intake, passRest } from './bodies.ts'
import { clientAddress, type Incoming, readUrl, type Trusted, type Visit } from './incoming.ts'

// Admits, queues and refuses requests, stops the server, makes headers, and sends bodies to quick and slow
// readers.

/** The front of the server: it admits, queues and refuses requests, and reports each answer. */
export interface Front {
  site: Site
  admission: Admission
  pressure: Pressure<Visit>
  readers: SlowReaders
  intake: Intake
  rateLimit: RateLimit | undefined
  trusted: Trusted | undefined
  /** The number of requests of each connection that wait for an earlier answer. */
  behind: WeakMap<Socket, number>
  requestIds: () => string
  onAnswered: OnAnswered | undefined
  /** Reports a fault of the service. */
  report: (error: unknown, requestId?: string) => void
  closing: Closing
  refusals: Record<'overloaded' | 'tooMany' | HeadFault, Refusal>
  /** Answers 503 to a request, unless its client has gone. */
  tellOverloaded: (visit: Visit) => void
}

/** A refusal of the overloaded service, made in advance, since it has to cost next to nothing. */
interface Refusal {
  status: number
  headers: readonly string[]
  body: Buffer
}

/** The options of a front. */
interface FrontOptions {
  patienceMs: number
  /** The most bytes of answers held together for readers that do not take them. */
  unsentBytes: number
  intake: Intake
  /** The requests a second of one client; 0 for any number. */
  rateLimit: number
  trusted: Trusted | undefined
  onAnswered?: OnAnswered | undefined
  report: Front['report']
}

/**
 * The most requests of one connection that wait for earlier answers. A client that sends more reads no
 * answers, so its connection is closed.
 */
const MOST_BEHIND = 100

export function makeFront(site: Site, options: FrontOptions): Front {
  const front: Front = {
    site,
    admission: makeAdmission(),
    pressure: noPressure(),
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
    tellOverloaded: (visit) => isGone(visit.request) || sendRefusal(front, visit, front.refusals.overloaded),
  }
  return front
}

/** The headers that a refusal keeps of those of other answers: few, since each one takes time. */
const OF_REFUSALS = new Set([
  'Content-Type',
  'X-Content-Type-Options',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'Retry-After',
])

const AGAIN = { 'Retry-After': '1' }

function makeRefusal(site: Site, code: ProblemCode, own: Record<string, string> = {}): Refusal {
  const { status, body } = problemReply(new Problem(code), site.language, false)
  const bytes = Buffer.from(JSON.stringify(body))
  const all = answerHeaders(site, own, false)
  const kept = Object.entries(all).filter(([name]) => OF_REFUSALS.has(name))
  const headers = { ...Object.fromEntries(kept), 'Content-Length': String(bytes.length) }
  return { status, headers: Object.entries(headers).flat(), body: bytes }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Makes the handler of all requests. It admits the requests of each connection one after the other, so that
 * at most one answer is held for each reader, and only as many requests as the service can handle. `/healthz`
 * and `/readyz` are always admitted.
 */
export function openFront(front: Front, serve: (visit: Visit) => void): Handler {
  const handling: RequestHandlers<Visit> = {
    serve: (visit) => isGone(visit.request) || serve(visit),
    refuse: front.tellOverloaded,
    clientOf: ({ request }) => clientOf(clientAddress(request, front.trusted)),
  }
  const receive: Handler = (request, response) => {
    const url = readUrl(front.site, request.url)
    const visit: Visit = { request, response, url, requestId: front.requestIds(), arrived: performance.now() }
    const fault = faultOfHead(request)
    if (fault) refuseHead(front, visit, fault)
    else if (isWatching(url.path)) serve(visit)
    else if (!mayAsk(front, request, visit.arrived)) sendRefusal(front, visit, front.refusals.tooMany)
    else serveOrQueue(front.pressure, visit, visit.arrived, handling)
  }
  return (request, response) => {
    // A response queued behind others of its connection has no socket yet.
    if (response.socket !== null) receive(request, response)
    else waitBehind(front, request, response, receive)
  }
}

type HeadFault = 'rest_invalid_request' | 'rest_unsupported_transfer_coding' | 'rest_unsupported_http_version'

/** Returns the fault of a head that the parser lets pass (RFC 9112, 2.3, 3.2 and 6.1); undefined for none. */
function faultOfHead({ httpVersionMajor, headers, rawHeaders }: IncomingMessage): HeadFault | undefined {
  if (httpVersionMajor !== 1) return 'rest_unsupported_http_version'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'rest_unsupported_transfer_coding'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts > 1 ? 'rest_invalid_request' : undefined
}

function refuseHead(front: Front, visit: Visit, fault: HeadFault): void {
  visit.response.shouldKeepAlive = false
  sendRefusal(front, visit, front.refusals[fault])
}

function mayAsk({ rateLimit, trusted }: Front, request: IncomingMessage, now: number): boolean {
  return !rateLimit || mayAskAgain(rateLimit, clientAddress(request, trusted), now)
}

/** Decides whether a request asks for the health of the service; such requests are never refused. */
function isWatching(path: string): boolean {
  return path === '/healthz' || path === '/readyz'
}

function waitBehind(
  { behind }: Front,
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

/** Answers 503 to a request after `HELD_MS`, during which others are served. */
export function refuseOverload(front: Front, visit: Visit): void {
  turnAway(front.pressure, visit, front.tellOverloaded)
}

function sendRefusal(front: Front, visit: Visit, { status, headers, body }: Refusal): void {
  const { request, response, requestId } = visit
  const { origin } = request.headers
  const crossOrigin = origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
  writeHead(front, response, status, [...headers, 'X-Request-Id', requestId, ...crossOrigin])
  response.end(request.method === 'HEAD' ? undefined : body)
  passRest(request)
  announce(front.onAnswered, visit, '', 'refused', status, body.length)
}

/** Writes the head of an answer. While the server stops, it says that its connection closes. */
export function writeHead(
  { closing }: Front,
  response: ServerResponse,
  status: number,
  headers: string[],
): void {
  if (closing.isClosing) response.shouldKeepAlive = false
  response.writeHead(status, headers)
}

/** Decides whether the client of a request has gone. */
export function isGone(request: IncomingMessage): boolean {
  return request.socket.destroyed
}

/** Returns the client of a request, as queues need it. */
export function askerOf({ trusted }: Front, { request }: Visit): Asker {
  return { address: clientAddress(request, trusted), isGone: () => isGone(request) }
}

/** Makes the request from which its answer is made; the body has not been read yet. */
export function incomingOf(front: Front, visit: Visit, readBody: Incoming['readBody']): Incoming {
  const { request, url, requestId } = visit
  const { method = 'GET', headers } = request
  return { method, url, headers, ...askerOf(front, visit), requestId, readBody }
}

/** The facts of an answer that has been handed to the connection, for the log and the metrics. */
export interface Answered {
  /** The method as sent, before overrides. */
  method: string
  /** Path and query as sent; it may hold secrets. */
  url: string
  /**
   * The template below the REST root, such as `/tribe/events/v1/events/{id}`, or a path such as `/healthz`;
   * `''` for no route.
   */
  route: string
  status: number
  /** Milliseconds since the request arrived; 0 for a refusal, which waits on purpose. */
  ms: number
  /** Bytes of the body as it goes out; 0 for none. */
  bytes: number
  requestId: string
  /** Its connection and headers say who asks. */
  request: IncomingMessage
  /** The login of its sender; `''` for a stranger. */
  user: string
  /**
   * Where the answer came from: the finished answers, the index of events in memory, the ordinary way, or a
   * refusal by the overloaded service.
   */
  from: 'finished' | 'memory' | 'ordinary' | 'refused'
}

/** Called for every answer, whichever way it was made. It must be quick and never throw. */
export type OnAnswered = (answered: Answered) => void

/** Reports an answer to the log and the metrics. */
export function announce(
  onAnswered: OnAnswered | undefined,
  { request, requestId, arrived, user = '' }: Visit,
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

/**
 * Makes the function that gives each request an id, unique among all processes: a random start and a number.
 */
function makeRequestIds(): () => string {
  const start = `${randomBytes(6).toString('base64url')}-`
  let last = 0
  return () => {
    last += 1
    return start + last.toString(36)
  }
}

/**
 * The requests that each client may still make (`left`): up to `perSecond` more each second, and at most
 * twice as many at once.
 */
interface RateLimit {
  perSecond: number
  clients: Map<string, { left: number; at: number }>
}

/** The most clients that are counted; for a further one, the client seen first is forgotten. */
const MOST_CLIENTS = 50_000

export function makeRateLimit(perSecond: number): RateLimit {
  return { perSecond, clients: new Map() }
}

/**
 * Counts a request of this address. Returns false where it is one too many. `now` is in milliseconds on a
 * clock that does not go back.
 */
export function mayAskAgain(limit: RateLimit, address: string, now: number): boolean {
  const { perSecond, clients } = limit
  const name = clientOf(address)
  const most = perSecond * 2
  const known = clients.get(name)
  const left = known ? Math.min(most, known.left + ((now - known.at) / 1000) * perSecond) : most
  const mayAsk = left >= 1
  const entry = known ?? { left, at: now }
  entry.left = mayAsk ? left - 1 : left
  entry.at = now
  if (known) return mayAsk
  if (clients.size >= MOST_CLIENTS) for (const first of clients.keys()) if (clients.delete(first)) break
  clients.set(name, entry)
  return mayAsk
}

/** Counts further requests of this address without refusing them; later requests are refused for longer. */
export function countFurther(limit: RateLimit, address: string, requests: number): void {
  const known = limit.clients.get(clientOf(address))
  if (known) known.left -= requests
}

// Stops a server without dropping the requests it has.

/** The state of a server that may be about to stop, and its connections. */
export interface Closing {
  /** Whether the server takes requests as before, but says that it is not ready any more. */
  isDraining: boolean
  /** Whether the server takes no new connection, and closes each connection after its answer. */
  isClosing: boolean
  /** The connections, each with the time when it began, on the clock of `performance.now`. */
  connections: Map<Socket, number>
}

/** How long a stop takes. */
export interface StopTimes {
  /**
   * Milliseconds during which connections are accepted while /readyz answers 503. Idle ones are kept for as
   * long again, at most `LINGER_MS`.
   */
  drainMs: number
  /** Milliseconds after which unanswered requests are dropped. */
  deadlineMs: number
}

/** Milliseconds between searches for idle connections. */
const LET_GO_EVERY_MS = 20

/** The most milliseconds that an idle connection is kept for its next request, whose answer closes it. */
const LINGER_MS = 1000

/**
 * Milliseconds for which a connection that has sent nothing is kept, since its first request may be on its
 * way.
 */
const SPEAKS_WITHIN_MS = 200

/** Notes the connections of a server. */
export function noteConnections(server: Server, { connections }: Closing): void {
  server.on('connection', (socket) => {
    connections.set(socket, performance.now())
    socket.once('close', () => connections.delete(socket))
  })
}

/**
 * Stops a server in steps. It drains: balancers that ask whether it is ready go elsewhere. It stops
 * listening, and each answer closes its connection, from which proxies learn to connect elsewhere. Then it
 * closes connections without a request, and at the deadline all that are left. `stopListening` accepts no
 * connection from its call on, and resolves when none is left.
 */
export async function closeServer(
  server: Server,
  closing: Closing,
  { drainMs, deadlineMs }: StopTimes,
  stopListening: () => Promise<unknown>,
): Promise<void> {
  closing.isDraining = true
  if (drainMs > 0) await sleep(drainMs)
  await untilNobodyConnects(server)
  const ended = stopListening()
  closing.isClosing = true
  const lingersUntil = performance.now() + Math.min(drainMs, LINGER_MS)
  const letGo = setInterval(() => void closeIdle(server, closing, lingersUntil), LET_GO_EVERY_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  try {
    void closeIdle(server, closing, lingersUntil)
    await ended
  } finally {
    clearInterval(letGo)
    clearTimeout(deadline)
  }
}

/** The most turns of the event loop for which a stop waits until nobody connects. */
const MOST_TURNS = 100

/**
 * Waits for a turn of the event loop without a new connection: closing a listener resets those in its
 * backlog.
 */
async function untilNobodyConnects(server: Server): Promise<void> {
  let connected = true
  const note = () => {
    connected = true
  }
  server.on('connection', note)
  for (let turns = 0; connected && turns < MOST_TURNS; turns++) {
    connected = false
    await nextTurn()
  }
  server.off('connection', note)
}

/** From `lingersUntil` on, closes connections without a request, also those that have never sent anything. */
async function closeIdle(server: Server, { connections }: Closing, lingersUntil: number): Promise<void> {
  if (performance.now() < lingersUntil) return
  // By the next turn, requests that have arrived have been read.
  await nextTurn()
  server.closeIdleConnections()
  const now = performance.now()
  for (const [socket, since] of connections)
    if (socket.bytesRead === 0 && now - since > SPEAKS_WITHIN_MS) socket.destroy()
}

// Headers of answers, and headers of requests that decide about them: conditions and compression.

/** Bodies shorter than this many bytes are sent as they are. */
const COMPRESS_FROM = 1400
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location, Allow, Retry-After, Idempotency-Replayed, Preference-Applied, X-Kalends-Ignored'
const VARY = 'Origin, Accept-Encoding, Authorization'
/** `Vary` of answers whose representation `Accept` can choose. */
export const VARY_WITH_ACCEPT = `${VARY}, Accept`
const ALLOWED_HEADERS =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-Match, If-None-Match, X-HTTP-Method-Override, Idempotency-Key, Prefer'

/**
 * Makes the headers of every answer (rule 28.1). Those in `own` override them, except that the links in `own`
 * follow the link to the root.
 */
export function answerHeaders(
  site: Site,
  own: Readonly<Record<string, string>>,
  isPublic: boolean,
): Record<string, string> {
  const { Link: link, ...others } = own
  const root = `<${site.restUrl}/>; rel="https://api.w.org/"`
  return {
    'Content-Type': 'application/json; charset=UTF-8',
    'X-Robots-Tag': 'noindex',
    Link: link ? `${root}, ${link}` : root,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Expose-Headers': EXPOSED,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    Vary: VARY,
    ...(isPublic
      ? { 'Cache-Control': 'public, max-age=0, must-revalidate' }
      : {
          Expires: 'Wed, 11 Jan 1984 05:00:00 GMT',
          'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
        }),
    ...others,
  }
}

/**
 * Makes the headers that let pages of other sites read the answer (rule 28.3); none for a request without an
 * origin.
 */
export function crossOriginHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'OPTIONS, GET, POST, PUT, PATCH, DELETE',
  }
}

/** Decides whether the client has the body already, by its ETag (RFC 9110, 13.1.2: weak comparison). */
export function hasCurrent(headers: IncomingHttpHeaders, tag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known === tag) return true
  const isCurrent = (entry: string) => entry === '*' || isSame(entry, tag)
  return known.split(',').some((entry) => isCurrent(entry.trim()))
}

/**
 * Milliseconds that the data must be unchanged before an answer has a Last-Modified header. Until then
 * another process or node may not know of a change, and the header has whole seconds only.
 */
const QUIET_MS = 5000

/**
 * Returns the Last-Modified time of an answer, in milliseconds but rounded up to a second; undefined while
 * the change is too recent.
 */
function settledSecond(modified: number | undefined): number | undefined {
  if (modified === undefined) return undefined
  const second = Math.ceil(modified / 1000) * 1000
  return Date.now() - second >= QUIET_MS ? second : undefined
}

/** Adds Last-Modified to a flat list of headers, unless the change is too recent. */
export function addLastModified(headers: string[], modified: number | undefined): void {
  const second = settledSecond(modified)
  if (second !== undefined) headers.push('Last-Modified', httpDate(second))
}

/** The date formatted last, kept because an answer that is sent again and again always has the same one. */
const lastDate = { second: Number.NaN, text: '' }

/** Formats a whole second, given in milliseconds, for a header. */
function httpDate(second: number): string {
  if (second !== lastDate.second) Object.assign(lastDate, { second, text: new Date(second).toUTCString() })
  return lastDate.text
}

/** Decides whether the client's copy is current by If-Modified-Since alone (RFC 9110, 13.1.3). */
export function isUnmodified(headers: IncomingHttpHeaders, modified: number | undefined): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const second = settledSecond(modified)
  return second !== undefined && Date.parse(since) >= second && Date.parse(since) <= Date.now()
}

/**
 * Decides whether an ETag from a client is this one, or its strong form: caches in between may turn a weak
 * ETag into a strong one.
 */
function isSame(entry: string, tag: string): boolean {
  return entry === tag || `W/${entry}` === tag
}

export type Encoding = 'zstd' | 'br' | 'gzip'

/**
 * Returns the encoding that a client gets for a body of this many bytes, `isLasting` if it never changes;
 * undefined for none.
 */
export function encodingFor(
  headers: IncomingHttpHeaders,
  size: number,
  isLasting = false,
): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (size < COMPRESS_FROM || typeof accepted !== 'string') return undefined
  return (isLasting ? SMALLEST : QUICKEST).find(({ taken }) => taken.test(accepted))?.encoding
}

/**
 * Makes an encoding with the pattern of an `Accept-Encoding` that names it and does not refuse it by `q=0`.
 */
const accepting = (encoding: Encoding) => ({
  encoding,
  taken: new RegExp(
    `(?:^|,)[ \\t]*${encoding}[ \\t]*(?:;(?![^,]*q=0(?:\\.0*)?[ \\t]*(?:[,;]|$))[^,]*)?(?:,|$)`,
    'i',
  ),
})
const [ZSTD, BROTLI, GZIP] = [accepting('zstd'), accepting('br'), accepting('gzip')]
/** The encodings that are offered: the quickest first, and the smallest first for what never changes. */
const QUICKEST = [ZSTD, BROTLI, GZIP]
const SMALLEST = [BROTLI, ZSTD, GZIP]

// Readers who do not take their answers: watched, and dropped where others need the room.

/** Answers that their readers have not taken yet, and the bytes that they hold. */
interface SlowReaders {
  /** Milliseconds after which a reader that has taken nothing is dropped. */
  patienceMs: number
  /** Bytes of the answers that are each held for one reader alone; `most` is their limit. */
  held: number
  most: number
  answers: Map<ServerResponse, { bytes: number; since: number }>
}

/** Milliseconds after which the reader of an answer is dropped when there is no room for others. */
const SLOW_AFTER_MS = 2000

/** Answers of up to this many bytes are sent, whatever else is held. */
const SMALL = 65_536

/**
 * Bytes of a body handed over at once; a quick reader gets twice as many each time. A reader that takes
 * nothing of a piece for `patienceMs` is dropped.
 */
const PIECE = 131_072
const LARGEST_PIECE = 8 * PIECE

/** A reader that takes a piece within this many milliseconds is quick. */
const QUICKLY_MS = 100

function noSlowReaders(patienceMs: number, most: number): SlowReaders {
  return { patienceMs, held: 0, most, answers: new Map() }
}

/**
 * Decides whether an answer of this many bytes may be held for a reader that does not take it at once. Drops
 * readers that have been slow for long to make room. An answer that is larger than all the room may be held
 * alone, or it could never be read.
 */
export function makesRoomFor(readers: SlowReaders, bytes: number): boolean {
  const fits = () => readers.held === 0 || readers.held + bytes <= readers.most
  if (bytes <= SMALL || fits()) return true
  const now = performance.now()
  for (const [response, { since }] of readers.answers) {
    if (now - since < SLOW_AFTER_MS) break
    forgetReader(readers, response)
    response.destroy()
    if (fits()) return true
  }
  return false
}

/**
 * Decides whether answers over `SMALL` have no room, even after readers that were slow for long have been
 * dropped.
 */
export function isCrowded(readers: SlowReaders): boolean {
  return !makesRoomFor(readers, SMALL + 1)
}

/**
 * Sends a body whose head has been written, a large one piece by piece as it is taken. `own` is the number of
 * its bytes that are held for this reader alone; `sent` is called once all of it has left.
 */
export function sendBody(
  readers: SlowReaders,
  response: ServerResponse,
  body: Buffer,
  own: number,
  sent?: () => void,
): void {
  if (body.length <= PIECE) response.end(body, sent)
  else sendInPieces(response, body, sent)
  if (!response.writableEnded || response.socket?.writableLength !== 0) watchReader(readers, response, own)
}

function sendInPieces(response: ServerResponse, body: Buffer, sent?: () => void): void {
  let at = 0
  const goOn = (size: number) => {
    while (at + size < body.length) {
      const piece = body.subarray(at, at + size)
      at += size
      if (writeNow(response, piece)) continue
      const since = performance.now()
      response.once('drain', () => goOn(nextPiece(size, performance.now() - since)))
      return
    }
    response.end(body.subarray(at), sent)
  }
  goOn(PIECE)
}

/** Returns the bytes of the next piece, by the milliseconds that the last one took. */
function nextPiece(size: number, tookMs: number): number {
  return tookMs <= QUICKLY_MS ? Math.min(2 * size, LARGEST_PIECE) : PIECE
}

/**
 * Hands a piece to the system at once; node:http would wait for the end of the turn, and then to be told that
 * there is room again. Returns true where all of the piece has been taken.
 */
function writeNow(response: ServerResponse, piece: Buffer): boolean {
  const { socket } = response
  socket?.cork()
  const isBelowMark = response.write(piece)
  socket?.uncork()
  return isBelowMark || socket?.writableLength === 0
}

/**
 * Watches an answer in transit, and drops a reader that takes nothing of it for `patienceMs`. `own` is the
 * number of bytes held for this reader alone.
 */
export function watchReader(readers: SlowReaders, response: ServerResponse, own: number): void {
  if (readers.answers.has(response) || response.destroyed) return
  readers.answers.set(response, { bytes: own, since: performance.now() })
  readers.held += own
  const look = () => {
    // Where nothing waits to be taken, the delay is not the reader's.
    if ((response.socket?.writableLength ?? 0) > 0) response.destroy()
    else timer.refresh()
  }
  const timer = setTimeout(look, readers.patienceMs)
  response.on('drain', () => timer.refresh())
  response.once('close', () => {
    clearTimeout(timer)
    forgetReader(readers, response)
  })
}

function forgetReader(readers: SlowReaders, response: ServerResponse): void {
  readers.held -= readers.answers.get(response)?.bytes ?? 0
  readers.answers.delete(response)
}
