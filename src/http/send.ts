import { hash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib'
import { codeOf } from '../base/errors.ts'
import { versionedTag } from '../calendar/records/record-store.ts'
import { lengthOf } from '../store/memory/event-pieces.ts'
import { leaveStream, tryStream } from './admission.ts'
import {
  addLastModified,
  answerHeaders,
  crossOriginHeaders,
  type Encoding,
  encodingFor,
  hasCurrent,
  isUnmodified,
} from './answer-headers.ts'
import { passRest } from './bodies.ts'
import { type Answered, announce, type Entrance, refuseOverload, writeHead } from './entrance.ts'
import type { Answer } from './format.ts'
import type { Exchange } from './incoming.ts'
import { clientAddress } from './incoming.ts'
import { BYTES_AT_ONCE, isPretty, joined, joinInTurns, jsonParts, partByPart } from './json.ts'
import { makesRoomFor, sendBody, watchReader } from './slow-readers.ts'

/** An answer in bytes, which can be sent repeatedly. */
export interface WrittenAnswer {
  status: number
  route: string
  headers: readonly string[]
  tag: string
  /** The ETag that the same answer had before it was cached. */
  firstTag?: string
  /** The time of the last change in ms. */
  modified?: number
  body: Buffer
  /** The compressed body by encoding; a promise while a thread compresses it. */
  encoded: Partial<Record<Encoding, Buffer | Promise<Buffer>>>
  /** True for a cached body, which all readers share. */
  isShared: boolean
  /** True for an answer that never changes: it is compressed once, at the best level. */
  isLasting?: boolean
  /** Set if made for one reader from cached pieces: compressing it would cost more than all the rest. */
  isPlain?: true
  /** True if `headers` say themselves which other sites may read the answer. */
  namesOrigins?: boolean
}

export const asNew = () => ({ encoded: {}, isShared: false })

/** Returns an ETag that differs by edition. SHA-256 is quick on processors with instructions for it. */
export function contentTag(body: Buffer, edition = ''): string {
  const content = hash('sha256', body, 'base64url').slice(0, 27)
  return edition === '' ? `W/"${content}"` : `W/"${edition}.${content}"`
}

/**
 * Sends the answer, or 304 if the client has it, or 503 without room for a reader.
 * @param sent is called once the body has left and may be overwritten
 */
export function send(
  entrance: Entrance,
  exchange: Exchange,
  answer: WrittenAnswer,
  from: Answered['from'],
  sent?: () => void,
): void {
  const { headers } = exchange.request
  if (isKnown(headers, answer)) {
    sendUnchanged(entrance, exchange, answer, from, sent)
    return
  }
  const encoding = answer.isPlain ? undefined : encodingFor(headers, answer.body.length, answer.isLasting)
  const body = encoding && encoded(answer, encoding)
  if (!(body instanceof Promise)) {
    sendWhole(entrance, exchange, answer, from, body, encoding, sent)
    return
  }
  body.then(
    (bytes) => sendWhole(entrance, exchange, answer, from, bytes, encoding, sent),
    (error: unknown) => {
      entrance.report(error, exchange.requestId)
      exchange.response.destroy()
    },
  )
}

interface TextAnswer extends Pick<WrittenAnswer, 'status' | 'route' | 'namesOrigins'> {
  headers: Readonly<Record<string, string>>
  text: string
}

export function sendText(
  entrance: Entrance,
  exchange: Exchange,
  { headers, text, ...written }: TextAnswer,
): void {
  const flat = Object.entries(headers).flat()
  send(
    entrance,
    exchange,
    { ...asNew(), ...written, headers: flat, tag: '', body: Buffer.from(text) },
    'ordinary',
  )
}

function isKnown(
  headers: IncomingHttpHeaders,
  { tag, firstTag = '', modified }: Pick<WrittenAnswer, 'tag' | 'firstTag' | 'modified'>,
): boolean {
  if (tag === '') return false
  return (
    hasCurrent(headers, tag) ||
    (firstTag !== '' && hasCurrent(headers, firstTag)) ||
    isUnmodified(headers, modified)
  )
}

function sendUnchanged(
  entrance: Entrance,
  exchange: Exchange,
  answer: Pick<WrittenAnswer, 'headers' | 'tag' | 'route' | 'namesOrigins' | 'modified'>,
  from: Answered['from'],
  sent?: () => void,
): void {
  const { request, response, requestId } = exchange
  const headers = withoutBody(answer.headers)
  headers.push('ETag', answer.tag, 'X-Request-Id', requestId)
  addLastModified(headers, answer.modified)
  // biome-ignore lint/plugin: headers of ours
  if (request.headers.origin !== undefined) headers.push(...crossOrigin(answer, request))
  writeHead(entrance, response, 304, headers)
  response.end(sent)
  announce(entrance.onAnswered, exchange, answer.route, from, 304, 0)
}

function sendWhole(
  entrance: Entrance,
  exchange: Exchange,
  answer: WrittenAnswer,
  from: Answered['from'],
  compressed: Buffer | undefined,
  encoding: Encoding | undefined,
  sent: (() => void) | undefined,
): void {
  const { request, response, requestId } = exchange
  const body = compressed ?? answer.body
  // A write is answered even without room: a refusal would say that nothing was written.
  if (!answer.isShared && isRead(request.method) && !makesRoomFor(entrance.readers, body.length)) {
    refuseOverload(entrance, exchange)
    return
  }
  const headers = [...answer.headers, 'X-Request-Id', requestId, 'Content-Length', String(body.length)]
  if (answer.tag !== '') headers.push('ETag', answer.tag)
  addLastModified(headers, answer.modified)
  // biome-ignore lint/plugin: headers of ours
  if (request.headers.origin !== undefined) headers.push(...crossOrigin(answer, request))
  if (compressed && encoding) headers.push('Content-Encoding', encoding)
  writeHead(entrance, response, answer.status, headers)
  if (request.method === 'HEAD') response.end(sent)
  // A shared body is not held for this reader alone.
  else sendBody(entrance.readers, response, body, answer.isShared ? 0 : body.length, sent)
  announce(entrance.onAnswered, exchange, answer.route, from, answer.status, body.length)
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

const NO_BYTES = Buffer.alloc(0)

function contentOf(parts: readonly Buffer[], mayStream: boolean) {
  if (lengthOf(parts) <= BYTES_AT_ONCE) return joined(parts)
  return mayStream ? partByPart(parts) : joinInTurns(parts)
}

export async function writeAndSend(entrance: Entrance, exchange: Exchange, answer: Answer): Promise<void> {
  const { status, route = '', innerStatus = 200, representation } = answer
  const { method, headers: asked } = exchange.request
  const headers = answerHeaders(entrance.site, answer.headers, asked.authorization === undefined)
  const parts = representation ? undefined : await jsonParts(answer.body, isPretty(exchange.url.text))
  passRest(exchange.request)
  const isOk = isRead(method) && status === 200 && innerStatus === 200
  const content = parts ? await contentOf(parts, isOk) : (representation?.bytes ?? NO_BYTES)
  if (!Buffer.isBuffer(content)) {
    const held = lengthOf(parts ?? [])
    sendStream(entrance, exchange, { status, route, headers, tag: '', chunks: content, held }, 'ordinary')
    return
  }
  const tag = isOk ? versionedTag(contentTag(content), answer.version) : ''
  send(entrance, exchange, { ...asNew(), status, route, headers, tag, body: content }, 'ordinary')
}

interface StreamedAnswer
  extends Pick<WrittenAnswer, 'status' | 'route' | 'headers' | 'tag' | 'namesOrigins' | 'modified'> {
  chunks: AsyncIterable<Buffer>
  /** Set for a file, which is sent uncompressed and does not count as a stream. */
  size?: number
  /** Bytes in memory for this reader alone; such an answer does not count as a stream either. */
  held?: number
}

/**
 * Sends a stream as fast as its reader takes it, or 503 if too many streams run. A failure closes the
 * connection, so that nobody takes a part for the whole.
 */
export function sendStream(
  entrance: Entrance,
  exchange: Exchange,
  answer: StreamedAnswer,
  from: Answered['from'],
): void {
  const { request, response, requestId } = exchange
  if (isKnown(request.headers, answer)) {
    sendUnchanged(entrance, exchange, answer, from)
    return
  }
  const { size, held } = answer
  const isHead = request.method === 'HEAD'
  const address = clientAddress(request, entrance.trusted)
  const takesPlace = !isHead && size === undefined && held === undefined
  const isRefused = takesPlace
    ? !tryStream(entrance.admission, address)
    : !makesRoomFor(entrance.readers, held ?? 0)
  if (isRefused) {
    refuseOverload(entrance, exchange)
    return
  }
  const encoding = size === undefined ? encodingFor(request.headers, Number.POSITIVE_INFINITY) : undefined
  const headers = [...answer.headers, 'X-Request-Id', requestId]
  for (const part of crossOrigin(answer, request)) headers.push(part)
  if (answer.tag !== '') headers.push('ETag', answer.tag)
  addLastModified(headers, answer.modified)
  if (encoding) headers.push('Content-Encoding', encoding)
  if (size !== undefined) headers.push('Content-Length', String(size))
  writeHead(entrance, response, answer.status, headers)
  if (!isHead)
    void pipe(entrance, exchange, answer, encoding, from).finally(
      () => takesPlace && leaveStream(entrance.admission, address),
    )
  else {
    response.end()
    announce(entrance.onAnswered, exchange, answer.route, from, answer.status, 0)
  }
}

async function pipe(
  entrance: Entrance,
  exchange: Exchange,
  { chunks, route, status, held = 0 }: StreamedAnswer,
  encoding: Encoding | undefined,
  from: Answered['from'],
): Promise<void> {
  const { response } = exchange
  let bytes = 0
  let fault: unknown
  const watched = async function* () {
    try {
      yield* chunks
    } catch (error) {
      // The source fails as well when its reader has gone.
      if (!response.destroyed) fault = error
      throw error
    }
  }
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      bytes += piece.length
      yield piece
    }
  }
  // Without `held`, only the pieces under way are in memory.
  watchReader(entrance.readers, response, held)
  try {
    if (encoding) await pipeline(watched, METHODS[encoding].stream(), counted, response)
    else await pipeline(watched, counted, response)
  } catch (error) {
    response.destroy()
    if (fault !== undefined || !isLeaving(error)) entrance.report(fault ?? error, exchange.requestId)
  }
  announce(entrance.onAnswered, exchange, route, from, status, bytes)
}

function isLeaving(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === 'ERR_STREAM_DESTROYED'
  )
}

function crossOrigin(
  { namesOrigins }: Pick<WrittenAnswer, 'namesOrigins'>,
  { headers: { origin } }: IncomingMessage,
): string[] {
  return origin === undefined || namesOrigins ? [] : Object.entries(crossOriginHeaders(origin)).flat()
}

function encoded(answer: WrittenAnswer, encoding: Encoding): Buffer | Promise<Buffer> | undefined {
  const known = answer.encoded[encoding]
  if (known) return known
  const { body, isLasting = false } = answer
  const method = METHODS[encoding]
  const isLong = isLasting || body.length > HERE_UP_TO
  const bytes = isLong ? compressBeside(body, method, isLasting) : method.now(body)
  if (!bytes) return undefined
  answer.encoded[encoding] = bytes
  if (bytes instanceof Promise) {
    const keepIt = (later: Buffer | undefined) => {
      if (answer.encoded[encoding] !== bytes) return
      if (later) answer.encoded[encoding] = later
      else delete answer.encoded[encoding]
    }
    bytes.then(keepIt, () => keepIt(undefined))
  }
  return bytes
}

/** The headers of a 304 (RFC 9110, 15.4.5). */
function withoutBody(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    if (name !== 'Content-Type') kept.push(name, headers[i + 1] as string)
  }
  return kept
}

/** In bytes: compressed on the event loop, in some 2 ms; a larger body on a thread of the pool. */
const HERE_UP_TO = 262_144

/** At most this many threads of the pool compress; others read files. */
const MOST_BESIDE = 2

const gzipLater = promisify(gzip)
const brotliLater = promisify(brotliCompress)
const zstdLater = promisify(zstdCompress)

const chunkSize = 16_384

const brotliAt = (level: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: level } })
const zstdAt = (level: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: level } })

/** Compresses at a quick level; with `isLasting`, at the best. */
interface Method {
  now: (bytes: Buffer) => Buffer
  later: (bytes: Buffer, isLasting: boolean) => Promise<Buffer>
  stream: () => Transform
}

const METHODS: Readonly<Record<Encoding, Method>> = {
  zstd: {
    now: (bytes) => zstdCompressSync(bytes, { ...zstdAt(3), chunkSize }),
    later: (bytes, isLasting) => zstdLater(bytes, zstdAt(isLasting ? 19 : 3)),
    stream: () => createZstdCompress(zstdAt(3)),
  },
  br: {
    now: (bytes) => brotliCompressSync(bytes, { ...brotliAt(1), chunkSize }),
    later: (bytes, isLasting) => brotliLater(bytes, brotliAt(isLasting ? 11 : 1)),
    stream: () => createBrotliCompress(brotliAt(1)),
  },
  gzip: {
    now: (bytes) => gzipSync(bytes, { level: 2, chunkSize }),
    later: (bytes, isLasting) => gzipLater(bytes, { level: isLasting ? 9 : 2 }),
    stream: () => createGzip({ level: 2 }),
  },
}

let beside = 0

function compressBeside(bytes: Buffer, { later }: Method, isLasting: boolean): Promise<Buffer> | undefined {
  if (beside >= MOST_BESIDE) return undefined
  beside += 1
  return later(bytes, isLasting).finally(() => {
    beside -= 1
  })
}
