import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Reply } from '../formats/format.ts'
import { isPretty, jsonBytes } from '../formats/json.ts'
import type { CacheBudget } from '../memory/cache.ts'
import { createServer } from '../node-http.ts'
import type { Look } from '../pages/page-assets.ts'
import { Problem } from '../problems.ts'
import { versionedTag } from '../records/versions.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { type Acceptors, closeAcceptors, openAcceptors, type Place } from './acceptors.ts'
import type { Admission } from './admission.ts'
import type { OnAnswered } from './answered.ts'
import { type BodyReader, makeBodyReader, passRest } from './bodies.ts'
import { trustedProxies } from './client-address.ts'
import { type Closing, closeServer, notClosing, type StopTimes } from './closing.ts'
import { askerOf, type Front, isWatching, makeFront, openFront, refuseOverload } from './front.ts'
import { answerHeaders } from './headers.ts'
import type { Incoming } from './incoming.ts'
import { makeIntake } from './intake.ts'
import { sendMedia } from './media-files.ts'
import { isPressed } from './pressure.ts'
import { problemReply } from './problem-replies.ts'
import { makePublicFeeds, type PublicFeeds, serveFeed } from './public-feeds.ts'
import { makePublicPages, type PublicPages, sendProblemPage, servePage } from './public-pages.ts'
import { makePublicReads, type PublicReads, readPublic, type TellWrong } from './public-reads.ts'
import { refuseUnreadable } from './refusals.ts'
import { makeResponder, type Responder, type Service } from './respond.ts'
import { namedRoute } from './rest-route.ts'
import { makeRouteTable } from './route-table.ts'
import { asNew, contentTagInTurns, send, sendStream, type Visit } from './send.ts'
import { sitePage, takesHtml } from './site-page.ts'

/** Limits and surroundings of the server. */
export interface ServerOptions {
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
  /** how pages for people look; undefined where there are none */
  look: Look | undefined
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

/** A server that listens once it is told to. */
export interface HttpServer {
  server: Server
  /** The requests that run and those that wait. */
  admission: Admission
  /**
   * Listens, `isShared` with several listeners, so that new connections are soon taken in while others are busy. The port.
   * @throws the error of a port that may not be listened on
   */
  listen: (place: Place, isShared: boolean) => Promise<number>
  /** Stops it: see `closeServer`. */
  stop: (times: StopTimes) => Promise<void>
}

/** Those who may answer a request: the first that knows it does, once feeds have been made the lists they show. */
interface Servers {
  service: Service
  front: Front
  feeds: PublicFeeds
  reads: PublicReads
  pages: PublicPages | undefined
  /** Answers everything that is left. */
  handler: Handler
}

function makeServe({ service, front, feeds, reads, pages, handler }: Servers): Handler {
  const serve = (request: IncomingMessage, response: ServerResponse, tellWrong?: TellWrong) => {
    if (readPublic(reads, request, response, tellWrong)) return
    const otherwise = () => {
      if (isPressed(front.pressure) && !isWatching(request.url)) refuseOverload(front, request, response)
      else handler(request, response)
    }
    if (!pages || !servePage(pages, request, response, otherwise)) otherwise()
  }
  // Programs are told of a wrong parameter of a feed as JSON, and people on a page.
  const tellPeople: TellWrong | undefined = pages && ((visit, names) => sendProblemPage(pages, visit, 400, names))
  const serveAsFeed: Handler = (request, response) =>
    serve(request, response, takesHtml(request) ? tellPeople : undefined)
  return (request, response) => {
    request.url = namedRoute(service.site.restRoot, withPath(request.url ?? '/'))
    if (!serveFeed(feeds, request, response, serveAsFeed)) serve(request, response)
  }
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
  const routes = makeRouteTable(service.site)
  const respond = makeResponder(service, routes, front)
  const reads = makePublicReads(service, routes, respond, options.cacheBudget, front)
  const pages = options.look && makePublicPages(service, front, reads.finished, options.cacheBudget, options.look)
  const feeds = makePublicFeeds(service, front, options.cacheBudget, pages)
  // The answers to requests that wait to be told to send their body.
  const mayGoOn = new WeakSet<ServerResponse>()
  let acceptors: Acceptors = { port: 0, listeners: [] }
  const server = listener(options, mayGoOn, (request, response) => enter(request, response))
  const closing = notClosing(server)
  const handler = makeHandler(service, front, closing, makeInterface(options, front, mayGoOn, respond))
  const enter = openFront(front, closing, makeServe({ service, front, feeds, reads, pages, handler }))
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

/** Answers one visit, later. */
type Answering = (visit: Visit) => Promise<void>

/** Answers what is no page, no feed and no read that memory knows: by the route of its path, or as the interface does. */
function makeHandler(service: Service, front: Front, closing: Closing, answerInterface: Answering): Handler {
  const own = ownRoutes(service, front, closing)
  const find = ({ method, url = '' }: IncomingMessage): Answering => {
    if (method !== 'GET' && method !== 'HEAD') return answerInterface
    const [path = ''] = url.split('?', 1)
    if (!path.startsWith(MEDIA_PATH)) return own.get(path) ?? answerInterface
    const key = path.slice(MEDIA_PATH.length)
    return (visit) => sendMedia(service, front, visit, decodedPath(key) ?? key)
  }
  return (request, response) => {
    request.url = decodable(request.url ?? '/')
    const visit: Visit = { request, response, requestId: front.requestIds(), arrived: performance.now() }
    find(request)(visit)
      .catch((error: unknown) => {
        // An answer that has begun can only be broken off.
        if (response.headersSent) throw error
        return sendReply(front, visit, failureReply(service, error, visit.requestId))
      })
      .catch((error: unknown) => {
        front.report(error, visit.requestId)
        response.destroy()
      })
  }
}

const MEDIA_PATH = '/media/'

/** The answers at paths beside the interface. */
function ownRoutes(service: Service, front: Front, closing: Closing): ReadonlyMap<string, Answering> {
  const { site } = service
  const sendJson = (visit: Visit, route: string, status: number, body: object) => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8', ...(status === 503 && { 'Retry-After': '1' }) }
    sendBytes(front, visit, { status, route, headers, body: Buffer.from(JSON.stringify(body)) })
  }
  const ready: Answering = async (visit) => {
    const say = (status: number, body: object) => sendJson(visit, '/readyz', status, body)
    if (closing.isDraining) return say(503, { status: 'stopping' })
    try {
      await service.database.ping()
      await service.images.store.check()
      say(200, { status: 'ready', memory: service.memory.index ? 'filled' : 'filling' })
    } catch (error) {
      service.report(error, visit.requestId)
      say(503, { status: whatFails(error) })
    }
  }
  const welcome: Answering = async (visit) => {
    const { headers, html } = sitePage(site)
    sendBytes(front, visit, { status: 200, route: '/', headers, body: Buffer.from(html) })
  }
  return new Map<string, Answering>([
    ['/healthz', async (visit) => sendJson(visit, '/healthz', 200, { status: 'alive' })],
    ['/readyz', ready],
    ...(site.restRoot === '' ? [] : ['/', '/index.php'].map((path) => [path, welcome] as const)),
  ])
}

/** Answers everything below the REST root, and addresses that do not exist. */
function makeInterface(
  options: ServerOptions,
  front: Front,
  mayGoOn: WeakSet<ServerResponse>,
  respond: Responder,
): Answering {
  const { bodyBytes, imageBytes: fileBytes, uploadFolder: folder, patienceMs } = options
  const intake = makeIntake({ bodyBytes, fileBytes, folder, patienceMs }, options.intakeBytes)
  return async (visit) => {
    const { request, response } = visit
    const body = makeBodyReader(request, response, intake, mayGoOn)
    try {
      const incoming = incomingOf(visit, front, body)
      const answer = await respond(incoming)
      await sendReply(front, { ...visit, user: incoming.user }, answer)
    } finally {
      await body.letGo()
    }
  }
}

/** The answer to an error that nobody has answered. */
function failureReply({ site, report }: Service, error: unknown, requestId: string): Reply {
  if (!(error instanceof Problem)) report(error, requestId)
  const known = error instanceof Problem ? error : new Problem('rest_internal_error')
  const { status, body } = problemReply(known, site.language, false)
  const { retryAfter } = known.details
  return { status, headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }, body }
}

/** Sends an answer of the ordinary way. */
async function sendReply(front: Front, visit: Visit, answer: Reply): Promise<void> {
  const { status, route = '', innerStatus = 200, shown } = answer
  const { method, url = '', headers: asked } = visit.request
  const headers = Object.entries(answerHeaders(front.site, answer.headers, asked.authorization === undefined)).flat()
  const content = shown ? shown.bytes : await jsonBytes(answer.body, isPretty(url))
  passRest(visit.request)
  if (!Buffer.isBuffer(content)) {
    sendStream(front, visit, { status, route, headers, tag: '', chunks: content }, 'ordinary')
    return
  }
  const isRead = method === 'GET' || method === 'HEAD'
  const isTagged = isRead && status === 200 && innerStatus === 200
  const tag = isTagged ? versionedTag(await contentTagInTurns(content), answer.version) : ''
  send(front, visit, { ...asNew(), status, route, headers, tag, body: content }, 'ordinary')
}

/** Sends an answer without an ETag. */
function sendBytes(
  front: Front,
  visit: Visit,
  { headers, ...answer }: { status: number; route: string; headers: Record<string, string>; body: Buffer },
): void {
  send(front, visit, { ...asNew(), ...answer, headers: Object.entries(headers).flat(), tag: '' }, 'ordinary')
}

function incomingOf({ request, requestId }: Visit, front: Front, body: BodyReader): Incoming {
  const { method = 'GET', url = '', headers } = request
  return { method, url, headers, ...askerOf(front, request), requestId, readBody: body.read }
}

/** Why the service is not ready, as `/readyz` says it. */
function whatFails(error: unknown): string {
  const lack = error instanceof DatabaseUnavailable ? error.lack : error instanceof Problem ? error.code : undefined
  if (lack === 'room' || lack === 'rest_insufficient_storage') return 'there is no room left to write into'
  if (lack === 'permission' || lack === 'rest_read_only') return 'what has to be written may only be read'
  return 'the database does not answer'
}

/** The beginning of an absolute address, as it is sent to proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[^/]*(?=\/)/

/** The address from its path on; one that is no path at all is a path that is not there. */
function withPath(sent: string): string {
  if (sent.startsWith('/')) return sent
  const url = sent.replace(ABSOLUTE, '')
  return url.startsWith('/') ? url : `/${url}`
}

/** The address with a path that can be decoded: one that is not percent-encoded as it should be is taken to the letter. */
function decodable(url: string): string {
  const [path = ''] = url.split('?', 1)
  return decodedPath(path) === undefined ? path.replaceAll('%', '%25') + url.slice(path.length) : url
}

/** A path decoded; undefined where it cannot be. */
function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
