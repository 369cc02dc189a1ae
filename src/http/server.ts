import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import multipart from '@fastify/multipart'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { CacheBudget } from '../cache/cache.ts'
import type { Reply } from '../formats/format.ts'
import { isPretty } from '../formats/json.ts'
import { jsonBytes } from '../formats/json-bytes.ts'
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
import { refuseUnreadable, transportProblem } from './refusals.ts'
import { makeResponder, type Responder, type Service } from './respond.ts'
import { namedRoute } from './rest-route.ts'
import { makeRouteTable } from './route-table.ts'
import { asNew, contentTagInTurns, send, sendStream, type Visit } from './send.ts'
import { sitePage, takesHtml } from './site-page.ts'

/** Limits and surroundings of the server. */
export interface ServerOptions {
  logger: FastifyBaseLogger | false
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

/** Of one multipart form. */
const MOST_FIELDS = 1000
const MOST_FILES = 10

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server that listens once its framework is told to. */
export interface HttpServer {
  framework: FastifyInstance
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
  /** The framework, which answers everything that is left. */
  handler: (request: IncomingMessage, response: ServerResponse) => void
}

function makeServe({ service, front, feeds, reads, pages, handler }: Servers): Servers['handler'] {
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
  const serveAsFeed: Servers['handler'] = (request, response) =>
    serve(request, response, takesHtml(request) ? tellPeople : undefined)
  return (request, response) => {
    const { url = '/' } = request
    const named = namedRoute(service.site.restRoot, url)
    if (named !== url) request.url = named
    if (!serveFeed(feeds, request, response, serveAsFeed)) serve(request, response)
  }
}

/** The framework's own compilers of schemas take 30 ms to load. */
const compileNothing = (): never => {
  throw new Error('No route of the framework has a schema.')
}
const NO_SCHEMAS = { compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing } }

/** The HTTP server: transport, limits and headers around the answers; the only place that knows the framework. */
export async function makeServer(service: Service, options: ServerOptions): Promise<HttpServer> {
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
  const mayGoOn = new WeakSet<ServerResponse>()
  let acceptors: Acceptors = { port: 0, listeners: [] }
  let closing: Closing = { isDraining: false, isClosing: false, connections: new Map() }
  const app: FastifyInstance = Fastify({
    serverFactory: (handler) => {
      const server = listener(options, mayGoOn, (request, response) => enter(request, response))
      closing = notClosing(server)
      const enter = openFront(front, closing, makeServe({ service, front, feeds, reads, pages, handler }))
      return server
    },
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: NO_SCHEMAS,
    ...(options.logger ? { loggerInstance: options.logger } : {}),
    bodyLimit: options.bodyBytes,
    genReqId: front.requestIds,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 10_000 },
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, service.site, front.requestIds()),
  })
  await app.register(multipart, { limits: { files: MOST_FILES, fields: MOST_FIELDS, parts: MOST_FIELDS + MOST_FILES } })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  // Bodies are read when it is known who sends them.
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  await app.register(async (own) => addOwnRoutes(own, service, front, closing))
  addInterface(app, service, options, front, mayGoOn, respond)
  return {
    framework: app,
    admission: front.admission,
    listen: async (place, isShared) => {
      await app.ready()
      acceptors = await openAcceptors(app.server, place, isShared)
      // From here on it watches the connections that it is given.
      app.server.emit('listening')
      return acceptors.port
    },
    stop: async (times) => {
      await closeServer(app.server, closing, times, () => closeAcceptors(acceptors))
      app.server.close()
      await app.close()
    },
  }
}

/** The listener in front of the framework. `mayGoOn` gets the answers to requests that wait to be told to send their body. */
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

/** The routes beside the interface, which the framework sends. */
function addOwnRoutes(app: FastifyInstance, service: Service, front: Front, closing: Closing): void {
  const { onAnswered } = front
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id))
  if (onAnswered)
    app.addHook('onResponse', async (request, reply) => {
      onAnswered({
        method: request.method,
        url: request.raw.url ?? '',
        route: request.routeOptions.url ?? '',
        status: reply.statusCode,
        ms: reply.elapsedTime,
        bytes: Number(reply.getHeader('content-length') ?? 0),
        requestId: request.id,
        request: request.raw,
        user: '',
        from: 'ordinary',
      })
    })
  app.setErrorHandler(async (error, request, reply) => {
    const { status, headers, body } = failureReply(service, error, request.id)
    return reply
      .code(status)
      .headers(answerHeaders(service.site, headers, true))
      .send(JSON.stringify(body))
  })
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async (request, reply) => {
    if (closing.isDraining) return reply.code(503).header('Retry-After', '1').send({ status: 'stopping' })
    try {
      await service.database.ping()
      await service.images.store.check()
      return { status: 'ready', memory: service.memory.index ? 'filled' : 'filling' }
    } catch (error) {
      service.report(error, request.id)
      return reply
        .code(503)
        .header('Retry-After', '1')
        .send({ status: whatFails(error) })
    }
  })
  for (const url of service.site.restRoot === '' ? [] : ['/', '/index.php'])
    app.get(url, async (_request, reply) => {
      const { headers, html } = sitePage(service.site)
      return reply.headers(headers).send(html)
    })
  app.get('/media/*', async (request: FastifyRequest<{ Params: { '*': string } }>, reply) =>
    sendMedia(service, front, request.params['*'], reply),
  )
}

/** Answers everything below the REST root, and addresses that do not exist. */
function addInterface(
  app: FastifyInstance,
  service: Service,
  options: ServerOptions,
  front: Front,
  mayGoOn: WeakSet<ServerResponse>,
  respond: Responder,
): void {
  const intake = makeIntake(
    {
      bodyBytes: options.bodyBytes,
      fileBytes: options.imageBytes,
      folder: options.uploadFolder,
      patienceMs: options.patienceMs,
    },
    options.intakeBytes,
  )
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const arrived = performance.now()
    const body = makeBodyReader(request, reply.raw, intake, mayGoOn)
    try {
      const incoming = incomingOf(request, front, body)
      const answer = await respond(incoming)
      await sendReply(front, request, reply, arrived, answer, incoming.user)
    } finally {
      await body.letGo()
    }
  }
  app.all('/*', handle)
  app.setNotFoundHandler(handle)
  app.setErrorHandler(async (error, request, reply) => {
    await sendReply(front, request, reply, performance.now(), failureReply(service, error, request.id))
  })
}

/** The answer to an error that no handler has answered. */
function failureReply({ site, report }: Service, error: unknown, requestId: string): Reply {
  const problem = transportProblem(error)
  if (!problem) report(error, requestId)
  const known = problem ?? new Problem('rest_internal_error')
  const { status, body } = problemReply(known, site.language, false)
  const { retryAfter } = known.details
  return { status, headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }, body }
}

/** Sends an answer of the ordinary way in place of the framework. `arrived` is of `performance.now`. */
async function sendReply(
  front: Front,
  { raw: request, id: requestId }: FastifyRequest,
  reply: FastifyReply,
  arrived: number,
  answer: Reply,
  user?: string,
): Promise<void> {
  const { status, route = '', innerStatus = 200, shown } = answer
  const { method, url = '' } = request
  const isPublic = request.headers.authorization === undefined
  const headers = Object.entries(answerHeaders(front.site, answer.headers, isPublic)).flat()
  const content = shown ? shown.bytes : await jsonBytes(answer.body, isPretty(url))
  const visit: Visit = { request, response: reply.raw, requestId, arrived, user }
  reply.hijack()
  passRest(request)
  const isRead = method === 'GET' || method === 'HEAD'
  const isTagged = isRead && status === 200 && innerStatus === 200
  try {
    if (!Buffer.isBuffer(content))
      sendStream(front, visit, { status, route, headers, tag: '', chunks: content }, 'ordinary')
    else {
      const tag = isTagged ? versionedTag(await contentTagInTurns(content), answer.version) : ''
      send(front, visit, { ...asNew(), status, route, headers, tag, body: content }, 'ordinary')
    }
  } catch (error) {
    // The framework has given this answer out of its hands.
    front.report(error, requestId)
    reply.raw.destroy()
  }
}

function incomingOf(request: FastifyRequest, front: Front, body: BodyReader): Incoming {
  return {
    method: request.method,
    url: request.raw.url ?? request.url,
    headers: request.headers,
    ...askerOf(front, request.raw),
    requestId: request.id,
    readBody: body.read,
  }
}

/** Why the service is not ready, as `/readyz` says it. */
function whatFails(error: unknown): string {
  const lack = error instanceof DatabaseUnavailable ? error.lack : error instanceof Problem ? error.code : undefined
  if (lack === 'room' || lack === 'rest_insufficient_storage') return 'there is no room left to write into'
  if (lack === 'permission' || lack === 'rest_read_only') return 'what has to be written may only be read'
  return 'the database does not answer'
}

/** Begins an absolute address with a path, as it is sent to proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[^/]*\//

/**
 * The address with a path the router accepts: one that is not percent-encoded as it should be is taken to the letter, and one that is no
 * path at all is a path that is not there.
 */
function routableUrl(sent: string): string {
  const url = sent.startsWith('/') || ABSOLUTE.test(sent) ? sent : `/${sent}`
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}
