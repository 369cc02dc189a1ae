import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  type BrotliCompress,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import { codeOf } from '../../base/errors.ts'
import { HERE_UP_TO } from '../../base/gzip.ts'
import { versionedTag } from '../../calendar/records/record-store.ts'
import type { Reply } from '../formats/format.ts'
import { BYTES_AT_ONCE, isPretty, jsonBytes } from '../formats/json.ts'
import { leaveStream, tryStream } from './admission.ts'
import { passRest } from './bodies.ts'
import {
  type Answered,
  addLastModified,
  announce,
  answerHeaders,
  crossOriginHeaders,
  type Encoding,
  encodingFor,
  type Front,
  hasCurrent,
  hasRoomFor,
  isUnmodified,
  refuseOverload,
  sendBody,
  takesGzip,
  watchReader,
} from './front.ts'
import type { Visit } from './incoming.ts'
import { clientAddress } from './incoming.ts'

// Sends answers: ETags, 304, compression, streams.

/** An answer ready to be sent, as often as it is asked for. */
export interface Outgoing {
  status: number
  /** The template of its route, as the log and the counts name it. */
  route: string
  /** Flat list of names and values, as `writeHead` takes it, without the ETag. */
  headers: readonly string[]
  /** Its ETag, empty for none. */
  tag: string
  /** The time of the last change in milliseconds; undefined if unknown. */
  modified?: number
  /** ETags that the same body had before, the latest ones. */
  earlierTags: readonly string[]
  body: Buffer
  /** The body compressed: lightly for its first reader, and well for others. */
  encoded: Partial<Record<Encoding, Encoded>>
  /** Whether it is cached, so that all of its readers share one body. */
  isKept: boolean
  /** Whether it is text that never changes: it is compressed once, as well as can be. */
  isLasting?: boolean
  /** The encoding of the body, where that is compressed already; such an answer is sent once. */
  standsIn?: Encoding
  /** Whether its own headers say which other sites may read it: all, or none. */
  namesOrigins?: boolean
  /** Whether its body has changed since it was made, as it may again. */
  isChanging?: boolean
  /** Whether some of the body may still be in transit: then nothing may be written into it. */
  isSending: boolean
}

interface Encoded {
  /** A promise while it is being compressed. */
  bytes: Buffer | Promise<Buffer>
  isLight: boolean
  /** The number of readers that have got it. */
  readers: number
}

/** Readers of a light form of a kept answer before it is compressed well, which takes as long as some ten answers. */
const FIRST_READERS = 1
/** The same where its body changes: then that may be worth nothing soon. */
const FIRST_READERS_OF_CHANGING = 8

/** Whether a light form has had its readers. One that is sent once is worth no more. */
function isSpent({ isKept, isChanging }: Outgoing, { isLight, readers }: Encoded): boolean {
  return isKept && isLight && readers >= (isChanging ? FIRST_READERS_OF_CHANGING : FIRST_READERS)
}

/** The state of an answer never sent. */
export const asNew = () => ({ earlierTags: [], encoded: {}, isKept: false, isSending: false })

/** An ETag of the content alone. */
export function contentTag(body: Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`
}

/** Makes that ETag in several turns of the event loop, so that a long body holds up nobody. */
export async function contentTagInTurns(body: Buffer): Promise<string> {
  if (body.length <= BYTES_AT_ONCE) return contentTag(body)
  const hash = createHash('sha1')
  for (let at = 0; at < body.length; at += BYTES_AT_ONCE) {
    hash.update(body.subarray(at, at + BYTES_AT_ONCE))
    await nextTurn()
  }
  return `W/"${hash.digest('base64url')}"`
}

/**
 * Sends an answer, or 304 to a client that has it already, or 503 to a reader if there is no room to hold it. `sent` is called once its body has left and may
 * be overwritten.
 */
export function send(front: Front, visit: Visit, answer: Outgoing, from: Answered['from'], sent?: () => void): void {
  const { headers } = visit.request
  if (isKnown(headers, answer, answer.earlierTags)) {
    sendUnchanged(front, visit, answer, from, sent)
    return
  }
  const encoding = answer.standsIn ?? encodingOf(headers, answer)
  const body = answer.standsIn ? answer.body : encoding && encoded(answer, encoding)
  if (!(body instanceof Promise)) {
    sendWhole(front, visit, answer, from, body, encoding, sent)
    return
  }
  body.then(
    (bytes) => sendWhole(front, visit, answer, from, bytes, encoding, sent),
    (error: unknown) => {
      front.report(error, visit.requestId)
      visit.response.destroy()
    },
  )
}

/** Whether the client has said that it has the answer already. */
function isKnown(
  headers: IncomingHttpHeaders,
  { tag, modified }: Pick<Outgoing, 'tag' | 'modified'>,
  earlier?: readonly string[],
): boolean {
  return tag !== '' && (hasCurrent(headers, tag, earlier) || isUnmodified(headers, modified))
}

function sendUnchanged(
  front: Front,
  visit: Visit,
  answer: Pick<Outgoing, 'headers' | 'tag' | 'route' | 'namesOrigins' | 'modified'>,
  from: Answered['from'],
  sent?: () => void,
): void {
  const { request, response, requestId } = visit
  const headers = withoutBody(answer.headers)
  headers.push('ETag', answer.tag, 'X-Request-Id', requestId)
  addLastModified(headers, answer.modified)
  if (request.headers.origin !== undefined) headers.push(...crossOrigin(answer, request))
  response.writeHead(304, headers)
  response.end(sent)
  announce(front.onAnswered, visit, answer.route, from, 304, 0)
}

/** Sends the body as it stands, or the same compressed. */
function sendWhole(
  front: Front,
  visit: Visit,
  answer: Outgoing,
  from: Answered['from'],
  compressed: Buffer | undefined,
  encoding: Encoding | undefined,
  sent: (() => void) | undefined,
): void {
  const { request, response, requestId } = visit
  const body = compressed ?? answer.body
  // A write is answered whatever room there is: a refusal would say that nothing was written.
  if (!answer.isKept && isRead(request.method) && !hasRoomFor(front.readers, body.length)) {
    refuseOverload(front, visit)
    return
  }
  const headers = [...answer.headers, 'X-Request-Id', requestId, 'Content-Length', String(body.length)]
  if (answer.tag !== '') headers.push('ETag', answer.tag)
  addLastModified(headers, answer.modified)
  if (request.headers.origin !== undefined) headers.push(...crossOrigin(answer, request))
  if (compressed && encoding) headers.push('Content-Encoding', encoding)
  response.writeHead(answer.status, headers)
  if (request.method === 'HEAD') response.end(sent)
  else {
    // One that is kept is held for all of its readers.
    const isOnItsWay = sendBody(front.readers, response, body, answer.isKept ? 0 : body.length, sent)
    if (isOnItsWay && body === answer.body) answer.isSending = true
  }
  announce(front.onAnswered, visit, answer.route, from, answer.status, body.length)
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Sends an answer of the ordinary way. */
export async function sendReply(front: Front, visit: Visit, answer: Reply): Promise<void> {
  const { status, route = '', innerStatus = 200, shown } = answer
  const { method, headers: asked } = visit.request
  const headers = Object.entries(answerHeaders(front.site, answer.headers, asked.authorization === undefined)).flat()
  const content = shown ? shown.bytes : await jsonBytes(answer.body, isPretty(visit.url.text))
  passRest(visit.request)
  if (!Buffer.isBuffer(content)) {
    sendStream(front, visit, { status, route, headers, tag: '', chunks: content }, 'ordinary')
    return
  }
  const isTagged = isRead(method) && status === 200 && innerStatus === 200
  const tag = isTagged ? versionedTag(await contentTagInTurns(content), answer.version) : ''
  send(front, visit, { ...asNew(), status, route, headers, tag, body: content }, 'ordinary')
}

/** An answer whose body is made as it is taken. */
interface Streamed extends Pick<Outgoing, 'status' | 'route' | 'headers' | 'tag' | 'namesOrigins' | 'modified'> {
  chunks: AsyncIterable<Buffer>
  /** The bytes of one that is not made but read: it is sent as it is, and does not count as a stream. */
  size?: number
}

/**
 * Sends an answer piece by piece, no faster than its reader takes it, or 503 when too many are in progress. A failure in between closes the
 * connection, so that nobody mistakes the part for the whole.
 */
export function sendStream(front: Front, visit: Visit, answer: Streamed, from: Answered['from']): void {
  const { request, response, requestId } = visit
  if (isKnown(request.headers, answer)) {
    sendUnchanged(front, visit, answer, from)
    return
  }
  const { size } = answer
  const isHead = request.method === 'HEAD'
  const address = clientAddress(request, front.trusted)
  const takesPlace = !isHead && size === undefined
  if (takesPlace && !tryStream(front.admission, address)) {
    refuseOverload(front, visit)
    return
  }
  const encoding = size === undefined ? encodingFor(request.headers, Number.POSITIVE_INFINITY) : undefined
  const headers = [...answer.headers, 'X-Request-Id', requestId]
  for (const part of crossOrigin(answer, request)) headers.push(part)
  if (answer.tag !== '') headers.push('ETag', answer.tag)
  addLastModified(headers, answer.modified)
  if (encoding) headers.push('Content-Encoding', encoding)
  if (size !== undefined) headers.push('Content-Length', String(size))
  response.writeHead(answer.status, headers)
  if (!isHead)
    void pipe(front, visit, answer, encoding, from).finally(() => takesPlace && leaveStream(front.admission, address))
  else {
    response.end()
    announce(front.onAnswered, visit, answer.route, from, answer.status, 0)
  }
}

async function pipe(
  front: Front,
  visit: Visit,
  { chunks, route, status }: Streamed,
  encoding: Encoding | undefined,
  from: Answered['from'],
): Promise<void> {
  const { response } = visit
  let bytes = 0
  let fault: unknown
  const watched = async function* () {
    try {
      yield* chunks
    } catch (error) {
      // It fails as well when its reader has gone.
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
  // Only the present pieces are held in memory.
  watchReader(front.readers, response, 0)
  try {
    if (encoding) await pipeline(watched, compressor(encoding), counted, response)
    else await pipeline(watched, counted, response)
  } catch (error) {
    response.destroy()
    if (fault !== undefined || !isLeaving(error)) front.report(fault ?? error, visit.requestId)
  }
  announce(front.onAnswered, visit, route, from, status, bytes)
}

/** Whether the reader went away, or was dropped. */
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
  { namesOrigins }: Pick<Outgoing, 'namesOrigins'>,
  { headers: { origin } }: IncomingMessage,
): string[] {
  return origin === undefined || namesOrigins ? [] : Object.entries(crossOriginHeaders(origin)).flat()
}

/** The encoding that a client gets: one that is at hand where it takes it, and else the best. */
function encodingOf(headers: IncomingHttpHeaders, answer: Outgoing): Encoding | undefined {
  const { body, encoded } = answer
  const isAtHand = encoded.gzip?.isLight && !isSpent(answer, encoded.gzip)
  return isAtHand && takesGzip(headers, body.length) ? 'gzip' : encodingFor(headers, body.length)
}

/** The body compressed, a promise of it, or undefined where it goes out as it is. */
function encoded(answer: Outgoing, encoding: Encoding): Buffer | Promise<Buffer> | undefined {
  const known = answer.encoded[encoding]
  if (known && !isSpent(answer, known)) {
    known.readers++
    return known.bytes
  }
  const { body } = answer
  const utmost = answer.isLasting ? compressBeside(body, encoding, UTMOST) : undefined
  const isLight = !utmost && known === undefined && Object.keys(answer.encoded).length === 0
  const bytes = utmost ?? compress(body, encoding, isLight ? LIGHT : BEST)
  if (!bytes) return known?.bytes
  answer.encoded[encoding] = { bytes, isLight, readers: 1 }
  if (bytes instanceof Promise) {
    // It is read beside this thread: nothing may be written into it.
    answer.isSending = true
    const keepIt = (later: Buffer | undefined) => {
      if (answer.body !== body) return
      if (later) answer.encoded[encoding] = { bytes: later, isLight, readers: 1 }
      else delete answer.encoded[encoding]
    }
    bytes.then(keepIt, () => keepIt(undefined))
  }
  return bytes
}

/** The headers without those that describe a body (RFC 9110, 15.4.5). */
function withoutBody(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    if (name !== 'Content-Type') kept.push(name, headers[i + 1] as string)
  }
  return kept
}

/** The most bodies compressed in threads at the same time; the same threads read files. */
const MOST_BESIDE = 2

/** The effort of compressing: little for an answer that is sent once, more for one that is kept. Brotli is the quicker one at its first level. */
interface Effort {
  gzip: { level: number }
  br: { params: Record<number, number> }
}
const effort = (gzip: number, br: number): Effort => ({
  gzip: { level: gzip },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: br } },
})
const LIGHT = effort(3, 1)
const BEST = effort(6, 5)
const UTMOST = effort(9, 11)

const gzipLater = promisify(gzip)
const brotliLater = promisify(brotliCompress)

let beside = 0

/** The compressed body, or a promise of it for a large one; undefined when the compressors are busy and the body is sent uncompressed. */
function compress(bytes: Buffer, encoding: Encoding, effort: Effort): Buffer | Promise<Buffer> | undefined {
  if (bytes.length > HERE_UP_TO) return compressBeside(bytes, encoding, effort)
  return encoding === 'gzip' ? gzipSync(bytes, effort.gzip) : brotliCompressSync(bytes, effort.br)
}

/** Compresses in a thread; undefined when the compressors are busy. */
function compressBeside(bytes: Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> | undefined {
  if (beside >= MOST_BESIDE) return undefined
  beside += 1
  const compressed = encoding === 'gzip' ? gzipLater(bytes, effort.gzip) : brotliLater(bytes, effort.br)
  return compressed.finally(() => {
    beside -= 1
  })
}

/** Compresses a stream in a thread. */
function compressor(encoding: Encoding): Gzip | BrotliCompress {
  return encoding === 'gzip' ? createGzip(LIGHT.gzip) : createBrotliCompress(LIGHT.br)
}
