import { createHash, randomUUID } from 'node:crypto'
import { createServer, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import multipart from '@fastify/multipart'
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { CacheBudget } from '../common/generations.ts'
import type { Site } from '../config.ts'
import { MEDIA_CACHE_CONTROL } from '../media/media-store.ts'
import { Problem } from '../problems.ts'
import { answerHeaders, crossOriginHeaders, encode, encodingFor, hasCurrent } from './headers.ts'
import { problemReply } from './problem-replies.ts'
import { makePublicReads } from './public-reads.ts'
import type { Reply } from './reply.ts'
import { formText, parseForm, repeatedKeys } from './request.ts'
import { type Incoming, LONGEST_URL, makeResponder, type Service, type Upload } from './respond.ts'

/** Limits and surroundings of the server. */
export interface ServerOptions {
  logger: FastifyBaseLogger | false
  /** bytes of a body that is no upload */
  bodyBytes: number
  /** bytes of an uploaded image */
  imageBytes: number
  trustedProxy: readonly string[]
  /** what finished answers share with whatever else is kept in memory */
  cacheBudget: CacheBudget
}

/** Longer than the idle time of common proxies, so that they never send into a connection that is being closed. */
const KEEP_ALIVE_MS = 75_000

/** Bytes of a request line with all headers. */
const LONGEST_HEAD = 65_536

const LET_GO_EVERY_MS = 20

/** The HTTP server: transport, limits and headers around the answers; the only place that knows the framework. */
export async function makeServer(service: Service, options: ServerOptions): Promise<FastifyInstance> {
  const respond = makeResponder(service)
  const readPublic = makePublicReads(service, respond, options.cacheBudget)
  const app: FastifyInstance = Fastify({
    serverFactory: (handler) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: LONGEST_HEAD }, (request, response) => {
        if (!readPublic(request, response)) handler(request, response)
      }),
    logController: new LogController({ disableRequestLogging: true }),
    ...(options.logger ? { loggerInstance: options.logger } : {}),
    trustProxy: options.trustedProxy.length > 0 ? [...options.trustedProxy] : false,
    bodyLimit: options.bodyBytes,
    genReqId: () => randomUUID(),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 10_000 },
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, service.site),
  })
  await app.register(multipart, {
    limits: { fileSize: options.imageBytes, fieldSize: options.bodyBytes, files: 10, fields: 2000 },
  })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('onResponse', async (request, reply) => {
    const level = request.method === 'GET' || request.method === 'HEAD' ? 'debug' : 'info'
    request.log[level](
      { method: request.method, url: request.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    )
  })

  app.addHook('preClose', async () => {
    // Connections that were busy a moment ago are let go as soon as they have had their answer.
    const letGo = setInterval(() => app.server.closeIdleConnections(), LET_GO_EVERY_MS)
    app.server.once('close', () => clearInterval(letGo))
  })

  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await service.database.ping()
      return { status: 'ready', memory: service.memory.index ? 'filled' : 'filling' }
    } catch (error) {
      service.report(error)
      return reply.code(503).header('Retry-After', '1').send({ status: 'the database does not answer' })
    }
  })
  if (service.site.restRoot !== '') app.get('/', async (_request, reply) => reply.redirect(`${service.site.restUrl}/`))
  app.get('/media/*', async (request: FastifyRequest<{ Params: { '*': string } }>, reply) =>
    sendMedia(service, request.params['*'], reply),
  )

  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const incoming = await incomingOf(request, options)
    return send(service.site, request, reply, await respond(incoming))
  }
  app.all('/*', handle)
  const media = `${service.site.restRoot}/wp/v2/media`
  for (const url of [media, `${media}/`]) app.all(url, { bodyLimit: options.imageBytes }, handle)
  app.setNotFoundHandler(handle)
  app.setErrorHandler((error, request, reply) => {
    const problem = transportProblem(error, request.routeOptions.bodyLimit ?? options.bodyBytes, service)
    const { status, body } = problemReply(problem, service.site.language, false)
    const { retryAfter } = problem.details
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
    return send(service.site, request, reply, { status, headers, body })
  })
  return app
}

/** The address with a path the router accepts: one that is not percent-encoded as it should be is taken to the letter. */
function routableUrl(url: string): string {
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Answers what is no HTTP, or has too long a head, and closes the connection. */
function refuseUnreadable(error: ConnectionError, socket: Socket, site: Site): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  // Of a head that is too long only the last piece is at hand; without a line end it is taken for a piece of the address.
  const packet = error.rawPacket
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  const isLong = error.code === 'HPE_HEADER_OVERFLOW' && isOneLine
  const problem = new Problem(isLong ? 'rest_uri_too_long' : 'rest_invalid_request')
  const { status, body } = problemReply(problem, site.language, false)
  const text = JSON.stringify(body)
  const headers = `Content-Type: application/json; charset=UTF-8\r\nContent-Length: ${Buffer.byteLength(text)}`
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\nConnection: close\r\n\r\n${text}`)
}

/** What the transport refuses, as a Problem. */
function transportProblem(error: unknown, limit: number, service: Service): Problem {
  if (error instanceof Problem) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const limits = [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    'FST_REQ_FILE_TOO_LARGE',
    'FST_FIELDS_LIMIT',
    'FST_FILES_LIMIT',
    'FST_PARTS_LIMIT',
  ]
  if (limits.includes(code)) return tooLarge(limit)
  if (code.startsWith('FST_ERR_CTP')) return new Problem('rest_unsupported_media_type')
  if (error instanceof Error && 'statusCode' in error && error.statusCode === 400)
    return new Problem('rest_unsupported_media_type')
  service.report(error)
  return new Problem('rest_internal_error')
}

async function incomingOf(request: FastifyRequest, options: ServerOptions): Promise<Incoming> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const incoming = {
    method: request.method,
    url: request.raw.url ?? request.url,
    headers: request.headers,
    address: request.ip,
    body,
  }
  return request.isMultipart() ? { ...incoming, form: await formOf(request, options) } : incoming
}

/** The fields and files of a multipart form, refused as soon as all of them together are too large. */
async function formOf(request: FastifyRequest, options: ServerOptions): Promise<NonNullable<Incoming['form']>> {
  const fields: [string, string][] = []
  const files: Upload[] = []
  const room = { fields: options.bodyBytes, files: options.imageBytes }
  const take = (kind: 'fields' | 'files', bytes: number) => {
    room[kind] -= bytes
    if (room[kind] < 0) throw tooLarge(kind === 'fields' ? options.bodyBytes : options.imageBytes)
  }
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        const value = String(part.value)
        // A field that was cut off is as long as the limit.
        take('fields', Buffer.byteLength(value) + Number(part.valueTruncated) + Number(part.fieldnameTruncated))
        fields.push([part.fieldname, value])
      } else {
        const bytes = await part.toBuffer()
        take('files', bytes.length)
        files.push({ fileName: part.filename, mimeType: part.mimetype, bytes })
      }
    }
  } catch (error) {
    // Limits have codes; what has none is a form that breaks off or never begins.
    if (error instanceof Problem || (error instanceof Error && 'code' in error)) throw error
    throw new Problem('rest_invalid_form')
  }
  const text = formText(fields)
  return { fields: parseForm(text), repeated: repeatedKeys(text), files }
}

function tooLarge(bytes: number): Problem {
  return new Problem('rest_request_too_large', { data: { bytes } })
}

/** Puts an answer on the wire: headers of contract 9.1 and 9.2, entity tag, compression. */
function send(site: Site, request: FastifyRequest, reply: FastifyReply, answer: Reply): FastifyReply {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const { authorization, origin } = request.headers
  reply.code(answer.status).headers({
    ...answerHeaders(site, answer.headers, authorization === undefined),
    ...crossOriginHeaders(origin),
    'X-Request-Id': request.id,
  })
  const text = JSON.stringify(answer.body, null, /[?&]_pretty(=|&|$)/.test(request.url) ? 4 : undefined)
  // A text goes out together with the head, in one piece.
  if (!isRead && request.headers['accept-encoding'] === undefined) return reply.send(text)
  const bytes = Buffer.from(text)
  if (isRead && answer.status === 200) {
    const tag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
    reply.header('ETag', tag)
    if (hasCurrent(request.headers, tag)) return reply.code(304).send()
  }
  const encoding = encodingFor(request.headers, bytes.length)
  return encoding ? reply.header('Content-Encoding', encoding).send(encode(bytes, encoding)) : reply.send(bytes)
}

async function sendMedia(service: Service, key: string, reply: FastifyReply): Promise<FastifyReply> {
  const file = await service.images.store.read(key)
  if (!file) {
    const { status, body } = problemReply(new Problem('rest_no_route'), service.site.language, false)
    return reply.code(status).send(body)
  }
  return reply
    .headers({
      'Content-Type': file.mimeType,
      'Content-Length': String(file.size),
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': MEDIA_CACHE_CONTROL,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    })
    .send(file.stream)
}
