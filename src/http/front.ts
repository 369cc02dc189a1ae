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

// Admits, queues and refuses requests, stops the server, writes headers, serves quick and slow readers.

export interface Front {
  site: Site
  admission: Admission
  pressure: Pressure<Visit>
  readers: SlowReaders
  intake: Intake
  rateLimit: RateLimit | undefined
  trusted: Trusted | undefined
  /** Waiting for an earlier answer, by connection. */
  behind: WeakMap<Socket, number>
  requestIds: () => string
  onAnswered: OnAnswered | undefined
  /** A fault of the service. */
  report: (error: unknown, requestId?: string) => void
  closing: Closing
  refusals: Record<'overloaded' | 'tooMany' | HeadFault, Refusal>
  /** 503, unless the client has gone. */
  tellOverloaded: (visit: Visit) => void
}

/** Made in advance: it has to cost next to nothing. */
interface Refusal {
  status: number
  headers: readonly string[]
  body: Buffer
}

interface FrontOptions {
  patienceMs: number
  /** Of answers for readers that do not take them. */
  unsentBytes: number
  intake: Intake
  /** A second, of one client; 0 for any number. */
  rateLimit: number
  trusted: Trusted | undefined
  onAnswered?: OnAnswered | undefined
  report: Front['report']
}

/** A client that sends more reads no answers: its connection is closed. */
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

/** Few, since each takes time. */
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
 * One request of a connection after the other, so that one answer is held for each reader. `/healthz` and
 * `/readyz` are always admitted.
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
    // Queued behind others, it has no socket yet.
    if (response.socket !== null) receive(request, response)
    else waitBehind(front, request, response, receive)
  }
}

type HeadFault = 'rest_invalid_request' | 'rest_unsupported_transfer_coding' | 'rest_unsupported_http_version'

/** That the parser lets pass (RFC 9112, 2.3, 3.2, 6.1). */
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

/** Never refused. */
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

/** After `HELD_MS`, during which others are served. */
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

/** While the server stops, connections close. */
export function writeHead(
  { closing }: Front,
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

export function askerOf({ trusted }: Front, { request }: Visit): Asker {
  return { address: clientAddress(request, trusted), isGone: () => isGone(request) }
}

/** The body has not been read. */
export function incomingOf(front: Front, visit: Visit, readBody: Incoming['readBody']): Incoming {
  const { request, url, requestId } = visit
  const { method = 'GET', headers } = request
  return { method, url, headers, ...askerOf(front, visit), requestId, readBody }
}

/** For log and metrics. */
export interface Answered {
  /** Before overrides. */
  method: string
  /** As sent; it may hold secrets. */
  url: string
  /** Below the REST root, or a path such as `/healthz`; `''` for none. */
  route: string
  status: number
  /** Since it arrived; 0 for a refusal, which waits on purpose. */
  ms: number
  /** As it goes out. */
  bytes: number
  requestId: string
  request: IncomingMessage
  /** `''` for a stranger. */
  user: string
  from: 'finished' | 'memory' | 'ordinary' | 'refused'
}

/** Quick, never throws. */
export type OnAnswered = (answered: Answered) => void

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

/** A random start and a number. */
function makeRequestIds(): () => string {
  const start = `${randomBytes(6).toString('base64url')}-`
  let last = 0
  return () => {
    last += 1
    return start + last.toString(36)
  }
}

/** `left`: `perSecond` more each second, at most twice as many at once. */
interface RateLimit {
  perSecond: number
  clients: Map<string, { left: number; at: number }>
}

/** For a further one the client seen first is forgotten. */
const MOST_CLIENTS = 50_000

export function makeRateLimit(perSecond: number): RateLimit {
  return { perSecond, clients: new Map() }
}

/** False where it is one too many. `now` on a clock that does not go back. */
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

/** Without refusing them; later ones are refused for longer. */
export function countFurther(limit: RateLimit, address: string, requests: number): void {
  const known = limit.clients.get(clientOf(address))
  if (known) known.left -= requests
}

// Stops a server without dropping requests.

export interface Closing {
  /** Not ready any more, but takes requests. */
  isDraining: boolean
  /** No new connection; each closes after its answer. */
  isClosing: boolean
  /** Since when (`performance.now`). */
  connections: Map<Socket, number>
}

export interface StopTimes {
  /** While /readyz answers 503. Idle connections are kept as long again, at most `LINGER_MS`. */
  drainMs: number
  /** Then unanswered requests are dropped. */
  deadlineMs: number
}

const LET_GO_EVERY_MS = 20

/** For the next request, whose answer closes it. */
const LINGER_MS = 1000

/** Its first request may be on its way. */
const SPEAKS_WITHIN_MS = 200

export function noteConnections(server: Server, { connections }: Closing): void {
  server.on('connection', (socket) => {
    connections.set(socket, performance.now())
    socket.once('close', () => connections.delete(socket))
  })
}

/**
 * Drains (balancers go elsewhere), stops listening while each answer closes its connection, closes
 * connections without a request, at the deadline all. `stopListening` resolves when none is left.
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

const MOST_TURNS = 100

/** Closing a listener resets connections in its backlog. */
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

/** From `lingersUntil` on, also those that never sent anything. */
async function closeIdle(server: Server, { connections }: Closing, lingersUntil: number): Promise<void> {
  if (performance.now() < lingersUntil) return
  // By then, requests that have arrived have been read.
  await nextTurn()
  server.closeIdleConnections()
  const now = performance.now()
  for (const [socket, since] of connections)
    if (socket.bytesRead === 0 && now - since > SPEAKS_WITHIN_MS) socket.destroy()
}

// Headers, conditions, compression.

/** In bytes; below it compression costs more than it saves. */
const COMPRESS_FROM = 1400
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location, Allow, Retry-After, Idempotency-Replayed, Preference-Applied, X-Kalends-Ignored'
const VARY = 'Origin, Accept-Encoding, Authorization'
/** `Accept` chooses the representation. */
export const VARY_WITH_ACCEPT = `${VARY}, Accept`
const ALLOWED_HEADERS =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-Match, If-None-Match, X-HTTP-Method-Override, Idempotency-Key, Prefer'

/** Rule 28.1; `own` wins, but links in it follow that to the root. */
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

/** Rule 28.3; none without an origin. */
export function crossOriginHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'OPTIONS, GET, POST, PUT, PATCH, DELETE',
  }
}

/** By ETag (RFC 9110, 13.1.2: weak). */
export function hasCurrent(headers: IncomingHttpHeaders, tag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known === tag) return true
  const isCurrent = (entry: string) => entry === '*' || isSame(entry, tag)
  return known.split(',').some((entry) => isCurrent(entry.trim()))
}

/** Before, another process may not know of a change, and the header has whole seconds. */
const QUIET_MS = 5000

/** Ms, rounded up to a second; undefined while the change is too recent. */
function settledSecond(modified: number | undefined): number | undefined {
  if (modified === undefined) return undefined
  const second = Math.ceil(modified / 1000) * 1000
  return Date.now() - second >= QUIET_MS ? second : undefined
}

/** Unless the change is too recent. */
export function addLastModified(headers: string[], modified: number | undefined): void {
  const second = settledSecond(modified)
  if (second !== undefined) headers.push('Last-Modified', httpDate(second))
}

/** An answer sent again and again has the same date. */
const lastDate = { second: Number.NaN, text: '' }

function httpDate(second: number): string {
  if (second !== lastDate.second) Object.assign(lastDate, { second, text: new Date(second).toUTCString() })
  return lastDate.text
}

/** RFC 9110, 13.1.3. */
export function isUnmodified(headers: IncomingHttpHeaders, modified: number | undefined): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const second = settledSecond(modified)
  return second !== undefined && Date.parse(since) >= second && Date.parse(since) <= Date.now()
}

/** Or its strong form: caches may turn a weak ETag into one. */
function isSame(entry: string, tag: string): boolean {
  return entry === tag || `W/${entry}` === tag
}

export type Encoding = 'zstd' | 'br' | 'gzip'

/** `isLasting` if it never changes. */
export function encodingFor(
  headers: IncomingHttpHeaders,
  size: number,
  isLasting = false,
): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (size < COMPRESS_FROM || typeof accepted !== 'string') return undefined
  return (isLasting ? SMALLEST : QUICKEST).find(({ taken }) => taken.test(accepted))?.encoding
}

/** Named, and not refused by `q=0`. */
const accepting = (encoding: Encoding) => ({
  encoding,
  taken: new RegExp(
    `(?:^|,)[ \\t]*${encoding}[ \\t]*(?:;(?![^,]*q=0(?:\\.0*)?[ \\t]*(?:[,;]|$))[^,]*)?(?:,|$)`,
    'i',
  ),
})
const [ZSTD, BROTLI, GZIP] = [accepting('zstd'), accepting('br'), accepting('gzip')]
/** The smallest first for what never changes. */
const QUICKEST = [ZSTD, BROTLI, GZIP]
const SMALLEST = [BROTLI, ZSTD, GZIP]

// Slow readers: watched, and dropped where others need the room.

interface SlowReaders {
  /** For a reader that takes nothing. */
  patienceMs: number
  /** Of answers held for one reader each. */
  held: number
  most: number
  answers: Map<ServerResponse, { bytes: number; since: number }>
}

/** Without room for others. */
const SLOW_AFTER_MS = 2000

/** Sent whatever else is held. */
const SMALL = 65_536

/** A quick reader gets twice as many each time; one that takes nothing for `patienceMs` is dropped. */
const PIECE = 131_072
const LARGEST_PIECE = 8 * PIECE

/** Takes a piece within so long. */
const QUICKLY_MS = 100

function noSlowReaders(patienceMs: number, most: number): SlowReaders {
  return { patienceMs, held: 0, most, answers: new Map() }
}

/**
 * Drops slow readers to make room. An answer larger than all the room may be held alone, or it could never be
 * read.
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

/** No room for more than `SMALL`, even without slow readers. */
export function isCrowded(readers: SlowReaders): boolean {
  return !makesRoomFor(readers, SMALL + 1)
}

/** Piece by piece as it is taken. `own`: bytes held for this reader alone; `sent` once all has left. */
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

/** By the ms of the last one. */
function nextPiece(size: number, tookMs: number): number {
  return tookMs <= QUICKLY_MS ? Math.min(2 * size, LARGEST_PIECE) : PIECE
}

/**
 * At once: node:http would wait for the end of the turn, and to be told of room. True where all was taken.
 */
function writeNow(response: ServerResponse, piece: Buffer): boolean {
  const { socket } = response
  socket?.cork()
  const isBelowMark = response.write(piece)
  socket?.uncork()
  return isBelowMark || socket?.writableLength === 0
}

/** Drops a reader that takes nothing for `patienceMs`. `own`: bytes held for this reader alone. */
export function watchReader(readers: SlowReaders, response: ServerResponse, own: number): void {
  if (readers.answers.has(response) || response.destroyed) return
  readers.answers.set(response, { bytes: own, since: performance.now() })
  readers.held += own
  const look = () => {
    // Where nothing waits, the delay is not the reader's.
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
